/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-export-dialog.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-chooser.h"
#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-message.h"
#include "app/shared/normscope-sensitive.h"
#include "app/work/normscope-picture-maker.h"
#include "document/ns-file.h"
#include "plot/ns-draw.h"
#include "plot/ns-export-size.h"

/* Exports shorter than this show no spinner. */
#define SPINNER_DELAY_MS 200
#define MESSAGE_S 10

enum { UNIT_PX, UNIT_CM };

struct _NormscopeExportDialog
{
  AdwWindow parent_instance;

  NormscopeMessage *message;
  GtkDrawingArea *preview;
  GtkLabel *size_label;
  AdwComboRow *preset;
  AdwComboRow *format;
  AdwComboRow *unit;
  GtkSpinButton *width;
  GtkSpinButton *height;
  GtkSpinButton *dpi;
  GtkSpinButton *type_scale;
  AdwComboRow *background;
  GtkSwitch *transparent;
  GtkSwitch *titles;
  AdwPreferencesPage *page;
  GtkButton *export_button;
  GtkSpinner *spinner;

  NormscopePicture *titled, *plain;
  char *name;
  GtkFileChooserNative *chooser;
  GFile *file; /* chosen last, or NULL */
  gboolean updating;

  NormscopeWorker *maker; /* of the preview's figure */
  NormscopeWorker *worker;
  NormscopeSavedFunc saved;
  gpointer saved_data;
  guint spinner_id;    /* timeout before the spinner is shown */
  gboolean is_writing; /* can no longer be cancelled */
};

G_DEFINE_FINAL_TYPE (NormscopeExportDialog, normscope_export_dialog, ADW_TYPE_WINDOW)

/* ---- settings ---- */

static NsExportFormat
get_picture_format (NormscopeExportDialog *self)
{
  return (NsExportFormat) adw_combo_row_get_selected (self->format);
}

NormscopePicture *
normscope_export_dialog_get_picture (NormscopeExportDialog *self, NsExportFormat format, NormscopePictureStyle *style)
{
  NsExportSize size;

  g_return_val_if_fail (NORMSCOPE_IS_EXPORT_DIALOG (self), NULL);
  g_return_val_if_fail (style != NULL, NULL);

  size = (NsExportSize){
    .is_cm = adw_combo_row_get_selected (self->unit) == UNIT_CM,
    .width = gtk_spin_button_get_value (self->width),
    .height = gtk_spin_button_get_value (self->height),
    .dpi = gtk_spin_button_get_value (self->dpi),
  };
  ns_export_size_resolve (&size, format, &style->width, &style->height, &style->scale);
  ns_theme_init (&style->theme, adw_combo_row_get_selected (self->background) == 1 ? NS_THEME_DARK : NS_THEME_LIGHT);
  style->theme.text_scale = gtk_spin_button_get_value (self->type_scale);
  style->theme.transparent = gtk_switch_get_active (self->transparent);
  ns_export_preset_apply (ns_export_get_preset (adw_combo_row_get_selected (self->preset)), &style->theme);
  return gtk_switch_get_active (self->titles) ? self->titled : self->plain;
}

/* ---- the preview ---- */

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  NormscopeExportDialog *self = data;
  NormscopePictureStyle style;
  NormscopePicture *picture = normscope_export_dialog_get_picture (self, get_picture_format (self), &style);
  double fit = fmin (width / style.width, height / style.height);

  if (!normscope_picture_is_made (picture) || !ns_export_check_size (style.width, style.height, style.scale, NULL))
    return;
  cairo_translate (cr, (width - fit * style.width) / 2, (height - fit * style.height) / 2);
  cairo_rectangle (cr, 0, 0, fit * style.width, fit * style.height);
  cairo_clip (cr);
  if (style.theme.transparent)
    normscope_drawing_fill_checks (cr, fit * style.width, fit * style.height);
  cairo_scale (cr, fit, fit);
  ns_figure_draw (picture->figure, cr, &style.theme, style.width, style.height);
}

static void
deliver_picture (gpointer owner, gpointer picture)
{
  gtk_widget_queue_draw (GTK_WIDGET (NORMSCOPE_EXPORT_DIALOG (owner)->preview));
}

