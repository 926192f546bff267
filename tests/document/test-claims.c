/* Claim files: the built-in ones, and every kind of broken one.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-validate.h"
#include "tests.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
test_builtin (void)
{
  GPtrArray *claims = ns_claims_builtin ();

  g_assert_cmpuint (claims->len, ==, 46);
  g_assert_true (claims == ns_claims_builtin ());
  g_assert_cmpstr (((NsClaim *) g_ptr_array_index (claims, 0))->id, ==, "theorem-1-post");
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (NsExperiment) now = ns_experiment_new ();
      g_autoptr (NsExperiment) experiment = ns_claim_set_up (claim, now, &error);
      guint variant = ns_claim_find_variant (claim, experiment, claim->variant);
      guint over = claim->over != NULL ? ns_claim_find_variant (claim, experiment, claim->over) : variant;

      g_assert_no_error (error);
      g_assert_cmpuint (variant, <, NS_MAX_VARIANTS);
      g_assert_cmpuint (over, <, NS_MAX_VARIANTS);
      g_assert_true (ns_experiment_validate (experiment, NULL));
      g_assert_true (g_utf8_validate (claim->statement, -1, NULL));
      /* Applying the preset satisfies every assumption. */
      for (guint a = 0; a < claim->assumptions->len; a++)
        if (!ns_assumption_holds (g_ptr_array_index (claim->assumptions, a), experiment, variant)
            || !ns_assumption_holds (g_ptr_array_index (claim->assumptions, a), experiment, over))
          g_error ("%s: its set-up violates the assumption on %s", claim->id,
                   ns_param_get_path (((NsAssumption *) g_ptr_array_index (claim->assumptions, a))->param));
    }
}

/* The exponents expected by the claims about the width are those of d·√(ln d) over the default widths. */
static void
test_widths (void)
{
  guint n, n_claims = 0;
  g_autofree gint64 *points = ns_sweep_points (32, 512, 8, &n);
  GPtrArray *claims = ns_claims_builtin ();
  double x = 0, y = 0, xx = 0, xy = 0;

  for (guint i = 0; i < n; i++)
    {
      double ln_d = log ((double) points[i]);
      double ln_f = ln_d + log (ln_d) / 2;

      x += ln_d / n;
      y += ln_f / n;
      xx += ln_d * ln_d / n;
      xy += ln_d * ln_f / n;
    }
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);

      if (!ns_check_sweeps (claim->kind) || claim->axis != NS_SWEEP_D_MODEL)
        continue;
      n_claims++;
      g_assert_cmpfloat (fabs (claim->expected - (xy - x * y) / (xx - x * x)), <, 0.01);
      g_assert_nonnull (strstr (claim->statement, "32 to 512"));
    }
  g_assert_cmpuint (n_claims, ==, 2);
}

/* Every claim has a German title and statement. */
static void
test_german (void)
{
  GPtrArray *claims = ns_claims_builtin ();

  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);
      g_autofree char *path = g_strdup_printf ("/org/normscope/document/claims/%s.claim", claim->id);
      g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
      g_autoptr (GKeyFile) file = g_key_file_new ();
      g_autofree char *title = NULL;
      g_autofree char *statement = NULL;

      g_assert_nonnull (bytes);
      g_assert_true (g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_KEEP_TRANSLATIONS, NULL));
      title = g_key_file_get_locale_string (file, "Claim", "Title", "de", NULL);
      statement = g_key_file_get_locale_string (file, "Claim", "Statement", "de", NULL);
      g_assert_cmpstr (title, !=, claim->title);
      g_assert_cmpstr (statement, !=, claim->statement);
    }
}

/* ---- broken files ---- */

#define CLAIM "[Claim]\nTitle=T\nStatement=S\nSource=P\n"
#define RATES "[Check]\nKind=learning-rates\nVariant=pre\n"
#define CHECK "[Check]\nKind=exponent\nVariant=post\nMetric=w_2@last\nLaw=ln\n"

static NsClaim *
read_text (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ns_claim_from_bytes (bytes, "some/card.claim", error);
}

