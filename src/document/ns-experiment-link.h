/* An experiment as a short link, for a chat, a slide or a command line.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Format: "normscope:1:", then a zlib stream in base64url without padding (RFC 4648). The stream contains the
 * experiment's JSON without blanks, without `format`, and with only the keys that differ from the defaults. Its
 * checksum detects a mistyped or truncated link.
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NS_LINK_SCHEME "normscope:"
/* Maximum length of a link and of the JSON in it. */
#define NS_LINK_MAX_CHARS (64u * 1024u)
#define NS_LINK_MAX_JSON_BYTES (1024u * 1024u)

/* Return the link, ASCII without blanks. Return NULL and an NS_DOCUMENT_ERROR_INPUT if the experiment is too long for a
 * link. Caller frees. */
char *ns_experiment_to_link (const NsExperiment *experiment, GError **error);

/* Read a link. Ignores blanks and line breaks, which chats and mails insert. `name` is the link's name in messages.
 * Otherwise like ns_experiment_from_bytes(). */
NsExperiment *ns_experiment_from_link (const char *link, const char *name, GError **error);

G_END_DECLS
