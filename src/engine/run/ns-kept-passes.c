/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/run/ns-kept-passes.h"

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-memory.h"
#include "engine/ops/ns-progress.h"
#include "engine/pass/ns-activations.h"
#include "engine/pass/ns-pass-parameters.h"

#include <string.h>

typedef struct
{
  NsQuantity quantity;
  NsGradientEstimate estimate;
  gint64 site;
  double value, log10_value;
} Record;

struct _NsKeptPass
{
  NsExperiment *experiment; /* with the pass's variant alone */
  guint64 seed;
  NsQuantitySet measured;
  NsActivations activations;
  GArray *records;          /* Record, of the sites in turn */
  GArray *ends;             /* guint, [sites whose values are valid] the number of records up to there */
  gint64 n_common;          /* blocks that the coming pass has in common with the last one */
  gboolean is_used;         /* by the coming run */
};

struct _NsKeptPasses
{
  guint64 budget;
  GPtrArray *passes; /* NsKeptPass, owned */
};

/* ---- what two passes have in common ---- */

/* Return a copy of the experiment with one of its variants. */
static NsExperiment *
dup_one (const NsExperiment *experiment, guint variant)
{
  NsExperiment *one = ns_experiment_copy (experiment);

  g_ptr_array_set_size (one->variants, 0);
  g_ptr_array_add (one->variants, ns_variant_copy (ns_experiment_variant (experiment, variant)));
  return one;
}

/* Return TRUE if the shared settings differ at most in depth and in what does not change a pass. */
static gboolean
have_same_settings (const NsExperiment *a, const NsExperiment *b)
{
  NsExperiment same = *a;

  same.shape.depth = b->shape.depth;
  return ns_experiment_shares_pass (&same, b);
}

/* Return TRUE if the variants differ at most in name, in the norm at the end and in which blocks have which norms. */
static gboolean
have_same_blocks (const NsVariant *a, const NsVariant *b)
{
  NsVariant same = *a;

  same.final_norm = b->final_norm;
  if (a->residual_scale.rule != NS_RESIDUAL_SCALE_KEEL) /* whose first block depends on both */
    {
      same.post_fraction = b->post_fraction;
      same.first_block_pre = b->first_block_pre;
    }
  return ns_variant_has_same_pass (&same, b);
}

/* Return how many of the first blocks compute the same in both: in a, which has one variant, and in a variant of b. */
static gint64
count_common (const NsExperiment *a, const NsExperiment *b, guint variant)
{
  const NsVariant *v = ns_experiment_variant (a, 0), *u = ns_experiment_variant (b, variant);
  gint64 L = a->shape.depth, M = b->shape.depth, block;

  /* r of a dual residual is one array for all blocks */
  if (!have_same_settings (a, b) || !have_same_blocks (v, u) || v->dual_residual
      || (L != M && ns_variant_scales_with_depth (v)))
    return 0;
  for (block = 1; block <= MIN (L, M); block++)
    if (ns_variant_get_placement (v, NS_SUB_ATTN, block, L) != ns_variant_get_placement (u, NS_SUB_ATTN, block, M)
        || ns_variant_get_placement (v, NS_SUB_FFN, block, L) != ns_variant_get_placement (u, NS_SUB_FFN, block, M))
      break;
  return block - 1;
}

/* Return how many of the kept blocks a pass can go on from. The last block runs again in any case, since the quantities
 * that compare it with all others are measured there. */
static gint64
count_usable (const NsKeptPass *self, const NsExperiment *experiment, guint variant, const NsQuantitySet *measured)
{
  for (gsize i = 0; i < G_N_ELEMENTS (measured->words); i++)
    if ((measured->words[i] & ~self->measured.words[i]) != 0)
      return 0;
  return MIN (MIN (count_common (self->experiment, experiment, variant), (gint64) self->ends->len - 1),
              experiment->shape.depth - 1);
}

/* ---- a pass ---- */

static void
kept_pass_free (gpointer data)
{
  NsKeptPass *self = data;

  ns_experiment_free (self->experiment);
  ns_activations_clear (&self->activations);
  g_array_unref (self->records);
  g_array_unref (self->ends);
  g_free (self);
}

