/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "prose/ns-math.h"

/* Shares of the font size, after the parameters of Computer Modern where not noted. */
#define RULE               0.05  /* a little thicker, for a sans-serif font */
#define SUP_SHIFT          0.41
#define SUB_SHIFT          0.15
#define SUB_SHIFT_WITH_SUP 0.25
#define SCRIPT_SPACE       0.05
#define FRACTION_SIDE      0.12
#define SUP_SIZE           0.72  /* as in the plots */
#define SCRIPT_SCRIPT_SIZE 0.58
#define BIG_DISPLAY        1.5
#define BIG_TEXT           1.15
#define LIMIT_GAP          0.16
#define ROOT_WIDTH         0.62
#define DELIMITER_WIDTH    0.34
#define ACCENT_GAP         0.1
#define ACCENT_HEIGHT      0.16
/* How much of its contents a delimiter must cover. */
#define DELIMITER_SHARE 0.9

typedef enum
{
  STYLE_DISPLAY,
  STYLE_TEXT,
  STYLE_SCRIPT,
  STYLE_SCRIPT_SCRIPT,
} Style;

typedef struct
{
  const NsMathFonts *fonts;
  double text_size;
  Style style;
} Setter;

static NsMathBox *set_math (const Setter *setter, const NsMath *math);

/* ---- boxes ---- */

void
ns_math_box_free (NsMathBox *box)
{
  while (box != NULL)
    {
      NsMathBox *next = box->next;

      ns_math_box_free (box->first);
      g_clear_object (&box->layout);
      g_free (box->shape);
      g_free (box);
      box = next;
    }
}

static NsMathBox *
box_new (NsMathBoxKind kind, double width, double ascent, double descent)
{
  NsMathBox *box = g_new0 (NsMathBox, 1);

  box->kind = kind;
  box->width = width;
  box->ascent = ascent;
  box->descent = descent;
  return box;
}

static NsMathBox *
box_new_shape (const char *shape, double width, double ascent, double descent, double line)
{
  NsMathBox *box = box_new (NS_MATH_BOX_SHAPE, width, ascent, descent);

  box->shape = g_strdup (shape);
  box->line = line;
  return box;
}

/* Put a box at (x, y) into a list, which grows to hold it. */
static void
place (NsMathBox *list, NsMathBox *box, double x, double y)
{
  box->x = x;
  box->y = y;
  box->next = list->first;
  list->first = box;
  list->width = fmax (list->width, x + box->width);
  list->ascent = fmax (list->ascent, box->ascent - y);
  list->descent = fmax (list->descent, box->descent + y);
}

/* An empty list, which may consist of depth alone. */
static NsMathBox *
list_new (void)
{
  return box_new (NS_MATH_BOX_LIST, 0, -G_MAXDOUBLE, -G_MAXDOUBLE);
}

static void
finish_list (NsMathBox *list)
{
  if (list->first == NULL)
    list->ascent = list->descent = 0;
}

/* ---- fonts ---- */

static PangoLayout *
make_layout (PangoContext *context, const char *text, double size, NsMathFont font)
{
  PangoLayout *layout = pango_layout_new (context);
  PangoFontDescription *description = pango_font_description_copy (pango_context_get_font_description (context));

  pango_font_description_set_absolute_size (description, size * PANGO_SCALE);
  pango_font_description_set_style (description, font == NS_MATH_ITALIC ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL);
  pango_font_description_set_weight (description, font == NS_MATH_BOLD ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, description);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_text (layout, text, -1);
  pango_font_description_free (description);
  return layout;
}

static NsMathBox *
box_new_text (PangoContext *context, const char *text, double size, NsMathFont font)
{
  NsMathBox *box = box_new (NS_MATH_BOX_TEXT, 0, 0, 0);
  PangoRectangle ink, logical;
  double baseline;

  box->layout = make_layout (context, text, size, font);
  baseline = pango_layout_get_baseline (box->layout) / (double) PANGO_SCALE;
  pango_layout_get_extents (box->layout, &ink, &logical);
  box->width = logical.width / (double) PANGO_SCALE;
  box->ascent = baseline - ink.y / (double) PANGO_SCALE;
  box->descent = (ink.y + ink.height) / (double) PANGO_SCALE - baseline;
  box->overhang = fmax (0, (ink.x + ink.width - logical.width) / (double) PANGO_SCALE);
  return box;
}

