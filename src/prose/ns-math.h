/* Formulas: a parsed tree, its text, its boxes. Private to this room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Boxes follow D. E. Knuth, The TeXbook (1984), appendix G, with fewer parameters: each has a width, an ascent above
 * and a descent below its baseline.
 * Threads: as in ns-prose.h.
 */
#pragma once

#include <pango/pangocairo.h>

#include "plot/ns-theme.h"

G_BEGIN_DECLS

typedef enum
{
  NS_MATH_ROW,      /* first, then its siblings */
  NS_MATH_SYMBOL,   /* text */
  NS_MATH_SCRIPTS,  /* first: base or NULL, sub, sup */
  NS_MATH_FRACTION, /* first over sub */
  NS_MATH_ROOT,     /* first */
  NS_MATH_ACCENT,   /* text over first */
  NS_MATH_FENCE,    /* text (left), first, right */
  NS_MATH_SPACE,    /* of `space` em */
} NsMathKind;

/* Decide the space between neighbours. */
typedef enum
{
  NS_MATH_ORD,
  NS_MATH_OP,
  NS_MATH_BIN,
  NS_MATH_REL,
  NS_MATH_OPEN,
  NS_MATH_CLOSE,
  NS_MATH_PUNCT,
  NS_MATH_INNER,
  NS_MATH_N_CLASSES
} NsMathClass;

typedef enum
{
  NS_MATH_ROMAN,
  NS_MATH_ITALIC,
  NS_MATH_BOLD,
  NS_MATH_BIG, /* ∑ and ∏ */
} NsMathFont;

typedef struct _NsMath NsMath;
struct _NsMath
{
  guint8 kind;     /* NsMathKind */
  guint8 class;    /* NsMathClass */
  guint8 font;     /* NsMathFont of a symbol */
  guint8 limits;   /* scripts go above and below in a displayed formula */
  float space;
  char *text;      /* "" as a delimiter: none */
  const char *right;
  NsMath *first, *sub, *sup;
  NsMath *next;    /* in a row */
};

typedef enum
{
  NS_MATH_COMMAND_SYMBOL,
  NS_MATH_COMMAND_SPACE,
  NS_MATH_COMMAND_ACCENT,
  NS_MATH_COMMAND_FRACTION,
  NS_MATH_COMMAND_ROOT,
  NS_MATH_COMMAND_WORDS, /* \mathrm{…} and its like */
  NS_MATH_COMMAND_LEFT,
  NS_MATH_COMMAND_RIGHT,
} NsMathCommandKind;

typedef struct
{
  const char *name;
  NsMathCommandKind kind;
  const char *text; /* the symbol, or the combining character of an accent */
  NsMathClass class;
  NsMathFont font;
  gboolean limits;
  float space;
} NsMathCommand;

/* ---- ns-math-table.c ---- */

/* Return a command of a name without the backslash, or NULL. */
const NsMathCommand *ns_math_find_command (const char *name, gsize length);
/* Return the symbol of a character that may be written without a command, or NULL. */
const NsMathCommand *ns_math_find_character (const char *text, gsize length);
/* Return the names of all commands, sorted; static, NULL-terminated. */
const char *const *ns_math_get_commands (void);

/* ---- ns-math-parse.c ---- */

void ns_math_free (NsMath *math);
/* Parse the formula in [start, end) of `whole`, in which errors are located. */
NsMath *ns_math_parse (const char *whole, const char *start, const char *end, GError **error);
/* Cut a row after its relations, where a line may be broken: return the rest, or NULL. */
NsMath *ns_math_split (NsMath *row);

/* ---- ns-math-text.c ---- */

/* Append the formula on one line, as Unicode. */
void ns_math_append_text (const NsMath *math, GString *text);

/* ---- ns-math-mathml.c ---- */

/* Append the children of a row as MathML, without the element around them. */
void ns_math_append_mathml (const NsMath *row, gboolean is_display, GString *out);

/* ---- ns-math-class.c ---- */

/* Return the class of a row's child, where a binary sign without a left or a right operand is ordinary. `before` is the
 * class of its left neighbour, or −1. */
NsMathClass ns_math_get_class (const NsMath *math, int before);

/* ---- ns-math-layout.c, ns-math-draw.c ---- */

typedef struct _NsMathBox NsMathBox;

typedef enum
{
  NS_MATH_BOX_LIST,
  NS_MATH_BOX_TEXT,
  NS_MATH_BOX_RULE,
  NS_MATH_BOX_SHAPE, /* a delimiter, a root or an accent, named by `shape` */
} NsMathBoxKind;

struct _NsMathBox
{
  NsMathBoxKind kind;
  double width, ascent, descent; /* px */
  double x, y;                   /* px, from the origin of the parent, y downward */
  double overhang;               /* by how much slanted ink extends beyond the width */
  PangoLayout *layout;
  char *shape; /* "(", "√", …; owned, since a layout outlives its text */
  double line;       /* width of the strokes */
  NsMathBox *first, *next;
};

/* Measures of a font, as shares of its size. */
typedef struct
{
  PangoContext *context; /* owned */
  double axis, x_height, paren_height, paren_depth;
} NsMathFonts;

void ns_math_fonts_init (NsMathFonts *fonts, PangoContext *context);
void ns_math_fonts_clear (NsMathFonts *fonts);

/* Return the box of a formula at a font size; a displayed one is larger. `is_continued`: another piece follows. */
NsMathBox *ns_math_box_new (const NsMath *math, const NsMathFonts *fonts, double size_px, gboolean is_display,
                            gboolean is_continued);
void ns_math_box_free (NsMathBox *box);

/* Draw in the context's colour with the origin, the left end of the baseline, at (x, y). */
void ns_math_box_draw (const NsMathBox *box, cairo_t *cr, double x, double y);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsMath, ns_math_free)

G_END_DECLS
