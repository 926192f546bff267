/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-figure.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-sentence.h"
#include "app/work/normscope-picture-maker.h"

struct _NormscopeTrainingFigure
{
  GObject parent_instance;

  NormscopeSession *session;
  NormscopePlot *plot;
  NormscopeReadout *readout;

  NormscopeWorker *maker;
  NormscopePicture *making, *waiting; /* or NULL */
  NormscopePicture *shown;            /* or NULL */
  gboolean new_axes, is_quiet, is_nameless;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingFigure, normscope_training_figure, G_TYPE_OBJECT)

enum { TRAINING_FIGURE_SIGNAL_SHOWN, N_TRAINING_FIGURE_SIGNALS };
static guint training_figure_signals[N_TRAINING_FIGURE_SIGNALS];

const NormscopePicture *
normscope_training_figure_get_shown (NormscopeTrainingFigure *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self), NULL);
  return self->shown;
}

/* ---- read-out ---- */

static void
show_readout (NormscopeTrainingFigure *self)
{
  double x = normscope_plot_get_cursor (self->plot), y = normscope_plot_get_cursor_y (self->plot);
  NsReadout *readout = NULL;

  if (self->shown != NULL && !self->is_quiet && !isnan (x) && !normscope_session_get_asking (self->session))
    readout = ns_figure_info (self->shown->kind)->make_readout (&self->shown->source, self->shown->options, x, y);
  normscope_readout_take (self->readout, readout, NULL);
}

void
normscope_training_figure_set_quiet (NormscopeTrainingFigure *self, gboolean quiet)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self));
  self->is_quiet = quiet;
  show_readout (self);
}

/* ---- making ---- */

static void deliver_picture (gpointer owner, gpointer data);

static void
start (NormscopeTrainingFigure *self, NormscopePicture *picture)
{
  g_clear_pointer (&self->making, normscope_picture_unref);
  self->making = picture;
  normscope_picture_maker_make (self->maker, picture, deliver_picture);
}

/* Leave the names of the curves to a figure beside this one. */
static void
drop_names (NsFigure *figure)
{
  for (guint p = 0; p < figure->panels->len; p++)
    {
      const NsPanel *panel = g_ptr_array_index (figure->panels, p);

      for (guint s = 0; s < panel->series->len; s++)
        g_clear_pointer (&((NsSeries *) g_ptr_array_index (panel->series, s))->name, g_free);
    }
}

static void
show_picture (NormscopeTrainingFigure *self, NormscopePicture *picture)
{
  g_autofree char *sentence = g_strdup (picture->sentence);
  g_autoptr (GArray) links = NULL;

  if (self->shown == NULL || self->shown->kind != picture->kind)
    self->new_axes = TRUE;
  g_clear_pointer (&self->shown, normscope_picture_unref);
  self->shown = normscope_picture_ref (picture);
  if (normscope_session_get_asking (self->session))
    normscope_sentence_hide (&sentence, &links);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (ns_figure_info (picture->kind)->title), -1);
  if (self->is_nameless)
    drop_names (picture->figure);
  normscope_plot_take_figure (self->plot, g_steal_pointer (&picture->figure), sentence, self->new_axes);
  self->new_axes = FALSE;
  show_readout (self);
  g_signal_emit (self, training_figure_signals[TRAINING_FIGURE_SIGNAL_SHOWN], 0);
}

static void
deliver_picture (gpointer owner, gpointer data)
{
  NormscopeTrainingFigure *self = owner;

  g_clear_pointer (&self->making, normscope_picture_unref);
  if (self->waiting != NULL)
    start (self, g_steal_pointer (&self->waiting));
  show_picture (self, data);
}

void
normscope_training_figure_make (NormscopeTrainingFigure *self, NsFigureKind kind, const NsFigureSource *source,
                                const NsFigureOptions *options)
{
  NormscopePicture *picture;

  g_return_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self));
  g_return_if_fail (source != NULL && options != NULL);

  picture = normscope_picture_new (kind, source, options);
  g_clear_pointer (&self->waiting, normscope_picture_unref);
  if (self->making != NULL && self->making->kind == kind)
    self->waiting = picture;
  else
    start (self, picture);
}

void
normscope_training_figure_stop (NormscopeTrainingFigure *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self));
  normscope_worker_replace (self->maker, NULL);
  g_clear_pointer (&self->waiting, normscope_picture_unref);
  g_clear_pointer (&self->making, normscope_picture_unref);
}

void
normscope_training_figure_set_nameless (NormscopeTrainingFigure *self, gboolean nameless)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self));
  self->is_nameless = nameless;
}

void
normscope_training_figure_renew_axes (NormscopeTrainingFigure *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_FIGURE (self));
  self->new_axes = TRUE;
}

/* ---- the object ---- */

static void
normscope_training_figure_dispose (GObject *object)
{
  NormscopeTrainingFigure *self = NORMSCOPE_TRAINING_FIGURE (object);

  g_clear_pointer (&self->maker, normscope_worker_release);
  g_clear_pointer (&self->waiting, normscope_picture_unref);
  g_clear_pointer (&self->making, normscope_picture_unref);
  g_clear_pointer (&self->shown, normscope_picture_unref);
  g_clear_object (&self->readout);
  g_clear_object (&self->plot);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_figure_parent_class)->dispose (object);
}

static void
normscope_training_figure_class_init (NormscopeTrainingFigureClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_training_figure_dispose;
  training_figure_signals[TRAINING_FIGURE_SIGNAL_SHOWN] =
      g_signal_new ("shown", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_training_figure_init (NormscopeTrainingFigure *self)
{
  self->maker = normscope_picture_maker_new (G_OBJECT (self));
}

NormscopeTrainingFigure *
normscope_training_figure_new (NormscopeSession *session, NormscopePlot *plot, NormscopeReadout *readout)
{
  NormscopeTrainingFigure *self = g_object_new (NORMSCOPE_TYPE_TRAINING_FIGURE, NULL);

  self->session = g_object_ref (session);
  self->plot = g_object_ref (plot);
  self->readout = g_object_ref (readout);
  g_signal_connect_object (plot, "notify::cursor", G_CALLBACK (show_readout), self, G_CONNECT_SWAPPED);
  return self;
}
