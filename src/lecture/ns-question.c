/* Questions and tests as values.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-question.h"

#include "document/ns-file.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* ---- tests ---- */

NsTest *
ns_test_new (NsTestKind kind)
{
  NsTest *test = g_new0 (NsTest, 1);

  test->kind = kind;
  test->of = (NsPoint) { .quantity = NS_Q_BLOCK, .block = NS_BLOCK_LAST };
  test->over = test->of;
  test->over.block = NS_BLOCK_FIRST;
  test->min = -INFINITY;
  test->max = INFINITY;
  if ((ns_test_info (kind)->fields & NS_TEST_HAS_PARTS) != 0)
    test->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_test_free);
  return test;
}

NsTest *
ns_test_copy (const NsTest *test)
{
  NsTest *copy = g_new (NsTest, 1);

  *copy = *test;
  if (test->parts == NULL)
    return copy;
  copy->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_test_free);
  for (guint i = 0; i < test->parts->len; i++)
    g_ptr_array_add (copy->parts, ns_test_copy (g_ptr_array_index (test->parts, i)));
  return copy;
}

void
ns_test_free (NsTest *test)
{
  if (test == NULL)
    return;
  g_clear_pointer (&test->parts, g_ptr_array_unref);
  g_free (test);
}

/* Compare the fields that the kind of the test reads. */
static gboolean
points_equal (guint fields, const NsPoint *a, const NsPoint *b)
{
  return ((fields & NS_TEST_HAS_VARIANT) == 0 || a->variant == b->variant)
         && ((fields & NS_TEST_HAS_QUANTITY) == 0 || a->quantity == b->quantity)
         && ((fields & NS_TEST_HAS_PART) == 0 || a->part == b->part)
         && ((fields & NS_TEST_HAS_BLOCK) == 0 || a->block == b->block)
         && ((fields & NS_TEST_HAS_STEP) == 0
             || (a->in_training == b->in_training && (!a->in_training || a->step == b->step)));
}

gboolean
ns_test_equal (const NsTest *a, const NsTest *b)
{
  guint fields;
  guint n_parts;

  if (a == NULL || b == NULL || a->kind != b->kind)
    return a == b;
  fields = ns_test_info (a->kind)->fields;
  n_parts = a->parts != NULL ? a->parts->len : 0;
  if (!points_equal (fields, &a->of, &b->of)
      || ((fields & NS_TEST_HAS_OPTIONAL_OVER) != 0 && a->has_over != b->has_over)
      || (ns_test_has_over (a) && !points_equal (fields, &a->over, &b->over))
      || ((fields & NS_TEST_HAS_WORD) != 0 && a->word != b->word)
      || ((fields & NS_TEST_HAS_RANGE) != 0 && (a->min != b->min || a->max != b->max))
      || n_parts != (b->parts != NULL ? b->parts->len : 0))
    return FALSE;
  for (guint i = 0; i < n_parts; i++)
    if (!ns_test_equal (g_ptr_array_index (a->parts, i), g_ptr_array_index (b->parts, i)))
      return FALSE;
  return TRUE;
}

gboolean
ns_test_has_over (const NsTest *test)
{
  guint fields = ns_test_info (test->kind)->fields;

  return (fields & NS_TEST_HAS_OVER) != 0 || ((fields & NS_TEST_HAS_OPTIONAL_OVER) != 0 && test->has_over);
}

/* What a test reads. */
typedef enum { READS_RESULT, READS_SWEEP, READS_TRAINING } Reads;

/* Return TRUE if the test, or one of its parts, reads that. */
static gboolean
test_reads (const NsTest *test, Reads what)
{
  const NsTestInfo *info = ns_test_info (test->kind);
  gboolean has_step = (info->fields & NS_TEST_HAS_STEP) != 0;
  gboolean of = has_step && test->of.in_training;
  gboolean over = has_step && ns_test_has_over (test) && test->over.in_training;

  for (guint i = 0; test->parts != NULL && i < test->parts->len; i++)
    if (test_reads (g_ptr_array_index (test->parts, i), what))
      return TRUE;
  if (what == READS_SWEEP)
    return info->needs_sweep;
  if (what == READS_TRAINING)
    return info->needs_training || of || over;
  if ((info->fields & NS_TEST_HAS_VARIANT) == 0 || info->needs_sweep || info->needs_training)
    return FALSE;
  return !of || (ns_test_has_over (test) && !over);
}

