/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "plot/ns-ticks.h"

#include <math.h>

/* Least length of a decade for unlabelled ticks at its ends, and within it. */
#define MIN_DECADE_PX 5.0
#define MIN_MINOR_DECADE_PX 60.0

/* Up to this many decades, 1, 2 and 5 get labels. */
#define LABELLED_125_SPAN 1.3

/* Keeps ticks at the ends of an axis despite rounding. */
#define SLACK 1e-9

typedef struct
{
  const NsAxisMap *scale;
  double gap_px;
  NsTickMeasure measure;
  gpointer user_data;
  GPtrArray *ticks; /* NsTick */
  GArray *spans;    /* Span of each accepted label */
} Builder;

typedef struct
{
  double start, end;
} Span;

static void
tick_free (gpointer data)
{
  NsTick *tick = data;

  g_free (tick->markup);
  g_free (tick);
}

static gboolean
is_inside (const NsAxisMap *scale, double value)
{
  double slack = SLACK * (scale->max - scale->min);

  return value >= scale->min - slack && value <= scale->max + slack;
}

static gboolean
overlaps_a_label (const Builder *builder, const Span *span)
{
  for (guint i = 0; i < builder->spans->len; i++)
    {
      const Span *other = &g_array_index (builder->spans, Span, i);

      if (span->start < other->end + builder->gap_px && other->start < span->end + builder->gap_px)
        return TRUE;
    }
  return FALSE;
}

static void
add_tick (Builder *builder, double value, char *markup, gboolean major)
{
  NsTick *tick = g_new0 (NsTick, 1);

  tick->value = value;
  tick->px = ns_scale_map (builder->scale, value);
  tick->markup = markup;
  tick->major = major;
  g_ptr_array_add (builder->ticks, tick);
}

/* Add a labelled tick; takes markup. FALSE, and no tick, when the label is too close to an accepted one. */
static gboolean
try_label (Builder *builder, double value, char *markup)
{
  double px = ns_scale_map (builder->scale, value);
  double half = 0.5 * builder->measure (markup, builder->user_data);
  Span span = { px - half, px + half };

  if (overlaps_a_label (builder, &span))
    {
      g_free (markup);
      return FALSE;
    }
  g_array_append_val (builder->spans, span);
  add_tick (builder, value, markup, TRUE);
  return TRUE;
}

static void
clear (Builder *builder)
{
  g_ptr_array_set_size (builder->ticks, 0);
  g_array_set_size (builder->spans, 0);
}

static double
nice_step (double least)
{
  double power = pow (10.0, floor (log10 (least)));
  double share = least / power;

  return (share <= 1.0 ? 1.0 : share <= 2.0 ? 2.0 : share <= 5.0 ? 5.0 : 10.0) * power;
}

static double
next_step (double step)
{
  return nice_step (step * 1.5);
}

/* Return the step at which labels of zero width would just fit, to start the search from. */
static double
first_step (const Builder *builder)
{
  double room = fmax (ns_scale_get_length (builder->scale), 1.0);

  return nice_step ((builder->scale->max - builder->scale->min) * fmax (builder->gap_px, 2.0) / room);
}

static char *
format_linear (const NsAxisMap *scale, double value, double step)
{
  double reach = fmax (fabs (scale->min), fabs (scale->max));
  int exponent = (int) floor (log10 (reach));
  int step_exponent = (int) floor (log10 (step) + SLACK);
  g_autofree char *mantissa = NULL;

  if (fabs (value) < 0.5 * step)
    return g_strdup ("0");
  if (exponent <= NS_NUMBER_PLAIN_MAX && step_exponent >= NS_NUMBER_PLAIN_MIN - 1)
    return ns_number_format_fixed (value, MAX (0, -step_exponent));
  mantissa = ns_number_format_fixed (value / pow (10.0, exponent), exponent - step_exponent);
  return ns_number_format_power (mantissa, exponent);
}

/* Add one label, for an axis too short for more. */
static void
add_single (Builder *builder, double step)
{
  double value = ceil (builder->scale->min / step - SLACK) * step;

  if (is_inside (builder->scale, value))
    try_label (builder, value, format_linear (builder->scale, value, step));
}

