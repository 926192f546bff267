/* Help in the window, the links of the sentence and the bubbles of the first start, with pointer and keys that go
 * through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"
#include "app-dialogs.h"
#include "app-input.h"
#include "app-watchdog.h"

#include <string.h>

#include "app/help/normscope-help.h"
#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-sentence.h"
#include "app/sidebar/normscope-display-group.h"
#include "engine/experiment/ns-experiment.h"
#include "help/ns-help.h"

/* Every seventh page is opened; the test of the pages parses all of them. */
#define STEP 7

/* A frame takes 17 ms. */
#define REST_MS        500
#define REST_WITHIN_MS 20000

static NormscopeHelp *
get_help (Fixture *fixture)
{
  GtkWidget *help = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_HELP);

  return help != NULL && gtk_widget_get_mapped (help) ? NORMSCOPE_HELP (help) : NULL;
}

static gboolean
is_open (gpointer fixture)
{
  return get_help (fixture) != NULL;
}

static gboolean
is_closed (gpointer fixture)
{
  return get_help (fixture) == NULL;
}

static const char *
get_page (Fixture *fixture)
{
  NormscopeHelp *help;

  g_assert_true (app_wait_for (is_open, fixture, TIMEOUT_MS));
  help = get_help (fixture);
  app_input_settle ();
  return normscope_help_get_shown (help);
}

static GtkWidget *
get_focus (Fixture *fixture)
{
  return gtk_window_get_focus (GTK_WINDOW (fixture->window));
}

static void
close_help (Fixture *fixture)
{
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_closed, fixture, TIMEOUT_MS));
}

/* ---- search and history ---- */

/* Print how long the main loop was blocked since the last call. */
static void
report (const char *what)
{
  g_autofree char *name = NULL;

  g_test_message ("%s: longest gap of the main loop %.0f ms", what, app_watchdog_take_longest (&name));
}

static void
test_search (Fixture *fixture, gconstpointer data)
{
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  app_input_settle ();
  report ("start");
  app_input_key (GDK_KEY_F1);
  g_assert_null (get_page (fixture));
  report ("first opening");
  app_input_type ("a");
  report ("first letter");
  app_input_type ("ttention resi");
  report ("further letters");
  g_assert_null (get_page (fixture));
  app_input_key (GDK_KEY_Return);
  app_input_settle ();
  report ("page");
  g_assert_cmpstr (get_page (fixture), ==, "parameter:attn.residual");

  /* A letter typed in the page goes on in the search, and not to the window, where L changes an axis. */
  app_input_key (GDK_KEY_F1);
  app_input_type ("log");
  g_assert_true (normscope_session_get_view (fixture->session)->log_gradient);
  g_assert_null (get_page (fixture));
  app_input_key (GDK_KEY_Down);
  app_input_key (GDK_KEY_Return);
  g_assert_nonnull (get_page (fixture));

  gtk_widget_activate_action (GTK_WIDGET (get_help (fixture)), "help.back", NULL);
  g_assert_null (get_page (fixture));
  gtk_widget_activate_action (GTK_WIDGET (get_help (fixture)), "help.back", NULL);
  g_assert_cmpstr (get_page (fixture), ==, "parameter:attn.residual");
  gtk_widget_activate_action (GTK_WIDGET (get_help (fixture)), "help.forward", NULL);
  g_assert_null (get_page (fixture));

  /* The focus returns to where F1 was pressed, and nothing is remembered. */
  close_help (fixture);
  g_assert_true (get_focus (fixture) == GTK_WIDGET (fixture->plot));
  app_input_key (GDK_KEY_F1);
  g_assert_null (get_page (fixture));
  close_help (fixture);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);

  report ("start");
  for (guint i = 0; i < n; i += STEP)
    {
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.help-page", "s", pages[i].id);
      g_assert_cmpstr (get_page (fixture), ==, pages[i].id);
      g_assert_nonnull (app_find_text (GTK_WIDGET (get_help (fixture)), ns_help_page_get_title (&pages[i])));
    }
  report ("pages");
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.help-page", "s", "parameter:shape.height");
  g_assert_null (get_page (fixture));
  close_help (fixture);
}

/* ---- rows ---- */

static gboolean
is_help_button (GtkWidget *widget, gconstpointer page)
{
  return GTK_IS_BUTTON (widget) && gtk_widget_has_css_class (widget, "help");
}

static GtkWidget *
find_button (GtkWidget *row)
{
  GtkWidget *button = app_find (row, is_help_button, NULL);

  g_assert_nonnull (button);
  return button;
}

