/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-theme.h"
#include "plot/ns-draw.h"
#include "plot/ns-hit.h"
#include "plot/ns-range.h"

/* The axes settle when no new figure comes for this long. */
#define SETTLE_MS 600
#define MAX_PANELS 4
#define BIG_STEP 10
/* Beyond every block, but small enough that differences between blocks are exact. */
#define FAR_X 1e9

struct _NormscopePlot
{
  GtkWidget parent_instance;

  NsFigure *figure;
  double text_scale;
  double cursor;
  gboolean cursor_is_pointer; /* hide it when the pointer leaves */

  NsRangeMemory memory[MAX_PANELS];
  guint settle_id;

  /* Cache of the drawing; layout and picture are NULL after a change. */
  NsLayout *layout;
  GskRenderNode *picture;
  NsTheme theme;
  int width, height;

  NormscopePlotControls *controls;
  guint64 n_drawings;
};

G_DEFINE_FINAL_TYPE (NormscopePlot, normscope_plot, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_CURSOR, N_PROPS };
static GParamSpec *props[N_PROPS];
enum { AXIS_CLICKED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
drop_picture (NormscopePlot *self)
{
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  g_clear_pointer (&self->layout, ns_layout_free);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- drawing ---- */

static void
fill_theme (NormscopePlot *self, NsTheme *theme)
{
  g_autofree char *font = NULL;
  g_autoptr (PangoFontDescription) description = NULL;

  normscope_theme_init (theme);
  theme->text_scale = self->text_scale;
  theme->line_scale = self->text_scale;
  theme->transparent = TRUE;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-font-name", &font, NULL);
  description = pango_font_description_from_string (font != NULL ? font : "Sans");
  if (pango_font_description_get_family (description) != NULL)
    g_strlcpy (theme->font_family, pango_font_description_get_family (description), sizeof theme->font_family);
}

/* Return the layout, or NULL without a figure or a size. Events may come between a new figure and the next frame. */
static const NsLayout *
get_layout (NormscopePlot *self)
{
  if (self->layout == NULL && self->figure != NULL && self->width > 0 && self->height > 0)
    {
      fill_theme (self, &self->theme);
      self->layout = ns_layout_new (self->figure, &self->theme, self->width, self->height);
    }
  return self->layout;
}

static gboolean
draw_figure (cairo_t *cr, gpointer data)
{
  NormscopePlot *self = data;

  self->n_drawings++;
  return ns_figure_draw_with_layout (self->figure, self->layout, cr, &self->theme);
}

static void
normscope_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (get_layout (self) == NULL)
    return;
  if (self->picture == NULL)
    self->picture = normscope_drawing_new (width, height, draw_figure, self);
  if (self->picture != NULL)
    gtk_snapshot_append_node (snapshot, self->picture);
  normscope_plot_controls_snapshot (self->controls, snapshot);

  if (!isnan (self->cursor))
    {
      cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));

      ns_figure_draw_overlay_with_layout (self->figure, self->layout, cr, &self->theme, self->cursor);
      cairo_destroy (cr);
    }
}

static void
normscope_plot_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);

  if (width != self->width || height != self->height)
    {
      g_clear_pointer (&self->picture, gsk_render_node_unref);
      g_clear_pointer (&self->layout, ns_layout_free);
    }
  self->width = width;
  self->height = height;
  normscope_plot_controls_allocate (self->controls, get_layout (self));
}

static void
normscope_plot_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 240;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 800 : 480;
}

/* ---- the crosshair ---- */

double
normscope_plot_get_cursor (NormscopePlot *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PLOT (self), NAN);
  return self->cursor;
}

void
normscope_plot_set_cursor (NormscopePlot *self, double x)
{
  g_return_if_fail (NORMSCOPE_IS_PLOT (self));

  if (x == self->cursor || (isnan (x) && isnan (self->cursor)))
    return;
  self->cursor = x;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_CURSOR]);
}

gboolean
normscope_plot_get_crosshair (NormscopePlot *self, double *x, NsRect *plot)
{
  const NsLayout *layout = isnan (self->cursor) ? NULL : get_layout (self);

  if (layout == NULL || layout->panels->len == 0)
    return FALSE;
  *x = ns_hit_x_to_px (layout, self->cursor);
  *plot = ns_layout_get_panel (layout, 0)->plot;
  return TRUE;
}

static int
find_axis (NormscopePlot *self, double x, double y)
{
  const NsLayout *layout = get_layout (self);

  return layout != NULL ? normscope_plot_controls_find_axis (self->controls, layout, x, y) : NORMSCOPE_NO_AXIS;
}

