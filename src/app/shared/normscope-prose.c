/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-prose.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-prose-link.h"
#include "app/shared/normscope-theme.h"
#include "prose/ns-prose.h"

/* Widths in font sizes: of the narrowest column, and of lines that are easy to read. */
#define MIN_EM     10
#define NATURAL_EM 36
#define PT_PER_PX  0.75
#define FOCUS_PX   2

struct _NormscopeProse
{
  GtkWidget parent_instance;

  char *markup;
  NsProse *prose;
  double scale;     /* of the type */
  GPtrArray *links; /* NormscopeProseLink, in the order of the text; owned by the widget tree */

  /* The last layout, for the width that was measured or allocated last; NULL after a change. */
  NsProseLayout *layout;
  double layout_width;
};

G_DEFINE_FINAL_TYPE (NormscopeProse, normscope_prose, GTK_TYPE_WIDGET)

enum
{
  PROSE_SIGNAL_LINK,
  N_PROSE_SIGNALS
};
static guint prose_signals[N_PROSE_SIGNALS];

/* ---- layout ---- */

/* Fill the theme from the widget's style and return the font size, px. */
static double
get_style (NormscopeProse *self, NsTheme *theme)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double size = pango_font_description_get_size (font) / (double) PANGO_SCALE;

  normscope_theme_init (theme);
  if (pango_font_description_get_family (font) != NULL)
    g_strlcpy (theme->font_family, pango_font_description_get_family (font), sizeof theme->font_family);
  if (!pango_font_description_get_size_is_absolute (font))
    size *= pango_cairo_context_get_resolution (context) / 72;
  return fmax (size * self->scale, 1);
}

static NsProseLayout *
lay_out (NormscopeProse *self, double width)
{
  NsTheme theme;
  double size = get_style (self, &theme);

  return ns_prose_layout_new (self->prose, &theme, size * PT_PER_PX, fmax (width, 1));
}

static const NsProseLayout *
get_layout (NormscopeProse *self, double width)
{
  if (self->layout == NULL || self->layout_width != width)
    {
      g_clear_pointer (&self->layout, ns_prose_layout_free);
      self->layout = lay_out (self, width);
      self->layout_width = width;
    }
  return self->layout;
}

static void
drop_layout (NormscopeProse *self)
{
  g_clear_pointer (&self->layout, ns_prose_layout_free);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
normscope_prose_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                         int *minimum_baseline, int *natural_baseline)
{
  NormscopeProse *self = NORMSCOPE_PROSE (widget);
  NsTheme theme;
  double size = get_style (self, &theme);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      g_autoptr (NsProseLayout) wide = lay_out (self, NATURAL_EM * size);

      /* A pixel more, so that the same text does not wrap at its own width. */
      *natural = (int) ceil (ns_prose_layout_get_used_width (wide)) + 1;
      *minimum = (int) fmin (MIN_EM * size, *natural);
    }
  else
    *minimum = *natural =
        (int) ceil (ns_prose_layout_get_height (get_layout (self, for_size >= 0 ? for_size : NATURAL_EM * size)));
}

static GtkSizeRequestMode
normscope_prose_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* Put each link's widget, which has the focus and the name, over the link's first line. */
static void
normscope_prose_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeProse *self = NORMSCOPE_PROSE (widget);
  const NsProseLayout *layout = get_layout (self, width);
  guint n;
  const NsProseLinkArea *areas = ns_prose_layout_get_link_areas (layout, &n);

  for (guint i = n; i-- > 0;)
    {
      GtkAllocation place = { (int) floor (areas[i].x) - FOCUS_PX, (int) floor (areas[i].y),
                              (int) ceil (areas[i].width) + 2 * FOCUS_PX, (int) ceil (areas[i].height) };

      /* The first line of a link comes last in this loop. */
      gtk_widget_size_allocate (g_ptr_array_index (self->links, areas[i].link), &place, -1);
    }
  normscope_popovers_allocate (widget);
}

static gboolean
draw (cairo_t *cr, gpointer data)
{
  NormscopeProse *self = data;

  return ns_prose_layout_draw (get_layout (self, gtk_widget_get_width (GTK_WIDGET (self))), cr, 0, 0);
}

static void
normscope_prose_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);

  if (width > 0 && height > 0)
    normscope_drawing_snapshot (snapshot, width, height, draw, widget);
  GTK_WIDGET_CLASS (normscope_prose_parent_class)->snapshot (widget, snapshot);
}

static void
normscope_prose_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (normscope_prose_parent_class)->css_changed (widget, change);
  drop_layout (NORMSCOPE_PROSE (widget));
}

static void
normscope_prose_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (normscope_prose_parent_class)->system_setting_changed (widget, setting);
  drop_layout (NORMSCOPE_PROSE (widget));
}

/* ---- links ---- */

static void
link_activated_cb (NormscopeProse *self, NormscopeProseLink *link)
{
  g_signal_emit (self, prose_signals[PROSE_SIGNAL_LINK], 0, normscope_prose_link_get_page (link));
}

static int
find_link (NormscopeProse *self, double x, double y)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  return width > 0 ? ns_prose_layout_find_link (get_layout (self, width), x, y) : -1;
}

static void
released_cb (NormscopeProse *self, int n_press, double x, double y, GtkGesture *gesture)
{
  int link = find_link (self, x, y);

  if (link < 0)
    gtk_widget_grab_focus (GTK_WIDGET (self));
  else
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
      gtk_widget_grab_focus (g_ptr_array_index (self->links, link));
      link_activated_cb (self, g_ptr_array_index (self->links, link));
    }
}

