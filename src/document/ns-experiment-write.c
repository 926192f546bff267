/* Experiments as JSON text.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-write.h"

#include "document/ns-experiment-json.h"

#include <math.h>
#include <string.h>

static void
write_value (NsJsonWriter *writer, const char *key, const NsParam *param, gconstpointer base)
{
  NsScale scale;

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
    default:
      g_return_if_reached ();
    }
}

/* Rows with a dotted key stand beside each other in the table: "attn.norm", "attn.residual". */
static void
write_section (NsJsonWriter *writer, NsSection section, gconstpointer base)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  g_autofree char *open = NULL;

  for (gsize i = 0; i < n; i++)
    {
      const char *dot = strchr (params[i].key, '.');
      g_autofree char *group = dot != NULL ? g_strndup (params[i].key, (gsize) (dot - params[i].key)) : NULL;

      if (params[i].section != section)
        continue;
      if (open != NULL && g_strcmp0 (open, group) != 0)
        {
          ns_json_close (writer, '}');
          g_clear_pointer (&open, g_free);
        }
      if (group != NULL && open == NULL)
        {
          ns_json_open_compact (writer, group, '{');
          open = g_steal_pointer (&group);
        }
      write_value (writer, dot != NULL ? dot + 1 : params[i].key, &params[i], base);
    }
  if (open != NULL)
    ns_json_close (writer, '}');
}

void
ns_experiment_write (NsJsonWriter *writer, const char *key, const NsExperiment *experiment)
{
  ns_json_open (writer, key, '{');
  ns_json_string (writer, "format", NS_EXPERIMENT_FORMAT);
  ns_json_integer (writer, "version", NS_EXPERIMENT_VERSION);
  ns_json_open (writer, "shape", '{');
  write_section (writer, NS_SECTION_SHAPE, experiment);
  ns_json_close (writer, '}');
  ns_json_open (writer, "data", '{');
  write_section (writer, NS_SECTION_DATA, experiment);
  ns_json_close (writer, '}');
  write_section (writer, NS_SECTION_TOP, experiment);
  ns_json_open (writer, "sampling", '{');
  write_section (writer, NS_SECTION_SAMPLING, experiment);
  ns_json_close (writer, '}');
  ns_json_open (writer, "variants", '[');
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      ns_json_open (writer, NULL, '{');
      write_section (writer, NS_SECTION_VARIANT, ns_experiment_variant (experiment, v));
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
  ns_json_close (writer, '}');
}

GBytes *
ns_experiment_to_bytes (const NsExperiment *experiment)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_experiment_write (&writer, NULL, experiment);
  return ns_json_writer_finish (&writer);
}

gboolean
ns_experiment_save (const NsExperiment *experiment, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_experiment_to_bytes (experiment);

  return ns_file_write (path, bytes, error);
}
