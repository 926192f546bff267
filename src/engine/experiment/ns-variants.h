/* Create, copy and free variants; the table of built-in variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: the table is static; a variant belongs to one thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* Return a variant with every key at its default. name is copied. Caller owns it. */
NsVariant *ns_variant_new (const char *name);
/* Return a deep copy. Caller owns it. */
NsVariant *ns_variant_copy (const NsVariant *variant);
void ns_variant_free (NsVariant *variant);

/* Groups of built-in variants, for headings. */
typedef enum
{
  NS_VARIANT_PLACEMENT, /* norm placement */
  NS_VARIANT_RESIDUAL,  /* scales of residual and branches */
  NS_VARIANT_NORM,      /* kind of norm, norms on queries and keys */
  NS_VARIANT_INIT,      /* initialization of the weights */
  NS_N_VARIANT_GROUPS,
} NsVariantGroup;

/* A built-in variant. ns-variant-table.c explains the symbols of the equations. */
typedef struct
{
  const char *id;
  const char *name;          /* "Pre-LN", as in the papers */
  NsVariantGroup group;
  const char *settings;      /* "attn.norm=pre,ffn.norm=pre" */
  const char *equation;      /* symbols only: "x ← x + F(N(x))" */
  const char *pair_equation; /* of an encoder-decoder if its constants differ, else NULL */
  const char *source;        /* paper, year and identifier, or "" */
  const char *sentence;      /* description without a full stop; N_() marked */
  const char *note;          /* differences between paper and code, omissions; sentences, N_() marked, or NULL */
} NsBuiltinVariant;
/* Return the table of *n rows (n may be NULL), ordered by group; static. */
const NsBuiltinVariant *ns_builtin_variants (gsize *n);
/* Return the row of an id such as "post", or NULL. */
const NsBuiltinVariant *ns_builtin_variant_find (const char *id);
/* Return the equation for an NsStack; static. */
const char *ns_builtin_variant_get_equation (const NsBuiltinVariant *builtin, int stack);
/* Return the heading of a group, such as "Norm placement"; N_() marked, static. */
const char *ns_variant_group_get_name (NsVariantGroup group);
/* Return the built-in variant of an id, with its name. NULL and an NS_EXPERIMENT_ERROR that lists the ids when there is
 * none. Caller owns it. */
NsVariant *ns_variant_new_builtin (const char *id, GError **error);
/* Apply settings separated by commas, at least one: "residual_scale=1.5,bias=on". On an NS_EXPERIMENT_ERROR the
 * settings before the invalid one are applied. */
gboolean ns_variant_apply_settings (NsVariant *variant, const char *settings, GError **error);

/* ---- wiring (ns-variant-wiring.c) ---- */

/* In place of an id: the model as it is. */
#define NS_VARIANT_MODEL "model"
/* Return TRUE when the built-in variant is a wiring: where norms and residuals are, with which scales. FALSE for a kind
 * of norm and for an initialization. */
gboolean ns_builtin_variant_is_wiring (const NsBuiltinVariant *builtin);
/* Return TRUE when the key of a variant is part of the built-in variant's wiring. */
gboolean ns_builtin_variant_is_wiring_key (const NsBuiltinVariant *builtin, const char *key);
/* Return a copy of `model` that is wired as a built-in variant and named after both, "GPT-2 as Post-LN". Norm
 * placements, residuals, inner norms, order of the sub-layers, final norm and scales of residuals and branches are
 * those of the built-in variant; so are a norm on queries and keys, a scale of the input and a factor on the branches'
 * weights if they define it. Kind of norm, activation, attention, biases and initialization are the model's. For the id
 * NS_VARIANT_MODEL return a plain copy. NULL and an NS_EXPERIMENT_ERROR if there is no such variant or it is no wiring.
 * Caller owns it. */
NsVariant *ns_variant_new_wired (const NsVariant *model, const char *id, GError **error);

/* ---- texts (ns-variant-text.c) ---- */

/* Return the variant of a text: the id of a built-in one, with settings after a colon, as in
 * "post:residual_scale=1.5,init.scheme=normal,name=My curve". Without a name= it has its automatic name
 * (ns-variant-name.h). NULL and an NS_EXPERIMENT_ERROR when the text is not valid. Caller owns it. */
NsVariant *ns_variant_from_text (const char *text, GError **error);
/* Return `model` wired as in a text, "post:residual_scale=1.5", as by ns_variant_new_wired(). Without a name= the name
 * also has what the settings change: "GPT-2 as Post-LN, Residual scale 1.5". Caller owns it. */
NsVariant *ns_variant_wired_from_text (const NsVariant *model, const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVariant, ns_variant_free)

G_END_DECLS
