/* Words of a sentence that have a page of help.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The function that writes a clause marks it with its page. The marks travel through translated formats, in any order,
 * and are resolved when the sentence is complete; nobody searches the text for words.
 *
 * Pure functions; any thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint start, end; /* of the words, in bytes of the text; end is exclusive */
  const char *page; /* id of the page, see ns-help.h: "quantity:token_cos"; interned */
} NsLink;

/* The pages that sentences lead to; a quantity's page is this prefix and its name. */
#define NS_PAGE_OF_QUANTITY "quantity:"
#define NS_PAGE_STATISTICS  "topic:statistics"
#define NS_PAGE_EXPONENT    "topic:exponent"
#define NS_PAGE_RANGE       "topic:range"

/* Return the clause with marks around it, or NULL for NULL. Takes the clause, which has no marks yet; caller frees what
 * is returned. */
char *ns_link_mark (const char *page, char *clause);
/* The same for the page of a quantity, by its name. */
char *ns_link_mark_quantity (const char *name, char *clause);
/* Return the text without marks, and in *links (nullable) the links (NsLink) in the order of the text. Takes the text;
 * the caller owns what is returned. */
char *ns_links_resolve (char *marked, GArray **links);

G_END_DECLS
