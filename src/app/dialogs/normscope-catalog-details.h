/* The details of one preset or variant of the catalog: wiring, equation, source, notes, estimated time and memory.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main; estimates are measured on a worker thread.
 */
#pragma once

#include <gtk/gtk.h>

#include "document/ns-presets.h"
#include "engine/experiment/ns-variants.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_CATALOG_DETAILS (normscope_catalog_details_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeCatalogDetails, normscope_catalog_details, NORMSCOPE, CATALOG_DETAILS, GtkBox)

/* Signals: "open" (NsExperiment *, borrowed; gboolean scaled): open this preset, at full size or scaled down;
 * "add" (NsVariant *, borrowed): add this variant. */

/* Set the engine's memory budget in bytes. Call before the first preset is shown. */
void normscope_catalog_details_set_memory_budget (NormscopeCatalogDetails *self, guint64 memory_budget);
/* Show that the search found nothing. */
void normscope_catalog_details_show_nothing (NormscopeCatalogDetails *self);
/* Show a preset of ns_presets(). */
void normscope_catalog_details_show_preset (NormscopeCatalogDetails *self, const NsPreset *preset);
/* Show a variant of ns_builtin_variants(), with a diagram of its wiring in an experiment of this shape. The user
 * can keep the other settings of `model`, which is borrowed and must outlive the details. */
void normscope_catalog_details_show_variant (NormscopeCatalogDetails *self, const NsBuiltinVariant *variant,
                                             const NsShape *shape, const NsVariant *model);
/* Open or add what is shown. Where the user can choose between two sizes, focus their first button instead. */
void normscope_catalog_details_activate (NormscopeCatalogDetails *self);

G_END_DECLS
