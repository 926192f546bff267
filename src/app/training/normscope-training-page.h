/* A page of the Training view: what stands below its chooser of figures. Base class.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each page shows one figure or several of the view; normscope-training-view.c has the list. A page binds itself to the
 * session, and works only while it is mapped.
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"
#include "app/shared/normscope-picture.h"
#include "app/shared/normscope-plot.h"
#include "app/work/normscope-engine.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TRAINING_PAGE (normscope_training_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (NormscopeTrainingPage, normscope_training_page, NORMSCOPE, TRAINING_PAGE, GtkBox)

struct _NormscopeTrainingPageClass
{
  GtkBoxClass parent_class;

  /* Start what the page computes, or pause it: the space bar. */
  void (*toggle) (NormscopeTrainingPage *self);
  /* Return a snapshot of the figure on the screen, NULL if there is none. Caller owns it. */
  NormscopePicture *(*dup_picture) (NormscopeTrainingPage *self, gboolean titles);
  /* Return the training on the screen, borrowed, or NULL: a page without one. */
  NsTraining *(*get_training) (NormscopeTrainingPage *self);
  /* Return the plot of a figure of the page, which it owns. */
  NormscopePlot *(*get_plot) (NormscopeTrainingPage *self, NsFigureKind figure);
};

void normscope_training_page_toggle (NormscopeTrainingPage *self);
NormscopePicture *normscope_training_page_dup_picture (NormscopeTrainingPage *self, gboolean titles);
NsTraining *normscope_training_page_get_training (NormscopeTrainingPage *self);
NormscopePlot *normscope_training_page_get_plot (NormscopeTrainingPage *self, NsFigureKind figure);

G_END_DECLS
