/* A result as JSON.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-result-json.h"

#include "config.h"
#include "document/ns-experiment-write.h"

/* The one part of a single stack. */
#define PART "stack"

static void
write_stat (NsJsonWriter *writer, const NsResult *result, guint variant, NsQuantity quantity, gint64 site)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  NsStat stat;

  if (!ns_result_get_stat (result, variant, quantity, site, &stat))
    {
      ns_json_string (writer, info->name, NULL);
      return;
    }
  ns_json_open_compact (writer, info->name, '{');
  ns_json_number (writer, "mean", stat.mean);
  ns_json_number (writer, "std", stat.std);
  if (info->kind == NS_KIND_GRADIENT || info->kind == NS_KIND_ACTIVATION)
    ns_json_number (writer, "log10_mean", stat.log10_mean);
  ns_json_close (writer, '}');
}

/* The gradient norms of parameters that the variant has at the site. */
static void
write_grad (NsJsonWriter *writer, const NsResult *result, guint variant, gint64 site)
{
  ns_json_open (writer, "grad", '{');
  for (guint q = 0; q <= NS_Q_BLOCK; q++)
    if (ns_quantity_exists ((NsQuantity) q, ns_result_get_experiment (result), variant, site))
      write_stat (writer, result, variant, (NsQuantity) q, site);
  ns_json_close (writer, '}');
}

static void
write_overflow (NsJsonWriter *writer, const NsResult *result, guint variant)
{
  guint seed;
  gint64 block = ns_result_get_first_overflow (result, variant, &seed);

  if (block == 0)
    {
      ns_json_string (writer, "overflow", NULL);
      return;
    }
  ns_json_open_compact (writer, "overflow", '{');
  ns_json_integer (writer, "seed",
                   ns_result_get_experiment (result)->sampling.seed + ns_result_get_first_seed (result) + seed);
  ns_json_integer (writer, "layer", block);
  ns_json_close (writer, '}');
}

static void
write_variant (NsJsonWriter *writer, const NsResult *result, guint variant)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);
  gint64 depth = experiment->shape.depth;

  ns_json_open (writer, NULL, '{');
  ns_json_string (writer, "name", ns_experiment_variant (experiment, variant)->name);
  write_stat (writer, result, variant, NS_Q_LOSS, depth + 1);
  write_overflow (writer, result, variant);

  ns_json_open (writer, "input", '{');
  write_stat (writer, result, variant, NS_Q_GRAD_X, 0);
  write_stat (writer, result, variant, NS_Q_RMS_X, 0);
  write_stat (writer, result, variant, NS_Q_TOKEN_COS, 0);
  ns_json_close (writer, '}');

  ns_json_open (writer, "layers", '[');
  for (gint64 block = 1; block <= depth; block++)
    {
      ns_json_open (writer, NULL, '{');
      ns_json_integer (writer, "layer", block);
      ns_json_string (writer, "part", PART);
      write_grad (writer, result, variant, block);
      for (guint q = NS_Q_GRAD_X; q <= NS_Q_TOKEN_COS; q++)
        write_stat (writer, result, variant, (NsQuantity) q, block);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');

  ns_json_open (writer, "head", '{');
  write_grad (writer, result, variant, depth + 1);
  ns_json_close (writer, '}');
  ns_json_close (writer, '}');
}

GBytes *
ns_result_to_json (const NsResult *result)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_copy (ns_result_get_experiment (result));
  NsJsonWriter writer;

  experiment->sampling.seed += ns_result_get_first_seed (result);
  experiment->sampling.seeds = ns_result_get_n_seeds (result);

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_json_string (&writer, "format", NS_RESULT_FORMAT);
  ns_json_integer (&writer, "version", NS_RESULT_VERSION);
  ns_experiment_write (&writer, "experiment", experiment);
  ns_json_string (&writer, "generator", "normscope " PACKAGE_VERSION);
  ns_json_open (&writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    write_variant (&writer, result, v);
  ns_json_close (&writer, ']');
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}
