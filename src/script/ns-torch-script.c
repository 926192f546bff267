/* An experiment as a PyTorch script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-torch-script-private.h"

#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "ns-script-resources.h"

#include <math.h>
#include <string.h>

/* The template's files: the model and its measurement; maps; training; weights, table and comparison. */
static const char *const templates[] = {
  "/org/normscope/script/torch-script.py",
  "/org/normscope/script/torch-script-paths.py",
  "/org/normscope/script/torch-script-training.py",
  "/org/normscope/script/torch-script-run.py",
};

/* Prefix of the template's directives: "#: if NAME", "#: if not NAME", "#: else", "#: end", or a comment. */
#define DIRECTIVE   "#: "
#define MAX_NESTING 4

void
ns_torch_script_append_number (GString *out, double value)
{
  char buffer[NS_NUMBER_SIZE];

  if (isnan (value))
    g_string_append (out, "NaN");
  else if (isinf (value))
    g_string_append (out, value > 0 ? "Infinity" : "-Infinity");
  else
    g_string_append (out, ns_format_number (buffer, value));
}

/* Append "w_q": [null, 0.1, …] with one number for each site; nothing if the variant lacks the quantity. */
static void
append_quantity (GString *out, const NsResult *result, NsQuantity quantity)
{
  gint64 head = ns_experiment_get_head_site (ns_result_get_experiment (result));
  g_autoptr (GString) list = g_string_new (NULL);
  gboolean found = FALSE;

  for (gint64 site = 0; site <= head; site++)
    {
      double value;

      if (site > 0)
        g_string_append (list, ", ");
      if (ns_result_get_value (result, 0, quantity, site, 0, &value, NULL))
        {
          ns_torch_script_append_number (list, value);
          found = TRUE;
        }
      else
        g_string_append (list, "null");
    }
  if (found)
    g_string_append_printf (out, "%s\n  \"%s\": [%s]", out->len > 1 ? "," : "", ns_quantity_info (quantity)->name,
                            list->str);
}

static char *
dup_numbers (const NsResult *result)
{
  GString *out = g_string_new ("{");

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if ((ns_quantity_info (q)->uses & NS_USE_SCRIPT) != 0)
      append_quantity (out, result, q);
  g_string_append (out, "\n}");
  return g_string_free (out, FALSE);
}

static char *
dup_training (const NsTrainingStart *training)
{
  GString *out = g_string_new ("{\"losses\": [");

  for (guint i = 0; i < training->n; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      ns_torch_script_append_number (out, training->losses[i]);
    }
  g_string_append_printf (out, "], \"diverged\": %s}", training->diverged ? "true" : "false");
  return g_string_free (out, FALSE);
}

/* Return the columns of the script's table: "attn", "cross", … */
static char *
dup_columns (void)
{
  const NsQuantityUse both = NS_USE_TABLE | NS_USE_SCRIPT;
  GString *out = g_string_new (NULL);

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if ((ns_quantity_info (q)->uses & both) == both)
      g_string_append_printf (out, "%s\"%s\"", out->len > 0 ? ", " : "", ns_quantity_info (q)->name);
  return g_string_free (out, FALSE);
}

/* ---- selecting the lines for a variant ---- */

static gboolean
has_inner_norm (const NsVariant *variant)
{
  return variant->attn.inner_norm || variant->ffn.inner_norm
         || ns_variant_get_wiring (variant, NS_SUB_CROSS).inner_norm;
}

