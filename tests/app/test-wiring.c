/* The list of variants to add, in the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include "app-dialogs.h"
#include "app/dialogs/normscope-catalog.h"
#include "app/sidebar/normscope-variant-list.h"
#include "engine/experiment/ns-variants.h"

/* The list has the placements; the button opens the catalog with all variants. */
static void
test_list (Fixture *fixture, gconstpointer data)
{
  GtkWidget *list = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_VARIANT_LIST), *catalog;
  GtkWidget *popover = app_get_child (list, "add_popover");
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);
  guint n_placements = 0;

  for (gsize i = 0; i < n; i++)
    n_placements += builtins[i].group == NS_VARIANT_PLACEMENT ? 1 : 0;
  g_assert_cmpuint (n_placements, <, n);
  g_assert_cmpuint (catalog_count_rows (app_get_child (list, "builtin_list")), ==, n_placements);
  gtk_popover_popup (GTK_POPOVER (popover));
  g_signal_emit_by_name (app_find_text (popover, "All _Variants…"), "clicked");
  catalog = app_wait_for_dialog (NORMSCOPE_TYPE_CATALOG);
  g_assert_false (gtk_widget_get_visible (popover));
  g_assert_cmpstr (adw_view_stack_get_visible_child_name (app_get_child (catalog, "pages")), ==, "variants");
  catalog_close (catalog);
}

void
add_wiring_tests (void)
{
  app_test_add ("/wiring/list", test_list);
}
