/* Read golden numbers and compare results with them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "golden.h"

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"

#include <float.h>
#include <math.h>
#include <string.h>

void
golden_free (Golden *golden)
{
  g_free (golden->name);
  ns_experiment_free (golden->experiment);
  json_node_unref (golden->root);
  g_free (golden);
}

/* Return the lines of golden.jsonl by name. The file is read once, a line is parsed when its case is loaded. */
static GHashTable *
get_lines (void)
{
  static GHashTable *lines = NULL;
  if (lines != NULL)
    return lines;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "golden", "golden.jsonl", NULL);
  g_autofree char *text = NULL;
  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) split = g_strsplit (text, "\n", -1);
  for (char **line = split; **line != '\0'; line++)
    {
      const char *start = "{\"name\":\"";
      g_assert_true (g_str_has_prefix (*line, start));
      const char *name = *line + strlen (start);
      g_assert_true (g_hash_table_insert (lines, g_strndup (name, strcspn (name, "\"")), g_strdup (*line)));
    }
  return lines;
}

Golden *
golden_load (const char *name)
{
  g_autoptr (GError) error = NULL;
  const char *line = g_hash_table_lookup (get_lines (), name);
  g_assert_nonnull (line);

  Golden *golden = g_new0 (Golden, 1);
  golden->name = g_strdup (name);
  golden->root = json_from_string (line, &error);
  g_assert_no_error (error);
  JsonObject *top = json_node_get_object (golden->root);
  golden->expected = json_object_get_object_member (top, "expected");
  golden->zeros = json_object_get_array_member (top, "zeros");
  golden->buried = json_object_get_object_member (top, "buried");
  if (json_object_has_member (top, "noise"))
    golden->noise = json_object_get_object_member (top, "noise");

  g_autofree char *text = json_to_string (json_object_get_member (top, "experiment"), FALSE);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  golden->experiment = ns_experiment_from_bytes (bytes, name, &error);
  g_assert_no_error (error);
  return golden;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
golden_names (void)
{
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;
  g_hash_table_iter_init (&iter, get_lines ());
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, compare_names);
  return names;
}

gboolean
golden_is_zero (const Golden *golden, const char *quantity)
{
  for (guint i = 0; i < json_array_get_length (golden->zeros); i++)
    if (g_str_equal (json_array_get_string_element (golden->zeros, i), quantity))
      return TRUE;
  return FALSE;
}

static gboolean
is_buried (const Golden *golden, const char *quantity, gint64 site)
{
  if (!json_object_has_member (golden->buried, quantity))
    return FALSE;
  JsonArray *sites = json_object_get_array_member (golden->buried, quantity);
  for (guint i = 0; i < json_array_get_length (sites); i++)
    if (json_array_get_int_element (sites, i) == site)
      return TRUE;
  return FALSE;
}

gint64
golden_last_site (const Golden *golden)
{
  return ns_experiment_get_head_site (golden->experiment);
}

static gboolean
get_number (const Golden *golden, JsonObject *values, const char *quantity, gint64 site, double *value)
{
  if (!json_object_has_member (values, quantity))
    return FALSE;
  JsonArray *sites = json_object_get_array_member (values, quantity);
  g_assert_cmpint (json_array_get_length (sites), ==, golden_last_site (golden) + 1);
  if (json_array_get_null_element (sites, (guint) site))
    return FALSE;
  *value = json_array_get_double_element (sites, (guint) site);
  return TRUE;
}

gboolean
golden_get (const Golden *golden, const char *quantity, gint64 site, double *value)
{
  return get_number (golden, golden->expected, quantity, site, value);
}

double
golden_deviation (NsQuantityKind kind, double want, double got, double log10_got)
{
  if (!isfinite (got) || !isfinite (want))
    return INFINITY;
  if (kind == NS_KIND_COSINE || kind == NS_KIND_SHARE || kind == NS_KIND_CONTRIBUTION || kind == NS_KIND_LENGTH
      || kind == NS_KIND_NUMBER)
    return fabs (got - want) / (TOLERANCE * MAX (fabs (want), COSINE_FLOOR));
  if (kind == NS_KIND_LOSS)
    return fabs (got - want) / (TOLERANCE * fabs (want));
  if (want == 0)
    return got == 0 ? 0 : INFINITY;
  if (!isfinite (log10_got))
    return INFINITY;
  double by_value = fabs (got - want) / (TOLERANCE * want);
  double by_log10 = fabs (log10_got - log10 (want)) * M_LN10 / TOLERANCE;
  return MAX (by_value, by_log10);
}

double
golden_expected_deviation (double want, double got, double log10_got, double noise, double block_noise)
{
  double allowed = 2 * TOLERANCE * noise * noise + pow (ZERO_TOLERANCE * block_noise, 2);
  double square = want * fabs (want);
  if (isinf (got) || got < 0 || (got > 0 && !(fabs (log10 (got) - log10_got) < 1e-9)))
    return INFINITY;
  if (isnan (got))
    return square > 0 ? square / allowed : 0;
  return got * got == square ? 0 : fabs (got * got - square) / allowed;
}

/* Return the error of a quantity of the tokens' differences, in units of the tolerance. Rounding changes the tokens by
 * a fixed share of their norm: below RESIDUAL_FLOOR that is a growing share of their differences, until those have no
 * direction left. */
