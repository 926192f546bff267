/* The parsed text. Private to this room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "prose/ns-math.h"
#include "prose/ns-prose.h"

G_BEGIN_DECLS

/* Stands in a block's text for a formula. As a letter it stays with the signs next to it when a line is broken. */
#define NS_PROSE_PLACE "x"

typedef enum
{
  NS_PROSE_PARAGRAPH,
  NS_PROSE_HEADING, /* number: its level, 1 or 2 */
  NS_PROSE_BULLET,
  NS_PROSE_NUMBER,  /* number: of the item */
  NS_PROSE_DISPLAY, /* one formula */
} NsProseBlockKind;

typedef enum
{
  NS_PROSE_EMPHASIS,
  NS_PROSE_STRONG,
  NS_PROSE_CODE,
  NS_PROSE_LINK,
} NsProseSpanKind;

typedef struct
{
  NsProseSpanKind kind;
  guint start, end; /* bytes of the block's text */
  guint link;
} NsProseSpan;

typedef struct
{
  guint at;              /* byte of its place in the block's text */
  gboolean is_continued; /* the next formula of the block continues it */
  NsMath *math;
} NsProseFormula;

typedef struct
{
  NsProseBlockKind kind;
  guint number;
  char *text;
  GArray *spans;    /* NsProseSpan, or NULL */
  GArray *formulas; /* NsProseFormula, or NULL */
} NsProseBlock;

typedef struct
{
  char *page, *text;
} NsProseLink;

struct _NsProse
{
  GArray *blocks; /* NsProseBlock */
  GArray *links;  /* NsProseLink */
  guint n_parts;  /* formulas and links in the source */
};

/* Set an error whose message begins with the line and the column of `at` in `whole`. */
void ns_prose_set_error (GError **error, NsProseError code, const char *whole, const char *at, const char *format, ...)
    G_GNUC_PRINTF (5, 6);

/* Append the bytes [start, end) of a block's text with its formulas in place. */
void ns_prose_block_append_text (const NsProseBlock *block, guint start, guint end, GString *text);

G_END_DECLS
