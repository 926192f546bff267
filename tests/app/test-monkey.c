/* Random use of the window: it neither complains, blocks, leaks nor crashes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NORMSCOPE_MONKEY_SEED repeats a run (NORMSCOPE_MONKEY_NUMBER is the seed without it), NORMSCOPE_MONKEY_ACTIONS sets
 * its length, NORMSCOPE_MONKEY_STEPS how often memory is measured after the warm-up; NORMSCOPE_MONKEY_ANIMATIONS
 * switches animations on; --verbose prints each action.
 */
#include "app-widgets.h"

#include <execinfo.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app-input.h"
#include "app-known.h"
#include "app-monkey.h"
#include "app-use.h"
#include "app-watchdog.h"

#define N_ACTIONS             1000
/* After these, caches of fonts, icons and styles are filled, and each dialog has been open. */
#define WARM_UP_SHARE         0.4
/* Memory is measured this often after the warm-up. */
#define N_STEPS               6
/* Opening a window takes 100 ms. Where it takes longer, because the machine is slow or busy, everything else does. */
#define MAX_WINDOWS_PER_STALL 4

#define PLANTED_BYTES (4 << 20)
/* Callers of a complaint that are printed; the first of them write it. Of the first complaint some are repeated at the
 * end. */
#define N_CALLERS     40
#define N_WRITERS     5
#define N_LISTED      6

static guint32 seed;
static guint n_actions;
static guint n_complaints, n_stalls;
static char *first_complaint; /* and at which action */
static char *first_callers;
static double limit_ms;
static double longest_ms; /* for which the main loop did not answer */
static char *longest_name;

/* Read a number from the environment. */
static guint64
get_setting (const char *name, guint64 fallback)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : fallback;
}

/* ---- failure ---- */

/* Print what is needed to repeat the run, and end the program. */
static void G_GNUC_NORETURN
fail (const char *message)
{
  app_monkey_print_last ();
  /* last, since a log may show the end alone */
  if (first_callers != NULL)
    printf ("# the first complaint came from\n%s", first_callers);
  printf ("# Repeat with NORMSCOPE_MONKEY_SEED=%u NORMSCOPE_MONKEY_ACTIONS=%u\n", seed, n_actions);
  printf ("Bail out! %s\n", message);
  fflush (stdout);
  abort ();
}

/* List the callers of a complaint, without those that write it. */
static char *
list_callers (char *const *callers, int n)
{
  GString *list = g_string_new (NULL);

  for (int i = N_WRITERS; i < MIN (n, N_WRITERS + N_LISTED); i++)
    g_string_append_printf (list, "#   %s\n", callers[i]);
  return g_string_free (list, FALSE);
}

/* Count complaints, and go on, so that one run shows all. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = "", *domain = "";
  g_autofree char *text = NULL;
  g_autofree char **callers = NULL;
  void *addresses[N_CALLERS];
  int n_callers;

  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      message = fields[i].value;
    else if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
      domain = fields[i].value;
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) == 0)
    return G_LOG_WRITER_HANDLED;
  n_callers = backtrace (addresses, N_CALLERS);
  callers = backtrace_symbols (addresses, n_callers);
  if (app_known_is (message, callers, n_callers))
    {
      printf ("# known: %s\n", message);
      return G_LOG_WRITER_HANDLED;
    }
  text = g_strdup_printf ("%s: %s", domain, message);
  if ((level & G_LOG_LEVEL_ERROR) != 0)
    fail (text);
  n_complaints++;
  if (first_complaint == NULL)
    {
      first_complaint = g_strdup_printf ("%s, at “%s”", text, app_monkey_get_last ());
      first_callers = list_callers (callers, n_callers);
    }
  printf ("# %s\n", text);
  for (int i = 0; i < n_callers; i++)
    printf ("#   %s\n", callers[i]);
  app_monkey_print_last ();
  return G_LOG_WRITER_HANDLED;
}

/* ---- what is measured ---- */

static AppUse
measure (guint n)
{
  g_autofree char *closing = NULL;
  AppUse use;

  if (!app_monkey_rest ())
    fail ("a window stays in memory after it was closed");
  /* No user closes all windows and dialogs at once. */
  app_watchdog_take_longest (&closing);
  use = app_use_measure ();
  g_test_message ("after %u actions, all windows closed: %.0f MiB resident, %.1f MiB of heap in use, %u descriptors", n,
                  use.resident_mib, use.heap_mib, use.n_descriptors);
  return use;
}

