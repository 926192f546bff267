/* Read and write the questions of lecture files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* In the order of NsPart. */
static const char *const part_words[] = { "stack", "encoder", "decoder", NULL };
static const struct
{
  const char *word;
  int block;
} blocks[] = {
  { "first", NS_BLOCK_FIRST }, { "last", NS_BLOCK_LAST }, { "input", NS_BLOCK_INPUT },
  { "max", NS_BLOCK_MAX },     { "min", NS_BLOCK_MIN },
};

/* ---- reading ---- */

void
ns_object_get_part (NsObject *object, const char *key, NsPart *part)
{
  guint word;

  if (ns_object_get_word (object, key, part_words, &word))
    *part = (NsPart) word;
}

gboolean
ns_object_get_quantity (NsObject *object, const char *key, NsQuantity *quantity)
{
  JsonNode *node = ns_object_get (object, key);
  const char *name = ns_json_node_get_string (node);
  g_autoptr (GString) names = NULL;

  if (node == NULL)
    return FALSE;
  if (name != NULL && ns_quantity_from_name (name, quantity))
    return TRUE;
  names = g_string_new (NULL);
  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (ns_quantity_info (q)->group != NS_GROUP_TENSOR)
      g_string_append_printf (names, ", %s", ns_quantity_info (q)->name);
  return ns_object_refuse (object, key, g_strdup_printf (_ ("a tensor such as w_q or w_2%s"), names->str));
}

