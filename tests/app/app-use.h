/* The memory and the file descriptors that this program uses, and how they grow.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double resident_mib, heap_mib; /* heap: in use; NAN where the system does not tell */
  guint n_descriptors;
} AppUse;

AppUse app_use_measure (void);
/* Compare n + 1 measurements, uses [n + 1]. Return what has grown by more than is allowed, in words, NULL if nothing
 * has; the caller frees it. Growth is n times the median of the slopes between all pairs of measurements (Theil 1950,
 * Sen 1968), which a dialog that opens for the first time, or a cache that is emptied, does not change. */
char *app_use_judge (const AppUse *uses, guint n);

G_END_DECLS
