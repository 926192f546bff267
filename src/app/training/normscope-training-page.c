/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-page.h"

G_DEFINE_ABSTRACT_TYPE (NormscopeTrainingPage, normscope_training_page, GTK_TYPE_BOX)

void
normscope_training_page_toggle (NormscopeTrainingPage *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_PAGE (self));
  NORMSCOPE_TRAINING_PAGE_GET_CLASS (self)->toggle (self);
}

NormscopePicture *
normscope_training_page_dup_picture (NormscopeTrainingPage *self, gboolean titles)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_PAGE (self), NULL);
  return NORMSCOPE_TRAINING_PAGE_GET_CLASS (self)->dup_picture (self, titles);
}

NsTraining *
normscope_training_page_get_training (NormscopeTrainingPage *self)
{
  NormscopeTrainingPageClass *klass;

  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_PAGE (self), NULL);
  klass = NORMSCOPE_TRAINING_PAGE_GET_CLASS (self);
  return klass->get_training != NULL ? klass->get_training (self) : NULL;
}

NormscopePlot *
normscope_training_page_get_plot (NormscopeTrainingPage *self, NsFigureKind figure)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_PAGE (self), NULL);
  return NORMSCOPE_TRAINING_PAGE_GET_CLASS (self)->get_plot (self, figure);
}

static void
normscope_training_page_class_init (NormscopeTrainingPageClass *klass)
{
}

static void
normscope_training_page_init (NormscopeTrainingPage *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
}
