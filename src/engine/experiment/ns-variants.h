/* Variants as values, and the table of built-in variants.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* A variant at the defaults of every key; name is copied. */
NsVariant *ns_variant_new (const char *name);
NsVariant *ns_variant_copy (const NsVariant *variant);
void ns_variant_free (NsVariant *variant);

/* What a built-in variant is about, for headings. */
typedef enum
{
  NS_VARIANT_PLACEMENT, /* where the norms stand */
  NS_VARIANT_RESIDUAL,  /* how residual and branches are weighed */
  NS_VARIANT_NORM,      /* what the norm is, and of what */
  NS_VARIANT_INIT,      /* how the weights are drawn */
  NS_N_VARIANT_GROUPS,
} NsVariantGroup;

/* The built-in variants, by id: "pre", "post", "sandwich", "branch", "none", "pre-post", "deepnorm", "mix",
 * "layernorm-scaling", "parallel", …; *n of them, group by group, static. The symbols of the equations are those of
 * ns-variant-table.c. Texts with N_() are translated by the caller. */
typedef struct
{
  const char *id;
  const char *name;     /* "Pre-LN", as in the papers */
  NsVariantGroup group;
  const char *settings; /* "attn.norm=pre,ffn.norm=pre" */
  const char *equation; /* symbols only: "x ← x + F(N(x))" */
  const char *source;   /* paper, year and where to find it; "" when there is none */
  const char *sentence; /* what it is, without a full stop; N_() marked */
  const char *note;     /* where paper and code differ, what is left out; sentences, N_() marked, or NULL */
} NsBuiltinVariant;
const NsBuiltinVariant *ns_builtin_variants (gsize *n);
/* The row of an id, or NULL. */
const NsBuiltinVariant *ns_builtin_variant_find (const char *id);
/* "Norm placement"; N_() marked, static. */
const char *ns_variant_group_get_name (NsVariantGroup group);
/* "post" or "post:residual_scale=1.5,init.scheme=normal,name=My curve". NULL and error when it cannot be. */
NsVariant *ns_variant_from_text (const char *text, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsVariant, ns_variant_free)

G_END_DECLS
