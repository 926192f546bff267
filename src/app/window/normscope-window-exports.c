/* Actions of the window that export, copy and print the visible view's figure, data and script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/dialogs/normscope-data-dialog.h"
#include "app/dialogs/normscope-export.h"
#include "app/dialogs/normscope-script-dialog.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"

/* Longer than a plain message: it has a button. */
#define FOLDER_MESSAGE_S 12

/* ---- figures ---- */

static NormscopePicture *
dup_view_picture (NormscopeWindow *self, gboolean titles)
{
  NsFigureSource source = { 0 };
  NsFigureOptions options;

  GtkWidget *view = adw_view_stack_get_visible_child (self->views);

  if (view == GTK_WIDGET (self->paths_view))
    return normscope_paths_view_dup_picture (self->paths_view, titles);
  if (view == GTK_WIDGET (self->training_view))
    return normscope_training_page_dup_picture (normscope_training_view_get_page (self->training_view), titles);
  if (view != GTK_WIDGET (self->scaling_view))
    return normscope_flow_view_dup_picture (self->flow_view, titles);
  ns_figure_options_init (&options);
  source.sweep = normscope_scaling_view_get_shown (self->scaling_view, &options.scaling);
  if (source.sweep == NULL)
    return NULL;
  source.experiment = ns_sweep_get_experiment (source.sweep);
  ns_figure_options_set_titles (&options, titles);
  return normscope_picture_new (NS_FIGURE_SCALING, &source, &options);
}

static NormscopePicture *
dup_picture (GtkWindow *window, gboolean titles)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (window);
  NormscopePicture *picture = dup_view_picture (self, titles);

  if (picture != NULL)
    picture->verified = g_strdup (normscope_window_get_verified (self, picture->source.experiment));
  return picture;
}

/* Show the error, or a message if there is nothing to export. */
static void
show_outcome (NormscopeWindow *self, gboolean ok, const GError *error)
{
  if (error != NULL)
    normscope_window_show_message (self, error->message);
  else if (!ok)
    normscope_window_show_message (self, _ ("There is no complete figure yet."));
}

static void
export_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  show_outcome (self, normscope_export_open (GTK_WINDOW (self), dup_picture, "normscope"), NULL);
}

static void
copy_picture_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);
  g_autoptr (GError) error = NULL;
  int width = gtk_widget_get_width (view), height = gtk_widget_get_height (view);
  gboolean ok = normscope_export_copy_picture (GTK_WINDOW (self), dup_picture, width, height,
                                               normscope_session_get_view (self->session)->text_scale, &error);

  show_outcome (self, ok, error);
  if (ok)
    {
      /* Translators: width and height in pixels */
      g_autofree char *text = g_strdup_printf (_ ("The picture is on the clipboard: PNG with %d × %d pixels, and SVG"),
                                               width * NORMSCOPE_EXPORT_COPY_SCALE,
                                               height * NORMSCOPE_EXPORT_COPY_SCALE);

      normscope_window_show_message (self, text);
    }
}

static void
copy_data_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  gboolean ok = normscope_export_copy_data (GTK_WINDOW (self), dup_picture);

  show_outcome (self, ok, NULL);
  if (ok)
    normscope_window_show_message (self, _ ("The numbers of the figure are on the clipboard, as a table with tabs"));
}

static void
print_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  g_autoptr (GError) error = NULL;
  gboolean ok = normscope_export_print (GTK_WINDOW (self), dup_picture, NULL, &error);

  show_outcome (self, ok, error);
}

gboolean
normscope_window_print_to (NormscopeWindow *self, const char *path, GError **error)
{
  g_return_val_if_fail (NORMSCOPE_IS_WINDOW (self), FALSE);
  return normscope_export_print (GTK_WINDOW (self), dup_picture, path, error);
}

/* ---- data ---- */

/* Return the numbers of a training, or of what the figure is made from. */
static NormscopeData *
dup_training_data (NormscopeTrainingPage *page)
{
  NsTraining *training = normscope_training_page_get_training (page);
  g_autoptr (NormscopePicture) picture = NULL;

  if (training != NULL) /* the data of a recording are its file */
    return ns_training_is_recorded (training) ? NULL : normscope_data_new_training (training);
  picture = normscope_training_page_dup_picture (page, FALSE);
  if (picture != NULL && picture->source.sensitivity != NULL)
    return normscope_data_new_sensitivity (picture->source.sensitivity);
  if (picture != NULL && picture->source.coordinates != NULL)
    return normscope_data_new_coordinates (picture->source.coordinates);
  return NULL;
}

