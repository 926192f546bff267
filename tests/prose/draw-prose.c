/* Draw a text into a picture for visual inspection: draw-prose [OPTION…] FILE.png [TEXT-FILE]
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "prose/ns-prose.h"
#include "sample-texts.h"

#define MARGIN 24

int
main (int argc, char **argv)
{
  double width = 560, size = 12, scale = 1;
  gboolean is_dark = FALSE;
  const GOptionEntry entries[] = {
    { "width", 'w', 0, G_OPTION_ARG_DOUBLE, &width, "Width of the text, px", "PX" },
    { "size", 's', 0, G_OPTION_ARG_DOUBLE, &size, "Font size, pt", "PT" },
    { "scale", 'x', 0, G_OPTION_ARG_DOUBLE, &scale, "Pixels for each px", "X" },
    { "dark", 'd', 0, G_OPTION_ARG_NONE, &is_dark, "Dark theme", NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) options = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autoptr (NsProse) prose = NULL;
  g_autoptr (NsProseLayout) layout = NULL;
  cairo_surface_t *surface;
  cairo_t *cr;
  NsTheme theme;

  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error) || argc < 2
      || (argc > 2 && !g_file_get_contents (argv[2], &text, NULL, &error))
      || (prose = ns_prose_parse (text != NULL ? text : SAMPLE_TEXT, &error)) == NULL)
    {
      g_printerr ("%s\n", error != NULL ? error->message : "Usage: draw-prose FILE.png");
      return 1;
    }
  ns_theme_init (&theme, is_dark ? NS_THEME_DARK : NS_THEME_LIGHT);
  layout = ns_prose_layout_new (prose, &theme, size, width);
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) ((width + 2 * MARGIN) * scale),
                                        (int) ((ns_prose_layout_get_height (layout) + 2 * MARGIN) * scale));
  cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  cairo_set_source_rgb (cr, theme.background.red, theme.background.green, theme.background.blue);
  cairo_paint (cr);
  ns_prose_layout_draw (layout, cr, MARGIN, MARGIN);
  cairo_surface_write_to_png (surface, argv[1]);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return 0;
}
