/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "plot/ns-text.h"
#include "prose/ns-prose-private.h"

#define PX_PER_PT     (96.0 / 72.0)
/* Shares of the font size. */
#define GAP_PARAGRAPH 0.55
#define GAP_ITEM      0.25
#define GAP_HEADING   0.9
#define GAP_DISPLAY   0.5
#define LINE_SPACING  0.12
#define INDENT        1.5
#define MARKER_GAP    0.45
static const double heading_sizes[] = { 1.35, 1.12 };

/* Styles of ns_theme_get_style() */
#define LINK_STYLE 0

/* A line of text or a displayed formula. */
typedef struct
{
  double top, bottom; /* px */
  double x, baseline;
  PangoLayoutLine *line; /* or NULL */
  NsMathBox *box;        /* or NULL */
  double scale;          /* of the box */
  PangoLayout *marker;   /* of a list item, or NULL */
  double marker_x;
  gboolean keep_with_next; /* a heading */
} Row;

struct _NsProseLayout
{
  NsTheme theme;
  PangoContext *context;
  NsMathFonts fonts;
  GArray *rows;       /* Row */
  GPtrArray *layouts; /* PangoLayout */
  GArray *areas;      /* NsProseLinkArea */
  double size, width, height, used_width;
  double ascent, descent; /* of the font, as shares of its size */
};

/* A formula in a line of text, the data of Pango's shape. */
typedef struct
{
  NsMathBox *box;
  double scale;
  int n_users;
} Shape;

/* ---- formulas in lines ---- */

static gpointer
shape_ref (gconstpointer data)
{
  Shape *shape = (Shape *) data;

  shape->n_users++;
  return shape;
}

static void
shape_unref (gpointer data)
{
  Shape *shape = data;

  if (--shape->n_users > 0)
    return;
  ns_math_box_free (shape->box);
  g_free (shape);
}

static void
draw_box (const NsMathBox *box, double scale, cairo_t *cr, double x, double y)
{
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, scale, scale);
  ns_math_box_draw (box, cr, 0, 0);
  cairo_restore (cr);
}

static void
draw_formula (cairo_t *cr, PangoAttrShape *attribute, gboolean do_path, gpointer data)
{
  const Shape *shape = attribute->data;
  double x, y;

  cairo_get_current_point (cr, &x, &y);
  if (!do_path)
    draw_box (shape->box, shape->scale, cr, x, y);
}

/* A formula that is too wide shrinks. */
static double
find_scale (const NsMathBox *box, double width)
{
  return box->width > width ? width / box->width : 1;
}

static PangoAttribute *
formula_attribute_new (const NsProseLayout *layout, const NsProseFormula *formula, double size, double width)
{
  Shape *shape = g_new0 (Shape, 1);
  PangoRectangle extents;
  PangoAttribute *attribute;
  double ascent, descent;

  shape->box = ns_math_box_new (formula->math, &layout->fonts, size, FALSE, formula->is_continued);
  shape->scale = find_scale (shape->box, width);
  shape->n_users = 1;
  extents.x = 0;
  /* Lines of formulas alone are as high as lines of text. */
  ascent = fmax (shape->box->ascent * shape->scale, layout->ascent * size);
  descent = fmax (shape->box->descent * shape->scale, layout->descent * size);
  extents.y = (int) floor (-ascent * PANGO_SCALE);
  extents.width = (int) ceil ((shape->box->width + 0.5 * shape->box->overhang) * shape->scale * PANGO_SCALE);
  extents.width = MIN (extents.width, (int) (width * PANGO_SCALE));
  extents.height = (int) ceil ((ascent + descent) * PANGO_SCALE);
  attribute = pango_attr_shape_new_with_data (&extents, &extents, shape, shape_ref, shape_unref);
  attribute->start_index = formula->at;
  attribute->end_index = formula->at + strlen (NS_PROSE_PLACE);
  return attribute;
}

/* ---- text ---- */

static void
insert_attribute (PangoAttrList *list, PangoAttribute *attribute, const NsProseSpan *span)
{
  attribute->start_index = span->start;
  attribute->end_index = span->end;
  pango_attr_list_insert (list, attribute);
}

static guint16
to_16_bits (double part)
{
  return (guint16) lround (CLAMP (part, 0, 1) * G_MAXUINT16);
}

