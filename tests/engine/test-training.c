/* Test training: the gradient of a step, the same bits for any threads, memory and interruption, divergence, records,
 * checkpoints. tests/cross/training_check.py compares steps with PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "check.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "engine/ops/ns-random.h"
#include "engine/train/ns-trainer.h"
#include "engine/train/ns-training-estimate.h"
#include "tests.h"

#include <stdatomic.h>
#include <string.h>

static const NsShape small = {
  .depth = 2, .d_model = 12, .heads = 2, .d_ff = 20, .seq_len = 5, .batch = 2, .vocab = 11,
};

#ifdef NS_DOUBLE
/* Besides the built-in variants: everything that has parameters of its own. */
static const char *const wirings[] = {
  "pre:bias=on", "post:bias=on,norm=rmsnorm", "sandwich:bias=on,norm=dyt", "pre:qk_norm=full,bias=on",
  "pre:qk_norm=head,norm=dyt", "pre:rotary=half,rotary_base=20,bias=on", "pre:position_bias=alibi,bias=on",
  "pre:window=2,attention=causal,bias=on",
  "pre:score_cap=0.5,logit_scale=0.7,logit_cap=1,bias=on", "post:head_transform=on,bias=on,activation=gelu",
  "pre:head_transform=on,norm=dyt,activation=swiglu",
  "pre:sublayers=attention,bias=on", "post:sublayers=ffn,activation=swiglu",
  "pre:position_bias=t5,position_buckets=6,position_distance=4,bias=on",
  "ngpt:activation=swiglu,rotary=half,rotary_base=20", "ngpt:branch_scale=0.6,score_cap=0.5,logit_cap=1",
  "pre:experts=4,activation=gelu", "post:experts=3,expert_weights=softmax,shared_experts=2,activation=swiglu",
  "pre:qk_norm=qkv-head,norm=rmsnorm", "post:qk_norm=cosine,bias=on",
  "pre:branch_parameter=vector,branch_scale=0.5", "post:branch_parameter=scalar,branch_scale=0.7,dual_residual=on",
  "pre:bias=on,name=Tied", "pre:attention=uniform,bias=on", "pre:attn.inner_norm=on,ffn.inner_norm=on,bias=on",
  "pre:activation=swiglu,bias=on,input_norm=on", "branch:branch_norm_gain=0.3,bias=on,input_norm=on,input_scale=0.5",
  "pre:topology=parallel,bias=on", "pre:topology=parallel-two-norms,bias=on", "post:block_residual=on,bias=on",
  "pre:attention_output=off,bias=on", "pre:norm_scale=layernorm-scaling,bias=on", "pre:attention=full,final_norm=off",
};
#endif

static NsExperiment *
make_experiment (const char *variants, int stack)
{
  NsExperiment *e = check_experiment (small, variants);

  e->shape.stack = stack;
  e->data.source = NS_SOURCE_TOKENS;
  e->data.positions = NS_POSITIONS_LEARNED;
  e->data.token_types = 2;
  if (ns_experiment_variant (e, 0)->ngpt) /* has only embeddings at its input */
    {
      e->data.positions = NS_POSITIONS_NONE;
      e->data.token_types = 0;
    }
  e->data.embed_scale = (NsScale){ 0, 1.5 };
  if (strcmp (ns_experiment_variant (e, 0)->name, "Tied") == 0) /* needs the embedding */
    ns_experiment_variant (e, 0)->init.head = (NsScale){ NS_INIT_HEAD_TIED, 0 };
  return e;
}

/* ---- the gradient ---- */

typedef struct
{
  NsExperiment *experiment;
  NsBatchSource source;
  NsTrainer *trainer;
  NsWorkspaceMemory memory;
  NsWorkspace work;
  NsTrainerScratch scratch;
  ns_real *theta; /* where the gradient is taken */
} Fixture;

static void
fixture_init (Fixture *f, NsExperiment *experiment)
{
  *f = (Fixture){ .experiment = experiment };
  g_assert_true (ns_workspace_init (&f->work, &f->memory, experiment, TRUE, NULL));
  ns_batch_source_init (&f->source, experiment, NULL); /* no Markov chain */
  f->trainer = ns_trainer_new (experiment, &f->source, 0, 1, NULL);
  g_assert_true (ns_trainer_scratch_init (&f->scratch, experiment, &f->work, TRUE, NULL, NULL));
  f->theta = g_memdup2 (f->trainer->values, f->trainer->parameters.size * sizeof (ns_real));
}

