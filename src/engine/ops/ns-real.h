/* The engine's floating-point type: float, or double in the build that checks it (NS_DOUBLE).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <cblas.h>
#include <glib.h>
#include <math.h>

#ifdef NS_DOUBLE
typedef double ns_real;
#define ns_gemm cblas_dgemm
#define ns_syrk cblas_dsyrk
#else
typedef float ns_real;
#define ns_gemm cblas_sgemm
#define ns_syrk cblas_ssyrk
#endif

/* One copy of a plain loop for each generation of vector units; the loader picks. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && !defined(NS_NO_CLONES)
#define NS_SIMD __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define NS_SIMD
#endif

/* Lanes that a reduction is split into, so that it vectorizes without reassociation and rounds alike everywhere. */
#define NS_LANES 16

/* Into every clone of the loop that calls it; left out of line, it would be compiled for the oldest machine only. */
#define NS_INLINE static inline __attribute__ ((always_inline))

/* An array whose true values are v · 2^exp2. exp2 is 0 unless the values would leave the reach of the type; it is
 * a whole number, held in a double because a gated network squares its scale in every block. */
typedef struct
{
  ns_real *v;
  double exp2;
} NsScaled;
