/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "layout-checks.h"

gboolean
rects_overlap (const NsRect *a, const NsRect *b)
{
  const double slack = 0.01;

  return a->x + slack < b->x + b->width && b->x + slack < a->x + a->width && a->y + slack < b->y + b->height
         && b->y + slack < a->y + a->height;
}

void
assert_labels (const NsLayout *layout, const char *what)
{
  for (guint i = 0; i < layout->labels->len; i++)
    {
      const NsLabel *label = g_ptr_array_index (layout->labels, i);
      const NsRect *rect = &label->rect;

      if (rect->x < -0.01 || rect->y < -0.01 || rect->x + rect->width > layout->width + 0.01
          || rect->y + rect->height > layout->height + 0.01)
        g_error ("%s: “%s” (role %d) is clipped: %g %g %g %g", what, label->text, label->role, rect->x, rect->y,
                 rect->width, rect->height);
      for (guint k = 0; k < i; k++)
        {
          const NsLabel *other = g_ptr_array_index (layout->labels, k);

          if (rects_overlap (rect, &other->rect))
            g_error ("%s: “%s” (role %d: %g %g %g %g) lies over “%s” (role %d: %g %g %g %g)", what, label->text,
                     label->role, rect->x, rect->y, rect->width, rect->height, other->text, other->role,
                     other->rect.x, other->rect.y, other->rect.width, other->rect.height);
        }
      /* Only messages may overlap a plot. */
      for (guint p = 0; p < layout->panels->len && label->role != NS_LABEL_MESSAGE; p++)
        if (rects_overlap (rect, &ns_layout_get_panel (layout, p)->plot))
          g_error ("%s: “%s” (role %d) lies over plot %u", what, label->text, label->role, p);
    }
}

guint
count_role (const NsLayout *layout, NsLabelRole role)
{
  guint n = 0;

  for (guint i = 0; i < layout->labels->len; i++)
    n += ((const NsLabel *) g_ptr_array_index (layout->labels, i))->role == role;
  return n;
}
