/* A document of a newer version, the last session, the memory budget, links and shortcuts in the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <math.h>
#include <string.h>

#include "app-dialogs.h"
#include "app-files.h"
#include "app-widgets.h"
#include "app/dialogs/normscope-preferences.h"
#include "app/scaling/normscope-scaling-bar.h"
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-link.h"
#include "import/ns-experiment-open.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"

/* ---- a newer version ---- */

/* A file of a newer version is refused; document and file do not change. */
static void
test_newer (Fixture *fixture, gconstpointer data)
{
  static const char newer[] =
      "{\"format\": \"normscope-experiment\", \"version\": 7, \"shape\": {\"depth\": 5, \"experts\": 8}}\n";
  g_autoptr (GFile) file = app_new_file ("newer.normscope");
  g_autofree char *title = g_strdup (gtk_window_get_title (GTK_WINDOW (fixture->window)));
  g_autofree char *left = NULL;

  g_assert_true (g_file_set_contents (g_file_peek_path (file), newer, -1, NULL));
  normscope_window_open (fixture->window, file);
  g_assert_true (app_wait_for_toast (fixture, "newer.normscope: version: 7 needs a newer Normscope"));
  app_assert_shows (fixture);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, title);
  g_assert_true (g_file_get_contents (g_file_peek_path (file), &left, NULL, NULL));
  g_assert_cmpstr (left, ==, newer);
}

static void
close_window (NormscopeWindow *window)
{
  g_object_add_weak_pointer (G_OBJECT (window), (gpointer *) &window);
  gtk_window_present (GTK_WINDOW (window));
  gtk_window_close (GTK_WINDOW (window));
  app_wait_until (app_is_null, &window);
}

static NormscopeWindow *
start_again (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());

  normscope_window_keep_session (window, TRUE);
  return window;
}

static void
test_last_session (void)
{
  g_autoptr (GFile) file = app_new_file ("last.normscope");
  NormscopeWindow *window = start_again ();
  NsScalingSettings settings, wanted;
  NormscopeSession *session = normscope_window_get_session (window);

  g_assert_true (normscope_files_save_to (normscope_window_get_files (window), file, NULL));
  settings = *normscope_session_get_scaling (session);
  settings.axis = NS_SWEEP_D_MODEL;
  settings.metric = (NsMetric) { .quantity = NS_Q_RMS_X, .where = NS_AT_MAX };
  settings.first[NS_SWEEP_DEPTH] = 3;
  settings.last[NS_SWEEP_D_MODEL] = 96;
  settings.every = TRUE;
  settings.log_x = !settings.log_x;
  settings.residuals = !settings.residuals;
  settings.ratio = TRUE;
  settings.laws ^= 5;
  settings.numerator = 0;
  settings.denominator = 1;
  wanted = settings;
  g_assert_true (normscope_session_set_scaling (session, &settings));
  close_window (window);

  window = start_again ();
  session = normscope_window_get_session (window);
  g_assert_cmpuint (ns_scaling_settings_compare (normscope_session_get_scaling (session), &wanted), ==, 0);
  g_assert_cmpuint (ns_scaling_settings_compare (
                        normscope_scaling_bar_get_settings (NORMSCOPE_SCALING_BAR (
                            app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_SCALING_BAR))),
                        &wanted),
                    ==, 0);
  g_assert_false (normscope_session_can_undo (session));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "last.normscope — Normscope");
  close_window (window);
}

/* Invalid keys leave their settings unchanged. */
static void
test_broken_settings (void)
{
  static const char text[] = "[scaling]\nmetric=nonsense@last\naxis=time\ndepth=9..3\nd_model=0..1000000000000\n"
                             "every=maybe\nlaws=99999\nnumerator=-1\ndenominator=400\nlog-y=false\n";
  g_autoptr (GKeyFile) file = g_key_file_new ();
  NsScalingSettings settings, wanted;

  ns_scaling_settings_init (&settings);
  settings.log_y = TRUE;
  wanted = settings;
  wanted.log_y = FALSE;
  g_assert_true (g_key_file_load_from_data (file, text, strlen (text), G_KEY_FILE_NONE, NULL));
  ns_scaling_settings_read (&settings, file);
  g_assert_cmpuint (ns_scaling_settings_compare (&settings, &wanted), ==, 0);
}

/* ---- presets ---- */

static void
choose_preset (Fixture *fixture, const char *id)
{
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.preset", "s", id);
}

static void
assert_title (Fixture *fixture, const char *title)
{
  g_autofree char *whole = g_strconcat (title, " — Normscope", NULL);

  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, whole);
}

