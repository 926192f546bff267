/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-diagram.h"

#include "plot/ns-draw-private.h"
#include "plot/ns-export-private.h"
#include "plot/ns-text.h"

#include <math.h>
#include <string.h>

/* Lengths and font sizes in units. */
#define MARGIN       0.3
#define LINE         0.07
#define SUM_RADIUS   0.32
#define ARROW        0.28
#define BOX_TYPE     0.72
#define LABEL_TYPE   0.6
#define TITLE_TYPE   0.9
#define LETTER_WIDTH 0.62 /* as a share of the font size; generous, so that estimates leave room */
#define FILL_OPACITY 0.22

typedef struct
{
  NsDiagramKind kind;
  guint id;
  double x, y, width, height; /* centre and extent, units */
  char *text;
  int style;
  NsWireFlags flags;
  double thickness;
  guint n;
  double xy[2 * NS_DIAGRAM_MAX_POINTS];
} Part;

struct _NsDiagram
{
  GArray *parts;
  double thickness; /* of the next wire */
  guint id;         /* of the next part */
};

static void
part_clear (gpointer data)
{
  Part *part = data;

  g_free (part->text);
}

NsDiagram *
ns_diagram_new (void)
{
  NsDiagram *diagram = g_new0 (NsDiagram, 1);

  diagram->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (diagram->parts, part_clear);
  diagram->thickness = 1;
  return diagram;
}

void
ns_diagram_free (NsDiagram *diagram)
{
  if (diagram == NULL)
    return;
  g_array_unref (diagram->parts);
  g_free (diagram);
}

static void
append_part (NsDiagram *diagram, Part part)
{
  part.text = g_strdup (part.text);
  g_array_append_val (diagram->parts, part);
}

static void
add (NsDiagram *diagram, Part part)
{
  part.id = diagram->id;
  append_part (diagram, part);
}

void
ns_diagram_add_box (NsDiagram *diagram, double x, double y, double width, double height, const char *text, int style)
{
  add (diagram, (Part){ .kind = NS_DIAGRAM_BOX,
                        .x = x,
                        .y = y,
                        .width = width,
                        .height = height,
                        .text = (char *) text,
                        .style = style });
}

void
ns_diagram_add_frame (NsDiagram *diagram, double x0, double y0, double x1, double y1)
{
  add (diagram,
       (Part){ .kind = NS_DIAGRAM_FRAME, .x = (x0 + x1) / 2, .y = (y0 + y1) / 2, .width = x1 - x0, .height = y1 - y0 });
}

void
ns_diagram_add_sum (NsDiagram *diagram, double x, double y)
{
  add (diagram, (Part){ .kind = NS_DIAGRAM_SUM, .x = x, .y = y, .width = 2 * SUM_RADIUS, .height = 2 * SUM_RADIUS });
}

void
ns_diagram_add_wire (NsDiagram *diagram, guint n, const double *xy, NsWireFlags flags)
{
  Part part = { .kind = NS_DIAGRAM_WIRE, .n = n, .flags = flags, .thickness = diagram->thickness };

  g_return_if_fail (n >= 2 && n <= NS_DIAGRAM_MAX_POINTS);
  memcpy (part.xy, xy, 2 * n * sizeof *xy);
  add (diagram, part);
}

void
ns_diagram_add_spot (NsDiagram *diagram, double x, double y, double width, double height)
{
  add (diagram, (Part){ .kind = NS_DIAGRAM_SPOT, .x = x, .y = y, .width = width, .height = height });
}

void
ns_diagram_set_id (NsDiagram *diagram, guint id)
{
  diagram->id = id;
}

void
ns_diagram_set_thickness (NsDiagram *diagram, double thickness)
{
  diagram->thickness = thickness;
}

guint
ns_diagram_count_letters (const char *markup)
{
  guint n = 0;
  gboolean in_tag = FALSE;

  for (const char *at = markup; *at != '\0'; at = g_utf8_next_char (at))
    {
      in_tag = in_tag || *at == '<';
      n += in_tag ? 0 : 1;
      in_tag = in_tag && *at != '>';
    }
  return n;
}

static double
estimate_width (const char *markup, double type)
{
  return LETTER_WIDTH * type * ns_diagram_count_letters (markup);
}

void
ns_diagram_add_label (NsDiagram *diagram, double x, double y, const char *text)
{
  ns_diagram_add_styled_label (diagram, x, y, text, -1);
}

void
ns_diagram_add_styled_label (NsDiagram *diagram, double x, double y, const char *text, int style)
{
  add (diagram, (Part){ .kind = NS_DIAGRAM_LABEL,
                        .x = x,
                        .y = y,
                        .width = estimate_width (text, LABEL_TYPE),
                        .height = LABEL_TYPE,
                        .text = (char *) text,
                        .style = style });
}

void
ns_diagram_add_title (NsDiagram *diagram, double x, double y, const char *text)
{
  double width = estimate_width (text, TITLE_TYPE);

  add (diagram, (Part){ .kind = NS_DIAGRAM_TITLE,
                        .x = x + width / 2,
                        .y = y,
                        .width = width,
                        .height = TITLE_TYPE,
                        .text = (char *) text,
                        .style = -1 });
}

