/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-change-words.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-labels.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

static char *
dup_value (const NsParam *param, gconstpointer base)
{
  g_autofree char *text = ns_param_dup_text (param, base);

  if (ns_param_is_null (param, base))
    return g_strdup (normscope_label_for_null (param));
  return ns_param_dup_value_words (param, text);
}

/* "Depth 48", also for a parameter whose number elsewhere goes before its noun. */
static char *
dup_phrase (const NsParam *param, gconstpointer base)
{
  NsParam plain = *param;
  g_autofree char *value = NULL;

  /* A text may be as long as a page. */
  if (ns_param_is_text (param))
    return g_strdup (_ (param->label));
  plain.count = NULL;
  value = dup_value (param, base);
  return ns_param_dup_phrase (&plain, value);
}

/* A number that no longer holds goes without saying: its successor is said. */
static gboolean
differs (const NsParam *param, gconstpointer before, gconstpointer after)
{
  g_autofree char *then = ns_param_dup_text (param, before), *now = ns_param_dup_text (param, after);

  return strcmp (then, now) != 0 && !(param->type == NS_TYPE_NUMBER && ns_param_is_null (param, after));
}

static gboolean
is_name (const NsParam *param)
{
  return param->section == NS_SECTION_VARIANT && strcmp (param->key, "name") == 0;
}

/* Add the differences of one variant, or of what all share (variant NULL). */
static void
add_differences (GPtrArray *words, gconstpointer before, gconstpointer after, const char *variant)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      char *phrase;

      if ((params[i].section == NS_SECTION_VARIANT) != (variant != NULL) || is_name (&params[i]))
        continue;
      if (!differs (&params[i], before, after))
        continue;
      phrase = dup_phrase (&params[i], after);
      if (variant != NULL && *variant != '\0')
        {
          g_autofree char *plain = phrase;

          /* Translators: the name of a variant, and what changed in it: "Post-LN — Attention residual: off" */
          phrase = g_strdup_printf (_ ("%s — %s"), variant, plain);
        }
      g_ptr_array_add (words, phrase);
    }
}

static gboolean
has_name (const NsExperiment *experiment, const char *name)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Add the names of variants that are in `here` only. */
static void
add_names (GPtrArray *words, const NsExperiment *here, const NsExperiment *there, const char *format)
{
  for (guint v = 0; v < here->variants->len; v++)
    {
      const char *name = ns_experiment_variant (here, v)->name;

      if (!has_name (there, name))
        g_ptr_array_add (words, g_strdup_printf (format, name));
    }
}

char *
normscope_change_dup_words (const NsExperiment *before, const NsExperiment *after)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (before != NULL && after != NULL, NULL);

  add_differences (words, before, after, NULL);
  if (before->variants->len != after->variants->len)
    {
      add_names (words, after, before, _ ("Added: %s"));
      add_names (words, before, after, _ ("Removed: %s"));
    }
  else
    {
      gboolean several = after->variants->len > 1;

      for (guint v = 0; v < after->variants->len; v++)
        {
          const NsVariant *then = ns_experiment_variant (before, v), *now = ns_experiment_variant (after, v);

          /* The name from before says which one it was; an automatic name follows its settings. */
          add_differences (words, then, now, several ? then->name : "");
        }
    }
  if (words->len == 0 || words->len > NORMSCOPE_CHANGE_MAX_WORDS)
    return NULL;
  g_ptr_array_add (words, NULL);
  return g_strjoinv ("\n", (char **) words->pdata);
}
