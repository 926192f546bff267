/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-model-weights.h"

#include "import/ns-model-weights-private.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Maximum number of tensors that a message names. */
#define MAX_LISTED_TENSORS 3
/* A source while it is made. */
typedef struct
{
  NsModelWeights *weights;
  const NsExperiment *experiment;
  GHashTable *used; /* names in the files */
  GPtrArray *missing;
  gboolean tied;
  GError **error;
} Binding;

/* ---- shapes ---- */

static gboolean
refuse_shape (const Binding *b, const NsStoredTensor *tensor, gsize rows, gsize columns, gboolean at_least)
{
  g_autofree char *quoted = ns_quote_text (tensor->name), *shape = ns_stored_tensor_dup_shape (tensor);
  g_autofree char *allowed = rows > 0 ? g_strdup_printf ("[%zu, %zu]", rows, columns)
                                      : g_strdup_printf ("[%zu]", columns);

  g_set_error (b->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               at_least ? _ ("%s: tensor %s has the shape %s; the config needs at least %s")
                        : _ ("%s: tensor %s has the shape %s; the config needs %s"),
               b->weights->source.name, quoted, shape, allowed);
  return FALSE;
}

/* Check the type, and count the tensor as used. */
static gboolean
check_type (const Binding *b, const NsStoredTensor *tensor)
{
  if (!ns_stored_tensor_is_readable (tensor))
    {
      g_autofree char *quoted = ns_quote_text (tensor->name);

      g_set_error (b->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: tensor %s has the dtype %s; allowed for weights: F32, F16, BF16"), b->weights->source.name,
                   quoted, tensor->dtype);
      return FALSE;
    }
  g_hash_table_add (b->used, tensor->name);
  return TRUE;
}

/* Check type and shape of W_patch, stored as [out, channels, rows, columns] of square patches. */
static gboolean
check_patches (const Binding *b, const NsStoredTensor *tensor, gsize out, gsize pixels)
{
  if (tensor->n_dims != 4 || tensor->dims[0] != out || tensor->elements != (guint64) out * pixels
      || tensor->dims[2] != tensor->dims[3])
    return refuse_shape (b, tensor, out, pixels, FALSE);
  return check_type (b, tensor);
}

/* Check type and shape: [rows, columns], or [columns] for rows = 0; dimensions of 1 may come before. */
static gboolean
check_tensor (const Binding *b, const NsStoredTensor *tensor, gsize rows, gsize columns, gboolean at_least)
{
  guint skip = 0, wanted = rows > 0 ? 2 : 1;
  guint64 has_rows;

  while (tensor->n_dims > skip + wanted && tensor->dims[skip] == 1)
    skip++;
  has_rows = rows > 0 && tensor->n_dims == skip + 2 ? tensor->dims[skip] : 0;
  if (tensor->n_dims != skip + wanted || tensor->dims[tensor->n_dims - 1] != columns
      || (at_least ? has_rows < rows : has_rows != rows))
    return refuse_shape (b, tensor, rows, columns, at_least);
  return check_type (b, tensor);
}

/* Return the rows of the stored tensor of which a piece of `rows` is one, and the first row and the groups of the
 * piece. */
static gsize
lay_out_piece (const Binding *b, NsPiece piece, gsize rows, NsWeightSlice *s)
{
  const NsShape *shape = &b->experiment->shape;
  gsize D = (gsize) ns_shape_get_d_head (shape), A = D * (gsize) shape->heads;
  gsize keys = (gsize) ns_shape_get_kv_heads (shape), K = D * keys, G = A / keys, F = (gsize) shape->d_ff;

  switch (piece)
    {
    case NS_PIECE_QKV_Q:
    case NS_PIECE_QKV_K:
    case NS_PIECE_QKV_V:
      s->first_row = piece == NS_PIECE_QKV_Q ? 0 : piece == NS_PIECE_QKV_K ? A : A + K;
      return A + 2 * K;
    case NS_PIECE_HEADS_Q:
    case NS_PIECE_HEADS_K:
    case NS_PIECE_HEADS_V:
      s->first_row = piece == NS_PIECE_HEADS_Q ? 0 : piece == NS_PIECE_HEADS_K ? G : G + D;
      s->group = piece == NS_PIECE_HEADS_Q ? G : D;
      s->stride = G + 2 * D;
      return A + 2 * K;
    case NS_PIECE_GATE:
    case NS_PIECE_UP:
      s->first_row = piece == NS_PIECE_GATE ? 0 : F;
      return 2 * F;
    case NS_PIECE_WHOLE:
    default:
      return rows;
    }
}

/* ---- binding ---- */

