/* The controls of the real window: operate each, and read the new numbers from the accessible description.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-params.h"

static NsVariant *
first (Fixture *fixture)
{
  return ns_experiment_variant (fixture->experiment, 0);
}

static void
test_start (Fixture *fixture, gconstpointer data)
{
  g_autofree char *description = app_dup_description (GTK_WIDGET (fixture->plot));
  GtkWidget *status;

  gtk_test_accessible_assert_role (GTK_ACCESSIBLE (fixture->plot), GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_nonnull (strstr (description, "Pre-LN: falls"));
  g_assert_nonnull (strstr (description, "Post-LN"));
  g_assert_nonnull (strstr (description, "block 1 to 24"));
  /* The sentence is also shown as text. */
  app_assert_first_clause (GTK_WIDGET (fixture->window), description);
  /* The machine's words are not for an audience. */
  status = app_find_text (GTK_WIDGET (fixture->window), "8\302\240seeds");
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (status)), ==, "8\302\240seeds");
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (status), ns_blas_get_core ()));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (status), "thread"));
  g_assert_null (app_find_text (GTK_WIDGET (fixture->window), ns_blas_get_core ()));
}

static void
test_depth (Fixture *fixture, gconstpointer data)
{
  GtkScale *slider = normscope_parameter_row_get_slider (app_find_row (fixture, "shape.depth"));
  gboolean moved;

  app_move_slider (fixture, "shape.depth", 48);
  fixture->experiment->shape.depth = 48;
  app_assert_shows (fixture);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "48 blocks");

  g_signal_emit_by_name (slider, "move-slider", GTK_SCROLL_STEP_FORWARD, &moved);
  fixture->experiment->shape.depth = 49;
  app_assert_shows (fixture);
  g_signal_emit_by_name (slider, "move-slider", GTK_SCROLL_PAGE_BACKWARD, &moved);
  fixture->experiment->shape.depth = 25;
  app_assert_shows (fixture);
  g_signal_emit_by_name (slider, "move-slider", GTK_SCROLL_START, &moved);
  fixture->experiment->shape.depth = 1;
  app_assert_shows (fixture);

  app_type_number (fixture, "shape.depth", "7");
  fixture->experiment->shape.depth = 7;
  app_assert_shows (fixture);
  /* A text is refused as a depth, and a depth below 1 becomes 1. */
  app_type_number (fixture, "shape.depth", "many");
  app_assert_shows (fixture);
  app_type_number (fixture, "shape.depth", "-3");
  fixture->experiment->shape.depth = 1;
  app_assert_shows (fixture);
}

static guint
get_selected (Fixture *fixture, const char *path)
{
  return gtk_drop_down_get_selected (GTK_DROP_DOWN (app_find_in_row (fixture, path, GTK_TYPE_DROP_DOWN)));
}

static void
select_item (Fixture *fixture, const char *path, guint item)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (app_find_in_row (fixture, path, GTK_TYPE_DROP_DOWN)), item);
}

static const char *
get_selected_name (Fixture *fixture, const char *path)
{
  GtkDropDown *drop_down = GTK_DROP_DOWN (app_find_in_row (fixture, path, GTK_TYPE_DROP_DOWN));

  return gtk_string_object_get_string (gtk_drop_down_get_selected_item (drop_down));
}