static void
fixture_clear (Fixture *f)
{
  ns_trainer_free (f->trainer);
  ns_workspace_memory_clear (&f->memory);
  ns_trainer_scratch_clear (&f->scratch);
  g_free (f->theta);
  ns_experiment_free (f->experiment);
}

#ifdef NS_DOUBLE

/* Do step 0 from θ + h·direction; return its loss. Leaves Δ in the gradient. */
static double
step_from (Fixture *f, const NsParameter *p, const double *direction, double h)
{
  NsTrainerStep step = { .ratios = NULL };
  const NsSink sink = { 0 };

  f->trainer->step = 0;
  memcpy (f->trainer->values, f->theta, f->trainer->parameters.size * sizeof (ns_real));
  for (gsize i = 0; p != NULL && i < p->rows * p->columns; i++)
    f->trainer->values[p->offset + i] += (ns_real) (h * direction[i]);
  g_assert_cmpint (ns_trainer_step (f->trainer, &f->scratch, &sink, &step), ==, NS_PASS_DONE);
  return step.loss;
}

/* Compare ⟨∂L/∂θ, d⟩ of each parameter with a central difference along a random direction d. */
static void
check_gradient (NsExperiment *experiment)
{
  Fixture f;
  g_autofree double *gradient = NULL;
  double norm2 = 0;

  if (!ns_experiment_validate (experiment, NULL)) /* parallel in a decoder */
    {
      ns_experiment_free (experiment);
      return;
    }

  experiment->training.optimizer = NS_OPTIMIZER_SGD;
  experiment->training.learning_rate = 1;
  experiment->training.momentum = 0;
  experiment->training.warmup = 0;
  fixture_init (&f, experiment);
  /* away from zero biases and from gains of one */
  for (gsize i = 0; i < f.trainer->parameters.size; i++)
    {
      float noise;

      ns_random_fill ((NsRandomKey){ 9, 0, NS_STREAM_TEST, 0, 0 }, NS_DISTRIBUTION_NORMAL, i, 1, &noise);
      f.theta[i] += 0.1 * noise;
    }
  step_from (&f, NULL, NULL, 0);
  gradient = g_memdup2 (f.scratch.gradient, f.trainer->parameters.trained * sizeof (double));
  for (gsize i = 0; i < f.trainer->parameters.trained; i++)
    norm2 += gradient[i] * gradient[i];
  g_assert_cmpfloat (norm2, >, 0);
  for (guint i = 0; i < f.trainer->parameters.n; i++)
    {
      const NsParameter *p = &f.trainer->parameters.list[i];
      gsize n = p->rows * p->columns;
      g_autofree double *direction = g_new (double, n);
      g_autofree float *numbers = g_new (float, n);
      double expected, measured = 0, h = 1e-5 / sqrt ((double) n);

      ns_random_fill ((NsRandomKey){ 9, i, NS_STREAM_TEST + 1, 0, 0 }, NS_DISTRIBUTION_NORMAL, 0, n, numbers);
      for (gsize j = 0; j < n; j++)
        {
          direction[j] = numbers[j];
          measured -= gradient[p->offset + j] * direction[j]; /* Δ = −g */
        }
      expected = (step_from (&f, p, direction, h) - step_from (&f, p, direction, -h)) / (2 * h);
      if (check_relative_error (expected, measured, 1e-3 * sqrt (norm2)) > 1e-5)
        g_error ("%s, %s at %d: %.12g, but the gradient gives %.12g", ns_experiment_variant (experiment, 0)->name,
                 p->tensor < NS_N_TENSORS ? ns_tensor_get_name (p->tensor) : "table", (int) p->site, expected,
                 measured);
    }
  fixture_clear (&f);
}

static void
test_gradients (void)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (int stack = 0; stack < 2; stack++)
    {
      for (gsize i = 0; i < n; i++)
        {
          g_autofree char *text = g_strdup_printf ("%s:activation=gelu", builtins[i].id);

          check_gradient (make_experiment (text, stack));
        }
      for (gsize i = 0; i < G_N_ELEMENTS (wirings); i++)
        {
          NsExperiment *e = make_experiment (wirings[i], stack);

          e->sampling.batches = i % 3 == 0 ? 2 : 1;
          check_gradient (e);
        }
    }
}

