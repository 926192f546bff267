/* List, lay out and draw the parameters of a variant.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/train/ns-parameters.h"

#include "engine/pass/ns-input.h"
#include "engine/pass/ns-pass-parameters.h"
#include "engine/pass/ns-relative-bias.h"

#include <string.h>

#define ALIGNMENT ((gsize) 16) /* elements: of whole vectors of any processor */

/* The order of the arrays. */
typedef enum { GROUP_DECAYED, GROUP_VECTORS, GROUP_FROZEN, N_GROUPS } Group;

static const char *const table_names[NS_N_TABLES] = { "embedding", "encoder_embedding", "position", "token_type" };

static gboolean
has_tensor (const NsPlan *plan, NsTensor tensor, gint64 site)
{
  const NsTensorInfo *info = ns_tensor_info (tensor);
  guint variant = 0;

  while (ns_experiment_variant (plan->experiment, variant) != plan->variant)
    variant++;
  if (!ns_tensor_exists (tensor, plan->experiment, variant, site))
    return FALSE;
  if (tensor == NS_T_W_HEAD && ns_plan_has_tied_head (plan))
    return FALSE; /* it is the embedding */
  /* uniform attention has no queries and keys */
  return !ns_plan_is_uniform (plan) || info->sub == NS_SUB_NONE
         || (info->slot != NS_SLOT_Q && info->slot != NS_SLOT_K);
}

/* Get the shape of a table; FALSE if the experiment has none. */
static gboolean
get_table_shape (const NsPlan *plan, NsTable table, gsize *rows)
{
  const NsData *data = &plan->experiment->data;

  switch (table)
    {
    case NS_TABLE_EMBEDDING:
      *rows = plan->V;
      return TRUE;
    case NS_TABLE_ENCODER_EMBEDDING:
      *rows = (gsize) plan->experiment->shape.encoder_vocab;
      return ns_shape_has_encoder_vocab (&plan->experiment->shape);
    case NS_TABLE_POSITION:
      *rows = plan->T;
      return data->positions != NS_POSITIONS_NONE;
    case NS_TABLE_TOKEN_TYPE:
    default:
      *rows = (gsize) data->token_types;
      return data->token_types > 0;
    }
}

static Group
get_parameter_group (const NsPlan *plan, const NsParameter *p, gboolean tables)
{
  if (p->tensor != NS_N_TENSORS)
    return ns_tensor_is_matrix (p->tensor) || ns_tensor_is_token_map (p->tensor) ? GROUP_DECAYED : GROUP_VECTORS;
  if (!tables || (p->table == NS_TABLE_POSITION && plan->experiment->data.positions != NS_POSITIONS_LEARNED))
    return GROUP_FROZEN;
  return GROUP_DECAYED;
}