#define MATH_SAMPLE_PX 100.0

void
ns_math_fonts_init (NsMathFonts *fonts, PangoContext *context)
{
  NsMathBox *minus = box_new_text (context, "−", MATH_SAMPLE_PX, NS_MATH_ROMAN),
            *x = box_new_text (context, "x", MATH_SAMPLE_PX, 0);
  NsMathBox *paren = box_new_text (context, "(", MATH_SAMPLE_PX, NS_MATH_ROMAN);

  fonts->context = g_object_ref (context);
  fonts->axis = (minus->ascent - minus->descent) / 2 / MATH_SAMPLE_PX;
  fonts->x_height = x->ascent / MATH_SAMPLE_PX;
  fonts->paren_height = paren->ascent / MATH_SAMPLE_PX;
  fonts->paren_depth = paren->descent / MATH_SAMPLE_PX;
  ns_math_box_free (minus);
  ns_math_box_free (x);
  ns_math_box_free (paren);
}

void
ns_math_fonts_clear (NsMathFonts *fonts)
{
  g_clear_object (&fonts->context);
}

static double
get_size (const Setter *setter)
{
  return setter->text_size
         * (setter->style <= STYLE_TEXT ? 1 : setter->style == STYLE_SCRIPT ? SUP_SIZE : SCRIPT_SCRIPT_SIZE);
}

static Setter
smaller (const Setter *setter)
{
  Setter result = *setter;

  result.style = setter->style <= STYLE_TEXT ? STYLE_SCRIPT : STYLE_SCRIPT_SCRIPT;
  return result;
}

/* ---- the kinds ---- */

static NsMathBox *
set_symbol (const Setter *setter, const NsMath *math)
{
  double size = get_size (setter);
  NsMathBox *glyph, *box;

  if (math->font != NS_MATH_BIG)
    return box_new_text (setter->fonts->context, math->text, size, math->font);
  /* Large operators are centred on the axis. */
  glyph = box_new_text (setter->fonts->context, math->text,
                        size * (setter->style == STYLE_DISPLAY ? BIG_DISPLAY : BIG_TEXT), NS_MATH_ROMAN);
  box = list_new ();
  place (box, glyph, 0, (glyph->ascent - glyph->descent) / 2 - setter->fonts->axis * size);
  return box;
}

static NsMathBox *
set_limits (const Setter *setter, NsMathBox *base, NsMathBox *sub, NsMathBox *sup)
{
  NsMathBox *box = list_new ();
  double width = fmax (base->width, fmax (sub != NULL ? sub->width : 0, sup != NULL ? sup->width : 0));
  double gap = LIMIT_GAP * get_size (setter), above = base->ascent, below = base->descent;

  place (box, base, (width - base->width) / 2, 0);
  if (sup != NULL)
    place (box, sup, (width - sup->width) / 2, -(above + gap + sup->descent));
  if (sub != NULL)
    place (box, sub, (width - sub->width) / 2, below + gap + sub->ascent);
  return box;
}

/* Primes are raised and small already. */
static gboolean
is_prime (const NsMath *math)
{
  return math != NULL && math->kind == NS_MATH_SYMBOL && g_str_has_prefix (math->text, "′");
}

static NsMathBox *
set_scripts (const Setter *setter, const NsMath *math)
{
  Setter small = smaller (setter);
  double size = get_size (setter), rule = RULE * size, x_height = setter->fonts->x_height * size;
  NsMathBox *base = math->first != NULL ? set_math (setter, math->first) : box_new (NS_MATH_BOX_LIST, 0, 0, 0);
  NsMathBox *sub = math->sub != NULL ? set_math (&small, math->sub) : NULL;
  NsMathBox *sup = math->sup != NULL ? set_math (is_prime (math->sup) ? setter : &small, math->sup) : NULL;
  gboolean is_symbol = math->first != NULL && math->first->kind == NS_MATH_SYMBOL;
  double width = base->width, overhang = base->overhang, up = 0, down = 0;
  NsMathBox *box;

  if (setter->style == STYLE_DISPLAY && is_symbol && math->first->limits)
    return set_limits (setter, base, sub, sup);
  if (sup != NULL && !is_prime (math->sup))
    up = fmax (fmax (SUP_SHIFT * size, is_symbol ? 0 : base->ascent - 0.3 * size), sup->descent + x_height / 4);
  if (sub != NULL)
    down = fmax (fmax ((sup != NULL ? SUB_SHIFT_WITH_SUP : SUB_SHIFT) * size,
                       is_symbol ? 0 : base->descent + 0.05 * size),
                 sub->ascent - 0.8 * x_height);
  if (sub != NULL && sup != NULL)
    down += fmax (0, 4 * rule - ((up - sup->descent) + (down - sub->ascent)));

  box = list_new ();
  place (box, base, 0, 0);
  if (sup != NULL)
    place (box, sup, width + overhang, -up);
  if (sub != NULL)
    place (box, sub, width, down);
  box->width += SCRIPT_SPACE * size;
  return box;
}

