/* Find the pixels of a part of a diagram.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-diagram.h"

#include <math.h>

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
