/* Find the parts of a diagram under a pixel, and the pixels of a part.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-diagram.h"

#include <math.h>

/* How far from a wire the pointer may be, px. */
#define REACH_PX 6.0

/* Where ns_diagram_draw() puts the diagram: unit px for each unit, from (x, y) on. */
typedef struct
{
  double unit, x, y;
} Frame;

static Frame
get_frame (const NsDiagram *diagram, double width, double height)
{
  double own_width, own_height, unit;

  ns_diagram_get_size (diagram, &own_width, &own_height);
  unit = fmin (width / own_width, height / own_height);
  return (Frame){ unit, (width - own_width * unit) / 2, (height - own_height * unit) / 2 };
}

/* Return the distance of (x, y) from the straight line between two points. */
static double
get_distance_of_line (const double *ends, double x, double y)
{
  double dx = ends[2] - ends[0], dy = ends[3] - ends[1], length = dx * dx + dy * dy;
  double along = length > 0 ? ((x - ends[0]) * dx + (y - ends[1]) * dy) / length : 0;

  along = CLAMP (along, 0, 1);
  return hypot (x - ends[0] - along * dx, y - ends[1] - along * dy);
}

static gboolean
part_contains (const NsDiagramPart *part, double x, double y, double reach)
{
  if (part->kind != NS_DIAGRAM_WIRE)
    return fabs (x - part->x) <= part->width / 2 && fabs (y - part->y) <= part->height / 2;
  for (guint p = 0; p + 1 < part->n; p++)
    if (get_distance_of_line (part->xy + 2 * p, x, y) <= reach)
      return TRUE;
  return FALSE;
}

guint
ns_diagram_find (const NsDiagram *diagram, double width, double height, double px, double py)
{
  Frame frame = get_frame (diagram, width, height);
  double x = (px - frame.x) / frame.unit, y = (py - frame.y) / frame.unit;
  int best = -1; /* its kind: kinds are in the order of drawing */
  guint id = 0;

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      if (part.id == 0 || (int) part.kind < best || !part_contains (&part, x, y, REACH_PX / frame.unit))
        continue;
      best = (int) part.kind;
      id = part.id;
    }
  return id;
}

gboolean
ns_diagram_get_rect (const NsDiagram *diagram, double width, double height, guint id, NsRect *rect)
{
  Frame frame = get_frame (diagram, width, height);
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      if (part.id != id || id == 0)
        continue;
      for (guint p = 0; p < part.n; p++)
        {
          x0 = fmin (x0, part.xy[2 * p]);
          x1 = fmax (x1, part.xy[2 * p]);
          y0 = fmin (y0, part.xy[2 * p + 1]);
          y1 = fmax (y1, part.xy[2 * p + 1]);
        }
      if (part.n > 0)
        continue;
      x0 = fmin (x0, part.x - part.width / 2);
      x1 = fmax (x1, part.x + part.width / 2);
      y0 = fmin (y0, part.y - part.height / 2);
      y1 = fmax (y1, part.y + part.height / 2);
    }
  if (x0 > x1)
    return FALSE;
  *rect = (NsRect){ frame.x + frame.unit * x0, frame.y + frame.unit * y0, frame.unit * (x1 - x0),
                    frame.unit * (y1 - y0) };
  return TRUE;
}
