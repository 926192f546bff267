/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-text-row.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-help-button.h"
#include "document/ns-experiment-json.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-params.h"

struct _NormscopeTextRow
{
  AdwActionRow parent_instance;

  GtkWidget *sample_button;

  NormscopeSession *session;
  GtkFileChooserNative *chooser;
};

G_DEFINE_FINAL_TYPE (NormscopeTextRow, normscope_text_row, ADW_TYPE_ACTION_ROW)

static void
refresh_text (NormscopeTextRow *self)
{
  const NsData *data = &normscope_session_get_experiment (self->session)->data;
  gboolean is_sample = data->text == NULL || strcmp (data->text, ns_sample_text ()) == 0;
  g_autofree char *size = g_format_size (data->text != NULL ? strlen (data->text) : strlen (ns_sample_text ()));
  g_autofree char *subtitle = NULL;

  /* Translators: %s is a size, as in "12 kB" */
  subtitle = g_strdup_printf (is_sample ? _ ("Sample text, %s") : _ ("From a file, %s"), size);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), subtitle);
  gtk_widget_set_visible (self->sample_button, !is_sample);
  gtk_widget_set_visible (GTK_WIDGET (self), data->source == NS_SOURCE_TEXT);
}

static gboolean
take_text (NormscopeTextRow *self, GFile *file, GError **error)
{
  g_autofree char *text = ns_file_read_text (file, NULL, error);

  return text != NULL && normscope_session_set_text (self->session, ns_param_find ("data.text"), text, error);
}

/* Use a file as the text. An error is shown in a toast, and the text does not change. */
static void
open_text (NormscopeTextRow *self, GFile *file)
{
  g_autoptr (GError) error = NULL;

  if (!take_text (self, file, &error))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.show-message", "s", error->message);
}

static void
response_cb (NormscopeTextRow *self, int response)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (self->chooser));

      if (file != NULL)
        open_text (self, file);
    }
  g_clear_object (&self->chooser);
}

static void
open_cb (NormscopeTextRow *self)
{
  if (self->chooser != NULL)
    return;
  self->chooser = gtk_file_chooser_native_new (_ ("Open a Text File"),
                                               GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
                                               GTK_FILE_CHOOSER_ACTION_OPEN, NULL, NULL);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->chooser), TRUE);
  g_signal_connect_object (self->chooser, "response", G_CALLBACK (response_cb), self, G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
sample_cb (NormscopeTextRow *self)
{
  normscope_session_reset (self->session, ns_param_find ("data.text"));
}

void
normscope_text_row_set_session (NormscopeTextRow *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_TEXT_ROW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (refresh_text), self, G_CONNECT_SWAPPED);
  refresh_text (self);
}

static void
normscope_text_row_dispose (GObject *object)
{
  NormscopeTextRow *self = NORMSCOPE_TEXT_ROW (object);

  g_clear_object (&self->chooser);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_text_row_parent_class)->dispose (object);
}

static void
normscope_text_row_class_init (NormscopeTextRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_text_row_dispose;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-text-row.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeTextRow, sample_button);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  gtk_widget_class_bind_template_callback (widget_class, sample_cb);
}

static void
normscope_text_row_init (NormscopeTextRow *self)
{
  const char *title;

  gtk_widget_init_template (GTK_WIDGET (self));
  title = adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self));
  normscope_help_set_page (GTK_WIDGET (self), "parameter:data.text");
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), normscope_help_button_new ("parameter:data.text", title));
}
