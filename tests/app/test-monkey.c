/* Random use of the window: it neither complains, blocks, leaks nor crashes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NORMSCOPE_MONKEY_SEED repeats a run (NORMSCOPE_MONKEY_NUMBER is the seed without it), NORMSCOPE_MONKEY_ACTIONS sets
 * its length, NORMSCOPE_MONKEY_STEP measures memory more often; --verbose prints each action.
 */
#include "app-fixture.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app-input.h"
#include "app-monkey.h"
#include "app-watchdog.h"

#define N_ACTIONS             1000
/* After these, caches of fonts, icons and styles are filled, and each dialog has been open. */
#define WARM_UP_SHARE         0.4
/* Of memory, from the end of the warm-up to the end. A dialog or a large picture that only comes later adds up to
 * 15 MiB to the heap in use, and 70 MiB to resident memory; a leak in each action would be more. */
#define MAX_GROWTH_MIB        160.0
#define MAX_HEAP_GROWTH_MIB   32.0
#define MIB                   (1024.0 * 1024.0)
/* Opening a window takes 100 ms. Where it takes longer, because the machine is slow or busy, everything else does. */
#define MAX_WINDOWS_PER_STALL 8

#define PLANTED_BYTES (4 << 20)

static guint32 seed;
static guint n_actions;
static guint n_complaints, n_stalls;
static double limit_ms;
static double longest_ms; /* for which the main loop did not answer */

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
  printf ("# Repeat with NORMSCOPE_MONKEY_SEED=%u NORMSCOPE_MONKEY_ACTIONS=%u\n", seed, n_actions);
  printf ("Bail out! %s\n", message);
  fflush (stdout);
  abort ();
}

/* Of GTK 4.8: it warns of a label's width when it shows its window of shortcuts, finds no monitor for a popover whose
 * button is off the screen, as in a window that reaches beyond it, and misses the event by which a text loses the focus
 * when another window takes it during a click. Once it asked a window that was closing for the pointer's position. */
static gboolean
is_known (const char *message)
{
  static const char *const known[] = { "reported min width", "GDK_IS_MONITOR", "did not receive a focus-out event",
                                       "gdk_surface_get_device_position" };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (message, known[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Count complaints, and go on, so that one run shows all. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  const char *message = "", *domain = "";
  g_autofree char *text = NULL;

  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      message = fields[i].value;
    else if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
      domain = fields[i].value;
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) == 0 || is_known (message))
    return G_LOG_WRITER_HANDLED;
  text = g_strdup_printf ("%s: %s", domain, message);
  if ((level & G_LOG_LEVEL_ERROR) != 0)
    fail (text);
  n_complaints++;
  printf ("# %s\n", text);
  app_monkey_print_last ();
  return G_LOG_WRITER_HANDLED;
}

/* ---- what is measured ---- */

typedef struct
{
  double resident_mib, heap_mib;
  guint n_descriptors;
} Use;

static double
get_resident_mib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL) || (line = strstr (status, "VmRSS:")) == NULL)
    return NAN;
  return g_ascii_strtod (line + strlen ("VmRSS:"), NULL) / 1024.0;
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static Use
measure (guint n)
{
  g_autofree char *closing = NULL;
  Use use;
  struct mallinfo2 info;

  if (!app_monkey_rest ())
    fail ("a window stays in memory after it was closed");
  /* No user closes all windows and dialogs at once. */
  app_watchdog_take_longest (&closing);
  info = mallinfo2 ();
  use = (Use){ get_resident_mib (), (double) (info.uordblks + info.hblkhd) / MIB, count_descriptors () };
  g_test_message ("after %u actions, all windows closed: %.0f MiB resident, %.1f MiB of heap in use, %u descriptors", n,
                  use.resident_mib, use.heap_mib, use.n_descriptors);
  return use;
}