static void
insert_span (const NsProseLayout *layout, PangoAttrList *list, const NsProseSpan *span)
{
  NsStyle style;

  switch (span->kind)
    {
    case NS_PROSE_EMPHASIS:
      insert_attribute (list, pango_attr_style_new (PANGO_STYLE_ITALIC), span);
      break;
    case NS_PROSE_STRONG:
      insert_attribute (list, pango_attr_weight_new (PANGO_WEIGHT_BOLD), span);
      break;
    case NS_PROSE_CODE:
      insert_attribute (list, pango_attr_family_new ("Monospace"), span);
      break;
    case NS_PROSE_LINK:
      style = ns_theme_get_style (&layout->theme, LINK_STYLE);
      insert_attribute (list,
                        pango_attr_foreground_new (to_16_bits (style.text.red), to_16_bits (style.text.green),
                                                   to_16_bits (style.text.blue)),
                        span);
      insert_attribute (list, pango_attr_underline_new (PANGO_UNDERLINE_SINGLE), span);
      break;
    }
}

static PangoLayout *
paragraph_new (const NsProseLayout *layout, const NsProseBlock *block, double size, double width)
{
  gboolean is_heading = block->kind == NS_PROSE_HEADING;
  PangoLayout *text = ns_text_new (layout->context, block->text, FALSE, size, is_heading, width, TRUE);
  PangoAttrList *attributes = pango_attr_list_new ();

  for (guint i = 0; block->spans != NULL && i < block->spans->len; i++)
    insert_span (layout, attributes, &g_array_index (block->spans, NsProseSpan, i));
  for (guint i = 0; block->formulas != NULL && i < block->formulas->len; i++)
    pango_attr_list_insert (
        attributes, formula_attribute_new (layout, &g_array_index (block->formulas, NsProseFormula, i), size, width));
  pango_layout_set_attributes (text, attributes);
  pango_attr_list_unref (attributes);
  pango_layout_set_spacing (text, (int) (LINE_SPACING * size * PANGO_SCALE));
  return text;
}

/* Add the rectangles of a link on one line; x is the left edge of its layout. Neighbouring runs are one rectangle. */
static void
add_areas (NsProseLayout *layout, const NsProseSpan *span, PangoLayoutLine *line, double x, double top, double bottom)
{
  int start = MAX ((int) span->start, line->start_index), end = MIN ((int) span->end, line->start_index + line->length);
  int *ranges = NULL, n = 0;

  if (start >= end)
    return;
  pango_layout_line_get_x_ranges (line, start, end, &ranges, &n);
  for (int i = 0; i < n;)
    {
      int left = ranges[2 * i], right;
      NsProseLinkArea area = { .link = span->link, .x = x + left / (double) PANGO_SCALE, .y = top };

      do
        right = ranges[2 * i + 1];
      while (++i < n && ranges[2 * i] <= right + PANGO_SCALE);
      area.width = (right - left) / (double) PANGO_SCALE;
      area.height = bottom - top;
      g_array_append_val (layout->areas, area);
    }
  g_free (ranges);
}

static PangoLayout *
marker_new (NsProseLayout *layout, const NsProseBlock *block)
{
  g_autofree char *text = block->kind == NS_PROSE_NUMBER ? g_strdup_printf ("%u.", block->number) : g_strdup ("•");
  PangoLayout *marker = ns_text_new (layout->context, text, FALSE, layout->size, FALSE, -1, FALSE);

  g_ptr_array_add (layout->layouts, marker);
  return marker;
}