static void
test_post_fraction (Fixture *fixture, gconstpointer data)
{
  GtkScale *slider = normscope_parameter_row_get_slider (app_find_row (fixture, "post_fraction"));

  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (slider)), ==, 0.0);
  app_move_slider (fixture, "post_fraction", 0.25);
  first (fixture)->post_fraction = 0.25;
  app_assert_shows (fixture);
  g_assert_cmpstr (get_selected_name (fixture, "attn.norm"), ==, "Mixed");
  g_assert_nonnull (
      app_find_text (GTK_WIDGET (app_find_row (fixture, "ffn.norm")), "Choose a placement to override it"));

  app_move_slider (fixture, "post_fraction", 1);
  first (fixture)->post_fraction = 1;
  app_assert_shows (fixture);
  g_assert_cmpuint (get_selected (fixture, "attn.norm"), ==, NS_PLACE_POST);

  /* Setting one placement unsets post_fraction; the other sub-layer keeps the placement that was shown. */
  select_item (fixture, "attn.norm", NS_PLACE_PRE);
  first (fixture)->post_fraction = NAN;
  first (fixture)->attn.norm = NS_PLACE_PRE;
  first (fixture)->ffn.norm = NS_PLACE_POST;
  app_assert_shows (fixture);
  g_assert_cmpuint (get_selected (fixture, "ffn.norm"), ==, NS_PLACE_POST);

  /* The slider of the Post-LN variant is at the other end. */
  gtk_list_box_select_row (GTK_LIST_BOX (gtk_widget_get_parent (GTK_WIDGET (app_find_variant (fixture, 1)))),
                           GTK_LIST_BOX_ROW (app_find_variant (fixture, 1)));
  g_assert_cmpfloat (gtk_range_get_value (GTK_RANGE (slider)), ==, 1.0);
  app_move_slider (fixture, "post_fraction", 0.5);
  ns_experiment_variant (fixture->experiment, 1)->post_fraction = 0.5;
  app_assert_shows (fixture);
}

static void
flip (Fixture *fixture, const char *path)
{
  GtkSwitch *toggle = GTK_SWITCH (app_find_in_row (fixture, path, GTK_TYPE_SWITCH));

  gtk_switch_set_active (toggle, !gtk_switch_get_active (toggle));
}

static void
test_residuals (Fixture *fixture, gconstpointer data)
{
  g_autofree char *start = app_dup_description (GTK_WIDGET (fixture->plot));

  flip (fixture, "attn.residual");
  first (fixture)->attn.residual = FALSE;
  app_assert_shows (fixture);
  flip (fixture, "ffn.residual");
  first (fixture)->ffn.residual = FALSE;
  app_assert_shows (fixture);
  flip (fixture, "attn.residual");
  first (fixture)->attn.residual = TRUE;
  app_assert_shows (fixture);
  flip (fixture, "ffn.residual");
  first (fixture)->ffn.residual = TRUE;
  app_assert_shows (fixture);
  app_assert_unchanged (fixture, start);
}

static void
test_placements (Fixture *fixture, gconstpointer data)
{
  for (guint placement = NS_PLACE_NONE; placement <= NS_PLACE_PRE_POST; placement++)
    {
      select_item (fixture, "attn.norm", placement);
      first (fixture)->attn.norm = (int) placement;
      app_assert_shows (fixture);
    }
  for (guint placement = NS_PLACE_NONE; placement <= NS_PLACE_PRE_POST; placement++)
    {
      select_item (fixture, "ffn.norm", placement);
      first (fixture)->ffn.norm = (int) placement;
      app_assert_shows (fixture);
    }
}

static gpointer
get_base (Fixture *fixture, const NsParam *param)
{
  return param->section == NS_SECTION_VARIANT ? (gpointer) first (fixture) : (gpointer) fixture->experiment;
}

/* Set a nullable parameter to its first value that is not null, in the window and in the expected experiment. */
static void
change_from_null (Fixture *fixture, const NsParam *param)
{
  const char *path = ns_param_get_path (param);
  gint64 value = param->type == NS_TYPE_INTEGER ? 4 : param->type == NS_TYPE_BOOLEAN ? 1 : 0;

  g_assert_cmpuint (get_selected (fixture, path), ==, 0);
  select_item (fixture, path, 1);
  if (param->type == NS_TYPE_INTEGER)
    app_type_number (fixture, path, "4");
  g_assert_true (ns_param_set_int (param, get_base (fixture, param), value, "", NULL));
}

/* Change the value of a row's control, of any kind, in the window and in the expected experiment. */
static void
type_list (Fixture *fixture, const char *path, const char *text)
{
  GtkWidget *entry = app_find_in_row (fixture, path, GTK_TYPE_ENTRY);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
}