static void
read_block (NsObject *object, int *block)
{
  JsonNode *node = ns_object_get (object, "block");
  const char *word = ns_json_node_get_string (node);
  gint64 number;

  if (node == NULL)
    return;
  if (ns_json_node_get_integer (node, &number) && number >= 1 && number <= G_MAXINT)
    {
      *block = (int) number;
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (g_strcmp0 (word, blocks[i].word) == 0)
      {
        *block = blocks[i].block;
        return;
      }
  ns_object_refuse (object, "block", g_strdup (_ ("the number of a block, first, last, input, max, min")));
}

/* Without a step the number is at initialization. */
static void
read_point_step (NsObject *object, NsPoint *point)
{
  JsonNode *node = ns_object_get (object, "step");
  const char *word = ns_json_node_get_string (node);
  gint64 number;

  if (node == NULL)
    return;
  point->in_training = g_strcmp0 (word, "initial") != 0;
  if (ns_json_node_get_integer (node, &number) && number >= 0 && number <= G_MAXINT)
    point->step = (int) number;
  else if (g_strcmp0 (word, "last") == 0)
    point->step = NS_STEP_LAST;
  else if (point->in_training)
    ns_object_refuse (object, "step", g_strdup (_ ("a step from 0, \"last\" or \"initial\"")));
}

/* An answer comes from an ordinary run, or from a training. */
static void
read_measured (NsObject *object, NsQuantity *quantity)
{
  if (ns_object_get_quantity (object, "quantity", quantity) && ns_quantity_takes_own_passes (*quantity))
    ns_object_refuse (object, "quantity", g_strdup (_ ("a quantity that every run measures")));
}

static void
read_point (NsObject *object, guint fields, const NsExperiment *experiment, NsPoint *point)
{
  if ((fields & NS_TEST_HAS_VARIANT) != 0)
    ns_object_get_variant (object, "variant", experiment, &point->variant);
  if ((fields & NS_TEST_HAS_QUANTITY) != 0)
    read_measured (object, &point->quantity);
  if ((fields & NS_TEST_HAS_PART) != 0)
    ns_object_get_part (object, "part", &point->part);
  if ((fields & NS_TEST_HAS_BLOCK) != 0)
    read_block (object, &point->block);
  if ((fields & NS_TEST_HAS_STEP) != 0)
    read_point_step (object, point);
}

/* The second point has the values of the first one where it is silent. */
static void
read_over (NsObject *object, const NsExperiment *experiment, NsTest *test)
{
  guint fields = ns_test_info (test->kind)->fields;
  gboolean is_optional = (fields & NS_TEST_HAS_OPTIONAL_OVER) != 0;
  JsonNode *node = is_optional ? ns_object_get (object, "over") : ns_object_require (object, "over");
  g_autofree char *path = ns_object_dup_path (object, "over");
  g_auto (NsObject) over;

  ns_object_init (&over, node, path, object->error);
  if (node == NULL)
    return;
  test->over = test->of;
  test->has_over = is_optional;
  read_point (&over, fields, experiment, &test->over);
  ns_object_end (&over);
}

static NsTest *read_test (JsonNode *node, const char *path, const NsExperiment *experiment, guint level,
                          GError **error);

static void
read_parts (NsObject *object, const NsExperiment *experiment, guint level, NsTest *test)
{
  JsonArray *array = ns_object_get_array (object, "tests", _ ("an array [ … ] of tests"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array) && !ns_object_failed (object); i++)
    {
      g_autofree char *key = g_strdup_printf ("tests[%u]", i);
      g_autofree char *path = ns_object_dup_path (object, key);
      NsTest *part = read_test (json_array_get_element (array, i), path, experiment, level + 1, object->error);

      if (part != NULL)
        g_ptr_array_add (test->parts, part);
    }
}

/* Read a test; NULL if something was refused. Level 0 is a number, 1 the test of a choice. Deeper levels than
 * ns_question_validate() allows are not entered. */
static NsTest *
read_test (JsonNode *node, const char *path, const NsExperiment *experiment, guint level, GError **error)
{
  g_autoptr (GPtrArray) kinds = g_ptr_array_new ();
  g_autoptr (NsTest) test = NULL;
  g_auto (NsObject) object;
  guint fields, index;
  NsTestKind kind;

  for (NsTestKind k = 0; k < NS_N_TESTS; k++)
    if (level > 0 || ns_test_info (k)->is_number)
      g_ptr_array_add (kinds, (gpointer) ns_test_info (k)->id);
  g_ptr_array_add (kinds, NULL);
  ns_object_init (&object, node, path, error);
  if (ns_object_require (&object, "kind") == NULL
      || !ns_object_get_word (&object, "kind", (const char *const *) kinds->pdata, &index)
      || !ns_test_kind_from_id (g_ptr_array_index (kinds, index), &kind))
    return NULL;
  test = ns_test_new (kind);
  fields = ns_test_info (test->kind)->fields;
  read_point (&object, fields, experiment, &test->of);
  if ((fields & (NS_TEST_HAS_OVER | NS_TEST_HAS_OPTIONAL_OVER)) != 0)
    read_over (&object, experiment, test);
  if ((fields & NS_TEST_HAS_RANGE) != 0)
    {
      ns_object_get_number (&object, "min", -G_MAXDOUBLE, G_MAXDOUBLE, &test->min);
      ns_object_get_number (&object, "max", -G_MAXDOUBLE, G_MAXDOUBLE, &test->max);
    }
  if ((fields & NS_TEST_HAS_WORD) != 0 && ns_object_require (&object, "is") != NULL)
    ns_object_get_word (&object, "is", ns_test_get_words (test->kind), &test->word);
  if ((fields & NS_TEST_HAS_PARTS) != 0 && level <= NS_TEST_MAX_DEPTH)
    read_parts (&object, experiment, level, test);
  return ns_object_end (&object) ? g_steal_pointer (&test) : NULL;
}

static void
read_choices (NsObject *object, const NsExperiment *experiment, NsQuestion *question)
{
  JsonArray *array = ns_object_get_array (object, "choices", _ ("an array [ … ] of choices"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array) && !ns_object_failed (object); i++)
    {
      g_autofree char *key = g_strdup_printf ("choices[%u]", i);
      g_autofree char *path = ns_object_dup_path (object, key);
      g_autofree char *test_path = g_strconcat (path, ".test", NULL);
      g_autofree char *text = g_strdup ("");
      g_autoptr (NsTest) test = NULL;
      g_auto (NsObject) choice;
      JsonNode *node;

      ns_object_init (&choice, json_array_get_element (array, i), path, object->error);
      ns_object_get_text (&choice, "text", &text);
      node = ns_object_require (&choice, "test");
      if (node != NULL)
        test = read_test (node, test_path, experiment, 1, object->error);
      if (ns_object_end (&choice) && test != NULL)
        ns_question_take_choice (question, text, g_steal_pointer (&test));
    }
}

NsQuestion *
ns_question_read (NsObject *parent, const char *key, const NsExperiment *experiment)
{
  JsonNode *node = ns_object_get (parent, key);
  g_autofree char *path = ns_object_dup_path (parent, key);
  g_autofree char *test_path = g_strconcat (path, ".number", NULL);
  g_autofree char *curve_path = g_strconcat (path, ".curve", NULL);
  g_autoptr (NsQuestion) question = NULL;
  g_auto (NsObject) object;
  guint kind = NS_QUESTION_NONE;

  ns_object_init (&object, node, path, parent->error);
  if (node == NULL || ns_object_require (&object, "kind") == NULL
      || !ns_object_get_word (&object, "kind", ns_question_get_kind_ids (), &kind) || kind == NS_QUESTION_NONE)
    return NULL;
  question = ns_question_new ((NsQuestionKind) kind);
  g_ptr_array_set_size (question->choices, 0);
  ns_object_get_text (&object, "text", &question->text);
  if (kind == NS_QUESTION_CHOICE)
    read_choices (&object, experiment, question);
  else if (kind == NS_QUESTION_NUMBER && (node = ns_object_require (&object, "number")) != NULL)
    {
      g_clear_pointer (&question->number, ns_test_free);
      question->number = read_test (node, test_path, experiment, 0, parent->error);
    }
  else if (kind == NS_QUESTION_SKETCH && (node = ns_object_require (&object, "curve")) != NULL)
    {
      g_auto (NsObject) curve;

      ns_object_init (&curve, node, curve_path, parent->error);
      read_point (&curve, NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART, experiment,
                  &question->curve);
      ns_object_end (&curve);
    }
  return ns_object_end (&object) ? g_steal_pointer (&question) : NULL;
}

/* ---- writing ---- */

static void
write_block (NsJsonWriter *writer, int block)
{
  for (gsize i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (blocks[i].block == block)
      {
        ns_json_string (writer, "block", blocks[i].word);
        return;
      }
  ns_json_integer (writer, "block", block);
}

static void
write_point (NsJsonWriter *writer, guint fields, const NsPoint *point, const NsExperiment *experiment)
{
  if ((fields & NS_TEST_HAS_VARIANT) != 0)
    ns_json_string (writer, "variant", ns_experiment_variant (experiment, point->variant)->name);
  if ((fields & NS_TEST_HAS_QUANTITY) != 0)
    ns_json_string (writer, "quantity", ns_quantity_info (point->quantity)->name);
  if ((fields & NS_TEST_HAS_PART) != 0 && point->part != NS_PART_STACK)
    ns_json_string (writer, "part", ns_part_get_name (point->part));
  if ((fields & NS_TEST_HAS_BLOCK) != 0)
    write_block (writer, point->block);
  if ((fields & NS_TEST_HAS_STEP) == 0 || !point->in_training)
    return;
  if (point->step == NS_STEP_LAST)
    ns_json_string (writer, "step", "last");
  else
    ns_json_integer (writer, "step", point->step);
}

static void
write_test (NsJsonWriter *writer, const char *key, const NsTest *test, const NsExperiment *experiment)
{
  guint fields = ns_test_info (test->kind)->fields;

  ns_json_open_compact (writer, key, '{');
  ns_json_string (writer, "kind", ns_test_info (test->kind)->id);
  write_point (writer, fields, &test->of, experiment);
  if (ns_test_has_over (test))
    {
      ns_json_open (writer, "over", '{');
      write_point (writer, fields, &test->over, experiment);
      /* An absent part or step would be that of the first point. */
      if ((fields & NS_TEST_HAS_PART) != 0 && test->over.part == NS_PART_STACK && test->of.part != NS_PART_STACK)
        ns_json_string (writer, "part", ns_part_get_name (NS_PART_STACK));
      if ((fields & NS_TEST_HAS_STEP) != 0 && !test->over.in_training && test->of.in_training)
        ns_json_string (writer, "step", "initial");
      ns_json_close (writer, '}');
    }
  if ((fields & NS_TEST_HAS_WORD) != 0)
    ns_json_string (writer, "is", ns_test_get_words (test->kind)[test->word]);
  if ((fields & NS_TEST_HAS_RANGE) != 0 && isfinite (test->min))
    ns_json_number (writer, "min", test->min);
  if ((fields & NS_TEST_HAS_RANGE) != 0 && isfinite (test->max))
    ns_json_number (writer, "max", test->max);
  if (test->parts != NULL)
    {
      ns_json_open (writer, "tests", '[');
      for (guint i = 0; i < test->parts->len; i++)
        write_test (writer, NULL, g_ptr_array_index (test->parts, i), experiment);
      ns_json_close (writer, ']');
    }
  ns_json_close (writer, '}');
}

void
ns_question_write (NsJsonWriter *writer, const char *key, const NsQuestion *question, const NsExperiment *experiment)
{
  if (question == NULL || question->kind == NS_QUESTION_NONE)
    return;
  ns_json_open (writer, key, '{');
  ns_json_string (writer, "kind", ns_question_kind_get_id (question->kind));
  ns_lecture_write_text (writer, "text", question->text);
  if (question->kind == NS_QUESTION_CHOICE)
    {
      ns_json_open (writer, "choices", '[');
      for (guint c = 0; c < question->choices->len; c++)
        {
          const NsChoice *choice = g_ptr_array_index (question->choices, c);

          ns_json_open (writer, NULL, '{');
          ns_lecture_write_text (writer, "text", choice->text);
          write_test (writer, "test", choice->test, experiment);
          ns_json_close (writer, '}');
        }
      ns_json_close (writer, ']');
    }
  else if (question->kind == NS_QUESTION_NUMBER)
    write_test (writer, "number", question->number, experiment);
  else
    {
      ns_json_open_compact (writer, "curve", '{');
      write_point (writer, NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART, &question->curve,
                   experiment);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, '}');
}
