/* Test the words of sentences that lead to pages of help.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"
#include "engine/run/ns-engine.h"
#include "figures/ns-flow.h"
#include "figures/ns-links.h"
#include "figures/ns-scaling.h"
#include "synthetic-sweep.h"
#include "synthetic.h"
#include "tests.h"

#include <string.h>

static char *
dup_words (const char *text, const GArray *links, guint i)
{
  const NsLink *link = &g_array_index (links, NsLink, i);

  g_assert_cmpuint (link->start, <, link->end);
  g_assert_cmpuint (link->end, <=, strlen (text));
  return g_strndup (text + link->start, link->end - link->start);
}

/* Fail unless the text has a link to the page, and its words contain `words`. */
static void
assert_link (const char *text, const GArray *links, const char *page, const char *words)
{
  for (guint i = 0; i < links->len; i++)
    {
      g_autofree char *found = dup_words (text, links, i);

      if (strcmp (g_array_index (links, NsLink, i).page, page) == 0 && strstr (found, words) != NULL)
        return;
    }
  g_error ("“%s” has no link from “%s” to %s", text, words, page);
}

/* A translation may put the second clause first. */
static void
test_marks (void)
{
  g_autofree char *first = ns_link_mark ("quantity:w_2", g_strdup ("sinkt ≤ 3:1"));
  g_autofree char *second = ns_link_mark ("topic:range", g_strdup ("läuft über"));
  g_autoptr (GArray) links = NULL;
  g_autofree char *text = ns_links_resolve (g_strdup_printf ("Ä: %2$s; %1$s.", first, second), &links);
  g_autofree char *plain = ns_links_resolve (g_strdup (first), NULL);

  g_assert_cmpstr (text, ==, "Ä: läuft über; sinkt ≤ 3:1.");
  g_assert_cmpuint (links->len, ==, 2);
  assert_link (text, links, "topic:range", "läuft über");
  assert_link (text, links, "quantity:w_2", "sinkt ≤ 3:1");
  g_assert_cmpstr (plain, ==, "sinkt ≤ 3:1");
  g_assert_null (ns_link_mark ("topic:range", NULL));
}

static NsResult *
run (const char *variant)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  GError *error = NULL;
  NsResult *result;

  g_ptr_array_set_size (experiment->variants, 0);
  g_ptr_array_add (experiment->variants, ns_variant_from_text (variant, NULL));
  experiment->shape.depth = 12;
  experiment->shape.d_model = 32;
  experiment->shape.d_ff = 64;
  experiment->shape.seq_len = 8;
  experiment->sampling.seeds = 2;
  result = ns_engine_run (engine, experiment, 0, 2, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static void
test_flow (void)
{
  g_autoptr (NsResult) result = run ("pre:attn.residual=false");
  g_autoptr (GArray) links = NULL;
  g_autofree char *text = NULL;
  g_autofree char *plain = NULL;
  NsFlowOptions options;

  ns_flow_options_init (&options);
  text = ns_flow_linked_sentence (result, &options, &links);
  plain = ns_flow_sentence (result, &options);
  g_assert_cmpstr (text, ==, plain);
  assert_link (text, links, "quantity:token_cos", "tokens become one vector");
  assert_link (text, links, "topic:statistics", "Geometric means over 2 seeds.");
  assert_link (text, links, "quantity:block", "flat");
}

static void
test_scaling (void)
{
  static const char *const variants[] = { "pre", "post", NULL };
  g_autoptr (NsSweep) sweep = synthetic_sweep ("1..128", "w_2@last", variants, 4, NS_SWEEP_DEPTH);
  g_autoptr (GArray) links = NULL;
  g_autofree char *text = NULL;
  NsScalingOptions options;

  synthetic_set_law (sweep, 0, NS_LAW_INV_SQRT, 0, 0.1, 0.01, G_MAXUINT);
  synthetic_set_law (sweep, 1, NS_LAW_LN, 0, 0.1, 0.01, G_MAXUINT);
  ns_scaling_options_init (&options);
  text = ns_scaling_linked_sentence (sweep, &options, &links);
  assert_link (text, links, "topic:exponent", "exponent");
  for (guint i = 1; i < links->len; i++)
    g_assert_cmpuint (g_array_index (links, NsLink, i - 1).end, <=, g_array_index (links, NsLink, i).start);
}

void
add_links_tests (void)
{
  g_test_add_func ("/links/marks", test_marks);
  g_test_add_func ("/links/flow", test_flow);
  g_test_add_func ("/links/scaling", test_scaling);
}
