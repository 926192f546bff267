/* One preset or variant of the catalog in full: its wiring, equation, source, what is not confirmed, what it takes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main; times are measured on a thread of its own.
 */
#pragma once

#include <gtk/gtk.h>

#include "document/ns-presets.h"
#include "engine/experiment/ns-variants.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_CATALOG_DETAILS (normscope_catalog_details_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeCatalogDetails, normscope_catalog_details, NORMSCOPE, CATALOG_DETAILS, GtkBox)

/* Signals: "open" (NsExperiment *, borrowed; gboolean scaled), when a preset is to be opened as it is or scaled down;
 * "add" (NsVariant *, borrowed). */

/* Before a preset is shown. */
void normscope_catalog_details_set_memory_budget (NormscopeCatalogDetails *self, guint64 memory_budget);
/* Neither: nothing has been found. The pointers are those of ns_presets() and ns_builtin_variants(). */
void normscope_catalog_details_show_nothing (NormscopeCatalogDetails *self);
void normscope_catalog_details_show_preset (NormscopeCatalogDetails *self, const NsPreset *preset);
/* shape: what the wiring is pictured in. */
void normscope_catalog_details_show_variant (NormscopeCatalogDetails *self, const NsBuiltinVariant *variant,
                                             const NsShape *shape);
/* The button that does what a double click on the row would; it has the choice where there is one. */
void normscope_catalog_details_choose (NormscopeCatalogDetails *self);

G_END_DECLS
