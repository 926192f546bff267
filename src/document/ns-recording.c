/* Read recordings of other models.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-recording.h"

#include "document/ns-experiment-json.h"
#include "document/ns-json-node.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-validate.h"
#include "engine/run/ns-engine.h"
#include "engine/run/ns-result-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* ---- structure ---- */

/* Return a member of an object; NULL if the node is no object or has no such member. */
static JsonNode *
get_member (JsonNode *node, const char *name)
{
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  return json_object_get_member (json_node_get_object (node), name);
}

static gboolean
refuse_node (const char *place, JsonNode *node, const char *allowed, GError **error)
{
  g_autoptr (JsonNode) null = json_node_new (JSON_NODE_NULL);

  return ns_json_node_refuse (place, node != NULL ? node : null, allowed, error);
}

static gboolean
is_integer (JsonNode *node, gint64 wanted)
{
  gint64 value;

  return ns_json_node_get_integer (node, &value) && value == wanted;
}

/* Return the items of an array of n, or of any positive number if n is 0; NULL and an error for anything else. */
static JsonArray *
get_items (JsonNode *node, const char *place, guint n, GError **error)
{
  g_autofree char *allowed = n > 0 ? g_strdup_printf (_ ("a list of %u, one for each block"), n)
                                   : g_strdup (_ ("a list that is not empty"));
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (array != NULL && (n > 0 ? json_array_get_length (array) == n : json_array_get_length (array) > 0))
    return array;
  refuse_node (place, node, allowed, error);
  return NULL;
}

/* Read a number or null; no norm is negative. */
static gboolean
read_site_number (JsonNode *node, const char *name, double *value)
{
  NsQuantity quantity;

  *value = NAN;
  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (!ns_json_node_get_number (node, value))
    return FALSE;
  return *value >= 0 || !ns_quantity_from_name (name, &quantity) || !ns_quantity_has_log10 (quantity);
}

/* Check the numbers of a place. The objects "grad" and "parameters" have numbers, too. */
static gboolean
check_place (JsonNode *node, const char *place, gboolean is_inner, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return refuse_node (place, node, _ ("an object { … }"), error);
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      gboolean is_object = !is_inner && (strcmp (name, "grad") == 0 || strcmp (name, "parameters") == 0);
      g_autofree char *path = g_strdup_printf ("%s.%s", place, name);
      double value;

      if (is_object ? !check_place (member, path, TRUE, error) : FALSE)
        return FALSE;
      if (is_object || (!is_inner && strcmp (name, "part") == 0) || read_site_number (member, name, &value))
        continue;
      return refuse_node (path, member, _ ("a number, not negative if it is a norm, or null"), error);
    }
  return TRUE;
}

static gboolean
check_step (JsonNode *step, guint index, guint depth, GError **error)
{
  g_autofree char *place = g_strdup_printf ("steps[%u]", index);
  g_autofree char *number = g_strconcat (place, ".step", NULL);
  g_autofree char *input = g_strconcat (place, ".input", NULL);
  g_autofree char *list = g_strconcat (place, ".layers", NULL);
  g_autofree char *expected = g_strdup_printf ("%u", index);
  g_autofree char *loss_path = g_strconcat (place, ".loss", NULL);
  JsonNode *loss = get_member (step, "loss");
  JsonArray *layers;
  double value;

  if (!is_integer (get_member (step, "step"), index))
    return refuse_node (number, get_member (step, "step"), expected, error);
  if (loss != NULL && !JSON_NODE_HOLDS_NULL (loss) && !ns_json_node_get_number (loss, &value))
    return refuse_node (loss_path, loss, _ ("a number or null"), error);
  if (!check_place (get_member (step, "input"), input, FALSE, error))
    return FALSE;
  layers = get_items (get_member (step, "layers"), list, depth, error);
  if (layers == NULL)
    return FALSE;
  for (guint l = 0; l < depth; l++)
    {
      JsonNode *layer = json_array_get_element (layers, l);
      g_autofree char *path = g_strdup_printf ("%s[%u]", list, l);

      if (!check_place (layer, path, FALSE, error))
        return FALSE;
      if (!is_integer (get_member (layer, "layer"), (gint64) l + 1))
        return refuse_node (path, get_member (layer, "layer"), _ ("blocks in order, “layer” from 1"), error);
    }
  return TRUE;
}

