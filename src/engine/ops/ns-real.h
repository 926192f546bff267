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

/* Compile a function once for each generation of vector units; the loader picks the copy for this machine. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && !defined(NS_NO_CLONES)
#define NS_SIMD __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/* Compile a function for processors with AVX-512 only, where GCC does not find the instructions by itself; call it if
 * ns_has_v4(). */
#define NS_HAS_V4
#define NS_V4 __attribute__ ((target ("arch=x86-64-v4")))
#else
#define NS_SIMD
#endif

/* Inline into every copy of the calling loop; out of line it would be compiled for the oldest machine only. */
#define NS_INLINE static inline __attribute__ ((always_inline))

#ifdef NS_HAS_V4
NS_INLINE gboolean
ns_has_v4 (void)
{
  return __builtin_cpu_supports ("x86-64-v4");
}
#endif

/* An array with the true values v·2^exp2. exp2 is 0 unless the values would leave the range of the type. It is a whole
 * number in a double, since a gated network doubles it in every block. */
typedef struct
{
  ns_real *v;
  double exp2;
} NsScaled;

/* log10(2), for the decimal logarithm of such values: log10(v) + exp2·NS_LOG10_2 */
#define NS_LOG10_2 0.30102999566398120
