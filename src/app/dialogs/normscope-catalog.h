/* The catalog: presets, built-in variants and a table of models, with search and wiring diagrams.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The user opens a preset, at full size or scaled down, each with its estimated time and memory on this machine, or
 * adds a variant to the experiment; then the window closes. Presets from the user's folder are included; unreadable
 * files there are listed.
 * Threads: main; estimates are measured on a worker thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_CATALOG (normscope_catalog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeCatalog, normscope_catalog, NORMSCOPE, CATALOG, AdwWindow)

/* Signals: "open" (NsExperiment *, borrowed; const char *title; const char *figure, an NsPreset's) and "add"
 * (NsVariant *, borrowed). The experiment gives the shape for the diagrams of variants, and its selected variant the
 * settings that an added one can keep; memory_budget is the engine's, in bytes, for the estimates. */
NormscopeCatalog *normscope_catalog_new (GtkWindow *parent, const NsExperiment *experiment, guint selected,
                                         guint64 memory_budget);
/* Show a page: "presets", "variants" or "models". */
void normscope_catalog_show_page (NormscopeCatalog *self, const char *page);

G_END_DECLS
