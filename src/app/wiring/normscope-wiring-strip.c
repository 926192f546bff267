/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-strip.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-update.h"
#include "app/wiring/normscope-wiring-row.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-flow.h"
#include "figures/ns-verdict.h"
#include "figures/ns-wiring.h"

/* Px of a unit of the wiring, at text scale 1: as large as the window's type, and the least that is legible, alone and
 * among others. */
#define UNIT_PX       24.0
#define LEAST_PX      11.0
#define LEAST_MANY_PX 15.0
#define NAME_PX       104 /* column of the variants' names */
#define MARGIN_PX     6
#define LONG_VERDICT  200 /* letters of a long verdict on one part, with the block that it is of */
#define MAX_LINES     3   /* that it may take */

typedef enum { SHOW_NOTHING, SHOW_HINT, SHOW_ONE, SHOW_ALL } Shown;

struct _NormscopeWiringStrip
{
  GtkWidget parent_instance;

  NormscopeSession *session;
  NormscopeScalingRunner *scaling_runner;
  NsResult *result; /* the newest, or NULL */
  NsResult *trained; /* of a step of a training, which is shown instead; or NULL */
  gint64 step;       /* of `trained` */
  gboolean is_present; /* it is of the session's experiment */
  char *verdict; /* on the selected variant, or NULL */
  gint64 block;
  gboolean folded;

  GPtrArray *rows; /* NormscopeWiringRow of each variant */
  GtkLabel *caption;
  GtkLabel *hint;

  Shown shown; /* as normscope_wiring_strip_fit() chose */
};

G_DEFINE_FINAL_TYPE (NormscopeWiringStrip, normscope_wiring_strip, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_FOLDED, N_PROPS };
static GParamSpec *props[N_PROPS];

/* ---- contents ---- */

/* Return the block that the crosshair is at, or NAN's: where it was last. */
static gint64
find_block (NormscopeWiringStrip *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  double x = normscope_session_get_cursor (self->session);
  gint64 block = isnan (x) ? self->block : ns_flow_get_place (experiment, x).block;
  NsParts parts = ns_shape_get_parts (&experiment->shape);

  return CLAMP (block, 1, ns_parts_get_deepest (&parts));
}

/* Show the verdict on the selected variant, and which block the values are of. */
static void
show_caption (NormscopeWiringStrip *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  const char *name = ns_experiment_variant (experiment, normscope_session_get_selected (self->session))->name;
  g_autofree char *text = ns_wiring_dup_block (&experiment->shape, name, self->block);
  g_autofree char *line = NULL;

  if (self->trained != NULL && self->is_present)
    /* Translators: the first %s is "Pre-LN, block 1 of 24", the number a step of its training */
    line = g_strdup_printf (_ ("%s, step %d"), text, (int) self->step);
  else if (self->verdict != NULL)
    /* Translators: the first %s is "Pre-LN, block 1 of 24", the second one a sentence about it */
    line = g_strdup_printf (_ ("%s: %s"), text, self->verdict);
  else
    line = g_strdup (text);
  normscope_update_label (self->caption, line);
}

/* Return the newest sweep on the screen if it is complete, else NULL. */
static const NsSweep *
get_sweep (NormscopeWiringStrip *self)
{
  GPtrArray *tasks = normscope_scaling_runner_get_tasks (self->scaling_runner);
  const NormscopeTask *task = tasks->len > 0 ? g_ptr_array_index (tasks, 0) : NULL;

  return task != NULL && task->state == NORMSCOPE_TASK_DONE ? task->sweep : NULL;
}

static NsResult *
get_result (NormscopeWiringStrip *self)
{
  return self->trained != NULL ? self->trained : self->result;
}

/* The verdict is of a result of the present settings; no other. */
static void
update_verdict (NormscopeWiringStrip *self)
{
  g_clear_pointer (&self->verdict, g_free);
  if (self->is_present && self->trained == NULL)
    self->verdict = ns_verdict_dup (self->result, normscope_session_get_selected (self->session), get_sweep (self));
}

/* Return TRUE if a variant has a row where `shown` says so. */
static gboolean
has_row (NormscopeWiringStrip *self, Shown shown, guint variant)
{
  if (shown == SHOW_ALL)
    return !normscope_session_get_look (self->session, variant)->hidden;
  return shown == SHOW_ONE && variant == normscope_session_get_selected (self->session);
}

