/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-color-map.h"

#include <math.h>

/* Every 17th colour of viridis, by Nathaniel Smith, Stéfan van der Walt and Eric Firing, who gave it to the public
 * domain (CC0): https://github.com/BIDS/colormap */
static const double viridis[][3] = {
  { 0.267004, 0.004874, 0.329415 }, { 0.282656, 0.100196, 0.422160 }, { 0.277134, 0.185228, 0.489898 },
  { 0.253935, 0.265254, 0.529983 }, { 0.221989, 0.339161, 0.548752 }, { 0.190631, 0.407061, 0.556089 },
  { 0.163625, 0.471133, 0.558148 }, { 0.139147, 0.533812, 0.555298 }, { 0.120565, 0.596422, 0.543611 },
  { 0.134692, 0.658636, 0.517649 }, { 0.208030, 0.718701, 0.472873 }, { 0.327796, 0.773980, 0.406640 },
  { 0.477504, 0.821444, 0.318195 }, { 0.647257, 0.858400, 0.209861 }, { 0.824940, 0.884720, 0.106217 },
  { 0.993248, 0.906157, 0.143936 },
};

/* The diverging scale in Oklab (Björn Ottosson, 2020): lightness, green to red, blue to yellow. */
static const double scale_low[3] = { 0.42, -0.045, -0.135 };
static const double scale_middle[3] = { 0.93, 0.0, 0.0 };
static const double scale_high[3] = { 0.42, 0.080, 0.085 };

/* The hues of stacks are none of the variants': grey, purple, teal, gold, green. */
static const guint32 hues[NS_HUE_N] = { 0x8C8C8C, 0x6A3D9A, 0x0F7C78, 0xB07D00, 0x5E7D1E };

/* Least contrast of a hue to a dark background, and the share of white in the lightest shade of a hue. */
#define HUE_CONTRAST 3.0
#define LIGHTEST 0.62

#define VOID_SHARE 0.12

static NsColor
get_viridis (double share)
{
  double at = share * (G_N_ELEMENTS (viridis) - 1);
  guint i = MIN ((guint) at, G_N_ELEMENTS (viridis) - 2);
  NsColor from = { viridis[i][0], viridis[i][1], viridis[i][2] };
  NsColor to = { viridis[i + 1][0], viridis[i + 1][1], viridis[i + 1][2] };

  return ns_color_mix (&from, &to, at - i);
}

static double
from_linear (double value)
{
  value = CLAMP (value, 0.0, 1.0);
  return value <= 0.0031308 ? 12.92 * value : 1.055 * pow (value, 1.0 / 2.4) - 0.055;
}

static NsColor
from_oklab (double lightness, double a, double b)
{
  double l = pow (lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  double m = pow (lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  double s = pow (lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

  return (NsColor){ from_linear (4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                    from_linear (-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                    from_linear (-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) };
}

/* Return the colour at −1..1. */
static NsColor
get_diverging (double share)
{
  const double *end = share < 0.0 ? scale_low : scale_high;
  double t = fabs (share), chroma = sqrt (t);

  return from_oklab (scale_middle[0] + t * (end[0] - scale_middle[0]), chroma * end[1], chroma * end[2]);
}

NsColor
ns_color_scale_get_color (const NsColorScale *colors, double min, double max, double value)
{
  double reach;

  g_return_val_if_fail (colors != NULL && !isnan (value), ((NsColor){ 0, 0, 0 }));

  if (colors->kind == NS_COLORS_SEQUENTIAL)
    return get_viridis (max > min ? CLAMP ((value - min) / (max - min), 0.0, 1.0) : 0.5);
  reach = fmax (fabs (max - colors->center), fabs (min - colors->center));
  return get_diverging (reach > 0.0 ? CLAMP ((value - colors->center) / reach, -1.0, 1.0) : 0.0);
}

NsColor
ns_theme_get_void_color (const NsTheme *theme)
{
  g_return_val_if_fail (theme != NULL, ((NsColor){ 0, 0, 0 }));
  return ns_color_mix (&theme->background, &theme->foreground, VOID_SHARE);
}

NsColor
ns_theme_get_hue (const NsTheme *theme, int hue, double lightness)
{
  const NsColor white = { 1, 1, 1 };
  NsColor color = { 0, 0, 0 };

  g_return_val_if_fail (theme != NULL && hue >= 0 && hue < NS_HUE_N, color);

  color.red = ((hues[hue] >> 16) & 0xff) / 255.0;
  color.green = ((hues[hue] >> 8) & 0xff) / 255.0;
  color.blue = (hues[hue] & 0xff) / 255.0;
  for (int i = 0; i < 20 && ns_color_contrast (&color, &theme->background) < HUE_CONTRAST; i++)
    color = ns_color_mix (&color, &theme->foreground, 0.05);
  return ns_color_mix (&color, &white, LIGHTEST * CLAMP (lightness, 0.0, 1.0));
}
