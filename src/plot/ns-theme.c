/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-theme.h"

#include <math.h>

/* Least contrast of curves and text to the background. On white, curves keep the exact palette of Okabe and Ito, which
 * readers recognise, although its two lightest colours have less contrast. */
#define DARK_LINE_CONTRAST 4.5
#define TEXT_CONTRAST 4.55 /* rounded to 8 bits, 4.5 */

/* Share of the hue in a former curve. */
#define GHOST_OPACITY 0.35
#define LIGHTEST_LINE 0.6 /* the share of the background in the lightest line */

/* The palette of Okabe and Ito, in the order in which variants take it. */
static const guint32 palette[] = { 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9 };

/* Five dashes with six colours and eight markers: styles repeat after 120, the least common multiple, and NS_STYLE_N
 * styles of the same colour differ in both dash and marker. */
static const struct
{
  int n;
  double lengths[6];
} dashes[] = {
  { 0, { 0 } },
  { 2, { 9, 4 } },
  { 4, { 10, 3, 2, 3 } },
  { 2, { 2, 3 } },
  { 6, { 12, 3, 2, 3, 2, 3 } },
};

static NsColor
color_from_rgb (guint32 rgb)
{
  return (NsColor){ ((rgb >> 16) & 0xff) / 255.0, ((rgb >> 8) & 0xff) / 255.0, (rgb & 0xff) / 255.0 };
}

static gboolean
is_high_contrast (const NsTheme *theme)
{
  return theme->kind == NS_THEME_HIGH_CONTRAST || theme->kind == NS_THEME_HIGH_CONTRAST_DARK;
}

static double
linear_channel (double value)
{
  return value <= 0.04045 ? value / 12.92 : pow ((value + 0.055) / 1.055, 2.4);
}

static double
luminance (const NsColor *color)
{
  return 0.2126 * linear_channel (color->red) + 0.7152 * linear_channel (color->green)
         + 0.0722 * linear_channel (color->blue);
}

double
ns_color_contrast (const NsColor *a, const NsColor *b)
{
  double la = luminance (a), lb = luminance (b);

  return (fmax (la, lb) + 0.05) / (fmin (la, lb) + 0.05);
}

NsColor
ns_color_mix (const NsColor *from, const NsColor *to, double share)
{
  return (NsColor){
    from->red + share * (to->red - from->red),
    from->green + share * (to->green - from->green),
    from->blue + share * (to->blue - from->blue),
  };
}

/* Return `color` mixed with white or black, whichever contrasts more with `background`, until the contrast is at least
 * `ratio`. */
static NsColor
with_contrast (const NsColor *color, const NsColor *background, double ratio)
{
  const NsColor white = { 1, 1, 1 }, black = { 0, 0, 0 };
  const NsColor *target;
  double low = 0.0, high = 1.0;

  if (ns_color_contrast (color, background) >= ratio)
    return *color;
  target = ns_color_contrast (&white, background) > ns_color_contrast (&black, background) ? &white : &black;

  for (int i = 0; i < 24; i++)
    {
      double middle = 0.5 * (low + high);
      NsColor candidate = ns_color_mix (color, target, middle);

      if (ns_color_contrast (&candidate, background) >= ratio)
        high = middle;
      else
        low = middle;
    }
  return ns_color_mix (color, target, high);
}

void
ns_theme_init (NsTheme *theme, NsThemeKind kind)
{
  gboolean high_contrast = kind == NS_THEME_HIGH_CONTRAST || kind == NS_THEME_HIGH_CONTRAST_DARK;

  g_return_if_fail (theme != NULL);

  *theme = (NsTheme){
    .kind = kind,
    .text_scale = 1.0,
    .line_scale = 1.0,
    .axis_opacity = high_contrast ? 1.0 : 0.4,
    .grid_opacity = high_contrast ? 0.3 : 0.1,
    .band_opacity = 0.18,
  };
  g_strlcpy (theme->font_family, "Sans", sizeof theme->font_family);

  switch (kind)
    {
    case NS_THEME_LIGHT:
      theme->background = color_from_rgb (0xFFFFFF);
      theme->foreground = color_from_rgb (0x1E1E1E);
      break;
    case NS_THEME_DARK:
      theme->background = color_from_rgb (0x1E1E1E);
      theme->foreground = color_from_rgb (0xF2F2F2);
      break;
    case NS_THEME_HIGH_CONTRAST:
      theme->background = color_from_rgb (0xFFFFFF);
      theme->foreground = color_from_rgb (0x000000);
      break;
    case NS_THEME_HIGH_CONTRAST_DARK:
      theme->background = color_from_rgb (0x000000);
      theme->foreground = color_from_rgb (0xFFFFFF);
      break;
    default:
      g_return_if_reached ();
    }
}

static gboolean
is_dark (const NsTheme *theme)
{
  return luminance (&theme->background) < luminance (&theme->foreground);
}

static void
set_colors (const NsTheme *theme, NsStyle *style, const NsColor *color)
{
  gboolean adapt = is_dark (theme) || is_high_contrast (theme);

  style->line = adapt ? with_contrast (color, &theme->background, DARK_LINE_CONTRAST) : *color;
  style->text = with_contrast (color, &theme->background, is_high_contrast (theme) ? 7.0 : TEXT_CONTRAST);
}

NsStyle
ns_theme_get_style (const NsTheme *theme, int style)
{
  NsStyle result = { .marker = NS_MARKER_CIRCLE };
  NsColor color;
  int dash;

  g_return_val_if_fail (theme != NULL && style >= 0, result);

  color = color_from_rgb (palette[style % (int) G_N_ELEMENTS (palette)]);
  set_colors (theme, &result, &color);
  dash = style % (int) G_N_ELEMENTS (dashes);
  result.n_dash = dashes[dash].n;
  for (int i = 0; i < result.n_dash; i++)
    result.dash[i] = dashes[dash].lengths[i];
  result.marker = style % NS_MARKER_N;
  return result;
}

NsStyle
ns_theme_get_series_style (const NsTheme *theme, const NsSeries *series)
{
  NsStyle style;

  g_return_val_if_fail (theme != NULL && series != NULL, ((NsStyle){ 0 }));

  style = ns_theme_get_style (theme, MAX (series->style, 0));
  if (series->has_color)
    set_colors (theme, &style, &series->color);
  if (series->role == NS_ROLE_GHOST)
    {
      style.line = ns_color_mix (&theme->background, &style.line, GHOST_OPACITY);
      style.n_dash = 0;
    }
  if (series->kind == NS_SERIES_LINE && series->lightness > 0)
    style.line = ns_color_mix (&style.line, &theme->background, LIGHTEST_LINE * series->lightness);
  if (series->role == NS_ROLE_REFERENCE)
    {
      style.n_dash = 2;
      style.dash[0] = 5;
      style.dash[1] = 4;
    }
  return style;
}

NsColor
ns_theme_get_mark_color (const NsTheme *theme, NsMark mark)
{
  NsColor red = color_from_rgb (0xD00000), blue = color_from_rgb (0x1A4FD6);

  g_return_val_if_fail (theme != NULL, red);

  switch (mark)
    {
    case NS_MARK_NAN:
    case NS_MARK_INF:
    case NS_MARK_CROSS:
      return with_contrast (&red, &theme->background, 4.5);
    case NS_MARK_UNDERFLOW:
    case NS_MARK_FLAT:
      return with_contrast (&blue, &theme->background, 4.5);
    case NS_MARK_NONE:
    default:
      return theme->foreground;
    }
}