static NormscopeData *
dup_data (NormscopeWindow *self)
{
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);
  gboolean is_paths = view == GTK_WIDGET (self->paths_view);
  g_autoptr (NsExperiment) experiment = NULL;
  NsScalingOptions options;
  const NsResult *result;
  const NsSweep *sweep;
  NormscopeData *data;

  if (is_paths && normscope_paths_view_get_paths (self->paths_view) != NULL)
    return normscope_data_new_paths (normscope_paths_view_get_paths (self->paths_view));
  if (view == GTK_WIDGET (self->training_view))
    return dup_training_data (normscope_training_view_get_page (self->training_view));
  if (view != GTK_WIDGET (self->scaling_view))
    {
      result = is_paths ? normscope_paths_view_get_result (self->paths_view)
                        : normscope_flow_view_get_result (self->flow_view);
      if (result == NULL)
        return NULL;
      data = normscope_data_new_result (result);
      experiment = ns_provenance_dup_experiment (result);
      data->verified = g_strdup (normscope_window_get_verified (self, experiment));
      return data;
    }
  sweep = normscope_scaling_view_get_shown (self->scaling_view, &options);
  if (sweep == NULL)
    return NULL;
  data = normscope_data_new_sweep (sweep);
  data->has_ratio = options.view == NS_SCALING_RATIO;
  data->numerator = options.numerator;
  data->denominator = options.denominator;
  return data;
}

static void
export_data_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  NormscopeData *data = dup_data (self);

  if (data == NULL)
    normscope_window_show_message (self, _ ("There are no numbers yet."));
  else
    gtk_window_present (GTK_WINDOW (normscope_data_dialog_new (GTK_WINDOW (self), data, "normscope")));
}

/* ---- PyTorch ---- */

NsScriptParts *
normscope_window_dup_parts (NormscopeWindow *self)
{
  NsScriptParts *parts = g_new0 (NsScriptParts, 1);
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);
  NsPathsSettings settings;

  parts->training = view == GTK_WIDGET (self->training_view)
                    && ns_experiment_validate_training (normscope_session_get_experiment (self->session), NULL);
  if (view == GTK_WIDGET (self->paths_view)
      && ns_view_choice_get_settings (normscope_session_get_paths (self->session), &settings))
    {
      parts->maps = g_array_new (FALSE, FALSE, sizeof (NsPathsSettings));
      g_array_append_val (parts->maps, settings);
    }
  return parts;
}

static void
export_script_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  const GError *problem = normscope_session_get_error (self->session);
  g_autoptr (GFile) folder = normscope_files_dup_folder (self->files);
  g_autoptr (NsScriptParts) parts = normscope_window_dup_parts (self);
  NormscopeScriptDialog *dialog;

  if (problem != NULL)
    {
      normscope_window_show_message (self, problem->message);
      return;
    }
  dialog = normscope_script_dialog_new (GTK_WINDOW (self), normscope_session_get_experiment (self->session),
                                        normscope_session_get_selected (self->session), parts, folder,
                                        normscope_session_get_memory_budget (self->session));
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
show_folder_message_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);
  const char *text, *uri;

  g_variant_get (parameter, "(&s&s)", &text, &uri);
  normscope_message_offer (self->message, text, FOLDER_MESSAGE_S, _ ("_Open Folder"), "win.open-folder",
                           g_variant_new_string (uri));
}

static void
open_folder_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_show_uri (GTK_WINDOW (widget), g_variant_get_string (parameter, NULL), GDK_CURRENT_TIME);
}

void
normscope_window_install_exports (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.export", NULL, export_cb);
  gtk_widget_class_install_action (widget_class, "win.export-data", NULL, export_data_cb);
  gtk_widget_class_install_action (widget_class, "win.export-script", NULL, export_script_cb);
  gtk_widget_class_install_action (widget_class, "win.show-folder-message", "(ss)", show_folder_message_cb);
  gtk_widget_class_install_action (widget_class, "win.open-folder", "s", open_folder_cb);
  gtk_widget_class_install_action (widget_class, "win.copy-picture", NULL, copy_picture_cb);
  gtk_widget_class_install_action (widget_class, "win.copy-data", NULL, copy_data_cb);
  gtk_widget_class_install_action (widget_class, "win.print", NULL, print_cb);
}
