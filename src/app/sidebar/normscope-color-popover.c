/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-color-popover.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>

#define N_PALETTE 6

struct _NormscopeColorPopover
{
  GtkPopover parent_instance;

  GtkBox *palette_box;
};

G_DEFINE_FINAL_TYPE (NormscopeColorPopover, normscope_color_popover, GTK_TYPE_POPOVER)

enum { COLOR_POPOVER_SIGNAL_CHOSEN, N_COLOR_POPOVER_SIGNALS };
static guint color_popover_signals[N_COLOR_POPOVER_SIGNALS];

void
normscope_color_popover_init_theme (NsTheme *theme)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());

  ns_theme_init (theme, dark ? NS_THEME_DARK : NS_THEME_LIGHT);
}

static void
choose (NormscopeColorPopover *self, const NsColor *color)
{
  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit (self, color_popover_signals[COLOR_POPOVER_SIGNAL_CHOSEN], 0, color);
}

/* ---- the palette ---- */

static void
draw_color (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  NsTheme theme;
  NsColor color;

  normscope_color_popover_init_theme (&theme);
  color = ns_theme_get_style (&theme, GPOINTER_TO_INT (data)).line;
  cairo_set_source_rgb (cr, color.red, color.green, color.blue);
  cairo_arc (cr, width / 2.0, height / 2.0, MIN (width, height) / 2.0, 0, 2 * G_PI);
  cairo_fill (cr);
}

static void
palette_clicked_cb (NormscopeColorPopover *self, GtkButton *button)
{
  int style = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "style"));
  NsTheme theme;
  NsColor color;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  color = ns_theme_get_style (&theme, style).line;
  choose (self, &color);
}

static void
fill_palette (NormscopeColorPopover *self)
{
  static const char *const names[N_PALETTE] = {
    N_ ("Blue"), N_ ("Vermilion"), N_ ("Green"), N_ ("Pink"), N_ ("Orange"), N_ ("Sky blue"),
  };

  for (int i = 0; i < N_PALETTE; i++)
    {
      GtkWidget *button = gtk_button_new ();
      GtkWidget *area = gtk_drawing_area_new ();

      gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area), 20);
      gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), 20);
      gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_color, GINT_TO_POINTER (i), NULL);
      gtk_button_set_child (GTK_BUTTON (button), area);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_tooltip_text (button, _ (names[i]));
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (names[i]), -1);
      g_object_set_data (G_OBJECT (button), "style", GINT_TO_POINTER (i));
      g_signal_connect_swapped (button, "clicked", G_CALLBACK (palette_clicked_cb), self);
      gtk_box_append (self->palette_box, button);
    }
}

static void
automatic_cb (NormscopeColorPopover *self)
{
  choose (self, NULL);
}

/* ---- any other colour ---- */

static void
response_cb (NormscopeColorPopover *self, int response, GtkDialog *dialog)
{
  if (response == GTK_RESPONSE_OK)
    {
      GdkRGBA rgba;
      NsColor color;

      gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (dialog), &rgba);
      color = (NsColor){ rgba.red, rgba.green, rgba.blue };
      g_signal_emit (self, color_popover_signals[COLOR_POPOVER_SIGNAL_CHOSEN], 0, &color);
    }
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static void
other_cb (NormscopeColorPopover *self)
{
  GtkWidget *dialog = gtk_color_chooser_dialog_new (_ ("Colour of the Curve"),
                                                    GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))));

  gtk_popover_popdown (GTK_POPOVER (self));
  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (dialog), FALSE);
  gtk_window_set_modal (GTK_WINDOW (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (response_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* ---- the object ---- */

static void
normscope_color_popover_class_init (NormscopeColorPopoverClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  color_popover_signals[COLOR_POPOVER_SIGNAL_CHOSEN] = g_signal_new (
      "chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-color-popover.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeColorPopover, palette_box);
  gtk_widget_class_bind_template_callback (widget_class, automatic_cb);
  gtk_widget_class_bind_template_callback (widget_class, other_cb);
}

static void
normscope_color_popover_init (NormscopeColorPopover *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_palette (self);
}
