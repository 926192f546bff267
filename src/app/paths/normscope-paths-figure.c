/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/paths/normscope-paths-figure.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/paths/normscope-paths-cursor.h"
#include "app/paths/normscope-paths-pins.h"
#include "app/work/normscope-picture-maker.h"

struct _NormscopePathsFigure
{
  GObject parent_instance;

  NormscopeSession *session;
  NormscopePlot *plot;
  NormscopeReadout *readout;
  NormscopeSentence *sentence;
  GtkLabel *hint;

  NormscopeWorker *maker;
  NormscopePicture *making; /* or NULL */
  NormscopePicture *shown;  /* or NULL */
  gboolean new_axes;        /* of the next figure */
  gboolean is_stale, was_asking;
  gboolean is_former; /* what is shown is of a document or step that was replaced */
};

G_DEFINE_FINAL_TYPE (NormscopePathsFigure, normscope_paths_figure, G_TYPE_OBJECT)

enum { PATHS_FIGURE_SIGNAL_SHOWN, N_PATHS_FIGURE_SIGNALS };
static guint paths_figure_signals[N_PATHS_FIGURE_SIGNALS];

/* ---- what is on the screen ---- */

const NormscopePicture *
normscope_paths_figure_get_making (NormscopePathsFigure *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self), NULL);
  return self->making;
}

const NormscopePicture *
normscope_paths_figure_get_shown (NormscopePathsFigure *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self), NULL);
  return self->shown;
}

gboolean
normscope_paths_figure_is_chosen (NormscopePathsFigure *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self), FALSE);
  return self->shown != NULL && !self->is_former
         && self->shown->kind == normscope_session_get_paths (self->session)->figure;
}

gboolean
normscope_paths_figure_is_stale (NormscopePathsFigure *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self), FALSE);
  return self->is_stale;
}

static void
show_readout (NormscopePathsFigure *self)
{
  double x = normscope_plot_get_cursor (self->plot), y = normscope_plot_get_cursor_y (self->plot);
  NsReadout *readout = NULL;

  if (normscope_paths_figure_is_chosen (self) && !isnan (x) && !normscope_session_get_asking (self->session))
    readout = ns_figure_info (self->shown->kind)->make_readout (&self->shown->source, self->shown->options, x, y);
  normscope_readout_take (self->readout, readout, NULL);
}

/* The plot's crosshair has moved: tell the session. */
static void
cursor_cb (NormscopePathsFigure *self)
{
  if (self->shown != NULL && gtk_widget_get_mapped (GTK_WIDGET (self->plot)))
    normscope_paths_cursor_store (self->plot, self->session, self->shown->kind);
  show_readout (self);
}

/* Show the sentence of the figure on the screen, with its figure, which is taken, if that is new, else NULL. */
static void
show_words (NormscopePathsFigure *self, NsFigure *figure)
{
  g_autofree char *sentence = g_strdup (self->shown->sentence);
  g_autofree char *marks = NULL;
  g_autofree char *description = NULL;
  g_autoptr (GArray) links = self->shown->links != NULL ? g_array_ref (self->shown->links) : NULL;

  if (normscope_session_get_asking (self->session))
    normscope_sentence_hide (&sentence, &links);
  else if (figure != NULL)
    marks = ns_paths_dup_marks (figure, &self->shown->options->paths);
  description = marks != NULL ? g_strdup_printf ("%s\n%s", sentence, marks) : g_strdup (sentence);
  if (figure != NULL)
    normscope_plot_take_figure (self->plot, figure, description, self->new_axes);
  else
    normscope_plot_filter_again (self->plot, sentence);
  normscope_sentence_set_text (self->sentence, sentence, links);
}

static void
show_picture (NormscopePathsFigure *self, NormscopePicture *picture)
{
  if (self->shown == NULL || self->shown->kind != picture->kind)
    {
      /* Of no figure: the session keeps its crosshair. */
      g_clear_pointer (&self->shown, normscope_picture_unref);
      normscope_plot_set_cursor (self->plot, NAN);
      self->new_axes = TRUE;
    }
  g_clear_pointer (&self->shown, normscope_picture_unref);
  self->shown = normscope_picture_ref (picture);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (ns_figure_info (picture->kind)->title), -1);
  gtk_label_set_label (self->hint, normscope_paths_pins_get_hint (picture->kind, picture->figure));
  show_words (self, g_steal_pointer (&picture->figure));
  normscope_paths_cursor_show (self->plot, self->session, picture->kind);
  show_readout (self);
}

