/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/pass/ns-linear.h"

#include "engine/ops/ns-gram.h"
#include "engine/ops/ns-probe.h"
#include "engine/ops/ns-product.h"

#include <string.h>

/* Check at each piece of a panel: a wide matrix takes seconds, a piece hundredths of a second. */
static gboolean
product_is_cancelled (const NsLinearScratch *scratch)
{
  return ns_progress_is_cancelled (scratch->progress);
}

/* ---- panels ---- */

#define WHOLE_ELEMENTS ((gsize) 1 << 19) /* a matrix up to this size is one panel */
#define PANEL_ELEMENTS ((gsize) 1 << 20) /* 4 MiB in float: about a core's cache */
#define PANEL_STEP 64                    /* one group of random numbers, a multiple of the product's tile */

/* Return how many rows (or columns) a panel has when a matrix has `length` of them, of `across` elements each: at least
 * four panels, multiples of PANEL_STEP. */
static gsize
panel_size (gsize length, gsize across)
{
  gsize size = (length + 3) / 4, max_size = MAX (PANEL_ELEMENTS / across, 1);

  if (length * across <= WHOLE_ELEMENTS)
    return length;
  size = MIN (size, max_size);
  return MIN (length, MAX (size / PANEL_STEP, 1) * PANEL_STEP);
}

gsize
ns_linear_panel_elements (gsize in, gsize out)
{
  return MAX (panel_size (out, in) * in, panel_size (in, out) * out);
}

/* One product, shared by the threads that compute its panels. */
typedef struct
{
  ns_real *y;
  const ns_real *x, *dy;
  const NsMatrix *W;
  ns_real alpha, beta;
  gsize N, in, out, size;
  NsLinearScratch *scratch;
} Product;

static guint
n_panels (gsize length, gsize size)
{
  return (guint) ((length + size - 1) / size);
}

/* Return how many of the tokens are multiplied with a panel of `elements` at a time: all if that takes no longer than a
 * piece. */
static gsize
get_piece_rows (gsize N, gsize elements)
{
  gsize rows = NS_PIECE_PRODUCTS / elements;

  return rows >= N ? N : MAX (rows / PANEL_STEP, 1) * PANEL_STEP;
}

/* Draw or read a panel [rows, columns] of u as it is stored. */
static void
fill_panel (const NsMatrix *W, ns_real *out, gsize first_row, gsize rows, gsize first_column, gsize columns)
{
  if (W->source != NULL)
    W->source->fill (W->source, W->place, first_row, rows, first_column, columns, out);
  else
    ns_weights_fill (out, W->key, W->distribution, W->out, W->first_row + first_row, rows, first_column, columns);
}

/* ---- forward ---- */

/* y = alpha·x·u + beta·y for some columns of W: x [N, in], u [in, columns] with rows of length ld, y [N, columns] with
 * rows of length out. */
static void
multiply_columns (const Product *p, ns_real *y, const ns_real *u, gsize columns, gsize ld)
{
  gsize in = p->W->in, out = p->W->out, rows = get_piece_rows (p->N, in * columns);
  NsProduct part = { .columns = columns, .depth = in, .alpha = p->alpha, .beta = p->beta, .ldx = in, .u = u, .ldu = ld,
                     .ldy = out };

  for (gsize n = 0; n < p->N && !product_is_cancelled (p->scratch); n += rows)
    {
      part.N = MIN (rows, p->N - n);
      part.x = p->x + n * in;
      part.y = y + n * out;
      ns_product (&part);
    }
}

/* Compute columns first … first + columns − 1 of y = x·W; draw the weights if they are not stored. */
static void
forward_panel (gpointer data, guint item, guint thread)
{
  Product *p = data;
  const NsMatrix *W = p->W;
  gsize first = item * p->size, columns = MIN (p->size, W->out - first), ld = W->out;
  const ns_real *u = W->unit != NULL ? W->unit + first : p->scratch->panel[thread];

  if (product_is_cancelled (p->scratch))
    return;
  if (W->unit == NULL)
    {
      fill_panel (W, p->scratch->panel[thread], 0, W->in, first, columns);
      ld = columns;
    }
  multiply_columns (p, p->y + first, u, columns, ld);
}

/* Return the matrix in the layout of its stored values: Wᵀ for a transposed W. */
static NsMatrix
get_stored (const NsMatrix *W)
{
  NsMatrix stored = *W;

  if (W->transposed)
    {
      stored.in = W->out;
      stored.out = W->in;
      stored.transposed = FALSE;
    }
  return stored;
}

