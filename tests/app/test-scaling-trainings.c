/* Cards of claims that train, to their end and cancelled, in the real window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-scaling.h"

#include <string.h>

#include "document/ns-claims.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-claim-words.h"

#define RATES "test-learning-rates"

/* A claim for tiny models, since the shipped one trains ninety runs. */
static const char text[] = "[Claim]\nTitle=Rates\nStatement=S\nSource=P\n"
                           "[Assumptions]\nshape.d_model=1..8\ndata.source=markov\n"
                           "[Check]\nKind=learning-rates\nVariant=post\nOver=pre\n"
                           "Rates=0.0001,0.01,0.03,0.1,0.3,100\nLeast=0.001\n";

static NsClaim *
find_claim (const char *id)
{
  GPtrArray *claims = ns_claims_builtin ();

  for (guint i = 0; i < claims->len; i++)
    if (strcmp (((NsClaim *) g_ptr_array_index (claims, i))->id, id) == 0)
      return g_ptr_array_index (claims, i);
  g_error ("there is no claim %s", id);
}

/* Show an experiment in the scaling view, with a short sweep. */
static Scaling
show_experiment (Fixture *fixture, const NsExperiment *experiment)
{
  Scaling scaling = scaling_find (fixture);
  NsScalingSettings settings = *normscope_scaling_bar_get_settings (scaling.bar);

  settings.last[NS_SWEEP_DEPTH] = 2;
  settings.first[NS_SWEEP_D_MODEL] = 8;
  settings.last[NS_SWEEP_D_MODEL] = 16;
  normscope_session_take_experiment (fixture->session, ns_experiment_copy (experiment));
  normscope_scaling_bar_set_settings (scaling.bar, &settings);
  scaling_show_view (&scaling, "scaling");
  return scaling;
}

static NsExperiment *
make_tiny (gint64 steps)
{
  NsExperiment *experiment = ns_experiment_new ();

  experiment->shape = (NsShape){ .depth = 2, .d_model = 8, .heads = 2, .d_ff = 16, .seq_len = 16, .batch = 4,
                                 .vocab = 8 };
  experiment->data.source = NS_SOURCE_MARKOV;
  experiment->sampling.seeds = 5;
  experiment->training.steps = steps;
  experiment->training.optimizer = NS_OPTIMIZER_ADAM;
  return experiment;
}

static const char *
get_text (Scaling *scaling, const char *id, const char *child)
{
  return gtk_label_get_label (GTK_LABEL (scaling_get_card_child (scaling, id, child)));
}

static gboolean
is_measuring (gpointer scaling)
{
  return strstr (get_text (scaling, RATES, "verdict"), "Measuring") != NULL;
}

static gboolean
has_measured (gpointer scaling)
{
  return strstr (get_text (scaling, RATES, "measured"), "Measured") != NULL;
}

/* The card shows what the test's own engine measures. */
static void
test_rates (Fixture *fixture, gconstpointer data)
{
  const NsClaim *claim = find_claim (RATES);
  g_autoptr (NsExperiment) experiment = make_tiny (60);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsSensitivity) map = ns_claim_map_new (claim, experiment, &error);
  NsEvidence evidence = { .maps = &map, .n_maps = 1 };
  NsClaimResult result;
  g_autofree char *measured = NULL;
  Scaling scaling;

  g_assert_no_error (error);
  g_assert_true (ns_engine_fill_sensitivity (fixture->engine, map, NULL, &error));
  ns_claim_evaluate (claim, experiment, &evidence, &result);
  measured = ns_claim_dup_measured (claim, &result);
  scaling = show_experiment (fixture, experiment);
  g_assert_true (app_wait_for (has_measured, &scaling, TIMEOUT_MS));
  scaling_wait_until_idle (&scaling);
  g_assert_cmpstr (get_text (&scaling, RATES, "measured"), ==, measured);
  g_assert_cmpstr (get_text (&scaling, RATES, "verdict"), ==, "Consistent");
  /* outside the assumptions nothing is trained */
  app_type_number (fixture, "shape.d_model", "16");
  scaling_wait_until_idle (&scaling);
  g_assert_cmpstr (get_text (&scaling, RATES, "measured"), ==, "");
  g_assert_nonnull (strstr (get_text (&scaling, RATES, "why_not"), "Set Up"));
}

static gboolean
has_progress (gpointer scaling)
{
  GtkWidget *label = app_find_text (((Scaling *) scaling)->view, "claims:"); /* the spaces do not break */

  return label != NULL && is_measuring (scaling);
}

/* A long one shows its progress, and ends when the user cancels it. */
static void
test_cancel (Fixture *fixture, gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = make_tiny (100000);
  Scaling scaling = show_experiment (fixture, experiment);

  g_assert_true (app_wait_for (has_progress, &scaling, TIMEOUT_MS));
  g_signal_emit_by_name (scaling_get_child (&scaling, "run_button"), "clicked");
  scaling_wait_until_idle (&scaling);
  g_assert_cmpstr (get_text (&scaling, RATES, "verdict"), ==, "Cannot tell here");
  g_assert_cmpstr (get_text (&scaling, RATES, "why_not"), ==, "The training has not been run to its end.");
}

static gboolean
is_trained (gpointer scaling)
{
  return strstr (get_text (scaling, "train-pre", "measured"), "Measured: a final loss of ") != NULL;
}

/* The quickest shipped card that trains, with the button that sets it up. */
static void
test_shipped (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsExperiment) now = ns_experiment_new ();
  g_autoptr (NsExperiment) experiment = ns_claim_set_up (find_claim ("train-pre"), now, &error);
  Scaling scaling;

  g_assert_no_error (error);
  for (guint v = experiment->variants->len; v-- > 0;)
    if (strcmp (ns_experiment_variant (experiment, v)->name, "Pre-LN") != 0)
      g_ptr_array_remove_index (experiment->variants, v);
  g_assert_cmpuint (experiment->variants->len, ==, 1);
  scaling = show_experiment (fixture, experiment);
  g_assert_true (app_wait_for (is_trained, &scaling, 10 * TIMEOUT_MS));
  g_assert_cmpstr (get_text (&scaling, "train-pre", "verdict"), ==, "Consistent");
  g_assert_nonnull (strstr (get_text (&scaling, "train-pre", "measured"), "(0 of 5 seeds stalled)"));
  g_assert_true (gtk_widget_has_css_class (scaling_get_card_child (&scaling, "train-pre", "verdict_box"),
                                           "consistent"));
  /* no variant is wired like those of the other cards */
  g_assert_nonnull (strstr (get_text (&scaling, "train-post", "why_not"), "Post-LN"));
}

/* Before the window, which makes the cards. */
static const char *
prepare (void)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (ns_claims_builtin (), ns_claim_from_bytes (bytes, RATES ".claim", &error));
  g_assert_no_error (error);
  return NULL;
}

void
add_scaling_trainings_tests (void)
{
  app_test_prepare (prepare);
  app_test_add ("/scaling-trainings/rates", test_rates);
  app_test_add ("/scaling-trainings/cancel", test_cancel);
  app_test_add ("/scaling-trainings/shipped", test_shipped);
}
