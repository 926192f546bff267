/* Keep the gradients of parameters, measure a step along them, and run maps with the parameters after it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/experiment/ns-derived.h"
#include "engine/ops/ns-probe.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-step-private.h"

#include <string.h>

/* dW_i = x_iᵀ·dy_i, x_i [rows, in], dy_i [rows, out] of the rows of matrix i: one matrix, or those of the experts */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  gsize in, out;
  NsScaled x, dy;
  gsize n, *start; /* [n + 1], as in NsRowGroups; owned */
} Matrix;

/* The gradient·2^exp2 of a bias, a gain, an alpha, a learned scale or a table, [n]. */
typedef struct
{
  NsTensor tensor;
  gint64 site;
  gsize n;
  double *gradient, exp2;
  ns_real *value; /* [n] after the step */
} Vector;

static void
matrix_clear (gpointer data)
{
  g_free (((Matrix *) data)->start);
}

static void
vector_clear (gpointer data)
{
  Vector *vector = data;

  g_free (vector->gradient);
  g_free (vector->value);
}

void
ns_step_gradients_init (NsStepGradients *self, NsPass *pass, const NsStep *step, gboolean of_ends)
{
  *self = (NsStepGradients){ .pass = pass, .step = step, .of_ends = of_ends };
  self->matrices = g_array_new (FALSE, FALSE, sizeof (Matrix));
  self->vectors = g_array_new (FALSE, FALSE, sizeof (Vector));
  g_array_set_clear_func (self->matrices, matrix_clear);
  g_array_set_clear_func (self->vectors, vector_clear);
}

void
ns_step_gradients_clear (NsStepGradients *self)
{
  g_array_unref (self->matrices);
  g_array_unref (self->vectors);
}

void
ns_step_gradients_reset (NsStepGradients *self)
{
  g_array_set_size (self->matrices, 0);
  g_array_set_size (self->vectors, 0);
  self->used = 0;
}

/* ---- keeping ---- */

static gboolean
is_mine (const NsStepGradients *self, NsTensor tensor)
{
  return (ns_tensor_info (tensor)->sub == NS_SUB_NONE) == self->of_ends;
}

static NsScaled
copy (NsStepGradients *self, NsScaled x, gsize n)
{
  NsScaled kept = { self->memory + self->used, x.exp2 };

  self->used += n;
  memcpy (kept.v, x.v, n * sizeof *kept.v);
  return kept;
}

static void
add_vector (NsStepGradients *self, NsTensor tensor, gint64 site, double *gradient, gsize n, double exponent)
{
  Vector vector = { tensor, site, n, gradient, exponent, g_new (ns_real, n) };

  g_array_append_val (self->vectors, vector);
}

void
ns_step_keep_matrix (gpointer data, NsTensor tensor, gint64 site, NsScaled x, NsScaled dy)
{
  NsStepGradients *self = data;
  const NsPlan *plan = &self->pass->plan;
  NsTensor bias = ns_matrix_get_bias (tensor);
  NsRowGroups groups = ns_pass_get_row_groups (self->pass, tensor, site);
  gsize rows = groups.start[groups.n];
  Matrix matrix = { .tensor = tensor, .site = site, .n = groups.n };
  gint64 in, out;

  if (!is_mine (self, tensor))
    return;
  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &in, &out);
  matrix.in = (gsize) in;
  matrix.out = (gsize) out;
  matrix.x = copy (self, x, rows * matrix.in);
  matrix.dy = copy (self, dy, rows * matrix.out);
  matrix.start = g_memdup2 (groups.start, (groups.n + 1) * sizeof *groups.start);
  g_array_append_val (self->matrices, matrix);
  if (ns_variant_has_bias (plan->variant, bias) && !self->step->matrices_only)
    {
      double *sum = g_new (double, matrix.out);

      ns_column_sums (dy.v, sum, plan->N, matrix.out);
      add_vector (self, bias, site, sum, matrix.out, dy.exp2);
    }
}

