/* Which model uses which placement: the presets of models as rows of a table.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a cell says comes from the preset's experiment, so that it cannot say anything else than what is run.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-presets.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef enum
{
  NS_MODEL_NAME,
  NS_MODEL_PLACEMENT,     /* "Post-LN" */
  NS_MODEL_EQUATION,      /* "x ← N(x + F(x))" */
  NS_MODEL_NORM,          /* "LayerNorm, ε = 1e-12" */
  NS_MODEL_SHAPE,         /* "12 × 768, 12 heads": depth, width, heads, those of keys and values */
  NS_MODEL_INIT,          /* "normal 0.02, gpt2" */
  NS_MODEL_SOURCE,
  NS_MODEL_NOT_CONFIRMED, /* "norm_eps, shape.vocab" */
  NS_N_MODEL_COLUMNS,
} NsModelColumn;

/* "model", "placement", …: in files; static. */
const char *ns_model_column_get_name (NsModelColumn column);
/* The heading; N_() marked, static. */
const char *ns_model_column_get_title (NsModelColumn column);

/* One cell of a preset with a variant; `experiment` is what ns_preset_load() gives for it. Caller frees. */
char *ns_model_dup_cell (const NsPreset *preset, const NsExperiment *experiment, NsModelColumn column);

/* The table of all models among the presets as CSV (RFC 4180, UTF-8), as JSON, or in columns for a terminal, the latter
 * without equations and sources. Caller owns the bytes. NULL and an error when a user's file has become unreadable. */
GBytes *ns_models_to_csv (GError **error);
GBytes *ns_models_to_json (GError **error);
GBytes *ns_models_to_text (GError **error);

G_END_DECLS
