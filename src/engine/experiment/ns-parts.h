/* The parts of an experiment, and the sites that their inputs and blocks have.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A part is the single stack; or the encoder, then the decoder, each with a depth of its own. A part of L blocks has
 * L + 1 sites: its input (layer 0), then its blocks (layers 1 .. L). The site after the last one is the head. Whatever
 * counts blocks or sites asks here.
 *
 * Threads: any; the functions are pure.
 */
#pragma once

#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n;        /* 1: a stack; 2: an encoder, then a decoder */
  gint64 depth[2]; /* L: blocks of part 0 .. n − 1 */
} NsParts;

/* Return the blocks of a decoder: decoder_depth, or as many as the encoder has. */
gint64 ns_shape_get_decoder_depth (const NsShape *shape);
NsParts ns_shape_get_parts (const NsShape *shape);
/* Return a single stack of `depth` blocks. */
NsParts ns_parts_single (gint64 depth);
/* Set depth. A decoder_depth that is set keeps its ratio to depth, rounded; at least 1, at most the largest depth. */
void ns_shape_set_depth (NsShape *shape, gint64 depth);
/* Return TRUE if the encoder has an embedding of its own, where it has tokens. */
gboolean ns_shape_has_encoder_vocab (const NsShape *shape);
/* Return the different tokens of part 0 .. n − 1. */
gint64 ns_shape_get_part_vocab (const NsShape *shape, gint64 index);
/* Set vocab, and an encoder_vocab that is set, to the same. */
void ns_shape_set_vocab (NsShape *shape, gint64 vocab);

/* Return the blocks of all parts. */
gint64 ns_parts_count_blocks (const NsParts *parts);
/* Return the blocks of the deepest part. */
gint64 ns_parts_get_deepest (const NsParts *parts);
/* Return the site of a part's input, or for index n that of the head. */
gint64 ns_parts_get_input (const NsParts *parts, gint64 index);
/* Return the site of a part's last block. */
gint64 ns_parts_get_last (const NsParts *parts, gint64 index);
/* Return the index of a site's part, n for the head; its layer, 0 for the head; and L of its part, the last one's for
 * the head. */
gint64 ns_parts_get_index (const NsParts *parts, gint64 site);
gint64 ns_parts_get_layer (const NsParts *parts, gint64 site);
gint64 ns_parts_get_depth (const NsParts *parts, gint64 site);
/* Return the index of a part. One that the experiment lacks counts as its last one. */
gint64 ns_parts_find (const NsParts *parts, NsPart part);
/* Return what a part is; index n, the head, counts as the last one. */
NsPart ns_parts_get_part (const NsParts *parts, gint64 index);

G_END_DECLS