void
ns_step_keep_vector (gpointer data, NsTensor tensor, gint64 site, const double *gradient, double exponent)
{
  NsStepGradients *self = data;
  const NsPlan *plan = &self->pass->plan;
  gint64 rows, columns, n;
  double *sum;

  if (!is_mine (self, tensor) || self->step->matrices_only)
    return;
  ns_tensor_get_shape (tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
  n = rows * columns;
  sum = g_new0 (double, n);
  for (gsize m = 0; m < plan->M; m++)
    for (gint64 c = 0; c < n; c++)
      sum[c] += gradient[(gint64) m * n + c];
  add_vector (self, tensor, site, sum, (gsize) n, exponent);
}

/* ---- measuring ---- */

static gboolean
is_adam (const NsStepGradients *self)
{
  return self->step->optimizer == NS_OPTIMIZER_ADAM;
}

/* Add ⟨g, u⟩ of a parameter, ‖g‖² or ‖g‖₁ = sum·2^exponent, and report ‖Δθ‖/‖θ‖ from ‖u‖ = norm·2^u_exponent and ‖θ‖ =
 * size. */
static void
add_parameter (NsStepGradients *self, NsTensor tensor, gint64 site, double sum, double norm, double exponent,
               double size)
{
  double u_exponent = is_adam (self) ? 0 : exponent, log10_value;

  if (is_adam (self))
    ns_root_add (self->product, sqrt (sum), exponent / 2);
  else
    ns_root_add (self->product, norm, exponent);
  if (size == 0)
    return;
  log10_value = log10 (self->step->learning_rate) + log10 (norm) + u_exponent * NS_LOG10_2 - log10 (size);
  self->step->tensor (self->step->data, tensor, site, (NsStepRatio){ pow (10, log10_value), log10_value });
}

static void
measure_matrix (NsStepGradients *self, const Matrix *m)
{
  NsPass *pass = self->pass;
  NsLinearScratch *scratch = &pass->work->linear;
  double size2 = 0, sum = 0, square = 0;

  for (gsize i = 0; i < m->n; i++)
    {
      NsMatrix W = ns_pass_get_expert (pass, m->tensor, m->site, i);
      gsize rows = m->start[i + 1] - m->start[i];
      const ns_real *x = m->x.v + m->start[i] * m->in, *dy = m->dy.v + m->start[i] * m->out;
      double unit = W.std * ns_matrix_unit_norm (&W, scratch), count, norm;

      size2 += unit * unit;
      if (rows == 0)
        continue;
      if (is_adam (self))
        {
          sum += ns_linear_gradient_absolute (x, dy, rows, m->in, m->out, &count, scratch);
          square += count;
          continue;
        }
      scratch->gram_x_valid = FALSE;
      norm = ns_linear_gradient_norm (x, dy, rows, m->in, m->out, scratch);
      square += norm * norm;
    }
  add_parameter (self, m->tensor, m->site, sum, isnan (sum) ? NAN : sqrt (square), m->x.exp2 + m->dy.exp2,
                 sqrt (size2));
}

static double
get_sign (double value)
{
  return isnan (value) ? NAN : (value > 0) - (value < 0);
}

/* Return element i of a vector, or a table, before the step. */
static double
get_element (const NsStepGradients *self, const Vector *v, gsize i)
{
  const NsPass *pass = self->pass;

  return v->tensor == NS_T_RELATIVE_BIAS ? pass->work->bias_table[ns_plan_get_index (&pass->plan, v->site)][i]
                                         : ns_plan_get_initial (&pass->plan, v->tensor, v->site);
}

static double
get_vector_norm (const NsStepGradients *self, const Vector *v)
{
  double square = 0;

  if (v->tensor != NS_T_RELATIVE_BIAS)
    return fabs (get_element (self, v, 0)) * sqrt ((double) v->n);
  for (gsize i = 0; i < v->n; i++)
    square += get_element (self, v, i) * get_element (self, v, i);
  return sqrt (square);
}

static void
measure_vector (NsStepGradients *self, const Vector *v)
{
  double sum = 0, square = 0, size = get_vector_norm (self, v);

  for (gsize i = 0; i < v->n; i++)
    {
      double u = is_adam (self) ? get_sign (v->gradient[i]) : v->gradient[i];

      sum += fabs (v->gradient[i]);
      square += u * u;
    }
  add_parameter (self, v->tensor, v->site, sum, sqrt (square), v->exp2, size);
}

void
ns_step_gradients_measure (NsStepGradients *self)
{
  for (guint i = 0; i < self->matrices->len; i++)
    measure_matrix (self, &g_array_index (self->matrices, Matrix, i));
  for (guint i = 0; i < self->vectors->len; i++)
    measure_vector (self, &g_array_index (self->vectors, Vector, i));
}

/* ---- applying ---- */

static const Vector *
find_vector (const NsStepGradients *self, NsTensor tensor, gint64 site)
{
  for (guint i = 0; i < self->vectors->len; i++)
    {
      const Vector *vector = &g_array_index (self->vectors, Vector, i);

      if (vector->tensor == tensor && vector->site == site)
        return vector;
    }
  return NULL;
}

static const Matrix *
find_matrix (const NsStepGradients *self, NsTensor tensor, gint64 site)
{
  for (guint i = 0; i < self->matrices->len; i++)
    {
      const Matrix *matrix = &g_array_index (self->matrices, Matrix, i);

      if (matrix->tensor == tensor && matrix->site == site)
        return matrix;
    }
  return NULL;
}

/* y −= rate·u in each row, u of a bias [out]; y [N, out] */
static NsScaled
take_step_of_bias (const NsStepGradients *self, NsScaled y, const Vector *bias)
{
  gsize N = self->pass->plan.N;
  NsScaled rows = { self->temporary, is_adam (self) ? 0 : bias->exp2 };

  for (gsize n = 0; n < N; n++)
    for (gsize c = 0; c < bias->n; c++)
      rows.v[n * bias->n + c] = (ns_real) (is_adam (self) ? get_sign (bias->gradient[c]) : bias->gradient[c]);
  return ns_scaled_add (y.v, 1, y, -self->rate, rows, N * bias->n);
}

/* y = x·u for the rows of each matrix as they are now; its gradient is of the rows that it had. */
static void
step_rows (const NsStepGradients *self, const Matrix *m, const NsRowGroups *groups, ns_real *y, const ns_real *x)
{
  for (gsize i = 0; i < m->n; i++)
    {
      gsize first = groups->start[i], rows = groups->start[i + 1] - first, first0 = m->start[i];
      gsize rows0 = m->start[i + 1] - first0;

      if (rows > 0 && rows0 == 0) /* no gradient */
        memset (y + first * m->out, 0, rows * m->out * sizeof *y);
      else if (rows > 0)
        ns_linear_step (y + first * m->out, x + first * m->in, m->x.v + first0 * m->in, m->dy.v + first0 * m->out,
                        is_adam (self), rows, rows0, m->in, m->out, &self->pass->work->linear);
    }
}

NsScaled
ns_step_add_linear (gpointer data, NsTensor tensor, gint64 site, NsScaled y, NsScaled x)
{
  const NsStepGradients *self = data;
  NsRowGroups groups = ns_pass_get_row_groups (self->pass, tensor, site);
  const Matrix *m = find_matrix (self, tensor, site);
  const Vector *bias = find_vector (self, ns_matrix_get_bias (tensor), site);

  if (m != NULL)
    {
      NsScaled change = { self->temporary, x.exp2 + (is_adam (self) ? 0 : m->x.exp2 + m->dy.exp2) };

      /* x·(W − η·u) = y − η·x·u: the change need not be rounded to the precision of W */
      step_rows (self, m, &groups, change.v, x.v);
      y = ns_scaled_add (y.v, 1, y, -self->rate, change, groups.start[groups.n] * m->out);
    }
  return bias != NULL ? take_step_of_bias (self, y, bias) : y;
}

const ns_real *
ns_step_get_vector (gpointer data, NsTensor tensor, gint64 site)
{
  const NsStepGradients *self = data;
  const Vector *v = find_vector (self, tensor, site);

  if (v == NULL)
    return NULL;
  for (gsize i = 0; i < v->n; i++)
    v->value[i] = (ns_real) (get_element (self, v, i)
                              - self->rate * (is_adam (self) ? get_sign (v->gradient[i])
                                                             : v->gradient[i] * exp2 (v->exp2)));
  return v->value;
}
