/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-view.h"

#include "app/controls/normscope-figure-bar.h"
#include "app/training/normscope-training-coordinates.h"
#include "app/training/normscope-training-curves.h"
#include "app/training/normscope-training-sensitivity.h"

/* The page of each figure; figures with the same constructor share a page. */
typedef NormscopeTrainingPage *(*NewPage) (NormscopeSession *session, NormscopeEngine *engine);

static const NewPage pages[NS_N_FIGURES] = {
  [NS_FIGURE_TRAINING] = normscope_training_curves_new,
  [NS_FIGURE_TRAINING_PROFILE] = normscope_training_curves_new,
  [NS_FIGURE_TRAINING_MAP] = normscope_training_curves_new,
  [NS_FIGURE_SENSITIVITY] = normscope_training_sensitivity_new,
  [NS_FIGURE_COORDINATE_CHECK] = normscope_training_coordinates_new,
};

struct _NormscopeTrainingView
{
  GtkBox parent_instance;

  NormscopeFigureBar *bar;
  GtkStack *stack;
  NormscopeTrainingPage *pages[NS_N_FIGURES]; /* owned by the stack; NULL: another view's figure */

  NormscopeSession *session;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingView, normscope_training_view, GTK_TYPE_BOX)

enum { TRAINING_VIEW_SIGNAL_RESULT, N_TRAINING_VIEW_SIGNALS };
static guint training_view_signals[N_TRAINING_VIEW_SIGNALS];

NormscopeTrainingPage *
normscope_training_view_find_page (NormscopeTrainingView *self, NsFigureKind figure)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_VIEW (self), NULL);
  return self->pages[figure];
}

NormscopeTrainingPage *
normscope_training_view_get_page (NormscopeTrainingView *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_VIEW (self), NULL);
  return self->pages[normscope_session_get_training (self->session)->figure];
}

static void
show_page (NormscopeTrainingView *self)
{
  gtk_stack_set_visible_child (self->stack, GTK_WIDGET (normscope_training_view_get_page (self)));
}

static void
view_changed_cb (NormscopeTrainingView *self, guint change)
{
  if ((change & NORMSCOPE_CHANGED_TRAINING_FIGURE) != 0)
    show_page (self);
}

static void
view_result_cb (NormscopeTrainingView *self, NsResult *result, gint64 step)
{
  g_signal_emit (self, training_view_signals[TRAINING_VIEW_SIGNAL_RESULT], 0, result, step);
}

/* Train what the map has set. */
static void
open_cb (NormscopeTrainingView *self)
{
  normscope_training_curves_train (NORMSCOPE_TRAINING_CURVES (self->pages[NS_FIGURE_TRAINING]));
}

static void
add_page (NormscopeTrainingView *self, NsFigureKind figure, NormscopeEngine *engine)
{
  for (NsFigureKind other = 0; other < figure && self->pages[figure] == NULL; other++)
    if (pages[other] == pages[figure])
      self->pages[figure] = self->pages[other];
  if (self->pages[figure] != NULL)
    return;
  self->pages[figure] = pages[figure](self->session, engine);
  gtk_stack_add_child (self->stack, GTK_WIDGET (self->pages[figure]));
  if (NORMSCOPE_IS_TRAINING_CURVES (self->pages[figure]))
    g_signal_connect_object (self->pages[figure], "result", G_CALLBACK (view_result_cb), self, G_CONNECT_SWAPPED);
  if (NORMSCOPE_IS_TRAINING_SENSITIVITY (self->pages[figure]))
    g_signal_connect_object (self->pages[figure], "open", G_CALLBACK (open_cb), self, G_CONNECT_SWAPPED);
}

void
normscope_training_view_set_session (NormscopeTrainingView *self, NormscopeSession *session, NormscopeEngine *engine)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_VIEW (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  normscope_figure_bar_set_session (self->bar, session, NS_VIEW_TRAINING);
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    if (pages[figure] != NULL)
      add_page (self, figure, engine);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (view_changed_cb), self, G_CONNECT_SWAPPED);
  show_page (self);
}

/* ---- the object ---- */

static void
normscope_training_view_dispose (GObject *object)
{
  NormscopeTrainingView *self = NORMSCOPE_TRAINING_VIEW (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_view_parent_class)->dispose (object);
}

static void
normscope_training_view_class_init (NormscopeTrainingViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_training_view_dispose;
  training_view_signals[TRAINING_VIEW_SIGNAL_RESULT] =
      g_signal_new ("result", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                    G_TYPE_POINTER, G_TYPE_INT64);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "trainingview");
}

static void
normscope_training_view_init (NormscopeTrainingView *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->bar = g_object_new (NORMSCOPE_TYPE_FIGURE_BAR, NULL);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->bar));
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->stack));
}
