/* The list of variants in the real window: add, duplicate, rename, remove, hide, and choose colours.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#include <string.h>

#include "app-files.h"
#include "app-widgets.h"
#include "app/sidebar/normscope-sidebar.h"
#include "app/sidebar/normscope-variant-list.h"
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

static void
activate (Fixture *fixture, guint index, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (app_find_variant (fixture, index)), action, NULL));
}

static void
rename_to (Fixture *fixture, guint index, const char *name)
{
  GtkWidget *entry = app_find_type (GTK_WIDGET (app_find_variant (fixture, index)), GTK_TYPE_ENTRY);

  activate (fixture, index, "variant.rename");
  gtk_editable_set_text (GTK_EDITABLE (entry), name);
  g_signal_emit_by_name (entry, "activate");
}

static void
add_builtin (Fixture *fixture, const char *id)
{
  GtkWidget *list = GTK_WIDGET (gtk_widget_get_template_child (
      app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_VARIANT_LIST), NORMSCOPE_TYPE_VARIANT_LIST,
      "builtin_list"));
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    if (strcmp (builtins[i].id, id) == 0)
      {
        g_signal_emit_by_name (list, "row-activated", gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), (int) i));
        return;
      }
  g_assert_not_reached ();
}

static void
test_variants (Fixture *fixture, gconstpointer data)
{
  NsVariant *copy;
  GtkWidget *toggle;

  add_builtin (fixture, "sandwich");
  g_ptr_array_add (fixture->experiment->variants, ns_variant_from_text ("sandwich", NULL));
  app_assert_shows (fixture);

  activate (fixture, 0, "variant.duplicate");
  copy = ns_variant_copy (ns_experiment_variant (fixture->experiment, 0));
  g_free (copy->name);
  copy->name = g_strdup ("Pre-LN 2");
  g_ptr_array_add (fixture->experiment->variants, copy);
  app_assert_shows (fixture);

  /* A new variant is selected, so the controls edit it. */
  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "ffn.residual", GTK_TYPE_SWITCH)), FALSE);
  copy->ffn.residual = FALSE;
  app_assert_shows (fixture);

  rename_to (fixture, 3, "No residual");
  g_free (copy->name);
  copy->name = g_strdup ("No residual");
  app_assert_shows (fixture);

  toggle = GTK_WIDGET (gtk_widget_get_template_child (GTK_WIDGET (app_find_variant (fixture, 1)),
                                                      NORMSCOPE_TYPE_VARIANT_ROW, "visible_button"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), FALSE);
  fixture->options.hidden = 1u << 1;
  app_assert_shows (fixture);

  activate (fixture, 0, "variant.remove");
  g_ptr_array_remove_index (fixture->experiment->variants, 0);
  fixture->options.hidden = 1u << 0;
  app_assert_shows (fixture);
}

static void
test_names (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = NULL;

  app_assert_shows (fixture);
  description = app_dup_description (GTK_WIDGET (fixture->plot));
  rename_to (fixture, 0, "Post-LN");
  g_assert_true (app_wait_for_toast (fixture, "Another variant is already called “Post-LN”"));
  app_assert_unchanged (fixture, description);
  rename_to (fixture, 0, "   ");
  app_assert_unchanged (fixture, description);
}

static void
assert_name (Fixture *fixture, guint index, const char *name)
{
  const NsExperiment *experiment = normscope_session_get_experiment (fixture->session);

  g_assert_cmpstr (ns_experiment_variant (experiment, index)->name, ==, name);
  g_assert_cmpstr (gtk_label_get_label (app_get_child (app_find_variant (fixture, index), "name_label")), ==, name);
}

static void
set_residual (Fixture *fixture, const char *path, gboolean on)
{
  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, path, GTK_TYPE_SWITCH)), on);
}

/* A name follows the settings until the user types one, and again when that is removed. */
static void
test_automatic_names (Fixture *fixture, gconstpointer data)
{
  app_move_slider (fixture, "post_fraction", 0.98);
  assert_name (fixture, 0, "Mix 98 %");
  ns_experiment_variant (fixture->experiment, 0)->post_fraction = 0.98;
  app_assert_shows (fixture);
  app_move_slider (fixture, "post_fraction", 1);
  assert_name (fixture, 0, "Post-LN 2");
  app_move_slider (fixture, "post_fraction", 0);
  set_residual (fixture, "attn.residual", FALSE);
  assert_name (fixture, 0, "Pre-LN, no attention residual");
  set_residual (fixture, "ffn.residual", FALSE);
  assert_name (fixture, 0, "Pre-LN, no residuals");
  activate (fixture, 0, "variant.duplicate");
  assert_name (fixture, 2, "Pre-LN, no residuals 2");
  app_activate (fixture, "win.undo");
  app_activate (fixture, "win.undo");
  assert_name (fixture, 0, "Pre-LN, no attention residual");

  rename_to (fixture, 0, "My curve");
  set_residual (fixture, "attn.residual", TRUE);
  app_move_slider (fixture, "post_fraction", 0.5);
  assert_name (fixture, 0, "My curve");
  rename_to (fixture, 0, "");
  assert_name (fixture, 0, "Mix 50 %");
  assert_name (fixture, 1, "Post-LN");
}

