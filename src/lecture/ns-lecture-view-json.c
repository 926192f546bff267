/* Read and write the views of lecture files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim.h"
#include "engine/analysis/ns-mean-field.h"
#include "engine/experiment/ns-params.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Range of the text size, as in the window. */
#define MIN_TEXT_SCALE 0.75
#define MAX_TEXT_SCALE 2.0

/* In the order of NsSweepAxis. */
static const char *const axis_words[] = { "depth", "d_model", NULL };

static const struct
{
  const char *key;
  gsize offset; /* of a gboolean in NsScalingSettings */
} switches[] = {
  { "log-x", offsetof (NsScalingSettings, log_x) },
  { "log-y", offsetof (NsScalingSettings, log_y) },
  { "best-law", offsetof (NsScalingSettings, best_law) },
  { "residuals", offsetof (NsScalingSettings, residuals) },
};

/* ---- options of the figure's row ---- */

/* Read a number, or one of the option's words; files of before had powers of ten as words, too. */
static void
read_number (NsObject *object, const NsFigureOption *option, double *value)
{
  JsonNode *node = ns_object_get (object, option->name);
  const char *text = ns_json_node_get_string (node);
  double read;

  if (node == NULL)
    return;
  if (text != NULL ? ns_figure_option_parse (option, text, value)
                   : ns_json_node_get_number (node, &read) && read >= option->least && read <= option->most)
    *value = text != NULL ? *value : read;
  else
    ns_object_refuse (object, option->name, ns_figure_option_dup_allowed (option));
}

static void
read_points (NsObject *object, const NsFigureOption *option, char *points)
{
  JsonNode *node = ns_object_get (object, option->name);
  const char *text = node != NULL ? ns_json_node_get_string (node) : NULL;

  if (node != NULL && (text == NULL || !ns_figure_option_set_points (text, points, NULL)))
    ns_object_refuse (object, option->name,
                      g_strdup (_ ("\"usual\", a list such as \"32,64,128\", or a range such as \"32..256:4\"")));
}

static void
read_option_step (NsObject *object, const NsFigureOption *option, int *step)
{
  JsonNode *node = ns_object_get (object, option->name);
  const char *text = node != NULL ? ns_json_node_get_string (node) : NULL;
  gint64 number;

  if (text == NULL && ns_object_get_integer (object, option->name, 0, G_MAXINT, &number))
    *step = (int) number;
  else if (text != NULL && !ns_figure_option_parse_step (text, step))
    ns_object_refuse (object, option->name, g_strdup (_ ("a step from 0, or \"last\"")));
}

