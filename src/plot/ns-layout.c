/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-layout-private.h"

static void
label_free (gpointer data)
{
  NsLabel *label = data;

  g_free (label->text);
  g_clear_object (&label->pango);
  g_free (label);
}

static void
panel_clear (gpointer data)
{
  NsPanelLayout *panel = data;

  g_clear_pointer (&panel->x_ticks, g_ptr_array_unref);
  g_clear_pointer (&panel->y_ticks, g_ptr_array_unref);
  g_clear_pointer (&panel->right_ticks, g_ptr_array_unref);
}

NsLayout *
ns_layout_alloc (double width, double height)
{
  NsLayout *layout = g_new0 (NsLayout, 1);

  layout->width = width;
  layout->height = height;
  layout->panels = g_array_new (FALSE, TRUE, sizeof (NsPanelLayout));
  g_array_set_clear_func (layout->panels, panel_clear);
  layout->labels = g_ptr_array_new_with_free_func (label_free);
  layout->annotations = g_array_new (FALSE, FALSE, sizeof (NsAnnotationPlace));
  return layout;
}

void
ns_layout_free (NsLayout *layout)
{
  if (layout == NULL)
    return;
  g_clear_pointer (&layout->x_ticks, g_ptr_array_unref);
  g_clear_pointer (&layout->bar.ticks, g_ptr_array_unref);
  g_array_unref (layout->panels);
  g_ptr_array_unref (layout->labels);
  g_array_unref (layout->annotations);
  g_free (layout);
}

const NsPanelLayout *
ns_layout_get_panel (const NsLayout *layout, guint panel)
{
  g_return_val_if_fail (layout != NULL && panel < layout->panels->len, NULL);
  return &g_array_index (layout->panels, NsPanelLayout, panel);
}

NsPanelLayout *
ns_layout_builder_get_panel (const NsLayoutBuilder *builder, guint panel)
{
  return &g_array_index (builder->layout->panels, NsPanelLayout, panel);
}

const NsAxisMap *
ns_layout_get_series_scale (const NsLayout *layout, guint panel, const NsSeries *series)
{
  const NsPanelLayout *found = ns_layout_get_panel (layout, panel);

  g_return_val_if_fail (found != NULL && series != NULL, NULL);
  return series->side == NS_SIDE_RIGHT && found->has_right ? &found->right : &found->y;
}

double
ns_layout_get_slot_px (const NsLayout *layout)
{
  return layout->slot / (layout->x.max - layout->x.min) * ns_scale_get_length (&layout->x);
}

NsLabel *
ns_layout_add_label (NsLayoutBuilder *builder, NsLabelRole role, const char *text, gboolean is_markup,
                     double size_px, gboolean bold, double max_width, gboolean wrap)
{
  NsLabel *label = g_new0 (NsLabel, 1);
  double width;

  label->role = role;
  label->text = g_strdup (text);
  label->is_markup = is_markup;
  label->size_px = size_px;
  label->bold = bold;
  label->wrap = wrap;
  label->panel = label->series = -1;
  label->pango = ns_text_new (builder->context, text, is_markup, size_px, bold, -1.0, wrap);
  ns_text_get_size (label->pango, &width, NULL);
  if (max_width >= 0.0 && width > max_width)
    {
      g_object_unref (label->pango);
      label->pango = ns_text_new (builder->context, text, is_markup, size_px, bold, max_width, wrap);
    }
  ns_text_get_size (label->pango, &label->rect.width, &label->rect.height);
  g_ptr_array_add (builder->layout->labels, label);
  return label;
}
