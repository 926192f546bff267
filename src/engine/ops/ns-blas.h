/* OpenBLAS: the kernels in use, on the calling thread alone.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS chooses its kernels by the processor's model number. A release does not know processors that are newer, and
 * some of these get the kernels of 2004: OpenBLAS 0.3.21 is 40 times slower than it could be on Intel's Emerald Rapids.
 * When a program starts on such a processor, and OPENBLAS_CORETYPE is not set, OpenBLAS is told to choose again, among
 * the kernels whose instructions the processor has.
 *
 * At the start its threads end, too: the engine has threads of its own.
 *
 * Threads: any.
 */
#pragma once

#include <glib.h>

/* Return the kernels in use, as "Cooperlake". Borrowed. */
const char *ns_blas_get_core (void);
/* Return TRUE if the kernels in use have AVX-512. */
gboolean ns_blas_has_avx512 (void);
/* Return the version and the options that OpenBLAS was built with. Borrowed. */
const char *ns_blas_get_config (void);
/* Return the kernels that the user demands by OPENBLAS_CORETYPE, or NULL. Borrowed. */
const char *ns_blas_get_forced_core (void);
