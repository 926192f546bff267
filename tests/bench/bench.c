/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bench.h"

#include <locale.h>
#include <stdlib.h>

void
bench_print_machine (NsEngine *engine)
{
  g_print ("%u threads · %s%s\n", ns_engine_get_threads (engine), ns_blas_get_core (),
           ns_blas_get_forced_core () != NULL ? " (forced by OPENBLAS_CORETYPE)" : "");
}

int
bench_main (int argc, char **argv, const char *name, gboolean (*measure) (NsEngine *engine, GError **error))
{
  NsEngine *engine = ns_engine_new (argc > 1 ? (guint) atoi (argv[1]) : 0, 0);
  g_autoptr (GError) error = NULL;
  gboolean ok;

  setlocale (LC_CTYPE, "");
  ns_engine_keep_weights (engine);
  ok = measure (engine, &error);
  if (ok)
    bench_print_machine (engine);
  else
    g_printerr ("%s: %s\n", name, error->message);
  ns_engine_free (engine);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