static void
change_row (Fixture *fixture, const NsParam *param)
{
  const char *path = ns_param_get_path (param);
  gpointer base = get_base (fixture, param);
  const char *number;

  if (param->nullable && param->type != NS_TYPE_NUMBER && param->type != NS_TYPE_LIST)
    {
      change_from_null (fixture, param);
      return;
    }
  switch (param->type)
    {
    case NS_TYPE_BOOLEAN:
      flip (fixture, path);
      g_assert_true (ns_param_set_int (param, base, !ns_param_get_int (param, base), "", NULL));
      break;
    case NS_TYPE_CHOICE:
      g_assert_true (ns_param_set_int (param, base, ns_param_get_int (param, base) == 0 ? 1 : 0, "", NULL));
      select_item (fixture, path, (guint) ns_param_get_int (param, base));
      break;
    case NS_TYPE_SCALE:
      select_item (fixture, path, 0);
      app_type_number (fixture, path, "0.75");
      g_assert_true (ns_param_set_scale (param, base, (NsScale){ 0, 0.75 }, "", NULL));
      break;
    case NS_TYPE_NUMBER:
      app_type_number (fixture, path, param->min >= 0.5 ? "3" : "0.5");
      g_assert_true (ns_param_set_number (param, base, param->min >= 0.5 ? 3 : 0.5, "", NULL));
      break;
    case NS_TYPE_INTEGER:
      /* more seeds and batches would make every later run longer */
      number = g_str_has_prefix (path, "sampling.") ? "2" : "8";
      app_type_number (fixture, path, number);
      g_assert_true (ns_param_set_text (param, base, number, "", NULL));
      break;
    case NS_TYPE_LIST:
      type_list (fixture, path, "1, 2,5  0.125");
      g_assert_true (ns_param_set_string (param, base, "1 2.5 0.125", "", NULL));
      break;
    case NS_TYPE_STRING:
    default:
      g_assert_not_reached ();
    }
}

/* Parallel sub-layers share norms and residual, so one control changes both. */
static void
agree (NsVariant *variant, const char *path)
{
  NsWiring *from = g_str_has_prefix (path, "ffn.") ? &variant->ffn : &variant->attn;
  NsWiring *to = from == &variant->ffn ? &variant->attn : &variant->ffn;

  if (variant->topology != NS_TOPOLOGY_PARALLEL)
    return;
  to->norm = from->norm;
  to->residual = from->residual;
}

static void
collect_rows (GtkWidget *widget, GPtrArray *params)
{
  if (NORMSCOPE_IS_PARAMETER_ROW (widget))
    g_ptr_array_add (params, (gpointer) normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_rows (child, params);
}

/* Every parameter has a control, except names and the text; those of a pass work. */
static void
test_every_parameter (Fixture *fixture, gconstpointer data)
{
  static const char *const without[] = { "name", "data.text", NULL };
  /* These exclude settings of rows before them. */
  static const char *const alone[] = { "ngpt", "streams", "stream_weights", NULL };
  /* These disable or exclude other parameters, so they are set back. */
  static const char *const back[] = { "shape.stack", "shape.d_head", "topology", "attention_output", "rotary",
                                      "experts", "sublayers", NULL };
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  gsize n;
  const NsParam *params = ns_params (&n);

  collect_rows (GTK_WIDGET (fixture->window), shown);
  for (gsize i = 0; i < n; i++)
    {
      const char *path = ns_param_get_path (&params[i]);
      gpointer base;

      g_test_message ("%s", path);
      if (g_strv_contains (without, path))
        continue;
      g_assert_true (g_ptr_array_find (shown, &params[i], NULL));
      if (ns_param_is_of_training (&params[i]) || g_strv_contains (alone, path))
        continue;
      /* Keep the depth small, or the last runs take long. */
      change_row (fixture, &params[i]);
      agree (first (fixture), path);
      app_assert_shows (fixture);
      if (!g_strv_contains (back, path))
        continue;
      normscope_session_reset (fixture->session, &params[i]);
      base = get_base (fixture, &params[i]);
      g_assert_true (ns_param_set_int (&params[i], base, (gint64) params[i].fallback, "", NULL)
                     || ns_param_set_text (&params[i], base, "null", "", NULL));
      app_assert_shows (fixture);
    }
}

/* Residual streams and nGPT, in a plain Pre-LN variant. */
static void
test_alone (Fixture *fixture, gconstpointer data)
{
  NsVariant *variant = first (fixture);

  select_item (fixture, "attn.norm", NS_PLACE_PRE);
  select_item (fixture, "ffn.norm", NS_PLACE_PRE);
  variant->attn.norm = variant->ffn.norm = NS_PLACE_PRE;
  app_assert_shows (fixture);
  change_row (fixture, ns_param_find ("streams"));
  app_assert_shows (fixture);
  change_row (fixture, ns_param_find ("stream_weights"));
  app_assert_shows (fixture);
  normscope_session_reset (fixture->session, ns_param_find ("streams"));
  variant->hyper.streams = 0;
  app_assert_shows (fixture);
  change_row (fixture, ns_param_find ("ngpt"));
  app_assert_shows (fixture);
}

static void
assert_biases (Fixture *fixture, const char *summary)
{
  GtkWidget *row = gtk_widget_get_ancestor (GTK_WIDGET (app_find_row (fixture, "bias")), ADW_TYPE_EXPANDER_ROW);

  app_assert_shows (fixture);
  g_assert_cmpstr (adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (row)), ==, summary);
}