/* Show the present settings, or, unless `settings`, only another block or other values, which change no size. */
static void
show_rows (NormscopeWiringStrip *self, gboolean settings)
{
  guint n = normscope_session_get_n_variants (self->session);

  self->block = find_block (self);
  for (guint i = self->rows->len; i > n; i--)
    {
      gtk_widget_unparent (g_ptr_array_index (self->rows, i - 1));
      g_ptr_array_remove_index (self->rows, i - 1);
    }
  for (guint v = 0; v < n; v++)
    {
      if (v == self->rows->len)
        {
          GtkWidget *row = normscope_wiring_row_new (self->session);

          gtk_widget_insert_before (row, GTK_WIDGET (self), GTK_WIDGET (self->caption));
          g_ptr_array_add (self->rows, row);
        }
      if (settings || has_row (self, self->shown, v))
        normscope_wiring_row_show (g_ptr_array_index (self->rows, v), v, self->block,
                                   self->is_present ? get_result (self) : NULL);
    }
  show_caption (self);
}

/* While a question is open, nothing measured is shown. */
static void
compare_result (NormscopeWiringStrip *self)
{
  NsResult *result = get_result (self);

  self->is_present = result != NULL && !normscope_session_get_asking (self->session)
                     && ns_experiment_has_same_pass (ns_result_get_experiment (result),
                                                     normscope_session_get_experiment (self->session));
}

static void
changed_cb (NormscopeWiringStrip *self, guint change)
{
  const guint relevant = NORMSCOPE_CHANGED_LIST | NORMSCOPE_CHANGED_VIEW;

  if (change == NORMSCOPE_CHANGED_CURSOR)
    {
      if (find_block (self) != self->block)
        show_rows (self, FALSE);
      return;
    }
  if ((change & relevant) == 0)
    return;
  compare_result (self);
  update_verdict (self);
  show_rows (self, TRUE);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
result_cb (NormscopeWiringStrip *self, NsResult *result)
{
  g_clear_pointer (&self->result, ns_result_unref);
  self->result = ns_result_ref (result);
  compare_result (self);
  update_verdict (self);
  show_rows (self, FALSE);
}

void
normscope_wiring_strip_show_trained (NormscopeWiringStrip *self, NsResult *result, gint64 step)
{
  NsResult *former;

  g_return_if_fail (NORMSCOPE_IS_WIRING_STRIP (self));
  former = self->trained;
  if (former == NULL && result == NULL)
    return;
  self->trained = result != NULL ? ns_result_ref (result) : NULL;
  self->step = step;
  g_clear_pointer (&former, ns_result_unref);
  compare_result (self);
  update_verdict (self);
  show_rows (self, FALSE);
}

static void
swept_cb (NormscopeWiringStrip *self)
{
  update_verdict (self);
  show_caption (self);
}

/* ---- layout ---- */

/* Get the size in units of the rows that are shown, the greatest width and the sum of the heights, and their number. */
static void
get_size (NormscopeWiringStrip *self, Shown shown, double *width, double *height, int *n)
{
  *width = *height = 0;
  *n = 0;
  for (guint v = 0; v < self->rows->len; v++)
    if (has_row (self, shown, v))
      {
        double own_width, own_height;

        normscope_wiring_row_get_size (g_ptr_array_index (self->rows, v), &own_width, &own_height);
        *width = fmax (*width, own_width);
        *height += own_height;
        ++*n;
      }
}

static int
get_label_height (GtkLabel *label, int width)
{
  int height;

  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_HORIZONTAL, -1, &height, NULL, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (label), GTK_ORIENTATION_VERTICAL, width, &height, NULL, NULL, NULL);
  return height;
}

/* Return how many lines a long verdict takes. They depend on the width alone: else the plot would move with a verdict
 * while a slider is dragged. *line_height: in px. */
static int
count_caption_lines (NormscopeWiringStrip *self, int width, int *line_height)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self->caption));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  double letters = (double) width * PANGO_SCALE / pango_font_metrics_get_approximate_char_width (metrics);
  gint64 n_parts = ns_experiment_get_n_parts (normscope_session_get_experiment (self->session));

  *line_height = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
  pango_font_metrics_unref (metrics);
  return (int) CLAMP (ceil (LONG_VERDICT * (double) n_parts / letters), 1, MAX_LINES);
}