static NsMathBox *
set_fraction (const Setter *setter, const NsMath *math)
{
  Setter inner = *setter;
  gboolean is_display = setter->style == STYLE_DISPLAY;
  double size = get_size (setter), rule = RULE * size, axis = setter->fonts->axis * size;
  double gap = is_display ? 3 * rule : 1.5 * rule, side = FRACTION_SIDE * size, width;
  NsMathBox *box = list_new (), *line, *above, *below;

  inner = is_display ? inner : smaller (setter);
  if (is_display)
    inner.style = STYLE_TEXT;
  above = set_math (&inner, math->first);
  below = set_math (&inner, math->sub);
  width = fmax (above->width, below->width) + side;
  line = box_new (NS_MATH_BOX_RULE, width, rule / 2, rule / 2);
  place (box, line, side / 2, -axis);
  place (box, above, side / 2 + (width - above->width) / 2, -(axis + rule / 2 + gap + above->descent));
  place (box, below, side / 2 + (width - below->width) / 2, -axis + rule / 2 + gap + below->ascent);
  box->width = width + side;
  return box;
}

static NsMathBox *
set_root (const Setter *setter, const NsMath *math)
{
  double size = get_size (setter), rule = RULE * size;
  double gap = rule + (setter->style == STYLE_DISPLAY ? setter->fonts->x_height * size / 4 : rule);
  NsMathBox *inner = set_math (setter, math->first), *box = list_new (), *sign;
  double ascent = fmax (inner->ascent, setter->fonts->x_height * size) + gap + rule / 2;
  double descent = fmax (inner->descent, 0) + 0.5 * rule, before = ROOT_WIDTH * size;

  sign = box_new_shape ("√", before + inner->width + 2 * rule, ascent, descent, rule);
  sign->x = 0;
  sign->overhang = before;
  place (box, sign, 0, 0);
  place (box, inner, before + rule, 0);
  box->width += rule;
  box->ascent += rule;
  return box;
}

static NsMathBox *
set_accent (const Setter *setter, const NsMath *math)
{
  double size = get_size (setter), height = ACCENT_HEIGHT * size;
  NsMathBox *inner = set_math (setter, math->first), *box = list_new (), *accent;
  gboolean is_bar = strcmp (math->text, "\u0304") == 0;
  double y = fmax (inner->ascent, setter->fonts->x_height * size) + ACCENT_GAP * size;
  double width = is_bar ? 0.9 * inner->width : fmin (inner->width, 0.45 * size), slant = inner->overhang;

  accent = box_new_shape (math->text, width, is_bar ? RULE * size : height, 0, RULE * size);
  place (box, inner, 0, 0);
  place (box, accent, (inner->width - width) / 2 + 0.06 * size + slant, -y);
  box->width = inner->width;
  box->overhang = inner->overhang;
  return box;
}

/* A delimiter for contents that reach `reach` above and below the axis; NULL for none. */
static NsMathBox *
delimiter_new (const Setter *setter, const char *text, double reach)
{
  double size = get_size (setter), axis = setter->fonts->axis * size;
  double half = fmax (reach * DELIMITER_SHARE, reach - 0.25 * size), width = DELIMITER_WIDTH * size;

  if (*text == '\0')
    return NULL;
  if (half <= (setter->fonts->paren_height + setter->fonts->paren_depth) / 2 * size * 1.05)
    return box_new_text (setter->fonts->context, text, size, NS_MATH_ROMAN);
  return box_new_shape (text, strcmp (text, "‖") == 0 ? 1.2 * width : width, half + axis, half - axis,
                        1.2 * RULE * size);
}

