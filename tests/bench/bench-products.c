/* Time the matrix products of one pass with one library, and the peak of the core.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     bench-products WAY [SECONDS [TOKENS]]
 *
 * WAY is one of
 *   peak            fused multiply-adds in registers
 *   engine          OpenBLAS as the engine calls it
 *   LIBRARY         whole products by the CBLAS functions of this shared library
 *   onednn          oneDNN, weights kept in its own layout; onednn-packing: converted before each product;
 *                   onednn-plain: dnnl_sgemm(), as they are
 *   libxsmm         libxsmm's kernels, for dy·Wᵀ from a transposed copy of the weights
 *
 * One thread. 64 tokens unless told otherwise, weights of a pass in its order, each matrix with its own memory, so that
 * the weights come from the caches or the memory that they come from in a pass. Prints for each group of products the
 * median, in GFLOP/s. products.py runs the ways in turn.
 */
#include <dlfcn.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/ops/ns-gram.h"
#include "engine/pass/ns-linear.h"
#include "engine/run/ns-engine.h"

#ifdef HAVE_DNNL
#include <oneapi/dnnl/dnnl.h>
#endif
#ifdef HAVE_XSMM
#include <libxsmm.h>
#endif

static gsize tokens = 64;

typedef enum
{
  FORWARD,  /* y = x·W        [N, out] = [N, in]·[in, out] */
  BACKWARD, /* x = y·Wᵀ       [N, in] = [N, out]·[out, in] */
  GRAM,     /* g = x·xᵀ       [N, N], the lower half */
} Kind;

/* Products of one shape, `count` in each block. */
typedef struct
{
  Kind kind;
  gsize in, out, count;
  float **W; /* [blocks·count], each [in, out] */
  float *x, *y;
  gpointer plan, *packed; /* of the library: for the shape, and for each W */
} Group;

typedef struct
{
  const char *name;
  void (*prepare) (Group *group, gsize n_weights); /* or NULL */
  void (*multiply) (Group *group, gsize weight);
} Way;

/* ---- the engine ---- */

static void
engine_multiply (Group *g, gsize weight)
{
  static NsLinearScratch scratch;
  NsMatrix W = { .in = g->in, .out = g->out, .std = 1, .unit = g->kind == GRAM ? NULL : g->W[weight] };

  if (g->kind == FORWARD)
    ns_linear_forward (g->y, g->x, &W, 1, 0, tokens, &scratch);
  else if (g->kind == BACKWARD)
    ns_linear_backward (g->x, g->y, &W, 1, 0, tokens, &scratch);
  else
    ns_gram_rows (g->y, g->x, tokens, g->in, NULL);
}

/* ---- CBLAS of a shared library ---- */

static __typeof__ (cblas_sgemm) *sgemm;
static __typeof__ (cblas_ssyrk) *ssyrk;

static void
blas_multiply (Group *g, gsize weight)
{
  int in = (int) g->in, out = (int) g->out, n = (int) tokens;

  if (g->kind == FORWARD)
    sgemm (CblasRowMajor, CblasNoTrans, CblasNoTrans, n, out, in, 1, g->x, in, g->W[weight], out, 0, g->y, out);
  else if (g->kind == BACKWARD)
    sgemm (CblasRowMajor, CblasNoTrans, CblasTrans, n, in, out, 1, g->y, out, g->W[weight], out, 0, g->x, in);
  else
    ssyrk (CblasRowMajor, CblasLower, CblasNoTrans, n, in, 1, g->x, in, 0, g->y, n);
}

