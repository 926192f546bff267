/* What a checkpoint of items is about.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/items/ns-items-file-private.h"

#include "document/ns-experiment-json.h"
#include "document/ns-experiment-write.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-changes.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define FORMAT "normscope-items"
#define VERSION 1

typedef struct
{
  char *name;
  char **values;
} Option;

struct _NsItemsHead
{
  char *command, *generator;
  GPtrArray *options; /* Option, in the order in which they were set */
  NsExperiment *experiment;
  guint64 n_items;
};

static void
option_free (gpointer data)
{
  Option *option = data;

  g_free (option->name);
  g_strfreev (option->values);
  g_free (option);
}

/* Takes the experiment and the generator. */
static NsItemsHead *
head_new (const char *command, NsExperiment *experiment, guint64 n_items, char *generator)
{
  NsItemsHead *head = g_new0 (NsItemsHead, 1);

  head->command = g_strdup (command);
  head->generator = generator;
  head->options = g_ptr_array_new_with_free_func (option_free);
  head->experiment = experiment;
  head->n_items = n_items;
  return head;
}

NsItemsHead *
ns_items_head_new (const char *command, const NsExperiment *experiment, guint n_items)
{
  return head_new (command, ns_experiment_copy (experiment), n_items, ns_provenance_dup_software ());
}

void
ns_items_head_free (NsItemsHead *head)
{
  if (head == NULL)
    return;
  g_free (head->command);
  g_free (head->generator);
  g_ptr_array_unref (head->options);
  ns_experiment_free (head->experiment);
  g_free (head);
}

/* ---- the options ---- */

void
ns_items_head_set_list (NsItemsHead *head, const char *name, const char *const *values)
{
  Option *option;

  if (values == NULL || values[0] == NULL)
    return;
  option = g_new (Option, 1);
  *option = (Option){ g_strdup (name), g_strdupv ((char **) values) };
  g_ptr_array_add (head->options, option);
}

void
ns_items_head_set (NsItemsHead *head, const char *name, const char *value)
{
  const char *const values[] = { value, NULL };

  ns_items_head_set_list (head, name, values);
}

void
ns_items_head_set_flag (NsItemsHead *head, const char *name, gboolean value)
{
  ns_items_head_set (head, name, value ? "on" : NULL);
}

const char *const *
ns_items_head_get_list (const NsItemsHead *head, const char *name)
{
  for (guint i = 0; i < head->options->len; i++)
    {
      const Option *option = g_ptr_array_index (head->options, i);

      if (strcmp (option->name, name) == 0)
        return (const char *const *) option->values;
    }
  return NULL;
}

const char *
ns_items_head_get (const NsItemsHead *head, const char *name)
{
  const char *const *values = ns_items_head_get_list (head, name);

  return values != NULL ? values[0] : NULL;
}

gboolean
ns_items_head_get_flag (const NsItemsHead *head, const char *name)
{
  return ns_items_head_get (head, name) != NULL;
}

const char *
ns_items_head_get_command (const NsItemsHead *head)
{
  return head->command;
}

const NsExperiment *
ns_items_head_get_experiment (const NsItemsHead *head)
{
  return head->experiment;
}

guint64
ns_items_head_get_n_items (const NsItemsHead *head)
{
  return head->n_items;
}

/* ---- comparing ---- */

static char *
dup_values (const NsItemsHead *head, const char *name)
{
  const char *const *values = ns_items_head_get_list (head, name);
  g_autofree char *joined = values != NULL ? g_strjoinv (", ", (char **) values) : NULL;

  return joined != NULL ? ns_text_dup_short (joined, NS_TEXT_MAX_VALUE) : g_strdup (_ ("not given"));
}

/* Return the name of an option of `a` that `b` has otherwise, or NULL. */
static const char *
find_other_option (const NsItemsHead *a, const NsItemsHead *b)
{
  for (guint i = 0; i < a->options->len; i++)
    {
      const Option *option = g_ptr_array_index (a->options, i);
      const char *const *values = ns_items_head_get_list (b, option->name);

      if (values == NULL || !g_strv_equal ((const char *const *) option->values, values))
        return option->name;
    }
  return NULL;
}

static char *
dup_variants (const NsExperiment *experiment)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint v = 0; v < experiment->variants->len; v++)
    g_string_append_printf (names, "%s%s", v > 0 ? ", " : "", ns_experiment_variant (experiment, v)->name);
  return ns_text_dup_short (names->str, NS_TEXT_MAX_VALUE);
}

/* Return in what the experiment `there` differs from the one here; caller frees. */
static char *
dup_difference (const NsExperiment *there, const NsExperiment *here)
{
  g_autofree char *of_there = dup_variants (there), *of_here = dup_variants (here), *changes = NULL;

  if (there->variants->len != here->variants->len || strcmp (of_there, of_here) != 0)
    return g_strdup_printf (_ ("its variants are %s, and here %s"), of_there, of_here);
  changes = ns_experiment_dup_changes (there, here);
  return changes != NULL ? ns_text_dup_short (changes, 4 * NS_TEXT_MAX_VALUE) : g_strdup (_ ("its text or a name"));
}

static void
refuse_head (GError **error, const char *name, const char *why)
{
  g_autofree char *shown = ns_text_dup_short (name, NS_TEXT_MAX_PATH);

  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", shown, why);
}

static char *
dup_option_difference (const NsItemsHead *head, const NsItemsHead *other, const char *option)
{
  g_autofree char *here = dup_values (head, option), *there = dup_values (other, option);

  return g_strdup_printf (_ ("the checkpoint is of another computation: “%s” is %s there, and %s here"), option, there,
                          here);
}

