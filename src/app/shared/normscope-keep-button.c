/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-keep-button.h"

#include <glib/gi18n-lib.h>

#include "engine/experiment/ns-changes.h"

void
normscope_keep_button_offer (GtkCheckButton *button, const NsVariant *model, const char *id)
{
  g_autoptr (NsVariant) wired = ns_variant_new_wired (model, id != NULL ? id : "post", NULL);
  g_autoptr (NsVariant) plain = ns_variant_new_builtin (id != NULL ? id : "post", NULL);
  g_autofree char *kept = wired != NULL && plain != NULL ? ns_variant_dup_changes (plain, wired) : NULL;
  /* Translators: the name of a variant */
  g_autofree char *label = g_strdup_printf (_ ("Keep the other settings of “%s”"), model->name);

  gtk_label_set_label (GTK_LABEL (gtk_check_button_get_child (button)), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_set_tooltip_text (GTK_WIDGET (button),
                               _ ("On: only norm placements, residuals and their scales are those of the added "
                                  "variant. Off: all its settings are."));
  gtk_widget_set_visible (GTK_WIDGET (button), kept != NULL);
}

NsVariant *
normscope_keep_button_new_variant (GtkCheckButton *button, const NsVariant *model, const char *id, GError **error)
{
  if (gtk_widget_get_visible (GTK_WIDGET (button)) && gtk_check_button_get_active (button))
    return ns_variant_new_wired (model, id, error);
  return ns_variant_from_text (id, error);
}
