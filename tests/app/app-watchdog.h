/* Measures whether the main loop answers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A source of the main loop fires every 20 ms and notes the gaps. A thread ends the program with a message when a gap
 * reaches APP_WATCHDOG_PATIENCE_MS, since a loop that never comes back would never note it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sanitizers and builds without optimization are slower by about this factor, and so are the limits. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define APP_WATCHDOG_FACTOR 8
#elif !defined(__OPTIMIZE__)
#define APP_WATCHDOG_FACTOR 4
#else
#define APP_WATCHDOG_FACTOR 1
#endif

#define APP_WATCHDOG_LIMIT_MS (500 * APP_WATCHDOG_FACTOR)
#define APP_WATCHDOG_PATIENCE_MS (10000 * APP_WATCHDOG_FACTOR)

void app_watchdog_start (void);
void app_watchdog_stop (void);

/* Names what is in use from now on, for messages. */
void app_watchdog_name (const char *name);

/* The longest gap since the last call, in ms, and what was in use in it (caller frees). Time in which the main thread
 * could have run but other threads and programs had the processors is not counted where the system reports it. */
double app_watchdog_take_longest (char **name);

G_END_DECLS