static void
test_read (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsClaim) claim
    = read_text (CLAIM "Preset=tiny\nForm=lemma\nTitle[de]=Titel\n[Assumptions]\nshape.d_ff=shape.d_model\n"
                       "norm_eps=0..1e-5\n[Check]\nKind=ratio\nVariant=post\nOver=pre\nMetric=block@total\n"
                       "Exponent=-0.25\nTolerance=0.02\nBound=true\nAxis=d_model\n",
                 &error);

  g_assert_no_error (error);
  g_assert_cmpstr (claim->id, ==, "card");
  g_assert_cmpstr (claim->preset, ==, "tiny");
  g_assert_cmpint (claim->form, ==, NS_FORM_LEMMA);
  g_assert_cmpuint (claim->assumptions->len, ==, 2);
  g_assert_cmpint (claim->kind, ==, NS_CHECK_RATIO);
  g_assert_cmpint (claim->axis, ==, NS_SWEEP_D_MODEL);
  g_assert_cmpint (claim->metric.quantity, ==, NS_Q_BLOCK);
  g_assert_cmpint (claim->metric.where, ==, NS_AT_TOTAL);
  g_assert_cmpstr (claim->over, ==, "pre");
  g_assert_cmpint (claim->law, ==, NS_N_LAWS);
  g_assert_cmpfloat (claim->expected, ==, -0.25);
  g_assert_cmpfloat (claim->tolerance, ==, 0.02);
  g_assert_true (claim->at_most);
}

static void
test_read_loss (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsClaim) both = read_text (CLAIM "[Check]\nKind=loss\nVariant=pre\nLeast=0.2\nMost=0.9\n", &error);
  g_autoptr (NsClaim) least = read_text (CLAIM "[Check]\nKind=loss\nVariant=pre\nLeast=0.95\nSeeds=10\n", &error);

  g_assert_no_error (error);
  g_assert_cmpint (both->kind, ==, NS_CHECK_LOSS);
  g_assert_cmpint (both->metric.quantity, ==, NS_Q_LOSS);
  g_assert_cmpfloat (both->lower[0], ==, 0.2);
  g_assert_cmpfloat (both->upper[0], ==, 0.9);
  g_assert_cmpfloat (least->lower[0], ==, 0.95);
  g_assert_cmpfloat (least->upper[0], ==, 0);
  g_assert_cmpuint (both->min_seeds, ==, NS_CLAIM_MIN_TRAININGS);
  g_assert_cmpuint (least->min_seeds, ==, 10);
}

static void
test_read_rates (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsClaim) ratio = read_text (CLAIM RATES "Over=post\nRates=1e-3..1e-1:3\nLeast=2\n", &error);
  g_autoptr (NsClaim) one = read_text (CLAIM RATES "Rates=0.001,0.002,0.004,0.008\nLeast=2\nMost=1e3\n", &error);

  g_assert_no_error (error);
  g_assert_cmpint (ratio->kind, ==, NS_CHECK_RATES);
  g_assert_cmpstr (ratio->over, ==, "post");
  g_assert_cmpuint (ratio->n_rates, ==, 3);
  g_assert_cmpfloat (fabs (ratio->rates[1] - 0.01), <, 1e-9);
  g_assert_cmpfloat (ratio->lower[0], ==, 2);
  g_assert_cmpfloat (ratio->upper[0], ==, 0);
  g_assert_null (one->over);
  g_assert_cmpuint (one->n_rates, ==, 4);
  g_assert_cmpfloat (one->rates[3], ==, 0.008);
  g_assert_cmpfloat (one->upper[0], ==, 1000);
}

