/* The wiring of a variant, and the list of variants to add, in the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-catalog.h"

#include <string.h>

#include "app-dialogs.h"
#include "app/dialogs/normscope-catalog.h"
#include "app/shared/normscope-wiring.h"
#include "app/sidebar/normscope-variant-list.h"
#include "engine/experiment/ns-variants.h"

static GtkWidget *
find_popover (NormscopeVariantRow *row)
{
  GtkWidget *child = gtk_widget_get_last_child (GTK_WIDGET (row));

  while (child != NULL && !GTK_IS_POPOVER (child))
    child = gtk_widget_get_prev_sibling (child);
  return child;
}

static GtkWidget *
show_wiring (Fixture *fixture, guint variant)
{
  NormscopeVariantRow *row = app_find_variant (fixture, variant);
  GtkWidget *popover;

  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (row), "variant.show-wiring", NULL));
  popover = find_popover (row);
  g_assert_nonnull (popover);
  g_assert_true (gtk_widget_get_visible (popover));
  g_assert_nonnull (app_find_type (popover, NORMSCOPE_TYPE_WIRING));
  return popover;
}

static void
assert_described (GtkWidget *popover, const char *name, const char *words)
{
  g_autofree char *description = app_dup_description (popover);

  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (popover), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  g_assert_cmpstr (description, ==, words);
}

static gboolean
is_dropped (gpointer row)
{
  return find_popover (row) == NULL;
}

static void
test_shown (Fixture *fixture, gconstpointer data)
{
  NormscopeVariantRow *row = app_find_variant (fixture, 0);

  assert_described (show_wiring (fixture, 0), "Pre-LN", "x₀, LN, Attn, +, LN, FFN, +, 24 blocks, LN, Head");
  assert_described (show_wiring (fixture, 1), "Post-LN", "x₀, Attn, +, LN, FFN, +, LN, 24 blocks, Head");
  /* A closed popover is dropped; opening it twice leaves one, which shows the present experiment. */
  gtk_popover_popdown (GTK_POPOVER (find_popover (row)));
  g_assert_true (app_wait_for (is_dropped, row, TIMEOUT_MS));
  app_move_slider (fixture, "shape.depth", 12);
  show_wiring (fixture, 0);
  assert_described (show_wiring (fixture, 0), "Pre-LN", "x₀, LN, Attn, +, LN, FFN, +, 12 blocks, LN, Head");
  g_assert_false (GTK_IS_POPOVER (gtk_widget_get_prev_sibling (find_popover (row))));
}

static void
test_removed (Fixture *fixture, gconstpointer data)
{
  show_wiring (fixture, 1);
  g_assert_true (normscope_session_remove_variant (fixture->session, 1, NULL));
  app_iterate (100);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.undo", NULL);
  show_wiring (fixture, 0); /* stays open while the window is destroyed */
}

static gboolean
is_button (GtkWidget *widget, gconstpointer icon)
{
  return GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), icon) == 0;
}

static void
test_copied (Fixture *fixture, gconstpointer data)
{
  GtkWidget *popover = show_wiring (fixture, 0), *button = app_find (popover, is_button, "edit-copy-symbolic");
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  GdkContentFormats *formats;

  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, "Copy the picture");
  g_signal_emit_by_name (button, "clicked");
  formats = gdk_clipboard_get_formats (clipboard);
  g_assert_true (gdk_clipboard_is_local (clipboard));
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "image/png"));
  g_assert_true (gdk_content_formats_contain_mime_type (formats, "image/svg+xml"));
  g_assert_true (app_wait_for (is_dropped, app_find_variant (fixture, 0), TIMEOUT_MS));
}

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

int
main (int argc, char **argv)
{
  if (!app_test_init (&argc, &argv))
    return 0;
  app_test_add ("/wiring/shown", test_shown);
  app_test_add ("/wiring/removed", test_removed);
  app_test_add ("/wiring/copied", test_copied);
  app_test_add ("/wiring/list", test_list);
  return app_test_run ();
}