static void
build_linear (Builder *builder)
{
  const NsAxisMap *scale = builder->scale;
  double step = first_step (builder), last_step = step;

  for (int round = 0; round < 64; round++)
    {
      double first = ceil (scale->min / step - SLACK), last = floor (scale->max / step + SLACK);
      gboolean fits = TRUE;

      clear (builder);
      if (last - first < 1.0)
        break;
      for (double k = first; k <= last && fits; k += 1.0)
        fits = try_label (builder, k * step, format_linear (scale, k * step, step));
      if (fits)
        return;
      last_step = step;
      step = next_step (step);
    }

  clear (builder);
  /* The coarser step has fewer than two multiples in range; label one multiple of the last step. */
  add_single (builder, last_step);
}

static void
build_integers (Builder *builder, double first, double last)
{
  const NsAxisMap *scale = builder->scale;
  double step;

  /* Label the last number first, since it shows the depth of the network. */
  if (is_inside (scale, last))
    try_label (builder, last, ns_number_format_fixed (last, 0));
  if (first != last && is_inside (scale, first))
    try_label (builder, first, ns_number_format_fixed (first, 0));

  for (step = fmax (1.0, first_step (builder));; step = next_step (step))
    {
      double size = 0.0, k = ceil (fmax (first, scale->min) / step);
      double px = step / (scale->max - scale->min) * ns_scale_get_length (scale);

      /* Take the step from the widest label: a uniform step reads better than missing labels. */
      for (int end = 0; end < 2; end++)
        {
          g_autofree char *markup = ns_number_format_fixed (end ? last : k * step, 0);

          size = fmax (size, builder->measure (markup, builder->user_data));
        }
      if (px >= size + builder->gap_px || step > last - first)
        break;
    }

  for (double k = floor (first / step) + 1.0; k * step < last; k += 1.0)
    if (is_inside (scale, k * step))
      try_label (builder, k * step, ns_number_format_fixed (k * step, 0));
}

/* Label whole numbers on a log axis: the ends first, then decades, then 2 and 5 where they fit. */
static void
build_log_integers (Builder *builder, double first, double last)
{
  static const int digits[] = { 1, 2, 5 };
  const NsAxisMap *scale = builder->scale;
  double decade_px = ns_scale_get_length (scale) / (scale->max - scale->min);

  if (is_inside (scale, last))
    try_label (builder, last, ns_log10_to_markup (last, 6));
  if (first != last && is_inside (scale, first))
    try_label (builder, first, ns_log10_to_markup (first, 6));

  for (guint d = 0; d < G_N_ELEMENTS (digits); d++)
    for (double k = fmax (0.0, floor (first)); k <= floor (last) && decade_px >= 1.0; k += 1.0)
      {
        double value = k + log10 (digits[d]);

        if (value <= first + SLACK || value >= last - SLACK || !is_inside (scale, value))
          continue;
        if (!try_label (builder, value, ns_log10_to_markup (value, 6)) && decade_px >= MIN_MINOR_DECADE_PX)
          add_tick (builder, value, NULL, FALSE);
      }
}

/* Label linear steps of the quantity, for a range so short that 1-2-5 gives fewer than two labels. The steps are
 * counted in units of 10^floor (min), so that a double can hold them. */
static void
build_log_zoomed (Builder *builder)
{
  const NsAxisMap *scale = builder->scale;
  double base = floor (scale->min);
  double low = pow (10.0, scale->min - base), high = pow (10.0, scale->max - base);
  double room = fmax (1.0, ns_scale_get_length (scale));
  double step = nice_step ((high - low) * fmax (builder->gap_px, 2.0) / room);

  for (int round = 0; round < 32; round++, step = next_step (step))
    {
      double first = ceil (low / step - SLACK), last = floor (high / step + SLACK);
      int digits = 1 + MAX (0, (int) floor (log10 (high)) - (int) floor (log10 (step) + SLACK));
      gboolean fits = TRUE;

      clear (builder);
      if (last < first)
        return;
      for (double k = first; k <= last && fits; k += 1.0)
        {
          double value = base + log10 (k * step);

          fits = try_label (builder, value, ns_log10_to_markup (value, digits));
        }
      if (fits)
        return;
    }
  clear (builder);
}

static gboolean
build_log_125 (Builder *builder)
{
  static const int digits[] = { 1, 2, 5 };
  const NsAxisMap *scale = builder->scale;

  for (guint d = 0; d < G_N_ELEMENTS (digits); d++)
    for (double k = floor (scale->min); k <= floor (scale->max) + 1.0; k += 1.0)
      {
        double value = k + log10 (digits[d]);

        if (is_inside (scale, value))
          try_label (builder, value, ns_log10_to_markup (value, 1));
      }
  return builder->spans->len >= 2;
}