void
ns_matrix_fill (const NsMatrix *W, ns_real *out)
{
  NsMatrix stored = get_stored (W);
  g_autofree ns_real *column = NULL;

  if (!W->transposed)
    {
      fill_panel (W, out, 0, W->in, 0, W->out);
      return;
    }
  /* column o of W is row o of what is stored */
  column = g_new (ns_real, W->in);
  for (gsize o = 0; o < W->out; o++)
    {
      fill_panel (&stored, column, o, 1, 0, W->in);
      for (gsize i = 0; i < W->in; i++)
        out[i * W->out + o] = column[i];
    }
}

void
ns_linear_forward (ns_real *y, const ns_real *x, const NsMatrix *W, double scale, double beta, gsize N,
                   NsLinearScratch *scratch)
{
  if (W->transposed) /* x·W = x·(Wᵀ)ᵀ */
    {
      NsMatrix stored = get_stored (W);

      ns_linear_backward (y, x, &stored, scale, beta, N, scratch);
      return;
    }

  Product p = { .y = y, .x = x, .W = W, .alpha = (ns_real) (scale * W->std), .beta = (ns_real) beta, .N = N,
                .size = panel_size (W->out, W->in), .scratch = scratch };

  ns_team_run (scratch->team, n_panels (W->out, p.size), forward_panel, &p);
}

/* ---- backward ---- */

/* dx = alpha·dy·uᵀ + beta·dx for some rows of W: dy [N, out], u [rows, out], dx [N, rows] with rows of length in. */
static void
multiply_transposed (const Product *p, ns_real *y, const ns_real *u, gsize rows)
{
  gsize in = p->W->in, out = p->W->out, tokens = get_piece_rows (p->N, rows * out);
  NsProduct part = { .columns = rows, .depth = out, .alpha = p->alpha, .beta = p->beta, .ldx = out, .u = u, .ldu = out,
                     .u_transposed = TRUE, .ldy = in };

  for (gsize n = 0; n < p->N && !product_is_cancelled (p->scratch); n += tokens)
    {
      part.N = MIN (tokens, p->N - n);
      part.x = p->dy + n * out;
      part.y = y + n * in;
      ns_product (&part);
    }
}

/* Compute columns first … first + rows − 1 of dx = dy·Wᵀ from the same rows of W. */
static void
backward_panel (gpointer data, guint item, guint thread)
{
  Product *p = data;
  const NsMatrix *W = p->W;
  gsize first = item * p->size, rows = MIN (p->size, W->in - first);
  const ns_real *u = W->unit != NULL ? W->unit + first * W->out : p->scratch->panel[thread];

  if (product_is_cancelled (p->scratch))
    return;
  if (W->unit == NULL)
    fill_panel (W, p->scratch->panel[thread], first, rows, 0, W->out);
  multiply_transposed (p, p->y + first, u, rows);
}

void
ns_linear_backward (ns_real *dx, const ns_real *dy, const NsMatrix *W, double scale, double beta, gsize N,
                    NsLinearScratch *scratch)
{
  if (W->transposed) /* dy·Wᵀ */
    {
      NsMatrix stored = get_stored (W);

      ns_linear_forward (dx, dy, &stored, scale, beta, N, scratch);
      return;
    }

  Product p = { .y = dx, .dy = dy, .W = W, .alpha = (ns_real) (scale * W->std), .beta = (ns_real) beta, .N = N,
                .size = panel_size (W->in, W->out), .scratch = scratch };

  ns_team_run (scratch->team, n_panels (W->in, p.size), backward_panel, &p);
}

/* ---- ‖dW‖ ---- */

/* Compute some columns of dW = xᵀ·dy, [in, columns], in the thread's panel. Return their number of elements; 0 when the
 * job is cancelled. */
static gsize
fill_gradient (const Product *p, guint item, guint thread)
{
  gsize first = item * p->size, columns = MIN (p->size, p->out - first);
  gsize step = get_piece_rows (p->in, columns * p->N);
  ns_real *dW = p->scratch->panel[thread];
  NsProduct part = { .columns = columns, .depth = p->N, .alpha = 1, .ldx = p->in, .x_transposed = TRUE,
                     .u = p->dy + first, .ldu = p->out, .ldy = columns };

  for (gsize i = 0; i < p->in; i += step)
    {
      if (product_is_cancelled (p->scratch))
        return 0;
      part.N = MIN (step, p->in - i);
      part.x = p->x + i;
      part.y = dW + i * columns;
      ns_product (&part);
    }
  return p->in * columns;
}

