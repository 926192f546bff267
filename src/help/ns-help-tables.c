/* Pages of parameters and quantities, from their tables and texts.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "help/ns-help-private.h"

#include "engine/experiment/ns-experiment.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* ---- pictures ---- */

void
ns_help_add_picture (NsHelpContent *content, const char *caption, const char *variant, int stack, NsWiringView view)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsVariant) made = ns_variant_from_text (variant, NULL);
  NsHelpPicture *picture = &content->pictures[content->n_pictures];

  g_return_if_fail (made != NULL && content->n_pictures < G_N_ELEMENTS (content->pictures));
  experiment->shape.stack = stack;
  picture->caption = g_strdup (caption != NULL ? caption : made->name);
  picture->diagram = ns_wiring_diagram (&experiment->shape, made, view);
  content->n_pictures++;
}

static void
add_pictures (NsHelpContent *content, const NsHelpParameterText *text)
{
  NsWiringView view = text->place == NS_HELP_IN_BLOCK || text->place == NS_HELP_IN_DECODER ? NS_WIRING_BLOCK
                                                                                          : NS_WIRING_WHOLE;
  int before = text->place == NS_HELP_IN_DECODER ? NS_STACK_ENCODER_DECODER : NS_STACK_SINGLE;
  int after = text->place == NS_HELP_IN_PAIR ? NS_STACK_ENCODER_DECODER : before;

  if (text->before == NULL)
    return;
  ns_help_add_picture (content, text->place == NS_HELP_IN_PAIR ? _ ("Single stack") : NULL, text->before, before,
                       view);
  ns_help_add_picture (content, text->place == NS_HELP_IN_PAIR ? _ ("Encoder and decoder") : NULL, text->after, after,
                       view);
}

/* ---- parameters ---- */

const NsHelpParameterText *
ns_help_parameter_get_text (const NsParam *param)
{
  static const NsHelpParameterText *const lists[] = { ns_help_shared_parameter_texts, ns_help_training_parameter_texts,
                                                      ns_help_wiring_parameter_texts, ns_help_variant_parameter_texts };
  static const NsHelpParameterText none = { 0 };
  const char *path = ns_param_get_path (param);

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const NsHelpParameterText *text = lists[i]; text->path != NULL; text++)
      if (strcmp (text->path, path) == 0)
        return text;
  return &none;
}

static void
add_choices (GString *markup, const NsParam *param)
{
  if (param->choices == NULL)
    return;
  g_string_append_printf (markup, "\n\n**%s:**\n", _ ("Choices"));
  for (const char *const *choice = param->choices; *choice != NULL; choice++)
    {
      g_string_append (markup, "\n- ");
      ns_help_add_plain (markup, ns_param_get_choice_label (param, *choice));
      g_string_append_printf (markup, ", `%s`", *choice);
    }
}

static void
add_values (GString *markup, const NsParam *param)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  gconstpointer base = param->section == NS_SECTION_VARIANT ? (gconstpointer) ns_experiment_variant (experiment, 0)
                                                            : experiment;
  g_autofree char *allowed = ns_param_dup_allowed (param);
  g_autofree char *name = ns_param_dup_option_name (param->key);
  g_autofree char *option = ns_param_has_option (param) ? g_strconcat ("--", name, NULL)
                                                        : g_strdup_printf ("--variant post:%s=…", param->key);
  g_autofree char *fallback = NULL;
  g_autofree char *words = NULL;

  if (param->type != NS_TYPE_CHOICE)
    ns_help_add_fact (markup, _ ("Allowed"), allowed);
  if (strcmp (param->key, "name") != 0)
    {
      fallback = ns_param_dup_text (param, base);
      words = ns_param_is_null (param, base) ? g_strdup (_ ("not set")) : ns_param_dup_value_words (param, fallback);
      ns_help_add_fact (markup, _ ("Default"), words);
      if (param->unit != NULL && !ns_param_is_null (param, base))
        g_string_append_printf (markup, " %s", _ (param->unit));
    }
  ns_help_add_code (markup, _ ("Key in files"), ns_param_get_path (param));
  ns_help_add_code (markup, _ ("At the command line"), option);
}

void
ns_help_fill_parameter (NsHelpContent *content, const NsParam *param)
{
  const NsHelpParameterText *text = ns_help_parameter_get_text (param);
  GString *intro = g_string_new (NULL), *rest = g_string_new (NULL);

  ns_help_add_sentence (intro, _ (param->help));
  ns_help_add_formula (intro, text->formula);
  ns_help_add_paragraph (rest, text->effect != NULL ? _ (text->effect) : NULL);
  add_values (rest, param);
  ns_help_add_fact (rest, _ ("Source"), text->source);
  add_choices (rest, param);
  content->intro = g_string_free (intro, FALSE);
  content->rest = g_string_free (rest, FALSE);
  add_pictures (content, text);
}

/* ---- quantities ---- */

const NsHelpQuantityText *
ns_help_quantity_get_text (NsQuantity quantity)
{
  const char *name = ns_quantity_info (quantity)->name;

  for (const NsHelpQuantityText *text = ns_help_quantity_texts; text->name != NULL; text++)
    if (strcmp (text->name, name) == 0)
      return text;
  return NULL;
}

