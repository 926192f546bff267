/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/training/normscope-training-run.h"

#include "app/work/normscope-fill-runner.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-training-settings.h"
#include "engine/train/ns-training-estimate.h"
#include "engine/train/ns-training-progress.h"

/* Interval at which a growing training is checked for new steps. */
#define RUN_POLL_MS 40

/* How far to train: the first seeds, each to so many steps. */
typedef struct
{
  guint n_seeds;
  gint64 n_steps;
} Goal;

static const Goal everything = { G_MAXUINT, G_MAXINT64 };

struct _NormscopeTrainingRun
{
  GObject parent_instance;

  NormscopeSession *session;
  NormscopeEngine *engine;
  NormscopeFillRunner *runner;
  NsTraining *training;
  NsTraining *ghost;
  gboolean goes_on; /* it ran when it was suspended */
  guint restart_id;
};

G_DEFINE_FINAL_TYPE (NormscopeTrainingRun, normscope_training_run, G_TYPE_OBJECT)

enum { TRAINING_RUN_SIGNAL_CHANGED, TRAINING_RUN_SIGNAL_FAILED, N_TRAINING_RUN_SIGNALS };
static guint training_run_signals[N_TRAINING_RUN_SIGNALS];

/* ---- state ---- */

NsTraining *
normscope_training_run_get_training (NormscopeTrainingRun *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_RUN (self), NULL);
  return self->training;
}

NsTraining *
normscope_training_run_get_ghost (NormscopeTrainingRun *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_RUN (self), NULL);
  return self->ghost;
}

gboolean
normscope_training_run_is_running (NormscopeTrainingRun *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_RUN (self), FALSE);
  return self->restart_id != 0 || normscope_background_get_busy (NORMSCOPE_BACKGROUND (self->runner));
}

gboolean
normscope_training_run_is_stale (NormscopeTrainingRun *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_RUN (self), FALSE);
  return self->training != NULL
         && !ns_experiment_equal (ns_training_get_experiment (self->training),
                                  normscope_session_get_experiment (self->session));
}

gboolean
normscope_training_run_is_finished (NormscopeTrainingRun *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TRAINING_RUN (self), FALSE);
  return self->training != NULL
         && ns_training_count_finished_seeds (self->training) == ns_training_get_n_seeds (self->training);
}

static void
emit_changed (NormscopeTrainingRun *self)
{
  g_signal_emit (self, training_run_signals[TRAINING_RUN_SIGNAL_CHANGED], 0);
}

/* ---- how the runner trains ---- */

static gpointer
make_training (const NsExperiment *experiment, gconstpointer settings, GError **error)
{
  return ns_training_new (experiment, &NS_TRAINING_PLAN_DEFAULT, 0, (guint) experiment->sampling.seeds, error);
}

/* Without this, a training that the engine refuses would replace the one on the screen. */
static gboolean
fits (const NsEngine *engine, gconstpointer training)
{
  NsTrainingMemory memory;
  NsEstimate estimate;

  ns_estimate_count_training (engine, ns_training_get_experiment (training), &NS_TRAINING_PLAN_DEFAULT, &estimate,
                              &memory);
  return estimate.fits;
}

static gboolean
fill_training (NsEngine *engine, gpointer training, gconstpointer settings, NsProgress *progress, GError **error)
{
  const Goal *goal = settings;

  return ns_engine_train_until (engine, training, goal->n_seeds, goal->n_steps, progress, error);
}

static guint64
count_steps (gconstpointer training, guint64 n_blocks)
{
  guint64 n = 0;

  for (guint v = 0; v < ns_training_get_experiment (training)->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
      n += (guint64) ns_training_count_steps (training, v, s);
  return n;
}

static const NormscopeFillKind training_kind = {
  .poll_ms = RUN_POLL_MS,
  .shows_empty = TRUE,
  .settings_size = sizeof (Goal),
  .ref = (GBoxedCopyFunc) ns_training_ref,
  .unref = (GDestroyNotify) ns_training_unref,
  .count = count_steps,
  .make = make_training,
  .fits = fits,
  .fill = fill_training,
};

/* ---- running ---- */

static void
run_result_cb (NormscopeTrainingRun *self, NsTraining *training)
{
  if (training != self->training)
    {
      /* that of other settings stays behind as a ghost */
      g_clear_pointer (&self->ghost, ns_training_unref);
      if (normscope_training_run_is_stale (self))
        self->ghost = ns_training_ref (self->training);
      g_clear_pointer (&self->training, ns_training_unref);
      self->training = ns_training_ref (training);
    }
  if (normscope_training_run_is_finished (self))
    normscope_engine_keep_training (self->engine, training);
  emit_changed (self);
}

static void
run_failed_cb (NormscopeTrainingRun *self, const GError *error)
{
  g_signal_emit (self, training_run_signals[TRAINING_RUN_SIGNAL_FAILED], 0, error);
  emit_changed (self);
}

/* Go on, or begin, up to the goal. */
static void
train (NormscopeTrainingRun *self, gboolean anew, const Goal *goal)
{
  const GError *invalid = normscope_session_get_error (self->session);

  g_clear_handle_id (&self->restart_id, g_source_remove);
  if (invalid != NULL)
    g_signal_emit (self, training_run_signals[TRAINING_RUN_SIGNAL_FAILED], 0, invalid);
  else if (anew || self->training == NULL || normscope_training_run_is_stale (self))
    {
      /* the first training of a scene shows the scene's step */
      if (self->training != NULL)
        normscope_session_set_step (self->session, -1);
      normscope_fill_runner_submit (self->runner, normscope_session_get_experiment (self->session), goal);
    }
  else
    normscope_fill_runner_resume (self->runner, self->training, goal);
}

static void
hold (NormscopeTrainingRun *self)
{
  g_clear_handle_id (&self->restart_id, g_source_remove);
  normscope_fill_runner_stop (self->runner);
}

void
normscope_training_run_toggle (NormscopeTrainingRun *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUN (self));
  if (normscope_training_run_is_running (self))
    hold (self);
  else
    train (self, normscope_training_run_is_finished (self), &everything);
  emit_changed (self);
}

