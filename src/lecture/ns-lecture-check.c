/* Check steps and questions as a whole.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "document/ns-short-text.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/experiment/ns-validate.h"
#include "lecture/ns-lecture-private.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

gboolean
ns_lecture_refuse (GError **error, const char *key, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  if (error != NULL && *error != NULL)
    return FALSE;
  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return ns_short_refuse (error, NS_SHORT_MAX_MESSAGE, "%s: %s", key, what);
}

/* Return a clause on a character that a text must not have, or NULL; caller frees. */
static char *
dup_bad_character (const char *text)
{
  guint line = 1;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '\n')
        line++;
      else if (c != '\t' && ns_text_is_control (c))
        return g_strdup_printf (_ ("line %u has the control character U+%04X; allowed: text, line breaks and tabs"),
                                line, (guint) c);
    }
  return NULL;
}

gboolean
ns_lecture_check_text (const char *key, const char *text, gboolean is_markup, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (NsProse) prose = NULL;
  g_autofree char *bad = NULL;

  if (strlen (text) > NS_PROSE_MAX_BYTES)
    return ns_lecture_refuse (error, key, _ ("%zu bytes are too many; allowed: up to %d"), strlen (text),
                              NS_PROSE_MAX_BYTES);
  bad = dup_bad_character (text);
  if (bad != NULL)
    return ns_lecture_refuse (error, key, "%s", bad);
  prose = is_markup ? ns_prose_parse (text, &cause) : NULL;
  return !is_markup || prose != NULL || ns_lecture_refuse (error, key, "%s", cause->message);
}

/* ---- tests ---- */

NsPart
ns_point_get_part (const NsPoint *point, const NsExperiment *experiment)
{
  if (ns_experiment_get_n_parts (experiment) < 2)
    return NS_PART_STACK;
  return point->part == NS_PART_STACK ? NS_PART_DECODER : point->part;
}

/* Return TRUE if the variant has the quantity at the block, or at some block if there is none. */
static gboolean
point_exists (const NsPoint *point, gboolean has_block, const NsExperiment *experiment)
{
  NsPart part = ns_point_get_part (point, experiment);
  gint64 depth = ns_experiment_get_depth (experiment, part);

  if (ns_quantity_is_of_head (point->quantity))
    return has_block
           && ns_quantity_exists (point->quantity, experiment, point->variant,
                                  ns_experiment_get_head_site (experiment));
  if (has_block && (point->block > 0 || point->block == NS_BLOCK_INPUT || point->block == NS_BLOCK_LAST))
    {
      gint64 layer = point->block == NS_BLOCK_INPUT ? 0 : point->block == NS_BLOCK_LAST ? depth : point->block;

      return ns_quantity_exists (point->quantity, experiment, point->variant,
                                 ns_experiment_get_site (experiment, part, layer));
    }
  for (gint64 block = 1; block <= depth; block++)
    if (ns_quantity_exists (point->quantity, experiment, point->variant,
                            ns_experiment_get_site (experiment, part, block)))
      return TRUE;
  return FALSE;
}

static gboolean
check_point (const NsPoint *point, guint fields, const char *path, const NsExperiment *experiment, GError **error)
{
  gboolean has_block = (fields & NS_TEST_HAS_BLOCK) != 0;
  gint64 depth = ns_experiment_get_depth (experiment, ns_point_get_part (point, experiment));
  g_autofree char *variant_key = g_strconcat (path, ".variant", NULL);
  g_autofree char *block_key = g_strconcat (path, ".block", NULL);
  g_autofree char *part_key = g_strconcat (path, ".part", NULL);
  g_autofree char *quantity_key = g_strconcat (path, ".quantity", NULL);
  g_autofree char *step_key = g_strconcat (path, ".step", NULL);

  if ((fields & NS_TEST_HAS_VARIANT) != 0 && point->variant >= experiment->variants->len)
    return ns_lecture_refuse (error, variant_key, _ ("the step has no variant %u; allowed: 1 to %u"),
                              point->variant + 1, experiment->variants->len);
  if (has_block && point->block > depth)
    return ns_lecture_refuse (error, block_key, _ ("%d is not allowed; allowed: 1 to %d, the depth of the experiment"),
                              point->block, (int) depth);
  if ((fields & NS_TEST_HAS_PART) != 0 && point->part != NS_PART_STACK && ns_experiment_get_n_parts (experiment) < 2)
    return ns_lecture_refuse (error, part_key, _ ("“%s” is not allowed; allowed: stack, since it is a single stack"),
                              ns_part_get_name (point->part));
  if ((fields & NS_TEST_HAS_QUANTITY) != 0 && !point_exists (point, has_block, experiment))
    return ns_lecture_refuse (error, quantity_key, _ ("the variant has no %s there"),
                              ns_quantity_info (point->quantity)->name);
  return (fields & NS_TEST_HAS_STEP) == 0 || ns_question_check_step (point, step_key, experiment, error);
}