static gboolean
bind_matrix (Binding *b, const NsTensorName *row, const NsStoredTensor *tensor, gsize in, gsize out, NsWeightSlice *s)
{
  gboolean conv1d = b->weights->names->conv1d && !ns_model_weights_is_at_head ((NsTensor) row->target);
  gsize all = lay_out_piece (b, row->piece, out, s);

  if (row->target == NS_T_W_PATCH ? !check_patches (b, tensor, out, in)
                                  : !check_tensor (b, tensor, conv1d ? in : all, conv1d ? all : in, FALSE))
    return FALSE;
  s->tensor = tensor;
  s->transposed = !conv1d;
  s->columns = conv1d ? all : in;
  if (conv1d)
    {
      s->first_column = s->first_row;
      s->first_row = 0;
    }
  return TRUE;
}

static gboolean
bind_vector (Binding *b, const NsTensorName *row, const NsStoredTensor *tensor, gsize rows, gsize columns,
             NsWeightSlice *s)
{
  gsize n = rows * columns, all = lay_out_piece (b, row->piece, n, s);
  gboolean one_more = b->weights->names->one_more && ns_tensor_info ((NsTensor) row->target)->role == NS_ROLE_GAIN;

  if (!check_tensor (b, tensor, rows > 1 ? rows : 0, rows > 1 ? columns : all, FALSE))
    return FALSE;
  s->tensor = tensor;
  s->columns = 1; /* a table, too, is read element by element */
  s->values = g_new (ns_real, n);
  for (gsize i = 0; i < n; i++)
    {
      ns_weight_slice_read_row (s, i, 0, 1, &s->values[i]);
      if (one_more)
        s->values[i] += 1;
    }
  return TRUE;
}

/* Return the tensor of a row that is in no block. */
static const NsStoredTensor *
find_at_ends (const Binding *b, const NsTensorName *row, char **name)
{
  return ns_model_files_find_any (b->weights->files, b->weights->names->prefixes, row->name, 0, name);
}

/* Bind the table of the input of a part; of positions, row 0 is that of the first token. */
static gboolean
bind_table (Binding *b, NsPart part, guint table, gsize rows)
{
  NsModelWeights *w = b->weights;
  const NsTensorName *row = ns_tensor_names_get (w->names, NS_NAME_TABLE (table), part);
  gsize skip = table == NS_TABLE_POSITION ? w->names->first_position : 0, d = (gsize) w->source.shape.d_model;
  NsWeightSlice *s = ns_model_weights_get_slice (w, part, 0, NS_NAME_TABLE (table), FALSE);
  g_autofree char *name = NULL;
  const NsStoredTensor *tensor = row != NULL ? find_at_ends (b, row, &name) : NULL;

  if (tensor == NULL)
    {
      g_ptr_array_add (b->missing, name != NULL ? g_steal_pointer (&name) : g_strdup ("?"));
      return TRUE;
    }
  if (!check_tensor (b, tensor, rows + skip, d, table != NS_TABLE_EMBEDDING && table != NS_TABLE_ENCODER_EMBEDDING))
    return FALSE;
  *s = (NsWeightSlice){ .tensor = tensor, .columns = d, .first_row = skip, .transposed = TRUE };
  if (table == NS_TABLE_POSITION)
    w->source.max_tokens = MIN (w->source.max_tokens, (gint64) (tensor->elements / d - skip));
  return TRUE;
}

/* Bind the tables that the experiment's input reads. */
static gboolean
bind_tables (Binding *b)
{
  const NsData *data = &b->experiment->data;
  const NsShape *shape = &b->experiment->shape;

  for (gint64 i = 0; i < ns_experiment_get_n_parts (b->experiment); i++)
    {
      NsPart part = ns_experiment_get_part (b->experiment, i);

      if (data->source != NS_SOURCE_GAUSSIAN
          && !bind_table (b, part, ns_shape_get_embedding (shape, part), (gsize) ns_shape_get_part_vocab (shape, i)))
        return FALSE;
      if (data->positions == NS_POSITIONS_LEARNED && !bind_table (b, part, NS_TABLE_POSITION, (gsize) shape->seq_len))
        return FALSE;
      if (data->source != NS_SOURCE_GAUSSIAN && data->token_types > 0
          && !bind_table (b, part, NS_TABLE_TOKEN_TYPE, (gsize) data->token_types))
        return FALSE;
      if (data->class_token != NS_CLASS_TOKEN_NONE && !bind_table (b, part, NS_TABLE_CLASS_TOKEN, 1))
        return FALSE;
    }
  return TRUE;
}

/* Let the head be the embedding of the last part. FALSE if there is none. */
static gboolean
tie_head (Binding *b, NsWeightSlice *s)
{
  NsModelWeights *w = b->weights;
  NsPart part = ns_experiment_get_part (b->experiment, ns_experiment_get_n_parts (b->experiment) - 1);
  const NsWeightSlice *embedding = ns_model_weights_get_slice (w, part, 0, NS_NAME_TABLE (NS_TABLE_EMBEDDING), FALSE);

  if (embedding->tensor == NULL)
    return FALSE;
  *s = *embedding;
  return TRUE;
}

