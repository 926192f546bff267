/* Test the table of figures: valid ids and options, and a figure from every row.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "figures/ns-figure-table.h"
#include "figures/ns-wiring.h"
#include "synthetic-sweep.h"
#include "synthetic.h"

#include <locale.h>
#include <string.h>

static const char *const pre_post[] = { "pre", "post", NULL };

static gboolean
is_id (const char *text)
{
  return *text != '\0' && strspn (text, "abcdefghijklmnopqrstuvwxyz-") == strlen (text);
}

static void
test_rows (void)
{
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    {
      const NsFigureInfo *info = ns_figure_info (kind);

      g_assert_true (is_id (info->id));
      for (NsFigureKind other = 0; other < kind; other++)
        g_assert_cmpstr (ns_figure_info (other)->id, !=, info->id);
      g_assert_cmpuint (strlen (info->title), >, 2);
      g_assert_cmpuint (strlen (info->help), >, 10);
      g_assert_true ((info->make != NULL) != (info->make_diagram != NULL));
    }
}

/* Every default is a valid value of its option. */
static void
test_options (void)
{
  NsFigureOptions defaults;

  ns_figure_options_init (&defaults);
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    for (const NsFigureOption *o = ns_figure_info (kind)->options; o != NULL && o->name != NULL; o++)
      {
        gboolean found = FALSE;

        g_test_message ("%s", o->name);
        g_assert_true (is_id (o->name));
        g_assert_cmpuint (strlen (o->help), >, 10);
        g_assert_cmpuint (o->offset + sizeof (int), <=, sizeof defaults);
        if (o->type == NS_FIGURE_OPTION_QUANTITY)
          g_assert_cmpint (ns_quantity_info (G_STRUCT_MEMBER (NsQuantity, &defaults, o->offset))->kind, ==, o->kind);
        if (o->type == NS_FIGURE_OPTION_SWITCH)
          g_assert_false (G_STRUCT_MEMBER (gboolean, &defaults, o->offset));
        if (o->type != NS_FIGURE_OPTION_CHOICE)
          continue;
        for (const NsFigureChoice *choice = o->choices; choice->word != NULL; choice++)
          {
            g_assert_true (is_id (choice->word));
            found |= choice->value == G_STRUCT_MEMBER (int, &defaults, o->offset);
          }
        g_assert_true (found);
      }
}

static void
test_shared_options (void)
{
  NsFigureOptions options;

  ns_figure_options_init (&options);
  g_assert_true (options.flow.band && options.scaling.band);
  g_assert_false (options.flow.titles || options.scaling.titles || options.wiring_names);
  ns_figure_options_set_band (&options, FALSE);
  ns_figure_options_set_titles (&options, TRUE);
  g_assert_false (options.flow.band || options.scaling.band);
  g_assert_true (options.flow.titles && options.scaling.titles && options.wiring_names);
}

/* Each row makes the same figure as its own function. */
static void
test_make (void)
{
  g_autoptr (NsExperiment) experiment = synthetic_experiment (5, pre_post);
  g_autoptr (NsResult) result = synthetic_result (experiment, 2);
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..8:every", "w_2@last", pre_post, 2, NS_SWEEP_DEPTH);
  const NsFigureSource source = { .experiment = experiment, .result = result, .sweep = sweep, .variant = 1 };
  NsFigureOptions options;

  synthetic_set_law (sweep, 0, NS_LAW_SQRT, 0, 1, 0, 8);
  synthetic_set_law (sweep, 1, NS_LAW_CONSTANT, 0, 1, 0, 8);
  ns_figure_options_init (&options);
  ns_figure_options_set_titles (&options, TRUE);
  options.flow.hidden = 1;
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    if (ns_figure_info (kind)->make != NULL)
      {
        g_autofree char *sentence = NULL;
        g_autoptr (NsFigure) figure = ns_figure_make (kind, &source, &options, &sentence);

        g_assert_cmpuint (figure->panels->len, >, 0);
        g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[0])->series->len, >, 0);
        g_assert_nonnull (figure->title);
        g_assert_cmpstr (figure->caption, ==, sentence);
      }
    else
      {
        g_autoptr (NsDiagram) diagram = ns_figure_info (kind)->make_diagram (&source, &options);
        double width, height;

        ns_diagram_get_size (diagram, &width, &height);
        g_assert_cmpfloat (MIN (width, height), >, 0);
      }

  g_autofree char *sentence = ns_flow_sentence (result, &options.flow);
  g_autofree char *row_sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (NS_FIGURE_FLOW, &source, &options, &row_sentence);
  g_autoptr (NsDiagram) one = ns_wiring_diagram_of_experiment (experiment, 1, TRUE);
  g_autoptr (NsDiagram) diagram = ns_figure_info (NS_FIGURE_WIRING)->make_diagram (&source, &options);
  double size[2], one_size[2];

  g_assert_cmpstr (row_sentence, ==, sentence);
  g_assert_cmpuint (((const NsPanel *) figure->panels->pdata[0])->series->len, ==, 1);
  ns_diagram_get_size (one, &one_size[0], &one_size[1]);
  ns_diagram_get_size (diagram, &size[0], &size[1]);
  g_assert_cmpfloat (size[0], ==, one_size[0]);
  g_assert_cmpfloat (size[1], ==, one_size[1]);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/figure-table/rows", test_rows);
  g_test_add_func ("/figure-table/options", test_options);
  g_test_add_func ("/figure-table/shared-options", test_shared_options);
  g_test_add_func ("/figure-table/make", test_make);
  return g_test_run ();
}