/* Judge the run by its measurements, uses [n + 1]. */
static void
judge (const AppUse *uses, guint n)
{
  g_autofree char *message = app_use_judge (uses, n);

  if (message == NULL && n_complaints > 0)
    message = g_strdup_printf ("%u warnings and criticals; the first: %s", n_complaints, first_complaint);
  else if (message == NULL && n_stalls > 0)
    message = g_strdup_printf ("%u times the main loop did not answer for more than %.0f ms: %s", n_stalls, limit_ms,
                               longest_name);
  if (message != NULL)
    fail (message);
}

/* ---- the test ---- */

static void
ignore_end (gpointer data, GObject *former)
{
}

/* Errors for test_planted() to find; what app_known_plant() does is none. */
static void
plant (const char *what)
{
  if (g_str_equal (what, "critical"))
    g_critical ("planted");
  else if (g_str_equal (what, "weak reference"))
    {
      g_autoptr (GObject) object = g_object_new (G_TYPE_OBJECT, NULL);

      g_object_weak_unref (object, ignore_end, NULL);
    }
  else if (g_str_equal (what, "size"))
    {
      GtkWidget *label = g_object_ref_sink (gtk_label_new (NULL));

      gtk_widget_size_allocate (label, &(GtkAllocation){ 0, 0, -1, -1 }, -1);
      g_object_unref (label);
    }
  else if (g_str_equal (what, "stall"))
    for (clock_t end = clock () + (clock_t) (2e-3 * limit_ms * CLOCKS_PER_SEC); clock () < end;)
      ;
  else if (g_str_equal (what, "descriptor"))
    (void) !open ("/dev/null", O_RDONLY | O_CLOEXEC);
  else if (g_str_equal (what, "memory"))
    {
      static char *volatile leaked;

      leaked = g_malloc (PLANTED_BYTES);
      memset (leaked, 1, PLANTED_BYTES);
    }
  else
    app_known_plant (what);
}

static void
act (guint n)
{
  const char *setting = g_getenv ("NORMSCOPE_MONKEY_PLANT");
  g_auto (GStrv) planted = g_strsplit (setting != NULL ? setting : "", ",", -1);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = NULL;
      double ms;

      app_monkey_act ();
      for (char **what = planted; *what != NULL; what++)
        plant (*what);
      app_iterate (1);
      ms = app_watchdog_take_longest (&name);
      if (ms > longest_ms)
        {
          longest_ms = ms;
          g_free (longest_name);
          longest_name = g_strdup_printf ("%.0f ms at “%s”", ms, name);
        }
      if (ms > limit_ms)
        {
          n_stalls++;
          g_test_message ("the main loop did not answer for %.0f ms: %s", ms, name);
        }
      if (g_test_verbose ())
        g_test_message ("%.0f ms: %s", ms, app_monkey_get_last ());
    }
}

/* Measure how long a window takes to open, the first one aside, which fills the caches. */
static void
begin (void)
{
  g_autofree char *first = NULL, *second = NULL;
  double opening_ms;

  app_watchdog_start ();
  app_monkey_start (seed);
  app_monkey_rest ();
  app_watchdog_take_longest (&first);
  app_monkey_open_window ();
  opening_ms = app_watchdog_take_longest (&second);
  limit_ms = fmax (APP_WATCHDOG_LIMIT_MS, MAX_WINDOWS_PER_STALL * opening_ms);
  g_test_message ("seed %u; a window opens in %.0f ms; the limit is %.0f ms", seed, opening_ms, limit_ms);
}

