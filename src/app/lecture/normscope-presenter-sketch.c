/* The plots of a question: empty axes, and the sketch that lies on them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-presenter-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "engine/experiment/ns-quantity.h"
#include "lecture/ns-sketch.h"
#include "plot/ns-figure-veil.h"

/* The guess is no variant's, so it has no colour of the palette. */
static const NsColor guess_color = { 0.5, 0.5, 0.5 };

/* ---- the plots ---- */

static const NsPoint *
get_curve (NormscopePresenter *self)
{
  return &self->asked.step->question->curve;
}

/* Let the sketch cover the blocks of its curve: those of a part, where the axis has parts. */
static void
set_sketch_range (NormscopePresenter *self, const NsFigure *figure)
{
  const GPtrArray *parts = figure->x_parts;
  double first, last;

  if (!ns_figure_get_x_range (figure, self->asked.panel, &first, &last))
    return;
  if (parts->len > 0)
    {
      gboolean is_encoder = get_curve (self)->part == NS_PART_ENCODER;
      const NsAxisPart *part = g_ptr_array_index (parts, is_encoder ? 0 : parts->len - 1);

      first = MAX (first, part->start);
      last = MIN (last, part->end);
    }
  if (first <= last)
    normscope_sketch_set_range (self->asked.sketch, (gint64) first, (gint64) last);
}

static void
add_guess (NormscopePresenter *self, NsFigure *figure)
{
  g_autofree double *x = g_new (double, self->asked.n_guess), *y = g_new (double, self->asked.n_guess);
  NsSeries *series;
  guint n = 0;

  if (self->asked.panel >= figure->panels->len)
    return;
  for (guint i = 0; i < self->asked.n_guess; i++)
    if (!isnan (self->asked.guess[i]))
      {
        x[n] = (double) (self->asked.guess_first + i);
        y[n++] = self->asked.guess[i];
      }
  if (n == 0)
    return;
  series = ns_panel_add_series (g_ptr_array_index (figure->panels, self->asked.panel), _ ("Guess"), NS_SERIES_LINE, 0,
                                n, x, y, NULL, NULL, NULL);
  series->role = NS_ROLE_REFERENCE;
  series->has_color = TRUE;
  series->color = guess_color;
}

/* The plots of the other views: nothing of the sketch belongs there. */
static void
hide_curves_cb (NsFigure *figure, gpointer data)
{
  NormscopePresenter *self = data;

  if (self->asked.is_open)
    ns_figure_hide_values (figure);
}

/* The plot that the sketch lies on. */
static void
sketched_cb (NsFigure *figure, gpointer data)
{
  NormscopePresenter *self = data;

  if (self->asked.is_open && self->asked.sketch != NULL)
    {
      set_sketch_range (self, figure);
      gtk_widget_queue_draw (GTK_WIDGET (self->asked.sketch));
    }
  else if (!self->asked.is_open && self->asked.guess != NULL)
    {
      add_guess (self, figure);
    }
  hide_curves_cb (figure, self);
}

void
normscope_presenter_set_filters (NormscopePresenter *self, gboolean is_asking)
{
  for (NsFigureKind f = 0; f < NS_N_FIGURES; f++)
    if (self->plots[f] != NULL)
      normscope_plot_set_filter (self->plots[f],
                                 !is_asking            ? NULL
                                 : f == NS_FIGURE_FLOW ? sketched_cb
                                                       : hide_curves_cb,
                                 self);
}

void
normscope_presenter_set_plot (NormscopePresenter *self, NsFigureKind figure, NormscopePlot *plot)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self) && figure < NS_N_FIGURES);
  self->plots[figure] = plot;
}

/* ---- the sketch ---- */

/* Show the quantity of the sketch, and return its panel. */
static guint
show_quantity (NormscopePresenter *self, NsQuantity quantity)
{
  NormscopeView view = *normscope_session_get_view (self->session);

  if (quantity == NS_Q_TOKEN_COS && view.activation != NS_Q_TOKEN_COS)
    {
      view.token_cos = NS_TOKEN_COS_ALWAYS;
      normscope_session_set_view (self->session, &view);
      return 2;
    }
  if (ns_quantity_is_offered (quantity, NS_KIND_GRADIENT))
    view.gradient = quantity;
  else
    view.activation = quantity;
  normscope_session_set_view (self->session, &view);
  return ns_quantity_is_offered (quantity, NS_KIND_GRADIENT) ? 0 : 1;
}

void
normscope_presenter_add_sketch (NormscopePresenter *self)
{
  NormscopePlot *plot = self->plots[NS_FIGURE_FLOW];

  if (plot == NULL)
    return;
  self->asked.panel = show_quantity (self, get_curve (self)->quantity);
  self->asked.sketch = NORMSCOPE_SKETCH (normscope_sketch_new (plot, self->asked.panel));
  gtk_overlay_add_overlay (self->overlay, GTK_WIDGET (self->asked.sketch));
}

/* GTK would move the focus from a widget that goes to some button, which Space presses. */
void
normscope_presenter_take_focus_out (NormscopePresenter *self, gpointer widget)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkWidget *focus = window != NULL ? gtk_window_get_focus (window) : NULL;

  if (focus != NULL && widget != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
    gtk_window_set_focus (window, NULL);
}

void
normscope_presenter_remove_sketch (NormscopePresenter *self)
{
  normscope_presenter_take_focus_out (self, self->asked.sketch);
  if (self->asked.sketch != NULL)
    gtk_overlay_remove_overlay (self->overlay, GTK_WIDGET (self->asked.sketch));
  self->asked.sketch = NULL;
}

void
normscope_presenter_keep_guess (NormscopePresenter *self)
{
  NormscopeSketch *sketch = self->asked.sketch;
  gint64 first, last;

  if (sketch == NULL || !normscope_sketch_is_drawn (sketch))
    return;
  normscope_sketch_get_range (sketch, &first, &last);
  self->asked.guess_first = first;
  self->asked.n_guess = (guint) (last - first + 1);
  self->asked.guess = g_new (double, self->asked.n_guess);
  for (guint i = 0; i < self->asked.n_guess; i++)
    self->asked.guess[i] = normscope_sketch_get_value (sketch, first + i);
}

/* Return the x of a block of the curve: blocks of a part are numbered from its start. */
static gint64
get_offset (NormscopePresenter *self)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plots[NS_FIGURE_FLOW]);
  gboolean is_encoder = get_curve (self)->part == NS_PART_ENCODER;

  if (figure == NULL || figure->x_parts->len == 0)
    return 0;
  return (gint64) ((const NsAxisPart *) g_ptr_array_index (figure->x_parts, is_encoder ? 0 : figure->x_parts->len - 1))
      ->offset;
}

char *
normscope_presenter_dup_sketch_error (NormscopePresenter *self, const NsAnswer *answer)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plots[NS_FIGURE_FLOW]);
  g_autofree double *guess = g_new (double, answer->n);
  gint64 offset = get_offset (self);
  gboolean is_log10 = figure != NULL && self->asked.panel < figure->panels->len
                      && ((const NsPanel *) g_ptr_array_index (figure->panels, self->asked.panel))->scale
                             == NS_AXIS_LOG10;
  NsSketchError error;

  for (guint i = 0; i < answer->n; i++)
    {
      gint64 at = answer->blocks[i] + offset - self->asked.guess_first;

      guess[i] = self->asked.guess != NULL && at >= 0 && at < self->asked.n_guess ? self->asked.guess[at] : NAN;
    }
  error = ns_sketch_compare (answer, guess, is_log10);
  return ns_sketch_error_dup_text (&error);
}
