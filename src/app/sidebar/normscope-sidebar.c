/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-sidebar.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#include "app/shared/normscope-labels.h"
#include "app/shared/normscope-sensitive.h"
#include "app/sidebar/normscope-color-popover.h"
#include "app/controls/normscope-parameter-row.h"
#include "app/controls/normscope-parameter.h"
#include "app/controls/normscope-text-row.h"
#include "app/sidebar/normscope-variant-list.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-training-settings.h"

/* The card's corners, as libadwaita rounds them, and the coloured edge. */
#define CORNER_PX 12
#define EDGE_PX 5

struct _NormscopeSidebar
{
  GtkBox parent_instance;

  NormscopeVariantList *variant_list;
  GtkListBox *shared_card, *variant_card; /* settings of all variants, and of the selected one */
  GtkLabel *variant_title;
  GtkDrawingArea *edge;
  NormscopeParameterRow *post_fraction_row;
  AdwExpanderRow *shape_group;
  AdwExpanderRow *data_group;
  AdwExpanderRow *layers_group;
  AdwExpanderRow *biases_group;
  AdwExpanderRow *norms_group;
  AdwExpanderRow *init_group;
  AdwExpanderRow *seeds_group;
  AdwExpanderRow *learning_group;
  AdwExpanderRow *variant_learning_group;
  NormscopeTextRow *text_row;
  GtkWidget *vocab_row, *encoder_vocab_row;
  GtkWidget *embed_std_row;
  GtkWidget *embed_scale_row;
  GtkWidget *positions_row;
  GtkWidget *markov_temperature_row;
  GtkWidget *task_row;
  GtkWidget *token_types_row;
  GtkWidget *class_token_row, *class_token_loss_row, *patch_features_row;
  GtkWidget *cross_norm_row;
  GtkWidget *cross_residual_row;
  GtkWidget *cross_inner_norm_row;
  GtkWidget *attention_scale_row;
  GtkWidget *experts_per_token_row, *expert_weights_row, *shared_experts_row, *shared_expert_gate_row;
  GtkWidget *stream_weights_row;
  GtkWidget *rotary_base_row, *rotary_dim_row, *rotary_scaling_row;
  GtkWidget *rotary_attention_factor_row, *rotary_truncate_row, *rotary_short_factors_row, *rotary_long_factors_row;
  GtkWidget *rotary_factor_row, *rotary_original_row, *rotary_low_row, *rotary_high_row, *rotary_skip_every_row;
  GtkWidget *position_buckets_row, *position_distance_row;
  GtkWidget *window_full_every_row, *window_after_row, *rotary_base_local_row;
  GtkWidget *bias_output_row;
  GtkWidget *bias_norms_row;
  GtkWidget *bias_head_row;
  GtkWidget *head_transform_row;
  GtkWidget *norm_eps_row;
  GtkWidget *dyt_alpha_row;
  GtkWidget *init_std_row;
  GtkWidget *estimate_row;
  GtkWidget *momentum_row;
  GtkWidget *beta1_row, *beta2_row, *epsilon_row;

  NormscopeSession *session;
};

G_DEFINE_FINAL_TYPE (NormscopeSidebar, normscope_sidebar, GTK_TYPE_BOX)

static void
show_summary (NormscopeSidebar *self, AdwExpanderRow *group, const char *name)
{
  g_autofree char *summary = normscope_label_dup_group_summary (name, normscope_session_get_experiment (self->session),
                                                                normscope_session_get_selected (self->session));
  g_autofree char *markup = g_markup_escape_text (summary, -1);

  adw_expander_row_set_subtitle (group, markup);
}

/* Disable the settings of optimizers that no variant has. */
static void
refresh_learning (NormscopeSidebar *self, const NsExperiment *experiment)
{
  gboolean has_sgd = FALSE, has_adam = FALSE;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      NsTrainingSettings training = ns_variant_get_training (experiment, ns_experiment_variant (experiment, v));

      has_sgd = has_sgd || training.optimizer == NS_OPTIMIZER_SGD;
      has_adam = has_adam || training.optimizer != NS_OPTIMIZER_SGD;
    }
  normscope_set_sensitive (self->momentum_row, has_sgd);
  normscope_set_sensitive (self->beta1_row, has_adam);
  normscope_set_sensitive (self->beta2_row, has_adam);
  normscope_set_sensitive (self->epsilon_row, has_adam);
}

/* Show the settings of experts and of several streams where there are any. */
static void
refresh_experts (NormscopeSidebar *self, const NsVariant *variant)
{
  gtk_widget_set_visible (self->stream_weights_row, variant->hyper.streams > 0);
  gtk_widget_set_visible (self->experts_per_token_row, variant->experts.count > 0);
  gtk_widget_set_visible (self->expert_weights_row, variant->experts.count > 0);
  gtk_widget_set_visible (self->shared_experts_row, variant->experts.count > 0);
  gtk_widget_set_visible (self->shared_expert_gate_row, ns_variant_has_shared_expert (variant));
}

