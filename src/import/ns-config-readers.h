/* Readers for the rows of the table of families: each reads one value of a config.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of them follow the contract of NsConfigReader.
 * Threads: a reading belongs to one thread.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* Set the target to the value, an integer or a number. */
gboolean ns_config_read_value (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
/* Require the value that the target already has: encoder and decoder share the target. */
gboolean ns_config_read_same (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
/* Read the decoder's blocks, after the encoder's: null if they are as many. */
gboolean ns_config_read_decoder_depth (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* Set the activation by name: that of a plain FFN; of a gated FFN; of T5, where a prefix "gated-" makes it gated. */
gboolean ns_config_read_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                    GError **error);
gboolean ns_config_read_gate (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
gboolean ns_config_read_t5_activation (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* Set the target to 1/sqrt(value). */
gboolean ns_config_read_inverse_root (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* Limit the sequence length to the model's longest sequence. */
gboolean ns_config_read_positions (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                   GError **error);
/* Set the features of a head that turn from their share; the head's width must have been read. */
gboolean ns_config_read_rotary_share (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* Set the rule for longer contexts from an object with a rope_type, and the base if it has one. A rule that an
 * experiment does not have is left out with a note. */
gboolean ns_config_read_rope (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
/* Read MPT's object of the attention: ALiBi, its scale, and what an experiment does not have, which is refused. */
gboolean ns_config_read_mpt_attention (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* Read the keys on which Falcon's blocks depend together: whether all heads share one key and value, how many of them
 * there are in new blocks, whether attention and FFN are parallel, and on how many norms. What the code of the family
 * cannot run is refused. The number of heads must have been read. */
gboolean ns_config_read_falcon_queries (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                        JsonNode *value, GError **error);
gboolean ns_config_read_falcon_keys (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                     JsonNode *value, GError **error);
gboolean ns_config_read_falcon_order (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
gboolean ns_config_read_falcon_norms (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* Set the target to the value times the model's width; the product must be a whole number. */
gboolean ns_config_read_widths (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);
/* Read the same object, or one with such objects for blocks with full attention and for those with a window
 * (Gemma 3). */
gboolean ns_config_read_gemma3_rope (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                     JsonNode *value, GError **error);
/* Set which blocks have the window from a list with a kind for each block. */
gboolean ns_config_read_layer_types (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                     JsonNode *value, GError **error);
/* Rows of windows: in all blocks (Phi-3), of Qwen2 and Qwen3, of Gemma 2, and of Gemma 3 with its rotary positions. */
extern const NsConfigRow ns_config_window[], ns_config_qwen_window[], ns_config_gemma2_window[];
extern const NsConfigRow ns_config_gemma3_positions[];
/* Set the size of the window. With attention to both sides the config counts the tokens of both. */
gboolean ns_config_read_gemma3_window (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
/* Read whether there is a window; if so, also its size and which blocks have it, from other keys. */
gboolean ns_config_read_qwen_window (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                     JsonNode *value, GError **error);
/* Read a soft cap, above 0. */
gboolean ns_config_read_cap (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
/* Set the target to the width of a shared expert over that of one expert, which must have been read. */
gboolean ns_config_read_shared_width (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
/* Refuse a list of blocks that differ from the others, unless it is empty. */
gboolean ns_config_read_none (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                              GError **error);
/* Llama 4: which blocks have experts, all of them; which have rotary positions; the tokens up to which full attention
 * and unscaled queries are the same, which limit the sequence length. Its rows. */
gboolean ns_config_read_llama4_step (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                     GError **error);
gboolean ns_config_read_llama4_blocks (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
gboolean ns_config_read_llama4_rotary (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                       JsonNode *value, GError **error);
gboolean ns_config_read_llama4_chunk (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
gboolean ns_config_read_llama4_floor (NsConfigReading *reading, const NsConfigRow *row, const char *key,
                                      JsonNode *value, GError **error);
extern const NsConfigRow ns_config_llama4[];
/* Refuse every value but 1; every value but "absolute". */
gboolean ns_config_read_one (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                             GError **error);
gboolean ns_config_read_absolute (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* Check the number of token types and set the target to 1: a sentence of its own is of the first type. */
gboolean ns_config_read_token_types (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                     GError **error);
/* Read the edge of the image, the edge of a patch, and the number of channels, in this order. The first two set the
 * number of tokens, the last one the pixels of a patch. */
gboolean ns_config_read_image (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_patch (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                               GError **error);
gboolean ns_config_read_channels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                  GError **error);
/* Set the target to the number of classes: an integer, or an object with one member for each class. */
gboolean ns_config_read_labels (NsConfigReading *reading, const NsConfigRow *row, const char *key, JsonNode *value,
                                GError **error);

G_END_DECLS
