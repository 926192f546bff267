/* Checks of an experiment and its variants that have files of their own.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* The keys of an error, the one at fault first. */
#define KEYS(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* Set an error that refuses the value of keys[0], a NULL-terminated list, and return FALSE: "variants[1].topology:
 * parallel is not allowed when …". `where` ("variants[1].") prefixes the keys; `why` goes on from "not allowed". */
gboolean ns_validate_refuse (const NsVariant *variant, const char *const *keys, const char *where, const char *why,
                             GError **error);

/* Set an error with a message of its own and return FALSE. `where` prefixes those keys that a variant has. */
gboolean ns_validate_fail (GError **error, const char *where, const char *const *keys, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* Check tokens: a text, a chain, ids from a file, and the vocabularies of encoder and decoder. */
gboolean ns_validate_data (const NsExperiment *experiment, GError **error);
/* Check that variant v's weights from a file, if it has any, fit its settings and the shape. */
gboolean ns_validate_weights (const NsExperiment *experiment, guint v, const char *where, GError **error);
/* Check settings of topology, attention and head that exclude each other. */
gboolean ns_validate_wiring (const NsExperiment *experiment, const NsVariant *variant, const char *where,
                             GError **error);
/* nGPT has its own norms, scales and residual, which exclude most others. */
gboolean ns_validate_ngpt (const NsExperiment *experiment, const NsVariant *variant, const char *where, GError **error);

G_END_DECLS
