/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot-private.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-theme.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"
#include "plot/ns-range.h"

/* The axes settle when no new figure comes for this long. */
#define SETTLE_MS 600

G_DEFINE_FINAL_TYPE (NormscopePlot, normscope_plot, GTK_TYPE_WIDGET)

enum { PLOT_PROP_0, PLOT_PROP_CURSOR, N_PLOT_PROPS };
static GParamSpec *plot_props[N_PLOT_PROPS];
enum { PLOT_SIGNAL_AXIS_CLICKED, N_PLOT_SIGNALS };
static guint plot_signals[N_PLOT_SIGNALS];

static void
drop_nodes (NormscopePlot *self)
{
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  g_clear_pointer (&self->empty, gsk_render_node_unref);
  g_clear_pointer (&self->layout, ns_layout_free);
}

void
normscope_plot_drop_picture (NormscopePlot *self)
{
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (self));

  drop_nodes (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  if (parent != NULL) /* which places the read-out beside the curves */
    gtk_widget_queue_allocate (parent);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- drawing ---- */

const NsLayout *
normscope_plot_get_layout (NormscopePlot *self)
{
  if (self->layout == NULL && self->figure != NULL && self->width > 0 && self->height > 0)
    {
      normscope_theme_init_for_plot (&self->theme, GTK_WIDGET (self), self->text_scale);
      self->layout = ns_layout_new (self->figure, &self->theme, self->width, self->height);
    }
  return self->layout;
}

static void
normscope_plot_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);

  if (width != self->width || height != self->height)
    drop_nodes (self);
  self->width = width;
  self->height = height;
  normscope_plot_controls_allocate (self->controls, normscope_plot_get_layout (self));
  normscope_popovers_allocate (widget);
}

static void
normscope_plot_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 200;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 800 : 480;
}

/* ---- the crosshair ---- */

double
normscope_plot_get_cursor (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), NAN);
  return self->cursor;
}

static gboolean
is_same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

void
normscope_plot_set_cell (NormscopePlot *self, double x, double y)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));

  if (is_same (x, self->cursor) && is_same (y, self->cursor_y))
    return;
  self->cursor = x;
  self->cursor_y = y;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), plot_props[PLOT_PROP_CURSOR]);
}

void
normscope_plot_set_cursor (NormscopePlot *self, double x)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  normscope_plot_set_cell (self, x, isnan (x) ? NAN : self->cursor_y);
}

double
normscope_plot_get_marker (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), NAN);
  return self->marker;
}

void
normscope_plot_set_marker (NormscopePlot *self, double x)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));

  if (is_same (x, self->marker))
    return;
  self->marker = x;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

double
normscope_plot_get_cursor_y (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), NAN);
  return self->cursor_y;
}

/* Find the px of the column and the part of the heat map below a cell in its upper half. */
static void
find_cell (NormscopePlot *self, const NsLayout *layout, double *x, NsRect *plot)
{
  const NsPanelLayout *place = ns_layout_get_panel (layout, MIN (self->cursor_panel, layout->panels->len - 1));
  double y, half = 0.5 * layout->cell_y / (place->y.max - place->y.min) * place->plot.height;

  *x = ns_scale_map (&place->x, self->cursor);
  *plot = place->plot;
  y = isnan (self->cursor_y) ? INFINITY : ns_scale_map (&place->y, self->cursor_y);
  if (y > plot->y + 0.5 * plot->height)
    return;
  plot->height -= y + half - plot->y;
  plot->y = y + half;
}

gboolean
normscope_plot_get_crosshair (NormscopePlot *self, double *x, NsRect *plot)
{
  const NsLayout *layout = isnan (self->cursor) ? NULL : normscope_plot_get_layout (self);

  if (layout == NULL || layout->panels->len == 0)
    return FALSE;
  if (self->figure->colors != NULL)
    {
      find_cell (self, layout, x, plot);
      return TRUE;
    }
  *x = ns_hit_x_to_px (layout, self->cursor);
  *plot = ns_layout_get_panel (layout, 0)->plot;
  return TRUE;
}