static gboolean
check_test (const NsTest *test, const char *path, const NsExperiment *experiment, guint level, GError **error)
{
  guint fields = ns_test_info (test->kind)->fields;
  guint n = test->parts != NULL ? test->parts->len : 0;
  guint most = test->kind == NS_TEST_NOT ? 1 : NS_TEST_MAX_PARTS;

  if (level > NS_TEST_MAX_DEPTH)
    return ns_lecture_refuse (error, path, _ ("tests within tests are allowed up to %d levels"), NS_TEST_MAX_DEPTH);
  if (!check_point (&test->of, fields, path, experiment, error)
      || (ns_test_info (test->kind)->needs_training && !ns_question_check_training (path, experiment, error)))
    return FALSE;
  if (ns_test_has_over (test))
    {
      g_autofree char *over = g_strconcat (path, ".over", NULL);

      if (!check_point (&test->over, fields, over, experiment, error))
        return FALSE;
    }
  if ((fields & NS_TEST_HAS_RANGE) != 0 && !(test->min <= test->max))
    return ns_lecture_refuse (error, path, _ ("min is %g and max is %g; allowed: min up to max"), test->min, test->max);
  if ((fields & NS_TEST_HAS_PARTS) != 0 && (n < 1 || n > most))
    return ns_lecture_refuse (error, path, _ ("%u tests are not allowed; allowed: 1 to %u"), n, most);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *part = g_strdup_printf ("%s.tests[%u]", path, i);
      const NsTest *inner = g_ptr_array_index (test->parts, i);

      if (inner->kind == NS_TEST_OTHERWISE)
        return ns_lecture_refuse (error, part, _ ("“otherwise” is allowed only as the whole test of a choice"));
      if (!check_test (inner, part, experiment, level + 1, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- questions ---- */

static gboolean
check_choices (const NsQuestion *question, const NsExperiment *experiment, GError **error)
{
  guint n = question->choices->len, n_otherwise = 0;

  if (n < 2 || n > NS_QUESTION_MAX_CHOICES)
    return ns_lecture_refuse (error, "choices", _ ("%u choices are not allowed; allowed: 2 to %d"), n,
                              NS_QUESTION_MAX_CHOICES);
  for (guint c = 0; c < n; c++)
    {
      const NsChoice *choice = g_ptr_array_index (question->choices, c);
      g_autofree char *text = g_strdup_printf ("choices[%u].text", c);
      g_autofree char *test = g_strdup_printf ("choices[%u].test", c);

      if (*choice->text == '\0')
        return ns_lecture_refuse (error, text, _ ("the text is empty; allowed: what the audience can choose"));
      n_otherwise += choice->test->kind == NS_TEST_OTHERWISE;
      if (n_otherwise > 1)
        return ns_lecture_refuse (error, test, _ ("“otherwise” is allowed for one choice only"));
      if (!ns_lecture_check_text (text, choice->text, TRUE, error)
          || !check_test (choice->test, test, experiment, 1, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
ns_question_validate (const NsQuestion *question, const NsExperiment *experiment, GError **error)
{
  if (question == NULL || question->kind == NS_QUESTION_NONE)
    return TRUE;
  if (!ns_lecture_check_text ("text", question->text, TRUE, error))
    return FALSE;
  if (question->kind == NS_QUESTION_CHOICE)
    return check_choices (question, experiment, error);
  if (question->kind == NS_QUESTION_NUMBER && !ns_test_info (question->number->kind)->is_number)
    return ns_lecture_refuse (error, "number.kind", _ ("“%s” is not a number"),
                              ns_test_info (question->number->kind)->id);
  if (question->kind == NS_QUESTION_NUMBER)
    return check_test (question->number, "number", experiment, 1, error);
  return check_point (&question->curve, NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART, "curve",
                      experiment, error);
}

/* ---- steps ---- */

static gboolean
check_view (const NsLectureStep *step, GError **error)
{
  const NsLectureView *view = &step->view;
  guint n = step->experiment->variants->len;
  gint64 last = ns_flow_get_last_x (step->experiment);
  NsParts parts = ns_shape_get_parts (&step->experiment->shape);
  guint64 all = (G_GUINT64_CONSTANT (1) << n) - 1;

  if ((view->hidden & all) == all)
    return ns_lecture_refuse (error, "view.hidden", _ ("every variant is hidden; allowed: all but one"));
  if (!isnan (view->cursor) && !(view->cursor >= 0 && view->cursor <= (double) last))
    return ns_lecture_refuse (error, "view.crosshair", _ ("%g is not allowed; allowed: 0 to %d"), view->cursor,
                              (int) last);
  if (view->figure == NS_FIGURE_BLOCK
      && (view->options.block < 1 || view->options.block > ns_parts_get_deepest (&parts)))
    return ns_lecture_refuse (error, "view.block", _ ("%d is not allowed; allowed: 1 to %d"), view->options.block,
                              (int) ns_parts_get_deepest (&parts));
  if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_TRAINING)
      && view->options.training.step >= step->experiment->training.steps)
    return ns_lecture_refuse (error, "view.step", _ ("%d is not allowed; allowed: 0 to %lld, or \"last\""),
                              view->options.training.step, (long long) step->experiment->training.steps - 1);
  if (view->figure == NS_FIGURE_SCALING && view->scaling.ratio
      && MAX (view->scaling.numerator, view->scaling.denominator) >= n)
    return ns_lecture_refuse (error, "view.ratio", _ ("the ratio needs two variants of the step; it has %u"), n);
  for (guint i = 0; step->marks != NULL && i < step->marks->notes->len; i++)
    if (((const NsNote *) g_ptr_array_index (step->marks->notes, i))->variant >= (int) n)
      return ns_lecture_refuse (error, "view.notes", _ ("note %u is about a variant that the step does not have"),
                                i + 1);
  return TRUE;
}

/* Check that the ends of the widths are possible. */
static gboolean
check_widths (const NsLectureStep *step, GError **error)
{
  NsMetric metric = { .quantity = NS_Q_RMS_X, .where = NS_AT_LAST };
  g_autoptr (GError) cause = NULL;
  g_autoptr (NsSweep) sweep = NULL;
  g_autofree gint64 *widths = NULL;
  guint n;

  if (!ns_lecture_step_needs (step, NS_FIGURE_NEEDS_COORDINATES))
    return TRUE;
  widths = ns_coordinate_read_widths (step->experiment, step->view.options.widths, &n, &cause);
  if (widths != NULL)
    {
      gint64 ends[] = { widths[0], widths[n - 1] };

      sweep = ns_sweep_new (step->experiment, NS_SWEEP_D_MODEL, ends, MIN (n, G_N_ELEMENTS (ends)), metric, &cause);
    }
  return sweep != NULL || ns_lecture_refuse (error, "view.widths", "%s", cause->message);
}

/* Check that the sweep is possible, if there is one. Only its ends are tried: a range can have thousands of points. */
static gboolean
check_sweep (const NsLectureStep *step, GError **error)
{
  const NsScalingSettings *settings = &step->view.scaling;
  gint64 ends[] = { settings->first[settings->axis], settings->last[settings->axis] };
  g_autoptr (GError) cause = NULL;
  g_autoptr (NsSweep) sweep = NULL;

  if (!ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP))
    return TRUE;
  sweep = ns_sweep_new (step->experiment, settings->axis, ends, G_N_ELEMENTS (ends),
                        ns_scaling_settings_get_metric (settings, step->experiment), &cause);
  return sweep != NULL || ns_lecture_refuse (error, "view.range", "%s", cause->message);
}

gboolean
ns_lecture_step_validate (const NsLectureStep *step, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (!ns_text_is_line (step->title) || strlen (step->title) > NS_LECTURE_MAX_TITLE_BYTES)
    return ns_lecture_refuse (error, "title", _ ("allowed: one line of 1 to %u bytes without control characters"),
                              NS_LECTURE_MAX_TITLE_BYTES);
  if (!ns_lecture_check_text ("text", step->text, TRUE, error)
      || !ns_lecture_check_text ("notes", step->notes, FALSE, error))
    return FALSE;
  if (!ns_experiment_validate (step->experiment, &cause))
    return ns_lecture_refuse (error, "experiment", "%s", cause->message);
  if ((ns_lecture_step_needs (step, NS_FIGURE_NEEDS_TRAINING)
       || ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SENSITIVITY)
       || ns_lecture_step_needs (step, NS_FIGURE_NEEDS_COORDINATES))
      && !ns_experiment_validate_training (step->experiment, &cause))
    return ns_lecture_refuse (error, "experiment", "%s", cause->message);
  if (!check_view (step, error))
    return FALSE;
  if (step->marks != NULL && !ns_marks_validate (step->marks, &cause))
    return ns_lecture_refuse (error, "view", "%s", cause->message);
  if (!ns_question_validate (step->question, step->experiment, &cause))
    return ns_lecture_refuse (error, "question", "%s", cause->message);
  return check_sweep (step, error) && check_widths (step, error);
}