/* Unsaved changes are lost by a preset only after a question; without changes there is none. */
static void
test_preset_question (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) tiny = ns_preset_load ("tiny", NULL), gpt2 = ns_preset_load ("gpt2-small", NULL);

  assert_title (fixture, "• New experiment");
  choose_preset (fixture, "tiny");
  app_answer_question ("_Cancel");
  app_assert_shows (fixture);
  assert_title (fixture, "• New experiment");
  choose_preset (fixture, "tiny");
  app_answer_question ("_Discard");
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), tiny));
  assert_title (fixture, "Tiny");

  choose_preset (fixture, "gpt2-small");
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), gpt2));
  assert_title (fixture, "GPT-2 small");
}

/* The title is that of the document that undo and redo bring back, and Save writes to its file. */
static void
test_title_follows_undo (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = app_new_file ("undone.normscope");
  g_autoptr (NsExperiment) saved = NULL;

  g_assert_true (normscope_files_save_to (normscope_window_get_files (fixture->window), file, NULL));
  choose_preset (fixture, "tiny");
  choose_preset (fixture, "gpt2-small");
  app_activate (fixture, "win.undo");
  assert_title (fixture, "Tiny");
  app_activate (fixture, "win.undo");
  assert_title (fixture, "undone.normscope");
  app_assert_shows (fixture);

  app_move_slider (fixture, "shape.depth", 9);
  fixture->experiment->shape.depth = 9;
  assert_title (fixture, "• undone.normscope");
  app_activate (fixture, "win.save");
  assert_title (fixture, "undone.normscope");
  saved = ns_experiment_from_path (g_file_peek_path (file), NULL);
  g_assert_true (ns_experiment_equal (saved, fixture->experiment));

  app_activate (fixture, "win.undo");
  assert_title (fixture, "• undone.normscope");
  app_activate (fixture, "win.redo");
  choose_preset (fixture, "tiny");
  app_move_slider (fixture, "shape.depth", 5);
  assert_title (fixture, "• Tiny");
  for (int i = 0; i < 2; i++)
    app_activate (fixture, "win.undo");
  assert_title (fixture, "undone.normscope");
  for (int i = 0; i < 2; i++)
    app_activate (fixture, "win.redo");
  assert_title (fixture, "• Tiny");
}

/* ---- the memory budget ---- */

/* The budget applies from the next run on, is limited, is saved, and changes no number. */
static void
test_memory (Fixture *fixture, gconstpointer data)
{
  GtkWidget *preferences;
  GtkSpinButton *memory;
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  NormscopeEngine *engine = fixture->window->engine;
  double lower, upper;

  app_activate (fixture, "win.preferences");
  preferences = app_wait_for_dialog (NORMSCOPE_TYPE_PREFERENCES);
  memory = app_get_child (preferences, "memory");
  g_assert_cmpuint (normscope_engine_get_memory_budget (engine), ==, (guint64) 1024 << 20);
  gtk_spin_button_get_range (memory, &lower, &upper);
  g_assert_cmpfloat (lower, ==, 16);
  g_assert_cmpfloat (upper, ==, floor ((double) ns_machine_memory () / (1024.0 * 1024.0)));

  gtk_spin_button_set_value (memory, 32);
  app_settle ();
  g_assert_cmpuint (normscope_engine_get_memory_budget (engine), ==, (guint64) 1024 << 20);
  app_move_slider (fixture, "shape.depth", 11);
  fixture->experiment->shape.depth = 11;
  app_assert_shows (fixture);
  g_assert_cmpuint (normscope_engine_get_memory_budget (engine), ==, (guint64) 32 << 20);
  g_assert_cmpuint (g_settings_get_uint (settings, "memory-budget"), ==, 32);

  app_activate (fixture, "win.undo");
  app_activate (fixture, "win.undo");
  fixture->experiment->shape.depth = 24;
  app_assert_shows (fixture);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (memory), ==, 1024);
  gtk_window_close (GTK_WINDOW (preferences));
}

/* ---- links ---- */

static void
text_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_set (gpointer data)
{
  return *(gpointer *) data != NULL;
}

static char *
read_clipboard (Fixture *fixture)
{
  char *text = NULL;

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)), NULL, text_cb, &text);
  g_assert_true (app_wait_for (is_set, &text, TIMEOUT_MS));
  return text;
}

static void
put_on_clipboard (Fixture *fixture, const char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)), text);
}

static void
test_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *expected = ns_experiment_to_link (fixture->experiment, NULL);
  g_autofree char *copied = NULL;
  g_autofree char *broken_up = NULL;

  app_activate (fixture, "win.copy-link");
  g_assert_true (app_wait_for_toast (fixture, "on the clipboard"));
  copied = read_clipboard (fixture);
  g_assert_cmpstr (copied, ==, expected);

  /* The link may contain line breaks, as from a chat. Pasting asks about unsaved changes first. */
  broken_up = g_strdup_printf (" %.30s\n%s\n", copied, copied + 30);
  put_on_clipboard (fixture, broken_up);
  app_move_slider (fixture, "shape.depth", 3);
  app_activate (fixture, "win.paste-link");
  app_answer_question ("_Cancel");
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.depth, ==, 3);
  app_activate (fixture, "win.paste-link");
  app_answer_question ("_Discard");
  app_assert_shows (fixture);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "From a link — Normscope");
  /* The document has no file, and undo brings back the former one. */
  app_activate (fixture, "win.undo");
  g_assert_cmpint (normscope_session_get_experiment (fixture->session)->shape.depth, ==, 3);
}