static gboolean
is_row_sensitive (Fixture *fixture, const char *path)
{
  return gtk_widget_is_sensitive (GTK_WIDGET (app_find_row (fixture, path)));
}

/* The biases of each group of maps, which follow "Biases" until they are set, and where a group has no maps. */
static void
test_biases (Fixture *fixture, gconstpointer data)
{
  NsVariant *variant = first (fixture);
  NsBiases *biases = &variant->biases;

  assert_biases (fixture, "None");
  select_item (fixture, "bias_qkv", 1); /* the same, on, off */
  biases->qkv = TRUE;
  assert_biases (fixture, "q, k, v");
  select_item (fixture, "bias_k", 2);
  biases->k = FALSE;
  assert_biases (fixture, "q, v");
  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "bias", GTK_TYPE_SWITCH)), TRUE);
  variant->bias = TRUE;
  assert_biases (fixture, "q, v · output · FFN · norms · head");
  select_item (fixture, "bias_k", 0);
  biases->k = NS_NULL_CHOICE;
  assert_biases (fixture, "All");
  select_item (fixture, "bias_head", 2);
  biases->head = FALSE;
  assert_biases (fixture, "q, k, v · output · FFN · norms");

  select_item (fixture, "norm", NS_NORM_RMSNORM);
  variant->norm = NS_NORM_RMSNORM;
  assert_biases (fixture, "q, k, v · output · FFN");
  g_assert_false (is_row_sensitive (fixture, "bias_norms"));
  select_item (fixture, "norm", NS_NORM_LAYERNORM);
  variant->norm = NS_NORM_LAYERNORM;
  g_assert_true (is_row_sensitive (fixture, "bias_norms"));
  g_assert_true (is_row_sensitive (fixture, "bias_head"));
  select_item (fixture, "loss", NS_LOSS_UNIT_GRADIENT);
  fixture->experiment->loss = NS_LOSS_UNIT_GRADIENT;
  assert_biases (fixture, "All");
  g_assert_false (is_row_sensitive (fixture, "bias_head"));
  g_assert_true (is_row_sensitive (fixture, "bias_output"));
  gtk_switch_set_active (GTK_SWITCH (app_find_in_row (fixture, "attention_output", GTK_TYPE_SWITCH)), FALSE);
  variant->attention_output = FALSE;
  assert_biases (fixture, "All");
  g_assert_false (is_row_sensitive (fixture, "bias_output"));
}

static void
test_text (Fixture *fixture, gconstpointer data)
{
  g_autofree char *start = app_dup_description (GTK_WIDGET (fixture->plot));
  g_autofree char *shown = NULL;

  select_item (fixture, "data.source", NS_SOURCE_TEXT);
  fixture->experiment->data.source = NS_SOURCE_TEXT;
  fixture->experiment->data.text = g_strdup (ns_sample_text ());
  app_assert_shows (fixture);
  shown = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_cmpstr (shown, !=, start);
  g_assert_false (gtk_widget_is_sensitive (GTK_WIDGET (app_find_row (fixture, "shape.vocab"))));
}

