/* The session's list of variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/session/normscope-session-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-variant-name.h"
#include "engine/experiment/ns-variants.h"

guint
normscope_session_get_n_variants (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), 0);
  return self->state.experiment->variants->len;
}

guint
normscope_session_get_selected (NormscopeSession *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), 0);
  return self->state.selected;
}

void
normscope_session_select (NormscopeSession *self, guint variant)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (variant < self->state.experiment->variants->len);
  if (variant == self->state.selected)
    return;
  next = self->state;
  next.selected = variant;
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_SELECTED);
}

const NormscopeVariantLook *
normscope_session_get_look (NormscopeSession *self, guint variant)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), NULL);
  g_return_val_if_fail (variant < self->state.experiment->variants->len, NULL);
  return &self->state.looks[variant];
}

static gboolean
name_is_taken (const NsExperiment *experiment, const char *name)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (strcmp (ns_experiment_variant (experiment, v)->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Number a name that is taken: "Pre-LN" becomes "Pre-LN 2", and "Pre-LN 2" becomes "Pre-LN 3". */
static void
make_name_unique (const NsExperiment *experiment, NsVariant *variant)
{
  g_autofree char *stem = g_strdup (variant->name);
  gsize digits = strlen (stem);

  if (!name_is_taken (experiment, variant->name))
    return;
  while (digits > 0 && g_ascii_isdigit (stem[digits - 1]))
    digits--;
  if (digits > 1 && stem[digits - 1] == ' ')
    stem[digits - 1] = '\0';
  for (int i = 2; name_is_taken (experiment, variant->name); i++)
    {
      g_free (variant->name);
      variant->name = g_strdup_printf ("%s %d", stem, i);
    }
}

/* Return the first index in the palette that no variant uses. */
static int
find_unused_style (const NormscopeState *state)
{
  for (int style = 0;; style++)
    {
      gboolean taken = FALSE;

      for (guint v = 0; v < state->experiment->variants->len && !taken; v++)
        taken = state->looks[v].style == style;
      if (!taken)
        return style;
    }
}

gboolean
normscope_session_take_variant (NormscopeSession *self, NsVariant *variant, GError **error)
{
  NormscopeState next;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (variant != NULL, FALSE);

  if (self->state.experiment->variants->len >= NS_MAX_VARIANTS)
    {
      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                   _("There are already %u variants, the most that one figure can show. Remove one first."),
                   self->state.experiment->variants->len);
      ns_variant_free (variant);
      return FALSE;
    }
  next = normscope_session_copy_state (self);
  next.selected = next.experiment->variants->len;
  next.looks[next.selected] = (NormscopeVariantLook){ .style = find_unused_style (&next) };
  if (!ns_variant_has_automatic_name (variant))
    make_name_unique (next.experiment, variant);
  g_ptr_array_add (next.experiment->variants, variant);
  if (ns_variant_has_automatic_name (variant))
    ns_experiment_name_variant (next.experiment, next.selected);
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_LIST);
  return TRUE;
}

gboolean
normscope_session_duplicate_variant (NormscopeSession *self, guint variant, GError **error)
{
  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (variant < self->state.experiment->variants->len, FALSE);
  return normscope_session_take_variant (
      self, ns_variant_copy (ns_experiment_variant (self->state.experiment, variant)), error);
}

gboolean
normscope_session_remove_variant (NormscopeSession *self, guint variant, GError **error)
{
  NormscopeState next;
  guint n;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  n = self->state.experiment->variants->len;
  g_return_val_if_fail (variant < n, FALSE);
  if (n == 1)
    {
      g_set_error_literal (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE,
                           _("The last variant cannot be removed: there would be nothing to show."));
      return FALSE;
    }
  next = normscope_session_copy_state (self);
  g_ptr_array_remove_index (next.experiment->variants, variant);
  for (guint v = variant; v + 1 < n; v++)
    next.looks[v] = next.looks[v + 1];
  next.looks[n - 1] = (NormscopeVariantLook){ .style = (int) n - 1 };
  next.marks = ns_marks_copy (self->state.marks);
  ns_marks_remove_variant (next.marks, variant);
  if (next.selected > variant || next.selected == n - 1)
    next.selected--;
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_LIST);
  return TRUE;
}

void
normscope_session_take_rewired (NormscopeSession *self, guint variant, NsVariant *rewired)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (variant < self->state.experiment->variants->len && rewired != NULL);
  normscope_session_select (self, variant);
  next = normscope_session_copy_state (self);
  ns_variant_free (next.experiment->variants->pdata[variant]);
  next.experiment->variants->pdata[variant] = rewired;
  normscope_session_commit_if_changed (self, &next, TRUE);
}

gboolean
normscope_session_rename_variant (NormscopeSession *self, guint variant, const char *typed, GError **error)
{
  g_autofree char *name = NULL;
  NormscopeState next;
  NsVariant *target;

  g_return_val_if_fail (NORMSCOPE_IS_SESSION (self), FALSE);
  g_return_val_if_fail (variant < self->state.experiment->variants->len && typed != NULL, FALSE);

  name = ns_text_dup_name (typed);
  next = normscope_session_copy_state (self);
  target = ns_experiment_variant (next.experiment, variant);
  if (strcmp (target->name, name) == 0)
    {
      normscope_session_discard_state (&next);
      return TRUE;
    }
  if (name_is_taken (next.experiment, name))
    {
      g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);

      g_set_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE, _("Another variant is already called “%s”."),
                   quoted);
      normscope_session_discard_state (&next);
      return FALSE;
    }
  if (name[0] != '\0')
    {
      g_free (target->name);
      target->name = g_strdup (name);
    }
  else
    ns_experiment_name_variant (next.experiment, variant);
  if (strcmp (target->name, ns_experiment_variant (self->state.experiment, variant)->name) == 0)
    normscope_session_discard_state (&next);
  else
    normscope_session_commit (self, &next, NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_VARIANTS);
  return TRUE;
}

void
normscope_session_set_hidden (NormscopeSession *self, guint variant, gboolean hidden)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (variant < self->state.experiment->variants->len);
  next = self->state;
  if (next.looks[variant].hidden == !!hidden)
    return;
  next.looks[variant].hidden = !!hidden;
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_VIEW);
}

void
normscope_session_set_color (NormscopeSession *self, guint variant, const NsColor *color)
{
  NormscopeState next;

  g_return_if_fail (NORMSCOPE_IS_SESSION (self));
  g_return_if_fail (variant < self->state.experiment->variants->len);
  next = self->state;
  next.looks[variant].has_color = color != NULL;
  if (color != NULL)
    next.looks[variant].color = *color;
  if (normscope_variant_look_equal (&next.looks[variant], &self->state.looks[variant]))
    return;
  normscope_session_commit (self, &next, NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_VIEW);
}
