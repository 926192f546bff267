/* When results that fill are delivered.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include "app/work/normscope-fill-runner.h"

#include "engine/experiment/ns-experiment.h"

#define POLL_MS 10
/* Long enough for a poll or a delivery that must not come. */
#define QUIET_MS 100

/* ---- a result that is a number; the settings are the number at its end, or one of these ---- */

enum { MAKE_FAILS = -1, FILL_FAILS = -2 };

typedef struct
{
  gatomicrefcount refs;
  gint number; /* atomic: set by the worker */
} Value;

static gint n_values; /* atomic: those that are alive */
static gint limit;    /* atomic: set by the main thread, the worker waits there */

static gpointer
value_new (const NsExperiment *experiment, gconstpointer settings, GError **error)
{
  Value *value;

  g_assert_nonnull (experiment);
  if (*(const gint *) settings == MAKE_FAILS)
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, "make");
      return NULL;
    }
  value = g_new0 (Value, 1);
  g_atomic_ref_count_init (&value->refs);
  g_atomic_int_inc (&n_values);
  return value;
}

static gpointer
value_ref (gpointer value)
{
  g_atomic_ref_count_inc (&((Value *) value)->refs);
  return value;
}

static void
value_unref (gpointer value)
{
  if (!g_atomic_ref_count_dec (&((Value *) value)->refs))
    return;
  g_free (value);
  g_atomic_int_add (&n_values, -1);
}

static guint64
value_count (gconstpointer value, guint64 n_blocks)
{
  return (guint64) g_atomic_int_get (&((Value *) value)->number);
}

static gboolean
value_fill (NsEngine *engine, gpointer data, gconstpointer settings, NsProgress *progress, GError **error)
{
  Value *value = data;
  gint end = *(const gint *) settings;

  if (end == FILL_FAILS)
    {
      g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, "fill");
      return FALSE;
    }
  while (g_atomic_int_get (&value->number) < end)
    {
      if (ns_progress_is_cancelled (progress))
        {
          g_set_error_literal (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED, "cancelled");
          return FALSE;
        }
      if (g_atomic_int_get (&value->number) < g_atomic_int_get (&limit))
        g_atomic_int_inc (&value->number);
      else
        g_usleep (1000);
    }
  return TRUE;
}

static gboolean
never_fits (const NsEngine *engine, gconstpointer value)
{
  return FALSE;
}

/* ---- the fixture ---- */

typedef struct
{
  NormscopeFillKind kind;
  NormscopeFillRunner *runner;
  NsExperiment *experiment;
  guint n_results, n_failures;
  Value *value;  /* of the last "result" */
  gint number;   /* its number then */
  gboolean busy; /* the property then */
} Filling;

static void
result_cb (Filling *fixture, Value *value)
{
  fixture->n_results++;
  g_clear_pointer (&fixture->value, value_unref);
  fixture->value = value_ref (value);
  fixture->number = g_atomic_int_get (&value->number);
  fixture->busy = normscope_background_get_busy (NORMSCOPE_BACKGROUND (fixture->runner));
}

static void
failed_cb (Filling *fixture, const GError *error)
{
  fixture->n_failures++;
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY);
  g_assert_false (normscope_background_get_busy (NORMSCOPE_BACKGROUND (fixture->runner)));
}

static void
set_up (Filling *fixture, gboolean shows_empty, gboolean (*fits) (const NsEngine *engine, gconstpointer result))
{
  g_autoptr (NormscopeEngine) engine = normscope_engine_new (1, (guint64) 1 << 28);

  g_atomic_int_set (&limit, 0);
  *fixture = (Filling){ .experiment = ns_experiment_new () };
  fixture->kind = (NormscopeFillKind){
    POLL_MS, shows_empty, sizeof (gint), value_ref, value_unref, value_count, value_new, fits, value_fill, NULL
  };
  fixture->runner = normscope_fill_runner_new (engine, &fixture->kind);
  g_signal_connect_swapped (fixture->runner, "result", G_CALLBACK (result_cb), fixture);
  g_signal_connect_swapped (fixture->runner, "failed", G_CALLBACK (failed_cb), fixture);
}

static void
tear_down (Filling *fixture)
{
  g_clear_pointer (&fixture->value, value_unref);
  g_clear_object (&fixture->runner);
  g_clear_pointer (&fixture->experiment, ns_experiment_free);
  g_assert_true (normscope_workers_wait (TIMEOUT_MS));
  while (g_main_context_iteration (NULL, FALSE))
    continue;
  g_assert_cmpint (g_atomic_int_get (&n_values), ==, 0);
}

/* Request a value up to `end`; the runner has to copy the settings. */
static void
submit (Filling *fixture, gint end)
{
  gint settings = end;

  normscope_fill_runner_submit (fixture->runner, fixture->experiment, &settings);
  settings = 0;
  g_assert_true (normscope_background_get_busy (NORMSCOPE_BACKGROUND (fixture->runner)));
}