/* Show the preview, and the size or why there is no such picture. */
static void
show_sizes (NormscopeExportDialog *self)
{
  NormscopePictureStyle style;
  NormscopePicture *picture = normscope_export_dialog_get_picture (self, get_picture_format (self), &style);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gboolean fits;

  if (!normscope_picture_is_made (picture))
    normscope_picture_maker_make (self->maker, picture, deliver_picture);
  fits = ns_export_check_size (style.width, style.height, style.scale, &error);
  gtk_widget_set_css_classes (GTK_WIDGET (self->size_label), (const char *[]){ fits ? "dim-label" : "error", NULL });
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), fits && self->saved == NULL);

  normscope_export_dialog_get_picture (self, NS_EXPORT_PNG, &style);
  /* Translators: the size of a picture in pixels, and in centimetres on paper */
  text = g_strdup_printf (_ ("%.0f × %.0f pixels; on paper %.1f × %.1f cm"), ceil (style.width * style.scale),
                          ceil (style.height * style.scale), style.width / NS_PX_PER_INCH * NS_CM_PER_INCH,
                          style.height / NS_PX_PER_INCH * NS_CM_PER_INCH);
  gtk_label_set_label (self->size_label, fits ? text : error->message);
  gtk_widget_queue_draw (GTK_WIDGET (self->preview));
}

/* ---- from the controls ---- */

static void
size_edited_cb (NormscopeExportDialog *self)
{
  gsize n;

  if (self->updating || self->titled == NULL)
    return;
  /* The size no longer matches the preset; the last row is the custom size. */
  ns_export_presets (&n);
  adw_combo_row_set_selected (self->preset, (guint) n);
  show_sizes (self);
}

static void
look_changed_cb (NormscopeExportDialog *self)
{
  if (self->titled != NULL)
    show_sizes (self);
}

/* Set the unit of width and height. Their ranges are those of a picture at 96 dpi; show_sizes() tells what remains of
 * them at other resolutions. */
static void
set_unit (NormscopeExportDialog *self, gboolean is_cm)
{
  double least = is_cm ? 0.1 : NS_EXPORT_MIN_SIDE_PX;
  double most = NS_EXPORT_MAX_SIDE_PX * (is_cm ? NS_CM_PER_INCH / NS_PX_PER_INCH : 1);

  gtk_spin_button_set_digits (self->width, is_cm ? 1 : 0);
  gtk_spin_button_set_digits (self->height, is_cm ? 1 : 0);
  gtk_spin_button_set_range (self->width, least, most);
  gtk_spin_button_set_range (self->height, least, most);
}

static void
preset_cb (NormscopeExportDialog *self)
{
  const NsExportPreset *preset = ns_export_get_preset (adw_combo_row_get_selected (self->preset));
  const NsExportSize *size;

  if (self->updating || preset == NULL || self->titled == NULL)
    return;
  size = &preset->size;
  self->updating = TRUE;
  adw_combo_row_set_selected (self->unit, size->is_cm ? UNIT_CM : UNIT_PX);
  set_unit (self, size->is_cm);
  gtk_spin_button_set_value (self->width, size->width);
  gtk_spin_button_set_value (self->height, size->height);
  gtk_spin_button_set_value (self->dpi, size->dpi);
  gtk_spin_button_set_value (self->type_scale, size->text_scale);
  self->updating = FALSE;
  show_sizes (self);
}

/* Convert the size to the new unit. */
static void
unit_cb (NormscopeExportDialog *self)
{
  double factor = gtk_spin_button_get_value (self->dpi) / NS_CM_PER_INCH;
  double width = gtk_spin_button_get_value (self->width), height = gtk_spin_button_get_value (self->height);
  gboolean is_cm = adw_combo_row_get_selected (self->unit) == UNIT_CM;

  if (self->updating || self->titled == NULL)
    return;
  factor = is_cm ? 1 / factor : factor;
  self->updating = TRUE;
  set_unit (self, is_cm);
  gtk_spin_button_set_value (self->width, width * factor);
  gtk_spin_button_set_value (self->height, height * factor);
  self->updating = FALSE;
  size_edited_cb (self);
}

/* ---- the file ---- */

static const char *
get_suffix (NormscopeExportDialog *self)
{
  static const char *const suffixes[] = { ".png", ".svg", ".pdf" };

  return suffixes[get_picture_format (self)];
}

