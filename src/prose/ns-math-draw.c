/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-math.h"

/* Delimiters are drawn in a box of the width 1 and height 1, and mirrored for the right one. */

static void
add_parenthesis (cairo_t *cr, double width, double top, double height)
{
  double thick = 0.16 * width, inner = 0.32 * width + thick;

  /* Two arcs, farther apart in the middle. */
  cairo_move_to (cr, 0.9 * width, top);
  cairo_curve_to (cr, 0.32 * width - thick, top + 0.25 * height, 0.32 * width - thick, top + 0.75 * height, 0.9 * width,
                  top + height);
  cairo_curve_to (cr, inner, top + 0.75 * height, inner, top + 0.25 * height, 0.9 * width, top);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
add_brace (cairo_t *cr, double width, double top, double height)
{
  double middle = top + height / 2, bend = MIN (0.8 * width, height / 4), stem = 0.55 * width;

  cairo_move_to (cr, 0.95 * width, top);
  cairo_curve_to (cr, stem, top, stem, top, stem, top + bend);
  cairo_line_to (cr, stem, middle - bend);
  cairo_curve_to (cr, stem, middle, stem, middle, 0.15 * width, middle);
  cairo_curve_to (cr, stem, middle, stem, middle, stem, middle + bend);
  cairo_line_to (cr, stem, top + height - bend);
  cairo_curve_to (cr, stem, top + height, stem, top + height, 0.95 * width, top + height);
  cairo_stroke (cr);
}

static void
add_bars (cairo_t *cr, double width, double top, double height, int n)
{
  for (int i = 0; i < n; i++)
    {
      double x = n == 1 ? width / 2 : width * (0.3 + 0.4 * i);

      cairo_move_to (cr, x, top);
      cairo_line_to (cr, x, top + height);
    }
  cairo_stroke (cr);
}

static void
draw_delimiter (const NsMathBox *box, cairo_t *cr)
{
  double width = box->width, top = -box->ascent, height = box->ascent + box->descent;

  /* The right ones are the left ones in a mirror. */
  if (strstr (")]}⟩", box->shape) != NULL)
    {
      cairo_translate (cr, width, 0);
      cairo_scale (cr, -1, 1);
    }
  if (strstr ("()", box->shape) != NULL)
    add_parenthesis (cr, width, top, height);
  else if (strstr ("{}", box->shape) != NULL)
    add_brace (cr, width, top, height);
  else if (strstr ("[]", box->shape) != NULL)
    {
      cairo_move_to (cr, 0.85 * width, top);
      cairo_line_to (cr, 0.4 * width, top);
      cairo_line_to (cr, 0.4 * width, top + height);
      cairo_line_to (cr, 0.85 * width, top + height);
      cairo_stroke (cr);
    }
  else if (strstr ("⟨⟩", box->shape) != NULL)
    {
      cairo_move_to (cr, 0.85 * width, top);
      cairo_line_to (cr, 0.25 * width, top + height / 2);
      cairo_line_to (cr, 0.85 * width, top + height);
      cairo_stroke (cr);
    }
  else
    add_bars (cr, width, top, height, strcmp (box->shape, "‖") == 0 ? 2 : 1);
}

/* A hook, a thick stroke down, a thin one up, and the bar. */
static void
draw_root (const NsMathBox *box, cairo_t *cr)
{
  double width = box->overhang, top = -box->ascent, bottom = box->descent, height = bottom - top;
  double hook = bottom - MIN (0.55 * height, 0.75 * width);

  cairo_set_line_width (cr, box->line);
  cairo_move_to (cr, 0.12 * width, hook + 0.12 * width);
  cairo_line_to (cr, 0.3 * width, hook);
  cairo_stroke (cr);
  cairo_set_line_width (cr, 1.9 * box->line);
  cairo_move_to (cr, 0.3 * width, hook);
  cairo_line_to (cr, 0.56 * width, bottom - box->line);
  cairo_stroke (cr);
  cairo_set_line_width (cr, box->line);
  cairo_move_to (cr, 0.56 * width, bottom);
  cairo_line_to (cr, width, top);
  cairo_line_to (cr, box->width, top);
  cairo_stroke (cr);
}

static void
draw_accent (const NsMathBox *box, cairo_t *cr)
{
  double width = box->width, top = -box->ascent;

  if (strcmp (box->shape, "\u0304") == 0)
    {
      cairo_move_to (cr, 0, 0);
      cairo_line_to (cr, width, 0);
    }
  else if (strcmp (box->shape, "\u0302") == 0)
    {
      cairo_move_to (cr, 0, 0);
      cairo_line_to (cr, width / 2, top);
      cairo_line_to (cr, width, 0);
    }
  else
    {
      cairo_move_to (cr, 0, 0.2 * top);
      cairo_curve_to (cr, 0.3 * width, 1.4 * top, 0.7 * width, -0.4 * top, width, 0.8 * top);
    }
  cairo_stroke (cr);
}

static void
draw_math_shape (const NsMathBox *box, cairo_t *cr)
{
  cairo_save (cr);
  cairo_set_line_width (cr, box->line);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_MITER);
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_BUTT);
  if (strcmp (box->shape, "√") == 0)
    draw_root (box, cr);
  else if (strstr ("\u0304\u0302\u0303", box->shape) != NULL)
    draw_accent (box, cr);
  else
    draw_delimiter (box, cr);
  cairo_restore (cr);
}

void
ns_math_box_draw (const NsMathBox *box, cairo_t *cr, double x, double y)
{
  cairo_save (cr);
  cairo_translate (cr, x, y);
  switch (box->kind)
    {
    case NS_MATH_BOX_LIST:
      for (const NsMathBox *child = box->first; child != NULL; child = child->next)
        ns_math_box_draw (child, cr, child->x, child->y);
      break;
    case NS_MATH_BOX_TEXT:
      cairo_move_to (cr, 0, -pango_layout_get_baseline (box->layout) / (double) PANGO_SCALE);
      pango_cairo_show_layout (cr, box->layout);
      break;
    case NS_MATH_BOX_RULE:
      cairo_rectangle (cr, 0, -box->ascent, box->width, box->ascent + box->descent);
      cairo_fill (cr);
      break;
    case NS_MATH_BOX_SHAPE:
      draw_math_shape (box, cr);
      break;
    }
  cairo_restore (cr);
}