/* A vocabulary that is too large for a Markov chain shrinks; only tokens and a decoder have a task. */
static void
test_markov (Fixture *fixture, gconstpointer data)
{
  GtkWidget *task = GTK_WIDGET (app_find_row (fixture, "data.task"));

  app_type_number (fixture, "shape.vocab", "1000");
  select_item (fixture, "data.source", NS_SOURCE_MARKOV);
  fixture->experiment->data.source = NS_SOURCE_MARKOV;
  fixture->experiment->shape.vocab = 256;
  app_assert_shows (fixture);
  app_type_number (fixture, "data.markov_temperature", "0.3");
  fixture->experiment->data.markov_temperature = 0.3;
  app_assert_shows (fixture);
  g_assert_false (gtk_widget_get_visible (task));
  select_item (fixture, "shape.stack", NS_STACK_ENCODER_DECODER);
  g_assert_true (gtk_widget_get_visible (task));
  select_item (fixture, "data.task", NS_TASK_REVERSAL);
  fixture->experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  fixture->experiment->data.task = NS_TASK_REVERSAL;
  app_assert_shows (fixture);
  select_item (fixture, "data.source", NS_SOURCE_GAUSSIAN);
  g_assert_false (gtk_widget_get_visible (task));
}

/* An encoder can have tokens of its own; where both parts read one sequence it gets the decoder's. */
static void
test_encoder_vocab (Fixture *fixture, gconstpointer data)
{
  GtkWidget *row = GTK_WIDGET (app_find_row (fixture, "shape.encoder_vocab"));
  NsShape *shape = &fixture->experiment->shape;
  g_autofree char *shown = NULL;

  g_assert_false (gtk_widget_get_visible (row));
  select_item (fixture, "data.source", NS_SOURCE_TOKENS);
  g_assert_false (gtk_widget_get_visible (row));
  select_item (fixture, "shape.stack", NS_STACK_ENCODER_DECODER);
  g_assert_true (gtk_widget_get_visible (row));
  select_item (fixture, "shape.encoder_vocab", 1);
  fixture->experiment->data.source = NS_SOURCE_TOKENS;
  shape->stack = NS_STACK_ENCODER_DECODER;
  shape->encoder_vocab = shape->vocab;
  app_assert_shows (fixture);
  app_type_number (fixture, "shape.encoder_vocab", "40");
  shape->encoder_vocab = 40;
  app_assert_shows (fixture);

  select_item (fixture, "data.task", NS_TASK_REVERSAL);
  fixture->experiment->data.task = NS_TASK_REVERSAL;
  shape->encoder_vocab = shape->vocab;
  app_assert_shows (fixture);
  app_type_number (fixture, "shape.vocab", "60");
  shape->vocab = shape->encoder_vocab = 60;
  app_assert_shows (fixture);
  shown = app_dup_description (GTK_WIDGET (fixture->plot));
  app_type_number (fixture, "shape.encoder_vocab", "50");
  app_assert_unchanged (fixture, shown);
  g_assert_true (gtk_widget_has_css_class (row, "invalid"));
  g_assert_nonnull (app_find_text (GTK_WIDGET (fixture->window), "shape.encoder_vocab: 50 is not allowed"));
}

/* Gaussian input offers a class token, which needs an embedding; tokens offer token types. */
static void
test_input (Fixture *fixture, gconstpointer data)
{
  static const char *const embedding[] = { "data.embed_std", "data.embed_scale", "data.positions" };
  static const struct
  {
    int source, class_token;
    gboolean is_embedded;
  } rows[] = {
    { NS_SOURCE_GAUSSIAN, NS_CLASS_TOKEN_NONE, FALSE },
    { NS_SOURCE_GAUSSIAN, NS_CLASS_TOKEN_NORMAL, TRUE },
    { NS_SOURCE_TOKENS, NS_CLASS_TOKEN_NORMAL, TRUE },
    { NS_SOURCE_TOKENS, NS_CLASS_TOKEN_NONE, TRUE },
    { NS_SOURCE_GAUSSIAN, NS_CLASS_TOKEN_ZERO, TRUE },
    { NS_SOURCE_MARKOV, NS_CLASS_TOKEN_NONE, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gboolean is_gaussian = rows[i].source == NS_SOURCE_GAUSSIAN;

      select_item (fixture, "data.source", (guint) rows[i].source);
      select_item (fixture, "data.class_token", (guint) rows[i].class_token);
      fixture->experiment->data.source = rows[i].source;
      fixture->experiment->data.class_token = rows[i].class_token;
      app_assert_shows (fixture);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "data.class_token"))), ==,
                       is_gaussian);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "shape.patch_features"))), ==,
                       is_gaussian);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "data.class_token_loss"))), ==,
                       is_gaussian && rows[i].class_token != NS_CLASS_TOKEN_NONE);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "data.token_types"))), ==,
                       !is_gaussian);
      g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "data.markov_temperature"))), ==,
                       rows[i].source == NS_SOURCE_MARKOV);
      g_assert_false (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "data.task"))));
      for (gsize e = 0; e < G_N_ELEMENTS (embedding); e++)
        g_assert_cmpint (gtk_widget_is_sensitive (GTK_WIDGET (app_find_row (fixture, embedding[e]))), ==,
                         rows[i].is_embedded);
    }
}