static gboolean
check_head (JsonNode *root, GError **error)
{
  JsonNode *version = get_member (root, "version");
  gint64 number;

  if (g_strcmp0 (ns_json_node_get_string (get_member (root, "format")), NS_RECORDING_FORMAT) != 0)
    return refuse_node ("format", get_member (root, "format"), "\"" NS_RECORDING_FORMAT "\"", error);
  if (version != NULL && (!ns_json_node_get_integer (version, &number) || number < 1))
    return refuse_node ("version", version, G_STRINGIFY (NS_RECORDING_VERSION), error);
  if (version == NULL || number <= NS_RECORDING_VERSION)
    return TRUE;
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("version: %lld needs a newer Normscope; allowed: up to %d"), (long long) number,
               NS_RECORDING_VERSION);
  return FALSE;
}

/* Return the experiment beside the recording. */
static NsExperiment *
read_recorded_experiment (JsonNode *root, GError **error)
{
  JsonNode *node = get_member (root, "experiment"), *depth = get_member (get_member (root, "shape"), "depth");
  g_autoptr (NsExperiment) experiment = NULL;
  g_autofree char *expected = NULL;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    {
      refuse_node ("experiment", node, _ ("an experiment, in an object { … }"), error);
      return NULL;
    }
  experiment = ns_experiment_from_node (node, error);
  if (experiment == NULL)
    {
      g_prefix_error (error, "experiment: ");
      return NULL;
    }
  expected = g_strdup_printf (_ ("%lld, the depth of the experiment"), (long long) experiment->shape.depth);
  if (experiment->shape.stack == NS_STACK_SINGLE && is_integer (depth, experiment->shape.depth))
    return g_steal_pointer (&experiment);
  refuse_node ("shape.depth", depth, expected, error);
  return NULL;
}

/* Keep the first variant alone, under the recording's name, and one seed. */
static gboolean
narrow (NsExperiment *experiment, JsonNode *root, GError **error)
{
  const char *name = ns_json_node_get_string (get_member (root, "name"));

  g_ptr_array_set_size (experiment->variants, 1);
  experiment->sampling.seeds = experiment->sampling.batches = 1;
  experiment->sampling.estimate = NS_ESTIMATE_NORM;
  if (name != NULL)
    {
      g_free (ns_experiment_variant (experiment, 0)->name);
      ns_experiment_variant (experiment, 0)->name = g_strdup (name);
    }
  return ns_experiment_validate (experiment, error);
}

/* ---- numbers ---- */

/* Return the number of a quantity at a place, NULL if it has none. */
static JsonNode *
get_recorded_number (JsonNode *place, NsQuantity quantity)
{
  const char *name = ns_quantity_info (quantity)->name;
  JsonNode *own = get_member (place, name);

  return own != NULL ? own : get_member (get_member (place, "grad"), name);
}

/* Return the place of a site: the input, a block, or NULL. */
static JsonNode *
get_place (JsonNode *step, gint64 site, gint64 depth)
{
  if (site == 0)
    return get_member (step, "input");
  return site <= depth ? json_array_get_element (json_node_get_array (get_member (step, "layers")), (guint) site - 1)
                       : NULL;
}

/* Return TRUE if every block in which the variant has the quantity has it in the file. */
static gboolean
has_quantity (JsonNode *step, const NsExperiment *experiment, NsQuantity quantity)
{
  gboolean found = FALSE;

  for (gint64 site = 1; site <= experiment->shape.depth; site++)
    if (ns_quantity_exists (quantity, experiment, 0, site))
      {
        if (get_recorded_number (get_place (step, site, experiment->shape.depth), quantity) == NULL)
          return FALSE;
        found = TRUE;
      }
  return found;
}