/* Compute some columns of alpha·xᵀ·dy + beta·dW in dW, which is p->y. */
static void
gradient_into_panel (gpointer data, guint item, guint thread)
{
  const Product *p = data;
  gsize first = item * p->size, columns = MIN (p->size, p->out - first);
  gsize rows = get_piece_rows (p->in, columns * p->N);
  NsProduct part = { .columns = columns, .depth = p->N, .alpha = p->alpha, .beta = p->beta, .ldx = p->in,
                     .x_transposed = TRUE, .u = p->dy + first, .ldu = p->out, .ldy = p->out };

  for (gsize i = 0; i < p->in && !product_is_cancelled (p->scratch); i += rows)
    {
      part.N = MIN (rows, p->in - i);
      part.x = p->x + i;
      part.y = p->y + i * p->out + first;
      ns_product (&part);
    }
}

void
ns_linear_gradient (ns_real *dW, const ns_real *x, const ns_real *dy, double scale, double beta, gsize N, gsize in,
                    gsize out, NsLinearScratch *scratch)
{
  Product p = { .y = dW, .x = x, .dy = dy, .alpha = (ns_real) scale, .beta = (ns_real) beta, .N = N, .in = in,
                .out = out, .size = panel_size (out, in), .scratch = scratch };

  ns_team_run (scratch->team, n_panels (out, p.size), gradient_into_panel, &p);
}

/* The sum of squares of some columns of dW. */
static void
gradient_panel (gpointer data, guint item, guint thread)
{
  Product *p = data;

  p->scratch->partial[item] = ns_sum_squares (p->scratch->panel[thread], fill_gradient (p, item, thread));
}

double
ns_linear_gradient_norm_plain (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                               NsLinearScratch *scratch)
{
  Product p = { .x = x, .dy = dy, .N = N, .in = in, .out = out, .size = panel_size (out, in), .scratch = scratch };
  guint panels = n_panels (out, p.size);
  double sum = 0;

  ns_team_run (scratch->team, panels, gradient_panel, &p);
  /* sum in the order of the panels, so that the result does not depend on the threads */
  for (guint i = 0; i < panels; i++)
    sum += scratch->partial[i];
  return sqrt (sum);
}

/* Σ |dW| of some columns of dW, and the number of elements that are not 0. */
static void
absolute_panel (gpointer data, guint item, guint thread)
{
  Product *p = data;
  const ns_real *dW = p->scratch->panel[thread];
  gsize n = fill_gradient (p, item, thread);
  double *sum = &p->scratch->partial[2 * item];

  sum[0] = sum[1] = 0;
  for (gsize i = 0; i < n; i++)
    {
      sum[0] += fabs ((double) dW[i]);
      sum[1] += dW[i] != 0;
    }
}

double
ns_linear_gradient_absolute (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out, double *count,
                             NsLinearScratch *scratch)
{
  Product p = { .x = x, .dy = dy, .N = N, .in = in, .out = out, .size = panel_size (out, in), .scratch = scratch };
  guint panels = n_panels (out, p.size);
  double sum = 0;

  ns_team_run (scratch->team, panels, absolute_panel, &p);
  *count = 0;
  for (guint i = 0; i < panels; i++)
    {
      sum += scratch->partial[2 * i];
      *count += scratch->partial[2 * i + 1];
    }
  return sum;
}

typedef struct
{
  Product gradient; /* of its N tokens */
  const ns_real *x;
  gsize N;          /* of x and y */
  gboolean sign;
} Step;

/* Some columns of y = x·u. */
static void
step_panel (gpointer data, guint item, guint thread)
{
  const Step *s = data;
  const Product *p = &s->gradient;
  gsize first = item * p->size, columns = MIN (p->size, p->out - first), n = fill_gradient (p, item, thread);
  gsize rows = get_piece_rows (s->N, p->in * columns);
  ns_real *u = p->scratch->panel[thread];
  NsProduct part = { .columns = columns, .depth = p->in, .alpha = 1, .ldx = p->in, .u = u, .ldu = columns,
                     .ldy = p->out };

  for (gsize i = 0; s->sign && i < n; i++)
    u[i] = isnan (u[i]) ? u[i] : (ns_real) ((u[i] > 0) - (u[i] < 0));
  for (gsize m = 0; m < s->N && !product_is_cancelled (p->scratch); m += rows)
    {
      part.N = MIN (rows, s->N - m);
      part.x = s->x + m * p->in;
      part.y = p->y + m * p->out + first;
      ns_product (&part);
    }
}

void
ns_linear_step (ns_real *y, const ns_real *x, const ns_real *x0, const ns_real *dy0, gboolean sign, gsize N, gsize N0,
                gsize in, gsize out, NsLinearScratch *scratch)
{
  Product gradient = { .y = y, .x = x0, .dy = dy0, .N = N0, .in = in, .out = out, .size = panel_size (out, in),
                       .scratch = scratch };
  Step s = { gradient, x, N, sign };

  ns_team_run (scratch->team, n_panels (out, s.gradient.size), step_panel, &s);
}