static void
check_rows (GtkWidget *widget, guint *n)
{
  if (NORMSCOPE_IS_PARAMETER_ROW (widget))
    {
      GVariant *target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (find_button (widget)));
      const char *page = g_variant_get_string (target, NULL);

      g_assert_cmpstr (page, ==, normscope_help_get_page (widget));
      g_assert_nonnull (ns_help_find (page));
      *n += 1;
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_rows (child, n);
}

static gboolean
is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

static void
test_rows (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row = GTK_WIDGET (app_find_row (fixture, "shape.depth")), *slider, *popover;
  guint n = 0;

  check_rows (GTK_WIDGET (fixture->window), &n);
  g_assert_cmpuint (n, >, 50);

  g_assert_true (app_input_click (find_button (row)));
  g_assert_cmpstr (get_page (fixture), ==, "parameter:shape.depth");
  close_help (fixture);

  slider = app_find_type (row, GTK_TYPE_SCALE);
  gtk_widget_grab_focus (slider);
  app_input_key (GDK_KEY_F1);
  g_assert_cmpstr (get_page (fixture), ==, "parameter:shape.depth");
  close_help (fixture);
  g_assert_true (get_focus (fixture) == slider);

  /* The button is the stop of Tab before the row's control. */
  app_input_tab (FALSE);
  while (!is_help_button (get_focus (fixture), NULL) && gtk_widget_is_ancestor (get_focus (fixture), row))
    app_input_tab (FALSE);
  g_assert_true (gtk_widget_is_ancestor (get_focus (fixture), row));
  app_input_key (GDK_KEY_Return);
  g_assert_cmpstr (get_page (fixture), ==, "parameter:shape.depth");
  close_help (fixture);

  /* In a popover, which the page then replaces. */
  popover = GTK_WIDGET (gtk_menu_button_get_popover (app_get_child (fixture->window, "view_button")));
  g_assert_true (app_input_click (app_get_child (fixture->window, "view_button")));
  g_assert_true (app_wait_for (is_mapped, popover, TIMEOUT_MS));
  app_input_settle ();
  gtk_widget_grab_focus (app_get_child (app_find_type (popover, NORMSCOPE_TYPE_DISPLAY_GROUP), "token_cos"));
  app_input_key (GDK_KEY_F1);
  g_assert_cmpstr (get_page (fixture), ==, "quantity:token_cos");
  g_assert_false (gtk_widget_get_mapped (popover));
  close_help (fixture);

  gtk_widget_grab_focus (GTK_WIDGET (app_find_variant (fixture, 0)));
  app_input_key (GDK_KEY_F1);
  g_assert_cmpstr (get_page (fixture), ==, "variant:pre");
  close_help (fixture);
}

/* ---- the sentence ---- */

/* Return the first label of the sentence that shows a text. */
static GtkWidget *
find_words (Fixture *fixture, const char *words)
{
  return app_find_text (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SENTENCE), words);
}

static gboolean
has_collapsed (gpointer fixture)
{
  return find_words (fixture, "tokens become one vector") != NULL;
}

static void
click_words (GtkWidget *label, const char *words)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label)), *found = strstr (text, words);
  PangoRectangle place;
  int x, y;

  g_assert_nonnull (found);
  g_test_message ("click “%s” in “%s”", words, text);
  pango_layout_index_to_pos (gtk_label_get_layout (GTK_LABEL (label)), (int) (found - text), &place);
  gtk_label_get_layout_offsets (GTK_LABEL (label), &x, &y);
  g_assert_true (app_input_click_at (label, x + PANGO_PIXELS (place.x) + 3,
                                     y + PANGO_PIXELS (place.y + place.height / 2)));
}

static void
test_sentence (Fixture *fixture, gconstpointer data)
{
  GtkWidget *toggle = app_find_in_row (fixture, "attn.residual", GTK_TYPE_SWITCH), *label;

  app_resize (fixture, 1600, 800); /* room for each clause */
  g_assert_true (app_input_click (toggle));
  if (!app_wait_for (has_collapsed, fixture, TIMEOUT_MS))
    g_error ("the tokens do not collapse");
  app_wait_for_idle_plot (fixture);
  label = find_words (fixture, "tokens become one vector");
  click_words (label, "tokens become");
  g_assert_cmpstr (get_page (fixture), ==, "quantity:token_cos");
  g_assert_cmpint (normscope_session_get_view (fixture->session)->token_cos, ==, NS_TOKEN_COS_ALWAYS);
  close_help (fixture);

  /* Tab reaches the links in their order, and Enter opens them. */
  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  for (int i = 0; i < 20 && get_focus (fixture) != label; i++)
    app_input_tab (TRUE);
  g_assert_true (get_focus (fixture) == label);
  app_input_tab (TRUE);
  app_input_tab (TRUE);
  g_assert_true (get_focus (fixture) == label);
  app_input_key (GDK_KEY_Return);
  g_assert_cmpstr (get_page (fixture), ==, "quantity:token_cos");
  close_help (fixture);
}

