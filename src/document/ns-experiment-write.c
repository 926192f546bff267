/* Write experiments as JSON.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-write.h"

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

#include <math.h>
#include <string.h>

static void
write_list (NsJsonWriter *writer, const char *key, const char *list)
{
  gsize n;
  g_autofree double *numbers = ns_param_dup_numbers (list, &n);

  ns_json_open_compact (writer, key, '[');
  for (gsize i = 0; i < n; i++)
    ns_json_number (writer, NULL, numbers[i]);
  ns_json_close (writer, ']');
}

static void
write_value (NsJsonWriter *writer, const char *key, const NsParam *param, gconstpointer base)
{
  NsScale scale;

  if (ns_param_is_null (param, base))
    {
      ns_json_string (writer, key, NULL);
      return;
    }
  switch (param->type)
    {
    case NS_TYPE_INTEGER:
      ns_json_integer (writer, key, ns_param_get_int (param, base));
      break;
    case NS_TYPE_NUMBER:
      ns_json_number (writer, key, ns_param_get_number (param, base));
      break;
    case NS_TYPE_BOOLEAN:
      ns_json_boolean (writer, key, ns_param_get_int (param, base) != 0);
      break;
    case NS_TYPE_CHOICE:
      ns_json_string (writer, key, param->choices[ns_param_get_int (param, base)]);
      break;
    case NS_TYPE_SCALE:
      scale = ns_param_get_scale (param, base);
      if (scale.rule == 0)
        ns_json_number (writer, key, scale.number);
      else
        ns_json_string (writer, key, param->choices[scale.rule - 1]);
      break;
    case NS_TYPE_STRING:
      ns_json_string (writer, key, ns_param_get_string (param, base));
      break;
    case NS_TYPE_LIST:
      write_list (writer, key, ns_param_get_string (param, base));
      break;
    default:
      g_return_if_reached ();
    }
}

typedef struct
{
  NsJsonWriter *writer;
  gboolean minimal; /* write only keys that differ from the defaults */
} WriteTarget;

/* One object of the file: a section or a variant. */
typedef struct
{
  NsSection section;
  gconstpointer base, defaults;
} Place;

static gboolean
is_written (const WriteTarget *target, const Place *place, const NsParam *param)
{
  g_autofree char *value = NULL;
  g_autofree char *fallback = NULL;

  if (param->implied && ns_param_is_null (param, place->base))
    return FALSE;
  if (!target->minimal || (place->section == NS_SECTION_VARIANT && strcmp (param->key, "name") == 0))
    return TRUE;
  if (ns_param_is_text (param))
    return g_strcmp0 (ns_param_get_string (param, place->base), ns_param_get_string (param, place->defaults)) != 0;
  value = ns_param_dup_text (param, place->base);
  fallback = ns_param_dup_text (param, place->defaults);
  return strcmp (value, fallback) != 0;
}

/* Return TRUE if no key of a group of dotted keys is written. */
static gboolean
group_is_empty (const WriteTarget *target, const Place *place, const char *group)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  g_autofree char *object = g_strconcat (group, ".", NULL);

  for (gsize i = 0; i < n; i++)
    if (params[i].section == place->section && g_str_has_prefix (params[i].key, object)
        && is_written (target, place, &params[i]))
      return FALSE;
  return TRUE;
}

/* Write the members of an object. Keys with the same prefix are adjacent in the table: "attn.norm",
 * "attn.residual". */
static void
write_members (const WriteTarget *target, const Place *place)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  g_autofree char *open = NULL;

  for (gsize i = 0; i < n; i++)
    {
      const char *dot = strchr (params[i].key, '.');
      g_autofree char *group = dot != NULL ? g_strndup (params[i].key, (gsize) (dot - params[i].key)) : NULL;

      if (params[i].section != place->section)
        continue;
      if (open != NULL && g_strcmp0 (open, group) != 0)
        {
          ns_json_close (target->writer, '}');
          g_clear_pointer (&open, g_free);
        }
      if (group != NULL && open == NULL && !group_is_empty (target, place, group))
        {
          ns_json_open_compact (target->writer, group, '{');
          open = g_steal_pointer (&group);
        }
      if (is_written (target, place, &params[i]))
        write_value (target->writer, dot != NULL ? dot + 1 : params[i].key, &params[i], place->base);
    }
  if (open != NULL)
    ns_json_close (target->writer, '}');
}

