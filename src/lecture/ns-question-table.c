/* The table of tests.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-variant-match.h"
#include "engine/experiment/ns-variants.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define CURVE (NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART | NS_TEST_HAS_STEP)
#define POINT (CURVE | NS_TEST_HAS_BLOCK)

static const NsTestInfo test_table[NS_N_TESTS] = {
  [NS_TEST_TREND] = { .id = "trend",
                      .title = N_ ("A curve falls, is flat, or rises"),
                      .fields = CURVE | NS_TEST_HAS_WORD },
  [NS_TEST_VALUE] = { .id = "value",
                      .title = N_ ("A number is in a range"),
                      .fields = POINT | NS_TEST_HAS_RANGE,
                      .is_number = TRUE },
  [NS_TEST_RATIO] = { .id = "ratio",
                      .title = N_ ("A ratio is in a range"),
                      .fields = POINT | NS_TEST_HAS_OVER | NS_TEST_HAS_RANGE,
                      .is_number = TRUE },
  [NS_TEST_COMPARE] = { .id = "compare",
                        .title = N_ ("A number is larger or smaller than another"),
                        .fields = POINT | NS_TEST_HAS_OVER | NS_TEST_HAS_WORD },
  [NS_TEST_EXTREME] = { .id = "extreme",
                        .title = N_ ("A variant has the largest or smallest number"),
                        .fields = POINT | NS_TEST_HAS_WORD },
  [NS_TEST_EXPONENT] = { .id = "exponent",
                         .title = N_ ("An exponent is in a range"),
                         .fields = NS_TEST_HAS_VARIANT | NS_TEST_HAS_OPTIONAL_OVER | NS_TEST_HAS_RANGE,
                         .needs_sweep = TRUE,
                         .is_number = TRUE },
  [NS_TEST_LAW] = { .id = "law",
                    .title = N_ ("A law is the closest one"),
                    .fields = NS_TEST_HAS_VARIANT | NS_TEST_HAS_OPTIONAL_OVER | NS_TEST_HAS_WORD,
                    .needs_sweep = TRUE },
  [NS_TEST_OUTCOME] = { .id = "outcome",
                        .title = N_ ("A training learns, stalls or diverges"),
                        .fields = NS_TEST_HAS_VARIANT | NS_TEST_HAS_WORD,
                        .needs_training = TRUE },
  [NS_TEST_WIRING] = { .id = "wiring",
                       .title = N_ ("A variant is wired as a known one"),
                       .fields = NS_TEST_HAS_VARIANT | NS_TEST_HAS_WORD },
  [NS_TEST_OTHERWISE] = { .id = "otherwise", .title = N_ ("No other choice is right") },
  [NS_TEST_ALL] = { .id = "all", .title = N_ ("Several tests hold"), .fields = NS_TEST_HAS_PARTS },
  [NS_TEST_ANY] = { .id = "any", .title = N_ ("One of several tests holds"), .fields = NS_TEST_HAS_PARTS },
  [NS_TEST_NOT] = { .id = "not", .title = N_ ("A test does not hold"), .fields = NS_TEST_HAS_PARTS },
};

const NsTestInfo *
ns_test_info (NsTestKind kind)
{
  g_return_val_if_fail ((guint) kind < NS_N_TESTS, NULL);
  return &test_table[kind];
}

gboolean
ns_test_kind_from_id (const char *id, NsTestKind *kind)
{
  for (NsTestKind k = 0; k < NS_N_TESTS; k++)
    if (strcmp (test_table[k].id, id) == 0)
      {
        *kind = k;
        return TRUE;
      }
  return FALSE;
}

/* ---- words ---- */

/* Ids and titles in the same order. */
static const char *const run_words[] = { "falls", "flat", "rises", "peaks", "dips", "zero", "not-finite", NULL };
static const char *const run_titles[] = {
  N_ ("falls"),          N_ ("is flat"), N_ ("rises"), N_ ("has a peak"), N_ ("has a low"), N_ ("is 0 somewhere"),
  N_ ("is not a finite number somewhere"),
};
static const char *const compare_words[] = { "larger", "near", "smaller", NULL };
static const char *const compare_titles[] = { N_ ("larger"), N_ ("about equal"), N_ ("smaller") };
static const char *const extreme_words[] = { "largest", "smallest", NULL };
static const char *const extreme_titles[] = { N_ ("the largest"), N_ ("the smallest") };
static const char *const outcome_words[] = { "learns", "stalls", "diverges", NULL };
static const char *const outcome_titles[] = { N_ ("learns"), N_ ("stalls"), N_ ("diverges") };

/* The ids of laws and of wirings, in the order of their tables. */
static const char *const *
get_laws (void)
{
  static const char *words[NS_N_LAWS + 1];
  static gsize once;

  if (g_once_init_enter (&once))
    {
      for (NsLaw law = 0; law < NS_N_LAWS; law++)
        words[law] = ns_law_get_name (law);
      g_once_init_leave (&once, 1);
    }
  return words;
}

static const char *const *
get_wirings (void)
{
  static GPtrArray *words;
  static gsize once;

  if (g_once_init_enter (&once))
    {
      gsize n;
      const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

      words = g_ptr_array_new ();
      for (gsize i = 0; i < n; i++)
        if (ns_builtin_variant_is_wiring (&builtins[i]))
          g_ptr_array_add (words, (gpointer) builtins[i].id);
      g_ptr_array_add (words, NULL);
      g_once_init_leave (&once, 1);
    }
  return (const char *const *) words->pdata;
}

const char *const *
ns_test_get_words (NsTestKind kind)
{
  switch (kind)
    {
    case NS_TEST_TREND:
      return run_words;
    case NS_TEST_COMPARE:
      return compare_words;
    case NS_TEST_EXTREME:
      return extreme_words;
    case NS_TEST_OUTCOME:
      return outcome_words;
    case NS_TEST_LAW:
      return get_laws ();
    case NS_TEST_WIRING:
      return get_wirings ();
    default:
      return NULL;
    }
}

char *
ns_test_dup_word (NsTestKind kind, guint word)
{
  const char *const *words = ns_test_get_words (kind);

  g_return_val_if_fail (words != NULL && word < g_strv_length ((char **) words), NULL);
  switch (kind)
    {
    case NS_TEST_TREND:
      return g_strdup (_(run_titles[word]));
    case NS_TEST_COMPARE:
      return g_strdup (_(compare_titles[word]));
    case NS_TEST_EXTREME:
      return g_strdup (_(extreme_titles[word]));
    case NS_TEST_OUTCOME:
      return g_strdup (_(outcome_titles[word]));
    case NS_TEST_LAW:
      return ns_law_dup_formula ((NsLaw) word, "L");
    default:
      return g_strdup (ns_builtin_variant_find (words[word])->name);
    }
}

gboolean
ns_test_matches_wiring (const NsTest *test, const NsExperiment *experiment)
{
  const NsVariant *variant = ns_experiment_variant (experiment, test->of.variant);
  const char *id = ns_test_get_words (NS_TEST_WIRING)[test->word];
  g_autoptr (NsVariant) model = ns_variant_new_builtin (id, NULL);

  return ns_variant_has_architecture (variant, id) && variant->attn.residual == model->attn.residual
         && variant->ffn.residual == model->ffn.residual;
}