/* A presentation begins without help, and F1 opens it there, too. */
static void
test_presenting (Fixture *fixture, gconstpointer data)
{
  app_input_key (GDK_KEY_F1);
  g_assert_null (get_page (fixture));
  app_input_key (GDK_KEY_F11);
  g_assert_true (app_wait_for (is_closed, fixture, TIMEOUT_MS));
  app_input_settle ();
  app_input_key (GDK_KEY_F1);
  g_assert_null (get_page (fixture));
  close_help (fixture);
  app_input_key (GDK_KEY_Escape);
  app_input_settle ();
}

/* ---- bubbles ---- */

static gboolean
is_bubble (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "tour") && gtk_widget_get_mapped (widget);
}

static GtkWidget *
find_bubble (Fixture *fixture)
{
  return app_find (GTK_WIDGET (fixture->window), is_bubble, NULL);
}

static gboolean
has_bubble (gpointer fixture)
{
  return find_bubble (fixture) != NULL;
}

static gboolean
has_no_bubble (gpointer fixture)
{
  return find_bubble (fixture) == NULL;
}

static gboolean
is_pointed_out (GtkWidget *widget, gconstpointer data)
{
  return gtk_widget_has_css_class (widget, "pointed-out");
}

/* Fail if the bubble covers what it points at, or reaches out of the window. */
static void
assert_beside (Fixture *fixture, GtkWidget *bubble)
{
  GtkWidget *overlay = gtk_widget_get_parent (bubble);
  GtkWidget *target = app_find (GTK_WIDGET (fixture->window), is_pointed_out, NULL);
  graphene_rect_t at, shown, both;

  g_assert_nonnull (target);
  g_assert_true (gtk_widget_compute_bounds (target, overlay, &at));
  g_assert_true (gtk_widget_compute_bounds (bubble, overlay, &shown));
  if (graphene_rect_intersection (&at, &shown, &both))
    g_error ("the bubble (%g, %g, %g × %g) covers its target (%g, %g, %g × %g)", shown.origin.x, shown.origin.y,
             shown.size.width, shown.size.height, at.origin.x, at.origin.y, at.size.width, at.size.height);
  g_assert_cmpfloat (shown.origin.x, >, 0);
  g_assert_cmpfloat (shown.origin.y, >, 0);
  g_assert_cmpfloat (shown.origin.x + shown.size.width, <, gtk_widget_get_width (overlay));
  g_assert_cmpfloat (shown.origin.y + shown.size.height, <, gtk_widget_get_height (overlay));
}

typedef struct
{
  GdkFrameClock *clock;
  gint64 frame;
  gint64 since_us;
} Rest;

static gboolean
is_at_rest (gpointer data)
{
  Rest *rest = data;
  gint64 frame = gdk_frame_clock_get_frame_counter (rest->clock), now = g_get_monotonic_time ();

  if (frame != rest->frame)
    *rest = (Rest){ rest->clock, frame, now };
  return now - rest->since_us > REST_MS * 1000;
}

/* Fail if the window goes on drawing frames though nothing happens. */
static void
assert_rests (Fixture *fixture)
{
  Rest rest = { gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window)), -1, 0 };

  g_assert_true (app_wait_for (is_at_rest, &rest, REST_WITHIN_MS));
}

static void
test_bubbles (Fixture *fixture, gconstpointer data)
{
  static const char *const titles[] = { "Drag the depth", "Cut a wire", "Read the sentence", "Open Scaling" };
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");

  /* No test sees them unasked. */
  g_assert_false (g_settings_get_boolean (settings, "show-first-steps"));
  normscope_window_show_first_steps (fixture->window);
  app_draw_frames (48);
  g_assert_null (find_bubble (fixture));

  g_settings_set_boolean (settings, "show-first-steps", TRUE);
  normscope_window_show_first_steps (fixture->window);
  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      g_assert_true (app_wait_for (has_bubble, fixture, TIMEOUT_MS));
      app_input_settle ();
      app_settle ();
      if (app_find_text (find_bubble (fixture), titles[i]) == NULL)
        g_error ("the bubble “%s” is missing", titles[i]);
      assert_beside (fixture, find_bubble (fixture));
      /* with the keyboard and with the pointer */
      if (i % 2 == 0)
        app_input_key (GDK_KEY_Return);
      else
        g_assert_true (app_input_click (app_find_text (find_bubble (fixture), i == 1 ? "Next" : "Done")));
    }
  g_assert_true (app_wait_for (has_no_bubble, fixture, TIMEOUT_MS));
  g_assert_false (g_settings_get_boolean (settings, "show-first-steps"));

  /* Again from Help; Escape ends them. */
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-tour", NULL);
  g_assert_true (app_wait_for (has_bubble, fixture, TIMEOUT_MS));
  app_input_settle ();
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (has_no_bubble, fixture, TIMEOUT_MS));
  assert_rests (fixture);
}

