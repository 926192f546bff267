/* What a pass reads: the input of the stack, the targets, the upstream gradient.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-pass.h"

#include <string.h>

static void
fill_sinusoidal (const NsPlan *plan, float *position, gsize t)
{
  /* PE (t, 2i) = sin (t/10000^(2i/d)), PE (t, 2i + 1) = cos (…): Vaswani et al. 2017, §3.5 */
  for (gsize c = 0; c < plan->C; c++)
    {
      double angle = (double) t / pow (10000, (double) (c - c % 2) / (double) plan->C);
      position[c] = (float) (c % 2 == 0 ? sin (angle) : cos (angle));
    }
}

static void
add_position (const NsPass *pass, float *x, gsize t)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  float *position = (float *) pass->work->features; /* [C] doubles hold [C] floats */

  if (data->positions == NS_POSITIONS_NONE)
    return;
  if (data->positions == NS_POSITIONS_SINUSOIDAL)
    fill_sinusoidal (plan, position, t);
  else
    {
      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_POSITION }, NS_DISTRIBUTION_NORMAL, t * plan->C, plan->C,
                      position);
      for (gsize c = 0; c < plan->C; c++)
        position[c] *= (float) data->embed_std;
    }
  for (gsize c = 0; c < plan->C; c++)
    x[c] += position[c];
}

/* x_0 = E[id] + P[t]. ids [N] */
static void
embed (const NsPass *pass, const gint32 *ids)
{
  const NsPlan *plan = &pass->plan;
  float std = (float) plan->experiment->data.embed_std;
  NsRandomKey key = { pass->seed, 0, NS_STREAM_EMBEDDING };

  for (gsize n = 0; n < plan->N; n++)
    {
      float *x = pass->work->input + n * plan->C;

      ns_random_fill (key, NS_DISTRIBUTION_NORMAL, (guint64) ids[n] * plan->C, plan->C, x);
      for (gsize c = 0; c < plan->C; c++)
        x[c] *= std;
      add_position (pass, x, n % plan->T);
    }
}

/* Bytes n, n + 1, … of the text, from the start again at its end. */
static void
read_text (const char *text, gsize first, gsize n, gint32 *ids)
{
  gsize length = strlen (text);

  for (gsize i = 0; i < n; i++)
    ids[i] = (guchar) text[(first + i) % length];
}

void
ns_pass_load_input (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  NsWorkspace *w = pass->work;
  gsize n = plan->N * plan->C;
  NsRandomKey ids = { pass->seed, 0, NS_STREAM_IDS };

  /* targets holds the ids first, then what follows each of them */
  switch ((NsSource) data->source)
    {
    case NS_SOURCE_GAUSSIAN:
      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_INPUT }, NS_DISTRIBUTION_NORMAL, 0, n, w->input);
      ns_random_ids (ids, 0, plan->N, (guint32) plan->V, w->targets);
      break;
    case NS_SOURCE_TOKENS:
      ns_random_ids (ids, 0, plan->N, (guint32) plan->V, w->targets);
      embed (pass, w->targets);
      ns_random_ids (ids, 1, plan->N, (guint32) plan->V, w->targets);
      break;
    case NS_SOURCE_TEXT:
      read_text (data->text, 0, plan->N, w->targets);
      embed (pass, w->targets);
      read_text (data->text, 1, plan->N, w->targets);
      break;
    }
  for (gsize i = 0; i < n; i++)
    w->x[0].v[i] = w->input[i];
  w->x[0].exp2 = 0;

  if (plan->experiment->loss == NS_LOSS_UNIT_GRADIENT)
    {
      double norm2 = 0;

      ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_UPSTREAM }, NS_DISTRIBUTION_NORMAL, 0, n, w->input);
      for (gsize i = 0; i < n; i++)
        norm2 += (double) w->input[i] * w->input[i];
      for (gsize i = 0; i < n; i++)
        w->input[i] = (float) (w->input[i] / sqrt (norm2));
    }
}
