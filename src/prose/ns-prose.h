/* Text in a simple markup with typeset formulas: parse, lay out, draw.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The markup, described in docs/FORMATS.md:
 *   - a blank line ends a paragraph; "# " and "## " begin headings; "- " and "1. " begin list items;
 *   - *emphasis*, **strong**, `code`, [text](page-id); a backslash before a sign that is markup makes it plain;
 *   - $formula$ in a line and $$formula$$ on its own, in a subset of LaTeX.
 *
 * Lengths are px of 1/96 inch, x to the right and y downward.
 * Threads: a parsed text is immutable, for any thread; a layout belongs to one thread at a time.
 */
#pragma once

#include <cairo.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

#define NS_PROSE_ERROR (ns_prose_error_quark ())
GQuark ns_prose_error_quark (void);

typedef enum
{
  NS_PROSE_ERROR_SYNTAX, /* unknown command, missing end, … */
  NS_PROSE_ERROR_LIMIT,  /* too long or too deeply nested */
} NsProseError;

/* The longest text, the most formulas and links in it, and the deepest nesting of groups in a formula. */
#define NS_PROSE_MAX_BYTES (256 * 1024)
#define NS_PROSE_MAX_PARTS 4000
#define NS_PROSE_MAX_DEPTH 12

typedef struct _NsProse NsProse;
typedef struct _NsProseLayout NsProseLayout;

/* ---- the text ---- */

/* Parse a text; NULL with NS_PROSE_ERROR, whose message begins with line and column, both from 1, and names what is
 * allowed there. Any UTF-8 is a valid argument. */
NsProse *ns_prose_parse (const char *text, GError **error);
void ns_prose_free (NsProse *prose);

/* Return the text without markup, for screen readers and for copying: a line for each paragraph, formulas as
 * "‖∂L/∂W₂‖ ≤ O(√(ln d))". Caller frees. */
char *ns_prose_dup_plain_text (const NsProse *prose);

/* Return the text as HTML that is also well-formed XML, with formulas in MathML; "# " begins a heading one level below
 * `level`, 0 … 4. Links are their text. Caller frees. */
char *ns_prose_dup_html (const NsProse *prose, guint level);

/* Return markup that shows any UTF-8 text as it is; its lines stay within one paragraph. Caller frees. */
char *ns_prose_escape (const char *text);

/* Return the number of links, and the page id and the plain text of one; both valid as long as the text. */
guint ns_prose_get_n_links (const NsProse *prose);
const char *ns_prose_get_link_page (const NsProse *prose, guint link);
const char *ns_prose_get_link_text (const NsProse *prose, guint link);

/* ---- the layout ---- */

/* Lay out a text for a width >= 1 px, in the theme's font at size_pt · theme->text_scale pt, > 0. A formula that is too
 * wide shrinks. The text is not kept. Caller frees the layout. */
NsProseLayout *ns_prose_layout_new (const NsProse *prose, const NsTheme *theme, double size_pt, double width);
void ns_prose_layout_free (NsProseLayout *layout);

double ns_prose_layout_get_height (const NsProseLayout *layout);
/* Return the width of the longest line or formula. */
double ns_prose_layout_get_used_width (const NsProseLayout *layout);

/* Return where a page that begins at y `from` (0, or a previous break) and is `height` px high ends: between two rows,
 * at least one row later, and not after a heading. The whole height when the rest fits. */
double ns_prose_layout_get_break (const NsProseLayout *layout, double from, double height);

/* Draw in the colours of the theme, without a background, so that the top left corner is at (x, y). FALSE after an
 * error of Cairo, as in ns-draw.h. */
gboolean ns_prose_layout_draw (const NsProseLayout *layout, cairo_t *cr, double x, double y);
/* Draw the rows from one break to another, so that `from` is at y. */
gboolean ns_prose_layout_draw_part (const NsProseLayout *layout, cairo_t *cr, double x, double y, double from,
                                    double to);

/* A rectangle of a link; a link that is broken into lines has several. */
typedef struct
{
  guint link;
  double x, y, width, height;
} NsProseLinkArea;

/* Return the rectangles of all links in the order of the text; owned by the layout. */
const NsProseLinkArea *ns_prose_layout_get_link_areas (const NsProseLayout *layout, guint *n);
/* Return the link at a point, or −1. */
int ns_prose_layout_find_link (const NsProseLayout *layout, double x, double y);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsProse, ns_prose_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsProseLayout, ns_prose_layout_free)

G_END_DECLS