static gsize
get_room (const NsParameter *p)
{
  return (p->rows * p->columns + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Call func for each parameter in the order of the sites; the tables come first. */
static void
for_each (const NsPlan *plan, void (*func) (gpointer data, const NsParameter *parameter), gpointer data)
{
  gint64 head = ns_plan_get_head_site (plan), rows, columns;

  for (int t = 0; t < NS_N_TABLES; t++)
    {
      NsParameter p = { .tensor = NS_N_TENSORS, .table = (NsTable) t, .columns = plan->C, .rate = 1 };

      if (get_table_shape (plan, p.table, &p.rows))
        func (data, &p);
    }
  for (gint64 site = 0; site <= head; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      if (has_tensor (plan, (NsTensor) t, site))
        {
          NsParameter p = { .tensor = (NsTensor) t, .site = site, .rate = 1 };

          ns_tensor_get_shape (p.tensor, &plan->experiment->shape, plan->variant, &rows, &columns);
          p.rows = (gsize) (ns_tensor_get_count (p.tensor, plan->variant) * rows);
          p.columns = (gsize) columns;
          func (data, &p);
        }
}

/* ---- counting ---- */

typedef struct
{
  const NsPlan *plan;
  gboolean tables;
  guint64 elements[N_GROUPS];
} Count;

static void
count (gpointer data, const NsParameter *p)
{
  Count *c = data;

  c->elements[get_parameter_group (c->plan, p, c->tables)] += get_room (p);
}

guint64
ns_parameters_count (const NsPlan *plan, gboolean tables, guint64 *trained)
{
  Count c = { .plan = plan, .tables = tables };

  for_each (plan, count, &c);
  *trained = c.elements[GROUP_DECAYED] + c.elements[GROUP_VECTORS];
  return *trained + c.elements[GROUP_FROZEN];
}

static void
count_one (gpointer data, const NsParameter *p)
{
  (void) p;
  ++*(guint *) data;
}

guint
ns_parameters_count_list (const NsPlan *plan)
{
  guint n = 0;

  for_each (plan, count_one, &n);
  return n;
}

/* ---- the list ---- */

static void
append (gpointer data, const NsParameter *p)
{
  g_array_append_val ((GArray *) data, *p);
}

void
ns_parameters_init (NsParameters *self, const NsPlan *plan, gboolean tables)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsParameter));
  gsize ends[N_GROUPS];

  *self = (NsParameters){ .tables = { -1, -1, -1, -1 }, .tied_head = -1, .head = ns_plan_get_head_site (plan) };
  for_each (plan, append, list);
  self->n = list->len;
  self->list = (NsParameter *) (gpointer) g_array_free (list, FALSE);
  self->start = g_new0 (guint, self->head + 2);
  for (int group = 0; group < N_GROUPS; group++)
    {
      for (guint i = 0; i < self->n; i++)
        if ((int) get_parameter_group (plan, &self->list[i], tables) == group)
          {
            self->list[i].offset = self->size;
            self->size += get_room (&self->list[i]);
          }
      ends[group] = self->size;
    }
  self->decayed = ends[GROUP_DECAYED];
  self->trained = ends[GROUP_VECTORS];
  for (guint i = 0; i < self->n; i++)
    {
      if (self->list[i].tensor == NS_N_TENSORS)
        self->tables[self->list[i].table] = (int) i;
      self->start[self->list[i].site + 1] = i + 1;
    }
  for (gint64 site = 0; site <= self->head; site++) /* a site without parameters */
    self->start[site + 1] = MAX (self->start[site + 1], self->start[site]);
  if (ns_plan_has_tied_head (plan))
    self->tied_head = self->tables[NS_TABLE_EMBEDDING];
}

/* Return TRUE if a vector or a table has a dimension that grows with the width. Not those of the vocabulary, of single
 * numbers, and of the heads: the heads become more where their own width is set, and wider where it is not. */
static gboolean
grows (const NsPlan *plan, const NsParameter *p)
{
  gboolean more_heads = plan->experiment->shape.d_head > 0;
  const NsTensorInfo *info;

  if (p->tensor == NS_N_TENSORS)
    return TRUE;
  info = ns_tensor_info (p->tensor);
  switch ((int) info->slot)
    {
    case NS_SLOT_HEAD:
      return FALSE;
    case NS_SLOT_SCORES:
      return more_heads;
    case NS_SLOT_Q:
    case NS_SLOT_K:
    case NS_SLOT_V:
      if (info->role != NS_ROLE_LINEAR_BIAS && plan->variant->qk_norm != NS_QK_NORM_FULL)
        return !more_heads && p->columns > 1; /* one gain for all heads */
    }
  return p->rows * p->columns > 1;
}

static double
get_rate (const NsPlan *plan, const NsParameter *p, gboolean is_sgd)
{
  double m = ns_plan_get_mup_ratio (plan);

  if (p->tensor == NS_T_W_HEAD)
    return 1 / m;
  if (p->tensor != NS_N_TENSORS && ns_tensor_is_matrix (p->tensor))
    return is_sgd ? 1 : 1 / m;
  return is_sgd && grows (plan, p) ? m : 1;
}

void
ns_parameters_set_rates (NsParameters *self, const NsPlan *plan, NsOptimizer optimizer)
{
  for (guint i = 0; i < self->n; i++)
    self->list[i].rate = get_rate (plan, &self->list[i], optimizer == NS_OPTIMIZER_SGD);
}

void
ns_parameters_clear (NsParameters *self)
{
  g_free (self->list);
  g_free (self->start);
}