/* What all tensors of a kind have in common, by the beginning of their names. */
static const struct
{
  const char *prefix;
  const char *text; /* N_() marked, in markup */
  const char *see;
} kinds[] = {
  { "cross_w_", N_ ("A matrix of the decoder’s cross-attention. The norm is the root of the sum of squares over its "
                    "entries, of the gradient with respect to the scaled weights."),
    "quantity:cross quantity:block" },
  { "cross_b_", N_ ("A bias starts at 0; its gradient is the sum over the tokens of the gradient behind it."),
    "parameter:bias quantity:cross" },
  { "w_head_dense", N_ ("The matrix before the output matrix; it exists with a head transform. The norm is the root of "
                        "the sum of squares over its entries, of the gradient with respect to the scaled weights."),
    "parameter:head_transform quantity:w_head" },
  { "w_head", N_ ("The gradient through the head only; a tied embedding also has one through the lookup, which is not "
                  "measured."),
    "parameter:init.head parameter:loss" },
  { "w_", N_ ("The norm is the root of the sum of squares over the entries of the matrix, of the gradient with respect "
              "to the scaled weights."),
    "quantity:block quantity:attn quantity:ffn" },
  { "b_", N_ ("A bias starts at 0; its gradient is the sum over the tokens of the gradient behind it."),
    "parameter:bias quantity:block" },
  { "gain_", N_ ("A gain multiplies each feature behind the norm. It starts at 1, on a branch at the branch norm "
                 "gain."),
    "parameter:norm parameter:attn.norm quantity:block" },
  { "bias_", N_ ("The bias of a norm is added to each feature behind it, and starts at 0. An RMSNorm has none."),
    "parameter:bias_norms parameter:norm" },
  { "alpha_", N_ ("DyT multiplies its input by this number before the tanh."), "parameter:dyt_alpha variant:dyt" },
  { "scale_", N_ ("The learned factor on what the sub-layer adds; it exists with a learned branch scale."),
    "parameter:branch_parameter parameter:branch_scale" },
};

const char *
ns_help_quantity_get_see (NsQuantity quantity)
{
  const NsHelpQuantityText *text = ns_help_quantity_get_text (quantity);

  if (text != NULL)
    return text->see;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (ns_quantity_info (quantity)->name, kinds[i].prefix))
      return kinds[i].see;
  return NULL;
}

static void
add_kind (GString *markup, NsQuantity quantity)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (ns_quantity_info (quantity)->name, kinds[i].prefix))
      {
        ns_help_add_paragraph (markup, _ (kinds[i].text));
        return;
      }
}

/* Return the LaTeX of a symbol such as "‖∂L/∂W_cross,Q‖". Caller frees. */
static char *
dup_formula (const char *symbol)
{
  static const struct
  {
    const char *sign, *latex;
  } signs[] = { { "‖", "\\|" },        { "∂", "\\partial " }, { "γ", "\\gamma " },   { "β", "\\beta " },
                { "α", "\\alpha " },   { "λ", "\\lambda " },  { "θ", "\\theta " },   { "ₗ", "_{l}" },
                { "₁", "_{1}" },       { "₂", "_{2}" },       { "₃", "_{3}" } };
  GString *formula = g_string_new (NULL);

  for (const char *c = symbol; *c != '\0'; c = g_utf8_next_char (c))
    {
      gsize i, length;

      for (i = 0; i < G_N_ELEMENTS (signs) && !g_str_has_prefix (c, signs[i].sign); i++)
        ;
      if (i < G_N_ELEMENTS (signs))
        g_string_append (formula, signs[i].latex);
      else if (*c == '_')
        {
          length = strspn (c + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,");
          g_string_append_printf (formula, "_{\\mathrm{%.*s}}", (int) length, c + 1);
          c += length;
        }
      else
        g_string_append_unichar (formula, g_utf8_get_char (c));
    }
  return g_string_free (formula, FALSE);
}

static const char *
get_sites (const NsQuantityInfo *info)
{
  switch (info->sites)
    {
    case NS_SITES_STREAM:
      return _ ("the input and every block");
    case NS_SITES_INPUTS:
      return _ ("the input");
    case NS_SITES_BLOCKS:
      return _ ("every block");
    case NS_SITES_SEQUENTIAL_BLOCKS:
      return _ ("every block that has one sub-layer after the other");
    case NS_SITES_EXPERT_BLOCKS:
      return _ ("every block with experts");
    case NS_SITES_DECODER_BLOCKS:
      return _ ("the blocks of a decoder");
    case NS_SITES_ATTN_RESIDUALS:
      return _ ("every block with an attention residual");
    case NS_SITES_CROSS_RESIDUALS:
      return _ ("every block of a decoder with a cross-attention residual");
    case NS_SITES_FFN_RESIDUALS:
      return _ ("every block with an FFN residual and an addition of its own");
    case NS_SITES_HEAD:
    case NS_SITES_OUTPUT:
      return _ ("the head");
    case NS_SITES_TENSOR:
    default:
      return _ ("where the variant has it");
    }
}

void
ns_help_fill_quantity (NsHelpContent *content, NsQuantity quantity)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  const NsHelpQuantityText *text = ns_help_quantity_get_text (quantity);
  GString *intro = g_string_new (NULL), *rest = g_string_new (NULL);
  g_autofree char *formula = info->kind == NS_KIND_GRADIENT ? dup_formula (info->symbol) : NULL;

  ns_help_add_sentence (intro, _ (info->help));
  ns_help_add_formula (intro, text != NULL && text->formula != NULL ? text->formula : formula);
  if (text != NULL)
    ns_help_add_paragraph (rest, _ (text->text));
  else
    add_kind (rest, quantity);
  ns_help_add_fact (rest, _ ("Measured at"), get_sites (info));
  if (info->unit != NULL)
    ns_help_add_fact (rest, _ ("Unit"), _ (info->unit));
  ns_help_add_code (rest, _ ("Name in files and at the command line"), info->name);
  ns_help_add_fact (rest, _ ("Source"), text != NULL ? text->source : NULL);
  content->intro = g_string_free (intro, FALSE);
  content->rest = g_string_free (rest, FALSE);
}
