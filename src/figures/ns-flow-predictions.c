/* Predictions for the gradients, the activations and the token similarity of the flow figure.
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
  NsParts parts = ns_shape_get_parts (&experiment->shape);
  gint64 depth = experiment->shape.depth, second = MIN (2, depth); /* the first may be an exception */

  return variant->sublayers == NS_SUB_LAYERS_BOTH
         && ns_variant_get_placement (variant, NS_SUB_ATTN, second, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_FFN, second, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_ATTN, 1, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_FFN, 1, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_ATTN, depth, depth) == NS_PLACE_PRE
         && ns_variant_get_placement (variant, NS_SUB_FFN, depth, depth) == NS_PLACE_PRE
         && !ns_variant_lacks_residual (experiment, index)
         && ns_variant_get_alpha (variant, NS_PART_STACK, depth, &parts) == 1
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

/* Add a dashed curve over the blocks 0 .. n − 1 where y is finite. */
static void
add_series (NsPanel *panel, const NsFlowOptions *options, guint variant, const char *name, gsize n, const double *y,
            const double *low, const double *high)
{
  int style = ns_variant_get_style (options->styles, variant);
  g_autofree double *x = g_new (double, n);
  g_autofree double *finite = g_new (double, n);
  gsize n_finite = 0;
  NsSeries *series;

  for (gsize l = 0; l < n; l++)
    if (isfinite (y[l]))
      {
        x[n_finite] = (double) l;
        finite[n_finite++] = y[l];
      }
  if (n_finite == 0)
    return;
  series = ns_panel_add_series (panel, name, NS_SERIES_LINE, style, n_finite, x, finite, low, high, NULL);
  series->role = NS_ROLE_REFERENCE;
  ns_series_set_variant_color (series, options->colors, options->has_color, variant);
}

/* Draw a quantity's prediction for a variant that meets the assumptions, and with it Lemma 2. */
static void
add_predicted_quantity (const NsExperiment *experiment, const NsFlowOptions *options, guint variant, NsPanel *panel,
                        NsQuantity quantity)
{
  gboolean is_log = panel->scale == NS_AXIS_LOG10;
  gsize n = (gsize) experiment->shape.depth + 1;
  g_autofree double *y = g_new (double, n);
  g_autofree double *low = g_new (double, n);
  g_autofree double *high = g_new (double, n);
  gboolean has_lemma = quantity == NS_Q_RMS_X && meets_lemma_2 (experiment, variant);

  if (!ns_mean_field_holds (experiment, variant, quantity)
      || !ns_mean_field_predict (experiment, variant, quantity, is_log ? NULL : y, is_log ? y : NULL))
    return;
  fill_lemma_2 (low, high, n, is_log);
  /* Translators: the name of a dashed line; Lemma 2 of Xiong et al. is a band around it */
  add_series (panel, options, variant, has_lemma ? _("mean field; Lemma 2") : _("mean field"), n, y,
              has_lemma ? low : NULL, has_lemma ? high : NULL);
}

void
ns_flow_add_predictions (const NsResult *result, const NsFlowOptions *options, NsPanel *gradients,
                         NsPanel *activations, NsPanel *similarity)
{
  const NsExperiment *experiment = ns_result_get_experiment (result);

  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_flow_is_visible (options, v))
      {
        add_predicted_quantity (experiment, options, v, gradients, options->gradient);
        add_predicted_quantity (experiment, options, v, activations, options->activation);
        if (similarity != NULL)
          add_predicted_quantity (experiment, options, v, similarity, NS_Q_TOKEN_COS);
      }
}

/* ---- why there is none ---- */

/* Return "FFN width 512, Attention: Full": the settings that the theory does not cover. */
static char *
dup_missed_settings (const NsExperiment *experiment, guint variant, const char *const *missed)
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
ns_theory_dup_missing (const NsExperiment *experiment, guint64 hidden, NsQuantity quantity)
{
  g_autofree const char **fewest = NULL;
  g_autofree char *list = NULL;
  guint closest = 0;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      g_autofree const char **missed = NULL;

      if (!ns_variant_is_visible (hidden, v))
        continue;
      missed = ns_mean_field_list_missed (experiment, v, quantity);
      if (fewest != NULL && g_strv_length ((char **) missed) >= g_strv_length ((char **) fewest))
        continue;
      g_free (fewest);
      fewest = g_steal_pointer (&missed);
      closest = v;
    }
  if (fewest == NULL)
    return g_strdup (_("Every variant is hidden"));
  if (fewest[0] == NULL && ns_mean_field_covers (quantity))
    return NULL;
  if (fewest[0] == NULL)
    /* Translators: a theory does not cover a quantity: "Not for ‖∂L/∂W_head‖" */
    return g_strdup_printf (_("Not for %s"), ns_quantity_info (quantity)->symbol);
  list = dup_missed_settings (experiment, closest, fewest);
  /* Translators: the settings that a theory does not cover: "Not for FFN width 512, Attention: Full" */
  return g_strdup_printf (_("Not for %s"), list);
}

char *
ns_flow_dup_no_prediction (const NsExperiment *experiment, const NsFlowOptions *options, gboolean *is_drawn)
{
  g_autofree char *gradient = NULL, *activation = NULL;

  g_return_val_if_fail (experiment != NULL && options != NULL, NULL);

  gradient = ns_theory_dup_missing (experiment, options->hidden, options->gradient);
  activation = ns_theory_dup_missing (experiment, options->hidden, options->activation);
  if (activation != NULL && ns_flow_shows_token_cos (experiment, options))
    {
      g_free (activation);
      activation = ns_theory_dup_missing (experiment, options->hidden, NS_Q_TOKEN_COS);
    }
  *is_drawn = gradient == NULL || activation == NULL;
  if (gradient != NULL && activation == NULL)
    /* Translators: why a plot of gradients has no theory: "Gradients: Not for Dual residual: on" */
    return g_strdup_printf (_("Gradients: %s"), gradient);
  if (gradient == NULL && activation != NULL)
    return g_strdup_printf (_("Activations: %s"), activation);
  /* Activations meet more of the assumptions, so what they miss is the shorter list. */
  return g_steal_pointer (&activation);
}
