/* A result as JSON.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-json.h"

#include "document/ns-provenance.h"
#include "document/ns-result-csv.h"
#include "document/ns-result-room.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-sub-layers.h"
#include "engine/run/ns-engine.h"

#include <math.h>

#define NUMBER_BYTES 256 /* of a number, or of its statistics, with keys and blanks */

typedef struct
{
  NsJsonWriter writer;
  const NsResult *result;
  gboolean per_seed;
} ResultJson;

/* Write a list with one number for each seed; `log10` selects the logarithms. */
static void
write_result_seeds (ResultJson *target, const char *key, guint variant, NsQuantity quantity,
                    NsGradientEstimate estimate, gint64 site, gboolean log10)
{
  ns_json_open (&target->writer, key, '[');
  for (guint s = 0; s < ns_result_get_n_seeds (target->result); s++)
    {
      double value = NAN, log10_value = NAN;

      ns_result_get_value_of (target->result, variant, quantity, estimate, site, s, &value, &log10_value);
      ns_json_number (&target->writer, NULL, log10 ? log10_value : value);
    }
  ns_json_close (&target->writer, ']');
}

/* Write the members of one estimate. */
static void
write_numbers (ResultJson *target, guint variant, NsQuantity quantity, NsGradientEstimate estimate, gint64 site)
{
  gboolean has_log10 = ns_quantity_has_log10 (quantity);
  NsStat stat;

  ns_result_get_stat_of (target->result, variant, quantity, estimate, site, &stat);
  ns_json_statistics (&target->writer, &stat, has_log10);
  if (target->per_seed)
    write_result_seeds (target, "seeds", variant, quantity, estimate, site, FALSE);
  if (target->per_seed && has_log10)
    write_result_seeds (target, "log10_seeds", variant, quantity, estimate, site, TRUE);
}

/* Write the selected estimate and, for several minibatches, all estimates by name. */
static void
write_stat (ResultJson *target, guint variant, NsQuantity quantity, gint64 site)
{
  const NsExperiment *experiment = ns_result_get_experiment (target->result);
  const char *name = ns_quantity_info (quantity)->name;

  if (!ns_quantity_exists (quantity, experiment, variant, site))
    {
      ns_json_string (&target->writer, name, NULL);
      return;
    }
  ns_json_open_compact (&target->writer, name, '{');
  write_numbers (target, variant, quantity, (NsGradientEstimate) experiment->sampling.estimate, site);
  if (ns_result_has_estimates (target->result, quantity))
    {
      ns_json_open_compact (&target->writer, "estimates", '{');
      for (int e = 0; e < NS_N_ESTIMATES; e++)
        {
          ns_json_open_compact (&target->writer, ns_gradient_estimate_get_name ((NsGradientEstimate) e), '{');
          write_numbers (target, variant, quantity, (NsGradientEstimate) e, site);
          ns_json_close (&target->writer, '}');
        }
      ns_json_close (&target->writer, '}');
    }
  ns_json_close (&target->writer, '}');
}

/* Write the gradient norms of the variant's parameters at the site. */
static void
write_grad (ResultJson *target, guint variant, gint64 site)
{
  ns_json_open (&target->writer, "grad", '{');
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_is_of_parameters (q)
        && ns_quantity_exists (q, ns_result_get_experiment (target->result), variant, site))
      write_stat (target, variant, q, site);
  ns_json_close (&target->writer, '}');
}

static void
write_result_overflow (ResultJson *target, guint variant)
{
  const NsExperiment *experiment = ns_result_get_experiment (target->result);
  guint seed;
  gint64 site = ns_result_get_first_overflow (target->result, variant, &seed), layer;
  const char *place;

  if (site == 0)
    {
      ns_json_string (&target->writer, "overflow", NULL);
      return;
    }
  place = ns_site_get_place (experiment, site, &layer);
  ns_json_open_compact (&target->writer, "overflow", '{');
  ns_json_integer (&target->writer, "seed",
                   experiment->sampling.seed + ns_result_get_first_seed (target->result) + seed);
  ns_json_integer (&target->writer, "layer", layer);
  if (ns_experiment_get_n_parts (experiment) > 1)
    ns_json_string (&target->writer, "part", place);
  ns_json_close (&target->writer, '}');
}

static gboolean
has_parameters (const NsExperiment *experiment, guint variant, gint64 site)
{
  for (NsTensor t = 0; t < NS_N_TENSORS; t++)
    if (ns_tensor_exists (t, experiment, variant, site))
      return TRUE;
  return FALSE;
}