/* A file of an earlier version has names that contradict the settings, and others that do not. */
static void
test_names_of_files (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "{\"format\": \"normscope-experiment\", \"version\": 1, \"shape\": {\"depth\": 3}, "
                             "\"variants\": [{\"name\": \"Pre-LN\", \"post_fraction\": 0.98}, "
                             "{\"name\": \"Post-LN\", \"attn\": {\"norm\": \"post\"}, \"ffn\": {\"norm\": "
                             "\"post\"}, \"bias\": true}, {\"name\": \"Mine\"}, {\"bias\": true}]}";
  static const char *const names[] = { "Mix 98 %", "Post-LN", "Mine", "Pre-LN, biases" };
  g_autoptr (GFile) file = app_new_file ("names.normscope");

  g_assert_true (g_file_set_contents (g_file_peek_path (file), text, -1, NULL));
  normscope_window_open (fixture->window, file);
  app_answer_question ("_Discard");
  for (guint v = 0; v < G_N_ELEMENTS (names); v++)
    assert_name (fixture, v, names[v]);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "names.normscope — Normscope");
}

static void
test_too_many_and_too_few (Fixture *fixture, gconstpointer data)
{
  NormscopeSession *session = normscope_window_get_session (fixture->window);

  activate (fixture, 1, "variant.remove");
  g_assert_cmpuint (normscope_session_get_n_variants (session), ==, 1);
  /* The last variant cannot be removed: its action is disabled. */
  gtk_widget_activate_action (GTK_WIDGET (app_find_variant (fixture, 0)), "variant.remove", NULL);
  g_assert_cmpuint (normscope_session_get_n_variants (session), ==, 1);

  for (int i = 0; i < 40; i++)
    gtk_widget_activate_action (GTK_WIDGET (app_find_variant (fixture, 0)), "variant.duplicate", NULL);
  g_assert_cmpuint (normscope_session_get_n_variants (session), ==, NS_MAX_VARIANTS);
  g_assert_true (app_wait_for_toast (fixture, "16 variants"));
}

static guint
count_pixels (GdkTexture *texture, guint rgb)
{
  int width = gdk_texture_get_width (texture), height = gdk_texture_get_height (texture);
  g_autofree guint32 *pixels = g_new (guint32, (gsize) width * (gsize) height);
  guint n = 0;

  gdk_texture_download (texture, (guchar *) pixels, (gsize) width * 4);
  for (gsize i = 0; i < (gsize) width * (gsize) height; i++)
    n += (pixels[i] & 0xffffff) == rgb;
  return n;
}

static void
test_colors (Fixture *fixture, gconstpointer data)
{
  NormscopeSession *session = normscope_window_get_session (fixture->window);
  const NsColor magenta = { 1, 0, 1 };
  g_autoptr (GdkTexture) before = app_grab (GTK_WIDGET (fixture->plot));
  g_autoptr (GdkTexture) after = NULL;
  g_autoptr (GdkTexture) removed = NULL;

  g_assert_cmpuint (count_pixels (before, 0x0072b2), >, 100);
  g_assert_cmpuint (count_pixels (before, 0xff00ff), ==, 0);
  normscope_session_set_color (session, 0, &magenta);
  after = app_grab (GTK_WIDGET (fixture->plot));
  g_assert_cmpuint (count_pixels (after, 0x0072b2), ==, 0);
  g_assert_cmpuint (count_pixels (after, 0xff00ff), >, 100);

  /* Post-LN keeps its colour when the variant before it is removed. */
  activate (fixture, 0, "variant.remove");
  g_ptr_array_remove_index (fixture->experiment->variants, 0);
  app_assert_shows (fixture);
  removed = app_grab (GTK_WIDGET (fixture->plot));
  g_assert_cmpuint (count_pixels (removed, 0x0072b2), ==, 0);
  g_assert_cmpuint (count_pixels (removed, 0xd55e00), >, 100);
}

/* ---- the cards of the sidebar ---- */

static gboolean
is_row_of (GtkWidget *widget, gconstpointer param)
{
  return NORMSCOPE_IS_PARAMETER_ROW (widget)
         && normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget)) == param;
}

/* Settings of all variants are on one card, those of the selected variant on the other. */
static void
test_cards (Fixture *fixture, gconstpointer data)
{
  GtkWidget *sidebar = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SIDEBAR);
  GtkWidget *shared = app_get_child (sidebar, "shared_card"), *selected = app_get_child (sidebar, "variant_card");
  gsize n;
  guint n_rows = 0;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      gboolean of_variant = params[i].section == NS_SECTION_VARIANT;
      GtkWidget *row;

      if (ns_param_is_text (&params[i]))
        continue;
      row = app_find (sidebar, is_row_of, &params[i]);
      if (row == NULL)
        continue;
      n_rows++;
      g_assert_true (gtk_widget_is_ancestor (row, of_variant ? selected : shared));
    }
  g_assert_cmpuint (n_rows, >, 40);
}