static gboolean
show_spinner_cb (gpointer data)
{
  NormscopeExportDialog *self = data;

  self->spinner_id = 0;
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), TRUE);
  gtk_spinner_start (self->spinner);
  normscope_set_sensitive (GTK_WIDGET (self->page), FALSE);
  return G_SOURCE_REMOVE;
}

static void
set_export_busy (NormscopeExportDialog *self, gboolean busy)
{
  g_clear_handle_id (&self->spinner_id, g_source_remove);
  if (busy)
    self->spinner_id = g_timeout_add (SPINNER_DELAY_MS, show_spinner_cb, self);
  else
    {
      gtk_spinner_stop (self->spinner);
      gtk_widget_set_visible (GTK_WIDGET (self->spinner), FALSE);
      gtk_widget_set_sensitive (GTK_WIDGET (self->page), TRUE);
    }
  show_sizes (self);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_BUSY, busy, -1);
}

static void
finish (NormscopeExportDialog *self, const GError *error)
{
  NormscopeSavedFunc saved = g_steal_pointer (&self->saved);

  self->is_writing = FALSE;
  set_export_busy (self, FALSE);
  saved (self, error, self->saved_data);
}

/* ---- the worker: one job draws the picture, a second one writes its bytes ---- */

/* A job, and its delivery. */
typedef struct
{
  NormscopePicture *picture; /* NULL in the second job */
  NormscopePictureStyle style;
  NsExportFormat format;
  char *path;
  GBytes *bytes; /* of the second job and the first delivery */
  GError *error; /* of a delivery */
} ExportJob;

static void
export_job_free (gpointer data)
{
  ExportJob *job = data;

  g_clear_pointer (&job->picture, normscope_picture_unref);
  g_clear_pointer (&job->bytes, g_bytes_unref);
  g_clear_error (&job->error);
  g_free (job->path);
  g_free (job);
}

static void
deliver_job (gpointer owner, gpointer data)
{
  NormscopeExportDialog *self = owner;
  ExportJob *done = data;
  ExportJob *job;

  if (done->error != NULL || self->is_writing)
    {
      finish (self, done->error);
      return;
    }
  /* From here on the dialog refuses to close, so that the file is written completely. */
  self->is_writing = TRUE;
  job = g_new0 (ExportJob, 1);
  job->bytes = g_steal_pointer (&done->bytes);
  job->path = g_steal_pointer (&done->path);
  normscope_worker_replace (self->worker, job);
}

static void
run_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  /* A large picture takes half a GiB: wait for a cancelled drawing to end before the next one starts. */
  static GMutex drawing;
  const ExportJob *job = data;
  ExportJob *done = g_new0 (ExportJob, 1);

  done->path = g_strdup (job->path);
  if (job->bytes != NULL)
    ns_file_write (job->path, job->bytes, &done->error);
  else
    {
      g_mutex_lock (&drawing);
      if (normscope_worker_start_run (worker, serial, NULL))
        done->bytes = normscope_picture_export (job->picture, &job->style, job->format, &done->error);
      g_mutex_unlock (&drawing);
    }
  normscope_worker_enqueue_delivery (worker, serial, deliver_job, done, export_job_free);
}

static gboolean
start_export (NormscopeExportDialog *self, GFile *file, GError **error)
{
  g_autofree char *path = ns_file_dup_path (file, error);
  NormscopePictureStyle style;
  NsExportFormat format;
  ExportJob *job;

  if (path == NULL || !ns_export_format_from_path (path, &format, error)
      || !ns_file_check_writable (path, error))
    return FALSE;
  job = g_new0 (ExportJob, 1);
  /* Preview and worker can share it. */
  job->picture = normscope_picture_ref (normscope_export_dialog_get_picture (self, format, &style));
  job->style = style;
  job->format = format;
  job->path = g_steal_pointer (&path);
  normscope_worker_replace (self->worker, job);
  return TRUE;
}

void
normscope_export_dialog_save_to (NormscopeExportDialog *self, GFile *file, NormscopeSavedFunc saved, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_return_if_fail (NORMSCOPE_IS_EXPORT_DIALOG (self));
  g_return_if_fail (G_IS_FILE (file));
  g_return_if_fail (saved != NULL && self->saved == NULL);

  self->saved = saved;
  self->saved_data = data;
  if (start_export (self, file, &error))
    set_export_busy (self, TRUE);
  else
    finish (self, error);
}