static double
token_deviation (const Golden *golden, NsQuantity quantity, gint64 site, double want, double got, double log10_got)
{
  double residual = 0;

  golden_get (golden, "token_residual", site, &residual);
  if (got > 0 && !(fabs (log10 (got) - log10_got) < 1e-9))
    return INFINITY;
  if (quantity == NS_Q_TOKEN_RESIDUAL)
    return isfinite (got) ? fabs (got - want) / (TOLERANCE * MAX (want, RESIDUAL_FLOOR)) : INFINITY;
  if (residual < TOLERANCE * RESIDUAL_FLOOR)
    return 0;
  return isfinite (got) ? fabs (got - want) / (TOLERANCE * want * MAX (1, RESIDUAL_FLOOR / residual)) : INFINITY;
}

static gboolean
is_similarity (NsQuantity quantity)
{
  return quantity == NS_Q_GRAD_COS_PREV || quantity == NS_Q_COS_X_PREV || quantity == NS_Q_COS_X_LAST;
}

static char *
compare_one (const Golden *golden, const NsResult *result, NsQuantity quantity, gint64 site, Summary *summary)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  double want = 0, block = 0, got = 0, log10_got = 0;
  gboolean expected = golden_get (golden, info->name, site, &want);
  gboolean present = ns_result_get_value (result, 0, quantity, site, 0, &got, &log10_got);
  /* relative to 0 */
  if (!expected && present && isnan (got) && info->group == NS_GROUP_RELATION)
    return NULL;
  /* equal tokens, but for rounding */
  if (!expected && present && quantity == NS_Q_PARTICIPATION && golden_get (golden, "token_residual", site, &want)
      && want < TOLERANCE * RESIDUAL_FLOOR)
    return NULL;
  if (expected != present)
    return g_strdup_printf ("%s: %s at site %d: %s", golden->name, info->name, (int) site,
                            expected ? "the engine has none" : "not expected");
  if (!expected)
    return NULL;

  double off;
  gboolean zero = golden_is_zero (golden, info->name);
  if (golden->noise != NULL && ns_quantity_is_of_parameters (quantity))
    {
      double noise = 0;
      get_number (golden, golden->noise, info->name, site, &noise);
      get_number (golden, golden->noise, "block", site, &block);
      off = golden_expected_deviation (want, got, log10_got, noise, block);
    }
  else if (zero || is_buried (golden, info->name, site))
    {
      if (!golden_get (golden, "block", site, &block))
        return g_strdup_printf ("%s: block at site %d is missing, %s needs it", golden->name, (int) site, info->name);
      double allowed = MAX (ZERO_TOLERANCE * block, zero ? 0 : TOLERANCE * want);
      off = !isfinite (got) ? INFINITY : got == want ? 0 : fabs (got - want) / allowed;
    }
  else if (quantity == NS_Q_TOKEN_RESIDUAL || quantity == NS_Q_PARTICIPATION)
    off = token_deviation (golden, quantity, site, want, got, log10_got);
  else if (is_similarity (quantity) && fabs (want) < SIMILARITY_FLOOR)
    off = isfinite (got) ? fabs (got - want) / (TOLERANCE * SIMILARITY_FLOOR) : INFINITY;
  else if ((quantity == NS_Q_RMS_SCORES || quantity == NS_Q_RMS_SCORES_CROSS) && want < FLT_MIN)
    off = got >= 0 ? got / FLT_MIN : INFINITY; /* scores are plain numbers of the precision, which underflow */
  else
    off = golden_deviation (info->kind, want, got, log10_got);
  summary->compared++;
  summary->worst = MAX (summary->worst, off);
  if (off <= 1)
    return NULL;
  return g_strdup_printf ("%s: %s at site %d is %.9g (log10 %.9g), expected %.9g: %.3g times the tolerance",
                          golden->name, info->name, (int) site, got, log10_got, want, off);
}

char *
golden_compare (const Golden *golden, const NsResult *result, Summary *summary)
{
  for (int quantity = 0; quantity < NS_N_QUANTITIES; quantity++)
    for (gint64 site = 0; site <= golden_last_site (golden); site++)
      {
        char *problem = compare_one (golden, result, (NsQuantity) quantity, site, summary);
        if (problem != NULL)
          return problem;
      }
  return NULL;
}

guint
golden_count (const Golden *golden)
{
  guint count = 0;
  g_autoptr (GList) members = json_object_get_members (golden->expected);
  for (GList *member = members; member != NULL; member = member->next)
    {
      NsQuantity quantity;
      JsonArray *sites = json_object_get_array_member (golden->expected, member->data);
      g_assert_true (ns_quantity_from_name (member->data, &quantity));
      for (guint i = 0; i < json_array_get_length (sites); i++)
        count += !json_array_get_null_element (sites, i);
    }
  return count;
}

NsResult *
golden_run (const NsExperiment *experiment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  NsQuantitySet wanted = ns_quantity_set_with_terms (NULL);
  ns_quantity_set_add (&wanted, NS_Q_PATH_LENGTH);
  ns_quantity_set_add (&wanted, NS_Q_GAIN);
  NsResult *result = ns_engine_run_quantities (engine, experiment, &wanted, 0, 1, NULL, &error);
  g_assert_no_error (error);
  return result;
}
