/* What there is to begin with: presets, variants, and which model uses which placement; with search and wiring
 * pictures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A preset is opened at its own size or scaled down, each with the time and memory it will take on this machine; a
 * variant is added to the experiment. Then the window closes. Presets of the user's own folder are among them, and a
 * file there that cannot be read is named.
 * Threads: main; times are measured on a thread of its own.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_CATALOG (normscope_catalog_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeCatalog, normscope_catalog, NORMSCOPE, CATALOG, AdwWindow)

/* Signals: "open" (NsExperiment *, borrowed; const char *title), "add" (NsVariant *, borrowed). shape: what variants
 * are pictured in; memory_budget: the engine's, for the times. */
NormscopeCatalog *normscope_catalog_new (GtkWindow *parent, const NsShape *shape, guint64 memory_budget);
/* "presets", "variants" or "models". */
void normscope_catalog_show_page (NormscopeCatalog *self, const char *page);

G_END_DECLS