static gboolean
condition_holds (const char *condition, const NsExperiment *experiment, const NsTorchScriptMore *more)
{
  const GPtrArray *paths = more->paths;
  const NsPaths *lengths = ns_torch_script_find_paths (paths, NS_PATHS_LENGTHS);
  const NsVariant *variant = ns_experiment_variant (experiment, 0);
  const NsShape *shape = &experiment->shape;
  gboolean is_gaussian = experiment->data.source == NS_SOURCE_GAUSSIAN;
  gboolean has_class_token = is_gaussian && experiment->data.class_token != NS_CLASS_TOKEN_NONE;
  gboolean has_rotary = variant->rotary.pairs != NS_ROTARY_NONE;
  const struct
  {
    const char *name;
    gboolean holds;
  } conditions[] = {
    { "encoder-decoder", shape->stack == NS_STACK_ENCODER_DECODER },
    { "encoder-vocab", ns_shape_has_encoder_vocab (shape) && !is_gaussian },
    { "grouped-queries", ns_shape_get_kv_heads (shape) != shape->heads },
    { "gaussian", is_gaussian },
    { "class-token", has_class_token },
    { "class-token-loss", ns_experiment_has_class_token_loss (experiment) },
    { "patches", ns_experiment_has_patches (experiment) },
    { "embedded", !is_gaussian || has_class_token || ns_experiment_has_patches (experiment) },
    { "token-types", experiment->data.token_types > 0 },
    { "text", experiment->data.source == NS_SOURCE_TEXT },
    { "minibatches", experiment->sampling.batches > 1 },
    { "expected", experiment->sampling.estimate == NS_ESTIMATE_EXPECTED },
    { "cross-entropy", experiment->loss == NS_LOSS_CROSS_ENTROPY },
    { "tied-head", experiment->loss == NS_LOSS_CROSS_ENTROPY && variant->init.head.rule == NS_INIT_HEAD_TIED },
    { "head-transform", ns_experiment_has_head_transform (experiment, 0) },
    { "layernorm", variant->norm == NS_NORM_LAYERNORM },
    { "rmsnorm", variant->norm == NS_NORM_RMSNORM },
    { "dyt", variant->norm == NS_NORM_DYT },
    { "sequential", variant->topology == NS_TOPOLOGY_SEQUENTIAL },
    { "one-sub-layer", variant->sublayers != NS_SUB_LAYERS_BOTH },
    { "parallel", variant->topology == NS_TOPOLOGY_PARALLEL },
    { "parallel-two-norms", variant->topology == NS_TOPOLOGY_PARALLEL_TWO_NORMS },
    { "qk-norm-full", variant->qk_norm == NS_QK_NORM_FULL },
    { "qk-norm-head", variant->qk_norm == NS_QK_NORM_HEAD || variant->qk_norm == NS_QK_NORM_QKV_HEAD },
    { "qk-norm-cosine", variant->qk_norm == NS_QK_NORM_COSINE },
    { "qk-norm-head-rotary", variant->qk_norm == NS_QK_NORM_HEAD_ROTARY },
    { "rotary", has_rotary },
    { "rotary-skip", has_rotary && variant->rotary.skip_every > 0 },
    { "rotary-interleaved", variant->rotary.pairs == NS_ROTARY_INTERLEAVED },
    { "rotary-linear", has_rotary && variant->rotary.scaling == NS_ROTARY_SCALING_LINEAR },
    { "rotary-llama3", has_rotary && variant->rotary.scaling == NS_ROTARY_SCALING_LLAMA3 },
    { "rotary-yarn", has_rotary && variant->rotary.scaling == NS_ROTARY_SCALING_YARN },
    { "rotary-longrope", has_rotary && variant->rotary.scaling == NS_ROTARY_SCALING_LONGROPE },
    { "score-cap", !isnan (variant->score_cap) },
    { "logit-scale", experiment->loss == NS_LOSS_CROSS_ENTROPY
                         && (variant->logit_scale.rule != 0 || variant->logit_scale.number != 1) },
    { "logit-cap", !isnan (variant->logit_cap) },
    { "soft-cap", !isnan (variant->score_cap)
                      || (experiment->loss == NS_LOSS_CROSS_ENTROPY && !isnan (variant->logit_cap)) },
    { "alibi", variant->position_bias == NS_POSITION_BIAS_ALIBI
                   || variant->position_bias == NS_POSITION_BIAS_ALIBI_SCALED },
    { "alibi-scaled", variant->position_bias == NS_POSITION_BIAS_ALIBI_SCALED },
    { "window", variant->window.size > 0 },
    { "rotary-local", ns_variant_has_local_rotary (variant) },
    { "relative", variant->position_bias == NS_POSITION_BIAS_T5 },
    { "experts", variant->experts.count > 0 },
    { "shared-expert", ns_variant_has_shared_expert (variant) },
    { "shared-gate", ns_variant_has_shared_expert (variant) && variant->experts.shared_gate },
    { "expert-inputs", variant->experts.count > 0 && variant->experts.weights == NS_EXPERT_WEIGHTS_SIGMOID_INPUT },
    { "inner-norm", has_inner_norm (variant) },
    { "mixed", !isnan (variant->post_fraction) },
    { "truncated", !isnan (variant->init.truncate) },
    { "first-block-pre", variant->first_block_pre && isnan (variant->post_fraction) },
    { "mup", variant->init.mup_base != 0 },
    { "layernorm-scaling", variant->norm_scale == NS_NORM_SCALE_LAYERNORM_SCALING },
    { "branch-parameter", variant->branch_parameter != NS_BRANCH_PARAMETER_NONE },
    { "block-residual", variant->block_residual },
    { "dual-residual", variant->dual_residual },
    { "streams", variant->hyper.streams > 0 },
    { "static-streams", variant->hyper.weights == NS_STREAM_WEIGHTS_STATIC },
    { "manifold-streams", variant->hyper.weights == NS_STREAM_WEIGHTS_MANIFOLD },
    { "ngpt", variant->ngpt },
    { "paths", paths != NULL && paths->len > 0 },
    { "training", more->training != NULL },
    { "exact-lengths", lengths != NULL && ns_paths_is_exact (lengths, 0) },
  };

  for (int kind = 0; kind < NS_N_PATHS; kind++)
    if (strcmp (ns_paths_kind_get_name ((NsPathsKind) kind), condition) == 0)
      return ns_torch_script_find_paths (paths, (NsPathsKind) kind) != NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (strcmp (conditions[i].name, condition) == 0)
      return conditions[i].holds;
  g_assert_not_reached ();
}