/* Show the settings that the kind of rotary positions and their scaling, the position bias and the window use. */
static void
refresh_positions (NormscopeSidebar *self, const NsVariant *variant)
{
  GtkWidget *const rotary_rows[] = {
    self->rotary_base_row,          self->rotary_dim_row,          self->rotary_scaling_row,
    self->rotary_factor_row,        self->rotary_original_row,     self->rotary_low_row,
    self->rotary_high_row,          self->rotary_truncate_row,     self->rotary_attention_factor_row,
    self->rotary_short_factors_row, self->rotary_long_factors_row, self->rotary_skip_every_row,
    self->rotary_base_local_row
  };
  gboolean has_buckets = variant->position_bias == NS_POSITION_BIAS_T5, has_window = variant->window.size > 0;

  for (gsize i = 0; i < G_N_ELEMENTS (rotary_rows); i++)
    {
      const NsParam *param = normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (rotary_rows[i]));

      gtk_widget_set_visible (rotary_rows[i], ns_variant_uses_rotary_setting (variant, param->key));
    }
  gtk_widget_set_visible (self->position_buckets_row, has_buckets);
  gtk_widget_set_visible (self->position_distance_row, has_buckets);
  gtk_widget_set_visible (self->window_full_every_row, has_window);
  gtk_widget_set_visible (self->window_after_row, has_window);
}

static void
refresh_sidebar (NormscopeSidebar *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const NsVariant *variant = ns_experiment_variant (experiment, normscope_session_get_selected (self->session));
  gboolean has_cross = experiment->shape.stack == NS_STACK_ENCODER_DECODER;
  gboolean has_tokens = experiment->data.source != NS_SOURCE_GAUSSIAN;
  gboolean is_embedded = has_tokens || experiment->data.class_token != NS_CLASS_TOKEN_NONE
                         || ns_experiment_has_patches (experiment);

  gtk_label_set_label (self->variant_title, variant->name);
  gtk_widget_queue_draw (GTK_WIDGET (self->edge));
  show_summary (self, self->shape_group, "shape");
  show_summary (self, self->data_group, "data");
  show_summary (self, self->layers_group, "layers");
  show_summary (self, self->biases_group, "biases");
  show_summary (self, self->norms_group, "norms");
  show_summary (self, self->init_group, "init");
  show_summary (self, self->seeds_group, "seeds");
  show_summary (self, self->learning_group, "learning");
  show_summary (self, self->variant_learning_group, "variant-learning");
  /* Disable the settings that have no effect at present. */
  normscope_set_sensitive (self->vocab_row, experiment->data.source != NS_SOURCE_TEXT);
  normscope_set_sensitive (self->embed_std_row, is_embedded);
  normscope_set_sensitive (self->embed_scale_row, is_embedded);
  normscope_set_sensitive (self->positions_row, is_embedded);
  normscope_set_sensitive (self->attention_scale_row,
                           variant->attention != NS_ATTENTION_UNIFORM && variant->qk_norm != NS_QK_NORM_COSINE);
  normscope_set_sensitive (self->bias_output_row, variant->attention_output);
  normscope_set_sensitive (self->bias_norms_row, variant->norm != NS_NORM_RMSNORM);
  normscope_set_sensitive (self->bias_head_row, experiment->loss == NS_LOSS_CROSS_ENTROPY);
  normscope_set_sensitive (self->head_transform_row, experiment->loss == NS_LOSS_CROSS_ENTROPY);
  normscope_set_sensitive (self->norm_eps_row, variant->norm != NS_NORM_DYT);
  normscope_set_sensitive (self->dyt_alpha_row, variant->norm == NS_NORM_DYT);
  normscope_set_sensitive (self->init_std_row, variant->init.scheme == NS_INIT_NORMAL);
  /* one minibatch has one number, but a choice that it does not allow has to be changed */
  normscope_set_sensitive (self->estimate_row, experiment->sampling.batches > 1
                                                   || experiment->sampling.estimate != NS_ESTIMATE_NORM);
  refresh_learning (self, experiment);
  refresh_positions (self, variant);
  refresh_experts (self, variant);
  gtk_widget_set_visible (self->markov_temperature_row, experiment->data.source == NS_SOURCE_MARKOV);
  gtk_widget_set_visible (self->task_row, has_cross && has_tokens);
  gtk_widget_set_visible (self->encoder_vocab_row, has_cross && has_tokens);
  gtk_widget_set_visible (self->token_types_row, has_tokens);
  gtk_widget_set_visible (self->class_token_row, !has_tokens);
  gtk_widget_set_visible (self->patch_features_row, !has_tokens);
  gtk_widget_set_visible (self->class_token_loss_row,
                          !has_tokens && experiment->data.class_token != NS_CLASS_TOKEN_NONE);
  gtk_widget_set_visible (self->cross_norm_row, has_cross);
  gtk_widget_set_visible (self->cross_residual_row, has_cross);
  gtk_widget_set_visible (self->cross_inner_norm_row, has_cross);
}

