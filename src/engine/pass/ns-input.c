/* Draw the inputs, targets and upstream gradient of a pass.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-input.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-loss.h"
#include "engine/pass/ns-patch.h"

#include <string.h>

/* P_t [C]: PE (t, 2i) = sin (t/10000^(2i/C)), PE (t, 2i + 1) = cos (…) (Vaswani et al. 2017, §3.5). */
static void
fill_sinusoidal (const NsPlan *plan, float *position, gsize t)
{
  for (gsize c = 0; c < plan->C; c++)
    {
      double angle = (double) t / pow (10000, (double) (c - c % 2) / (double) plan->C);
      position[c] = (float) (c % 2 == 0 ? sin (angle) : cos (angle));
    }
}

/* Return the elements of a row that nGPT gives the length √row; 0: none. */
static guint32
get_row (const NsPlan *plan)
{
  return plan->variant->ngpt ? (guint32) plan->C : 0;
}

/* out [n] = std·(elements first .. first + n − 1 of a stream of normal weights) */
static void
fill_normal (const NsPass *pass, guint32 stream, double std, guint64 first, gsize n, float *out)
{
  float factor = (float) std;

  ns_random_fill ((NsRandomKey){ pass->seed, 0, stream, pass->plan.truncate, get_row (&pass->plan) },
                  NS_DISTRIBUTION_NORMAL, first, n, out);
  for (gsize i = 0; i < n; i++)
    out[i] *= factor;
}

/* Read a row [C] of a table from the variant's file; FALSE if it is computed or drawn. */
static gboolean
read_row (const NsPass *pass, guint table, gint64 part, gsize row, float *out)
{
  const NsPlan *plan = &pass->plan;
  const NsWeightSource *source = plan->variant->source;

  return source != NULL && source->row (source, table, ns_experiment_get_part (plan->experiment, part), row, out);
}

/* row [C] = scale·E[id] of the table of the part */
static void
get_scaled_embedding (const NsPass *pass, double scale, gint64 part, gsize id, float *row)
{
  const NsPlan *plan = &pass->plan;
  NsTable table = ns_plan_get_embedding (plan, part);

  if (read_row (pass, table, part, id, row))
    for (gsize c = 0; c < plan->C; c++)
      row[c] *= (float) scale;
  else
    fill_normal (pass, table == NS_TABLE_EMBEDDING ? NS_STREAM_EMBEDDING : NS_STREAM_ENCODER_EMBEDDING,
                 scale * ns_plan_get_embed_std (plan), (guint64) id * plan->C, plan->C, row);
}

void
ns_pass_get_embedding (const NsPass *pass, float *row, gint64 part, gsize id)
{
  get_scaled_embedding (pass, 1, part, id, row);
}

void
ns_pass_get_position (const NsPass *pass, float *row, gint64 part, gsize t)
{
  const NsPlan *plan = &pass->plan;

  if (read_row (pass, NS_TABLE_POSITION, part, t, row))
    return;
  if (plan->experiment->data.positions == NS_POSITIONS_SINUSOIDAL)
    fill_sinusoidal (plan, row, t);
  else
    fill_normal (pass, NS_STREAM_POSITION, plan->experiment->data.embed_std, t * plan->C, plan->C, row);
}

void
ns_pass_get_token_type (const NsPass *pass, float *row, gint64 part, gsize segment)
{
  if (!read_row (pass, NS_TABLE_TOKEN_TYPE, part, segment, row))
    fill_normal (pass, NS_STREAM_TOKEN_TYPE, pass->plan.experiment->data.embed_std, segment * pass->plan.C,
                 pass->plan.C, row);
}

/* x += P_t, [C] */
static void
add_position (const NsPass *pass, float *x, gint64 part, gsize t)
{
  const NsPlan *plan = &pass->plan;
  float *position = (float *) pass->work->features; /* [C] doubles hold [C] floats */

  if (plan->experiment->data.positions == NS_POSITIONS_NONE)
    return;
  ns_pass_get_position (pass, position, part, t);
  for (gsize c = 0; c < plan->C; c++)
    x[c] += position[c];
}