static void
add_text (NsProseLayout *layout, const NsProseBlock *block)
{
  gboolean is_item = block->kind == NS_PROSE_BULLET || block->kind == NS_PROSE_NUMBER;
  gboolean is_heading = block->kind == NS_PROSE_HEADING;
  double size = layout->size * (is_heading ? heading_sizes[block->number - 1] : 1);
  double indent = is_item ? fmin (INDENT * size, layout->width / 2) : 0, width = fmax (layout->width - indent, 1);
  PangoLayout *text = paragraph_new (layout, block, size, width);
  gboolean is_rtl = pango_layout_get_direction (text, 0) == PANGO_DIRECTION_RTL;
  PangoLayoutIter *iter = pango_layout_get_iter (text);
  double x = is_rtl ? 0 : indent, y = layout->height, text_height;
  gboolean is_first = TRUE;

  g_ptr_array_add (layout->layouts, text);
  do
    {
      PangoRectangle logical;
      int top, bottom;
      Row row = { .scale = 1, .keep_with_next = is_heading };

      pango_layout_iter_get_line_extents (iter, NULL, &logical);
      pango_layout_iter_get_line_yrange (iter, &top, &bottom);
      row.line = pango_layout_line_ref (pango_layout_iter_get_line_readonly (iter));
      row.x = x + logical.x / (double) PANGO_SCALE;
      row.baseline = y + pango_layout_iter_get_baseline (iter) / (double) PANGO_SCALE;
      row.top = y + top / (double) PANGO_SCALE;
      row.bottom = y + bottom / (double) PANGO_SCALE;
      if (is_item && is_first)
        {
          double marker_width;

          row.marker = marker_new (layout, block);
          ns_text_get_size (row.marker, &marker_width, NULL);
          row.marker_x = is_rtl ? width + MARKER_GAP * size : fmax (0, indent - MARKER_GAP * size - marker_width);
        }
      is_first = FALSE;
      g_array_append_val (layout->rows, row);
      layout->used_width = fmax (layout->used_width, row.x + logical.width / (double) PANGO_SCALE);
      for (guint i = 0; block->spans != NULL && i < block->spans->len; i++)
        {
          const NsProseSpan *span = &g_array_index (block->spans, NsProseSpan, i);

          if (span->kind == NS_PROSE_LINK)
            add_areas (layout, span, row.line, x, row.top, row.bottom);
        }
    }
  while (pango_layout_iter_next_line (iter));
  pango_layout_iter_free (iter);
  ns_text_get_size (text, NULL, &text_height);
  layout->height = y + text_height;
}

/* ---- displayed formulas ---- */

static void
add_display (NsProseLayout *layout, const NsProseBlock *block)
{
  const NsProseFormula *formula = &g_array_index (block->formulas, NsProseFormula, 0);
  Row row = { 0 };

  row.box = ns_math_box_new (formula->math, &layout->fonts, layout->size, TRUE, FALSE);
  row.scale = find_scale (row.box, layout->width);
  row.x = (layout->width - row.box->width * row.scale) / 2;
  row.top = layout->height;
  row.baseline = row.top + row.box->ascent * row.scale;
  row.bottom = row.baseline + row.box->descent * row.scale;
  g_array_append_val (layout->rows, row);
  layout->height = row.bottom;
  layout->used_width = fmax (layout->used_width, row.x + row.box->width * row.scale);
}

/* ---- the whole ---- */

#define PROSE_SAMPLE_PX 100.0

static void
measure_font (NsProseLayout *layout)
{
  PangoLayout *sample = ns_text_new (layout->context, "x", FALSE, PROSE_SAMPLE_PX, FALSE, -1, FALSE);
  double height;

  ns_text_get_size (sample, NULL, &height);
  layout->ascent = pango_layout_get_baseline (sample) / (double) PANGO_SCALE / PROSE_SAMPLE_PX;
  layout->descent = height / PROSE_SAMPLE_PX - layout->ascent;
  g_object_unref (sample);
}

static double
get_gap (const NsProseBlock *before, const NsProseBlock *block)
{
  if (block->kind == NS_PROSE_HEADING)
    return GAP_HEADING;
  if (before->kind == NS_PROSE_HEADING)
    return GAP_ITEM;
  if (block->kind == before->kind && (block->kind == NS_PROSE_BULLET || block->kind == NS_PROSE_NUMBER))
    return GAP_ITEM;
  return block->kind == NS_PROSE_DISPLAY || before->kind == NS_PROSE_DISPLAY ? GAP_DISPLAY : GAP_PARAGRAPH;
}

static void
row_clear (Row *row)
{
  if (row->line != NULL)
    pango_layout_line_unref (row->line);
  ns_math_box_free (row->box);
}