static void
motion_cb (NormscopePlot *self, double x, double y)
{
  NsHit hit;

  if (get_layout (self) == NULL)
    return;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   find_axis (self, x, y) != NORMSCOPE_NO_AXIS ? "pointer" : NULL);
  if (ns_hit_test (self->figure, self->layout, x, y, &hit) && !isnan (hit.x))
    {
      self->cursor_is_pointer = TRUE;
      normscope_plot_set_cursor (self, hit.x);
    }
}

static void
leave_cb (NormscopePlot *self)
{
  if (self->cursor_is_pointer)
    normscope_plot_set_cursor (self, NAN);
}

static void
pressed_cb (NormscopePlot *self, int n_press, double x, double y)
{
  int axis = find_axis (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (axis != NORMSCOPE_NO_AXIS)
    g_signal_emit (self, signals[AXIS_CLICKED], 0, axis);
}

static gboolean
normscope_plot_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  NormscopePlot *self = NORMSCOPE_PLOT (widget);
  int axis = keyboard ? NORMSCOPE_NO_AXIS : find_axis (self, x, y);
  g_autofree char *text = NULL;

  if (axis == NORMSCOPE_NO_AXIS)
    return FALSE;
  text = normscope_plot_controls_dup_tooltip (self->controls, self->figure, axis);
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static double
step_cursor (NormscopePlot *self, int direction, int times)
{
  double x = self->cursor;

  for (int i = 0; i < times; i++)
    x = ns_figure_step_x (self->figure, x, direction);
  return x;
}

static gboolean
key_cb (NormscopePlot *self, guint key, guint code, GdkModifierType state)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  int forward = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1;
  double x;

  if (self->figure == NULL || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  /* The list that a title opens has a use of its own for these keys. */
  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self)))
    return GDK_EVENT_PROPAGATE;

  switch (key)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      x = step_cursor (self, forward, 1);
      break;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      x = step_cursor (self, -forward, 1);
      break;
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      x = step_cursor (self, 1, BIG_STEP);
      break;
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      x = step_cursor (self, -1, BIG_STEP);
      break;
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
      x = ns_figure_nearest_x (self->figure, -FAR_X);
      break;
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
      x = ns_figure_nearest_x (self->figure, FAR_X);
      break;
    case GDK_KEY_Escape:
      if (isnan (self->cursor))
        return GDK_EVENT_PROPAGATE;
      x = NAN;
      break;
    default:
      return GDK_EVENT_PROPAGATE;
    }
  self->cursor_is_pointer = FALSE;
  normscope_plot_set_cursor (self, x);
  return GDK_EVENT_STOP;
}

/* ---- the figure ---- */

/* Set the ranges of the panels. Return TRUE if one of them changed. */
static gboolean
apply_ranges (NormscopePlot *self, gboolean settle)
{
  gboolean moved = FALSE;

  for (guint p = 0; p < MIN (self->figure->panels->len, MAX_PANELS); p++)
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
    drop_picture (self);
  return G_SOURCE_REMOVE;
}

void
normscope_plot_take_figure (NormscopePlot *self, NsFigure *figure, const char *description, gboolean new_axes)
{
  gboolean was_at_end;

  g_return_if_fail (NORMSCOPE_IS_PLOT (self));
  g_return_if_fail (figure != NULL);

  was_at_end = self->figure != NULL && !isnan (self->cursor)
               && self->cursor == ns_figure_nearest_x (self->figure, FAR_X);
  g_clear_pointer (&self->figure, ns_figure_free);
  self->figure = figure;
  normscope_plot_controls_prepare (self->controls, figure);
  if (new_axes)
    for (int p = 0; p < MAX_PANELS; p++)
      ns_range_memory_reset (&self->memory[p]);
  apply_ranges (self, FALSE);

  g_clear_handle_id (&self->settle_id, g_source_remove);
  self->settle_id = g_timeout_add (SETTLE_MS, settle_cb, self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
  if (!isnan (self->cursor))
    normscope_plot_set_cursor (self, ns_figure_nearest_x (figure, was_at_end ? FAR_X : self->cursor));
  drop_picture (self);
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
  drop_picture (self);
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
    case PROP_CURSOR:
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
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  g_clear_pointer (&self->layout, ns_layout_free);
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

  props[PROP_CURSOR] = g_param_spec_double ("cursor", NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0,
                                            G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[AXIS_CLICKED] = g_signal_new ("axis-clicked", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                        NULL, G_TYPE_NONE, 1, G_TYPE_INT);

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controllers (NormscopePlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

static void
normscope_plot_init (NormscopePlot *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  self->text_scale = 1.0;
  self->cursor = NAN;
  self->controls = normscope_plot_controls_new (GTK_WIDGET (self));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Gradient norms and activation magnitudes by block"), -1);
  add_controllers (self);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (drop_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (drop_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_settings_get_default (), "notify::gtk-font-name", G_CALLBACK (drop_picture), self,
                           G_CONNECT_SWAPPED);
}