static void
compare (const Use *before, const Use *after)
{
  g_autofree char *message = NULL;

  if (after->heap_mib - before->heap_mib > MAX_HEAP_GROWTH_MIB)
    message =
        g_strdup_printf ("the heap in use has grown from %.1f MiB to %.1f MiB", before->heap_mib, after->heap_mib);
  else if (after->resident_mib - before->resident_mib > MAX_GROWTH_MIB)
    message = g_strdup_printf ("resident memory has grown from %.0f MiB to %.0f MiB", before->resident_mib,
                               after->resident_mib);
  else if (after->n_descriptors > before->n_descriptors)
    message = g_strdup_printf ("the open file descriptors have become more: %u, then %u", before->n_descriptors,
                               after->n_descriptors);
  else if (n_complaints > 0)
    message = g_strdup_printf ("%u warnings and criticals, see above", n_complaints);
  else if (n_stalls > 0)
    message = g_strdup_printf ("%u times the main loop did not answer for more than %.0f ms", n_stalls, limit_ms);
  if (message != NULL)
    fail (message);
}

/* ---- the test ---- */

/* Errors for test_planted() to find. */
static void
plant (const char *what)
{
  if (g_str_equal (what, "critical"))
    g_critical ("planted");
  else if (g_str_equal (what, "stall"))
    g_usleep ((gulong) (1.2e3 * limit_ms));
  else if (g_str_equal (what, "descriptor"))
    (void) !open ("/dev/null", O_RDONLY | O_CLOEXEC);
  else if (g_str_equal (what, "memory"))
    {
      static char *volatile leaked;

      leaked = g_malloc (PLANTED_BYTES);
      memset (leaked, 1, PLANTED_BYTES);
    }
}

static void
act (guint n)
{
  const char *planted = g_getenv ("NORMSCOPE_MONKEY_PLANT");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = NULL;
      double ms;

      app_monkey_act ();
      if (planted != NULL)
        plant (planted);
      app_iterate (1);
      ms = app_watchdog_take_longest (&name);
      longest_ms = fmax (longest_ms, ms);
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
  guint warm_up = (guint) (WARM_UP_SHARE * n_actions), step = (guint) get_setting ("NORMSCOPE_MONKEY_STEP", n_actions);
  gint64 start = g_get_monotonic_time ();
  Use before, after;

  begin ();
  act (warm_up);
  before = measure (warm_up);
  for (guint i = warm_up; i < n_actions; i += step)
    {
      act (MIN (step, n_actions - i));
      after = measure (MIN (i + step, n_actions));
    }
  g_test_message ("%u actions in %.0f s: %u complaints, %u stalls, the longest %.0f ms", n_actions,
                  (double) (g_get_monotonic_time () - start) / 1e6, n_complaints, n_stalls, longest_ms);
  compare (&before, &after);
  app_watchdog_stop ();
  app_monkey_stop ();
}

/* The test itself, with an error in every action. */
static void
test_planted (gconstpointer data)
{
  static const char *const messages[][2] = {
    { "critical", "*warnings and criticals*" },
    { "stall", "*the main loop did not answer*" },
    { "descriptor", "*file descriptors have become more*" },
    { "memory", "*the heap in use has grown*" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (messages); i++)
    {
      g_setenv ("NORMSCOPE_MONKEY_PLANT", messages[i][0], TRUE);
      g_setenv ("NORMSCOPE_MONKEY_ACTIONS", g_str_equal (messages[i][0], "memory") ? "20" : "5", TRUE);
      g_test_trap_subprocess ("/monkey/acts", 0, 0);
      g_test_trap_assert_failed ();
      g_test_trap_assert_stdout (messages[i][1]);
      g_test_trap_assert_stdout ("*Repeat with NORMSCOPE_MONKEY_SEED=*");
    }
}

int
main (int argc, char **argv)
{
  if (!app_input_init (&argc, &argv))
    return 0;
  seed = (guint32) get_setting ("NORMSCOPE_MONKEY_SEED", get_setting ("NORMSCOPE_MONKEY_NUMBER", 1));
  n_actions = (guint) get_setting ("NORMSCOPE_MONKEY_ACTIONS", N_ACTIONS);
  g_log_set_always_fatal (G_LOG_FATAL_MASK);
  g_log_set_writer_func (write_log, NULL, NULL);
  g_test_add_func ("/monkey/acts", test_acts);
  g_test_add_data_func ("/monkey/planted", NULL, test_planted);
  return app_input_run ();
}
