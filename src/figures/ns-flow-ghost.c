/* Find the former curve of a variant and name it by the settings that differed.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-params.h"
#include "figures/ns-flow-private.h"

#include <glib/gi18n-lib.h>

/* The most differences in a label. */
#define MAX_DIFFERENCES 2

#define NO_BREAK_SPACE "\302\240"

int
ns_ghost_find_variant (const NsExperiment *now, const NsExperiment *before, guint variant)
{
  const char *name = ns_experiment_variant (now, variant)->name;

  for (guint v = 0; v < before->variants->len; v++)
    if (g_str_equal (ns_experiment_variant (before, v)->name, name))
      return (int) v;
  if (now->variants->len == before->variants->len)
    {
      const char *in_place = ns_experiment_variant (before, variant)->name;

      for (guint v = 0; v < now->variants->len; v++)
        if (g_str_equal (ns_experiment_variant (now, v)->name, in_place))
          return -1;
      return (int) variant;
    }
  return -1;
}

/* Return a former setting with its value: "depth 17"; `base` is what it is a setting of. */
static char *
dup_setting (const NsParam *param, gconstpointer base, const NsExperiment *experiment)
{
  g_autofree char *value = ns_param_dup_text (param, base);

  if (ns_param_is_of_training (param) && ns_param_is_null (param, base) && base != (gconstpointer) experiment)
    {
      /* the variant had no setting of its own, but that of all variants */
      g_autofree char *path = g_strdup_printf ("training.%s", param->key);
      const NsParam *shared = ns_param_find (path);

      if (shared != NULL)
        return dup_setting (shared, experiment, experiment);
    }

  if (param == ns_param_find ("shape.depth"))
    {
      /* Translators: after "before:" */
      g_autofree char *depth = g_strdup_printf (_("depth %s"), value);
      g_auto (GStrv) words = g_strsplit (depth, " ", -1);

      /* The label is narrow: its lines break before the depth, not within it. */
      return g_strjoinv (NO_BREAK_SPACE, words);
    }
  if (param->type == NS_TYPE_BOOLEAN && !ns_param_is_null (param, base))
    /* Translators: the name of a switch, after "before:" */
    return g_strdup_printf (ns_param_get_int (param, base) ? _("%s on") : _("%s off"), _(param->label));
  /* Translators: the name of a setting and its value, after "before:" */
  return g_strdup_printf (_("%s %s"), _(param->label), value);
}

/* Append the settings of one level that differ, with their former values; `experiment` is the former one. */
static void
append_differences (GPtrArray *settings, gboolean variant_level, gboolean of_training, gconstpointer now,
                    gconstpointer before, const NsExperiment *experiment)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *value_now = NULL;
      g_autofree char *value_before = NULL;

      if ((params[i].section == NS_SECTION_VARIANT) != variant_level
          || (ns_param_is_of_training (&params[i]) && !of_training))
        continue;
      value_now = ns_param_dup_text (&params[i], now);
      value_before = ns_param_dup_text (&params[i], before);
      if (!g_str_equal (value_now, value_before))
        g_ptr_array_add (settings, dup_setting (&params[i], before, experiment));
    }
}

char *
ns_ghost_dup_name (const NsExperiment *now, guint variant, const NsExperiment *before, guint ghost_variant,
                   gboolean of_training)
{
  const NsVariant *variant_now = ns_experiment_variant (now, variant);
  const NsVariant *variant_before = ns_experiment_variant (before, ghost_variant);
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *joined = NULL;
  guint n_more;

  append_differences (settings, FALSE, of_training, now, before, before);
  /* A different name describes the different wiring. */
  if (!g_str_equal (variant_now->name, variant_before->name))
    g_ptr_array_add (settings, g_strdup (variant_before->name));
  else
    append_differences (settings, TRUE, of_training, variant_now, variant_before, before);
  if (settings->len == 0)
    return g_strdup (_("before"));

  n_more = settings->len > MAX_DIFFERENCES ? settings->len - MAX_DIFFERENCES : 0;
  g_ptr_array_set_size (settings, (int) (settings->len - n_more));
  if (n_more > 0)
    g_ptr_array_add (settings, g_strdup ("…"));
  g_ptr_array_add (settings, NULL);
  joined = g_strjoinv (", ", (char **) settings->pdata);
  /* Translators: names a thin curve from before the last change; %s is what differed: "depth 17" */
  return g_strdup_printf (_("before: %s"), joined);
}
