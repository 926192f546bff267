/* Predictions for the activations and the token similarity of the flow figure.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Return TRUE for a Pre-LN stack with unscaled residual sums, which Lemma 2 of Xiong et al. 2020 assumes. */
static gboolean
meets_lemma_2 (const NsExperiment *experiment, guint index)
{
  const NsVariant *variant = ns_experiment_variant (experiment, index);
  gint64 depth = experiment->shape.depth;

  return ns_variant_get_placement (variant, NS_SUB_ATTN, 1, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_FFN, 1, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_ATTN, depth, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_FFN, depth, depth) == NS_PLACE_PRE
         && !ns_variant_lacks_residual (experiment, index) && ns_variant_get_alpha (variant, NS_PART_STACK, depth) == 1
         && ns_variant_get_branch_scale (variant, depth) == 1 && variant->norm_scale == NS_NORM_SCALE_NONE;
}

/* Fill low, high [n] with the bounds 1 + l/2 <= rms(x_l)² <= 1 + 3l/2, in axis units. */
static void
fill_lemma_2 (double *low, double *high, gsize n, gboolean is_log)
{
  for (gsize l = 0; l < n; l++)
    {
      low[l] = sqrt (1 + 0.5 * (double) l);
      high[l] = sqrt (1 + 1.5 * (double) l);
      low[l] = is_log ? log10 (low[l]) : low[l];
      high[l] = is_log ? log10 (high[l]) : high[l];
    }
}

static void
add_series (NsPanel *panel, const NsFlowOptions *options, guint variant, const char *name, gsize n, const double *y,
            const double *low, const double *high)
{
  int style = ns_variant_get_style (options->styles, variant);
  g_autofree double *x = g_new (double, n);
  NsSeries *series;

  for (gsize l = 0; l < n; l++)
    x[l] = (double) l;
  series = ns_panel_add_series (panel, name, NS_SERIES_LINE, style, n, x, y, low, high, NULL);
  series->role = NS_ROLE_REFERENCE;
  ns_series_set_variant_color (series, options->colors, options->has_color, variant);
}

static void
add_variant (const NsExperiment *experiment, const NsFlowOptions *options, guint variant, NsPanel *activations,
             NsPanel *similarity)
{
  gboolean is_log = activations->scale == NS_AXIS_LOG10;
  gint64 depth = experiment->shape.depth;
  gsize n = (gsize) depth + 1;
  g_autofree double *rms_x = g_new (double, n);
  g_autofree double *token_cos = g_new (double, n);
  g_autofree double *low = g_new (double, n);
  g_autofree double *high = g_new (double, n);
  gboolean has_lemma = meets_lemma_2 (experiment, variant);

  ns_mean_field_predict (experiment, variant, rms_x, token_cos);
  for (gsize l = 0; l < n && is_log; l++)
    rms_x[l] = log10 (rms_x[l]);
  fill_lemma_2 (low, high, n, is_log);
  if (options->activation == NS_Q_RMS_X)
    add_series (activations, options, variant,
                /* Translators: the name of a dashed line; Lemma 2 of Xiong et al. is a band around it */
                has_lemma ? _("mean field; Lemma 2") : _("mean field"), n, rms_x, has_lemma ? low : NULL,
                has_lemma ? high : NULL);
  if (similarity != NULL && ns_quantity_exists (NS_Q_TOKEN_COS, experiment, variant, depth))
    add_series (similarity, options, variant, _("mean field"), n, token_cos, NULL, NULL);
}

void
ns_flow_add_predictions (const NsResult *result, const NsFlowOptions *options, NsPanel *activations,
                         NsPanel *similarity)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_flow_is_visible (options, v) && ns_mean_field_holds (experiment, v))
      add_variant (experiment, options, v, activations, similarity);
}

/* ---- why there is none ---- */

/* Return "FFN width 512, Attention: Full": the settings that the theory does not cover. */
static char *
dup_missed (const NsExperiment *experiment, guint variant, const char *const *missed)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; missed[i] != NULL; i++)
    {
      const NsParam *param = ns_param_find (missed[i]);
      gconstpointer own = ns_experiment_variant (experiment, variant);
      g_autofree char *text = ns_param_dup_text (param, param->section == NS_SECTION_VARIANT ? own : experiment);
      g_autofree char *value = ns_param_dup_value_words (param, text);
      g_autofree char *phrase = ns_param_dup_phrase (param, value);

      /* Translators: between the settings of a list */
      g_string_append_printf (list, "%s%s", i > 0 ? _(", ") : "", phrase);
    }
  return g_string_free (list, FALSE);
}

char *
ns_flow_dup_no_prediction (const NsExperiment *experiment, const NsFlowOptions *options)
{
  g_autofree const char **fewest = NULL;
  g_autofree char *list = NULL;
  guint closest = 0;

  g_return_val_if_fail (experiment != NULL && options != NULL, NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree const char **missed = NULL;

      if (!ns_flow_is_visible (options, v))
        continue;
      missed = ns_mean_field_list_missed (experiment, v);
      if (fewest != NULL && g_strv_length ((char **) missed) >= g_strv_length ((char **) fewest))
        continue;
      g_free (fewest);
      fewest = g_steal_pointer (&missed);
      closest = v;
    }
  if (fewest == NULL)
    return g_strdup (_("Every variant is hidden"));
  if (fewest[0] == NULL && (options->activation == NS_Q_RMS_X || ns_flow_shows_token_cos (experiment, options)))
    return NULL;
  if (fewest[0] == NULL)
    return g_strdup (_("Only for the size of the residual stream and the token similarity"));
  list = dup_missed (experiment, closest, fewest);
  /* Translators: the settings that a theory does not cover: "Not for FFN width 512, Attention: Full" */
  return g_strdup_printf (_("Not for %s"), list);
}
