/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-monkey.h"

#include <stdio.h>
#include <string.h>

#include "app-widgets.h"
#include "app-monkey-private.h"
#include "app-watchdog.h"
#include "figures/ns-scaling-settings.h"
#include "app/work/normscope-worker.h"
#include "engine/experiment/ns-params.h"

#define N_REMEMBERED 24
/* Small models, so that runs end and the next action finds a result. */
#define MAX_D_MODEL  48
#define MEMORY_MIB   64

static GRand *dice;
static char *journal[N_REMEMBERED];
static guint n_actions;

/* ---- the journal ---- */

void
app_monkey_note (const char *format, ...)
{
  char **slot = &journal[n_actions++ % N_REMEMBERED];
  va_list arguments;

  g_free (*slot);
  va_start (arguments, format);
  *slot = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  app_watchdog_name (*slot);
}

const char *
app_monkey_get_last (void)
{
  return n_actions > 0 ? journal[(n_actions - 1) % N_REMEMBERED] : "nothing yet";
}

void
app_monkey_print_last (void)
{
  for (guint i = n_actions > N_REMEMBERED ? n_actions - N_REMEMBERED : 0; i < n_actions; i++)
    printf ("# %u: %s\n", i + 1, journal[i % N_REMEMBERED]);
  fflush (stdout);
}

/* ---- dice ---- */

guint
app_monkey_roll (guint n)
{
  return (guint) g_rand_int_range (dice, 0, (gint32) n);
}

double
app_monkey_roll_between (double min, double max)
{
  return g_rand_double_range (dice, min, max);
}

gboolean
app_monkey_is_one_of (guint n)
{
  return app_monkey_roll (n) == 0;
}

/* ---- windows ---- */

static gboolean
is_dialog_of_gtk (GtkWidget *window)
{
  return GTK_IS_FILE_CHOOSER (window) || strstr (G_OBJECT_TYPE_NAME (window), "Print") != NULL;
}

/* List the mapped windows: those of the application, or the dialogs above them. */
static GPtrArray *
list_windows (gboolean dialogs)
{
  GPtrArray *list = g_ptr_array_new ();
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (gtk_widget_get_mapped (window) && NORMSCOPE_IS_WINDOW (window) != dialogs)
        g_ptr_array_add (list, window);
    }
  return list;
}

guint
app_monkey_count_windows (void)
{
  g_autoptr (GPtrArray) windows = list_windows (FALSE);

  return windows->len;
}

/* Return the active window; seldom another one, since GTK then draws both windows anew. */
static GtkWidget *
pick_window (void)
{
  g_autoptr (GPtrArray) windows = list_windows (FALSE);

  for (guint i = 0; i < windows->len; i++)
    if (gtk_window_is_active (windows->pdata[i]) && !app_monkey_is_one_of (20))
      return windows->pdata[i];

  return windows->len > 0 ? windows->pdata[app_monkey_roll (windows->len)] : NULL;
}

GtkWidget *
app_monkey_get_dialog (void)
{
  g_autoptr (GPtrArray) dialogs = list_windows (TRUE);

  return dialogs->len > 0 ? dialogs->pdata[dialogs->len - 1] : NULL;
}

GtkWidget *
app_monkey_open_window (void)
{
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  NormscopeSession *session = normscope_window_get_session (window);
  NsScalingSettings scaling = *normscope_session_get_scaling (session);
  NormscopeView view = *normscope_session_get_view (session);

  view.memory_mib = MEMORY_MIB;
  normscope_session_set_view (session, &view);
  scaling.last[NS_SWEEP_DEPTH] = 8;
  scaling.last[NS_SWEEP_D_MODEL] = MAX_D_MODEL;
  normscope_session_set_scaling (session, &scaling);
  normscope_session_set_int (session, ns_param_find ("shape.d_model"), 32, NULL);
  normscope_session_set_int (session, ns_param_find ("shape.d_ff"), 64, NULL);
  gtk_window_present (GTK_WINDOW (window));
  app_iterate (20);
  return GTK_WIDGET (window);
}