/* Bind the matrices of all experts to one stored tensor [count, in, columns], in which they are next to other ones. */
static gboolean
bind_packed (Binding *b, const NsTensorName *row, gint64 layer, gsize in, gsize out, gsize count, NsWeightSlice *s)
{
  g_autofree char *name = NULL;
  const NsStoredTensor *tensor = ns_model_files_find_any (b->weights->files, b->weights->names->prefixes, row->name,
                                                          layer, &name);
  gsize columns = 0;

  s->experts = g_new0 (NsWeightSlice, count);
  if (tensor == NULL)
    {
      g_ptr_array_add (b->missing, g_steal_pointer (&name));
      return TRUE;
    }
  for (gsize e = 0; e < count; e++)
    {
      NsWeightSlice *expert = &s->experts[e];

      columns = lay_out_piece (b, row->piece, out, expert);
      *expert = (NsWeightSlice){ .tensor = tensor, .columns = columns, .first_row = e * in,
                                 .first_column = expert->first_row };
    }
  if (tensor->n_dims != 3 || tensor->dims[0] != count || tensor->dims[1] != in || tensor->dims[2] != columns)
    {
      g_autofree char *quoted = ns_quote_text (tensor->name), *shape = ns_stored_tensor_dup_shape (tensor);

      g_set_error (b->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: tensor %s has the shape %s; the config needs [%zu, %zu, %zu]"), b->weights->source.name,
                   quoted, shape, count, in, columns);
      return FALSE;
    }
  return check_type (b, tensor);
}