void
normscope_training_run_step (NormscopeTrainingRun *self)
{
  Goal goal = { 1, 1 };

  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUN (self));
  if (self->training != NULL && !normscope_training_run_is_stale (self))
    {
      guint seed = MIN (ns_training_count_finished_seeds (self->training),
                        ns_training_get_n_seeds (self->training) - 1);

      for (guint v = 0; v < ns_training_get_experiment (self->training)->variants->len; v++)
        goal.n_steps = MAX (goal.n_steps, ns_training_count_steps (self->training, v, seed) + 1);
      goal.n_seeds = seed + 1;
    }
  normscope_session_set_step (self->session, -1);
  train (self, FALSE, &goal);
  emit_changed (self);
}

void
normscope_training_run_suspend (NormscopeTrainingRun *self)
{
  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUN (self));
  self->goes_on = self->goes_on || normscope_training_run_is_running (self);
  hold (self);
}

void
normscope_training_run_resume (NormscopeTrainingRun *self)
{
  gboolean goes_on = self->goes_on;

  g_return_if_fail (NORMSCOPE_IS_TRAINING_RUN (self));
  self->goes_on = FALSE;
  if (goes_on)
    train (self, FALSE, &everything);
  emit_changed (self);
}

/* ---- from the session ---- */

static gboolean
restart_cb (gpointer data)
{
  NormscopeTrainingRun *self = data;

  self->restart_id = 0;
  train (self, FALSE, &everything);
  return G_SOURCE_REMOVE;
}

static void
drop (NormscopeTrainingRun *self)
{
  hold (self);
  self->goes_on = FALSE;
  g_clear_pointer (&self->ghost, ns_training_unref);
  g_clear_pointer (&self->training, ns_training_unref);
}

static void
run_changed_cb (NormscopeTrainingRun *self, guint change)
{
  const guint relevant = NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_TRAINING | NORMSCOPE_CHANGED_VARIANTS
                         | NORMSCOPE_CHANGED_REPLACED;
  gboolean was_running = normscope_training_run_is_running (self);

  if ((change & relevant) == 0)
    return;
  if ((change & NORMSCOPE_CHANGED_REPLACED) != 0)
    {
      drop (self);
      self->training = normscope_session_take_recording (self->session);
      if (self->training == NULL)
        self->training
            = normscope_engine_find_training (self->engine, normscope_session_get_experiment (self->session));
      normscope_session_set_step (self->session, -1); /* a scene sets its own step after this */
    }
  else if (was_running && (self->training == NULL || normscope_training_run_is_stale (self)))
    {
      /* Start once for several changes in a row. */
      normscope_fill_runner_stop (self->runner);
      if (normscope_session_get_error (self->session) == NULL && self->restart_id == 0
          && ns_experiment_validate_training (normscope_session_get_experiment (self->session), NULL))
        self->restart_id = g_idle_add_full (G_PRIORITY_DEFAULT, restart_cb, self, NULL);
    }
  emit_changed (self);
}

/* ---- the object ---- */

static void
normscope_training_run_dispose (GObject *object)
{
  NormscopeTrainingRun *self = NORMSCOPE_TRAINING_RUN (object);

  if (self->runner != NULL)
    drop (self);
  g_clear_object (&self->runner);
  g_clear_pointer (&self->engine, normscope_engine_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_training_run_parent_class)->dispose (object);
}

static void
normscope_training_run_class_init (NormscopeTrainingRunClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_training_run_dispose;
  training_run_signals[TRAINING_RUN_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  training_run_signals[TRAINING_RUN_SIGNAL_FAILED] = g_signal_new (
      "failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
normscope_training_run_init (NormscopeTrainingRun *self)
{
}

NormscopeTrainingRun *
normscope_training_run_new (NormscopeSession *session, NormscopeEngine *engine)
{
  NormscopeTrainingRun *self = g_object_new (NORMSCOPE_TYPE_TRAINING_RUN, NULL);

  self->session = g_object_ref (session);
  self->engine = normscope_engine_ref (engine);
  self->runner = normscope_fill_runner_new (engine, &training_kind);
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (run_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->runner, "result", G_CALLBACK (run_result_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->runner, "failed", G_CALLBACK (run_failed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->runner, "notify::busy", G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
  return self;
}