gboolean
normscope_plot_hit (NormscopePlot *self, double x, double y, NsHit *hit)
{
  const NsLayout *layout;

  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self) && hit != NULL, FALSE);
  layout = normscope_plot_get_layout (self);
  return layout != NULL && ns_hit_test (self->figure, layout, x, y, hit) && !isnan (hit->x);
}

int
normscope_plot_find_annotation (NormscopePlot *self, double x, double y)
{
  const NsLayout *layout;

  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), -1);
  layout = normscope_plot_get_layout (self);
  return layout != NULL ? ns_hit_find_annotation (self->figure, layout, x, y) : -1;
}

void
normscope_plot_set_locked (NormscopePlot *self, gboolean locked)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  self->is_locked = locked;
}

void
normscope_plot_emit_axis_clicked (NormscopePlot *self, int axis)
{
  g_signal_emit (self, plot_signals[PLOT_SIGNAL_AXIS_CLICKED], 0, axis);
}

/* ---- the figure ---- */

/* Set the range of the colours. Return TRUE if it changed. */
static gboolean
settle_colors (NormscopePlot *self, gboolean settle)
{
  NsColorScale *colors = self->figure->colors;
  double min, max;
  NsRange range;
  gboolean moved;

  if (colors == NULL || colors->has_range)
    return FALSE;
  min = colors->min;
  max = colors->max;
  colors->min = colors->max = NAN;
  if (!ns_figure_get_color_range (self->figure, &range.min, &range.max))
    return FALSE;
  colors->min = min;
  colors->max = max;
  range = ns_range_memory_update (&self->color_memory, colors->scale, range, settle);
  moved = range.min != min || range.max != max;
  colors->min = range.min;
  colors->max = range.max;
  return moved;
}

/* Set the ranges of the panels. Return TRUE if one of them changed. */
static gboolean
apply_ranges (NormscopePlot *self, gboolean settle)
{
  gboolean moved = settle_colors (self, settle);

  for (guint p = 0; p < MIN (self->figure->panels->len, NORMSCOPE_PLOT_MAX_PANELS); p++)
    {
      NsPanel *panel = g_ptr_array_index (self->figure->panels, p);
      NsRange range;

      if (panel->has_range || !ns_panel_get_auto_range (panel, NS_SIDE_LEFT, &range))
        continue;
      range = ns_range_memory_update (&self->memory[p], panel->scale, range, settle);
      moved = moved || range.min != panel->min || range.max != panel->max;
      panel->min = range.min;
      panel->max = range.max;
    }
  return moved;
}

static gboolean
settle_cb (gpointer data)
{
  NormscopePlot *self = data;

  self->settle_id = 0;
  if (self->figure != NULL && apply_ranges (self, TRUE))
    normscope_plot_drop_picture (self);
  return G_SOURCE_REMOVE;
}

/* Return the x of a figure where a crosshair at x belongs: where there are points, or will be. */
static double
find_cursor (const NsFigure *figure, double x)
{
  return figure->is_partial && figure->x_min <= figure->x_max ? CLAMP (x, figure->x_min, figure->x_max)
                                                              : ns_figure_nearest_x (figure, x);
}

void
normscope_plot_take_figure (NormscopePlot *self, NsFigure *figure, const char *description, gboolean new_axes)
{
  NsFigure *former;
  gboolean was_at_end, animates;

  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  g_return_if_fail (figure != NULL);

  if (self->filter != NULL)
    self->filter (figure, self->filter_data);
  was_at_end = self->figure != NULL && !isnan (self->cursor)
               && self->cursor == find_cursor (self->figure, NORMSCOPE_PLOT_FAR_X);
  former = self->figure;
  animates = self->animates_next;
  self->animates_next = FALSE;
  self->figure = figure;
  normscope_plot_controls_prepare (self->controls, figure);
  if (new_axes)
    {
      for (int p = 0; p < NORMSCOPE_PLOT_MAX_PANELS; p++)
        ns_range_memory_reset (&self->memory[p]);
      ns_range_memory_reset (&self->color_memory);
    }
  apply_ranges (self, FALSE);

  g_clear_handle_id (&self->settle_id, g_source_remove);
  self->settle_id = g_timeout_add (SETTLE_MS, settle_cb, self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
  if (!isnan (self->cursor))
    normscope_plot_set_cell (self, find_cursor (figure, was_at_end ? NORMSCOPE_PLOT_FAR_X : self->cursor),
                             figure->colors != NULL ? ns_figure_nearest_y (figure, self->cursor_y) : NAN);
  if (animates && former != NULL && former->colors == NULL && figure->colors == NULL)
    {
      normscope_plot_start_transition (self, former);
    }
  else
    {
      normscope_plot_end_transition (self);
      ns_figure_free (former);
    }
  normscope_plot_drop_picture (self);
}

void
normscope_plot_set_filter (NormscopePlot *self, NormscopePlotFilter filter, gpointer data)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  self->filter = filter;
  self->filter_data = data;
}