static void
test_broken_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = ns_experiment_to_link (fixture->experiment, NULL);
  g_autofree char *title = g_strdup (gtk_window_get_title (GTK_WINDOW (fixture->window)));

  put_on_clipboard (fixture, "Pre-LN against Post-LN");
  app_activate (fixture, "win.paste-link");
  g_assert_true (app_wait_for_toast (fixture, "it has a different prefix"));
  link[strlen (link) - 6] = '\0';
  put_on_clipboard (fixture, link);
  app_activate (fixture, "win.paste-link");
  app_assert_shows (fixture);
  g_free (read_clipboard (fixture)); /* the reading for the action has ended before this one */
  app_settle ();
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, title);
  g_assert_true (ns_experiment_equal (normscope_session_get_experiment (fixture->session), fixture->experiment));

  /* No link is made of an invalid experiment. */
  put_on_clipboard (fixture, "unchanged");
  app_type_number (fixture, "shape.heads", "5");
  app_activate (fixture, "win.copy-link");
  app_settle ();
  {
    g_autofree char *text = read_clipboard (fixture);

    g_assert_cmpstr (text, ==, "unchanged");
  }
}

/* ---- keyboard ---- */

static void
collect_shortcuts (GtkWidget *widget, GString *all)
{
  if (GTK_IS_SHORTCUTS_SHORTCUT (widget))
    {
      g_autofree char *accelerators = NULL;

      g_object_get (widget, "accelerator", &accelerators, NULL);
      g_string_append_printf (all, " %s ", accelerators != NULL ? accelerators : "");
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_shortcuts (child, all);
}

/* The help overlay lists the first shortcut of every action that has one. */
static void
test_shortcuts (Fixture *fixture, gconstpointer data)
{
  GtkApplication *application = app_test_get_application ();
  GtkShortcutsWindow *page = gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (fixture->window));
  g_autoptr (GString) all = g_string_new (NULL);
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);

  g_assert_nonnull (page);
  collect_shortcuts (GTK_WIDGET (page), all);
  g_assert_cmpuint (g_strv_length (actions), >, 15);
  for (char **action = actions; *action != NULL; action++)
    {
      g_auto (GStrv) keys = gtk_application_get_accels_for_action (application, *action);
      GdkModifierType modifiers, other_modifiers;
      guint key, other_key;
      g_auto (GStrv) named = g_strsplit (all->str, " ", -1);
      gboolean found = FALSE;

      g_assert_true (gtk_accelerator_parse (keys[0], &key, &modifiers));
      for (char **name = named; *name != NULL && !found; name++)
        found = gtk_accelerator_parse (*name, &other_key, &other_modifiers) && other_key == key
                && other_modifiers == modifiers;
      if (!found)
        g_error ("%s (%s) is not in the help overlay", *action, keys[0]);
    }
}

/* The window handles Ctrl+V in the bubble phase, so a focused text field handles it first. */
static void
test_paste_key (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (fixture->window));
  g_autoptr (GtkShortcutTrigger) key = gtk_keyval_trigger_new (GDK_KEY_v, GDK_CONTROL_MASK);
  g_autofree char *link = NULL;
  guint found = 0;

  fixture->experiment->shape.depth = 4;
  link = ns_experiment_to_link (fixture->experiment, NULL);
  put_on_clipboard (fixture, link);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller))
        continue;
      for (guint s = 0; s < g_list_model_get_n_items (G_LIST_MODEL (controller)); s++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), s);

          if (!gtk_shortcut_trigger_equal (gtk_shortcut_get_trigger (shortcut), key))
            continue;
          found++;
          g_assert_cmpint (gtk_event_controller_get_propagation_phase (controller), ==, GTK_PHASE_BUBBLE);
          g_assert_true (gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0,
                                                       GTK_WIDGET (fixture->window), NULL));
        }
    }
  g_assert_cmpuint (found, ==, 1);
  app_answer_question ("_Discard");
  app_assert_shows (fixture);
}

void
add_documents_tests (void)
{
  app_test_add ("/documents/newer", test_newer);
  app_test_add_func ("/documents/last-session", test_last_session);
  app_test_add_func ("/documents/broken-settings", test_broken_settings);
  app_test_add ("/documents/preset-question", test_preset_question);
  app_test_add ("/documents/title-follows-undo", test_title_follows_undo);
  app_test_add ("/documents/memory", test_memory);
  app_test_add ("/documents/link", test_link);
  app_test_add ("/documents/broken-link", test_broken_link);
  app_test_add ("/documents/paste-key", test_paste_key);
  app_test_add ("/documents/shortcuts", test_shortcuts);
}
