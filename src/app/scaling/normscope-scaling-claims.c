/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-claims.h"

#include "app/scaling/normscope-scaling-card.h"
#include "app/scaling/normscope-scaling-plan.h"
#include "document/ns-claims.h"

/* The share of the window's width, and its limits, px. */
#define WIDTH_SHARE 0.25
#define MIN_WIDTH 280
#define MAX_WIDTH 480

struct _NormscopeScalingClaims
{
  GtkBox parent_instance;
  GtkBox *cards;
};

G_DEFINE_FINAL_TYPE (NormscopeScalingClaims, normscope_scaling_claims, GTK_TYPE_BOX)

enum { SCALING_CLAIMS_SIGNAL_SET_UP, N_SCALING_CLAIMS_SIGNALS };
static guint scaling_claims_signals[N_SCALING_CLAIMS_SIGNALS];

/* ---- tasks and needs ---- */

static gboolean
covers_need (const NormscopeTask *task, const NsClaimNeed *need, const NsExperiment *experiment)
{
  NsMetric metric;

  if (need->map_of != NULL || task->map != NULL)
    return need->map_of != NULL && task->map != NULL && ns_claim_map_fits (need->map_of, experiment, task->map);
  if (need->is_training || task->training != NULL)
    return need->is_training && task->training != NULL;
  if (!need->is_sweep || task->sweep == NULL)
    return !need->is_sweep && task->sweep == NULL;
  metric = ns_sweep_get_metric (task->sweep);
  return ns_sweep_get_axis (task->sweep) == need->axis && metric.quantity == need->metric.quantity
         && metric.where == need->metric.where && metric.part == need->metric.part;
}

/* Return TRUE while a task that the claim needs is waiting or running. */
static gboolean
is_waiting (const NsClaim *claim, const NsExperiment *experiment, GPtrArray *tasks)
{
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_autoptr (GArray) needs = NULL;

  g_ptr_array_add (one, (gpointer) claim);
  needs = ns_claims_list_needs (one, experiment);
  for (guint n = 0; n < needs->len; n++)
    for (guint t = 0; t < tasks->len; t++)
      {
        const NormscopeTask *task = g_ptr_array_index (tasks, t);

        if (task->state == NORMSCOPE_TASK_WAITING
            && covers_need (task, &g_array_index (needs, NsClaimNeed, n), experiment))
          return TRUE;
      }
  return FALSE;
}

/* ---- the cards ---- */

void
normscope_scaling_claims_show (NormscopeScalingClaims *self, const NsExperiment *experiment, GPtrArray *tasks)
{
  g_autoptr (GPtrArray) sweeps = g_ptr_array_new ();
  g_autoptr (GPtrArray) maps = g_ptr_array_new ();
  NsEvidence evidence = { 0 };

  g_return_if_fail (NORMSCOPE_IS_SCALING_CLAIMS (self));
  g_return_if_fail (experiment != NULL && tasks != NULL);

  for (guint i = 0; i < tasks->len; i++)
    {
      NormscopeTask *task = g_ptr_array_index (tasks, i);

      if (task->state == NORMSCOPE_TASK_DONE && task->map != NULL)
        g_ptr_array_add (maps, task->map);
      /* The settings may have changed since, and with them the variants. */
      if (task->state != NORMSCOPE_TASK_DONE || task->map != NULL || !normscope_scaling_task_is_of (task, experiment))
        continue;
      if (task->sweep != NULL)
        g_ptr_array_add (sweeps, task->sweep);
      else if (task->training != NULL)
        evidence.training = task->training;
      else
        evidence.result = task->result;
    }
  evidence.sweeps = (NsSweep *const *) sweeps->pdata;
  evidence.n_sweeps = sweeps->len;
  evidence.maps = (NsSensitivity *const *) maps->pdata;
  evidence.n_maps = maps->len;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->cards)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      NormscopeScalingCard *card = NORMSCOPE_SCALING_CARD (child);
      const NsClaim *claim = normscope_scaling_card_get_claim (card);
      NsClaimResult result;

      if (is_waiting (claim, experiment, tasks))
        {
          normscope_scaling_card_show (card, experiment, NULL);
          continue;
        }
      ns_claim_evaluate (claim, experiment, &evidence, &result);
      normscope_scaling_card_show (card, experiment, &result);
    }
}

static void
claims_set_up_cb (NormscopeScalingClaims *self, NormscopeScalingCard *card)
{
  g_signal_emit (self, scaling_claims_signals[SCALING_CLAIMS_SIGNAL_SET_UP], 0,
                 normscope_scaling_card_get_claim (card));
}

/* ---- the width ---- */

static void
layout_cb (NormscopeScalingClaims *self, int window_width)
{
  gtk_widget_set_size_request (GTK_WIDGET (self), CLAMP ((int) (WIDTH_SHARE * window_width), MIN_WIDTH, MAX_WIDTH),
                               -1);
}

static GdkSurface *
get_surface (GtkWidget *widget)
{
  return gtk_native_get_surface (gtk_widget_get_native (widget));
}

/* Not on map: when a narrower window folds the pane away, the smaller request brings it back. */
static void
normscope_scaling_claims_realize (GtkWidget *widget)
{
  GdkSurface *surface;

  GTK_WIDGET_CLASS (normscope_scaling_claims_parent_class)->realize (widget);
  surface = get_surface (widget);
  g_signal_connect_object (surface, "layout", G_CALLBACK (layout_cb), widget, G_CONNECT_SWAPPED);
  layout_cb (NORMSCOPE_SCALING_CLAIMS (widget), gdk_surface_get_width (surface));
}

static void
normscope_scaling_claims_unrealize (GtkWidget *widget)
{
  g_signal_handlers_disconnect_by_func (get_surface (widget), layout_cb, widget);
  GTK_WIDGET_CLASS (normscope_scaling_claims_parent_class)->unrealize (widget);
}

/* ---- the object ---- */

static void
normscope_scaling_claims_class_init (NormscopeScalingClaimsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->realize = normscope_scaling_claims_realize;
  widget_class->unrealize = normscope_scaling_claims_unrealize;
  scaling_claims_signals[SCALING_CLAIMS_SIGNAL_SET_UP] = g_signal_new (
      "set-up", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-scaling-claims.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingClaims, cards);
  gtk_widget_class_set_css_name (widget_class, "claims");
}

static void
normscope_scaling_claims_init (NormscopeScalingClaims *self)
{
  GPtrArray *claims = ns_claims_builtin ();

  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < claims->len; i++)
    {
      GtkWidget *card = normscope_scaling_card_new (g_ptr_array_index (claims, i));

      g_signal_connect_object (card, "set-up", G_CALLBACK (claims_set_up_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (self->cards, card);
    }
}