static void
test_acts (void)
{
  guint done = (guint) (WARM_UP_SHARE * n_actions);
  guint n_steps = (guint) MAX (get_setting ("NORMSCOPE_MONKEY_STEPS", N_STEPS), 1);
  gint64 start = g_get_monotonic_time ();
  g_autofree AppUse *uses = g_new (AppUse, n_steps + 1);

  begin ();
  act (done);
  uses[0] = measure (done);
  for (guint i = 1; i <= n_steps; i++)
    {
      guint next = done + (n_actions - done) / (n_steps - i + 1);

      act (next - done);
      uses[i] = measure (next);
      done = next;
    }
  g_test_message ("%u actions in %.0f s: %u complaints, %u stalls, the longest %.0f ms", n_actions,
                  (double) (g_get_monotonic_time () - start) / 1e6, n_complaints, n_stalls, longest_ms);
  judge (uses, n_steps);
  g_clear_pointer (&longest_name, g_free);
  g_clear_pointer (&first_complaint, g_free);
  g_clear_pointer (&first_callers, g_free);
  app_watchdog_stop ();
  app_monkey_stop ();
}

/* A size that is too small is let through in a popover that is off the screen, and nowhere else. */
static void
assert_known (void)
{
  static const char content[] = "gtk_widget_size_allocate(): attempt to allocate GtkPopoverContent contents 0x1 with "
                                "width -57 and height 42";
  static const char label[] = "gtk_widget_size_allocate(): attempt to allocate GtkLabel label 0x1 with width -18 and "
                              "height -18";

  g_assert_false (app_known_is (content, NULL, 0));
  g_assert_false (app_known_is (label, NULL, 0));
  g_assert_true (app_known_is ("gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR (monitor)' failed", NULL, 0));
  g_assert_false (app_known_is (label, NULL, 0));
  g_assert_true (app_known_is (content, NULL, 0));
  g_assert_true (app_known_is (label, NULL, 0));
  g_usleep (100 * G_TIME_SPAN_MILLISECOND);
  g_assert_false (app_known_is (label, NULL, 0));
}

/* The test itself, with an error in every action. */
static void
test_planted (void)
{
  static const struct
  {
    const char *errors, *n_actions, *messages[3];
  } runs[] = {
    { "critical,weak reference,size", "5",
      { "*15 warnings and criticals*", "*couldn't find weak ref*", "*attempt to allocate*" } },
    { "stall", "5", { "*the main loop did not answer*" } },
    { "descriptor", "5", { "*file descriptors have become more*" } },
    { "memory", "20", { "*the heap in use has grown*" } },
  };
  static const char *const known[] = {
    "*known: *couldn't find weak ref*",
    "*known: gdk_surface_get_device_position: *known: *find_at_coords: *",
    "*known: gdk_monitor_get_geometry: *",
  };

  assert_known ();
  g_setenv ("NORMSCOPE_MONKEY_STEPS", "2", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      g_setenv ("NORMSCOPE_MONKEY_PLANT", runs[i].errors, TRUE);
      g_setenv ("NORMSCOPE_MONKEY_ACTIONS", runs[i].n_actions, TRUE);
      g_test_trap_subprocess ("/monkey/acts", 0, 0);
      g_test_trap_assert_failed ();
      g_test_trap_assert_stdout ("*Repeat with NORMSCOPE_MONKEY_SEED=*");
      for (gsize m = 0; m < G_N_ELEMENTS (runs[i].messages) && runs[i].messages[m] != NULL; m++)
        g_test_trap_assert_stdout (runs[i].messages[m]);
    }
  g_setenv ("NORMSCOPE_MONKEY_PLANT", "expression,tooltip,screen", TRUE);
  g_setenv ("NORMSCOPE_MONKEY_ACTIONS", "5", TRUE);
  g_test_trap_subprocess ("/monkey/acts", 0, 0);
  g_test_trap_assert_passed ();
  for (gsize m = 0; m < G_N_ELEMENTS (known); m++)
    g_test_trap_assert_stdout (known[m]);
}

static const char *
prepare (void)
{
  seed = (guint32) get_setting ("NORMSCOPE_MONKEY_SEED", get_setting ("NORMSCOPE_MONKEY_NUMBER", 1));
  n_actions = (guint) get_setting ("NORMSCOPE_MONKEY_ACTIONS", N_ACTIONS);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_writer_func (write_log, NULL, NULL);
  return app_input_prepare ();
}

void
add_monkey_tests (void)
{
  app_test_prepare (prepare);
  app_test_add_func ("/monkey/acts", test_acts);
  app_test_add_func ("/monkey/planted", test_planted);
}
