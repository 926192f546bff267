/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-data-dialog.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-chooser.h"
#include "document/ns-file.h"

/* The order of the drop-down's rows. */
enum { VALUES_STATISTICS, VALUES_PER_SEED };

struct _NormscopeDataDialog
{
  AdwWindow parent_instance;

  AdwComboRow *format;
  AdwComboRow *values;
  GtkLabel *note;
  GtkLabel *error_label;

  NormscopeData *data;
  char *name;
  GtkFileChooserNative *chooser;
};

G_DEFINE_FINAL_TYPE (NormscopeDataDialog, normscope_data_dialog, ADW_TYPE_WINDOW)

/* ---- settings ---- */

static NormscopeDataFormat
get_data_format (NormscopeDataDialog *self)
{
  return (NormscopeDataFormat) MIN (adw_combo_row_get_selected (self->format), NORMSCOPE_DATA_NPY);
}

static const char *
get_note (NormscopeDataDialog *self)
{
  switch (get_data_format (self))
    {
    case NORMSCOPE_DATA_JSON:
      if (self->data->paths != NULL)
        return _ ("All numbers of the maps, by variant. Includes the experiment, the settings of the paths, program "
                  "version, BLAS and precision.");
      if (self->data->training != NULL)
        return _ ("The losses of all steps and all quantities of the recorded ones, by variant. Includes the "
                  "experiment, program version, BLAS and precision.");
      if (self->data->sensitivity != NULL)
        return _ ("All cells, and the learning rates that train each variant. Includes the experiment, program "
                  "version, BLAS and precision.");
      if (self->data->coordinates != NULL)
        return _ ("All sizes, widths and steps, and for each variant its verdict. Includes the experiment, program "
                  "version, BLAS and precision.");
      return self->data->sweep != NULL
                 ? _ ("All points, and for each variant its exponent and laws. Includes the experiment, program "
                      "version, BLAS and precision.")
                 : _ ("All quantities of all blocks, by variant. Includes the experiment, program version, BLAS and "
                      "precision.");
    case NORMSCOPE_DATA_NPY:
      return _ ("A structured array for numpy.load() and pandas.DataFrame(). The format cannot hold the experiment: "
                "save it separately.");
    case NORMSCOPE_DATA_CSV:
    default:
      if (self->data->paths != NULL)
        return _ ("One row per variant and number of the maps. Comment lines (#) give the experiment, seeds, program "
                  "version, BLAS and precision.");
      if (self->data->training != NULL)
        return _ ("One row per variant, step, block and quantity. Comment lines (#) give the experiment, seeds, "
                  "program version, BLAS and precision.");
      if (self->data->sensitivity != NULL)
        return _ ("One row per variant and cell of the map. Comment lines (#) give the experiment, seeds, program "
                  "version, BLAS and precision.");
      if (self->data->coordinates != NULL)
        return _ ("One row per variant, size, width and step. Comment lines (#) give the experiment, seeds, program "
                  "version, BLAS and precision.");
      return self->data->sweep != NULL
                 ? _ ("One row per variant, point and seed. Comment lines (#) give the experiment, seeds, program "
                      "version, BLAS and precision.")
                 : _ ("One row per variant, block and quantity. Comment lines (#) give the experiment, seeds, program "
                      "version, BLAS and precision.");
    }
}

static void
show_data_error (NormscopeDataDialog *self, const char *message)
{
  gtk_label_set_label (self->error_label, message != NULL ? message : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error_label), message != NULL);
}

static void
show_data (NormscopeDataDialog *self)
{
  if (self->data == NULL)
    return;
  gtk_label_set_label (self->note, get_note (self));
  show_data_error (self, NULL);
}

/* ---- the file ---- */

gboolean
normscope_data_dialog_save_to (NormscopeDataDialog *self, GFile *file, GError **error)
{
  gboolean per_seed;
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;
  NormscopeDataFormat format;

  g_return_val_if_fail (NORMSCOPE_IS_DATA_DIALOG (self), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  path = ns_file_dup_path (file, error);
  if (path == NULL || !normscope_data_format_from_name (self->data, path, &format, error)
      || !ns_file_check_writable (path, error))
    return FALSE;
  per_seed = adw_combo_row_get_selected (self->values) == VALUES_PER_SEED;
  bytes = normscope_data_export (self->data, format, per_seed);
  return ns_file_write (path, bytes, error);
}

static void
data_response_cb (NormscopeDataDialog *self, int response)
{
  const char *suffix = normscope_data_get_suffix (get_data_format (self));
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) file = normscope_chooser_dup_chosen (self->chooser, response, suffix, &error);

  if (file != NULL && normscope_data_dialog_save_to (self, file, &error))
    {
      normscope_chooser_confirm_saved (gtk_window_get_transient_for (GTK_WINDOW (self)), file);
      gtk_window_close (GTK_WINDOW (self));
    }
  else if (error != NULL)
    show_data_error (self, error->message);
}

static void
data_export_cb (NormscopeDataDialog *self)
{
  static const char *const patterns[] = { "*.csv", "*.json", "*.npy", NULL };
  g_autofree char *name = g_strconcat (self->name, normscope_data_get_suffix (get_data_format (self)), NULL);

  g_clear_object (&self->chooser);
  self->chooser = normscope_chooser_new (GTK_WINDOW (self), _ ("Export the Data"), GTK_FILE_CHOOSER_ACTION_SAVE,
                                         _ ("Tables"), patterns);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (data_response_cb), self, G_CONNECT_SWAPPED);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), g_strdelimit (name, "/", '-'));
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/* ---- the object ---- */

NormscopeDataDialog *
normscope_data_dialog_new (GtkWindow *parent, NormscopeData *data, const char *name)
{
  NormscopeDataDialog *self;

  g_return_val_if_fail (data != NULL && name != NULL, NULL);
  self = g_object_new (NORMSCOPE_TYPE_DATA_DIALOG, "transient-for", parent, NULL);
  self->data = data;
  self->name = g_strdup (name);
  /* The format of a sweep determines its values. */
  if (!normscope_data_has_npy (data))
    gtk_string_list_remove (GTK_STRING_LIST (adw_combo_row_get_model (self->format)), NORMSCOPE_DATA_NPY);
  gtk_widget_set_visible (GTK_WIDGET (self->values), normscope_data_has_seeds (data));
  show_data (self);
  return self;
}

static void
normscope_data_dialog_finalize (GObject *object)
{
  NormscopeDataDialog *self = NORMSCOPE_DATA_DIALOG (object);

  g_clear_object (&self->chooser);
  g_clear_pointer (&self->data, normscope_data_free);
  g_free (self->name);
  G_OBJECT_CLASS (normscope_data_dialog_parent_class)->finalize (object);
}

static void
normscope_data_dialog_class_init (NormscopeDataDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_data_dialog_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-data-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeDataDialog, format);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDataDialog, values);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDataDialog, note);
  gtk_widget_class_bind_template_child (widget_class, NormscopeDataDialog, error_label);
  gtk_widget_class_bind_template_callback (widget_class, show_data);
  gtk_widget_class_bind_template_callback (widget_class, data_export_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_data_dialog_init (NormscopeDataDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
