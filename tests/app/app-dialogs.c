/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-dialogs.h"

#define MAX_CHOICES 10
#define CHOICE_MS   5000

typedef struct
{
  GType type;
  GtkWidget *found;
} Search;

static gboolean
is_open (gpointer data)
{
  Search *search = data;
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  search->found = NULL;
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (window, search->type) && gtk_widget_get_mapped (window))
        search->found = window;
    }
  return search->found != NULL;
}

gboolean
app_has_dialog (GType type)
{
  return is_open (&(Search){ type, NULL });
}

GtkWidget *
app_wait_for_dialog (GType type)
{
  Search search = { type, NULL };

  g_assert_true (app_wait_for (is_open, &search, TIMEOUT_MS));
  return search.found;
}

static gboolean
is_closed (gpointer data)
{
  return !is_open (data);
}

void
app_answer_question (const char *button)
{
  Search search = { ADW_TYPE_MESSAGE_DIALOG, NULL };

  GtkWidget *found = app_find_text (app_wait_for_dialog (ADW_TYPE_MESSAGE_DIALOG), button);

  g_assert_true (GTK_IS_BUTTON (found));
  g_signal_emit_by_name (found, "clicked");
  g_assert_true (app_wait_for (is_closed, &search, TIMEOUT_MS));
  app_settle ();
}

typedef struct
{
  GtkFileChooser *chooser;
  GFile *file;
} Choice;

/* Predicate: the chooser, which loads folders asynchronously, has the file. */
static gboolean
has_chosen (gpointer data)
{
  Choice *choice = data;
  g_autoptr (GFile) file = gtk_file_chooser_get_file (choice->chooser);

  return file != NULL && g_file_equal (file, choice->file);
}

void
app_choose_file (const char *folder, const char *name)
{
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (app_wait_for_dialog (GTK_TYPE_FILE_CHOOSER_DIALOG));
  Search search = { GTK_TYPE_FILE_CHOOSER_DIALOG, NULL };
  g_autoptr (GFile) where = g_file_new_for_path (folder);
  g_autoptr (GFile) file = g_file_get_child (where, name);
  Choice choice = { chooser, file };

  app_settle ();
  /* The chooser loads its default folder first, which may replace another one that comes too early. */
  for (int i = 0; i < MAX_CHOICES && !has_chosen (&choice); i++)
    {
      if (gtk_file_chooser_get_action (chooser) == GTK_FILE_CHOOSER_ACTION_SAVE)
        {
          gtk_file_chooser_set_current_folder (chooser, where, NULL);
          gtk_file_chooser_set_current_name (chooser, name);
        }
      else
        gtk_file_chooser_set_file (chooser, file, NULL);
      app_wait_for (has_chosen, &choice, CHOICE_MS);
      app_draw_frames (12);
    }
  g_assert_true (has_chosen (&choice));
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_ACCEPT);
  g_assert_true (app_wait_for (is_closed, &search, TIMEOUT_MS));
  app_settle ();
}

/* ---- pictures ---- */

void
app_drop_file (Fixture *fixture, GFile *file)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (fixture->window));
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (content);
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_array (&file, 1));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        g_signal_emit_by_name (controller, "drop", &value, 10.0, 10.0, &taken);
    }
  g_assert_true (taken);
}

NormscopeExportDialog *
app_open_export_dialog (Fixture *fixture)
{
  app_activate (fixture, "win.export");
  return NORMSCOPE_EXPORT_DIALOG (app_wait_for_dialog (NORMSCOPE_TYPE_EXPORT_DIALOG));
}

static void
saved_cb (NormscopeExportDialog *dialog, const GError *error, gpointer data)
{
  AppSave *saving = data;

  g_assert_false (saving->is_over);
  saving->is_over = TRUE;
  saving->error = error != NULL ? g_error_copy (error) : NULL;
}

void
app_start_save (NormscopeExportDialog *dialog, GFile *file, AppSave *saving)
{
  *saving = (AppSave){ FALSE, NULL };
  normscope_export_dialog_save_to (dialog, file, saved_cb, saving);
}

static gboolean
is_saved (gpointer data)
{
  return ((AppSave *) data)->is_over;
}

void
app_wait_for_save (AppSave *saving)
{
  g_assert_true (app_wait_for (is_saved, saving, TIMEOUT_MS));
}

gboolean
app_save_to (NormscopeExportDialog *dialog, GFile *file, GError **error)
{
  AppSave saving;

  app_start_save (dialog, file, &saving);
  app_wait_for_save (&saving);
  if (saving.error == NULL)
    return TRUE;
  g_propagate_error (error, saving.error);
  return FALSE;
}