/* Run the main loop for so many ms, or until `counter` is `wanted`. */
static void
run_until (const guint *counter, guint wanted, guint ms)
{
  gint64 end = g_get_monotonic_time () + ms * G_TIME_SPAN_MILLISECOND;

  while (*counter < wanted && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

/* Let the value grow to this number, one by one, and wait for each "result" that says so. */
static void
grow (Filling *fixture, gint number)
{
  while (fixture->number < number)
    {
      guint n = fixture->n_results + 1;

      g_atomic_int_set (&limit, fixture->number + 1);
      run_until (&fixture->n_results, n, TIMEOUT_MS);
      g_assert_cmpuint (fixture->n_results, ==, n);
      g_assert_cmpint (fixture->number, ==, g_atomic_int_get (&limit));
    }
}

/* Wait for the end of the request, whose "result" comes with it. */
static void
wait_for_end (Filling *fixture)
{
  gint64 end = g_get_monotonic_time () + TIMEOUT_MS * G_TIME_SPAN_MILLISECOND;

  while (normscope_background_get_busy (NORMSCOPE_BACKGROUND (fixture->runner)) && g_get_monotonic_time () < end)
    run_until (&fixture->n_results, fixture->n_results + 1, POLL_MS);
  g_assert_false (fixture->busy);
}

static void
assert_quiet (Filling *fixture)
{
  guint n = fixture->n_results;

  run_until (&fixture->n_results, n + 1, QUIET_MS);
  g_assert_cmpuint (fixture->n_results, ==, n);
}

/* ---- the tests ---- */

/* A value that is shown empty comes at once, then when it has grown, and once more at its end. */
static void
test_shows_empty (void)
{
  Filling fixture;
  Value *first;

  set_up (&fixture, TRUE, NULL);
  submit (&fixture, 4);
  run_until (&fixture.n_results, 1, TIMEOUT_MS);
  g_assert_cmpuint (fixture.n_results, ==, 1);
  g_assert_cmpint (fixture.number, ==, 0);
  g_assert_true (fixture.busy);
  assert_quiet (&fixture);
  first = fixture.value;

  grow (&fixture, 2);
  g_assert_true (fixture.busy);
  assert_quiet (&fixture);

  grow (&fixture, 4);
  wait_for_end (&fixture);
  g_assert_true (fixture.value == first);
  assert_quiet (&fixture);
  tear_down (&fixture);
}

/* Another one comes when there is something of it. */
static void
test_hides_empty (void)
{
  Filling fixture;

  set_up (&fixture, FALSE, NULL);
  submit (&fixture, 4);
  assert_quiet (&fixture);
  g_assert_cmpuint (fixture.n_results, ==, 0);

  grow (&fixture, 1);
  g_assert_true (fixture.busy);
  assert_quiet (&fixture);
  tear_down (&fixture);
}

/* A stopped value keeps its number, and goes on from there, up to where the new settings say. */
static void
test_resume (void)
{
  Filling fixture;
  Value *value;
  gint settings = 5;

  set_up (&fixture, FALSE, NULL);
  submit (&fixture, 10);
  grow (&fixture, 3);
  value = fixture.value;
  normscope_fill_runner_stop (fixture.runner);
  g_assert_false (normscope_background_get_busy (NORMSCOPE_BACKGROUND (fixture.runner)));
  g_atomic_int_set (&limit, 20);
  assert_quiet (&fixture);

  fixture.number = 0;
  g_atomic_int_set (&limit, 0);
  normscope_fill_runner_resume (fixture.runner, value, &settings);
  run_until (&fixture.n_results, fixture.n_results + 1, TIMEOUT_MS);
  g_assert_cmpint (fixture.number, >=, 3);
  g_assert_true (fixture.value == value && fixture.busy);
  g_atomic_int_set (&limit, 20);
  wait_for_end (&fixture);
  g_assert_cmpint (fixture.number, ==, 5);
  g_assert_cmpuint (fixture.n_failures, ==, 0);
  tear_down (&fixture);
}

/* Nothing comes of a request that another one replaces. */
static void
test_replace (void)
{
  Filling fixture;

  set_up (&fixture, TRUE, NULL);
  submit (&fixture, MAKE_FAILS);
  submit (&fixture, 9);
  submit (&fixture, 2);
  g_atomic_int_set (&limit, 20);
  wait_for_end (&fixture);
  g_assert_cmpint (fixture.number, ==, 2);
  g_assert_cmpuint (fixture.n_failures, ==, 0);
  tear_down (&fixture);
}

/* A request that fails says so, and only one that has begun to fill is delivered. */
static void
test_failure (void)
{
  Filling fixture;

  set_up (&fixture, TRUE, NULL);
  submit (&fixture, MAKE_FAILS);
  run_until (&fixture.n_failures, 1, TIMEOUT_MS);
  g_assert_cmpuint (fixture.n_failures, ==, 1);
  g_assert_cmpuint (fixture.n_results, ==, 0);
  submit (&fixture, FILL_FAILS);
  run_until (&fixture.n_failures, 2, TIMEOUT_MS);
  g_assert_cmpuint (fixture.n_failures, ==, 2);
  g_assert_cmpuint (fixture.n_results, ==, 1);
  assert_quiet (&fixture);
  tear_down (&fixture);

  set_up (&fixture, TRUE, never_fits);
  submit (&fixture, FILL_FAILS);
  run_until (&fixture.n_failures, 1, TIMEOUT_MS);
  g_assert_cmpuint (fixture.n_failures, ==, 1);
  g_assert_cmpuint (fixture.n_results, ==, 0);
  tear_down (&fixture);
}

/* A runner may be dropped while it fills a value. */
static void
test_drop (void)
{
  Filling fixture;

  set_up (&fixture, FALSE, NULL);
  submit (&fixture, 9);
  grow (&fixture, 1);
  tear_down (&fixture);
}

void
add_fill_runner_tests (void)
{
  app_test_add_func ("/fill-runner/shows-empty", test_shows_empty);
  app_test_add_func ("/fill-runner/hides-empty", test_hides_empty);
  app_test_add_func ("/fill-runner/resume", test_resume);
  app_test_add_func ("/fill-runner/replace", test_replace);
  app_test_add_func ("/fill-runner/failure", test_failure);
  app_test_add_func ("/fill-runner/drop", test_drop);
}
