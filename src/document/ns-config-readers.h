/* What reads the rows of the table of families: one value of a config each.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: a reading belongs to one.
 */
#pragma once

#include "document/ns-config-reading.h"

G_BEGIN_DECLS

/* Straight into the target: a whole number or a number. */
gboolean ns_config_read_value (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
/* The target has a value, which this one has to be: what both parts of an encoder-decoder share here. */
gboolean ns_config_read_same (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
/* The name of an activation; of a gated FFN's; T5's, which says whether it is gated. */
gboolean ns_config_read_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);
gboolean ns_config_read_gate (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
gboolean ns_config_read_t5_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* s, for the factor 1/sqrt(s). */
gboolean ns_config_read_inverse_root (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* The longest sequence: ours is not longer. */
gboolean ns_config_read_positions (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                   GError **error);
/* The window of local attention, which is noted only. */
gboolean ns_config_read_window (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);
/* A cap by tanh, noted only. */
gboolean ns_config_read_cap (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
/* Nothing but 1, or nothing but the text "absolute". */
gboolean ns_config_read_one (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
gboolean ns_config_read_absolute (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* The vocabulary of the source, noted when it is another than the target's. */
gboolean ns_config_read_source_vocab (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* An image's edge, a patch's edge and the colours become the number of tokens and the scale of the input; in this
 * order, the last one after init.std. */
gboolean ns_config_read_image (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_patch (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_channels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* The classes: an object with one member each. */
gboolean ns_config_read_labels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);

G_END_DECLS