static NsKeptPass *
kept_pass_new (guint64 seed)
{
  NsKeptPass *self = g_new0 (NsKeptPass, 1);

  self->seed = seed;
  self->records = g_array_new (FALSE, FALSE, sizeof (Record));
  self->ends = g_array_new (FALSE, FALSE, sizeof (guint));
  return self;
}

/* Return the bytes of all that a forward pass can record: each quantity once at each site. */
static guint64
get_record_bytes (const NsExperiment *experiment)
{
  return (guint64) (experiment->shape.depth + 1) * NS_N_QUANTITIES * sizeof (Record);
}

/* Make room for what a pass can record: an array that grew during the pass would end the program where the system
 * refuses memory. */
static gboolean
reserve_records (GArray *records, const NsExperiment *experiment)
{
  guint64 bytes = get_record_bytes (experiment);
  guint n = records->len;

  if (!ns_memory_has_room (2 * bytes)) /* the size is rounded up to a power of two */
    return FALSE;
  g_array_set_size (records, MAX (n, (guint) (bytes / sizeof (Record))));
  g_array_set_size (records, n);
  return TRUE;
}

/* Prepare for a pass of that variant, which has n_common blocks in common. FALSE when the system gives no memory. */
static gboolean
kept_pass_prepare (NsKeptPass *self, const NsExperiment *experiment, guint variant, gint64 n_common,
                   const NsQuantitySet *measured)
{
  gint64 n_sites = n_common > 0 ? n_common + 1 : 0;

  ns_experiment_free (self->experiment);
  self->experiment = dup_one (experiment, variant);
  self->measured = *measured;
  self->n_common = n_common;
  g_array_set_size (self->ends, (guint) n_sites);
  g_array_set_size (self->records, n_sites > 0 ? g_array_index (self->ends, guint, n_common) : 0);
  return reserve_records (self->records, experiment)
         && ns_activations_resize (&self->activations, self->experiment, n_sites);
}

gint64
ns_kept_pass_get_n_common (const NsKeptPass *self)
{
  return self->n_common;
}

/* The sink of a forward pass, which keeps what it hands on. */
typedef struct
{
  NsSink next;
  GArray *records;
} Tee;

static void
tee_record (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
            double log10_value)
{
  Tee *tee = data;
  Record record = { quantity, estimate, site, value, log10_value };

  if (quantity != NS_Q_COS_X_LAST) /* of all blocks; it changes with the last one */
    g_array_append_val (tee->records, record);
  tee->next.record (tee->next.data, quantity, estimate, site, value, log10_value);
}

static void
tee_overflow (gpointer data, gint64 site)
{
  Tee *tee = data;

  tee->next.overflow (tee->next.data, site);
}

/* Run one site and keep what it records. */
static NsPassState
run_site (NsKeptPass *self, NsPass *pass, gint64 site, NsProgress *progress)
{
  Tee tee = { pass->sink, self->records };
  NsPassState state;

  pass->sink.record = tee_record;
  pass->sink.overflow = tee.next.overflow != NULL ? tee_overflow : NULL;
  pass->sink.data = &tee;
  state = ns_pass_forward (pass, site, site, progress);
  pass->sink = tee.next;
  if (state == NS_PASS_DONE)
    g_array_append_val (self->ends, self->records->len);
  return state;
}

/* Record the quantities of the common blocks again. */
static void
replay (const NsKeptPass *self, NsPass *pass)
{
  for (guint i = g_array_index (self->ends, guint, 0); i < self->records->len; i++)
    {
      const Record *r = &g_array_index (self->records, Record, i);

      if (ns_pass_wants (pass, r->quantity))
        pass->sink.record (pass->sink.data, r->quantity, r->estimate, r->site, r->value, r->log10_value);
    }
}

NsPassState
ns_kept_pass_forward (NsKeptPass *self, NsPass *pass, NsProgress *progress)
{
  gint64 site = 0, last = ns_plan_get_head_site (&pass->plan) - 1;
  NsPassState state = NS_PASS_DONE;

  ns_workspace_use (pass->work, &self->activations);
  if (self->n_common > 0)
    {
      /* the input has targets, too, which belong to the workspace */
      state = ns_pass_forward (pass, 0, 0, progress);
      replay (self, pass);
      ns_progress_skip (progress, (guint64) self->n_common);
      site = self->n_common + 1;
    }
  while (site <= last && state == NS_PASS_DONE)
    state = run_site (self, pass, site++, progress);
  return state;
}

