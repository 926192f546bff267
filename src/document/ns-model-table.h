/* A table of the presets of models: placement, norm, shape, initialization, source.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells are computed from the preset's experiment, so the table always matches what runs.
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
  NS_MODEL_SHAPE,         /* "12 × 768, 12 heads": depth, width, heads, key/value heads */
  NS_MODEL_INIT,          /* "normal 0.02, gpt2" */
  NS_MODEL_SOURCE,
  NS_MODEL_NOT_CONFIRMED, /* "norm_eps, shape.vocab" */
  NS_N_MODEL_COLUMNS,
} NsModelColumn;

/* Return the column's heading, marked with N_(); static. */
const char *ns_model_column_get_title (NsModelColumn column);

/* Return one cell of a preset with a variant; `experiment` comes from ns_preset_load(). Caller frees. */
char *ns_model_dup_cell (const NsPreset *preset, const NsExperiment *experiment, NsModelColumn column);

/* Write the table of all presets with a variant as CSV (RFC 4180, UTF-8), as JSON, or in columns for a terminal, there
 * without equations and sources. Return NULL and an error if a user's file is unreadable. Caller owns the bytes. */
GBytes *ns_models_to_csv (GError **error);
GBytes *ns_models_to_json (GError **error);
GBytes *ns_models_to_text (GError **error);

G_END_DECLS