static void
test_broken (void)
{
  static const char *const broken[][4] = {
    { "", "empty", "[Check]" },
    { "\xff\xfe", "UTF-8" },
    { "{\"format\": 1}", "card.claim" },
    { "[Clam]\n", "[Clam]", "Claim" },
    { CHECK, "[Claim] Title", "missing" },
    { "[Claim]\nTitle= \nStatement=S\nSource=P\n" CHECK, "[Claim] Title", "the value is empty" },
    { CLAIM "Titel=x\n" CHECK, "[Claim] Titel", "Title" },
    { CLAIM "Title=again\n" CHECK, "Title", "duplicate" },
    { CLAIM "[Claim]\n" CHECK, "[Claim]", "duplicate" },
    { CLAIM "Form=theorm\n" CHECK, "[Claim] Form", "theorm", "theorem" },
    { CLAIM "Preset=tinny\n" CHECK, "[Claim] Preset", "tinny", "tiny" },
    { CLAIM "[Assumptions]\nshape.hads=1\n" CHECK, "[Assumptions] shape.hads", "shape.heads" },
    { CLAIM "[Assumptions]\nshape.heads=0\n" CHECK, "[Assumptions] shape.heads", "from 1" },
    { CLAIM "[Assumptions]\nattention=unifrom\n" CHECK, "[Assumptions] attention", "unifrom", "uniform" },
    { CLAIM, "[Check] Kind", "missing" },
    { CLAIM "[Check]\nKind=exponnt\n", "[Check] Kind", "exponnt", "exponent" },
    { CLAIM "[Check]\nKind=exponent\nVariant=pots\n", "[Check] Variant", "pots", "post" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_9@last\nLaw=ln\n", "[Check] Metric", "w_9" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2@lst\nLaw=ln\n", "[Check] Metric", "@lst", "@last" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nLaw=log\n", "[Check] Law", "log", "ln/sqrt" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nLaw=exp\n", "[Check] Law", "exp", "exponential" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nLaw=power\nTolerance=1\n", "[Check] Law", "power",
      "Tolerance" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nLaw=power\nBound=true\n", "[Check] Law", "Bound" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\n", "Law, Exponent", "missing" },
    { CLAIM CHECK "Exponent=1\n", "Law, Exponent", "both" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nExponent=half\n", "[Check] Exponent", "half" },
    { CLAIM "[Check]\nKind=exponent\nVariant=post\nMetric=w_2\nExponent=nan\n", "[Check] Exponent", "nan" },
    { CLAIM CHECK "Tolerance=-1\n", "[Check] Tolerance", "-1", "from 0" },
    { CLAIM CHECK "Bound=yes\n", "[Check] Bound", "yes", "true" },
    { CLAIM CHECK "Axis=width\n", "[Check] Axis", "width", "d_model" },
    { CLAIM CHECK "Lower=1;2\n", "[Check] Lower", "unknown" },
    { CLAIM "[Check]\nKind=ratio\nVariant=post\nMetric=w_2\nLaw=sqrt\n", "[Check] Over", "missing" },
    { CLAIM "[Check]\nKind=profile\nVariant=post\nMetric=w_2@last\nLaw=sqrt\n", "[Check] Metric", "without “@”" },
    { CLAIM "[Check]\nKind=profile\nVariant=post\nMetric=token_cos\nLaw=sqrt\n", "[Check] Metric", "profile" },
    { CLAIM "[Check]\nKind=band\nVariant=pre\nMetric=rms_x\nLower=1\nUpper=1;2\n", "[Check] Lower", "CONSTANT;SLOPE" },
    { CLAIM "[Check]\nKind=halving\nVariant=post\nMetric=token_cos\n", "[Check] Factor", "missing" },
    { CLAIM "[Check]\nKind=halving\nVariant=post\nMetric=token_cos\nFactor=2\n", "[Check] Factor", "from 0 to 1" },
    { CLAIM "[Check]\nKind=mean-field\nVariant=post\nMetric=w_2\n", "[Check] Metric", "mean-field" },
    { CLAIM "[Check]\nKind=bounds\nVariant=pre\nMetric=rms_x@last\nUpper=1;2\n", "[Check] Lower", "missing" },
    { CLAIM "[Check]\nKind=bounds\nVariant=pre\nMetric=rms_x@end\n", "[Check] Metric", "@end", "@squares" },
    { CLAIM "[Check]\nKind=geometric\nVariant=pre\nMetric=w_2\n", "[Check] Factor", "missing" },
    { CLAIM "[Check]\nKind=geometric\nVariant=pre\nMetric=token_cos\nFactor=1\n", "[Check] Metric", "geometric" },
    { CLAIM "[Check]\nKind=identity\nVariant=pre\nMetric=w_2\n", "[Check] Metric", "identity" },
    { CLAIM "[Check]\nKind=identity\nVariant=pre\nOver=pots\nMetric=w_2\n", "[Check] Over", "pots", "post" },
    { CLAIM "[Check]\nKind=identity\nVariant=pre\nMetric=rms_x\nFactor=1\n", "[Check] Factor", "unknown" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\n", "[Check] Least, Most", "missing" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\nMost=0.9\nMetric=loss\n", "[Check] Metric", "unknown", "Most" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\nMost=half\n", "[Check] Most", "half", "from 0.01 to 100" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\nLeast=0\n", "[Check] Least", "0", "from 0.01 to 100" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\nLeast=1\nMost=0.9\n", "[Check] Least", "1", "up to Most, 0.9" },
    { CLAIM "[Check]\nKind=loss\nVariant=pre\nMost=0.9\nSeeds=4\n", "[Check] Seeds", "4", "from 5 to 64" },
    { CLAIM "[Check]\nKind=profile\nVariant=pre\nMetric=w_2\nLaw=sqrt\nSeeds=9\n", "[Check] Seeds", "unknown" },
    { CLAIM "[Check]\nKind=profile\nVariant=pre\nOver=pots\nMetric=w_2\nLaw=sqrt\n", "[Check] Over", "pots" },
    { CLAIM RATES "Least=2\n", "[Check] Rates", "missing" },
    { CLAIM RATES "Rates=fast\nLeast=2\n", "[Check] Rates", "fast", "1e-4..1e-1:10" },
    { CLAIM RATES "Rates=0.1,0.01\nLeast=2\n", "[Check] Rates", "0.1,0.01", "ascending" },
    { CLAIM RATES "Rates=-1,2,3\nLeast=2\n", "[Check] Rates", "-1,2,3", "above 0" },
    { CLAIM RATES "Rates=0.01,0.1\nLeast=2\n", "[Check] Rates", "2 learning rates", "3 or more" },
    { CLAIM RATES "Rates=1e-4..1e-1:4\n", "[Check] Least, Most", "missing" },
    { CLAIM RATES "Rates=1e-4..1e-1:4\nMost=0\n", "[Check] Most", "0", "from 0.001 to 1e+06" },
    { CLAIM RATES "Rates=1e-4..1e-1:4\nLeast=3\nMost=2\n", "[Check] Least", "3", "up to Most, 2" },
    { CLAIM RATES "Over=pots\nRates=1e-4..1e-1:4\nLeast=2\n", "[Check] Over", "pots", "post" },
    { CLAIM RATES "Over=pre\nRates=1e-4..1e-1:4\nLeast=2\n", "[Check] Over", "pre", "another variant" },
    { CLAIM RATES "Rates=1e-4..1e-1:4\nLeast=2\nTolerance=1\n", "[Check] Tolerance", "unknown" },
    { CLAIM CHECK "Rates=1e-4..1e-1:4\n", "[Check] Rates", "unknown" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (broken); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (NsClaim) claim = read_text (broken[i][0], &error);

      g_test_message ("%s", error != NULL ? error->message : broken[i][0]);
      g_assert_null (claim);
      g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "some/card.claim"));
      for (guint w = 1; w < 4 && broken[i][w] != NULL; w++)
        if (strstr (error->message, broken[i][w]) == NULL)
          g_error ("“%s” is not in: %s", broken[i][w], error->message);
    }
}

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
test_folder (void)
{
  static const char *const names[] = { "b.claim", "a.claim", "bad.claim", "theorem-1-pre.claim", "notes.txt" };
  g_autofree char *folder = g_dir_make_tmp ("normscope-claims-XXXXXX", NULL);
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) claims = NULL;
  g_autoptr (GPtrArray) none = ns_claims_from_folder ("/missing", errors);

  g_assert_cmpuint (none->len + errors->len, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    write_file (folder, names[i], strcmp (names[i], "bad.claim") == 0 ? CLAIM : CLAIM CHECK);
  claims = ns_claims_from_folder (folder, errors);
  g_assert_cmpuint (claims->len, ==, 2);
  g_assert_cmpstr (((NsClaim *) g_ptr_array_index (claims, 0))->id, ==, "a");
  g_assert_cmpstr (((NsClaim *) g_ptr_array_index (claims, 1))->id, ==, "b");
  g_assert_cmpuint (errors->len, ==, 2);
  g_assert_nonnull (strstr (g_ptr_array_index (errors, 0), "bad.claim"));
  g_assert_nonnull (strstr (g_ptr_array_index (errors, 1), "theorem-1-pre"));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_remove (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

void
add_claims_tests (void)
{
  g_test_add_func ("/claims/builtin", test_builtin);
  g_test_add_func ("/claims/widths", test_widths);
  g_test_add_func ("/claims/german", test_german);
  g_test_add_func ("/claims/read", test_read);
  g_test_add_func ("/claims/read-loss", test_read_loss);
  g_test_add_func ("/claims/read-rates", test_read_rates);
  g_test_add_func ("/claims/broken", test_broken);
  g_test_add_func ("/claims/folder", test_folder);
}