/* Load a library whose calls stay within it. */
static gboolean
load_blas (const char *path)
{
  gpointer library = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  char *(*get_core) (void), *(*get_config) (void);
  void (*set_n_threads) (int);

  if (library == NULL || (sgemm = dlsym (library, "cblas_sgemm")) == NULL
      || (ssyrk = dlsym (library, "cblas_ssyrk")) == NULL)
    {
      g_printerr ("bench-products: %s\n", dlerror ());
      return FALSE;
    }
  if ((set_n_threads = dlsym (library, "openblas_set_num_threads")) != NULL)
    set_n_threads (1); /* the processor time of others would not count */
  get_core = dlsym (library, "openblas_get_corename");
  get_config = dlsym (library, "openblas_get_config");
  if (get_core != NULL && get_config != NULL)
    g_print ("core: %s\nversion: %s\n", get_core (), get_config ());
  return TRUE;
}

/* ---- oneDNN ---- */

#ifdef HAVE_DNNL

typedef struct
{
  dnnl_primitive_t multiply, pack;
  dnnl_memory_t x, y, plain, packed;
} DnnlPlan;

static dnnl_engine_t dnnl;
static dnnl_stream_t stream;

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t Desc;
#define DESC(desc) (desc)
#else
typedef dnnl_memory_desc_t *Desc;
typedef const dnnl_memory_desc_t *const_dnnl_memory_desc_t;
#define DESC(desc) ((const dnnl_memory_desc_t *) (desc))
#endif

static void
check (dnnl_status_t status)
{
  if (status != dnnl_success)
    g_error ("oneDNN: status %d", (int) status);
}

static Desc
describe (gsize rows, gsize columns, dnnl_format_tag_t tag)
{
  dnnl_dims_t dims = { (dnnl_dim_t) rows, (dnnl_dim_t) columns };
  Desc desc = NULL;

#if DNNL_VERSION_MAJOR >= 3
  check (dnnl_memory_desc_create_with_tag (&desc, 2, dims, dnnl_f32, tag));
#else
  desc = g_new (dnnl_memory_desc_t, 1);
  check (dnnl_memory_desc_init_by_tag (desc, 2, dims, dnnl_f32, tag));
#endif
  return desc;
}

static dnnl_memory_t
new_memory (const_dnnl_memory_desc_t desc, void *data)
{
  dnnl_memory_t memory;

  check (dnnl_memory_create (&memory, desc, dnnl, data));
  return memory;
}

/* result = left·right; `right` may choose its layout. */
static void
plan_product (DnnlPlan *plan, Desc left, Desc right, Desc result, Desc plain)
{
  dnnl_primitive_desc_t desc;

#if DNNL_VERSION_MAJOR >= 3
  check (dnnl_matmul_primitive_desc_create (&desc, dnnl, left, right, NULL, result, NULL));
#else
  dnnl_matmul_desc_t matmul;

  check (dnnl_matmul_desc_init (&matmul, left, right, NULL, result));
  check (dnnl_primitive_desc_create (&desc, &matmul, NULL, dnnl, NULL));
#endif
  check (dnnl_primitive_create (&plan->multiply, desc));
  plan->packed = new_memory (dnnl_primitive_desc_query_md (desc, dnnl_query_weights_md, 0), DNNL_MEMORY_ALLOCATE);
  check (dnnl_reorder_primitive_desc_create (&desc, DESC (plain), dnnl,
                                             dnnl_primitive_desc_query_md (desc, dnnl_query_weights_md, 0), dnnl,
                                             NULL));
  check (dnnl_primitive_create (&plan->pack, desc));
}

static void
execute (dnnl_primitive_t primitive, const dnnl_exec_arg_t *args, int n)
{
  check (dnnl_primitive_execute (primitive, stream, n, args));
  check (dnnl_stream_wait (stream));
}

static void
dnnl_pack (const DnnlPlan *plan, void *W, dnnl_memory_t packed)
{
  check (dnnl_memory_set_data_handle (plan->plain, W));
  execute (plan->pack, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, plan->plain }, { DNNL_ARG_TO, packed } }, 2);
}