/* x += S_s, [C]: the token type of segment s = ⌊t·n/T⌋. */
static void
add_token_type (const NsPass *pass, float *x, gint64 part, gsize t)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  gsize segment = t * (gsize) data->token_types / plan->T;
  float *type = (float *) pass->work->features; /* [C] */

  if (data->token_types == 0)
    return;
  ns_pass_get_token_type (pass, type, part, segment);
  for (gsize c = 0; c < plan->C; c++)
    x[c] += type[c];
}

/* x_n = s·E[id_n] + P_t + S_segment for each token n, t = n mod T. ids [N], x [N, C]. Rows of E are drawn as needed. */
static void
embed (const NsPass *pass, float *x, gint64 part, const gint32 *ids)
{
  const NsPlan *plan = &pass->plan;
  double scale = ns_plan_get_embed_scale (plan);

  for (gsize n = 0; n < plan->N && !ns_progress_is_cancelled (pass->work->linear.progress); n++, x += plan->C)
    {
      get_scaled_embedding (pass, scale, part, (gsize) ids[n], x);
      add_position (pass, x, part, n % plan->T);
      add_token_type (pass, x, part, n % plan->T);
    }
}

/* Turn independent normal numbers into embedded images: x_n = s·x_n + P_t, with a class token c for s·x_n at t = 0.
 * x [N, C]. */
static void
embed_image (const NsPass *pass, float *x)
{
  const NsPlan *plan = &pass->plan;
  const NsData *data = &plan->experiment->data;
  double std = data->class_token == NS_CLASS_TOKEN_NORMAL ? data->embed_std : 0;
  float scale = (float) ns_plan_get_embed_scale (plan);

  for (gsize n = 0; n < plan->N && !ns_progress_is_cancelled (pass->work->linear.progress); n++, x += plan->C)
    {
      if (data->class_token != NS_CLASS_TOKEN_NONE && n % plan->T == 0)
        {
          if (!read_row (pass, NS_TABLE_CLASS_TOKEN, 0, 0, x))
            fill_normal (pass, NS_STREAM_CLASS_TOKEN, std, 0, plan->C, x);
        }
      else
        for (gsize c = 0; c < plan->C; c++)
          x[c] *= scale;
      add_position (pass, x, 0, n % plan->T);
    }
}

/* Draw the pixels of an image, and what is added to its mapped patches, and map them into x [N, C]. */
static NsScaled
load_patches (NsPass *pass, ns_real *x)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsRandomKey key = { pass->seed, 0, NS_STREAM_INPUT, 0, 0 };
  gboolean has_class_token = plan->experiment->data.class_token != NS_CLASS_TOKEN_NONE;
  gsize size = plan->N * plan->C;

  for (gsize n = 0; n < plan->N && !ns_progress_is_cancelled (w->linear.progress); n++)
    for (gsize i = 0, piece; i < plan->P; i += piece)
      {
        piece = MIN (size, plan->P - i);
        ns_random_fill (key, NS_DISTRIBUTION_NORMAL, n * plan->P + i, piece, w->input);
        for (gsize k = 0; k < piece; k++)
          w->patch.pixels[n * plan->P + i + k] = has_class_token && n % plan->T == 0 ? 0 : w->input[k];
      }
  memset (w->input, 0, size * sizeof *w->input);
  embed_image (pass, w->input);
  for (gsize i = 0; i < size; i++)
    w->patch.added[i] = w->input[i];
  return ns_patch_forward (pass, x);
}

