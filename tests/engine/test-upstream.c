/* Test backward passes from other upstream gradients than the head's, one at a time and several at once. A gain map is
 * made of them.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-pass.h"
#include "engine/pass/ns-pass-parameters.h"
#include "tests.h"

#include <string.h>

#ifdef NS_DOUBLE
#define TOLERANCE 1e-12
#else
#define TOLERANCE 2e-5
#endif

#define N_COPIES 3
#define MAX_SITES 16

static const NsShape small = {
  .depth = 5, .d_model = 24, .heads = 3, .d_ff = 40, .seq_len = 6, .batch = 2, .vocab = 12,
};

static const char wirings[] = "pre post sandwich deepnorm parallel parallel-two-norms b2t mix "
                              "pre:norm=dyt,name=DyT post:norm=rmsnorm,residual_scale=0.7,name=Scaled "
                              "post:attention=uniform,name=Uniform pre:rotary=half,rotary_base=20,name=Rotary "
                              "pre:activation=swiglu,position_bias=alibi,experts=4,shared_experts=1,name=Gated "
                              "pre:qk_norm=qkv-head,name=QKV none:residual_scale=1,name=None "
                              "none:attn.residual=off,ffn.residual=off,init.scheme=normal,init.std=1e-9,name=Vanishing";

/* log2 of the gradient's norm at each site. */
typedef struct
{
  const NsPass *pass;
  double log2_norm[N_COPIES][MAX_SITES];
} Norms;

static void
keep (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value, double log10_value)
{
  Norms *norms = data;
  gsize size = norms->pass->plan.N * norms->pass->plan.C;

  (void) quantity, (void) estimate, (void) value, (void) log10_value;
  for (gsize i = 0; i < norms->pass->copies; i++)
    norms->log2_norm[i][site] = log2 (ns_sum_squares (norms->pass->dx.v + i * size, size)) / 2 + norms->pass->dx.exp2;
}

static void
assert_same (const Norms *have, int i, const Norms *want, int j, gint64 n_sites, double shift)
{
  for (gint64 site = 0; site < n_sites; site++)
    {
      double a = have->log2_norm[i][site], b = want->log2_norm[j][site] + shift;

      if (!(a == b || fabs (a - b) <= TOLERANCE))
        g_error ("gradient %d at site %d: 2^%.9g instead of 2^%.9g", i, (int) site, a, b);
    }
}

/* Run the gradients v [copies·N, C]·2^exp2 from the last site down to the input. */
static void
run_down (NsPass *pass, Norms *norms, gsize copies, const ns_real *v, double exp2)
{
  pass->copies = copies;
  memcpy (pass->work->dx, v, ns_pass_get_gradient_size (pass) * sizeof *v);
  pass->dx = (NsScaled){ pass->work->dx, exp2 };
  g_assert_cmpint (ns_pass_backward_from (pass, ns_plan_get_head_site (&pass->plan) - 1, 0, NULL), ==, NS_PASS_DONE);
}

static void
check_variant (const NsExperiment *e, guint variant, NsWeights *weights)
{
  NsWorkspaceMemory memory = { 0 };
  NsWorkspace work;
  NsPass pass;
  Norms ordinary = { .pass = &pass }, alone = { .pass = &pass }, other = { .pass = &pass }, several = { .pass = &pass };
  gint64 n_sites = ns_experiment_get_head_site (e);
  g_autofree ns_real *v = NULL, *drawn = NULL;
  g_autofree char *wide = NULL;
  NsQuantitySet gradients = { { 0 } };
  double exp2;
  gsize size;

  ns_quantity_set_add (&gradients, NS_Q_GRAD_X);
  g_assert_cmpint (n_sites, <=, MAX_SITES);
  g_assert_true (ns_workspace_init (&work, &memory, e, variant % 2 == 0, NULL));
  ns_pass_init (&pass, e, variant, 0, &work, weights);
  size = pass.plan.N * pass.plan.C;
  v = g_new (ns_real, N_COPIES * size);
  drawn = check_draw (size, 5);
  pass.sink = (NsSink){ .record = keep, .data = &ordinary, .wanted = &gradients };
  g_assert_cmpint (ns_pass_forward (&pass, 0, n_sites - 1, NULL), ==, NS_PASS_DONE);
  g_assert_cmpint (ns_pass_head (&pass, NULL), ==, NS_PASS_DONE);
  exp2 = pass.dx.exp2;
  /* the pass's own gradient, another, and the first times −2 */
  for (gsize i = 0; i < size; i++)
    {
      v[i] = pass.dx.v[i];
      v[size + i] = drawn[i];
      v[2 * size + i] = -2 * v[i];
    }
  g_assert_cmpint (ns_pass_backward (&pass, 0, NULL), ==, NS_PASS_DONE);
  pass.sink.data = &alone;
  alone.log2_norm[0][n_sites - 1] = ordinary.log2_norm[0][n_sites - 1];
  run_down (&pass, &alone, 1, v, exp2);
  if (!pass.plan.variant->dual_residual) /* there the head's gradient enters both streams */
    assert_same (&alone, 0, &ordinary, 0, n_sites, 0);
  pass.sink.data = &other;
  run_down (&pass, &other, 1, v + size, exp2);

  wide = g_malloc (ns_workspace_get_widened_bytes (e, N_COPIES));
  ns_workspace_widen (&work, e, N_COPIES, wide);
  pass.sink.data = &several;
  run_down (&pass, &several, N_COPIES, v, exp2);
  assert_same (&several, 0, &alone, 0, n_sites - 1, 0);
  assert_same (&several, 1, &other, 0, n_sites - 1, 0);
  assert_same (&several, 2, &alone, 0, n_sites - 1, 1);
  ns_workspace_memory_clear (&memory);
}

static void
test_upstream (void)
{
  NsShape pair = small;
  g_autoptr (NsExperiment) single = check_experiment (small, wirings);
  g_autoptr (NsExperiment) dual = check_experiment (small, "residual");
  g_autoptr (NsExperiment) both = NULL;
  const NsExperiment *experiments[3];

  pair.stack = NS_STACK_ENCODER_DECODER;
  pair.depth = 3;
  both = check_experiment (pair, "pre post deepnorm b2t residual post:attention=uniform,name=Uniform");
  experiments[0] = single;
  experiments[1] = dual;
  experiments[2] = both;
  for (int i = 0; i < 3; i++)
    {
      NsWeights *weights = ns_weights_new (1 << 24);

      for (guint v = 0; v < experiments[i]->variants->len; v++)
        check_variant (experiments[i], v, weights);
      ns_weights_free (weights);
    }
}

void
add_upstream_tests (void)
{
  g_test_add_func ("/upstream/several", test_upstream);
}