/* ---- all passes ---- */

NsKeptPasses *
ns_kept_passes_new (guint64 budget)
{
  NsKeptPasses *self = g_new0 (NsKeptPasses, 1);

  self->budget = budget;
  self->passes = g_ptr_array_new_with_free_func (kept_pass_free);
  return self;
}

void
ns_kept_passes_free (NsKeptPasses *self)
{
  g_ptr_array_unref (self->passes);
  g_free (self);
}

void
ns_kept_passes_clear (NsKeptPasses *self)
{
  g_ptr_array_set_size (self->passes, 0);
}

/* Return how many passes of the experiment fit the budget: all variants of the first seed, then those of the next. */
static guint64
count_fitting_passes (const NsKeptPasses *self, const NsExperiment *experiment)
{
  guint64 n_variants = experiment->variants->len, n = (guint64) experiment->sampling.seeds * n_variants;
  guint64 left = self->budget, fitting = 0;
  g_autofree guint64 *bytes = g_new (guint64, n_variants);

  if (experiment->shape.stack == NS_STACK_ENCODER_DECODER)
    return 0;
  for (guint v = 0; v < n_variants; v++)
    {
      g_autoptr (NsExperiment) one = dup_one (experiment, v);

      bytes[v] = MIN (ns_activations_get_bytes (one), G_MAXUINT64 / 2) + get_record_bytes (one);
    }
  while (fitting < n && bytes[fitting % n_variants] <= left)
    left -= bytes[fitting++ % n_variants];
  return fitting;
}

/* Drop the passes that share no block with those of the experiment that fit. */
static void
drop_others (NsKeptPasses *self, const NsExperiment *experiment, guint64 n_fitting)
{
  guint64 first = (guint64) experiment->sampling.seed, n_variants = experiment->variants->len;

  for (guint i = self->passes->len; i-- > 0;)
    {
      const NsKeptPass *pass = g_ptr_array_index (self->passes, i);
      gboolean is_needed = FALSE;

      for (guint v = 0; v < n_variants && pass->seed >= first && !is_needed; v++)
        is_needed = (pass->seed - first) * n_variants + v < n_fitting
                    && count_common (pass->experiment, experiment, v) > 0;
      if (!is_needed)
        g_ptr_array_remove_index_fast (self->passes, i);
    }
}

/* Return the pass that has the most blocks in common with that of a variant and seed, or a new one. */
static NsKeptPass *
take (NsKeptPasses *self, const NsExperiment *experiment, guint variant, guint64 seed, const NsQuantitySet *measured)
{
  NsKeptPass *best = NULL;
  gint64 most = 0;

  for (guint i = 0; i < self->passes->len; i++)
    {
      NsKeptPass *pass = g_ptr_array_index (self->passes, i);
      gint64 n = pass->seed == seed && !pass->is_used ? count_usable (pass, experiment, variant, measured) : 0;

      if (n > most)
        {
          best = pass;
          most = n;
        }
    }
  if (best == NULL)
    g_ptr_array_add (self->passes, best = kept_pass_new (seed));
  if (!kept_pass_prepare (best, experiment, variant, most, measured))
    {
      g_ptr_array_remove_fast (self->passes, best);
      return NULL;
    }
  best->is_used = TRUE;
  return best;
}

NsKeptPass **
ns_kept_passes_begin (NsKeptPasses *self, const NsExperiment *experiment, guint first_seed, guint n_seeds,
                      const NsQuantitySet *measured)
{
  guint n_variants = experiment->variants->len;
  NsKeptPass **passes = g_new0 (NsKeptPass *, (gsize) n_seeds * n_variants);
  guint64 n_fitting = count_fitting_passes (self, experiment);

  drop_others (self, experiment, n_fitting);
  for (guint i = 0; i < self->passes->len; i++)
    ((NsKeptPass *) g_ptr_array_index (self->passes, i))->is_used = FALSE;
  for (guint i = 0; i < n_seeds * n_variants; i++)
    if ((guint64) first_seed * n_variants + i < n_fitting)
      passes[i] = take (self, experiment, i % n_variants,
                        (guint64) experiment->sampling.seed + first_seed + i / n_variants, measured);
  return passes;
}