gboolean
ns_items_head_check (const NsItemsHead *head, const NsItemsHead *other, const char *name, GError **error)
{
  const char *option = find_other_option (head, other);
  g_autofree char *why = NULL, *difference = NULL;

  if (option == NULL)
    option = find_other_option (other, head);
  if (strcmp (head->command, other->command) != 0)
    why = g_strdup_printf (_ ("the checkpoint is of another command: %s, and not of %s"), other->command,
                           head->command);
  else if (!ns_experiment_equal (head->experiment, other->experiment))
    {
      difference = dup_difference (other->experiment, head->experiment);
      why = g_strdup_printf (_ ("the checkpoint is of another experiment: %s"), difference);
    }
  else if (option != NULL)
    why = dup_option_difference (head, other, option);
  else if (strcmp (head->generator, other->generator) != 0)
    why = g_strdup_printf (_ ("the checkpoint is of %s, and this is %s, whose digits may differ; the environment "
                              "variable OPENBLAS_CORETYPE chooses the kernels"),
                           other->generator, head->generator);
  else if (head->n_items != other->n_items)
    why = g_strdup (_ ("the checkpoint is of another version of the program"));
  else
    return TRUE;
  refuse_head (error, name, why);
  return FALSE;
}

/* ---- bytes ---- */

GBytes *
ns_items_head_to_bytes (const NsItemsHead *head)
{
  NsItemsPreamble preamble = { .magic = NS_ITEMS_MAGIC };
  GByteArray *bytes = g_byte_array_new ();
  NsChecksum checksum = { 0 };
  NsJsonWriter writer;
  g_autofree char *text = NULL;
  gsize length;
  guint64 sum;

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_json_string (&writer, "format", FORMAT);
  ns_json_integer (&writer, "version", VERSION);
  ns_json_string (&writer, "generator", head->generator);
  ns_json_string (&writer, "command", head->command);
  ns_json_open (&writer, "options", '{');
  for (guint i = 0; i < head->options->len; i++)
    {
      const Option *option = g_ptr_array_index (head->options, i);

      ns_json_open_compact (&writer, option->name, '[');
      for (char **value = option->values; *value != NULL; value++)
        ns_json_string (&writer, NULL, *value);
      ns_json_close (&writer, ']');
    }
  ns_json_close (&writer, '}');
  ns_json_integer (&writer, "items", (gint64) head->n_items);
  ns_experiment_write (&writer, "experiment", head->experiment);
  ns_json_close (&writer, '}');
  text = ns_json_writer_finish_text (&writer);
  length = strlen (text);
  /* the records begin at a multiple of 8 bytes */
  preamble.length = (length + 7) / 8 * 8;
  g_byte_array_append (bytes, (const guint8 *) &preamble, sizeof preamble);
  g_byte_array_append (bytes, (const guint8 *) text, (guint) length);
  g_byte_array_append (bytes, (const guint8 *) "        ", (guint) (preamble.length - length));
  ns_checksum_add (&checksum, bytes->data, bytes->len);
  sum = ns_checksum_get (&checksum);
  g_byte_array_append (bytes, (const guint8 *) &sum, sizeof sum);
  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
read_options (NsItemsHead *head, JsonObject *options)
{
  g_autoptr (GList) names = json_object_get_members (options);

  for (GList *link = names; link != NULL; link = link->next)
    {
      JsonNode *node = json_object_get_member (options, link->data);
      JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
      guint n = array != NULL ? json_array_get_length (array) : 0;
      g_autoptr (GPtrArray) values = g_ptr_array_new ();

      for (guint i = 0; i < n; i++)
        {
          const char *value = ns_json_node_get_string (json_array_get_element (array, i));

          if (value == NULL)
            return FALSE;
          g_ptr_array_add (values, (gpointer) value);
        }
      if (n == 0)
        return FALSE;
      g_ptr_array_add (values, NULL);
      ns_items_head_set_list (head, link->data, (const char *const *) values->pdata);
    }
  return TRUE;
}

/* Return the member's object, or NULL. */
static JsonObject *
get_object (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

NsItemsHead *
ns_items_head_from_text (const char *text, gsize length, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, length);
  g_autoptr (JsonNode) root = ns_json_node_from_bytes (bytes, name, _ ("a checkpoint"), NULL, error);
  JsonObject *object = root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonObject *options = object != NULL ? get_object (object, "options") : NULL;
  const char *command, *generator;
  g_autoptr (GError) cause = NULL;
  gint64 n_items, version;
  NsExperiment *experiment;
  NsItemsHead *head;

  if (root == NULL)
    return NULL;
  command = object != NULL ? ns_json_node_get_string (json_object_get_member (object, "command")) : NULL;
  generator = object != NULL ? ns_json_node_get_string (json_object_get_member (object, "generator")) : NULL;
  if (command == NULL || generator == NULL || options == NULL || !json_object_has_member (object, "experiment")
      || g_strcmp0 (ns_json_node_get_string (json_object_get_member (object, "format")), FORMAT) != 0
      || !ns_json_node_get_integer (json_object_get_member (object, "version"), &version) || version != VERSION
      || !ns_json_node_get_integer (json_object_get_member (object, "items"), &n_items) || n_items < 0
      || json_object_get_size (object) != 7)
    {
      refuse_head (error, name, _ ("the head of the checkpoint is damaged"));
      return NULL;
    }
  experiment = ns_experiment_from_node (json_object_get_member (object, "experiment"), &cause);
  if (experiment == NULL)
    {
      refuse_head (error, name, cause->message);
      return NULL;
    }
  head = head_new (command, experiment, (guint64) n_items, g_strdup (generator));
  if (read_options (head, options))
    return head;
  refuse_head (error, name, _ ("the head of the checkpoint is damaged"));
  ns_items_head_free (head);
  return NULL;
}