static void
prose_motion_cb (NormscopeProse *self, double x, double y)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), find_link (self, x, y) >= 0 ? "pointer" : NULL);
}

static void
drop_links (NormscopeProse *self)
{
  for (guint i = 0; i < self->links->len; i++)
    gtk_widget_unparent (g_ptr_array_index (self->links, i));
  g_ptr_array_set_size (self->links, 0);
}

static void
add_links (NormscopeProse *self)
{
  GtkWidget *before = NULL;

  for (guint i = 0; i < ns_prose_get_n_links (self->prose); i++)
    {
      GtkWidget *link =
          normscope_prose_link_new (ns_prose_get_link_page (self->prose, i), ns_prose_get_link_text (self->prose, i));

      g_signal_connect_object (link, "activated", G_CALLBACK (link_activated_cb), self, G_CONNECT_SWAPPED);
      gtk_widget_insert_after (link, GTK_WIDGET (self), before);
      g_ptr_array_add (self->links, link);
      before = link;
    }
}

/* ---- copying ---- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *text = ns_prose_dup_plain_text (NORMSCOPE_PROSE (widget)->prose);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
show_menu (NormscopeProse *self, double x, double y)
{
  g_autoptr (GMenu) model = g_menu_new ();
  GtkWidget *menu;

  /* Translators: copies a text */
  g_menu_append (model, _ ("_Copy"), "prose.copy");
  menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (model));
  gtk_popover_set_has_arrow (GTK_POPOVER (menu), FALSE);
  gtk_widget_set_halign (menu, GTK_ALIGN_START);
  normscope_popovers_open (GTK_WIDGET (self), menu, &(GdkRectangle){ (int) x, (int) y, 1, 1 });
}

static void
menu_pressed_cb (NormscopeProse *self, int n_press, double x, double y)
{
  show_menu (self, x, y);
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  show_menu (NORMSCOPE_PROSE (widget), gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
}

/* ---- the text ---- */

gboolean
normscope_prose_set_markup (NormscopeProse *self, const char *markup, GError **error)
{
  NsProse *prose;
  gboolean is_valid;
  g_autofree char *plain = NULL;

  g_return_val_if_fail (NORMSCOPE_IS_PROSE (self), FALSE);
  g_return_val_if_fail (markup != NULL, FALSE);

  prose = ns_prose_parse (markup, error);
  is_valid = prose != NULL;
  if (!is_valid)
    {
      g_autofree char *escaped = ns_prose_escape (markup);

      /* A text that is too long is too long with its escapes, too. */
      prose = ns_prose_parse (escaped, NULL);
      if (prose == NULL)
        prose = ns_prose_parse ("…", NULL);
    }
  if (self->prose == NULL || g_strcmp0 (self->markup, markup) != 0)
    {
      drop_links (self);
      g_clear_pointer (&self->prose, ns_prose_free);
      self->prose = g_steal_pointer (&prose);
      g_free (self->markup);
      self->markup = g_strdup (markup);
      add_links (self);
      plain = ns_prose_dup_plain_text (self->prose);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, plain, -1);
      drop_layout (self);
    }
  ns_prose_free (prose);
  return is_valid;
}

void
normscope_prose_set_scale (NormscopeProse *self, double scale)
{
  g_return_if_fail (NORMSCOPE_IS_PROSE (self) && scale > 0);
  if (self->scale == scale)
    return;
  self->scale = scale;
  drop_layout (self);
}

const char *
normscope_prose_get_markup (NormscopeProse *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PROSE (self), NULL);
  return self->markup;
}

static void
normscope_prose_dispose (GObject *object)
{
  NormscopeProse *self = NORMSCOPE_PROSE (object);

  drop_links (self);
  G_OBJECT_CLASS (normscope_prose_parent_class)->dispose (object);
}

static void
normscope_prose_finalize (GObject *object)
{
  NormscopeProse *self = NORMSCOPE_PROSE (object);

  g_clear_pointer (&self->layout, ns_prose_layout_free);
  g_clear_pointer (&self->prose, ns_prose_free);
  g_ptr_array_unref (self->links);
  g_free (self->markup);
  G_OBJECT_CLASS (normscope_prose_parent_class)->finalize (object);
}

static void
normscope_prose_class_init (NormscopeProseClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_prose_dispose;
  G_OBJECT_CLASS (klass)->finalize = normscope_prose_finalize;
  widget_class->measure = normscope_prose_measure;
  widget_class->get_request_mode = normscope_prose_get_request_mode;
  widget_class->size_allocate = normscope_prose_size_allocate;
  widget_class->snapshot = normscope_prose_snapshot;
  widget_class->css_changed = normscope_prose_css_changed;
  widget_class->system_setting_changed = normscope_prose_system_setting_changed;

  prose_signals[PROSE_SIGNAL_LINK] = g_signal_new ("link", NORMSCOPE_TYPE_PROSE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                                   G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_install_action (widget_class, "prose.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "prose.menu", NULL, menu_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "prose.copy", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Insert, GDK_CONTROL_MASK, "prose.copy", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Menu, 0, "prose.menu", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, "prose.menu", NULL);
  gtk_widget_class_set_css_name (widget_class, "prose");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
normscope_prose_init (NormscopeProse *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  GtkGesture *click = gtk_gesture_click_new (), *secondary = gtk_gesture_click_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->links = g_ptr_array_new ();
  self->scale = 1;
  normscope_prose_set_markup (self, "", NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (drop_layout), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (drop_layout), self, G_CONNECT_SWAPPED);

  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (secondary), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (secondary, "pressed", G_CALLBACK (menu_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (secondary));
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (prose_motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

GtkWidget *
normscope_prose_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_PROSE, NULL);
}
