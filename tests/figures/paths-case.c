/* A figure of the Paths view, and what a test asks of it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paths-case.h"

#include <string.h>

#include "figures/ns-links.h"

Case
case_new (NsFigureKind kind, const NsResult *result, const NsPaths *paths)
{
  Case c = { .kind = kind, .source = { .result = result, .paths = paths, .variant = -1 } };

  c.source.experiment = paths != NULL ? ns_paths_get_experiment (paths) : ns_result_get_experiment (result);
  ns_figure_options_init (&c.options);
  return c;
}

/* The numbers of a clause lead to the figure's page of help, and nothing around them. */
static void
assert_links (const char *sentence, const GArray *links)
{
  for (guint i = 0; i < links->len; i++)
    {
      const NsLink *link = &g_array_index (links, NsLink, i);
      g_autofree char *text = g_strndup (sentence + link->start, link->end - link->start);

      if (strcmp (link->page, NS_PAGE_STATISTICS) == 0 || strcmp (link->page, NS_PAGE_RANGE) == 0)
        continue;
      if (strpbrk (text, "0123456789") == NULL || strpbrk (text, "abcdefghijklmnopqrstuvwxyz\n") != NULL)
        g_error ("“%s” is a link", text);
    }
}

void
assert_sentence (const Case *c, const char *expected)
{
  g_autoptr (GArray) links = NULL;
  g_autofree char *sentence = ns_figure_info (c->kind)->make_sentence (&c->source, &c->options, &links);

  g_assert_cmpstr (sentence, ==, expected);
  assert_links (sentence, links);
}

void
assert_cell (const NsReadout *readout, guint row, guint column, const char *expected)
{
  const NsReadoutRow *cells = g_ptr_array_index (readout->rows, row);

  g_assert_cmpstr (cells->cells[column], ==, expected);
}

const NsSeries *
get_series (const NsFigure *figure, guint panel, guint series)
{
  const NsPanel *p = g_ptr_array_index (figure->panels, panel);

  return g_ptr_array_index (p->series, series);
}