/* Try to show rows in `max_height` px. Return the height they take, or 0 if they would be too small. */
static int
fit_rows (NormscopeWiringStrip *self, Shown shown, int width, int max_height)
{
  double text_scale = normscope_session_get_view (self->session)->text_scale;
  double own_width, own_height, unit, least;
  int name_width, extra, n, line_height, n_lines = count_caption_lines (self, width, &line_height);
  gboolean is_new = self->shown != shown;

  get_size (self, shown, &own_width, &own_height, &n);
  name_width = n > 1 ? (int) (NAME_PX * (1 + (text_scale - 1) / 2)) : 0;
  least = (n > 1 ? LEAST_MANY_PX : LEAST_PX) * sqrt (text_scale);
  do
    {
      extra = n_lines * line_height + 2 * MARGIN_PX + n; /* each row is rounded up */
      unit = fmin (UNIT_PX * text_scale,
                   fmin ((width - 2 * MARGIN_PX - name_width) / own_width, (max_height - extra) / own_height));
    }
  while (unit < least && --n_lines > 0);
  if (unit < least)
    return 0;
  gtk_label_set_lines (self->caption, n_lines);
  for (guint v = 0; v < self->rows->len; v++)
    normscope_wiring_row_set_scale (g_ptr_array_index (self->rows, v), unit, name_width);
  self->shown = shown;
  if (is_new)
    show_rows (self, FALSE);
  return (int) floor (unit * own_height) + extra;
}

static guint
count_visible (NormscopeWiringStrip *self)
{
  guint n = 0;

  for (guint v = 0; v < normscope_session_get_n_variants (self->session); v++)
    n += normscope_session_get_look (self->session, v)->hidden ? 0 : 1;
  return n;
}

int
normscope_wiring_strip_fit (NormscopeWiringStrip *self, int width, int max_height)
{
  int height = 0;

  g_return_val_if_fail (NORMSCOPE_IS_WIRING_STRIP (self), 0);

  if (self->folded || self->session == NULL || width <= 2 * MARGIN_PX)
    {
      self->shown = SHOW_NOTHING;
      return 0;
    }
  if (count_visible (self) > 1)
    height = fit_rows (self, SHOW_ALL, width, max_height);
  if (height == 0)
    height = fit_rows (self, SHOW_ONE, width, max_height);
  if (height > 0)
    return height;
  height = get_label_height (self->hint, width);
  self->shown = height <= max_height ? SHOW_HINT : SHOW_NOTHING;
  return self->shown == SHOW_HINT ? height : 0;
}

/* A single row is in the middle; several begin at one edge. */
static void
allocate_row (NormscopeWiringStrip *self, GtkWidget *row, int width, int *y)
{
  GtkAllocation place = { MARGIN_PX, *y, 0, 0 };
  int minimum;

  normscope_wiring_row_get_px (NORMSCOPE_WIRING_ROW (row), &place.width, &place.height);
  if (self->shown == SHOW_ONE)
    place.x = MAX ((width - place.width) / 2, 0);
  gtk_widget_measure (row, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_size_allocate (row, &place, -1);
  *y += place.height;
}

static void
normscope_wiring_strip_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (widget);
  gboolean has_rows = self->shown == SHOW_ONE || self->shown == SHOW_ALL;
  GtkLabel *label = has_rows ? self->caption : self->hint;
  int y = MARGIN_PX, label_height = get_label_height (label, width);

  for (guint v = 0; v < self->rows->len; v++)
    {
      gboolean is_shown = has_row (self, self->shown, v);

      gtk_widget_set_child_visible (g_ptr_array_index (self->rows, v), is_shown);
      if (is_shown)
        allocate_row (self, g_ptr_array_index (self->rows, v), width, &y);
    }
  gtk_widget_set_child_visible (GTK_WIDGET (self->caption), has_rows);
  gtk_widget_set_child_visible (GTK_WIDGET (self->hint), self->shown == SHOW_HINT);
  if (self->shown != SHOW_NOTHING)
    gtk_widget_size_allocate (GTK_WIDGET (label),
                              &(GtkAllocation){ 0, has_rows ? y + MARGIN_PX : MAX (height - label_height, 0), width,
                                                label_height },
                              -1);
}