#endif

/* ---- whole trainings ---- */

#define STEPS 24
#define N_FIRST 4

static NsExperiment *
make_runs (void)
{
  NsExperiment *e = make_experiment ("pre:bias=on post:norm=rmsnorm deepnorm:qk_norm=head", NS_STACK_SINGLE);

  e->training.steps = STEPS;
  e->training.optimizer = NS_OPTIMIZER_ADAM;
  e->training.learning_rate = 1e-2;
  e->training.weight_decay = 0.1;
  e->training.clip = 1;
  e->training.warmup = 5;
  ns_experiment_variant (e, 1)->training.optimizer = NS_OPTIMIZER_SGD;
  ns_experiment_variant (e, 1)->training.learning_rate = 0.1;
  return e;
}

static NsTraining *
new_training (const NsExperiment *experiment)
{
  const NsTrainingPlan plan = { .n_first = N_FIRST, .n_later = 3, .keep_weights = TRUE };
  g_autoptr (GError) error = NULL;
  NsTraining *training = ns_training_new (experiment, &plan, 0, 2, &error);

  g_assert_no_error (error);
  return training;
}

static NsTraining *
train_on (const NsExperiment *experiment, guint n_threads, guint64 budget)
{
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, budget);
  NsTraining *training = new_training (experiment);
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;
  guint64 done, total;

  ns_engine_train (engine, training, progress, &error);
  g_assert_no_error (error);
  ns_progress_get (progress, &done, &total);
  g_assert_cmpuint (done, ==, total);
  return training;
}

static gboolean
append_weights (const NsTrainingWeights *weights, gpointer user_data, GError **error)
{
  g_byte_array_append (user_data, weights->values, (guint) (weights->rows * weights->columns)
                                                       * (guint) weights->element_size);
  return TRUE;
}