void
normscope_paths_figure_forget (NormscopePathsFigure *self)
{
  g_return_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self));
  g_clear_pointer (&self->shown, normscope_picture_unref);
  normscope_sentence_set_text (self->sentence, "", NULL);
  show_readout (self);
}

/* ---- making ---- */

static void
deliver_picture (gpointer owner, gpointer picture)
{
  NormscopePathsFigure *self = owner;

  g_clear_pointer (&self->making, normscope_picture_unref);
  show_picture (self, picture);
  self->new_axes = self->is_stale = self->is_former = FALSE;
  g_signal_emit (self, paths_figure_signals[PATHS_FIGURE_SIGNAL_SHOWN], 0);
}

void
normscope_paths_figure_stop (NormscopePathsFigure *self)
{
  g_return_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self));
  normscope_worker_replace (self->maker, NULL);
  g_clear_pointer (&self->making, normscope_picture_unref);
}

void
normscope_paths_figure_make (NormscopePathsFigure *self, const NsFigureSource *source, gboolean new_axes)
{
  NsFigureOptions options;

  g_return_if_fail (NORMSCOPE_IS_PATHS_FIGURE (self));
  g_return_if_fail (source != NULL);

  self->new_axes = self->new_axes || new_axes;
  normscope_session_get_paths_options (self->session, &options);
  g_clear_pointer (&self->making, normscope_picture_unref);
  self->making = normscope_picture_new (normscope_session_get_paths (self->session)->figure, source, &options);
  normscope_picture_maker_make (self->maker, self->making, deliver_picture);
}

/* ---- from the session ---- */

static void
figure_changed_cb (NormscopePathsFigure *self, guint change)
{
  const guint stales
      = NORMSCOPE_CHANGED_VIEW | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_PATHS | NORMSCOPE_CHANGED_MARKS;
  gboolean is_asking = normscope_session_get_asking (self->session);

  if (self->shown != NULL && (change & NORMSCOPE_CHANGED_CURSOR) != 0
      && gtk_widget_get_mapped (GTK_WIDGET (self->plot)))
    normscope_paths_cursor_show (self->plot, self->session, self->shown->kind);
  if (self->shown != NULL && is_asking && !self->was_asking)
    show_words (self, NULL); /* at once: the values are the answer */
  self->was_asking = is_asking;
  self->is_former = self->is_former || (change & NORMSCOPE_CHANGED_REPLACED) != 0;
  self->is_stale = self->is_stale || (self->shown != NULL && (change & stales) != 0);
}

/* ---- the object ---- */

static void
normscope_paths_figure_dispose (GObject *object)
{
  NormscopePathsFigure *self = NORMSCOPE_PATHS_FIGURE (object);

  g_clear_pointer (&self->maker, normscope_worker_release);
  g_clear_pointer (&self->making, normscope_picture_unref);
  g_clear_pointer (&self->shown, normscope_picture_unref);
  g_clear_object (&self->hint);
  g_clear_object (&self->sentence);
  g_clear_object (&self->readout);
  g_clear_object (&self->plot);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_paths_figure_parent_class)->dispose (object);
}

static void
normscope_paths_figure_class_init (NormscopePathsFigureClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_paths_figure_dispose;
  paths_figure_signals[PATHS_FIGURE_SIGNAL_SHOWN] =
      g_signal_new ("shown", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_paths_figure_init (NormscopePathsFigure *self)
{
  self->maker = normscope_picture_maker_new (G_OBJECT (self));
}

NormscopePathsFigure *
normscope_paths_figure_new (NormscopeSession *session, NormscopePlot *plot, NormscopeReadout *readout,
                            NormscopeSentence *sentence, GtkLabel *hint)
{
  NormscopePathsFigure *self = g_object_new (NORMSCOPE_TYPE_PATHS_FIGURE, NULL);

  self->session = g_object_ref (session);
  self->plot = g_object_ref (plot);
  self->readout = g_object_ref (readout);
  self->sentence = g_object_ref (sentence);
  self->hint = g_object_ref (hint);
  g_signal_connect_object (session, "changed", G_CALLBACK (figure_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (plot, "notify::cursor", G_CALLBACK (cursor_cb), self, G_CONNECT_SWAPPED);
  return self;
}