/* Write the input of a stack, x_0 or y_0. */
static void
write_input (ResultJson *target, guint variant, const char *key, gint64 site)
{
  const NsExperiment *experiment = ns_result_get_experiment (target->result);

  ns_json_open (&target->writer, key, '{');
  if (has_parameters (experiment, variant, site))
    write_grad (target, variant, site);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_result_has (target->result, q)
        && (ns_quantity_info (q)->sites == NS_SITES_STREAM || ns_quantity_info (q)->sites == NS_SITES_INPUTS))
      write_stat (target, variant, q, site);
  ns_json_close (&target->writer, '}');
}

/* Return TRUE if the block has a member for the quantity. It is null if the variant lacks the quantity; quantities of a
 * decoder, those of separate additions or residuals, and those of one of the two sub-layers, are left out in other
 * blocks. */
static gboolean
belongs_to_block (NsQuantity quantity, const NsExperiment *experiment, guint variant, gint64 site)
{
  switch (ns_quantity_info (quantity)->sites)
    {
    case NS_SITES_STREAM:
      return TRUE;
    case NS_SITES_BLOCKS:
      return ns_variant_has_sub_of (ns_experiment_variant (experiment, variant), quantity,
                                    ns_site_get_part (experiment, site));
    case NS_SITES_SEQUENTIAL_BLOCKS:
    case NS_SITES_DECODER_BLOCKS:
    case NS_SITES_EXPERT_BLOCKS:
    case NS_SITES_ATTN_RESIDUALS:
    case NS_SITES_CROSS_RESIDUALS:
    case NS_SITES_FFN_RESIDUALS:
      return ns_quantity_exists (quantity, experiment, variant, site);
    default:
      return FALSE;
    }
}

static void
write_block (ResultJson *target, guint variant, gint64 site)
{
  const NsExperiment *experiment = ns_result_get_experiment (target->result);
  gint64 layer;
  const char *part = ns_site_get_place (experiment, site, &layer);

  ns_json_open (&target->writer, NULL, '{');
  ns_json_integer (&target->writer, "layer", layer);
  ns_json_string (&target->writer, "part", part);
  write_grad (target, variant, site);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (!ns_quantity_is_of_parameters (q) && ns_result_has (target->result, q)
        && belongs_to_block (q, experiment, variant, site))
      write_stat (target, variant, q, site);
  ns_json_close (&target->writer, '}');
}

static void
write_result_variant (ResultJson *target, guint variant)
{
  const NsExperiment *experiment = ns_result_get_experiment (target->result);
  gint64 head = ns_experiment_get_head_site (experiment);

  ns_json_open (&target->writer, NULL, '{');
  ns_json_string (&target->writer, "name", ns_experiment_variant (experiment, variant)->name);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_result_has (target->result, q)
        && (ns_quantity_info (q)->sites == NS_SITES_HEAD || ns_quantity_info (q)->sites == NS_SITES_OUTPUT))
      write_stat (target, variant, q, head);
  write_result_overflow (target, variant);

  write_input (target, variant, "input", 0);
  if (ns_experiment_get_n_parts (experiment) > 1)
    write_input (target, variant, "decoder_input", ns_experiment_get_site (experiment, NS_PART_DECODER, 0));
  ns_json_open (&target->writer, "layers", '[');
  for (gint64 site = 1; site < head; site++)
    if (ns_site_get_layer (experiment, site) > 0)
      write_block (target, variant, site);
  ns_json_close (&target->writer, ']');

  ns_json_open (&target->writer, "head", '{');
  write_grad (target, variant, head);
  ns_json_close (&target->writer, '}');
  ns_json_close (&target->writer, '}');
}

GBytes *
ns_result_to_json (const NsResult *result, gboolean per_seed, const char *verified)
{
  g_autoptr (NsExperiment) experiment = NULL;
  ResultJson target = { .result = result, .per_seed = per_seed };
  NsJsonWriter *writer = &target.writer;

  if (!ns_result_has_room (result, per_seed, NUMBER_BYTES))
    return NULL;
  experiment = ns_provenance_dup_experiment (result);
  ns_json_writer_init (writer);
  ns_json_open (writer, NULL, '{');
  ns_provenance_write (writer, NS_RESULT_FORMAT, NS_RESULT_VERSION, experiment);
  if (verified != NULL)
    ns_json_raw (writer, "verified", verified);
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    write_result_variant (&target, v);
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
  return ns_json_writer_finish (writer);
}