/* Draw the left edge of the card in the colour of the selected variant, within the card's rounded corners. */
static void
draw_edge (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  NormscopeSidebar *self = data;
  const NormscopeVariantLook *look;
  NsSeries series = { .kind = NS_SERIES_LINE, .role = NS_ROLE_DATA };
  NsTheme theme;
  NsColor color;

  if (self->session == NULL)
    return;
  look = normscope_session_get_look (self->session, normscope_session_get_selected (self->session));
  series.style = look->style;
  series.has_color = look->has_color;
  series.color = look->color;
  normscope_color_popover_init_theme (&theme);
  color = ns_theme_get_series_style (&theme, &series).line;
  cairo_arc_negative (cr, CORNER_PX, CORNER_PX, CORNER_PX, 1.5 * G_PI, G_PI);
  cairo_arc_negative (cr, CORNER_PX, height - CORNER_PX, CORNER_PX, G_PI, 0.5 * G_PI);
  cairo_clip (cr);
  cairo_set_source_rgb (cr, color.red, color.green, color.blue);
  cairo_rectangle (cr, 0, 0, EDGE_PX, height);
  cairo_fill (cr);
}

static void
bind_rows (GtkWidget *widget, NormscopeSession *session)
{
  if (NORMSCOPE_IS_PARAMETER_ROW (widget))
    {
      normscope_parameter_row_set_session (NORMSCOPE_PARAMETER_ROW (widget), session);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    bind_rows (child, session);
}

static void
add_marks (NormscopeSidebar *self)
{
  GtkScale *slider = normscope_parameter_row_get_slider (self->post_fraction_row);
  const NsParam *param = normscope_parameter_row_get_param (self->post_fraction_row);

  normscope_parameter_add_mark (slider, param, 0, _ ("Pre-LN"));
  normscope_parameter_add_mark (slider, param, 0.25, _ ("Mix-LN"));
  normscope_parameter_add_mark (slider, param, 1, _ ("Post-LN"));
}

void
normscope_sidebar_set_session (NormscopeSidebar *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_SIDEBAR (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  bind_rows (GTK_WIDGET (self), session);
  normscope_variant_list_set_session (self->variant_list, session);
  normscope_text_row_set_session (self->text_row, session);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (refresh_sidebar), self, G_CONNECT_SWAPPED);
  refresh_sidebar (self);
}

void
normscope_sidebar_show_learning (NormscopeSidebar *self, gboolean show)
{
  g_return_if_fail (NORMSCOPE_IS_SIDEBAR (self));
  gtk_widget_set_visible (GTK_WIDGET (self->learning_group), show);
  gtk_widget_set_visible (GTK_WIDGET (self->variant_learning_group), show);
}

static void
normscope_sidebar_dispose (GObject *object)
{
  NormscopeSidebar *self = NORMSCOPE_SIDEBAR (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_sidebar_parent_class)->dispose (object);
}

static void
normscope_sidebar_class_init (NormscopeSidebarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_sidebar_dispose;

  g_type_ensure (NORMSCOPE_TYPE_PARAMETER_ROW);
  g_type_ensure (NORMSCOPE_TYPE_TEXT_ROW);
  g_type_ensure (NORMSCOPE_TYPE_VARIANT_LIST);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-sidebar.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, variant_list);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, variant_title);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, post_fraction_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, shape_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, data_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, layers_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, biases_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, norms_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, init_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, seeds_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, learning_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, variant_learning_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, momentum_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, beta1_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, beta2_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, epsilon_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, shared_card);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, variant_card);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, edge);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, text_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, vocab_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, encoder_vocab_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, embed_std_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, embed_scale_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, positions_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, markov_temperature_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, task_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, token_types_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, class_token_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, class_token_loss_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, patch_features_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, cross_norm_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, cross_residual_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, cross_inner_norm_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, attention_scale_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, experts_per_token_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, expert_weights_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, stream_weights_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, shared_experts_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, shared_expert_gate_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_base_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_dim_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_scaling_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_factor_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_original_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_low_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_high_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_attention_factor_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_truncate_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_short_factors_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_long_factors_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_skip_every_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, position_buckets_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, position_distance_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, window_full_every_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, window_after_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, rotary_base_local_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, bias_output_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, bias_norms_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, bias_head_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, head_transform_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, norm_eps_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, dyt_alpha_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, init_std_row);
  gtk_widget_class_bind_template_child (widget_class, NormscopeSidebar, estimate_row);
  gtk_widget_class_set_css_name (widget_class, "sidebar");
}

static void
normscope_sidebar_init (NormscopeSidebar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_marks (self);
  gtk_drawing_area_set_draw_func (self->edge, draw_edge, self, NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (gtk_widget_queue_draw),
                           self->edge, G_CONNECT_SWAPPED);
}
