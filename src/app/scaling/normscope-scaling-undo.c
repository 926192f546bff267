/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-undo.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "document/ns-claims.h"
#include "engine/experiment/ns-settings.h"

#define ACTION "win.undo-set-up"
#define OFFER_S 8

struct _NormscopeScalingUndo
{
  GObject parent_instance;

  GtkWidget *view;
  NormscopeMessage *message; /* of the window, which holds the view */
  NormscopeSession *session;

  gboolean is_last; /* the set-up is the session's last step */
  guint offer;      /* the number of the message that offers to undo it */
  gboolean setting_up; /* the next "changed" is the set-up itself */
};

G_DEFINE_FINAL_TYPE (NormscopeScalingUndo, normscope_scaling_undo, G_TYPE_OBJECT)

static void
enable_action (NormscopeScalingUndo *self, gboolean enabled)
{
  GtkRoot *root = gtk_widget_get_root (self->view);

  if (root != NULL)
    gtk_widget_action_set_enabled (GTK_WIDGET (root), ACTION, enabled);
}

static void
withdraw_offer (NormscopeScalingUndo *self)
{
  if (!self->is_last)
    return;
  self->is_last = FALSE;
  enable_action (self, FALSE);
  normscope_message_dismiss (self->message, self->offer);
}

static void
offer_undo (NormscopeScalingUndo *self, const NsClaim *claim)
{
  /* Translators: %s is a claim's title */
  g_autofree char *text = g_strdup_printf (_("Set up: %s"), claim->title);

  enable_action (self, TRUE);
  self->offer = normscope_message_offer (self->message, text, OFFER_S, _("_Undo"), ACTION, NULL);
}

static void
show_metric (const NsClaim *claim, const NsExperiment *experiment, NsScalingSettings *settings)
{
  settings->axis = claim->axis;
  settings->metric = claim->metric;
  settings->ratio = claim->kind == NS_CHECK_RATIO;
  if (settings->ratio)
    {
      settings->numerator = ns_claim_find_variant (claim, experiment, claim->variant);
      settings->denominator = ns_claim_find_variant (claim, experiment, claim->over);
    }
}

void
normscope_scaling_undo_set_up (NormscopeScalingUndo *self, const NsClaim *claim)
{
  NsScalingSettings settings;
  g_autoptr (GError) error = NULL;
  NsExperiment *next;

  g_return_if_fail (NORMSCOPE_IS_SCALING_UNDO (self));
  g_return_if_fail (claim != NULL);

  next = ns_claim_set_up (claim, normscope_session_get_experiment (self->session), &error);
  if (next == NULL)
    {
      gtk_widget_activate_action (self->view, "win.show-message", "s", error->message);
      return;
    }
  withdraw_offer (self);
  settings = *normscope_session_get_scaling (self->session);
  if (ns_check_sweeps (claim->kind))
    show_metric (claim, next, &settings);

  self->setting_up = TRUE;
  self->is_last = normscope_session_take_set_up (self->session, next, &settings);
  self->setting_up = FALSE;
  if (self->is_last)
    offer_undo (self, claim);
  else
    gtk_widget_activate_action (self->view, "win.show-message", "s",
                                _("All assumptions of this claim already hold."));
}

void
normscope_scaling_undo_undo (NormscopeScalingUndo *self)
{
  g_return_if_fail (NORMSCOPE_IS_SCALING_UNDO (self));
  if (self->is_last)
    normscope_session_undo (self->session);
}

/* Withdraw the offer after any other change, which undoing the set-up would lose, and after undo itself. */
static void
undo_session_changed_cb (NormscopeScalingUndo *self, guint change)
{
  if (!self->setting_up && (change & ~(guint) NORMSCOPE_CHANGED_SELECTED) != 0)
    withdraw_offer (self);
}

static void
normscope_scaling_undo_dispose (GObject *object)
{
  NormscopeScalingUndo *self = NORMSCOPE_SCALING_UNDO (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_scaling_undo_parent_class)->dispose (object);
}

static void
normscope_scaling_undo_class_init (NormscopeScalingUndoClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_scaling_undo_dispose;
}

static void
normscope_scaling_undo_init (NormscopeScalingUndo *self)
{
}

NormscopeScalingUndo *
normscope_scaling_undo_new (GtkWidget *view, NormscopeMessage *message, NormscopeSession *session)
{
  NormscopeScalingUndo *self = g_object_new (NORMSCOPE_TYPE_SCALING_UNDO, NULL);

  self->view = view;
  self->message = message;
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (undo_session_changed_cb), self, G_CONNECT_SWAPPED);
  return self;
}