/* The sum of squares of some rows of u. */
static void
unit_panel (gpointer data, guint item, guint thread)
{
  Product *p = data;
  const NsMatrix *W = p->W;
  gsize first = item * p->size, rows = MIN (p->size, W->in - first);
  const ns_real *u = W->unit != NULL ? W->unit + first * W->out : p->scratch->panel[thread];

  if (W->unit == NULL)
    fill_panel (W, p->scratch->panel[thread], first, rows, 0, W->out);
  p->scratch->partial[item] = ns_sum_squares (u, rows * W->out);
}

double
ns_matrix_unit_norm (const NsMatrix *W, NsLinearScratch *scratch)
{
  NsMatrix stored = get_stored (W);
  Product p = { .W = &stored, .size = panel_size (stored.in, stored.out), .scratch = scratch };
  guint panels = n_panels (stored.in, p.size);
  double sum = 0;

  ns_team_run (scratch->team, panels, unit_panel, &p);
  for (guint i = 0; i < panels; i++)
    sum += scratch->partial[i];
  return sqrt (sum);
}

gboolean
ns_linear_uses_gram (gsize N, gsize in, gsize out, gboolean x_is_known)
{
  /* half of each [N, N] matrix by symmetry, then one product for each pair of entries */
  double gram = 0.5 * (double) N * (double) N * ((x_is_known ? 0 : (double) in) + (double) out + 2);

  return gram < (double) N * (double) in * (double) out;
}

/* Return TRUE when the entries of a Gram matrix that contribute to the sum are well inside the range of a float. FALSE
 * for NaN. */
static gboolean
trace_is_safe (const ns_real *g, gsize N, gsize ld)
{
  double trace = ns_gram_trace (g, N, ld);

  return trace > 1e-24 && trace < 1e30;
}

/* Set *norm to √(Σ a ⊙ b) of two Gram matrices [N, N] with rows of length ld. FALSE when that is not accurate. */
static gboolean
norm_from_grams (const ns_real *a, const ns_real *b, gsize N, gsize ld, double *norm)
{
  double dot, absolute;

  ns_gram_dot (a, b, N, ld, &dot, &absolute);
  *norm = sqrt (dot);
  /* Each term has a relative error of about 1e-7. If the sum cancels to less than a thousandth of its terms, the root
   * is no longer accurate to 1e-4. */
  return dot > 1e-3 * absolute && trace_is_safe (a, N, ld) && trace_is_safe (b, N, ld);
}

double
ns_linear_gradient_norm (const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out, NsLinearScratch *scratch)
{
  double norm;

  if (product_is_cancelled (scratch))
    return 0;
  if (!ns_linear_uses_gram (N, in, out, scratch->gram_x_valid))
    return ns_linear_gradient_norm_plain (x, dy, N, in, out, scratch);
  if (!scratch->gram_x_valid)
    ns_gram_rows (scratch->gram_x, x, N, in, scratch->progress);
  scratch->gram_x_valid = TRUE;
  ns_gram_rows (scratch->gram_y, dy, N, out, scratch->progress);
  if (norm_from_grams (scratch->gram_x, scratch->gram_y, N, N, &norm))
    return norm;
  return ns_linear_gradient_norm_plain (x, dy, N, in, out, scratch);
}

double
ns_linear_gradient_norms (double *blocks, gsize M, const ns_real *x, const ns_real *dy, gsize N, gsize in, gsize out,
                          NsLinearScratch *scratch)
{
  gboolean has_grams = ns_linear_uses_gram (N, in, out, scratch->gram_x_valid);
  double whole = ns_linear_gradient_norm (x, dy, N, in, out, scratch);
  gsize n = N / M;

  for (gsize m = 0; m < M; m++)
    {
      const ns_real *x_m = x + m * n * in, *dy_m = dy + m * n * out;
      gsize corner = m * n * (N + 1); /* of block m on the diagonal */

      if (has_grams && product_is_cancelled (scratch))
        blocks[m] = 0;
      else if (!has_grams)
        {
          scratch->gram_x_valid = FALSE;
          blocks[m] = ns_linear_gradient_norm (x_m, dy_m, n, in, out, scratch);
          scratch->gram_x_valid = FALSE;
        }
      else if (!norm_from_grams (scratch->gram_x + corner, scratch->gram_y + corner, n, N, &blocks[m]))
        blocks[m] = ns_linear_gradient_norm_plain (x_m, dy_m, n, in, out, scratch);
    }
  return whole;
}
