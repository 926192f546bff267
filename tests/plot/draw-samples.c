/* Draw the sample figures into a folder for visual inspection: draw-samples FOLDER
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "plot/ns-draw.h"
#include "plot/ns-export.h"
#include "sample-figures.h"

typedef struct
{
  const char *name;
  int depth, n_variants;
  int flags;
  NsThemeKind theme;
  double width, height, text_scale;
  NsFigure *(*make) (int depth, int n_variants, SampleFlags flags); /* NULL: curves */
} Sample;

static const Sample samples[] = {
  { "maps-24-2", 24, 2, SAMPLE_SUBTITLES, NS_THEME_LIGHT, 1280, 720, 1, sample_maps_new },
  { "maps-24-2-dark-hall", 24, 2, SAMPLE_SUBTITLES | SAMPLE_MARKS, NS_THEME_DARK, 1280, 720, 2, sample_maps_new },
  { "maps-24-1-cos", 24, 1, SAMPLE_DIVERGING | SAMPLE_SUBTITLES, NS_THEME_LIGHT, 1280, 720, 1, sample_maps_new },
  { "maps-24-6", 24, 6, SAMPLE_SUBTITLES, NS_THEME_LIGHT, 1920, 1080, 1, sample_maps_new },
  { "maps-24-6-hall", 24, 6, SAMPLE_DIVERGING, NS_THEME_DARK, 1280, 720, 2, sample_maps_new },
  { "maps-1-2", 1, 2, SAMPLE_SUBTITLES, NS_THEME_LIGHT, 1280, 720, 1, sample_maps_new },
  { "maps-1000-2", 1000, 2, SAMPLE_SUBTITLES | SAMPLE_MARKS, NS_THEME_LIGHT, 1920, 1080, 1, sample_maps_new },
  { "maps-1000-6-dark", 1000, 6, SAMPLE_DIVERGING, NS_THEME_DARK, 1280, 720, 1, sample_maps_new },
  { "maps-parts", 6, 2, SAMPLE_PARTS | SAMPLE_CAPTION, NS_THEME_LIGHT, 1280, 720, 1, sample_maps_new },
  { "maps-parts-5", 12, 5, SAMPLE_PARTS | SAMPLE_DIVERGING, NS_THEME_DARK, 1280, 720, 1, sample_maps_new },
  { "stack-12-2", 12, 2, SAMPLE_PLAIN, NS_THEME_LIGHT, 1280, 720, 1, sample_stack_new },
  { "stack-24-2-dark", 24, 2, SAMPLE_DIVERGING, NS_THEME_DARK, 1280, 720, 2, sample_stack_new },
  { "stack-1", 1, 2, SAMPLE_PLAIN, NS_THEME_LIGHT, 1280, 720, 1, sample_stack_new },
  { "stack-100-2", 100, 2, SAMPLE_MARKS, NS_THEME_LIGHT, 1280, 720, 1, sample_stack_new },
  { "stack-1000-2", 1000, 2, SAMPLE_PLAIN, NS_THEME_DARK, 1280, 720, 1, sample_stack_new },
  { "stack-24-6", 24, 6, SAMPLE_PLAIN, NS_THEME_LIGHT, 1920, 1080, 1, sample_stack_new },
  { "flow-24-light", 24, 2, SAMPLE_GHOST, NS_THEME_LIGHT, 1280, 720, 1, NULL },
  { "flow-24-dark-marks", 24, 2, SAMPLE_MARKS | SAMPLE_RIGHT_AXIS, NS_THEME_DARK, 1280, 720, 1, NULL },
  { "flow-24-window", 24, 2, SAMPLE_RIGHT_AXIS | SAMPLE_PROVISIONAL, NS_THEME_LIGHT, 940, 560, 1, NULL },
  { "flow-1-light", 1, 2, SAMPLE_PLAIN, NS_THEME_LIGHT, 1280, 720, 1, NULL },
  { "flow-1000-dark", 1000, 2, SAMPLE_GHOST, NS_THEME_DARK, 1280, 720, 1, NULL },
  { "flow-1000-tiny", 1000, 2, SAMPLE_TINY_VALUES | SAMPLE_MARKS, NS_THEME_LIGHT, 1280, 720, 1, NULL },
  { "flow-6-variants", 24, 6, SAMPLE_RIGHT_AXIS, NS_THEME_LIGHT, 1280, 720, 1.5, NULL },
  { "flow-16-variants", 24, 16, SAMPLE_PLAIN, NS_THEME_DARK, 1280, 720, 1, NULL },
  { "flow-40-long", 24, 40, SAMPLE_LONG_NAMES, NS_THEME_LIGHT, 1280, 720, 1, NULL },
  { "flow-caption", 24, 2, SAMPLE_CAPTION, NS_THEME_HIGH_CONTRAST, 1280, 720, 1.5, NULL },
  { "flow-small-big-type", 24, 2, SAMPLE_CAPTION | SAMPLE_RIGHT_AXIS, NS_THEME_LIGHT, 640, 360, 2, NULL },
  { "flow-flat", 12, 4, SAMPLE_FLAT, NS_THEME_DARK, 960, 600, 1, NULL },
  { "parts-6-light", 6, 2, SAMPLE_PARTS | SAMPLE_GHOST, NS_THEME_LIGHT, 1280, 720, 1, NULL },
  { "parts-24-marks", 24, 2, SAMPLE_PARTS | SAMPLE_MARKS | SAMPLE_RIGHT_AXIS, NS_THEME_DARK, 1280, 720, 1, NULL },
  { "parts-1-light", 1, 2, SAMPLE_PARTS, NS_THEME_LIGHT, 940, 560, 1, NULL },
  { "parts-500-dark", 500, 2, SAMPLE_PARTS | SAMPLE_GHOST, NS_THEME_DARK, 1280, 720, 1, NULL },
  { "parts-1000-small", 1000, 2, SAMPLE_PARTS, NS_THEME_LIGHT, 640, 360, 1.5, NULL },
  { "scaling-128", 128, -1, SAMPLE_PLAIN, NS_THEME_LIGHT, 1280, 720, 1, NULL },
};

static gboolean
draw_sample (const Sample *sample, const char *folder, GError **error)
{
  g_autoptr (NsFigure) figure = NULL;
  g_autofree char *file = g_strconcat (sample->name, ".png", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GBytes) png = NULL;
  NsTheme theme;

  figure = sample->make != NULL      ? sample->make (sample->depth, sample->n_variants, sample->flags)
           : sample->n_variants < 0 ? sample_scaling_new (sample->depth)
                                    : sample_flow_new (sample->depth, sample->n_variants, sample->flags);
  ns_theme_init (&theme, sample->theme);
  theme.text_scale = sample->text_scale;
  png = ns_figure_export (figure, &theme, NS_EXPORT_PNG, sample->width, sample->height, 1.0, NULL, error);
  return png != NULL
         && g_file_set_contents (path, g_bytes_get_data (png, NULL), (gssize) g_bytes_get_size (png), error);
}

int
main (int argc, char **argv)
{
  if (argc != 2)
    {
      g_printerr ("Usage: draw-samples FOLDER\n");
      return 2;
    }
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!draw_sample (&samples[i], argv[1], &error))
        {
          g_printerr ("%s: %s\n", samples[i].name, error->message);
          return 1;
        }
    }
  return 0;
}