static void
read_option (NsObject *object, const NsFigureOption *option, NsFigureOptions *options)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  gint64 block;
  guint word;

  switch (option->type)
    {
    case NS_FIGURE_OPTION_QUANTITY:
      {
        NsQuantity quantity;

        if (!ns_object_get_quantity (object, option->name, &quantity))
          break;
        if (ns_figure_option_offers (option, quantity))
          G_STRUCT_MEMBER (NsQuantity, options, option->offset) = quantity;
        else
          ns_object_refuse (object, option->name,
                            g_strdup (option->any_kind ? _ ("a quantity of blocks such as block, rms_x, token_cos")
                                    : option->kind == NS_KIND_GRADIENT
                                          ? _ ("a gradient norm such as block, w_2, grad_x")
                                          : _ ("an activation such as rms_x")));
        break;
      }
    case NS_FIGURE_OPTION_CHOICE:
      for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
        g_ptr_array_add (words, (gpointer) choice->word);
      g_ptr_array_add (words, NULL);
      if (ns_object_get_word (object, option->name, (const char *const *) words->pdata, &word))
        G_STRUCT_MEMBER (int, options, option->offset) = option->choices[word].value;
      break;
    case NS_FIGURE_OPTION_SWITCH:
      ns_object_get_boolean (object, option->name, &G_STRUCT_MEMBER (gboolean, options, option->offset));
      break;
    case NS_FIGURE_OPTION_BLOCK:
      if (ns_object_get_integer (object, option->name, 1, G_MAXINT, &block))
        G_STRUCT_MEMBER (int, options, option->offset) = (int) block;
      break;
    case NS_FIGURE_OPTION_COUNT:
      if (ns_object_get_integer (object, option->name, 1, option->max, &block))
        G_STRUCT_MEMBER (int, options, option->offset) = (int) block;
      break;
    case NS_FIGURE_OPTION_STEP:
      read_option_step (object, option, &G_STRUCT_MEMBER (int, options, option->offset));
      break;
    case NS_FIGURE_OPTION_NUMBER:
      read_number (object, option, &G_STRUCT_MEMBER (double, options, option->offset));
      break;
    case NS_FIGURE_OPTION_POINTS:
      read_points (object, option, G_STRUCT_MEMBER_P (options, option->offset));
      break;
    /* Marks have lists of their own (ns-lecture-marks-json.c). */
    case NS_FIGURE_OPTION_PIN:
    case NS_FIGURE_OPTION_NOTE:
    case NS_FIGURE_OPTION_ARROW:
    case NS_FIGURE_OPTION_REFERENCE:
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
write_points (NsJsonWriter *writer, const NsFigureOption *option, const char *points)
{
  ns_json_string (writer, option->name, *points != '\0' ? points : "usual");
}

/* Write a word as such, and any other number as a number. */
static void
write_number (NsJsonWriter *writer, const NsFigureOption *option, double value)
{
  g_autofree char *text = ns_figure_option_dup_text (option, value);

  if (value > 0)
    ns_json_number (writer, option->name, value);
  else
    ns_json_string (writer, option->name, text);
}

static void
write_option (NsJsonWriter *writer, const NsFigureOption *option, const NsFigureOptions *options)
{
  int value = G_STRUCT_MEMBER (int, options, option->offset);

  switch (option->type)
    {
    case NS_FIGURE_OPTION_QUANTITY:
      ns_json_string (writer, option->name, ns_quantity_info ((NsQuantity) value)->name);
      break;
    case NS_FIGURE_OPTION_CHOICE:
      for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
        if (choice->value == value)
          ns_json_string (writer, option->name, choice->word);
      break;
    case NS_FIGURE_OPTION_SWITCH:
      ns_json_boolean (writer, option->name, value);
      break;
    case NS_FIGURE_OPTION_BLOCK:
    case NS_FIGURE_OPTION_COUNT:
      ns_json_integer (writer, option->name, value);
      break;
    case NS_FIGURE_OPTION_STEP:
      if (value < 0)
        ns_json_string (writer, option->name, "last");
      else
        ns_json_integer (writer, option->name, value);
      break;
    case NS_FIGURE_OPTION_NUMBER:
      write_number (writer, option, G_STRUCT_MEMBER (double, options, option->offset));
      break;
    case NS_FIGURE_OPTION_POINTS:
      write_points (writer, option, G_STRUCT_MEMBER_P (options, option->offset));
      break;
    /* Marks have lists of their own (ns-lecture-marks-json.c). */
    case NS_FIGURE_OPTION_PIN:
    case NS_FIGURE_OPTION_NOTE:
    case NS_FIGURE_OPTION_ARROW:
    case NS_FIGURE_OPTION_REFERENCE:
      break;
    default:
      g_assert_not_reached ();
    }
}

/* ---- the scaling settings ---- */

static void
read_range (NsObject *object, NsScalingSettings *settings)
{
  const NsParam *param = ns_param_find (settings->axis == NS_SWEEP_DEPTH ? "shape.depth" : "shape.d_model");
  gint64 first = settings->first[settings->axis], last = settings->last[settings->axis];

  if (ns_object_get_integer (object, "first", (gint64) param->min, (gint64) param->max - 1, &first))
    last = MAX (last, first + 1);
  ns_object_get_integer (object, "last", first + 1, (gint64) param->max, &last);
  settings->first[settings->axis] = first;
  settings->last[settings->axis] = last;
}

static void
read_laws (NsObject *object, guint *laws)
{
  JsonArray *array = ns_object_get_array (object, "laws", _ ("an array [ … ] of laws"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      const char *word = ns_json_node_get_string (json_array_get_element (array, i));
      g_autofree char *names = NULL;
      NsLaw law;

      if (word == NULL || !ns_law_from_name (word, &law))
        {
          names = g_strjoinv (", ", (char **) ns_test_get_words (NS_TEST_LAW));
          ns_object_refuse (object, "laws", g_strdup_printf (_ ("an array of %s"), names));
          return;
        }
      *laws |= 1u << law;
    }
}

static void
read_scaling (NsObject *object, const NsExperiment *experiment, NsScalingSettings *settings)
{
  const char *metric = ns_json_node_get_string (ns_object_get (object, "metric"));
  g_autoptr (GError) cause = NULL;
  JsonArray *ratio;
  gint64 depth;
  guint axis;

  if (ns_object_get (object, "metric") != NULL
      && (metric == NULL || !ns_metric_from_text (metric, &settings->metric, &cause)))
    ns_object_refuse (object, "metric", g_strdup (_ ("a quantity and a place such as w_2@last or decoder:rms_x@max")));
  if (ns_object_get_word (object, "axis", axis_words, &axis))
    settings->axis = (NsSweepAxis) axis;
  read_range (object, settings);
  ns_object_get_boolean (object, "every", &settings->every);
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    ns_object_get_boolean (object, switches[i].key, &G_STRUCT_MEMBER (gboolean, settings, switches[i].offset));
  read_laws (object, &settings->laws);
  ns_object_get_boolean (object, "theory", &settings->theory);
  if (ns_object_get_integer (object, "theory-depth", 1, NS_MEAN_FIELD_MAX_DEPTH, &depth))
    settings->theory_depth = (int) depth;
  ratio = ns_object_get_array (object, "ratio", _ ("an array of two variants"));
  if (ratio == NULL)
    return;
  if (json_array_get_length (ratio) != 2)
    {
      ns_object_refuse (object, "ratio", g_strdup (_ ("an array of two variants")));
      return;
    }
  settings->ratio = ns_object_read_variant (object, json_array_get_element (ratio, 0), "ratio", experiment,
                                            &settings->numerator)
                    && ns_object_read_variant (object, json_array_get_element (ratio, 1), "ratio", experiment,
                                               &settings->denominator);
}

static void
write_scaling (NsJsonWriter *writer, const NsScalingSettings *settings, const NsExperiment *experiment)
{
  g_autofree char *metric = ns_metric_dup_text (&settings->metric);

  ns_json_string (writer, "metric", metric);
  ns_json_string (writer, "axis", axis_words[settings->axis]);
  ns_json_integer (writer, "first", settings->first[settings->axis]);
  ns_json_integer (writer, "last", settings->last[settings->axis]);
  ns_json_boolean (writer, "every", settings->every);
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    ns_json_boolean (writer, switches[i].key, G_STRUCT_MEMBER (gboolean, settings, switches[i].offset));
  if (settings->laws != 0)
    {
      ns_json_open_compact (writer, "laws", '[');
      for (NsLaw law = 0; law < NS_N_LAWS; law++)
        if ((settings->laws >> law & 1) != 0)
          ns_json_string (writer, NULL, ns_law_get_name (law));
      ns_json_close (writer, ']');
    }
  if (settings->theory)
    {
      ns_json_boolean (writer, "theory", TRUE);
      ns_json_integer (writer, "theory-depth", settings->theory_depth);
    }
  if (settings->ratio && MAX (settings->numerator, settings->denominator) < experiment->variants->len)
    {
      ns_json_open_compact (writer, "ratio", '[');
      ns_json_string (writer, NULL, ns_experiment_variant (experiment, settings->numerator)->name);
      ns_json_string (writer, NULL, ns_experiment_variant (experiment, settings->denominator)->name);
      ns_json_close (writer, ']');
    }
}

/* ---- variants ---- */

static void
read_hidden (NsObject *object, const NsExperiment *experiment, guint64 *hidden)
{
  JsonArray *array = ns_object_get_array (object, "hidden", _ ("an array [ … ] of variants"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      g_autofree char *key = g_strdup_printf ("hidden[%u]", i);
      g_autofree char *path = ns_object_dup_path (object, key);
      guint variant;

      if (!ns_object_read_variant (object, json_array_get_element (array, i), path, experiment, &variant))
        return;
      *hidden |= G_GUINT64_CONSTANT (1) << variant;
    }
}

/* A member for each variant whose look is not that of its place in the list: the number of a style of the palette,
 * counted from 1, or a colour, or both. */
static void
read_looks (NsObject *parent, NsLectureStep *step)
{
  JsonNode *node = ns_object_get (parent, "colors");
  g_autofree char *path = ns_object_dup_path (parent, "colors");
  const NsExperiment *experiment = step->experiment;
  g_auto (NsObject) object;

  ns_object_init (&object, node, path, parent->error);
  for (guint v = 0; v < experiment->variants->len && node != NULL; v++)
    {
      const char *name = ns_experiment_variant (experiment, v)->name;
      JsonNode *look = ns_object_get (&object, name);
      const char *color;
      gint64 style;

      if (look == NULL)
        continue;
      if (JSON_NODE_HOLDS_ARRAY (look) && json_array_get_length (json_node_get_array (look)) == 2
          && ns_json_node_get_integer (json_array_get_element (json_node_get_array (look), 0), &style)
          && style >= 1 && style <= NS_LECTURE_MAX_STYLE)
        {
          step->view.styles[v] = (int) style - 1;
          look = json_array_get_element (json_node_get_array (look), 1);
        }
      color = ns_json_node_get_string (look);
      if (ns_json_node_get_integer (look, &style) && style >= 1 && style <= NS_LECTURE_MAX_STYLE)
        step->view.styles[v] = (int) style - 1;
      else if (color != NULL && ns_lecture_color_from_text (color, &step->view.colors[v]))
        step->view.has_color[v] = TRUE;
      else
        ns_object_refuse (&object, name,
                          g_strdup_printf (_ ("a colour #rrggbb, a style from 1 to %d, or [style, colour]"),
                                           NS_LECTURE_MAX_STYLE));
    }
  if (node != NULL)
    ns_object_end (&object);
}

static void
write_looks (NsJsonWriter *writer, const NsLectureView *view, const NsExperiment *experiment)
{
  gboolean open = FALSE;

  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const char *name = ns_experiment_variant (experiment, v)->name;
      g_autofree char *color = view->has_color[v] ? ns_lecture_dup_color (&view->colors[v]) : NULL;
      gboolean has_style = view->styles[v] != (int) v;

      if (color == NULL && !has_style)
        continue;
      if (!open)
        ns_json_open_compact (writer, "colors", '{');
      open = TRUE;
      if (color != NULL && has_style)
        ns_json_open (writer, name, '[');
      if (has_style)
        ns_json_integer (writer, color != NULL ? NULL : name, view->styles[v] + 1);
      if (color != NULL)
        ns_json_string (writer, has_style ? NULL : name, color);
      if (color != NULL && has_style)
        ns_json_close (writer, ']');
    }
  if (open)
    ns_json_close (writer, '}');
}

/* ---- the view ---- */

void
ns_lecture_view_read (NsObject *parent, const char *key, NsLectureStep *step)
{
  const char *figures[NS_N_FIGURES + 1] = { NULL };
  NsFigureKind kinds[NS_N_FIGURES];
  guint n = 0;
  JsonNode *node = ns_object_get (parent, key);
  g_autofree char *path = ns_object_dup_path (parent, key);
  NsLectureView *view = &step->view;
  g_auto (NsObject) object;
  guint figure;

  ns_object_init (&object, node, path, parent->error);
  if (node == NULL)
    return;
  for (NsFigureKind f = 0; f < NS_N_FIGURES; f++)
    if (ns_lecture_can_show (f))
      {
        kinds[n] = f;
        figures[n++] = ns_figure_info (f)->id;
      }
  if (ns_object_get_word (&object, "figure", figures, &figure))
    view->figure = kinds[figure];
  for (guint list = 0; list < NS_LECTURE_OPTION_LISTS; list++)
    for (const NsFigureOption *o = ns_lecture_list_options (view->figure, list); o != NULL && o->name != NULL; o++)
      read_option (&object, o, &view->options);
  read_scaling (&object, step->experiment, &view->scaling);
  ns_object_get_boolean (&object, "band", &view->options.flow.band);
  ns_object_get_number (&object, "crosshair", 0, G_MAXINT, &view->cursor);
  ns_object_get_number (&object, "text-size", MIN_TEXT_SCALE, MAX_TEXT_SCALE, &view->text_scale);
  read_hidden (&object, step->experiment, &view->hidden);
  read_looks (&object, step);
  ns_lecture_marks_read (&object, step);
  ns_object_end (&object);
}

void
ns_lecture_view_write (NsJsonWriter *writer, const char *key, const NsLectureStep *step)
{
  const NsLectureView *view = &step->view;
  const NsFigureInfo *info = ns_figure_info (view->figure);

  ns_json_open (writer, key, '{');
  ns_json_string (writer, "figure", info->id);
  for (guint list = 0; list < NS_LECTURE_OPTION_LISTS; list++)
    for (const NsFigureOption *o = ns_lecture_list_options (view->figure, list); o != NULL && o->name != NULL; o++)
      write_option (writer, o, &view->options);
  if (ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP))
    write_scaling (writer, &view->scaling, step->experiment);
  ns_json_boolean (writer, "band", view->options.flow.band);
  if (!isnan (view->cursor))
    ns_json_number (writer, "crosshair", view->cursor);
  if (view->text_scale > 0)
    ns_json_number (writer, "text-size", view->text_scale);
  if (view->hidden != 0)
    {
      ns_json_open_compact (writer, "hidden", '[');
      for (guint v = 0; v < step->experiment->variants->len; v++)
        if ((view->hidden >> v & 1) != 0)
          ns_json_string (writer, NULL, ns_experiment_variant (step->experiment, v)->name);
      ns_json_close (writer, ']');
    }
  write_looks (writer, view, step->experiment);
  ns_lecture_marks_write (writer, step);
  ns_json_close (writer, '}');
}