static GByteArray *
get_weights (NsTraining *training, guint variant, guint seed)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  ns_training_foreach_weights (training, variant, seed, append_weights, bytes, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
assert_same_numbers (const NsTraining *a, const NsTraining *b, guint v, guint s)
{
  const gint64 head = ns_experiment_get_head_site (ns_training_get_experiment (a));
  guint n;

  g_assert_cmpint (ns_training_count_steps (a, v, s), ==, ns_training_count_steps (b, v, s));
  for (gint64 t = 0; t < STEPS; t++)
    {
      double x = 0, y = 0;

      g_assert_cmpint (ns_training_get_loss (a, v, s, t, &x), ==, ns_training_get_loss (b, v, s, t, &y));
      g_assert_true (memcmp (&x, &y, sizeof x) == 0);
    }
  ns_training_get_records (a, &n);
  for (guint r = 0; r < n; r++)
    for (gint64 site = 0; site <= head; site++)
      for (int t = 0; t < NS_N_TENSORS; t++)
        {
          double x = 0, y = 0;

          ns_training_get_update_ratio (a, v, s, r, (NsTensor) t, site, &x);
          ns_training_get_update_ratio (b, v, s, r, (NsTensor) t, site, &y);
          g_assert_true (memcmp (&x, &y, sizeof x) == 0);
        }
}

static void
assert_same (NsTraining *a, NsTraining *b)
{
  guint n;

  for (guint v = 0; v < ns_training_get_experiment (a)->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (a); s++)
      {
        g_autoptr (GByteArray) x = get_weights (a, v, s), y = get_weights (b, v, s);

        assert_same_numbers (a, b, v, s);
        g_assert_cmpmem (x->data, x->len, y->data, y->len);
      }
  ns_training_get_records (a, &n);
  for (guint r = 0; r < n; r++)
    {
      g_autoptr (NsResult) x = ns_training_get_result (a, r), y = ns_training_get_result (b, r);

      g_assert_cmpuint (check_count_different_all (x, y), ==, 0);
    }
}

/* Threads, and memory that makes it recompute activations and open one run at a time, change no bit. */
static void
test_same_bits (void)
{
  NsExperiment *e = make_runs ();
  g_autoptr (NsTraining) one = train_on (e, 1, 0);
  double first, last;

  for (guint n_threads = 2; n_threads <= 3; n_threads++)
    {
      g_autoptr (NsTraining) other = train_on (e, n_threads, 0), small_budget = train_on (e, n_threads, 1);

      assert_same (one, other);
      assert_same (one, small_budget);
    }
  for (guint v = 0; v < e->variants->len; v++)
    {
      g_assert_cmpint (ns_training_count_steps (one, v, 0), ==, STEPS);
      g_assert_true (ns_training_is_finished (one, v, 0));
      g_assert_false (ns_training_get_divergence (one, v, 0, NULL, NULL));
      g_assert_true (ns_training_get_loss (one, v, 0, 0, &first));
      g_assert_true (ns_training_get_loss (one, v, 0, STEPS - 1, &last));
      g_assert_cmpfloat (first, >, 1.5);
      g_assert_true (isfinite (last));
    }
  ns_experiment_free (e);
}

/* Every source with tokens, and the reversal of a decoder, with their entropies. */
static void
test_sources (void)
{
  static const struct
  {
    int source, stack, task;
  } rows[] = {
    { NS_SOURCE_TEXT, NS_STACK_SINGLE, NS_TASK_CONTINUATION },
    { NS_SOURCE_MARKOV, NS_STACK_SINGLE, NS_TASK_CONTINUATION },
    { NS_SOURCE_MARKOV, NS_STACK_ENCODER_DECODER, NS_TASK_REVERSAL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      NsExperiment *e = make_runs ();
      g_autoptr (NsTraining) one = NULL, other = NULL, seeing = NULL;
      double entropy;

      e->data.source = rows[i].source;
      e->shape.stack = rows[i].stack;
      e->data.task = rows[i].task;
      e->data.markov_temperature = 0.5;
      if (rows[i].source == NS_SOURCE_TEXT)
        {
          e->data.text = g_strdup ("It is a truth universally acknowledged, that a single man in possession");
          e->shape.vocab = 256;
        }
      for (guint v = 0; v < e->variants->len; v++)
        ns_experiment_variant (e, v)->attention = NS_ATTENTION_CAUSAL;
      one = train_on (e, 1, 0);
      other = train_on (e, 2, 0);
      assert_same (one, other);
      entropy = ns_training_get_symbol_entropy (one);
      g_assert_true (entropy > 1 && entropy < log ((double) e->shape.vocab));
      g_assert_cmpint (isnan (ns_training_get_floor (one)), ==, rows[i].source == NS_SOURCE_TEXT);
      g_assert_false (ns_training_get_floor (one) > entropy);
      /* an attention that sees the next token has no floor */
      ns_experiment_variant (e, 0)->attention = NS_ATTENTION_FULL;
      seeing = train_on (e, 1, 0);
      g_assert_cmpint (isnan (ns_training_get_floor (seeing)), ==,
                       rows[i].source == NS_SOURCE_TEXT || rows[i].stack == NS_STACK_SINGLE);
      ns_experiment_free (e);
    }
}

/* Train one run of three steps, of which n_records are recorded; return its weights. */
static GByteArray *
train_weights (const NsExperiment *e, guint n_threads, guint n_records)
{
  const NsTrainingPlan plan = { .n_first = n_records, .keep_weights = TRUE };
  g_autoptr (NsEngine) engine = ns_engine_new (n_threads, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = ns_training_new (e, &plan, 0, 1, &error);

  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  return get_weights (training, 0, 0);
}

/* One run: a large one, whose matrices the threads share, and a small one, whose minibatch they halve. Neither threads
 * nor records change a bit. */
static void
test_threads_inside (void)
{
  NsShape shapes[] = {
    { .depth = 1, .d_model = 640, .heads = 2, .d_ff = 1024, .seq_len = 4, .batch = 1, .vocab = 40 },
    { .depth = 2, .d_model = 32, .heads = 2, .d_ff = 64, .seq_len = 4, .batch = 6, .vocab = 40 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      NsExperiment *e = check_experiment (shapes[i], "pre:bias=on");
      g_autoptr (GByteArray) expected = NULL;

      e->data.source = NS_SOURCE_TOKENS;
      e->training.steps = 3;
      g_assert_cmpint (ns_trainer_takes_halves (e), ==, i == 1);
      expected = train_weights (e, 1, 1);
      for (guint n_threads = 1; n_threads <= 3; n_threads++)
        for (guint n_records = 0; n_records <= 3; n_records += 3)
          {
            g_autoptr (GByteArray) weights = train_weights (e, n_threads, n_records);

            g_assert_cmpmem (expected->data, expected->len, weights->data, weights->len);
          }
      ns_experiment_free (e);
    }
}

/* ---- cancelling ---- */

typedef struct
{
  NsProgress *progress;
  guint left; /* records until the job is cancelled */
} Canceller;

static void
cancel_after (gpointer data, NsQuantity quantity, NsGradientEstimate estimate, gint64 site, double value,
              double log10_value)
{
  Canceller *canceller = data;

  if (canceller->left-- == 0)
    ns_progress_cancel (canceller->progress);
}

/* A step that is cancelled anywhere leaves no trace. */
static void
test_cancelled_step (void)
{
  Fixture f, reference;

  fixture_init (&f, make_experiment ("post:bias=on", NS_STACK_ENCODER_DECODER));
  fixture_init (&reference, make_experiment ("post:bias=on", NS_STACK_ENCODER_DECODER));
  for (guint i = 0; i < 40; i++)
    {
      gsize bytes = f.trainer->parameters.size * sizeof (ns_real);
      const NsSink none = { 0 };
      g_autoptr (NsProgress) progress = ns_progress_new ();
      Canceller canceller = { progress, 7 * i };
      const NsSink cancels = { .record = cancel_after, .data = &canceller };
      NsTrainerStep step = { .ratios = NULL };
      NsPassState state;

      f.scratch.progress = progress;
      state = ns_trainer_step (f.trainer, &f.scratch, &cancels, &step);
      f.scratch.progress = NULL;
      if (i == 0)
        g_assert_cmpint (state, ==, NS_PASS_CANCELLED);
      if (state == NS_PASS_CANCELLED)
        {
          g_assert_cmpmem (f.trainer->values, bytes, reference.trainer->values, bytes);
          g_assert_cmpint (ns_trainer_step (f.trainer, &f.scratch, &none, &step), ==, NS_PASS_DONE);
        }
      g_assert_cmpint (ns_trainer_step (reference.trainer, &reference.scratch, &none, &step), ==, NS_PASS_DONE);
      g_assert_cmpmem (f.trainer->values, bytes, reference.trainer->values, bytes);
    }
  fixture_clear (&f);
  fixture_clear (&reference);
}

typedef struct
{
  NsTraining *training;
  NsProgress *progress;
  guint64 blocks;
  atomic_bool ended;
} Watcher;

/* Read all that there is while the training runs. */
static void
read_all (NsTraining *training)
{
  guint n, records = ns_training_count_records (training, 1, 1);
  double loss, ratio;
  g_autoptr (NsResult) result = NULL;

  ns_training_get_records (training, &n);
  for (gint64 t = 0; t < ns_training_count_steps (training, 1, 1); t++)
    g_assert_true (ns_training_get_loss (training, 1, 1, t, &loss) && isfinite (loss));
  result = ns_training_get_result (training, MIN (records, n - 1));
  if (records > 0)
    {
      g_autoptr (NsResult) last = ns_training_get_result (training, records - 1);

      g_assert_true (isfinite (check_value (last, 1, NS_Q_GRAD_X, 1, 1)));
      g_assert_true (ns_training_get_update_ratio (training, 1, 1, records - 1, NS_T_W_Q, 1, &ratio));
    }
}

static gpointer
watch (gpointer data)
{
  Watcher *watcher = data;
  guint64 done = 0, total;

  while (!watcher->ended && done < watcher->blocks)
    {
      ns_progress_get (watcher->progress, &done, &total);
      read_all (watcher->training);
    }
  ns_progress_cancel (watcher->progress);
  return NULL;
}

/* Cancel a training again and again, and read it meanwhile: same bits. */
static void
test_interrupted (void)
{
  NsExperiment *e = make_runs ();
  g_autoptr (NsTraining) whole = train_on (e, 2, 0), pieces = new_training (e);
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  gboolean finished = FALSE;
  guint cancelled = 0;

  for (guint i = 0; !finished; i++)
    {
      Watcher watcher = { .training = pieces, .progress = ns_progress_new (), .blocks = 3 * i };
      g_autoptr (GError) error = NULL;
      GThread *thread;

      if (i == 0)
        ns_progress_cancel (watcher.progress);
      thread = g_thread_new ("watch", watch, &watcher);
      finished = ns_engine_train (engine, pieces, watcher.progress, &error);
      watcher.ended = TRUE;
      g_thread_join (thread);
      ns_progress_unref (watcher.progress);
      if (finished)
        break;
      g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
      cancelled++;
    }
  g_assert_cmpuint (cancelled, >=, 1);
  assert_same (whole, pieces);
  ns_experiment_free (e);
}

/* ---- the order of the runs ---- */

/* Fail if a run of the second seed has begun before one of the first has ended, on one thread. The counts only grow, so
 * the second seed is read first. */
static void
assert_in_order (NsTraining *training)
{
  guint n_variants = ns_training_get_experiment (training)->variants->len;
  gint64 later = 0;

  for (guint v = 0; v < n_variants; v++)
    later += ns_training_count_steps (training, v, 1);
  for (guint v = 0; v < n_variants && later > 0; v++)
    g_assert_true (ns_training_is_finished (training, v, 0));
}

static gpointer
watch_order (gpointer data)
{
  Watcher *watcher = data;

  while (!watcher->ended)
    assert_in_order (watcher->training);
  return NULL;
}

/* The first seed of all variants ends first; one can be asked for alone. */
static void
test_order (void)
{
  NsExperiment *e = make_runs ();
  g_autoptr (NsTraining) whole = train_on (e, 2, 0), training = new_training (e);
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  Watcher watcher = { .training = training };
  GThread *thread = g_thread_new ("order", watch_order, &watcher);

  g_assert_true (ns_engine_train_until (engine, training, 1, 3, NULL, NULL));
  for (guint v = 0; v < e->variants->len; v++)
    {
      g_assert_cmpint (ns_training_count_steps (training, v, 0), ==, 3);
      g_assert_cmpint (ns_training_count_steps (training, v, 1), ==, 0);
    }
  g_assert_true (ns_engine_train (engine, training, NULL, NULL));
  watcher.ended = TRUE;
  g_thread_join (thread);
  assert_same (whole, training);
  ns_experiment_free (e);
}

/* ---- records ---- */

static void
test_records (void)
{
  NsExperiment *e = make_runs ();
  g_autoptr (NsTraining) training = new_training (e);
  const NsTrainingPlan logarithmic = { .n_first = 20, .n_later = 10, .logarithmic = TRUE };
  const gint64 expected[] = { 0, 1, 2, 3, 9, 16, 23 };
  g_autoptr (NsTraining) long_one = NULL;
  const gint64 *records;
  double ratio;
  guint n;

  records = ns_training_get_records (training, &n);
  g_assert_cmpmem (records, n * sizeof *records, expected, sizeof expected);
  g_assert_false (ns_training_get_update_ratio (training, 0, 0, 0, NS_T_W_Q, 1, &ratio));
  g_assert_cmpuint (ns_training_count_records (training, 0, 0), ==, 0);

  for (guint i = 0; i < 2; i++) /* more than there are steps: each one */
    {
      const NsTrainingPlan all = { .n_first = i == 0 ? G_MAXINT : 0, .n_later = i == 0 ? 0 : G_MAXINT };
      g_autoptr (NsTraining) each = ns_training_new (e, &all, 0, 1, NULL);

      records = ns_training_get_records (each, &n);
      g_assert_cmpuint (n, ==, STEPS);
      g_assert_cmpint (records[n - 1], ==, STEPS - 1);
    }
  e->training.steps = 2000;
  long_one = ns_training_new (e, &logarithmic, 0, 1, NULL);
  records = ns_training_get_records (long_one, &n);
  g_assert_cmpuint (n, ==, 30);
  g_assert_cmpint (records[19], ==, 19);
  g_assert_cmpint (records[29], ==, 1999);
  for (guint i = 21; i < n; i++) /* steps grow by the same factor each time */
    {
      double growth = log ((double) (records[i] + 1) / (double) (records[i - 1] + 1));

      g_assert_cmpfloat (fabs (growth - log (100) / 10), <, 0.05);
    }
  ns_experiment_free (e);
}

/* Without momentum and clipping SGD changes a matrix by η·‖∂L/∂W‖, of which the recorded norm is one factor. */
static void
test_update_ratio (void)
{
  NsExperiment *e = make_experiment ("pre:bias=on", NS_STACK_ENCODER_DECODER);
  const double rate = 0.01;
  g_autoptr (NsTraining) training = NULL;
  g_autoptr (NsResult) result = NULL;
  guint n = 0;
  Fixture f;

  e->training.optimizer = NS_OPTIMIZER_SGD;
  e->training.learning_rate = rate;
  e->training.momentum = 0;
  e->training.clip = NAN;
  e->training.warmup = 0;
  e->training.weight_decay = 0;
  e->training.steps = 3;
  e->sampling.seed = 1;
  training = train_on (e, 1, 0);
  result = ns_training_get_result (training, 0);
  fixture_init (&f, e);
  for (guint i = 0; i < f.trainer->parameters.n; i++)
    {
      const NsParameter *p = &f.trainer->parameters.list[i];
      double size = sqrt (check_square (f.theta + p->offset, p->rows * p->columns)), ratio, norm;

      if (p->tensor == NS_N_TENSORS)
        continue;
      norm = check_value (result, 0, ns_tensor_get_quantity (p->tensor), p->site, 0);
      if (size == 0)
        {
          g_assert_false (ns_training_get_update_ratio (training, 0, 0, 0, p->tensor, p->site, &ratio));
          continue;
        }
      g_assert_true (ns_training_get_update_ratio (training, 0, 0, 0, p->tensor, p->site, &ratio));
      if (check_relative_error (ratio * size / rate, norm, 0) > 1e-4)
        g_error ("%s at %d: %.9g, %.9g", ns_tensor_get_name (p->tensor), (int) p->site, ratio * size / rate, norm);
      n++;
    }
  g_assert_cmpuint (n, >, 30);
  fixture_clear (&f);
}

/* A run that overflows ends as a result, the others go on. */
static void
test_divergence (void)
{
  NsExperiment *e = make_runs ();
  g_autoptr (NsTraining) training = NULL;
  gint64 step = -1, site = -1;
  double loss = 0;

  e->training.clip = NAN;
  ns_experiment_variant (e, 0)->training.optimizer = NS_OPTIMIZER_SGD;
  ns_experiment_variant (e, 0)->training.learning_rate = 1e6;
  ns_experiment_variant (e, 0)->training.warmup = 0;
  ns_experiment_variant (e, 0)->attn.norm = ns_experiment_variant (e, 0)->ffn.norm = NS_PLACE_NONE;
  ns_experiment_variant (e, 0)->final_norm = NS_FINAL_NORM_OFF;
  training = train_on (e, 2, 0);
  g_assert_true (ns_training_get_divergence (training, 0, 0, &step, &site));
  g_assert_cmpint (step, >=, 1);
  g_assert_cmpint (step, <, STEPS);
  g_assert_cmpint (site, >=, 0);
  g_assert_cmpint (site, <=, ns_experiment_get_head_site (e));
  g_assert_true (ns_training_is_finished (training, 0, 0));
  g_assert_cmpint (ns_training_count_steps (training, 0, 0), ==, step);
  g_assert_true (ns_training_get_loss (training, 0, 0, step, &loss));
  g_assert_false (ns_training_get_loss (training, 0, 0, step + 1, &loss));
  g_assert_cmpint (ns_training_count_steps (training, 1, 0), ==, STEPS);
  g_assert_cmpint (ns_training_count_steps (training, 2, 1), ==, STEPS);
  ns_experiment_free (e);
}

/* ---- memory ---- */

#if !defined(NS_DOUBLE) && defined(__linux__) && !NS_SANITIZED
#define MEASURES_MEMORY

/* Return the largest resident memory of this process so far, in bytes. */
static double
get_peak (void)
{
  g_autofree char *text = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  line = strstr (text, "VmHWM:");
  g_assert_nonnull (line);
  return g_ascii_strtod (line + strlen ("VmHWM:"), NULL) * 1024;
}

/* Weights, two moments and one gradient of each parameter, and the activations: what the estimate says. */
static void
test_memory (void)
{
  NsShape shape = { .depth = 2, .d_model = 512, .heads = 8, .d_ff = 2048, .seq_len = 8, .batch = 1, .vocab = 40 };
  NsExperiment *e = check_experiment (shape, "pre:bias=on");
  const NsTrainingPlan plan = { .n_first = 1 };
  g_autoptr (NsEngine) engine = ns_engine_new (1, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsTraining) training = NULL;
  NsTrainingMemory memory;
  double expected, used, weights = 2 * 12 * 512.0 * 512 * sizeof (ns_real);

  e->data.source = NS_SOURCE_TOKENS;
  e->training.steps = 2;
  e->training.optimizer = NS_OPTIMIZER_ADAM;
  expected = (double) ns_engine_get_training_memory (engine, e, &plan, 1);
  ns_engine_describe_training_memory (engine, e, &plan, 1, &memory);
  g_assert_cmpfloat (memory.total, ==, expected); /* of one run */
  g_assert_cmpfloat (memory.state, >=, 3 * weights);
  g_assert_cmpfloat (memory.state, <, 3.2 * weights);
  g_assert_cmpfloat (memory.work, >=, weights);
  used = -get_peak ();
  training = ns_training_new (e, &plan, 0, 1, &error);
  ns_engine_train (engine, training, NULL, &error);
  g_assert_no_error (error);
  used += get_peak ();
  g_test_message ("estimated %.1f MiB, used %.1f MiB, weights %.1f MiB", expected / 0x1p20, used / 0x1p20,
                  weights / 0x1p20);
  g_assert_cmpfloat (expected, >=, 4 * weights);
  g_assert_cmpfloat (expected, <, 4.5 * weights);
  g_assert_cmpfloat (used, <=, expected * 1.02);
  ns_experiment_free (e);
}

#endif

/* The estimate grows with the steps and the runs; it needs no time of the training itself. */
static void
test_estimate (void)
{
  NsExperiment *e = make_runs ();
  const NsTrainingPlan plan = { .n_first = 1 };
  g_autoptr (NsEngine) engine = ns_engine_new (2, 0);
  g_autoptr (GError) error = NULL;
  NsEstimate once, twice, counted;
  NsTrainingMemory memory, memory_twice;

  e->training.steps = 100000;
  g_assert_true (ns_estimate_training (engine, e, &plan, NULL, &once, &memory, &error));
  g_assert_true (once.fits && once.seconds > 0 && isfinite (once.seconds));
  g_assert_cmpuint (memory.n_open, ==, e->variants->len * e->sampling.seeds);
  g_assert_cmpuint (memory.total, ==, once.memory);
  g_assert_cmpuint (memory.total, ==, memory.n_open * memory.state + memory.n_workers * memory.work + memory.numbers);
  e->training.steps *= 2;
  ns_estimate_count_training (engine, e, &plan, &twice, &memory_twice);
  g_assert_true (isnan (twice.seconds));
  g_assert_cmpfloat_with_epsilon (twice.flop / once.flop, 2, 1e-3);
  g_assert_cmpuint (memory_twice.numbers - memory.numbers, ==, memory.n_open * 100000 * sizeof (double));
  /* one that does not fit is not measured */
  e->shape.d_model = e->shape.d_ff = 1 << 16;
  e->shape.depth = 1000;
  g_assert_true (ns_estimate_training (engine, e, &plan, NULL, &counted, &memory, &error));
  g_assert_true (!counted.fits && isnan (counted.seconds));
  e->training.steps = 0;
  g_assert_false (ns_estimate_training (engine, e, &plan, NULL, &counted, &memory, &error));
  g_assert_nonnull (error);
  ns_experiment_free (e);
}

void
add_training_tests (void)
{
#ifdef NS_DOUBLE
  g_test_add_func ("/training/gradients", test_gradients);
#endif
#ifdef MEASURES_MEMORY
  g_test_add_func ("/training/memory", test_memory); /* first: peaks of others would hide its own */
#endif
  g_test_add_func ("/training/same-bits", test_same_bits);
  g_test_add_func ("/training/sources", test_sources);
  g_test_add_func ("/training/threads-inside", test_threads_inside);
  g_test_add_func ("/training/cancelled-step", test_cancelled_step);
  g_test_add_func ("/training/interrupted", test_interrupted);
  g_test_add_func ("/training/order", test_order);
  g_test_add_func ("/training/records", test_records);
  g_test_add_func ("/training/update-ratio", test_update_ratio);
  g_test_add_func ("/training/estimate", test_estimate);
  g_test_add_func ("/training/divergence", test_divergence);
}
