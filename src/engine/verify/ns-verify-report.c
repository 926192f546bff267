/* The report of the self-check, and the size of the checked experiment.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/verify/ns-verify-private.h"

#include <string.h>

static const struct
{
  const char *name;
  double tolerance;
} kinds[NS_N_VERIFY_KINDS] = {
  [NS_VERIFY_GRADIENT] = { "gradient", 1e-5 },
  [NS_VERIFY_NORM] = { "norm", 1e-9 },
  [NS_VERIFY_ADJOINT] = { "adjoint", 1e-6 },
};

const char *
ns_verify_kind_name (NsVerifyKind kind)
{
  return kinds[kind].name;
}

double
ns_verify_kind_tolerance (NsVerifyKind kind)
{
  return kinds[kind].tolerance;
}

/* ---- the report ---- */

NsVerifyReport *
ns_verify_report_new (const NsShape *shape)
{
  NsVerifyReport *report = g_new0 (NsVerifyReport, 1);

  report->shape = *shape;
  report->checks = g_array_new (FALSE, FALSE, sizeof (NsVerifyCheck));
  report->overflow = -1;
  return report;
}

void
ns_verify_report_free (NsVerifyReport *report)
{
  g_array_unref (report->checks);
  g_free (report);
}

double
ns_verify_report_get_error (const NsVerifyReport *report, NsVerifyKind kind)
{
  double worst = 0;

  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      if (check->kind == kind)
        worst = fmax (worst, check->error);
    }
  return worst;
}

static NsVerifyCheck *
find_check (NsVerifyReport *report, NsVerifyKind kind, const char *name)
{
  NsVerifyCheck added = { .kind = kind, .name = name, .error = -1, .passed = TRUE };

  for (guint i = 0; i < report->checks->len; i++)
    {
      NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      if (check->kind == kind && strcmp (check->name, name) == 0)
        return check;
    }
  g_array_append_val (report->checks, added);
  return &g_array_index (report->checks, NsVerifyCheck, report->checks->len - 1);
}

void
ns_verify_report_add (NsVerifyReport *report, NsVerifyKind kind, const char *name, gint64 site, double error,
                      gboolean undecided)
{
  NsVerifyCheck *check = find_check (report, kind, name);

  check->places++;
  if (undecided)
    {
      check->undecided++;
      error = 0;
    }
  else if (!(error <= kinds[kind].tolerance))
    check->passed = FALSE;
  if (error > check->error)
    {
      check->error = error;
      check->site = site;
    }
}

/* ---- the size ---- */

/* Return TRUE when a forward pass takes at most NS_VERIFY_MAX_OPERATIONS and, with ReLU, has at most
 * NS_VERIFY_MAX_KINKS kinks, among which differences find a step. */
static gboolean
is_moderate (const NsExperiment *one)
{
  const NsShape *s = &one->shape;
  double N = (double) one->sampling.batches * (double) s->batch * (double) s->seq_len;
  const NsExperts *experts = &ns_experiment_variant (one, 0)->experts;
  double passes = experts->count > 0 ? (double) (experts->per_token + experts->shared) : 1; /* through an FFN */
  double C = (double) s->d_model, F = passes * (double) s->d_ff;
  double A = (double) (s->heads * ns_shape_get_d_head (s)), L;
  double attention = 2 * N * 4 * C * A + 4 * N * (double) s->seq_len * A, block = 2 * N * 3 * C * F + attention;
  NsParts parts = ns_shape_get_parts (s);
  gboolean has_kinks = ns_experiment_variant (one, 0)->activation == NS_ACT_RELU;

  L = (double) ns_parts_count_blocks (&parts);
  if (parts.n == 2) /* a decoder block has two attentions */
    block += attention / 2;
  return L * block + 2 * N * C * (double) s->vocab <= NS_VERIFY_MAX_OPERATIONS
         && (!has_kinks || L * N * F <= NS_VERIFY_MAX_KINKS);
}

/* Halve the width of a head, or the number of heads once a head has one feature. */
static void
halve_width (NsShape *shape)
{
  gint64 d_head = ns_shape_get_d_head (shape);
  gboolean is_independent = shape->d_head > 0 && shape->heads * d_head != shape->d_model;

  if (d_head > 1)
    d_head /= 2;
  else if (shape->heads > 1)
    {
      shape->heads /= 2;
      if (shape->kv_heads > 0 && shape->heads % shape->kv_heads != 0)
        shape->kv_heads = 1;
    }
  shape->d_model = is_independent ? shape->d_model / 2 : shape->heads * d_head;
  if (shape->d_head > 0)
    shape->d_head = d_head;
}

/* Halve the dimension that exceeds its smallest useful size by the largest factor. Return FALSE when none can be
 * halved. */
static gboolean
shrink (NsExperiment *one)
{
  NsShape *shape = &one->shape;
  gboolean text = one->data.source == NS_SOURCE_TEXT;
  struct
  {
    gint64 *value;
    gint64 least; /* smallest useful size */
  } dims[] = {
    { &shape->depth, 4 },  { &shape->vocab, text ? shape->vocab : 64 }, { &shape->batch, 1 },
    { &shape->d_ff, 64 },  { &shape->d_model, 32 },                     { &shape->seq_len, 8 },
    { &one->sampling.batches, 2 }, { &shape->decoder_depth, 4 },
  };
  gsize farthest = 0;

  for (gsize i = 1; i < G_N_ELEMENTS (dims); i++)
    if (*dims[i].value * dims[farthest].least > *dims[farthest].value * dims[i].least)
      farthest = i;
  if (*dims[farthest].value < 2 * dims[farthest].least)
    return FALSE;
  if (dims[farthest].value == &shape->d_model)
    halve_width (shape);
  else
    *dims[farthest].value /= 2;
  shape->encoder_vocab = MIN (shape->encoder_vocab, shape->vocab);
  return TRUE;
}

NsExperiment *
ns_verify_dup_experiment (const NsExperiment *experiment, guint variant)
{
  NsExperiment *one = ns_experiment_copy (experiment);

  g_ptr_array_set_size (one->variants, 0);
  g_ptr_array_add (one->variants, ns_variant_copy (ns_experiment_variant (experiment, variant)));
  one->sampling.seeds = 1;
  while (!is_moderate (one) && shrink (one))
    ;
  return one;
}
