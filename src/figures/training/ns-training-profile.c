/* The flow figure at a step of a training: gradient norms and activations by block.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-curve.h"
#include "figures/ns-flow-private.h"
#include "figures/ns-links.h"
#include "figures/training/ns-training-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The numbers of a recorded step, and how they are shown. */
typedef struct
{
  guint record;
  gint64 step;
  NsResult *result, *ghost; /* owned; NULL: no memory, or no former training */
  NsMarks *marks;           /* owned; of the flow options */
  NsFlowOptions flow;
} Profile;

static void
profile_clear (Profile *profile)
{
  g_clear_pointer (&profile->result, ns_result_unref);
  g_clear_pointer (&profile->ghost, ns_result_unref);
  g_clear_pointer (&profile->marks, ns_marks_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Profile, profile_clear)

guint
ns_training_get_record (const NsTraining *training, const NsTrainingOptions *options)
{
  guint n_variants = ns_training_get_experiment (training)->variants->len, n = 1;

  if (options->step >= 0)
    return ns_training_find_record (training, options->step);
  for (guint v = 0; v < n_variants; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training) && ns_variant_is_visible (options->hidden, v); s++)
      n = MAX (n, ns_training_count_records (training, v, s));
  return n - 1;
}

/* Return TRUE if a run of the variant has the record. */
static gboolean
has_record (const NsTraining *training, guint variant, guint record)
{
  for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
    if (record < ns_training_count_records (training, variant, s))
      return TRUE;
  return FALSE;
}

/* Return the pins and notes, which get the values of the step. Kept curves are of initialization. */
static NsMarks *
make_marks (const NsMarks *marks)
{
  NsMarks *own = ns_marks_new ();

  for (guint i = 0; i < ns_marks_get_n (marks, NS_MARKS_PINS); i++)
    ns_marks_add_pin (own, &g_array_index (marks->pins, NsPin, i));
  for (guint i = 0; i < ns_marks_get_n (marks, NS_MARKS_NOTES); i++)
    ns_marks_add_note (own, g_ptr_array_index (marks->notes, i));
  return own;
}

static Profile
profile_new (const NsFigureSource *source, const NsFigureOptions *options)
{
  const NsTrainingOptions *own = &options->training;
  Profile profile = { .record = ns_training_get_record (source->training, own), .flow = options->flow };
  guint n;

  profile.step = ns_training_get_records (source->training, &n)[profile.record];
  profile.result = ns_training_get_result (source->training, profile.record);
  if (source->former != NULL)
    profile.ghost = ns_training_get_result (source->former, ns_training_find_record (source->former, profile.step));
  profile.flow.hidden = own->hidden;
  profile.flow.colors = own->colors;
  profile.flow.has_color = own->has_color;
  profile.flow.styles = own->styles;
  profile.flow.n_seeds_wanted = 0;
  profile.flow.predictions &= profile.step == 0; /* they are of initialization */
  profile.flow.marks = profile.marks = make_marks (options->flow.marks);
  profile.flow.in_training = TRUE;
  profile.flow.titles = FALSE;
  return profile;
}

NsFigure *
ns_training_make_profile (const NsFigureSource *source, const NsFigureOptions *options)
{
  g_auto (Profile) profile = profile_new (source, options);
  NsFigure *figure;
  NsPanel *panel;

  if (profile.result == NULL)
    {
      figure = ns_figure_new ();
      panel = ns_figure_add_panel (figure, NULL, NS_AXIS_LINEAR);
      panel->message = g_strdup (_ ("The system refused memory for the numbers of this step."));
      return figure;
    }
  figure = ns_flow_figure (profile.result, profile.ghost, &profile.flow);
  ns_training_finish_figure (figure, source, options, ns_training_make_profile_sentence (source, options, NULL));
  if (figure->title == NULL)
    {
      g_free (figure->note);
      figure->note = g_strdup_printf (_ ("Step %lld"), (long long) profile.step);
      return figure;
    }
  g_free (figure->title);
  figure->title = ns_training_dup_title (source->training, profile.step);
  return figure;
}

/* Say why a variant has no numbers at the step. */
static char *
dup_absence (const NsTraining *training, guint variant)
{
  const char *name = ns_experiment_variant (ns_training_get_experiment (training), variant)->name;
  int first = ns_training_find_divergence (training, variant, NULL);
  g_autofree char *where = first >= 0 ? ns_training_dup_divergence (training, variant, (guint) first) : NULL;

  if (where == NULL)
    return g_strdup_printf (_ ("%s has not reached this step."), name);
  /* Translators: a variant; “step 37, block 5” */
  return g_strdup_printf (_ ("%s has diverged at %s."), name, where);
}

char *
ns_training_make_profile_sentence (const NsFigureSource *source, const NsFigureOptions *options, GArray **links)
{
  g_auto (Profile) profile = profile_new (source, options);
  g_autoptr (GString) absent = g_string_new (NULL);
  guint n_variants = ns_training_get_experiment (source->training)->variants->len, n_shown = 0;
  g_autofree char *flow = NULL;

  for (guint v = 0; v < n_variants; v++)
    if (ns_variant_is_visible (profile.flow.hidden, v) && !has_record (source->training, v, profile.record))
      {
        g_autofree char *line = dup_absence (source->training, v);

        profile.flow.hidden |= (guint64) 1 << v;
        g_string_append_printf (absent, "\n%s", line);
      }
    else
      n_shown += ns_variant_is_visible (profile.flow.hidden, v);
  if (profile.result == NULL)
    return NULL;
  if (n_shown == 0 && absent->len > 0)
    return ns_links_resolve (g_strdup (absent->str + 1), links);
  flow = ns_flow_linked_sentence (profile.result, &profile.flow, links);
  return g_strconcat (flow, absent->str, NULL);
}

NsReadout *
ns_training_make_profile_readout (const NsFigureSource *source, const NsFigureOptions *options, double x, double y)
{
  g_auto (Profile) profile = profile_new (source, options);
  g_autofree char *place = NULL;
  NsReadout *readout;

  (void) y;
  if (profile.result == NULL)
    return ns_readout_new (g_strdup (""));
  readout = ns_flow_readout_table (profile.result, &profile.flow, isfinite (x) ? (gint64) llround (x) : 0);
  place = g_steal_pointer (&readout->place);
  /* Translators: a step and a place such as “Block 3” */
  readout->place = g_strdup_printf (_ ("Step %lld · %s"), (long long) profile.step, place);
  return readout;
}