/* The rows of rotary positions appear with them, and those of a scaling with the rule that uses them. */
static void
test_rotary (Fixture *fixture, gconstpointer data)
{
  enum
  {
    ALL = (1u << (NS_ROTARY_SCALING_LONGROPE + 1)) - 1,
    TURNS = 1u << NS_ROTARY_SCALING_LLAMA3 | 1u << NS_ROTARY_SCALING_YARN,
    LONGROPE = 1u << NS_ROTARY_SCALING_LONGROPE
  };
  static const struct
  {
    const char *path;
    guint scalings; /* that need it, a bit of each NsRotaryScaling */
  } dependent[] = {
    { "rotary_base", ALL },
    { "rotary_dim", ALL },
    { "rotary_scaling", ALL },
    { "rotary_factor", ALL & ~(1u << NS_ROTARY_SCALING_NONE) },
    { "rotary_original", TURNS | LONGROPE },
    { "rotary_low", TURNS },
    { "rotary_high", TURNS },
    { "rotary_attention_factor", 1u << NS_ROTARY_SCALING_YARN | LONGROPE },
    { "rotary_truncate", 1u << NS_ROTARY_SCALING_YARN },
    { "rotary_short_factors", LONGROPE },
    { "rotary_long_factors", LONGROPE },
  };
  NsRotarySettings *rotary = &ns_experiment_variant (fixture->experiment, 0)->rotary;

  for (int scaling = -1; scaling <= NS_ROTARY_SCALING_LONGROPE; scaling++)
    {
      if (scaling >= 0)
        {
          rotary->pairs = NS_ROTARY_INTERLEAVED;
          rotary->scaling = scaling;
          select_item (fixture, "rotary", NS_ROTARY_INTERLEAVED);
          select_item (fixture, "rotary_scaling", (guint) scaling);
        }
      app_assert_shows (fixture);
      for (gsize i = 0; i < G_N_ELEMENTS (dependent); i++)
        g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, dependent[i].path))), ==,
                         scaling >= 0 && (dependent[i].scalings & 1u << scaling) != 0);
    }
}

/* A list that is not one is refused, stays to be mended, and leaves the one that holds; none is null. */
static void
test_list (Fixture *fixture, gconstpointer data)
{
  const char *path = "rotary_short_factors";
  GtkWidget *row = GTK_WIDGET (app_find_row (fixture, path)), *entry = app_find_in_row (fixture, path, GTK_TYPE_ENTRY);
  NsRotarySettings *rotary = &first (fixture)->rotary;

  type_list (fixture, path, "1 2");
  rotary->short_factors = g_strdup ("1 2");
  app_assert_shows (fixture);
  type_list (fixture, path, "1 2 x");
  g_assert_true (gtk_widget_has_css_class (row, "invalid"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "1 2 x");
  app_assert_shows (fixture);
  type_list (fixture, path, "");
  g_clear_pointer (&rotary->short_factors, g_free);
  g_assert_false (gtk_widget_has_css_class (row, "invalid"));
  app_assert_shows (fixture);
  /* as many numbers as pairs */
  rotary->pairs = NS_ROTARY_HALF;
  rotary->scaling = NS_ROTARY_SCALING_LONGROPE;
  select_item (fixture, "rotary", NS_ROTARY_HALF);
  select_item (fixture, "rotary_scaling", NS_ROTARY_SCALING_LONGROPE);
  type_list (fixture, path, "1 2 3");
  g_assert_true (gtk_widget_has_css_class (row, "invalid"));
  type_list (fixture, path, "");
  g_assert_false (gtk_widget_has_css_class (row, "invalid"));
  app_assert_shows (fixture);
}

/* The rows of relative position biases appear with them. */
static void
test_position_bias (Fixture *fixture, gconstpointer data)
{
  static const char *const dependent[] = { "position_buckets", "position_distance" };

  for (int bias = NS_POSITION_BIAS_T5; bias >= NS_POSITION_BIAS_NONE; bias--)
    {
      ns_experiment_variant (fixture->experiment, 0)->position_bias = bias;
      select_item (fixture, "position_bias", (guint) bias);
      app_assert_shows (fixture);
      for (gsize i = 0; i < G_N_ELEMENTS (dependent); i++)
        g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, dependent[i]))), ==,
                         bias == NS_POSITION_BIAS_T5);
    }
}

