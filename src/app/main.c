/* The program normscope, the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-application.h"

#include "app/work/normscope-worker.h"

/* Cancelled jobs end much sooner; do not keep the terminal waiting for one that hangs. */
#define WORKERS_MS 2000

int
main (int argc, char **argv)
{
  g_autoptr (NormscopeApplication) application = NULL;
  int status;

  normscope_init_locale ();
  application = normscope_application_new (G_APPLICATION_DEFAULT_FLAGS);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  g_clear_object (&application);
  normscope_workers_wait (WORKERS_MS);
  return status;
}
