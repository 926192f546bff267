/* Contrast of texts and curves in the real window with high contrast, measured on its pixels.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment of this test asks libadwaita for high contrast.
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app/scaling/normscope-scaling-view.h"
#include "plot/ns-theme.h"

/* WCAG 2 AA. Thin strokes of small type cover no pixel fully, so their best pixel has to reach it. */
#define MIN_CONTRAST 4.5
/* For the names of curves and the axes. */
#define MIN_CONTRAST_IN_PLOT 7.0

typedef struct
{
  int width, height;
  guint32 *pixels;
} Grab;

static Grab
grab (GtkWidget *widget)
{
  g_autoptr (GdkTexture) texture = app_grab (widget);
  Grab result = { gdk_texture_get_width (texture), gdk_texture_get_height (texture), NULL };

  result.pixels = g_new (guint32, (gsize) result.width * (gsize) result.height);
  gdk_texture_download (texture, (guchar *) result.pixels, (gsize) result.width * sizeof *result.pixels);
  return result;
}

static NsColor
to_color (guint32 pixel)
{
  return (NsColor){ (pixel >> 16 & 0xff) / 255.0, (pixel >> 8 & 0xff) / 255.0, (pixel & 0xff) / 255.0 };
}

/* Find the most frequent colour of a part of the image, and return the highest contrast of another colour to it. */
static double
find_contrast (const Grab *from, const graphene_rect_t *part, guint32 *background)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  int x0 = MAX (0, (int) floorf (part->origin.x)), y0 = MAX (0, (int) floorf (part->origin.y));
  int x1 = MIN (from->width, (int) ceilf (part->origin.x + part->size.width));
  int y1 = MIN (from->height, (int) ceilf (part->origin.y + part->size.height));
  GHashTableIter iter;
  gpointer key, value;
  guint most = 0;
  double best = 1;
  NsColor ground;

  *background = 0;
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      {
        gpointer pixel = GUINT_TO_POINTER (from->pixels[y * from->width + x]);

        g_hash_table_insert (counts, pixel,
                             GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, pixel)) + 1));
      }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (GPOINTER_TO_UINT (value) > most)
      {
        most = GPOINTER_TO_UINT (value);
        *background = GPOINTER_TO_UINT (key);
      }
  ground = to_color (*background);
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      NsColor color = to_color (GPOINTER_TO_UINT (key));

      best = fmax (best, ns_color_contrast (&color, &ground));
    }
  return best;
}

/* ---- texts ---- */

typedef struct
{
  GtkWidget *window;
  const Grab *grab;
  guint n;
} Reader;

static void
read_labels (GtkWidget *widget, Reader *reader)
{
  graphene_rect_t bounds;
  guint32 background;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_is_sensitive (widget))
    return;
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0'
      && gtk_widget_compute_bounds (widget, reader->window, &bounds) && bounds.size.width > 4
      && bounds.origin.y >= 0 && bounds.origin.y + bounds.size.height <= (float) reader->grab->height)
    {
      double contrast = find_contrast (reader->grab, &bounds, &background);

      /* A label that is scrolled out of sight or behind a revealer shows nothing but background. */
      if (contrast > 1)
        {
          reader->n++;
          if (contrast < MIN_CONTRAST)
            g_error ("“%s” has a contrast of %.2f only", gtk_label_get_text (GTK_LABEL (widget)), contrast);
        }
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    read_labels (child, reader);
}

static void
assert_words (Fixture *fixture, guint least)
{
  Reader reader = { GTK_WIDGET (fixture->window), NULL, 0 };
  Grab whole;

  app_settle ();
  whole = grab (reader.window);
  reader.grab = &whole;
  read_labels (reader.window, &reader);
  g_assert_cmpuint (reader.n, >=, least);
  g_free (whole.pixels);
}

/* ---- curves ---- */

static guint
count (const Grab *from, const NsColor *color)
{
  guint n = 0;

  for (int i = 0; i < from->width * from->height; i++)
    {
      NsColor pixel = to_color (from->pixels[i]);

      n += fabs (pixel.red - color->red) < 0.006 && fabs (pixel.green - color->green) < 0.006
           && fabs (pixel.blue - color->blue) < 0.006;
    }
  return n;
}

static void
assert_curves (GtkWidget *plot, NsThemeKind kind)
{
  Grab picture = grab (plot);
  NsColor ground = to_color (picture.pixels[1]);
  NsTheme theme;

  ns_theme_init (&theme, kind);
  g_assert_cmpfloat (ns_color_contrast (&theme.foreground, &ground), >=, 15);
  g_assert_cmpuint (count (&picture, &theme.foreground), >, 200);
  for (int variant = 0; variant < 2; variant++)
    {
      NsStyle style = ns_theme_get_style (&theme, variant);

      g_assert_cmpuint (count (&picture, &style.line), >, 200);
      g_assert_cmpuint (count (&picture, &style.text), >, 10);
      g_assert_cmpfloat (ns_color_contrast (&style.line, &ground), >=, MIN_CONTRAST);
      g_assert_cmpfloat (ns_color_contrast (&style.text, &ground), >=, MIN_CONTRAST_IN_PLOT);
    }
  g_free (picture.pixels);
}

static void
test_high_contrast (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *style = adw_style_manager_get_default ();
  NsScalingSettings settings = *normscope_session_get_scaling (fixture->session);

  g_assert_true (adw_style_manager_get_high_contrast (style));
  settings.last[NS_SWEEP_DEPTH] = 16;
  settings.last[NS_SWEEP_D_MODEL] = 48;
  normscope_session_set_scaling (fixture->session, &settings);
  for (int dark = 0; dark < 2; dark++)
    {
      NsThemeKind kind = dark ? NS_THEME_HIGH_CONTRAST_DARK : NS_THEME_HIGH_CONTRAST;

      adw_style_manager_set_color_scheme (style, dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "flow");
      app_assert_shows (fixture);
      assert_curves (GTK_WIDGET (fixture->plot), kind);
      assert_words (fixture, 15);
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", "scaling");
      app_settle ();
      assert_curves (app_wait_for_idle_plot (fixture), kind);
      assert_words (fixture, 30);
    }
  adw_style_manager_set_color_scheme (style, ADW_COLOR_SCHEME_DEFAULT);
}

void
add_contrast_tests (void)
{
  app_test_add ("/contrast/high", test_high_contrast);
}