static void
count_cb (GSimpleAction *action, GVariant *parameter, gpointer n)
{
  *(guint *) n += 1;
}

/* The keys of the program work while a bubble has the focus, and Escape ends it for good. */
static void
test_keys_of_bubbles (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  GActionMap *map = G_ACTION_MAP (app_test_get_application ());
  g_autoptr (GAction) quit = g_object_ref (g_action_map_lookup_action (map, "quit"));
  g_autoptr (GSimpleAction) counting = g_simple_action_new ("quit", NULL);
  guint n = 0;

  assert_rests (fixture);
  g_settings_set_boolean (settings, "show-first-steps", TRUE);
  normscope_window_show_first_steps (fixture->window);
  g_assert_true (app_wait_for (has_bubble, fixture, TIMEOUT_MS));
  app_input_settle ();
  g_assert_true (gtk_widget_is_ancestor (get_focus (fixture), find_bubble (fixture)));

  g_signal_connect (counting, "activate", G_CALLBACK (count_cb), &n);
  g_action_map_add_action (map, G_ACTION (counting));
  app_input_control_key (GDK_KEY_q);
  g_action_map_add_action (map, quit);
  g_assert_cmpuint (n, ==, 1);
  g_assert_nonnull (find_bubble (fixture));

  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (has_no_bubble, fixture, TIMEOUT_MS));
  g_assert_false (g_settings_get_boolean (settings, "show-first-steps"));
  assert_rests (fixture);
}

static gboolean
is_open_popover (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget);
}

static gboolean
has_popover (gpointer window)
{
  return app_find (window, is_open_popover, NULL) != NULL;
}

static void
open_view (Fixture *fixture)
{
  app_input_control_key (GDK_KEY_4);
}

static void
open_help (Fixture *fixture)
{
  app_input_key (GDK_KEY_F1);
}

static void
open_menu (Fixture *fixture)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);

  g_assert_true (app_input_click_until (app_get_child (window, "presets_button"), has_popover, window));
  app_input_key (GDK_KEY_Escape);
}

static void
open_file (Fixture *fixture)
{
  normscope_files_show_preset (normscope_window_get_files (fixture->window), ns_experiment_new (), "Another", NULL);
  app_answer_question ("Discard");
}

static void
open_lecture (Fixture *fixture)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.new-lecture", NULL);
}

static void
skip (Fixture *fixture)
{
  g_assert_true (app_input_click (app_find_text (find_bubble (fixture), "Skip")));
}

/* The bubbles stand over nothing that is opened: they end, and the keys of the window work again. */
static void
test_end_of_bubbles (Fixture *fixture, gconstpointer data)
{
  static void (*const acts[]) (Fixture * fixture) = { skip, open_view, open_help, open_menu, open_lecture, open_file };

  for (gsize i = 0; i < G_N_ELEMENTS (acts); i++)
    {
      gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-tour", NULL);
      g_assert_true (app_wait_for (has_bubble, fixture, TIMEOUT_MS));
      app_input_settle ();
      acts[i](fixture);
      if (!app_wait_for (has_no_bubble, fixture, TIMEOUT_MS))
        g_error ("the bubble stays after act %zu", i);
      g_assert_null (app_find (GTK_WIDGET (fixture->window), is_pointed_out, NULL));
      if (acts[i] == skip)
        g_assert_true (get_focus (fixture) == GTK_WIDGET (fixture->plot));
      app_input_control_key (GDK_KEY_1);
      g_assert_true (app_wait_for (is_mapped, fixture->plot, TIMEOUT_MS));
    }
  assert_rests (fixture);
}

static const char *
prepare (void)
{
  const char *why_not = app_input_prepare ();

  app_watchdog_start ();
  atexit (app_watchdog_stop);
  return why_not;
}

void
add_help_tests (void)
{
  app_test_prepare (prepare);
  app_test_add ("/help/search", test_search);
  app_test_add ("/help/pages", test_pages);
  app_test_add ("/help/rows", test_rows);
  app_test_add ("/help/sentence", test_sentence);
  app_test_add ("/help/presenting", test_presenting);
  app_test_add ("/help/bubbles", test_bubbles);
  app_test_add ("/help/bubbles-keys", test_keys_of_bubbles);
  app_test_add ("/help/bubbles-end", test_end_of_bubbles);
}