static void
dnnl_prepare (Group *g, gsize n_weights)
{
  DnnlPlan *plan = g_new0 (DnnlPlan, 1);
  /* dy·Wᵀ reads the same memory as a matrix [out, in] with its columns in a row; so does x·xᵀ */
  gsize left = g->kind == BACKWARD ? g->out : g->in;
  gsize right = g->kind == BACKWARD ? g->in : (g->kind == GRAM ? tokens : g->out);
  dnnl_format_tag_t tag = g->kind == FORWARD ? dnnl_ab : dnnl_ba;
  Desc x = describe (tokens, left, dnnl_ab), y = describe (tokens, right, dnnl_ab), W = describe (left, right, tag);

  if (dnnl == NULL)
    {
      check (dnnl_engine_create (&dnnl, dnnl_cpu, 0));
      check (dnnl_stream_create (&stream, dnnl, dnnl_stream_default_flags));
    }
  plan_product (plan, x, g->kind == GRAM ? W : describe (left, right, dnnl_format_tag_any), y, W);
  plan->x = new_memory (x, g->kind == BACKWARD ? g->y : g->x);
  plan->y = new_memory (y, g->kind == BACKWARD ? g->x : g->y);
  plan->plain = new_memory (W, g->x);
  g->plan = plan;
  g->packed = g_new0 (gpointer, n_weights);
  for (gsize w = 0; w < n_weights && g->kind != GRAM; w++)
    {
      DnnlPlan own;

      plan_product (&own, x, describe (left, right, dnnl_format_tag_any), y, W);
      g->packed[w] = own.packed;
      dnnl_pack (plan, g->W[w], own.packed);
    }
}

static void
dnnl_multiply (Group *g, gsize weight)
{
  const DnnlPlan *plan = g->plan;
  dnnl_memory_t W = g->kind == GRAM ? plan->plain : g->packed[weight];

  execute (plan->multiply,
           (dnnl_exec_arg_t[]){ { DNNL_ARG_SRC, plan->x }, { DNNL_ARG_WEIGHTS, W }, { DNNL_ARG_DST, plan->y } }, 3);
}

static void
dnnl_pack_and_multiply (Group *g, gsize weight)
{
  const DnnlPlan *plan = g->plan;

  if (g->kind != GRAM)
    dnnl_pack (plan, g->W[weight], g->packed[weight]);
  dnnl_multiply (g, weight);
}

/* The function of oneDNN that is called like BLAS's: nothing is kept. */
static void
dnnl_plain_multiply (Group *g, gsize weight)
{
  dnnl_dim_t in = (dnnl_dim_t) g->in, out = (dnnl_dim_t) g->out, n = (dnnl_dim_t) tokens;

  if (g->kind == FORWARD)
    check (dnnl_sgemm ('N', 'N', n, out, in, 1, g->x, in, g->W[weight], out, 0, g->y, out));
  else if (g->kind == BACKWARD)
    check (dnnl_sgemm ('N', 'T', n, in, out, 1, g->y, out, g->W[weight], out, 0, g->x, in));
  else
    check (dnnl_sgemm ('N', 'T', n, n, in, 1, g->x, in, g->x, in, 0, g->y, n));
}

#endif

/* ---- libxsmm: columns in a row, so that all is transposed ---- */

#ifdef HAVE_XSMM

static void
xsmm_prepare (Group *g, gsize n_weights)
{
  int m = (int) (g->kind == FORWARD ? g->out : g->kind == BACKWARD ? g->in : tokens);
  int k = (int) (g->kind == BACKWARD ? g->out : g->in), n = (int) tokens, flags = 0, prefetch = 0;
  float one = 1, zero = 0;

  g->plan = (gpointer) libxsmm_smmdispatch (m, n, k, &m, &k, &m, &one, &zero, &flags, &prefetch);
  if (g->plan == NULL)
    g_error ("libxsmm has no kernel %d, %d, %d", m, n, k);
  g->packed = g_new0 (gpointer, n_weights);
  for (gsize w = 0; w < n_weights; w++)
    {
      g->packed[w] = g->W[w];
      if (g->kind != FORWARD)
        g->packed[w] = g_new (float, MAX (g->out, tokens) * g->in);
      if (g->kind == BACKWARD) /* [out, in] */
        libxsmm_otrans (g->packed[w], g->W[w], sizeof (float), (int) g->out, (int) g->in, (int) g->out, (int) g->in);
    }
}