void
normscope_plot_filter_again (NormscopePlot *self, const char *description)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
  if (self->figure == NULL || self->filter == NULL)
    return;
  self->filter (self->figure, self->filter_data);
  normscope_plot_drop_picture (self);
}

const NsFigure *
normscope_plot_get_figure (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), NULL);
  return self->figure;
}

void
normscope_plot_add_chooser (NormscopePlot *self, guint panel, GtkWidget *popover)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  normscope_plot_controls_add_chooser (self->controls, panel, popover);
}

void
normscope_plot_add_axis (NormscopePlot *self, int axis, const char *key)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  normscope_plot_controls_add_axis (self->controls, axis, key);
}

static void
set_text_scale (NormscopePlot *self, double text_scale)
{
  if (self->text_scale == text_scale)
    return;
  self->text_scale = text_scale;
  normscope_plot_drop_picture (self);
}

void
normscope_plot_scale_view (NormscopePlot *self, GtkWidget *view, double text_scale)
{
  const char *css_class = text_scale >= 2 ? "hall" : text_scale >= 1.5 ? "room" : NULL;

  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  set_text_scale (self, text_scale);
  gtk_widget_remove_css_class (view, "hall");
  gtk_widget_remove_css_class (view, "room");
  if (css_class != NULL)
    gtk_widget_add_css_class (view, css_class);
}

gboolean
normscope_plot_has_settled (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), FALSE);
  return self->settle_id == 0;
}

guint64
normscope_plot_get_n_drawings (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), 0);
  return self->n_drawings;
}

/* ---- the object ---- */

static void
normscope_plot_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  NormscopePlot *self = NORMSCOPE_PLOT (object);

  switch (id)
    {
    case PLOT_PROP_CURSOR:
      g_value_set_double (value, self->cursor);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_plot_dispose (GObject *object)
{
  NormscopePlot *self = NORMSCOPE_PLOT (object);

  g_clear_handle_id (&self->settle_id, g_source_remove);
  g_clear_pointer (&self->controls, normscope_plot_controls_free);
  normscope_plot_end_transition (self);
  drop_nodes (self);
  g_clear_pointer (&self->figure, ns_figure_free);
  G_OBJECT_CLASS (normscope_plot_parent_class)->dispose (object);
}

static void
normscope_plot_class_init (NormscopePlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = normscope_plot_get_property;
  object_class->dispose = normscope_plot_dispose;
  widget_class->snapshot = normscope_plot_snapshot;
  widget_class->size_allocate = normscope_plot_size_allocate;
  widget_class->measure = normscope_plot_measure;
  widget_class->query_tooltip = normscope_plot_query_tooltip;

  plot_props[PLOT_PROP_CURSOR] =
      g_param_spec_double ("cursor", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0,
                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PLOT_PROPS, plot_props);

  plot_signals[PLOT_SIGNAL_AXIS_CLICKED] = g_signal_new ("axis-clicked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                                         0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
normscope_plot_init (NormscopePlot *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  self->text_scale = 1.0;
  self->cursor = NAN;
  self->cursor_y = NAN;
  self->marker = NAN;
  self->controls = normscope_plot_controls_new (GTK_WIDGET (self));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Gradient norms and activation magnitudes by block"), -1);
  normscope_plot_add_input (self);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (normscope_plot_drop_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (normscope_plot_drop_picture), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_settings_get_default (), "notify::gtk-font-name",
                           G_CALLBACK (normscope_plot_drop_picture), self, G_CONNECT_SWAPPED);
}