static NsMathBox *
set_fence (const Setter *setter, const NsMath *math)
{
  double axis = setter->fonts->axis * get_size (setter);
  NsMathBox *inner = set_math (setter, math->first), *box = list_new ();
  double reach = fmax (inner->ascent - axis, inner->descent + axis);
  NsMathBox *left = delimiter_new (setter, math->text, reach), *right = delimiter_new (setter, math->right, reach);
  double x = 0;

  if (left != NULL)
    place (box, left, 0, 0);
  x = left != NULL ? left->width : 0;
  place (box, inner, x, 0);
  x += inner->width + (right != NULL ? inner->overhang : 0);
  if (right != NULL)
    place (box, right, x, 0);
  return box;
}

/* ---- rows ---- */

/* The space between two neighbours in 18ths of an em: The TeXbook, page 170. Negative: none in scripts. */
static const int spaces[NS_MATH_N_CLASSES][NS_MATH_N_CLASSES] = {
  /*              Ord  Op Bin Rel Open Close Punct Inner */
  /* Ord   */ { 0, 3, -4, -5, 0, 0, 0, -3 },
  /* Op    */ { 3, 3, 0, -5, 0, 0, 0, -3 },
  /* Bin   */ { -4, -4, 0, 0, -4, 0, 0, -4 },
  /* Rel   */ { -5, -5, 0, 0, -5, 0, 0, -5 },
  /* Open  */ { 0, 0, 0, 0, 0, 0, 0, 0 },
  /* Close */ { 0, 3, -4, -5, 0, 0, 0, -3 },
  /* Punct */ { -3, -3, 0, -3, -3, -3, -3, -3 },
  /* Inner */ { -3, 3, -4, -5, -3, 0, -3, -3 },
};

static double
get_space (const Setter *setter, int before, NsMathClass after)
{
  int space = before >= 0 ? spaces[before][after] : 0;

  if (space < 0)
    space = setter->style >= STYLE_SCRIPT ? 0 : -space;
  return space / 18.0 * get_size (setter);
}

static NsMathBox *
set_row (const Setter *setter, const NsMath *math, gboolean is_continued)
{
  NsMathBox *box = list_new ();
  double x = 0, overhang = 0;
  int before = -1;

  for (const NsMath *child = math->first; child != NULL; child = child->next)
    {
      NsMathClass class = ns_math_get_class (child, before);
      NsMathBox *inner;

      if (child->kind == NS_MATH_SPACE)
        {
          x += child->space * get_size (setter);
          box->width = fmax (0, x);
          continue;
        }
      inner = set_math (setter, child);
      x += get_space (setter, before, class);
      /* Slanted ink must not touch an upright neighbour such as a parenthesis. */
      if (class == NS_MATH_CLOSE || (child->kind == NS_MATH_SYMBOL && child->font == NS_MATH_ROMAN))
        x += overhang;
      place (box, inner, x, 0);
      x += inner->width;
      overhang = inner->overhang;
      before = class;
    }
  finish_list (box);
  box->overhang = overhang;
  if (is_continued)
    box->width += get_space (setter, NS_MATH_REL, NS_MATH_ORD);
  return box;
}

static NsMathBox *
set_math (const Setter *setter, const NsMath *math)
{
  switch ((NsMathKind) math->kind)
    {
    case NS_MATH_ROW:
      return set_row (setter, math, FALSE);
    case NS_MATH_SYMBOL:
      return set_symbol (setter, math);
    case NS_MATH_SCRIPTS:
      return set_scripts (setter, math);
    case NS_MATH_FRACTION:
      return set_fraction (setter, math);
    case NS_MATH_ROOT:
      return set_root (setter, math);
    case NS_MATH_ACCENT:
      return set_accent (setter, math);
    case NS_MATH_FENCE:
      return set_fence (setter, math);
    case NS_MATH_SPACE:
      break;
    }
  return box_new (NS_MATH_BOX_LIST, math->space * get_size (setter), 0, 0);
}

NsMathBox *
ns_math_box_new (const NsMath *math, const NsMathFonts *fonts, double size_px, gboolean is_display,
                 gboolean is_continued)
{
  Setter setter = { fonts, size_px, is_display ? STYLE_DISPLAY : STYLE_TEXT };

  return set_row (&setter, math, is_continued);
}