static gboolean
has_tick_near (const Builder *builder, double value)
{
  for (guint i = 0; i < builder->ticks->len; i++)
    {
      const NsTick *tick = g_ptr_array_index (builder->ticks, i);

      if (fabs (tick->value - value) < 1e-6)
        return TRUE;
    }
  return FALSE;
}

static void
add_log_minor (Builder *builder, double step)
{
  const NsAxisMap *scale = builder->scale;
  double decade_px = ns_scale_get_length (scale) / (scale->max - scale->min);
  gboolean within = step <= 1.0 && decade_px >= MIN_MINOR_DECADE_PX;

  if (decade_px < MIN_DECADE_PX)
    return;
  for (double k = floor (scale->min); k <= ceil (scale->max); k += 1.0)
    for (int digit = 1; digit <= (within ? 9 : 1); digit++)
      {
        double value = k + log10 (digit);

        if (is_inside (scale, value) && !has_tick_near (builder, value))
          add_tick (builder, value, NULL, FALSE);
      }
}

static void
build_log (Builder *builder)
{
  const NsAxisMap *scale = builder->scale;
  double step = fmax (1.0, first_step (builder));

  if (scale->max - scale->min > LABELLED_125_SPAN)
    for (int round = 0; round < 64; round++, step = next_step (step))
      {
        double first = ceil (scale->min / step - SLACK), last = floor (scale->max / step + SLACK);
        gboolean fits = TRUE;

        clear (builder);
        if (last - first < 1.0)
          break;
        for (double k = first; k <= last && fits; k += 1.0)
          fits = try_label (builder, k * step, ns_number_format_power (NULL, (int) (k * step)));
        if (fits)
          {
            add_log_minor (builder, step);
            return;
          }
      }

  clear (builder);
  if (scale->max - scale->min > 9.0)
    {
      /* A long range on an axis too short for two labels. */
      double value = floor (scale->max);

      try_label (builder, value, ns_number_format_power (NULL, (int) value));
      return;
    }
  if (!build_log_125 (builder) && scale->max - scale->min < 1.0)
    build_log_zoomed (builder);
  add_log_minor (builder, 1.0);
}

static int
compare_ticks (gconstpointer a, gconstpointer b)
{
  const NsTick *left = *(NsTick *const *) a, *right = *(NsTick *const *) b;

  return left->value < right->value ? -1 : left->value > right->value;
}

static Builder
make_builder (const NsAxisMap *scale, double gap_px, NsTickMeasure measure, gpointer user_data)
{
  return (Builder){
    .scale = scale,
    .gap_px = fmax (gap_px, 0.0),
    .measure = measure,
    .user_data = user_data,
    .ticks = g_ptr_array_new_with_free_func (tick_free),
    .spans = g_array_new (FALSE, FALSE, sizeof (Span)),
  };
}

static GPtrArray *
finish_ticks (Builder *builder)
{
  g_ptr_array_sort (builder->ticks, compare_ticks);
  g_array_unref (builder->spans);
  return builder->ticks;
}

GPtrArray *
ns_ticks_new (const NsAxisMap *scale, gboolean integers, double first, double last, double gap_px,
              NsTickMeasure measure, gpointer user_data)
{
  Builder builder;

  g_return_val_if_fail (scale != NULL && measure != NULL, NULL);

  builder = make_builder (scale, gap_px, measure, user_data);
  if (integers)
    {
      gboolean is_log = scale->scale == NS_AXIS_LOG10;

      if (isnan (first))
        first = is_log ? log10 (ceil (pow (10.0, scale->min) - SLACK)) : ceil (scale->min - SLACK);
      if (isnan (last))
        last = is_log ? log10 (floor (pow (10.0, scale->max) + SLACK)) : floor (scale->max + SLACK);
      if (is_log)
        build_log_integers (&builder, first, last);
      else
        build_integers (&builder, first, last);
    }
  else if (scale->scale == NS_AXIS_LOG10)
    build_log (&builder);
  else
    build_linear (&builder);

  return finish_ticks (&builder);
}

GPtrArray *
ns_ticks_new_labels (const NsAxisMap *scale, char **labels, double gap_px, NsTickMeasure measure, gpointer user_data)
{
  Builder builder;
  guint n = g_strv_length (labels);

  g_return_val_if_fail (scale != NULL && measure != NULL, NULL);

  builder = make_builder (scale, gap_px, measure, user_data);
  for (guint i = 0; i < n; i++) /* the last label first */
    {
      guint label = (i + n - 1) % n;

      try_label (&builder, label, g_markup_escape_text (labels[label], -1));
    }
  return finish_ticks (&builder);
}