static void
xsmm_multiply (Group *g, gsize weight)
{
  libxsmm_smmfunction multiply = (libxsmm_smmfunction) g->plan;

  if (g->kind == GRAM)
    libxsmm_otrans (g->packed[weight], g->x, sizeof (float), (int) g->in, (int) tokens, (int) g->in, (int) tokens);
  if (g->kind == BACKWARD)
    multiply (g->packed[weight], g->y, g->x);
  else
    multiply (g->packed[weight], g->x, g->y);
}

#endif

/* ---- a pass ---- */

static float *
new_random (gsize n)
{
  float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = (float) (drand48 () - 0.5);
  return values;
}

/* Check the first product of a group against sums in double. */
static void
check_product (const Way *way, Group *g)
{
  gsize rows = tokens, columns = g->kind == FORWARD ? g->out : g->kind == BACKWARD ? g->in : tokens;
  gsize inner = g->kind == BACKWARD ? g->out : g->in;
  const float *left = g->kind == BACKWARD ? g->y : g->x, *result = g->kind == BACKWARD ? g->x : g->y;

  way->multiply (g, 0);
  for (gsize r = 0; r < rows; r++)
    for (gsize c = 0; c < (g->kind == GRAM ? r + 1 : columns); c++)
      {
        double sum = 0;

        for (gsize i = 0; i < inner; i++)
          sum += (double) left[r * inner + i]
                 * (g->kind == GRAM      ? g->x[c * inner + i]
                    : g->kind == FORWARD ? g->W[0][i * columns + c]
                                         : g->W[0][c * inner + i]);
        if (!(fabs (sum - (double) result[r * columns + c]) < 1e-3))
          g_error ("%s: a product [%zu, %zu] is wrong at %zu, %zu: %g, not %g", way->name, g->in, g->out, r, c,
                   (double) result[r * columns + c], sum);
      }
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Time a pass again and again: each block's groups forward, then backward with their Gram matrices. */
static void
measure (const Way *way, gsize C, gsize blocks, double seconds)
{
#define GROUP(kind, in, out, count) { kind, in, out, count, NULL, NULL, NULL, NULL, NULL }
  Group groups[] = { GROUP (FORWARD, C, C, 4),  GROUP (FORWARD, C, 4 * C, 1),  GROUP (FORWARD, 4 * C, C, 1),
                     GROUP (BACKWARD, C, C, 4), GROUP (BACKWARD, C, 4 * C, 1), GROUP (BACKWARD, 4 * C, C, 1),
                     GROUP (GRAM, C, 0, 8),     GROUP (GRAM, 4 * C, 0, 2) };
  const char *names[] = { "x·W", "dy·Wᵀ", "x·xᵀ" };
  enum
  {
    N = G_N_ELEMENTS (groups),
    MAX_PASSES = 4096
  };
  static double times[N + 1][MAX_PASSES];
  double end, all = 0;
  gsize n = 0;

  for (gsize i = 0; i < N; i++)
    {
      Group *g = &groups[i];

      g->x = new_random (tokens * g->in);
      g->y = new_random (tokens * MAX (g->out, tokens));
      g->W = g->kind == BACKWARD ? groups[i - 3].W : g_new0 (float *, blocks * g->count);
      for (gsize w = 0; g->kind == FORWARD && w < blocks * g->count; w++)
        g->W[w] = new_random (g->in * g->out);
      if (way->prepare != NULL)
        way->prepare (g, blocks * g->count);
      check_product (way, g);
    }
  end = bench_now_s () + seconds;
  while (n < MAX_PASSES && (n < 5 || bench_now_s () < end))
    {
      double pass[N] = { 0 };

      for (gsize b = 0; b < 2 * blocks; b++)
        for (gsize i = 0; i < N; i++)
          if ((groups[i].kind == FORWARD) == (b < blocks))
            {
              gsize block = b < blocks ? b : 2 * blocks - 1 - b;
              double begin = bench_now_s ();

              for (gsize k = 0; k < groups[i].count; k++)
                way->multiply (&groups[i], block * groups[i].count + k);
              pass[i] += bench_now_s () - begin;
            }
      times[N][n] = 0;
      for (gsize i = 0; i < N; i++)
        times[N][n] += times[i][n] = pass[i];
      n++;
    }
  for (gsize i = 0; i <= N; i++)
    {
      const Group *g = i < N ? &groups[i] : NULL;
      double flops = all;

      /* half of a Gram matrix is enough */
      if (g != NULL)
        flops = (double) (blocks * g->count * tokens * g->in) * (g->kind == GRAM ? tokens : 2.0 * (double) g->out);
      all += g != NULL ? flops : 0;
      qsort (times[i], n, sizeof times[i][0], compare);
      if (g == NULL)
        g_print ("%zu all: %.1f\n", C, 1e-9 * flops / times[i][n / 2]);
      else
        g_print ("%zu %s %zu×%zu: %.1f\n", C, names[g->kind], g->kind == GRAM ? tokens : g->in,
                 g->kind == GRAM ? g->in : g->out, 1e-9 * flops / times[i][n / 2]);
    }
}

static const Way ways[] = {
  { "engine", NULL, engine_multiply },
#ifdef HAVE_DNNL
  { "onednn", dnnl_prepare, dnnl_multiply },
  { "onednn-packing", dnnl_prepare, dnnl_pack_and_multiply },
  { "onednn-plain", NULL, dnnl_plain_multiply },
#endif
#ifdef HAVE_XSMM
  { "libxsmm", xsmm_prepare, xsmm_multiply },
#endif
};

int
main (int argc, char **argv)
{
  const Way *way = NULL, blas = { "CBLAS", NULL, blas_multiply };
  double seconds = argc > 2 ? atof (argv[2]) : 0.5;

  tokens = argc > 3 ? (gsize) MAX (atoi (argv[3]), 1) : tokens;

  setlocale (LC_CTYPE, "");
  if (argc < 2)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
        g_print ("%s\n", ways[i].name);
      return EXIT_SUCCESS;
    }
  if (strcmp (argv[1], "peak") == 0)
    {
      g_print ("peak: %.1f\n", bench_measure_peak (seconds));
      return EXIT_SUCCESS;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    if (strcmp (argv[1], ways[i].name) == 0)
      way = &ways[i];
  if (way == NULL && !load_blas (argv[1]))
    return EXIT_FAILURE;
  if (way == NULL)
    way = &blas;
  if (way->multiply == engine_multiply)
    g_print ("core: %s\nversion: %s\n", ns_blas_get_core (), ns_blas_get_config ());
#ifdef HAVE_DNNL
  if (g_str_has_prefix (way->name, "onednn"))
    g_print ("version: oneDNN %d.%d.%d\n", dnnl_version ()->major, dnnl_version ()->minor, dnnl_version ()->patch);
#endif
#ifdef HAVE_XSMM
  if (strcmp (way->name, "libxsmm") == 0)
    g_print ("version: libxsmm %s\n", LIBXSMM_VERSION);
#endif
  /* as many blocks as make 16 MiB of weights or more, which no core has in a cache of its own */
  measure (way, 128, 24, seconds);
  measure (way, 256, 6, seconds);
  measure (way, 768, 1, seconds);
  return EXIT_SUCCESS;
}