static gboolean
section_is_empty (const WriteTarget *target, const Place *place)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    if (params[i].section == place->section && is_written (target, place, &params[i]))
      return FALSE;
  return TRUE;
}

static void
write_section (const WriteTarget *target, const char *key, NsSection section, gconstpointer base,
               gconstpointer defaults)
{
  Place place = { section, base, defaults };

  if (target->minimal && section_is_empty (target, &place))
    return;
  ns_json_open (target->writer, key, '{');
  write_members (target, &place);
  ns_json_close (target->writer, '}');
}

static void
write_variants (const WriteTarget *target, const NsExperiment *experiment)
{
  g_autoptr (NsVariant) defaults = ns_variant_new ("-");

  ns_json_open (target->writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      Place place = { NS_SECTION_VARIANT, ns_experiment_variant (experiment, v), defaults };

      ns_json_open (target->writer, NULL, '{');
      write_members (target, &place);
      ns_json_close (target->writer, '}');
    }
  ns_json_close (target->writer, ']');
}

/* Return the values of absent keys, including the sample text if the source is "text". */
static NsExperiment *
new_defaults (const NsExperiment *experiment)
{
  NsExperiment *defaults = ns_experiment_new ();

  if (experiment->data.source == NS_SOURCE_TEXT)
    {
      defaults->data.source = NS_SOURCE_TEXT;
      ns_experiment_fill_text (defaults);
      defaults->data.source = NS_SOURCE_GAUSSIAN;
    }
  return defaults;
}

static gboolean
has_default_variants (const NsExperiment *experiment)
{
  g_autoptr (NsExperiment) defaults = ns_experiment_new ();
  g_autoptr (NsExperiment) other = ns_experiment_new ();

  g_ptr_array_set_size (other->variants, 0);
  for (guint v = 0; v < experiment->variants->len; v++)
    g_ptr_array_add (other->variants, ns_variant_copy (ns_experiment_variant (experiment, v)));
  return ns_experiment_equal (defaults, other);
}

static void
write_document (const WriteTarget *target, const char *key, const NsExperiment *experiment)
{
  g_autoptr (NsExperiment) defaults = new_defaults (experiment);
  Place top = { NS_SECTION_TOP, experiment, defaults };

  ns_json_open (target->writer, key, '{');
  if (!target->minimal)
    {
      ns_json_string (target->writer, "format", NS_EXPERIMENT_FORMAT);
      ns_json_integer (target->writer, "version", NS_EXPERIMENT_VERSION);
    }
  write_section (target, "shape", NS_SECTION_SHAPE, experiment, defaults);
  write_section (target, "data", NS_SECTION_DATA, experiment, defaults);
  write_members (target, &top);
  write_section (target, "sampling", NS_SECTION_SAMPLING, experiment, defaults);
  write_section (target, "training", NS_SECTION_TRAINING, experiment, defaults);
  if (!target->minimal || !has_default_variants (experiment))
    write_variants (target, experiment);
  ns_json_close (target->writer, '}');
}

void
ns_experiment_write (NsJsonWriter *writer, const char *key, const NsExperiment *experiment)
{
  WriteTarget target = { writer, FALSE };

  write_document (&target, key, experiment);
}

void
ns_experiment_write_minimal (NsJsonWriter *writer, const char *key, const NsExperiment *experiment)
{
  g_autoptr (NsExperiment) drawn = ns_experiment_dup_drawn (experiment);
  WriteTarget target = { writer, TRUE };

  write_document (&target, key, drawn);
}

GBytes *
ns_experiment_to_bytes (const NsExperiment *experiment)
{
  g_autoptr (NsExperiment) drawn = ns_experiment_dup_drawn (experiment);
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_experiment_write (&writer, NULL, drawn);
  return ns_json_writer_finish (&writer);
}

char *
ns_experiment_dup_line (const NsExperiment *experiment)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  writer.compact_level = 0;
  ns_experiment_write (&writer, NULL, experiment);
  return ns_json_writer_finish_text (&writer);
}

gboolean
ns_experiment_save (const NsExperiment *experiment, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);

  return ns_file_write (path, bytes, error);
}
