/* Measure how long the main loop blocks.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A source of the main loop fires every 20 ms and records the gaps. A thread aborts the program with a message if a gap
 * reaches APP_WATCHDOG_PATIENCE_MS, since a loop that never returns cannot record it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Limits are longer by this factor in builds with sanitizers or without optimization. */
#if NS_SANITIZED
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

/* Name the control in use from now on, for messages. */
void app_watchdog_name (const char *name);

/* Return the longest gap since the last call, in ms, and the name of the control in use, which the caller frees. What
 * other programs take does not count: time in which the main thread waits for a processor, if the system reports it,
 * and the first 1.5 s in which it sleeps, which is for the X server's answer. */
double app_watchdog_take_longest (char **name);

G_END_DECLS