static void
saved_cb (NormscopeExportDialog *self, const GError *error, gpointer data)
{
  if (error != NULL)
    {
      normscope_message_show (self->message, error->message, MESSAGE_S);
      return;
    }
  normscope_chooser_confirm_saved (gtk_window_get_transient_for (GTK_WINDOW (self)), self->file);
  gtk_window_close (GTK_WINDOW (self));
}

static void
export_response_cb (NormscopeExportDialog *self, int response)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = normscope_chooser_dup_chosen (self->chooser, response, get_suffix (self), &error);

  if (file != NULL)
    {
      g_set_object (&self->file, file);
      normscope_export_dialog_save_to (self, file, saved_cb, NULL);
    }
  else if (error != NULL)
    normscope_message_show (self->message, error->message, MESSAGE_S);
}

static void
picture_export_cb (NormscopeExportDialog *self)
{
  static const char *const patterns[] = { "*.png", "*.svg", "*.pdf", NULL };
  g_autofree char *name = g_strconcat (self->name, get_suffix (self), NULL);

  g_clear_object (&self->chooser);
  self->chooser = normscope_chooser_new (GTK_WINDOW (self), _ ("Export the Figure"), GTK_FILE_CHOOSER_ACTION_SAVE,
                                         _ ("Pictures"), patterns);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (export_response_cb), self, G_CONNECT_SWAPPED);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), g_strdelimit (name, "/", '-'));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/* ---- the object ---- */

NormscopeExportDialog *
normscope_export_dialog_new (GtkWindow *parent, NormscopePicture *titled, NormscopePicture *plain, const char *name)
{
  NormscopeExportDialog *self;

  g_return_val_if_fail (titled != NULL && plain != NULL, NULL);
  self = g_object_new (NORMSCOPE_TYPE_EXPORT_DIALOG, "transient-for", parent, NULL);
  self->titled = titled;
  self->plain = plain;
  self->name = g_strdup (name);
  self->maker = normscope_picture_maker_new (G_OBJECT (self));
  self->worker = normscope_worker_new (G_OBJECT (self), NULL, run_job, export_job_free);
  if (adw_style_manager_get_dark (adw_style_manager_get_default ()))
    adw_combo_row_set_selected (self->background, 1);
  show_sizes (self);
  return self;
}

static gboolean
normscope_export_dialog_close_request (GtkWindow *window)
{
  NormscopeExportDialog *self = NORMSCOPE_EXPORT_DIALOG (window);

  return self->is_writing || GTK_WINDOW_CLASS (normscope_export_dialog_parent_class)->close_request (window);
}

static void
normscope_export_dialog_dispose (GObject *object)
{
  NormscopeExportDialog *self = NORMSCOPE_EXPORT_DIALOG (object);

  g_clear_handle_id (&self->spinner_id, g_source_remove);
  g_clear_pointer (&self->maker, normscope_worker_release);
  g_clear_pointer (&self->worker, normscope_worker_release);
  g_clear_object (&self->chooser);
  g_clear_object (&self->file);
  g_clear_pointer (&self->titled, normscope_picture_unref);
  g_clear_pointer (&self->plain, normscope_picture_unref);
  g_clear_pointer (&self->name, g_free);
  G_OBJECT_CLASS (normscope_export_dialog_parent_class)->dispose (object);
}

static void
normscope_export_dialog_class_init (NormscopeExportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_export_dialog_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = normscope_export_dialog_close_request;
  g_type_ensure (NORMSCOPE_TYPE_MESSAGE);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/normscope/Normscope/normscope-export-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, message);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, preview);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, size_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, preset);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, format);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, unit);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, width);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, height);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, dpi);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, type_scale);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, background);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, transparent);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, titles);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, page);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, export_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeExportDialog, spinner);
  gtk_widget_class_bind_template_callback (widget_class, size_edited_cb);
  gtk_widget_class_bind_template_callback (widget_class, look_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_cb);
  gtk_widget_class_bind_template_callback (widget_class, unit_cb);
  gtk_widget_class_bind_template_callback (widget_class, picture_export_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_export_dialog_init (NormscopeExportDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drawing_area_set_draw_func (self->preview, draw_cb, self, NULL);
}
