/* An encoder-decoder in the real window: stack, cross-attention, nullable parameters, crosshair, sweeps of a part.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app/scaling/normscope-scaling-bar.h"
#include "app/sidebar/normscope-display-group.h"
#include "engine/experiment/ns-derived.h"
#include "figures/ns-scaling.h"

#define DEPTH 5

static NsVariant *
first (Fixture *fixture)
{
  return ns_experiment_variant (fixture->experiment, 0);
}

static GtkDropDown *
get_drop_down (Fixture *fixture, const char *path)
{
  return GTK_DROP_DOWN (app_find_in_row (fixture, path, GTK_TYPE_DROP_DOWN));
}

static void
select_item (Fixture *fixture, const char *path, guint item)
{
  gtk_drop_down_set_selected (get_drop_down (fixture, path), item);
}

static gboolean
is_row_visible (Fixture *fixture, const char *path)
{
  return gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, path)));
}

/* Switch to an encoder-decoder of a few blocks, which runs fast. */
static void
use_encoder_decoder (Fixture *fixture)
{
  app_type_number (fixture, "shape.depth", G_STRINGIFY (DEPTH));
  fixture->experiment->shape.depth = DEPTH;
  select_item (fixture, "shape.stack", NS_STACK_ENCODER_DECODER);
  fixture->experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  app_assert_shows (fixture);
}

static void
test_stack (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = NULL;
  g_autofree char *start = NULL;

  app_type_number (fixture, "shape.depth", G_STRINGIFY (DEPTH));
  fixture->experiment->shape.depth = DEPTH;
  app_assert_shows (fixture);
  start = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_false (is_row_visible (fixture, "cross.norm"));
  g_assert_false (is_row_visible (fixture, "cross.residual"));

  use_encoder_decoder (fixture);
  description = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_nonnull (strstr (description, "Post-LN: encoder "));
  g_assert_nonnull (strstr (description, "; decoder rises "));
  g_assert_cmpuint (normscope_plot_get_figure (fixture->plot)->x_parts->len, ==, 2);
  g_assert_true (is_row_visible (fixture, "cross.norm"));
  g_assert_true (is_row_visible (fixture, "cross.residual"));
  g_assert_true (is_row_visible (fixture, "cross.inner_norm"));

  /* Each part has this depth. */
  app_move_slider (fixture, "shape.depth", 8);
  fixture->experiment->shape.depth = 8;
  app_assert_shows (fixture);
  app_type_number (fixture, "shape.depth", G_STRINGIFY (DEPTH));
  fixture->experiment->shape.depth = DEPTH;
  app_assert_shows (fixture);

  select_item (fixture, "shape.stack", NS_STACK_SINGLE);
  fixture->experiment->shape.stack = NS_STACK_SINGLE;
  app_assert_shows (fixture);
  app_assert_unchanged (fixture, start);
  g_assert_false (is_row_visible (fixture, "cross.norm"));
  g_assert_cmpuint (normscope_plot_get_figure (fixture->plot)->x_parts->len, ==, 0);
}

static void
test_crosshair (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plot = GTK_WIDGET (fixture->plot);
  gint64 last;

  use_encoder_decoder (fixture);
  last = ns_flow_get_last_x (fixture->experiment);
  g_assert_cmpint (last, ==, 2 * DEPTH + 1);
  g_assert_true (app_press_key (plot, GDK_KEY_Home));
  app_assert_readout (fixture, 0);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Encoder input"));
  for (int i = 0; i < DEPTH; i++)
    g_assert_true (app_press_key (plot, GDK_KEY_Right));
  app_assert_readout (fixture, DEPTH);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Encoder block 5"));
  /* Step from the encoder to the decoder. */
  g_assert_true (app_press_key (plot, GDK_KEY_Right));
  app_assert_readout (fixture, DEPTH + 1);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Decoder input"));
  g_assert_true (app_press_key (plot, GDK_KEY_End));
  app_assert_readout (fixture, last);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "Decoder block 5"));
}

