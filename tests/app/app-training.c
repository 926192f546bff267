/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-training.h"

#include "app-input.h"
#include "app/training/normscope-training-view.h"

gpointer
training_find_page (Fixture *fixture, NsFigureKind figure)
{
  return normscope_training_view_find_page (app_get_child (fixture->window, "training_view"), figure);
}

static void
begin (Fixture *fixture, gpointer page, TrainingPredicate predicate)
{
  g_assert_true (app_input_click (app_get_child (page, "begin_button")));
  g_assert_true (app_wait_for (predicate, fixture, TIMEOUT_MS));
}

void
training_fill (Fixture *fixture, gpointer page, TrainingPredicate is_full, TrainingPredicate is_told)
{
  begin (fixture, page, is_full);
  g_assert_true (app_wait_for (is_told, fixture, TIMEOUT_MS));
  app_input_settle ();
}

void
training_begin_and_pause (Fixture *fixture, gpointer page, TrainingPredicate has_some)
{
  begin (fixture, page, has_some);
  gtk_widget_grab_focus (app_get_child (page, "plot"));
  app_input_settle ();
  app_input_key (GDK_KEY_space);
  app_input_settle ();
  app_input_settle ();
  g_assert_cmpstr (gtk_button_get_label (app_get_child (page, "train_button")), ==, "Train");
}
