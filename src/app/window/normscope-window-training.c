/* The Training view in the window: its values on the wiring, and the space bar.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/training/normscope-training-curves.h"

#define UNDO_OFFER_S 12

static gboolean
is_shown (NormscopeWindow *self)
{
  return adw_view_stack_get_visible_child (self->views) == GTK_WIDGET (self->training_view);
}

/* Train or pause what the view shows; show the view first. */
static void
train_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  if (!is_shown (self))
    adw_view_stack_set_visible_child (self->views, GTK_WIDGET (self->training_view));
  normscope_training_page_toggle (normscope_training_view_get_page (self->training_view));
}

/* In other views and on a focused button, the space bar does what it did. */
static gboolean
space_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  if (!is_shown (self))
    return GDK_EVENT_PROPAGATE;
  normscope_training_page_toggle (normscope_training_view_get_page (self->training_view));
  return GDK_EVENT_STOP;
}

/* Offer to undo what has just changed, until the next change, which undo would mean instead. */
static void
offer_undo_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  self->undo_offer = normscope_message_offer (self->message, g_variant_get_string (parameter, NULL), UNDO_OFFER_S,
                                              _ ("_Undo"), "win.undo", NULL);
}

static void
withdraw_undo_cb (NormscopeWindow *self)
{
  normscope_message_dismiss (self->message, self->undo_offer);
}

static void
result_cb (NormscopeWindow *self, NsResult *result, gint64 step)
{
  normscope_wiring_strip_show_trained (self->wiring_strip, result, step);
}

/* The answer to a question comes from the training on the screen. */
static void
answer_cb (NormscopeWindow *self)
{
  NormscopeTrainingPage *page = normscope_training_view_get_page (self->training_view);

  if (NORMSCOPE_IS_TRAINING_CURVES (page))
    normscope_training_curves_train (NORMSCOPE_TRAINING_CURVES (page));
}

static void
view_cb (NormscopeWindow *self)
{
  normscope_sidebar_show_learning (self->sidebar, is_shown (self));
}

void
normscope_window_bind_training (NormscopeWindow *self)
{
  normscope_training_view_set_session (self->training_view, self->session, self->engine);
  g_signal_connect_object (self->views, "notify::visible-child", G_CALLBACK (view_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (withdraw_undo_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->presenter, "train", G_CALLBACK (answer_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->training_view, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
}

void
normscope_window_install_training (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.train", NULL, train_cb);
  gtk_widget_class_install_action (widget_class, "win.offer-undo", "s", offer_undo_cb);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_space, 0, space_cb, NULL);
}