static void
test_cross (Fixture *fixture, gconstpointer data)
{
  NsVariant *variant = first (fixture);
  g_autofree char *description = NULL;

  use_encoder_decoder (fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (get_drop_down (fixture, "cross.norm")), ==, 0);
  for (guint placement = NS_PLACE_NONE; placement <= NS_PLACE_PRE_POST; placement++)
    {
      select_item (fixture, "cross.norm", placement + 1);
      variant->cross.norm = (int) placement;
      app_assert_shows (fixture);
    }

  /* post_fraction also places the norms of cross-attention; setting a placement unsets it. */
  app_move_slider (fixture, "post_fraction", 0.75);
  variant->post_fraction = 0.75;
  app_assert_shows (fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (get_drop_down (fixture, "cross.norm")), ==, 0);
  select_item (fixture, "cross.norm", NS_PLACE_SANDWICH + 1);
  variant->post_fraction = NAN;
  variant->cross.norm = NS_PLACE_SANDWICH;
  app_assert_shows (fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (get_drop_down (fixture, "cross.norm")), ==, NS_PLACE_SANDWICH + 1);

  select_item (fixture, "cross.norm", 0);
  variant->cross.norm = NS_NULL_CHOICE;
  select_item (fixture, "cross.residual", 2);
  variant->cross.residual = FALSE;
  app_assert_shows (fixture);
  description = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_nonnull (strstr (description, "in the decoder token"));
  select_item (fixture, "cross.residual", 1);
  variant->cross.residual = TRUE;
  app_assert_shows (fixture);
  select_item (fixture, "cross.residual", 0);
  variant->cross.residual = NS_NULL_CHOICE;
  select_item (fixture, "cross.inner_norm", 1);
  variant->cross.inner_norm = TRUE;
  app_assert_shows (fixture);
}

/* Set a nullable number in turn: the number that null stands for, another one, an invalid one, null. */
static void
test_null (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *path;
    gsize offset;
    const char *good, *bad;
  } cases[] = {
    { "shape.kv_heads", G_STRUCT_OFFSET (NsExperiment, shape.kv_heads), "2", "3" },
    { "shape.d_head", G_STRUCT_OFFSET (NsExperiment, shape.d_head), "5", NULL },
    { "shape.decoder_depth", G_STRUCT_OFFSET (NsExperiment, shape.decoder_depth), "3", NULL },
  };
  const NsShape *shape = &fixture->experiment->shape;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 *field = G_STRUCT_MEMBER_P (fixture->experiment, cases[i].offset);
      GtkWidget *spin = app_find_in_row (fixture, cases[i].path, GTK_TYPE_SPIN_BUTTON);

      g_assert_false (gtk_widget_get_visible (spin));
      select_item (fixture, cases[i].path, 1);
      g_assert_true (gtk_widget_get_visible (spin));
      g_assert_cmpfloat (gtk_spin_button_get_value (GTK_SPIN_BUTTON (spin)), ==,
                         (double) (i == 0   ? shape->heads
                                   : i == 1 ? ns_shape_get_d_head (shape)
                                            : shape->depth));
      app_assert_shows (fixture); /* same results, from a new run */
      app_type_number (fixture, cases[i].path, cases[i].good);
      *field = g_ascii_strtoll (cases[i].good, NULL, 10);
      app_assert_shows (fixture);
      if (cases[i].bad != NULL)
        {
          GtkWidget *row = GTK_WIDGET (app_find_row (fixture, cases[i].path));
          g_autofree char *good = app_dup_description (GTK_WIDGET (fixture->plot));

          app_type_number (fixture, cases[i].path, cases[i].bad);
          app_assert_unchanged (fixture, good);
          g_assert_true (gtk_widget_has_css_class (row, "invalid"));
          g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window),
                                           "shape.kv_heads: 3 does not divide shape.heads = 4"));
        }
      select_item (fixture, cases[i].path, 0);
      *field = 0;
      app_assert_shows (fixture);
      g_assert_false (gtk_widget_get_visible (spin));
    }
}

static GtkDropDown *
get_display (Fixture *fixture, const char *name)
{
  GtkWidget *group = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_DISPLAY_GROUP);

  return GTK_DROP_DOWN (gtk_widget_get_template_child (group, NORMSCOPE_TYPE_DISPLAY_GROUP, name));
}

/* The settings name quantities of the right kind. */
static void
test_default_quantities (void)
{
  const struct
  {
    const char *key;
    NsQuantityKind kind;
  } keys[] = { { "quantity", NS_KIND_GRADIENT }, { "bars", NS_KIND_ACTIVATION } };
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GVariant) value = g_settings_get_default_value (settings, keys[i].key);
      NsQuantity quantity;

      g_assert_true (ns_quantity_from_name (g_variant_get_string (value, NULL), &quantity));
      g_assert_cmpint (ns_quantity_info (quantity)->kind, ==, keys[i].kind);
      g_assert_true ((ns_quantity_info (quantity)->uses & NS_USE_FLOW) != 0);
    }
}

static void
test_quantities_of_decoder (Fixture *fixture, gconstpointer data)
{
  GListModel *gradients = gtk_drop_down_get_model (get_display (fixture, "gradient"));
  const NsPanel *bars;
  gboolean found = FALSE;

  use_encoder_decoder (fixture);
  for (guint i = 0; i < g_list_model_get_n_items (gradients); i++)
    {
      g_autoptr (GtkStringObject) item = g_list_model_get_item (gradients, i);

      if (!g_str_has_prefix (gtk_string_object_get_string (item), "cross_w_q "))
        continue;
      found = TRUE;
      gtk_drop_down_set_selected (get_display (fixture, "gradient"), i);
    }
  g_assert_true (found);
  fixture->options.gradient = NS_Q_CROSS_W_Q;
  app_assert_shows (fixture);
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "encoder has no "));

  gtk_drop_down_set_selected (get_display (fixture, "activation"), 3);
  app_settle ();
  bars = g_ptr_array_index (normscope_plot_get_figure (fixture->plot)->panels, 1);
  g_assert_cmpstr (bars->accessible_title, ==, "Size of the cross-attention branch, rms(cross)");
  for (guint s = 0; s < bars->series->len; s++)
    g_assert_cmpfloat (((const NsSeries *) g_ptr_array_index (bars->series, s))->x[0], >, DEPTH);
}

