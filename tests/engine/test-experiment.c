/* Validation, copies and equality of experiments.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ns-experiment.h"

#include <math.h>
#include <string.h>

static gpointer
base_of (const NsParam *param, NsExperiment *experiment)
{
  return param->section == NS_SECTION_VARIANT ? (gpointer) ns_experiment_variant (experiment, 0)
                                              : (gpointer) experiment;
}

static const NsParam *
find (const char *path)
{
  const NsParam *param = ns_param_find (path);

  if (param == NULL)
    g_error ("no key %s", path);
  return param;
}

static void
set (NsExperiment *experiment, const char *path, const char *text)
{
  GError *error = NULL;

  ns_param_set_text (find (path), base_of (find (path), experiment), text, "", &error);
  g_assert_no_error (error);
}

static void
assert_mentions (const GError *error, const char *const *needles)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == NS_EXPERIMENT_ERROR);
  g_assert_cmpint (error->code, ==, NS_EXPERIMENT_ERROR_VALUE);
  for (; *needles != NULL; needles++)
    if (strstr (error->message, *needles) == NULL)
      g_error ("\"%s\" does not mention \"%s\"", error->message, *needles);
}

#define MENTIONS(error_, ...) assert_mentions ((error_), (const char *const[]) { __VA_ARGS__, NULL })
#define REFUSED(experiment_, ...)                                                                                    \
  G_STMT_START                                                                                                       \
  {                                                                                                                  \
    g_autoptr (GError) refused_error = NULL;                                                                         \
    g_assert_false (ns_experiment_validate ((experiment_), &refused_error));                                         \
    MENTIONS (refused_error, __VA_ARGS__);                                                                           \
  }                                                                                                                  \
  G_STMT_END
#define ACCEPTED(experiment_)                                                                                        \
  G_STMT_START                                                                                                       \
  {                                                                                                                  \
    GError *accepted_error = NULL;                                                                                   \
    ns_experiment_validate ((experiment_), &accepted_error);                                                         \
    g_assert_no_error (accepted_error);                                                                              \
  }                                                                                                                  \
  G_STMT_END

static void
test_heads (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  ACCEPTED (experiment);
  set (experiment, "shape.heads", "3");
  REFUSED (experiment, "shape.heads: 3 does not divide shape.d_model = 128", "allowed: 1, 2, 4, 8, 16, 32, 64, 128");
  set (experiment, "shape.d_model", "5040");
  set (experiment, "shape.heads", "11");
  REFUSED (experiment, "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, …");
  set (experiment, "shape.d_model", "7");
  set (experiment, "shape.heads", "7");
  ACCEPTED (experiment);
}

static void
test_fields_are_checked (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *second = ns_experiment_variant (experiment, 1);

  set (experiment, "shape.stack", "encoder-decoder");
  REFUSED (experiment, "shape.stack", "encoder-decoder", "allowed: single");
  experiment->shape.stack = NS_STACK_SINGLE;
  experiment->shape.depth = 0;
  REFUSED (experiment, "shape.depth: 0 is not allowed; allowed: a whole number from 1 to 65536");
  experiment->shape.depth = 1;
  experiment->loss = 7;
  REFUSED (experiment, "loss: 7 is not allowed");
  experiment->loss = NS_LOSS_UNIT_GRADIENT;
  second->norm_eps = NAN;
  REFUSED (experiment, "variants[1].norm_eps: nan is not allowed; allowed: a number from 0 to 1");
  second->norm_eps = 0;
  second->residual_scale = (NsScale) { 0, -1 };
  REFUSED (experiment, "variants[1].residual_scale: -1 is not allowed", "deepnorm");
  second->residual_scale = (NsScale) { NS_RESIDUAL_SCALE_DEEPNORM, NAN };
  ACCEPTED (experiment);
  second->bias = 5;
  REFUSED (experiment, "variants[1].bias: 5 is not allowed; allowed: true or false");
}

static void
test_variants_count_and_names (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  NsVariant *second = ns_experiment_variant (experiment, 1);

  g_free (g_steal_pointer (&second->name));
  second->name = g_strdup ("Pre-LN");
  REFUSED (experiment, "variants[1].name", "\"Pre-LN\"", "variants[0]", "allowed: a name that no other variant has");
  *second->name = '\0';
  REFUSED (experiment, "variants[1].name: \"\" is not allowed");

  g_ptr_array_set_size (experiment->variants, 0);
  REFUSED (experiment, "variants: 0 of them", "from 1 to 16");
  for (guint v = 0; v < NS_MAX_VARIANTS; v++)
    {
      g_autofree char *name = g_strdup_printf ("Curve %u", v);

      g_ptr_array_add (experiment->variants, ns_variant_new (name));
      ACCEPTED (experiment);
    }
  g_ptr_array_add (experiment->variants, ns_variant_new ("One more"));
  REFUSED (experiment, "variants: 17 of them", "from 1 to 16");
}

static void
test_parallel (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "topology", "parallel");
  ACCEPTED (experiment);
  set (experiment, "ffn.norm", "sandwich");
  ACCEPTED (experiment);
  set (experiment, "ffn.norm", "pre-post");
  REFUSED (experiment, "variants[0].ffn.norm: pre-post", "variants[0].attn.norm = pre", "topology = parallel",
           ": pre, sandwich");
  set (experiment, "ffn.norm", "none");
  REFUSED (experiment, "variants[0].ffn.norm: none", "variants[0].attn.norm = pre");
  set (experiment, "post_fraction", "0.5");
  ACCEPTED (experiment);
  set (experiment, "ffn.residual", "off");
  REFUSED (experiment, "variants[0].ffn.residual: false", "variants[0].attn.residual = true", "parallel");
  set (experiment, "topology", "sequential");
  ACCEPTED (experiment);
}

static void
test_text (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();

  set (experiment, "data.source", "text");
  REFUSED (experiment, "data.text: null is not allowed", "32 bytes", "UTF-8");
  experiment->data.text = g_strdup ("");
  REFUSED (experiment, "data.text: \"\" is not allowed", "not empty");
  set (experiment, "data.text", "A text of 31 bytes, one too few");
  REFUSED (experiment, "data.text: \"A text of 31", "of 31 bytes", "shape.seq_len = 32", "at least 32 bytes");
  set (experiment, "data.text", "A text of 32 bytes, just enough.");
  ACCEPTED (experiment);
  experiment->data.text[31] = '\xc3';
  REFUSED (experiment, "data.text: \"A text of 32", "UTF-8");
  experiment->data.text[31] = '.';
  set (experiment, "shape.vocab", "512");
  REFUSED (experiment, "shape.vocab: 512 is not allowed", "data.source = text", "allowed: 256");
  set (experiment, "data.source", "tokens");
  ACCEPTED (experiment);
}

static void
test_copies (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  set (experiment, "data.text", "Owned by one");
  set (experiment, "residual_scale", "deepnorm");

  g_autoptr (NsExperiment) copy = ns_experiment_copy (experiment);
  g_assert_true (ns_experiment_equal (experiment, copy));
  g_assert_true (experiment->data.text != copy->data.text);
  g_assert_true (ns_experiment_variant (experiment, 0)->name != ns_experiment_variant (copy, 0)->name);

  /* The number behind a rule is no difference. */
  ns_experiment_variant (copy, 0)->residual_scale.number = 7;
  g_assert_true (ns_experiment_equal (experiment, copy));
  ns_experiment_variant (copy, 0)->post_fraction = 0.5;
  g_assert_false (ns_experiment_equal (experiment, copy));
  ns_experiment_variant (copy, 0)->post_fraction = NAN;
  g_assert_true (ns_experiment_equal (experiment, copy));
  g_ptr_array_set_size (copy->variants, 1);
  g_assert_false (ns_experiment_equal (experiment, copy));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/experiment/heads", test_heads);
  g_test_add_func ("/experiment/fields", test_fields_are_checked);
  g_test_add_func ("/experiment/variants", test_variants_count_and_names);
  g_test_add_func ("/experiment/parallel", test_parallel);
  g_test_add_func ("/experiment/text", test_text);
  g_test_add_func ("/experiment/copies", test_copies);

  return g_test_run ();
}