static guint n_alive;

static void
gone_cb (gpointer data, GObject *former)
{
  n_alive--;
}

static gboolean
are_gone (gpointer data)
{
  return n_alive == 0;
}

void
app_monkey_destroy_window (GtkWidget *window)
{
  n_alive++;
  g_object_weak_ref (G_OBJECT (window), gone_cb, NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* GTK's own dialogs could write anywhere. */
static void
close_dialogs_of_gtk (void)
{
  g_autoptr (GPtrArray) dialogs = list_windows (TRUE);

  for (guint i = 0; i < dialogs->len; i++)
    if (is_dialog_of_gtk (dialogs->pdata[i]))
      {
        gtk_dialog_response (dialogs->pdata[i], GTK_RESPONSE_CANCEL);
        app_iterate (20);
      }
}

/* ---- one action ---- */

static const AppMonkeyAction *
pick_action (void)
{
  const AppMonkeyAction *action;
  guint sum = 0, at;

  for (action = app_monkey_actions; action->act != NULL; action++)
    sum += action->weight;
  at = app_monkey_roll (sum);
  for (action = app_monkey_actions; at >= action->weight; action++)
    at -= action->weight;
  return action;
}

void
app_monkey_act (void)
{
  GtkWidget *window, *dialog;
  guint before = n_actions;

  close_dialogs_of_gtk ();
  while (n_actions == before)
    {
      g_autoptr (GtkWidget) held = NULL;
      const AppMonkeyAction *action = pick_action ();

      window = pick_window ();
      held = g_object_ref (window != NULL ? window : app_monkey_open_window ());
      dialog = app_monkey_get_dialog ();
      if (dialog == NULL || !action->from_within)
        action->act (held);
      else if (app_monkey_is_one_of (3))
        {
          app_monkey_note ("close %s", G_OBJECT_TYPE_NAME (dialog));
          gtk_window_close (GTK_WINDOW (dialog));
        }
    }
  app_iterate (1);
}

/* ---- the end ---- */

static gboolean
have_workers_ended (gpointer data)
{
  return normscope_workers_wait (10);
}

gboolean
app_monkey_rest (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  close_dialogs_of_gtk ();
  app_monkey_note ("close everything");
  while (g_list_model_get_n_items (windows) > 0)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, 0);

      app_monkey_destroy_window (window);
    }
  /* The table of a map of 1000 blocks takes 15 MiB there, and is the user's. */
  gdk_clipboard_set_content (gdk_display_get_clipboard (gdk_display_get_default ()), NULL);
  /* The workers' memory is given back a second after their end. */
  app_iterate (1500);
  g_assert_true (app_wait_for (have_workers_ended, NULL, TIMEOUT_MS));
  return app_wait_for (are_gone, NULL, TIMEOUT_MS);
}

/* Links would open another program. */
static gboolean
refuse_link (void)
{
  return TRUE;
}

void
app_monkey_start (guint32 seed)
{
  const GType types[] = { GTK_TYPE_LABEL, GTK_TYPE_LINK_BUTTON };

  dice = g_rand_new_with_seed (seed);
  /* As on a desktop, the next action meets what still fades and slides. By hand only, since libadwaita 1.2 then
   * allocates a negative width to the parts of a flap that F9 hides as its window opens. */
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", g_getenv ("NORMSCOPE_MONKEY_ANIMATIONS") != NULL,
                NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_type_class_unref (g_type_class_ref (types[i]));
      g_signal_override_class_handler ("activate-link", types[i], G_CALLBACK (refuse_link));
    }
  app_monkey_note ("open the first window");
  app_monkey_open_window ();
}

void
app_monkey_stop (void)
{
  g_clear_pointer (&dice, g_rand_free);
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  for (guint i = 0; i < N_REMEMBERED; i++)
    g_clear_pointer (&journal[i], g_free);
  n_actions = 0;
}