/* The rows of a pattern appear with a window; a new window changes nothing yet, and a new pattern is the smallest. */
static void
test_window (Fixture *fixture, gconstpointer data)
{
  static const char *const pattern[] = { "window_full_every", "window_after" };
  NsVariant *variant = ns_experiment_variant (fixture->experiment, 0);

  for (int has_window = 0; has_window < 2; has_window++)
    {
      if (has_window)
        {
          variant->window.size = fixture->experiment->shape.seq_len;
          select_item (fixture, "window", 1);
        }
      app_assert_shows (fixture);
      for (gsize i = 0; i < G_N_ELEMENTS (pattern); i++)
        g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, pattern[i]))), ==, has_window);
      g_assert_false (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "rotary_base_local"))));
    }
  variant->window.full_every = 2;
  select_item (fixture, "window_full_every", 1);
  variant->window.after = 1;
  select_item (fixture, "window_after", 1);
  app_assert_shows (fixture);
  variant->rotary.pairs = NS_ROTARY_HALF;
  select_item (fixture, "rotary", NS_ROTARY_HALF);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "rotary_base_local"))));
  variant->window.size = 0;
  select_item (fixture, "window", 0);
  app_assert_shows (fixture);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (app_find_row (fixture, "rotary_base_local"))));
}

static void
test_new_seed (Fixture *fixture, gconstpointer data)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON (app_find_in_row (fixture, "sampling.seed", GTK_TYPE_SPIN_BUTTON));

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.new-seed", NULL);
  fixture->experiment->sampling.seed = (gint64) gtk_spin_button_get_value (spin);
  g_assert_cmpint (fixture->experiment->sampling.seed, !=, 0);
  app_assert_shows (fixture);
}

static void
test_reset (Fixture *fixture, gconstpointer data)
{
  NormscopeSession *session = normscope_window_get_session (fixture->window);

  app_move_slider (fixture, "post_fraction", 0.25);
  app_type_number (fixture, "branch_scale", "0.5");
  normscope_session_reset (session, ns_param_find ("post_fraction"));
  normscope_session_reset (session, ns_param_find ("branch_scale"));
  app_assert_shows (fixture);
}

void
add_controls_tests (void)
{
  app_test_add_with_defaults ("/controls/start", test_start);
  app_test_add ("/controls/depth", test_depth);
  app_test_add ("/controls/post-fraction", test_post_fraction);
  app_test_add ("/controls/residuals", test_residuals);
  app_test_add ("/controls/placements", test_placements);
  app_test_add ("/controls/every-parameter", test_every_parameter);
  app_test_add ("/controls/alone", test_alone);
  app_test_add ("/controls/biases", test_biases);
  app_test_add ("/controls/text", test_text);
  app_test_add ("/controls/input", test_input);
  app_test_add ("/controls/markov", test_markov);
  app_test_add ("/controls/encoder-vocab", test_encoder_vocab);
  app_test_add ("/controls/rotary", test_rotary);
  app_test_add ("/controls/list", test_list);
  app_test_add ("/controls/position-bias", test_position_bias);
  app_test_add ("/controls/window", test_window);
  app_test_add ("/controls/new-seed", test_new_seed);
  app_test_add ("/controls/reset", test_reset);
}