NsProseLayout *
ns_prose_layout_new (const NsProse *prose, const NsTheme *theme, double size_pt, double width)
{
  NsProseLayout *layout;

  g_return_val_if_fail (prose != NULL && theme != NULL, NULL);
  g_return_val_if_fail (size_pt > 0 && width >= 1, NULL);

  layout = g_new0 (NsProseLayout, 1);
  layout->theme = *theme;
  layout->size = size_pt * theme->text_scale * PX_PER_PT;
  layout->width = width;
  layout->context = ns_text_context_new (theme);
  pango_cairo_context_set_shape_renderer (layout->context, draw_formula, NULL, NULL);
  ns_math_fonts_init (&layout->fonts, layout->context);
  measure_font (layout);
  layout->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (layout->rows, (GDestroyNotify) row_clear);
  layout->layouts = g_ptr_array_new_with_free_func (g_object_unref);
  layout->areas = g_array_new (FALSE, FALSE, sizeof (NsProseLinkArea));

  for (guint i = 0; i < prose->blocks->len; i++)
    {
      const NsProseBlock *block = &g_array_index (prose->blocks, NsProseBlock, i);

      if (i > 0)
        layout->height += layout->size * get_gap (&g_array_index (prose->blocks, NsProseBlock, i - 1), block);
      if (block->kind == NS_PROSE_DISPLAY)
        add_display (layout, block);
      else
        add_text (layout, block);
    }
  return layout;
}

void
ns_prose_layout_free (NsProseLayout *layout)
{
  if (layout == NULL)
    return;
  g_array_unref (layout->rows);
  g_ptr_array_unref (layout->layouts);
  g_array_unref (layout->areas);
  ns_math_fonts_clear (&layout->fonts);
  g_object_unref (layout->context);
  g_free (layout);
}

double
ns_prose_layout_get_height (const NsProseLayout *layout)
{
  return layout->height;
}

double
ns_prose_layout_get_used_width (const NsProseLayout *layout)
{
  return layout->used_width;
}

double
ns_prose_layout_get_break (const NsProseLayout *layout, double from, double height)
{
  double best = layout->height, least = layout->height;
  gboolean is_first = TRUE;

  if (layout->height - from <= height)
    return layout->height;
  for (guint i = 0; i < layout->rows->len; i++)
    {
      const Row *row = &g_array_index (layout->rows, Row, i);
      double next = i + 1 < layout->rows->len ? g_array_index (layout->rows, Row, i + 1).top : layout->height;

      if (row->top < from)
        continue;
      if (is_first)
        best = least = next;
      is_first = FALSE;
      if (row->bottom - from > height)
        break;
      least = next;
      if (!row->keep_with_next)
        best = next;
    }
  /* A page of headings alone is better than an empty one. */
  return best > from ? best : least;
}

gboolean
ns_prose_layout_draw_part (const NsProseLayout *layout, cairo_t *cr, double x, double y, double from, double to)
{
  const NsColor *color = &layout->theme.foreground;
  cairo_status_t status;

  cairo_save (cr);
  cairo_translate (cr, x, y - from);
  cairo_set_source_rgb (cr, color->red, color->green, color->blue);
  for (guint i = 0; i < layout->rows->len; i++)
    {
      const Row *row = &g_array_index (layout->rows, Row, i);

      if (row->top < from || row->top >= to)
        continue;
      if (row->marker != NULL)
        {
          cairo_move_to (cr, row->marker_x,
                         row->baseline - pango_layout_get_baseline (row->marker) / (double) PANGO_SCALE);
          pango_cairo_show_layout (cr, row->marker);
        }
      if (row->box != NULL)
        draw_box (row->box, row->scale, cr, row->x, row->baseline);
      else
        {
          cairo_move_to (cr, row->x, row->baseline);
          pango_cairo_show_layout_line (cr, row->line);
        }
    }
  status = cairo_status (cr);
  cairo_restore (cr);
  return ns_text_check (status);
}

gboolean
ns_prose_layout_draw (const NsProseLayout *layout, cairo_t *cr, double x, double y)
{
  return ns_prose_layout_draw_part (layout, cr, x, y, 0, G_MAXDOUBLE);
}

const NsProseLinkArea *
ns_prose_layout_get_link_areas (const NsProseLayout *layout, guint *n)
{
  *n = layout->areas->len;
  return (const NsProseLinkArea *) (gpointer) layout->areas->data;
}

int
ns_prose_layout_find_link (const NsProseLayout *layout, double x, double y)
{
  for (guint i = 0; i < layout->areas->len; i++)
    {
      const NsProseLinkArea *area = &g_array_index (layout->areas, NsProseLinkArea, i);

      if (x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height)
        return (int) area->link;
    }
  return -1;
}
