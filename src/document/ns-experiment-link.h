/* An experiment as one short word, for a chat, a slide or a command line.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * "normscope:1:" and, in base64url without padding (RFC 4648), a zlib stream of the experiment's JSON without blanks,
 * without `format`, and with those keys alone that differ from the defaults. The checksum of the stream tells a
 * mistyped or cut link.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NS_LINK_SCHEME "normscope:"
/* The longest link that is written or read, and the largest JSON in one: what inflates beyond it is refused. */
#define NS_LINK_MAX_CHARS (64u * 1024u)
#define NS_LINK_MAX_JSON_BYTES (1024u * 1024u)

/* ASCII without blanks. An experiment with a text that is too long for a link is an NS_DOCUMENT_ERROR_INPUT. Caller
 * frees. */
char *ns_experiment_to_link (const NsExperiment *experiment, GError **error);

/* Blanks and line breaks anywhere in it, as chats and mails put them, are passed over. `name` is what messages call it.
 * As ns_experiment_from_bytes() otherwise. */
NsExperiment *ns_experiment_from_link (const char *link, const char *name, GError **error);

G_END_DECLS