/* The shelf gives the strip what normscope_wiring_strip_fit() returns. */
static void
normscope_wiring_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                                int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
}

/* ---- the object ---- */

void
normscope_wiring_strip_set_session (NormscopeWiringStrip *self, NormscopeSession *session, NormscopeRunner *runner,
                                    NormscopeScalingRunner *scaling_runner)
{
  g_return_if_fail (NORMSCOPE_IS_WIRING_STRIP (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  g_return_if_fail (NORMSCOPE_IS_RUNNER (runner));
  g_return_if_fail (NORMSCOPE_IS_SCALING_RUNNER (scaling_runner));

  self->session = g_object_ref (session);
  self->scaling_runner = g_object_ref (scaling_runner);
  g_signal_connect_object (session, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (runner, "result", G_CALLBACK (result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (scaling_runner, "changed", G_CALLBACK (swept_cb), self, G_CONNECT_SWAPPED);
  show_rows (self, TRUE);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

gboolean
normscope_wiring_strip_get_folded (NormscopeWiringStrip *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING_STRIP (self), FALSE);
  return self->folded;
}

static void
normscope_wiring_strip_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_FOLDED:
      g_value_set_boolean (value, NORMSCOPE_WIRING_STRIP (object)->folded);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_wiring_strip_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (object);

  switch (id)
    {
    case PROP_FOLDED:
      if (self->folded == g_value_get_boolean (value))
        break;
      self->folded = g_value_get_boolean (value);
      gtk_widget_queue_resize (GTK_WIDGET (self));
      g_object_notify_by_pspec (object, props[PROP_FOLDED]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_wiring_strip_dispose (GObject *object)
{
  NormscopeWiringStrip *self = NORMSCOPE_WIRING_STRIP (object);

  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_unparent (g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
  g_clear_pointer ((GtkWidget **) &self->caption, gtk_widget_unparent);
  g_clear_pointer ((GtkWidget **) &self->hint, gtk_widget_unparent);
  g_clear_pointer (&self->result, ns_result_unref);
  g_clear_pointer (&self->trained, ns_result_unref);
  g_clear_object (&self->scaling_runner);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_wiring_strip_parent_class)->dispose (object);
}

static void
normscope_wiring_strip_finalize (GObject *object)
{
  g_ptr_array_unref (NORMSCOPE_WIRING_STRIP (object)->rows);
  g_free (NORMSCOPE_WIRING_STRIP (object)->verdict);
  G_OBJECT_CLASS (normscope_wiring_strip_parent_class)->finalize (object);
}

static void
normscope_wiring_strip_class_init (NormscopeWiringStripClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = normscope_wiring_strip_get_property;
  object_class->set_property = normscope_wiring_strip_set_property;
  object_class->dispose = normscope_wiring_strip_dispose;
  object_class->finalize = normscope_wiring_strip_finalize;
  widget_class->measure = normscope_wiring_strip_measure;
  widget_class->size_allocate = normscope_wiring_strip_size_allocate;

  props[PROP_FOLDED] = g_param_spec_boolean ("folded", NULL, NULL, FALSE,
                                             G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_css_name (widget_class, "wiringstrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
}

static GtkLabel *
make_label (NormscopeWiringStrip *self, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return GTK_LABEL (label);
}

static void
normscope_wiring_strip_init (NormscopeWiringStrip *self)
{
  self->rows = g_ptr_array_new ();
  self->block = 1;
  self->shown = SHOW_ONE;
  self->caption = make_label (self, NULL);
  gtk_label_set_wrap (self->caption, TRUE);
  gtk_label_set_yalign (self->caption, 0);
  self->hint = make_label (self, _ ("No room for the wiring: enlarge the window or make the text smaller (Ctrl+−)"));
  gtk_widget_add_css_class (GTK_WIDGET (self->caption), "caption-line");
  gtk_widget_add_css_class (GTK_WIDGET (self->hint), "dim-label");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->hint), gtk_label_get_label (self->hint));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Wiring"), -1);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}