/* The edge of the selected variant's card has its colour. */
static void
test_edge (Fixture *fixture, gconstpointer data)
{
  static const guint colors[] = { 0x0072b2, 0xd55e00 };
  GtkWidget *sidebar = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SIDEBAR);
  GtkWidget *edge = app_get_child (sidebar, "edge");

  for (guint v = 0; v < G_N_ELEMENTS (colors); v++)
    {
      g_autoptr (GdkTexture) texture = NULL;

      normscope_session_select (fixture->session, v);
      app_wait_for_frame (fixture);
      texture = app_grab (edge);
      g_assert_cmpuint (count_pixels (texture, colors[v]), >, 5 * (guint) (gtk_widget_get_height (edge) - 24));
      g_assert_cmpuint (count_pixels (texture, colors[1 - v]), ==, 0);
      g_assert_cmpstr (gtk_label_get_label (app_get_child (sidebar, "variant_title")), ==,
                       v == 0 ? "Pre-LN" : "Post-LN");
    }
}

/* A pasted name loses what a name cannot have; markup and other scripts are text like any other. */
static void
test_pasted_names (Fixture *fixture, gconstpointer data)
{
  static const char *const names[][2] = {
    { " \u202ePre\n\x1b[2J\u2066\uffff ", "Pre [2J" },
    { "<b>&amp;</b> \"x\" %s", "<b>&amp;</b> \"x\" %s" },
    { "שלום \u200fעולם =1", "שלום \u200fעולם =1" },
    { "👩‍🚀 é", "👩‍🚀 é" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (NsExperiment) read = NULL;
      g_autoptr (GError) error = NULL;

      rename_to (fixture, 0, names[i][0]);
      assert_name (fixture, 0, names[i][1]);
      activate (fixture, 0, "variant.duplicate");
      app_settle ();
      bytes = ns_experiment_to_bytes (normscope_session_get_experiment (fixture->session));
      read = ns_experiment_from_bytes (bytes, "saved", &error);
      g_assert_no_error (error);
      activate (fixture, 1, "variant.remove");
      app_settle ();
      ns_experiment_free (fixture->experiment);
      fixture->experiment = ns_experiment_copy (normscope_session_get_experiment (fixture->session));
      app_assert_shows (fixture);
    }
}

/* The list of additions keeps the other settings of the selected variant, unless there are none or the button is
 * off. */
static void
test_keep_settings (Fixture *fixture, gconstpointer data)
{
  GtkWidget *list = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_VARIANT_LIST);
  GtkWidget *popover = app_get_child (list, "add_popover"), *keep = app_get_child (list, "keep_button");
  const NsVariant *added;

  gtk_popover_popup (GTK_POPOVER (popover));
  g_assert_false (gtk_widget_get_visible (keep));
  add_builtin (fixture, "sandwich");
  assert_name (fixture, 2, "Peri-LN");

  activate (fixture, 0, "variant.remove");
  activate (fixture, 0, "variant.remove");
  rename_to (fixture, 0, "My model");
  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "input_norm", GTK_TYPE_SWITCH)), TRUE);
  gtk_popover_popup (GTK_POPOVER (popover));
  g_assert_true (gtk_widget_get_visible (keep));
  g_assert_nonnull (app_find_text (keep, "Keep the other settings of “My model”"));
  add_builtin (fixture, "post");
  assert_name (fixture, 1, "My model as Post-LN");
  added = ns_experiment_variant (normscope_session_get_experiment (fixture->session), 1);
  g_assert_true (added->input_norm && added->attn.norm == NS_PLACE_POST && added->ffn.norm == NS_PLACE_POST);

  /* From there, the name of the model stays. */
  gtk_popover_popup (GTK_POPOVER (popover));
  add_builtin (fixture, "pre");
  assert_name (fixture, 2, "My model as Pre-LN");

  gtk_popover_popup (GTK_POPOVER (popover));
  gtk_check_button_set_active (GTK_CHECK_BUTTON (keep), FALSE);
  add_builtin (fixture, "post");
  assert_name (fixture, 3, "Post-LN");
  g_assert_false (ns_experiment_variant (normscope_session_get_experiment (fixture->session), 3)->input_norm);
}

void
add_variants_tests (void)
{
  app_test_add ("/variants/edit", test_variants);
  app_test_add ("/variants/names", test_names);
  app_test_add ("/variants/pasted-names", test_pasted_names);
  app_test_add ("/variants/automatic-names", test_automatic_names);
  app_test_add ("/variants/names-of-files", test_names_of_files);
  app_test_add ("/variants/too-many-and-too-few", test_too_many_and_too_few);
  app_test_add ("/variants/colors", test_colors);
  app_test_add ("/variants/cards", test_cards);
  app_test_add ("/variants/keep-settings", test_keep_settings);
  app_test_add ("/variants/edge", test_edge);
}
