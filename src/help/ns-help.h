/* Pages of help: one for each view, setting, quantity, variant and claim, and a few on general subjects.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pages come from the tables of the program: names, definitions, ranges and sources are those that tooltips and
 * --help show. The files ns-help-…-texts.c add what a page says beyond them, keyed by the same names. Texts are in the
 * user's language and in the markup of ns-prose.h.
 *
 * Threads: any, after the first call of ns_help_pages().
 */
#pragma once

#include "plot/ns-diagram.h"

G_BEGIN_DECLS

/* Groups of pages, in the order of the list. */
typedef enum
{
  NS_HELP_TOPIC,     /* "first-steps", … */
  NS_HELP_VIEW,      /* "view:flow", the id of a figure */
  NS_HELP_PARAMETER, /* "parameter:shape.depth", the path of a parameter */
  NS_HELP_QUANTITY,  /* "quantity:token_cos", its name */
  NS_HELP_VARIANT,   /* "variant:post", the id of a built-in variant */
  NS_HELP_CLAIM,     /* "claim:theorem-1-post", its id */
  NS_N_HELP_GROUPS
} NsHelpGroup;

#define NS_HELP_FIRST_STEPS "first-steps"

typedef struct
{
  const char *id;
  NsHelpGroup group;
  guint row; /* in the table of the group */
} NsHelpPage;

/* Return all pages, ordered by group; *n (may be NULL) is their number. Static. */
const NsHelpPage *ns_help_pages (guint *n);
/* Return the page with an id, or NULL. */
const NsHelpPage *ns_help_find (const char *id);
/* Return the heading of a group, translated; static. */
const char *ns_help_group_get_title (NsHelpGroup group);

/* Return the title, translated and without markup; static. */
const char *ns_help_page_get_title (const NsHelpPage *page);
/* Return the definition in one line of plain text, as tooltips show it, translated; static. May be "". */
const char *ns_help_page_get_summary (const NsHelpPage *page);

/* ---- contents ---- */

/* A wiring that a page shows, under a caption in plain text. */
typedef struct
{
  char *caption;
  NsDiagram *diagram;
} NsHelpPicture;

typedef struct
{
  char *intro; /* markup: the definition and its equation */
  char *rest;  /* markup: effect, values, source, related pages; may be "" */
  /* Wirings between the two, the first without the setting and the second with it. */
  NsHelpPicture pictures[2];
  guint n_pictures; /* 0, 1 or 2 */
} NsHelpContent;

/* Return the contents of a page. Caller frees. */
NsHelpContent *ns_help_page_get_content (const NsHelpPage *page);
void ns_help_content_free (NsHelpContent *content);

/* ---- search ---- */

/* Return how well a page matches the words typed so far: 0 when one of them is missing, else more for a match in the
 * title than in the names, and more there than in the text. Case, accents and punctuation do not count; titles are
 * found in English, too. "" matches every page alike. */
guint ns_help_page_match (const NsHelpPage *page, const char *words);

/* ---- other forms ---- */

/* Return a page as plain text, in lines of at most `width` characters, for a terminal. Caller frees. */
char *ns_help_page_dup_text (const NsHelpPage *page, guint width);
/* Return all pages as one Markdown document, GUIDE.md of the installed documentation. Caller frees. */
char *ns_help_dup_markdown (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsHelpContent, ns_help_content_free)

G_END_DECLS