void
ns_diagram_add_diagram (NsDiagram *diagram, const NsDiagram *other, double x, double y)
{
  for (guint i = 0; i < other->parts->len; i++)
    {
      Part part = g_array_index (other->parts, Part, i);

      part.x += x;
      part.y += y;
      for (guint p = 0; p < part.n; p++)
        {
          part.xy[2 * p] += x;
          part.xy[2 * p + 1] += y;
        }
      append_part (diagram, part);
    }
}

guint
ns_diagram_get_n_parts (const NsDiagram *diagram)
{
  return diagram->parts->len;
}

static double
get_type (NsDiagramKind kind)
{
  static const double types[NS_DIAGRAM_N_KINDS]
      = { [NS_DIAGRAM_BOX] = BOX_TYPE, [NS_DIAGRAM_LABEL] = LABEL_TYPE, [NS_DIAGRAM_TITLE] = TITLE_TYPE };

  return types[kind];
}

void
ns_diagram_get_part (const NsDiagram *diagram, guint index, NsDiagramPart *part)
{
  const Part *own;

  g_return_if_fail (index < diagram->parts->len);
  own = &g_array_index (diagram->parts, Part, index);
  *part = (NsDiagramPart){ .kind = own->kind,
                           .id = own->id,
                           .x = own->x,
                           .y = own->y,
                           .width = own->width,
                           .height = own->height,
                           .text = own->text,
                           .type = get_type (own->kind),
                           .style = own->style,
                           .flags = own->flags,
                           .thickness = own->thickness,
                           .n = own->n,
                           .xy = own->n > 0 ? own->xy : NULL };
}

void
ns_diagram_get_size (const NsDiagram *diagram, double *width, double *height)
{
  *width = *height = 0;
  for (guint i = 0; i < diagram->parts->len; i++)
    {
      const Part *part = &g_array_index (diagram->parts, Part, i);

      *width = fmax (*width, part->x + part->width / 2);
      *height = fmax (*height, part->y + part->height / 2);
      for (guint p = 0; p < part->n; p++)
        {
          *width = fmax (*width, part->xy[2 * p]);
          *height = fmax (*height, part->xy[2 * p + 1]);
        }
    }
  *width += MARGIN;
  *height += MARGIN;
}

/* ---- drawing; the context's user space is in units ---- */

typedef struct
{
  cairo_t *cr;
  const NsTheme *theme;
  PangoContext *text;
  double unit; /* px per unit */
} Painter;

/* Return the colour of a style, dark enough for thin lines and letters; −1 is the foreground. */
static NsColor
get_color (const Painter *painter, int style)
{
  return style >= 0 ? ns_theme_get_style (painter->theme, style).text : painter->theme->foreground;
}

/* Pango lays the text out in px, at its final size: glyphs laid out at a fraction of a px would be coarse. */
static void
draw_text (const Painter *painter, const Part *part, double x, double size, int style, gboolean is_left_aligned)
{
  PangoLayout *layout = ns_text_new (painter->text, part->text, TRUE, size * painter->unit, FALSE, -1, FALSE);
  NsColor color = get_color (painter, style);
  double width, height;

  ns_text_get_size (layout, &width, &height);
  cairo_save (painter->cr);
  ns_draw_set_color (painter->cr, &color, 1);
  cairo_translate (painter->cr, x - (is_left_aligned ? 0 : width / painter->unit / 2),
                   part->y - height / painter->unit / 2);
  cairo_scale (painter->cr, 1 / painter->unit, 1 / painter->unit);
  ns_text_show (painter->cr, layout);
  cairo_restore (painter->cr);
  g_object_unref (layout);
}

static void
draw_frame (const Painter *painter, const Part *part)
{
  const double dash[] = { 0.25, 0.25 };

  cairo_rectangle (painter->cr, part->x - part->width / 2, part->y - part->height / 2, part->width, part->height);
  ns_draw_set_color (painter->cr, &painter->theme->foreground, painter->theme->axis_opacity);
  cairo_set_dash (painter->cr, dash, 2, 0);
  cairo_stroke (painter->cr);
  cairo_set_dash (painter->cr, NULL, 0, 0);
}

static void
draw_diagram_arrow (const Painter *painter, const Part *part)
{
  const double *end = part->xy + 2 * (part->n - 1), *before = end - 2;
  double angle = atan2 (end[1] - before[1], end[0] - before[0]);

  cairo_save (painter->cr);
  cairo_translate (painter->cr, end[0], end[1]);
  cairo_rotate (painter->cr, angle);
  cairo_move_to (painter->cr, 0, 0);
  cairo_line_to (painter->cr, -ARROW, ARROW / 2);
  cairo_line_to (painter->cr, -ARROW, -ARROW / 2);
  cairo_close_path (painter->cr);
  cairo_fill (painter->cr);
  cairo_restore (painter->cr);
}