const NsParameter *
ns_parameters_find (const NsParameters *self, NsTensor tensor, gint64 site)
{
  if (tensor == NS_T_W_HEAD && self->tied_head >= 0)
    return &self->list[self->tied_head];
  for (guint i = self->start[site]; i < self->start[site + 1]; i++)
    if (self->list[i].tensor == tensor)
      return &self->list[i];
  return NULL;
}

const NsParameter *
ns_parameters_get_table (const NsParameters *self, NsTable table)
{
  return self->tables[table] >= 0 ? &self->list[self->tables[table]] : NULL;
}

gboolean
ns_parameters_is_trained (const NsParameters *self, const NsParameter *parameter)
{
  return parameter->offset < self->trained;
}

char *
ns_parameter_dup_name (const NsParameter *p, const NsPlan *plan)
{
  const char *name;
  long long layer = ns_plan_get_layer (plan, p->site);

  if (p->tensor == NS_N_TENSORS)
    return g_strdup_printf ("input/%s", table_names[p->table]);
  name = ns_tensor_get_name (p->tensor);
  if (p->site == ns_plan_get_head_site (plan))
    return g_strdup_printf ("head/%s", name);
  if (plan->parts.n == 1)
    return g_strdup_printf ("block%03lld/%s", layer, name);
  return g_strdup_printf ("%s/block%03lld/%s", ns_part_get_name (ns_plan_get_part (plan, p->site)), layer, name);
}

/* ---- initial values ---- */

/* W = std·u, or that of the variant's file */
static void
get_matrix (const NsPass *pass, const NsParameter *p, ns_real *values)
{
  NsMatrix W = ns_pass_describe_matrix (pass, p->tensor, p->site);

  for (gsize i = 0; i < p->rows / W.in; i++) /* the experts' matrices, one below the other */
    {
      NsMatrix one = ns_pass_describe_expert (pass, p->tensor, p->site, i);

      ns_matrix_fill (&one, values + i * W.in * W.out);
    }
  for (gsize i = 0; i < p->rows * p->columns; i++)
    values[i] = (ns_real) (W.std * values[i]);
}

/* The rows of a table, those of a pass. */
static void
get_table (const NsPass *pass, const NsParameter *p, ns_real *values)
{
  g_autofree float *row = g_new (float, p->columns);

  for (gsize r = 0; r < p->rows; r++)
    {
      switch (p->table)
        {
        case NS_TABLE_EMBEDDING:
          ns_pass_get_embedding (pass, row, pass->plan.parts.n - 1, r);
          break;
        case NS_TABLE_ENCODER_EMBEDDING:
          ns_pass_get_embedding (pass, row, 0, r);
          break;
        case NS_TABLE_POSITION:
          ns_pass_get_position (pass, row, 0, r);
          break;
        case NS_TABLE_TOKEN_TYPE:
        default:
          ns_pass_get_token_type (pass, row, 0, r);
          break;
        }
      for (gsize c = 0; c < p->columns; c++)
        values[r * p->columns + c] = row[c];
    }
}

static void
get_vector (const NsPass *pass, const NsParameter *p, ns_real *values)
{
  const ns_real *read = ns_pass_get_source_vector (pass, p->tensor, p->site);

  for (gsize i = 0; i < p->rows * p->columns; i++)
    values[i] = read != NULL ? read[i] : (ns_real) ns_plan_get_initial_element (&pass->plan, p->tensor, p->site, i);
}

gboolean
ns_parameters_start (const NsParameters *self, const NsPass *pass, ns_real *values, NsProgress *progress)
{
  memset (values, 0, self->size * sizeof *values);
  for (guint i = 0; i < self->n && !ns_progress_is_cancelled (progress); i++)
    {
      const NsParameter *p = &self->list[i];
      ns_real *v = values + p->offset;

      if (p->tensor == NS_N_TENSORS)
        get_table (pass, p, v);
      else if (ns_tensor_is_matrix (p->tensor))
        get_matrix (pass, p, v);
      else if (p->tensor == NS_T_RELATIVE_BIAS)
        ns_relative_bias_draw (pass, ns_plan_get_index (&pass->plan, p->site), v);
      else
        get_vector (pass, p, v);
    }
  return !ns_progress_is_cancelled (progress);
}