/* One level of nested "if" directives. */
typedef struct
{
  gboolean condition;
  gboolean is_kept; /* keep the current lines; FALSE if the enclosing level drops its lines */
} Branch;

/* Update the branches if the line is a directive, else return FALSE. */
static gboolean
apply_directive (const char *line, Branch *branches, guint *level, const NsExperiment *experiment,
                 const NsTorchScriptMore *more)
{
  const char *word = line + strlen (DIRECTIVE);
  gboolean negated;

  if (!g_str_has_prefix (line, DIRECTIVE))
    return FALSE;
  if (g_str_has_prefix (word, "if "))
    {
      g_assert (*level < MAX_NESTING);
      word += strlen ("if ");
      negated = g_str_has_prefix (word, "not ");
      ++*level;
      branches[*level].condition
        = condition_holds (negated ? word + strlen ("not ") : word, experiment, more) != negated;
      branches[*level].is_kept = branches[*level - 1].is_kept && branches[*level].condition;
    }
  else if (strcmp (word, "else") == 0)
    {
      g_assert (*level > 0);
      branches[*level].is_kept = branches[*level - 1].is_kept && !branches[*level].condition;
    }
  else if (strcmp (word, "end") == 0)
    {
      g_assert (*level > 0);
      --*level;
    }
  return TRUE;
}

/* Return the template's lines that the experiment's variant and what is compared need. Caller frees. */
static char *
dup_template (const NsExperiment *experiment, const NsTorchScriptMore *more)
{
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (templates); i++)
    {
      g_autoptr (GBytes) bytes = g_resource_lookup_data (ns_script_get_resource (), templates[i],
                                                         G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
      Branch branches[MAX_NESTING + 1] = { { TRUE, TRUE } };
      g_auto (GStrv) lines = NULL;
      guint level = 0;

      g_assert (bytes != NULL);
      lines = g_strsplit (g_bytes_get_data (bytes, NULL), "\n", -1);
      for (gsize l = 0; lines[l] != NULL && !(lines[l + 1] == NULL && *lines[l] == '\0'); l++)
        if (!apply_directive (lines[l], branches, &level, experiment, more) && branches[level].is_kept)
          g_string_append_printf (out, "%s\n", lines[l]);
      g_assert (level == 0);
    }
  return g_string_free (out, FALSE);
}

/* ---- the script ---- */

/* Append the template up to the mark, then the text; return the rest of the template after the mark. */
static const char *
append_filled (GString *out, const char *rest, const char *mark, const char *text)
{
  const char *at = strstr (rest, mark);

  g_assert (at != NULL);
  g_string_append_len (out, rest, at - rest);
  g_string_append (out, text);
  return at + strlen (mark);
}

GBytes *
ns_torch_script_new (const NsResult *result, const NsTorchScriptMore *more)
{
  g_autoptr (NsExperiment) experiment = ns_provenance_dup_experiment (result);
  g_autofree char *numbers = dup_numbers (result);
  g_autofree char *columns = dup_columns ();
  g_autoptr (GBytes) json = ns_experiment_to_bytes (experiment);
  g_autofree char *settings = NULL;
  g_autofree char *template = NULL;
  GString *out = g_string_new (NULL);
  const char *rest;

  g_return_val_if_fail (experiment->variants->len == 1 && experiment->sampling.seeds == 1, NULL);

  /* The JSON goes into r""" … """. It never contains three quotes in a row: those within strings are escaped, the
   * others occur alone or in pairs. */
  settings = g_strndup (g_bytes_get_data (json, NULL), g_bytes_get_size (json));
  rest = template = dup_template (experiment, more);
  rest = append_filled (out, rest, "@EXPERIMENT@", g_strchomp (settings));
  rest = append_filled (out, rest, "@NUMBERS@", numbers);
  if (more->paths != NULL && more->paths->len > 0)
    {
      g_autofree char *maps = ns_torch_script_dup_paths (more->paths);

      rest = append_filled (out, rest, "@PATHS@", maps);
    }
  if (more->training != NULL)
    {
      g_autofree char *losses = dup_training (more->training);

      rest = append_filled (out, rest, "@TRAINING@", losses);
    }
  rest = append_filled (out, rest, "@COLUMNS@", columns);
  g_string_append (out, rest);
  return g_string_free_to_bytes (out);
}