static void
draw_wire (const Painter *painter, const Part *part)
{
  const double dash[] = { 0.15, 0.2 };
  double line = cairo_get_line_width (painter->cr);

  ns_draw_set_color (painter->cr, &painter->theme->foreground, (part->flags & NS_WIRE_DEAD) != 0 ? 0.3 : 0.8);
  cairo_set_line_width (painter->cr, line * part->thickness);
  for (guint p = 0; p < part->n; p++)
    cairo_line_to (painter->cr, part->xy[2 * p], part->xy[2 * p + 1]);
  if ((part->flags & NS_WIRE_DASHED) != 0)
    cairo_set_dash (painter->cr, dash, 2, 0);
  cairo_stroke (painter->cr);
  cairo_set_dash (painter->cr, NULL, 0, 0);
  cairo_set_line_width (painter->cr, line);
  if ((part->flags & NS_WIRE_ARROW) != 0)
    draw_diagram_arrow (painter, part);
}

static void
draw_box (const Painter *painter, const Part *part)
{
  NsColor line = get_color (painter, part->style);

  cairo_rectangle (painter->cr, part->x - part->width / 2, part->y - part->height / 2, part->width, part->height);
  /* Hide wires that run behind the box. */
  ns_draw_set_color (painter->cr, &painter->theme->background, 1);
  cairo_fill_preserve (painter->cr);
  if (part->style >= 0)
    {
      NsColor fill = ns_theme_get_style (painter->theme, part->style).line;

      ns_draw_set_color (painter->cr, &fill, FILL_OPACITY);
      cairo_fill_preserve (painter->cr);
    }
  ns_draw_set_color (painter->cr, &line, 1);
  cairo_stroke (painter->cr);
  draw_text (painter, part, part->x, BOX_TYPE, -1, FALSE);
}

static void
draw_sum (const Painter *painter, const Part *part)
{
  const double arm = SUM_RADIUS * 0.6;

  cairo_new_sub_path (painter->cr);
  cairo_arc (painter->cr, part->x, part->y, SUM_RADIUS, 0, 2 * G_PI);
  ns_draw_set_color (painter->cr, &painter->theme->background, 1);
  cairo_fill_preserve (painter->cr);
  ns_draw_set_color (painter->cr, &painter->theme->foreground, 1);
  cairo_stroke (painter->cr);
  cairo_move_to (painter->cr, part->x - arm, part->y);
  cairo_line_to (painter->cr, part->x + arm, part->y);
  cairo_move_to (painter->cr, part->x, part->y - arm);
  cairo_line_to (painter->cr, part->x, part->y + arm);
  cairo_stroke (painter->cr);
}

static void
draw_diagram_label (const Painter *painter, const Part *part)
{
  draw_text (painter, part, part->x, LABEL_TYPE, part->style, FALSE);
}

static void
draw_spot (const Painter *painter, const Part *part)
{
}

static void
draw_title (const Painter *painter, const Part *part)
{
  draw_text (painter, part, part->x - part->width / 2, TITLE_TYPE, part->style, TRUE);
}

gboolean
ns_diagram_draw (const NsDiagram *diagram, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  static void (*const draw[NS_DIAGRAM_N_KINDS]) (const Painter *, const Part *)
      = { [NS_DIAGRAM_FRAME] = draw_frame, [NS_DIAGRAM_WIRE] = draw_wire,   [NS_DIAGRAM_BOX] = draw_box,
          [NS_DIAGRAM_SUM] = draw_sum,     [NS_DIAGRAM_LABEL] = draw_diagram_label, [NS_DIAGRAM_TITLE] = draw_title,
          [NS_DIAGRAM_SPOT] = draw_spot };
  Painter painter = { cr, theme, ns_text_context_new (theme), 0 };
  double own_width, own_height;

  ns_diagram_get_size (diagram, &own_width, &own_height);
  painter.unit = fmin (width / own_width, height / own_height);
  cairo_save (cr);
  cairo_translate (cr, (width - own_width * painter.unit) / 2, (height - own_height * painter.unit) / 2);
  cairo_scale (cr, painter.unit, painter.unit);
  cairo_set_line_width (cr, fmax (LINE * theme->line_scale, 1 / painter.unit));
  for (int kind = 0; kind < NS_DIAGRAM_N_KINDS; kind++)
    for (guint i = 0; i < diagram->parts->len; i++)
      {
        const Part *part = &g_array_index (diagram->parts, Part, i);

        if ((int) part->kind == kind)
          draw[kind](&painter, part);
      }
  cairo_restore (cr);
  g_object_unref (painter.text);
  return ns_text_check (cairo_status (cr));
}

static void
draw_on_background (gconstpointer data, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  if (!theme->transparent)
    {
      ns_draw_set_color (cr, &theme->background, 1);
      cairo_paint (cr);
    }
  ns_diagram_draw (data, cr, theme, width, height);
}

GBytes *
ns_diagram_export (const NsDiagram *diagram, const NsTheme *theme, NsExportFormat format, double width, double height,
                   double scale, const NsExportMetadata *metadata, GError **error)
{
  return ns_export_drawing (draw_on_background, diagram, theme, format, width, height, scale, metadata, error);
}