/* Bind the matrices of all experts; # in a name is the expert's number, and without one they are in one tensor. */
static gboolean
bind_experts (Binding *b, const NsTensorName *row, gint64 layer, gsize in, gsize out, gsize count, NsWeightSlice *s)
{
  if (strchr (row->name, '#') == NULL)
    return bind_packed (b, row, layer, in, out, count, s);
  s->experts = g_new0 (NsWeightSlice, count);
  for (gsize e = 0; e < count; e++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", e), *name = NULL;
      g_auto (GStrv) parts = g_strsplit (row->name, "#", -1);
      g_autofree char *names = g_strjoinv (number, parts);
      const NsStoredTensor *tensor = ns_model_files_find_any (b->weights->files, b->weights->names->prefixes, names,
                                                              layer, &name);

      if (tensor == NULL)
        g_ptr_array_add (b->missing, g_steal_pointer (&name));
      else if (!bind_matrix (b, row, tensor, in, out, &s->experts[e]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
bind_tensor (Binding *b, NsTensor t, gint64 site)
{
  gboolean is_head = ns_model_weights_is_at_head (t);
  NsPart part = is_head ? NS_PART_STACK : ns_site_get_part (b->experiment, site);
  gint64 layer = is_head ? 0 : ns_site_get_layer (b->experiment, site), rows, columns;
  NsWeightSlice *s = ns_model_weights_get_slice (b->weights, part, layer, t, is_head);
  const NsTensorNames *names = b->weights->names;
  const NsTensorName *row = ns_tensor_names_get (names, t, part);
  const NsVariant *variant = ns_experiment_variant (b->experiment, 0);
  g_autofree char *name = NULL;
  const NsStoredTensor *tensor = NULL;

  ns_tensor_get_shape (t, &b->experiment->shape, variant, &rows, &columns);
  if (row != NULL && ns_tensor_get_count (t, variant) > 1)
    return bind_experts (b, row, layer, (gsize) rows, (gsize) columns, (gsize) ns_tensor_get_count (t, variant), s);
  if (row != NULL)
    tensor = ns_model_files_find_any (b->weights->files, names->prefixes, row->name, layer, &name);

  if (t == NS_T_W_HEAD && tensor != NULL && b->tied)
    {
      g_hash_table_add (b->used, tensor->name); /* a copy of the embedding */
      tensor = NULL;
    }
  if (tensor == NULL && t == NS_T_W_HEAD && (b->tied || names->always_tied) && tie_head (b, s))
    return TRUE;
  if (tensor == NULL)
    {
      g_ptr_array_add (b->missing, name != NULL ? g_steal_pointer (&name) : g_strdup (ns_tensor_get_name (t)));
      return TRUE;
    }
  return ns_tensor_is_matrix (t) ? bind_matrix (b, row, tensor, (gsize) rows, (gsize) columns, s)
                                 : bind_vector (b, row, tensor, (gsize) rows, (gsize) columns, s);
}

/* A buffer that the model adds to its logits is not a parameter, but part of the forward pass. */
static gboolean
bind_logits_bias (Binding *b)
{
  const NsTensorName *row = ns_tensor_names_get (b->weights->names, NS_T_B_HEAD, NS_PART_STACK);
  g_autofree char *name = NULL;

  if (ns_variant_has_bias (ns_experiment_variant (b->experiment, 0), NS_T_B_HEAD) || row == NULL
      || strcmp (row->name, "final_logits_bias") != 0 || find_at_ends (b, row, &name) == NULL)
    return TRUE;
  return bind_tensor (b, NS_T_B_HEAD, ns_experiment_get_head_site (b->experiment));
}

/* ---- what is missing or too much ---- */

/* Return "a, b, c and 5 more". Caller frees. */
static char *
dup_list (const GPtrArray *names)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < MIN (names->len, MAX_LISTED_TENSORS); i++)
    {
      g_autofree char *quoted = ns_quote_text (g_ptr_array_index (names, i));

      g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", quoted);
    }
  if (names->len > MAX_LISTED_TENSORS)
    g_string_append_printf (list, _ (" and %u more"), names->len - MAX_LISTED_TENSORS);
  return g_string_free (list, FALSE);
}

typedef struct
{
  const Binding *b;
  GPtrArray *unexpected, *left_out, *unused; /* names, borrowed */
} Rest;

static void
sort_out (gpointer name, gpointer data)
{
  Rest *rest = data;
  const NsTensorNames *names = rest->b->weights->names;

  if (g_hash_table_contains (rest->b->used, name) || ns_tensor_names_match (names->accepted, name))
    return;
  if (names->unused != NULL && ns_tensor_names_match (names->unused, name))
    g_ptr_array_add (rest->unused, name);
  else
    g_ptr_array_add (ns_tensor_names_match (names->left_out, name) ? rest->left_out : rest->unexpected, name);
}

/* Return sentences about the tensors without a place, or NULL if there are none. */
static char *
dup_notes (const Rest *rest)
{
  g_autofree char *left_out = dup_list (rest->left_out), *unused = dup_list (rest->unused);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  if (rest->left_out->len > 0)
    /* Translators: %s is a list of tensors */
    g_ptr_array_add (notes, g_strdup_printf (_ ("Left out of the model: %s."), left_out));
  if (rest->unused->len > 0)
    /* Translators: %s is a list of tensors */
    g_ptr_array_add (notes, g_strdup_printf (_ ("Not used, since this model and its loss have no such part: %s."),
                                             unused));
  g_ptr_array_add (notes, NULL);
  return notes->len > 1 ? g_strjoinv (" ", (char **) notes->pdata) : NULL;
}

static gboolean
check_rest (const Binding *b, char **notes)
{
  g_autoptr (GPtrArray) unexpected = g_ptr_array_new (), left = g_ptr_array_new (), unused = g_ptr_array_new ();
  Rest rest = { b, unexpected, left, unused };
  g_autofree char *list = NULL;

  if (b->missing->len > 0)
    {
      list = dup_list (b->missing);
      g_set_error (b->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s lacks tensors that the config needs: %s"), b->weights->source.name, list);
      return FALSE;
    }
  ns_model_files_foreach (b->weights->files, sort_out, &rest);
  if (unexpected->len > 0)
    {
      list = dup_list (unexpected);
      g_set_error (b->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s has tensors that do not belong to a model of this config: %s"), b->weights->source.name,
                   list);
      return FALSE;
    }
  if (notes != NULL)
    *notes = dup_notes (&rest);
  return TRUE;
}

static gboolean
bind_all (Binding *b, char **notes)
{
  if (!bind_tables (b))
    return FALSE;
  for (gint64 site = 0; site < b->weights->n_sites; site++)
    for (int t = 0; t < NS_N_TENSORS; t++)
      if (ns_tensor_exists ((NsTensor) t, b->experiment, 0, site) && !bind_tensor (b, (NsTensor) t, site))
        return FALSE;
  return bind_logits_bias (b) && check_rest (b, notes);
}

NsWeightSource *
ns_model_weights_open (const char *path, const char *model_type, gboolean is_tied, const NsExperiment *experiment,
                       char **notes, GError **error)
{
  const NsTensorNames *names = ns_tensor_names_find (model_type);
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  NsModelFiles *files = ns_model_files_open (path, error);
  g_autoptr (NsWeightSource) source = NULL;
  NsModelWeights *w;
  Binding b;

  g_return_val_if_fail (names != NULL, NULL);
  if (notes != NULL)
    *notes = NULL;
  if (files == NULL)
    return NULL;
  w = ns_model_weights_new (files, names, experiment);
  source = &w->source;
  b = (Binding){ w, experiment, used, missing, is_tied, error };
  if (!bind_all (&b, notes))
    return NULL;
  source->checksum = ns_model_files_dup_checksum (files);
  return ns_model_files_check (files, error) ? g_steal_pointer (&source) : NULL;
}