/* ---- the sweep ---- */

static gboolean
is_plot_of_scaling (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_PLOT (widget) && gtk_widget_get_mapped (widget);
}

typedef struct
{
  NormscopePlot *plot;
  char *sentence;
} Expectation;

static gboolean
is_described (gpointer data)
{
  Expectation *expectation = data;
  g_autofree char *text = app_dup_description (GTK_WIDGET (expectation->plot));

  return strcmp (text, expectation->sentence) == 0;
}

static void
assert_sweep (Fixture *fixture, const char *metric_text, const char *title)
{
  Expectation expectation = {
    .plot = NORMSCOPE_PLOT (app_find (GTK_WIDGET (fixture->window), is_plot_of_scaling, NULL)),
  };
  g_autofree gint64 *points = NULL;
  g_autoptr (NsSweep) sweep = NULL;
  g_autofree char *shown = NULL;
  NsScalingOptions options;
  GError *error = NULL;
  const NsPanel *panel;
  NsMetric metric;
  guint n;

  points = ns_sweep_points_from_text ("1..6", &n, NULL);
  g_assert_true (ns_metric_from_text (metric_text, &metric, NULL));
  sweep = ns_sweep_new (fixture->experiment, NS_SWEEP_DEPTH, points, n, metric, &error);
  g_assert_no_error (error);
  g_assert_true (ns_engine_run_sweep (fixture->engine, sweep, NULL, NULL));
  ns_scaling_options_init (&options);
  expectation.sentence = ns_scaling_sentence (sweep, &options);
  if (!app_wait_for (is_described, &expectation, TIMEOUT_MS))
    {
      shown = app_dup_description (GTK_WIDGET (expectation.plot));
      g_error ("“%s” is shown, “%s” expected", shown, expectation.sentence);
    }
  panel = g_ptr_array_index (normscope_plot_get_figure (expectation.plot)->panels, 0);
  g_assert_cmpstr (panel->accessible_title, ==, title);
  g_free (expectation.sentence);
}

static void
test_sweep (Fixture *fixture, gconstpointer data)
{
  GtkWidget *bar = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_SCALING_BAR);
  GtkWidget *part = GTK_WIDGET (gtk_widget_get_template_child (bar, NORMSCOPE_TYPE_SCALING_BAR, "part"));
  NsScalingSettings settings
      = *normscope_scaling_bar_get_settings (NORMSCOPE_SCALING_BAR (bar));

  settings.last[NS_SWEEP_DEPTH] = 6;
  settings.last[NS_SWEEP_D_MODEL] = 48; /* the claims need widths; keep them cheap */
  normscope_scaling_bar_set_settings (NORMSCOPE_SCALING_BAR (bar), &settings);
  g_assert_false (gtk_widget_get_visible (part));
  use_encoder_decoder (fixture);
  g_assert_true (gtk_widget_get_visible (part));
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
  assert_sweep (fixture, "decoder:w_2@last", "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · decoder, last block");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (part), 1);
  assert_sweep (fixture, "encoder:w_2@last", "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · encoder, last block");

  /* A single stack has no encoder; the choice is kept for the next encoder-decoder. */
  select_item (fixture, "shape.stack", NS_STACK_SINGLE);
  fixture->experiment->shape.stack = NS_STACK_SINGLE;
  assert_sweep (fixture, "w_2@last", "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · last block");
  g_assert_false (gtk_widget_get_visible (part));
  select_item (fixture, "shape.stack", NS_STACK_ENCODER_DECODER);
  fixture->experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  assert_sweep (fixture, "encoder:w_2@last", "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · encoder, last block");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (part), 0);
  assert_sweep (fixture, "w_2@last", "Gradient norm of the FFN's last matrix, ‖∂L/∂W₂‖ · decoder, last block");
}

void
add_parts_tests (void)
{
  app_test_add ("/parts/stack", test_stack);
  app_test_add ("/parts/crosshair", test_crosshair);
  app_test_add ("/parts/cross", test_cross);
  app_test_add ("/parts/null", test_null);
  app_test_add_func ("/parts/default-quantities", test_default_quantities);
  app_test_add ("/parts/quantities-of-decoder", test_quantities_of_decoder);
  app_test_add ("/parts/sweep", test_sweep);
}