/* ---- questions ---- */

static const char *const kind_ids[NS_N_QUESTIONS + 1] = { "none", "choice", "number", "sketch", NULL };

const char *
ns_question_kind_get_id (NsQuestionKind kind)
{
  g_return_val_if_fail ((guint) kind < NS_N_QUESTIONS, NULL);
  return kind_ids[kind];
}

const char *const *
ns_question_get_kind_ids (void)
{
  return kind_ids;
}

static void
choice_free (gpointer data)
{
  NsChoice *choice = data;

  g_free (choice->text);
  ns_test_free (choice->test);
  g_free (choice);
}

static NsQuestion *
question_new_empty (NsQuestionKind kind)
{
  NsQuestion *question = g_new0 (NsQuestion, 1);

  question->kind = kind;
  question->text = g_strdup ("");
  question->choices = g_ptr_array_new_with_free_func (choice_free);
  question->curve = (NsPoint) { .quantity = NS_Q_BLOCK, .block = NS_BLOCK_LAST };
  return question;
}

NsQuestion *
ns_question_new (NsQuestionKind kind)
{
  NsQuestion *question = question_new_empty (kind);

  for (guint word = NS_RUNS_FALLS; kind == NS_QUESTION_CHOICE && word <= NS_RUNS_RISES; word++)
    {
      NsTest *test = ns_test_new (NS_TEST_TREND);
      g_autofree char *text = ns_test_dup_word (NS_TEST_TREND, word);

      test->word = word;
      ns_question_take_choice (question, text, test);
    }
  if (kind == NS_QUESTION_NUMBER)
    question->number = ns_test_new (NS_TEST_RATIO);
  return question;
}

NsQuestion *
ns_question_copy (const NsQuestion *question)
{
  NsQuestion *copy;

  if (question == NULL)
    return NULL;
  copy = question_new_empty (question->kind);
  g_free (copy->text);
  copy->text = g_strdup (question->text);
  copy->number = question->number != NULL ? ns_test_copy (question->number) : NULL;
  copy->curve = question->curve;
  for (guint c = 0; c < question->choices->len; c++)
    {
      const NsChoice *choice = g_ptr_array_index (question->choices, c);

      ns_question_take_choice (copy, choice->text, ns_test_copy (choice->test));
    }
  return copy;
}

void
ns_question_free (NsQuestion *question)
{
  if (question == NULL)
    return;
  g_free (question->text);
  g_ptr_array_unref (question->choices);
  ns_test_free (question->number);
  g_free (question);
}

gboolean
ns_question_equal (const NsQuestion *a, const NsQuestion *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->kind != b->kind || strcmp (a->text, b->text) != 0 || a->choices->len != b->choices->len
      || !ns_test_equal (a->number, b->number)
      || (a->kind == NS_QUESTION_SKETCH
          && !points_equal (NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART, &a->curve, &b->curve)))
    return FALSE;
  for (guint c = 0; c < a->choices->len; c++)
    {
      const NsChoice *first = g_ptr_array_index (a->choices, c), *second = g_ptr_array_index (b->choices, c);

      if (strcmp (first->text, second->text) != 0 || !ns_test_equal (first->test, second->test))
        return FALSE;
    }
  return TRUE;
}

void
ns_question_take_choice (NsQuestion *question, const char *text, NsTest *test)
{
  NsChoice *choice = g_new (NsChoice, 1);

  choice->text = g_strdup (text);
  choice->test = test;
  g_ptr_array_add (question->choices, choice);
}

static gboolean
question_reads (const NsQuestion *question, Reads what)
{
  if (question == NULL)
    return FALSE;
  for (guint c = 0; c < question->choices->len; c++)
    if (test_reads (((const NsChoice *) g_ptr_array_index (question->choices, c))->test, what))
      return TRUE;
  if (question->number != NULL && test_reads (question->number, what))
    return TRUE;
  return what == READS_RESULT && question->kind == NS_QUESTION_SKETCH;
}

gboolean
ns_question_needs_result (const NsQuestion *question)
{
  return question_reads (question, READS_RESULT);
}

gboolean
ns_question_needs_sweep (const NsQuestion *question)
{
  return question_reads (question, READS_SWEEP);
}

gboolean
ns_question_needs_training (const NsQuestion *question)
{
  return question_reads (question, READS_TRAINING);
}