/* Draw the input of a part into work->x [N, C]. */
static void
load_stream (NsPass *pass, gint64 part)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  NsScaled *x = &w->x[ns_plan_get_input (plan, part)];
  gsize n = plan->N * plan->C;

  if (plan->P > 0 && part == 0)
    {
      *x = load_patches (pass, x->v);
      return;
    }
  if (plan->experiment->data.source == NS_SOURCE_GAUSSIAN)
    {
      NsRandomKey key = { pass->seed, 0, part == 0 ? NS_STREAM_INPUT : NS_STREAM_TARGET_INPUT, 0, get_row (plan) };

      for (gsize i = 0; i < n && !ns_progress_is_cancelled (w->linear.progress); i += NS_PIECE_ELEMENTS)
        ns_random_fill (key, NS_DISTRIBUTION_NORMAL, i, MIN (NS_PIECE_ELEMENTS, n - i), w->input + i);
      if (part == 0 && plan->experiment->data.class_token != NS_CLASS_TOKEN_NONE)
        embed_image (pass, w->input);
    }
  else
    {
      /* targets serve as scratch memory here */
      ns_batch_draw_ids (&w->batch, pass->seed, NS_BATCH_INITIAL, part, w->targets);
      embed (pass, w->input, part, w->targets);
    }
  if (plan->variant->ngpt && plan->experiment->data.source == NS_SOURCE_GAUSSIAN)
    for (gsize i = 0; i < n; i++) /* tokens of length 1 */
      w->input[i] /= (float) sqrt ((double) plan->C);
  for (gsize i = 0; i < n; i++)
    x->v[i] = w->input[i];
  x->exp2 = 0;
}

/* Draw the upstream gradient [N, C]: in each minibatch a Gaussian tensor of Frobenius norm 1, times 1/M, since the loss
 * is the mean over the minibatches. */
static void
load_upstream (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  NsWorkspace *w = pass->work;
  gsize n = plan->N / plan->M * plan->C;
  float *upstream = w->input;

  ns_random_fill ((NsRandomKey){ pass->seed, 0, NS_STREAM_UPSTREAM, 0, 0 }, NS_DISTRIBUTION_NORMAL, 0, plan->M * n,
                  upstream);
  for (gsize m = 0; m < plan->M; m++, upstream += n)
    {
      double norm2 = 0;

      for (gsize i = 0; i < n; i++)
        norm2 += (double) upstream[i] * upstream[i];
      for (gsize i = 0; i < n; i++)
        upstream[i] = (float) (upstream[i] / (sqrt (norm2) * (double) plan->M));
    }
}

void
ns_pass_load_input (NsPass *pass)
{
  const NsPlan *plan = &pass->plan;
  NsRandomKey ids = { pass->seed, 0, NS_STREAM_IDS, 0, 0 };
  gboolean is_gaussian = plan->experiment->data.source == NS_SOURCE_GAUSSIAN;

  if (pass->hooks != NULL && pass->hooks->input != NULL)
    {
      for (gint64 part = 0; part < plan->parts.n; part++)
        {
          NsScaled *x = &pass->work->x[ns_plan_get_input (plan, part)];

          x->exp2 = 0;
          pass->hooks->input (pass->hooks->data, part, x->v, pass->work->targets);
        }
      return;
    }
  if (!is_gaussian)
    ns_batch_source_init (&pass->work->batch, plan->experiment, pass->work->batch_memory);
  for (gint64 part = 0; part < plan->parts.n; part++)
    load_stream (pass, part);
  /* targets [N]: the token after each token of the last part; random ids for a Gaussian input */
  if (is_gaussian)
    {
      ns_random_ids (ids, 0, plan->N, (guint32) plan->V, pass->work->targets);
      for (gsize n = 0; n < plan->N && ns_experiment_has_class_token_loss (plan->experiment); n++)
        if (n % plan->T != 0)
          pass->work->targets[n] = NS_NO_TARGET;
    }
  else
    ns_batch_draw_targets (&pass->work->batch, pass->seed, NS_BATCH_INITIAL, pass->work->targets);
  if (plan->experiment->loss == NS_LOSS_UNIT_GRADIENT)
    load_upstream (pass);
}