/* Set the numbers of step t. */
static void
set_step (NsResult *steps, guint t, JsonNode *step)
{
  const NsExperiment *experiment = ns_result_get_experiment (steps);
  gint64 depth = experiment->shape.depth;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    for (gint64 site = 0; site <= depth && ns_result_has (steps, q); site++)
      {
        JsonNode *node = get_recorded_number (get_place (step, site, depth), q);
        double value;

        if (node != NULL && ns_quantity_exists (q, experiment, 0, site)
            && read_site_number (node, ns_quantity_info (q)->name, &value))
          ns_result_set (steps, 0, q, site, t, value, ns_quantity_has_log10 (q) ? log10 (value) : NAN);
      }
}

static NsTraining *
make_training (JsonArray *steps, const NsExperiment *experiment, GError **error)
{
  guint n = json_array_get_length (steps);
  g_autofree double *losses = g_new (double, n);
  g_autoptr (NsResult) rows = NULL;
  NsQuantitySet quantities = { { 0 } };

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    if (has_quantity (json_array_get_element (steps, 0), experiment, q))
      ns_quantity_set_add (&quantities, q);
  rows = ns_result_new_of (experiment, 0, n, &quantities);
  if (rows == NULL)
    {
      g_set_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_MEMORY, _ ("Not enough memory for the recording"));
      return NULL;
    }
  for (guint t = 0; t < n; t++)
    {
      JsonNode *step = json_array_get_element (steps, t);

      losses[t] = NAN;
      ns_json_node_get_number (get_member (step, "loss"), &losses[t]);
      set_step (rows, t, step);
    }
  return ns_training_new_recorded (rows, losses);
}

static NsTraining *
read_recording (JsonNode *root, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  JsonArray *steps;

  if (!check_head (root, error))
    return NULL;
  experiment = read_recorded_experiment (root, error);
  if (experiment == NULL || !narrow (experiment, root, error)
      || get_items (get_member (root, "blocks"), "blocks", (guint) experiment->shape.depth, error) == NULL)
    return NULL;
  steps = get_items (get_member (root, "steps"), "steps", 0, error);
  for (guint i = 0; steps != NULL && i < json_array_get_length (steps); i++)
    if (!check_step (json_array_get_element (steps, i), i, (guint) experiment->shape.depth, error))
      return NULL;
  return steps != NULL ? make_training (steps, experiment, error) : NULL;
}

gboolean
ns_recording_is_recording (GBytes *bytes)
{
  g_autoptr (JsonNode) root = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  text = ns_file_skip_bom (text, &length);
  if (length == 0 || g_strstr_len (text, (gssize) length, NS_RECORDING_FORMAT) == NULL)
    return FALSE;
  root = ns_json_node_from_recording (bytes, "", "", NULL);
  return g_strcmp0 (ns_json_node_get_string (get_member (root, "format")), NS_RECORDING_FORMAT) == 0;
}

/* Name the source in an error, which becomes one of the reader unless memory was missing. */
static void
propagate (GError **error, GError *cause, const char *name)
{
  if (cause->domain == NS_ENGINE_ERROR && cause->code == NS_ENGINE_ERROR_MEMORY)
    {
      g_propagate_error (error, cause);
      return;
    }
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", name, cause->message);
  g_error_free (cause);
}

NsTraining *
ns_recording_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (JsonNode) root = ns_json_node_from_recording (bytes, name, _ ("a recording"), error);
  GError *cause = NULL;
  NsTraining *training = root != NULL ? read_recording (root, &cause) : NULL;

  if (cause != NULL)
    propagate (error, cause, name);
  return training;
}

NsExperiment *
ns_recording_experiment_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (JsonNode) root = ns_json_node_from_recording (bytes, name, _ ("a recording"), error);
  GError *cause = NULL;
  NsExperiment *experiment = root != NULL && check_head (root, &cause) ? read_recorded_experiment (root, &cause) : NULL;

  if (cause != NULL)
    propagate (error, cause, name);
  return experiment;
}
