/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/scaling/normscope-scaling-card.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-update.h"
#include "figures/ns-claim-words.h"
#include "help/ns-help.h"

struct _NormscopeScalingCard
{
  GtkBox parent_instance;

  GtkLabel *title;
  GtkGrid *verdict_box;
  GtkImage *verdict_icon;
  GtkLabel *verdict;
  GtkLabel *measured;
  GtkLabel *why_not;
  GtkLabel *statement;
  GtkLabel *source;
  GtkExpander *assumptions_expander;
  GtkLabel *assumptions_count;
  GtkLabel *assumptions;
  GtkWidget *set_up_button;

  const NsClaim *claim;
};

G_DEFINE_FINAL_TYPE (NormscopeScalingCard, normscope_scaling_card, GTK_TYPE_BOX)

enum { SCALING_CARD_SIGNAL_SET_UP, N_SCALING_CARD_SIGNALS };
static guint scaling_card_signals[N_SCALING_CARD_SIGNALS];

/* The look of each verdict; its text comes from ns_claim_dup_verdict(). */
static const struct
{
  const char *icon, *css_class;
} verdict_styles[] = {
  [NS_VERDICT_CONSISTENT] = { "emblem-ok-symbolic", "consistent" },
  [NS_VERDICT_NOT_CONSISTENT] = { "window-close-symbolic", "not-consistent" },
  [NS_VERDICT_CANNOT_TELL] = { "dialog-question-symbolic", "cannot-tell" },
};

static void
set_text (GtkLabel *label, const char *text)
{
  gtk_label_set_label (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && text[0] != '\0');
}

static void
show_verdict (NormscopeScalingCard *self, const char *icon, const char *css_class, gboolean is_outside,
              const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS (verdict_styles); i++)
    gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_box), verdict_styles[i].css_class);
  gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_box), "outside");
  if (css_class != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->verdict_box), css_class);
  /* Outside the assumptions, a verdict's colour would suggest a verdict on the claim itself. */
  if (is_outside)
    gtk_widget_add_css_class (GTK_WIDGET (self->verdict_box), "outside");
  gtk_image_set_from_icon_name (self->verdict_icon, icon);
  gtk_label_set_label (self->verdict, text);
}

/* The verdict is on a line of its own here, so it starts with a capital. */
static char *
dup_capitalized (const char *text)
{
  char first[7] = { 0 };

  g_unichar_to_utf8 (g_unichar_toupper (g_utf8_get_char (text)), first);
  return g_strconcat (first, g_utf8_next_char (text), NULL);
}

/* Show how many assumptions there are and are not met, and a line for each in the fold. */
static void
show_assumptions (NormscopeScalingCard *self, const NsExperiment *experiment, const NsClaimResult *result)
{
  g_autofree char *count = ns_claim_dup_assumption_count (self->claim, result);
  g_autofree char *list = ns_claim_dup_assumption_list (self->claim, experiment, result);

  gtk_label_set_label (self->assumptions_count, count);
  normscope_update_tooltip (GTK_WIDGET (self->assumptions_count), count); /* it may be too long */
  gtk_label_set_label (self->assumptions, list);
  gtk_widget_set_visible (GTK_WIDGET (self->assumptions_expander), self->claim->assumptions->len > 0);
}

void
normscope_scaling_card_show (NormscopeScalingCard *self, const NsExperiment *experiment, const NsClaimResult *result)
{
  g_autofree char *words = NULL;
  g_autofree char *verdict = NULL;
  g_autofree char *measured = NULL;
  g_autofree char *why_not = NULL;

  g_return_if_fail (NORMSCOPE_IS_SCALING_CARD (self));
  g_return_if_fail (experiment != NULL);

  if (result == NULL)
    {
      show_verdict (self, "content-loading-symbolic", NULL, FALSE, _("Measuring…"));
      set_text (self->measured, NULL);
      set_text (self->why_not, NULL);
      return;
    }
  words = ns_claim_dup_verdict (result);
  verdict = dup_capitalized (words);
  measured = ns_claim_dup_measured (self->claim, result);
  why_not = ns_claim_dup_why_not (self->claim, result);
  show_verdict (self, verdict_styles[result->verdict].icon, verdict_styles[result->verdict].css_class,
                result->missed != 0, verdict);
  set_text (self->measured, measured);
  set_text (self->why_not, why_not);
  show_assumptions (self, experiment, result);
}

const NsClaim *
normscope_scaling_card_get_claim (NormscopeScalingCard *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_SCALING_CARD (self), NULL);
  return self->claim;
}

static void
card_set_up_cb (NormscopeScalingCard *self)
{
  g_signal_emit (self, scaling_card_signals[SCALING_CARD_SIGNAL_SET_UP], 0);
}

static void
normscope_scaling_card_class_init (NormscopeScalingCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  scaling_card_signals[SCALING_CARD_SIGNAL_SET_UP] =
      g_signal_new ("set-up", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-scaling-card.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, title);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, verdict_box);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, verdict);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, measured);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, why_not);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, statement);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, source);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, assumptions_expander);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, assumptions_count);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, assumptions);
  gtk_widget_class_bind_template_child (widget_class, NormscopeScalingCard, set_up_button);
  gtk_widget_class_bind_template_callback (widget_class, card_set_up_cb);
  gtk_widget_class_set_css_name (widget_class, "claimcard");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_scaling_card_init (NormscopeScalingCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* A claim from the user's folder has no page. */
static void
add_help_button (NormscopeScalingCard *self)
{
  g_autofree char *page = g_strconcat ("claim:", self->claim->id, NULL);

  if (ns_help_find (page) == NULL)
    return;
  normscope_help_set_page (GTK_WIDGET (self), page);
  gtk_grid_attach (self->verdict_box, normscope_help_button_new (page, self->claim->title), 2, 0, 1, 1);
}

GtkWidget *
normscope_scaling_card_new (const NsClaim *claim)
{
  NormscopeScalingCard *self = g_object_new (NORMSCOPE_TYPE_SCALING_CARD, NULL);
  /* Translators: %s is a claim's title */
  g_autofree char *label = g_strdup_printf (_("Set up “%s”"), claim->title);

  self->claim = claim;
  add_help_button (self);
  gtk_label_set_label (self->title, claim->title);
  gtk_label_set_label (self->statement, claim->statement);
  gtk_label_set_label (self->source, claim->source);
  show_assumptions (self, NULL, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, claim->title, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->set_up_button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return GTK_WIDGET (self);
}
