/* The numbers of maps in a PyTorch script.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-torch-script-private.h"

#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-text.h"

const NsPaths *
ns_torch_script_find_paths (const GPtrArray *paths, NsPathsKind kind)
{
  for (guint i = 0; paths != NULL && i < paths->len; i++)
    if (ns_paths_get_settings (paths->pdata[i])->kind == kind)
      return paths->pdata[i];
  return NULL;
}

/* Return TRUE if the script compares the map. The errors of estimated lengths are zero or not computed here, and the
 * shares of an estimate are smoothed. */
static gboolean
has_map (const NsPaths *paths, NsPathsMap map)
{
  NsPathsKind kind = ns_paths_map_info (map)->kind;

  if (kind != ns_paths_get_settings (paths)->kind || map == NS_MAP_LENGTH_ERROR)
    return FALSE;
  return kind != NS_PATHS_LENGTHS || ns_paths_is_exact (paths, 0) || map == NS_MAP_LENGTH_MEAN;
}

/* Append a column's name in quotes: a site, a sub-layer with its block, a number of branches, a tensor; "" for a map
 * with one column. */
static void
append_column (GString *out, const NsPaths *paths, NsPathsMap map, gint64 column)
{
  gint64 site = column;

  if (map == NS_MAP_SHARE)
    {
      NsContributor contributor = ns_paths_get_contributor (paths, column, &site);
      gint64 layer = ns_site_get_layer (ns_paths_get_experiment (paths), site);

      g_string_append_printf (out, "\"%s %lld\": ", ns_contributor_get_name (contributor), (long long) layer);
    }
  else if (map == NS_MAP_UPDATE_W)
    g_string_append_printf (out, "\"%s\": ", ns_tensor_get_name ((NsTensor) column));
  else if (ns_paths_map_info (map)->kind == NS_PATHS_UPDATE || map == NS_MAP_LENGTH_MEAN || map == NS_MAP_LENGTH_REST)
    g_string_append (out, "\"\": ");
  else
    g_string_append_printf (out, "\"%lld\": ", (long long) site);
}

/* Append a row's numbers; none: nothing. */
static void
append_row (GString *out, const NsPaths *paths, NsPathsMap map, gint64 row, gint64 columns)
{
  gboolean is_symmetric = map == NS_MAP_COS_X || map == NS_MAP_COS_G;
  g_autoptr (GString) cells = g_string_new (NULL);

  for (gint64 column = is_symmetric ? row : 0; column < columns; column++)
    {
      double value;

      if (!ns_paths_get_value (paths, 0, map, row, column, 0, &value, NULL))
        continue;
      g_string_append (cells, cells->len > 0 ? ", " : "");
      append_column (cells, paths, map, column);
      ns_torch_script_append_number (cells, value);
    }
  if (cells->len > 0)
    g_string_append_printf (out, "%s\n    \"%lld\": {%s}", out->str[out->len - 1] == '{' ? "" : ",",
                            (long long) ns_paths_get_site (paths, map, row), cells->str);
}

static void
append_settings (GString *out, const NsPaths *paths)
{
  const NsPathsSettings *settings = ns_paths_get_settings (paths);
  char rate[NS_NUMBER_SIZE];

  if (settings->kind == NS_PATHS_GAIN)
    g_string_append_printf (out, "\n  \"probes\": %u,", settings->n_probes);
  if (settings->kind == NS_PATHS_UPDATE)
    g_string_append_printf (out, "\n  \"optimizer\": \"%s\",\n  \"learning_rate\": %s,\n  \"matrices_only\": %s,",
                            ns_optimizer_get_name (settings->optimizer),
                            ns_format_number (rate, settings->learning_rate),
                            settings->matrices_only ? "true" : "false");
  g_string_append_printf (out, "\n  \"overflow\": %s,", ns_paths_get_overflow (paths, 0, 0) > 0 ? "true" : "false");
}

char *
ns_torch_script_dup_paths (const GPtrArray *all)
{
  GString *out = g_string_new ("{");

  for (guint i = 0; i < all->len; i++)
    {
      const NsPaths *paths = all->pdata[i];
      NsPathsKind kind = ns_paths_get_settings (paths)->kind;

      g_string_append_printf (out, "%s\"%s\": {", i > 0 ? ", " : "", ns_paths_kind_get_name (kind));
      append_settings (out, paths);
      g_string_append (out, "\n  \"numbers\": {");
      for (guint m = 0; m < NS_N_MAPS; m++)
        {
          gint64 rows, columns;

          if (!has_map (paths, (NsPathsMap) m))
            continue;
          ns_paths_get_size (paths, 0, (NsPathsMap) m, &rows, &columns);
          g_string_append_printf (out, "%s\"%s\": {", out->str[out->len - 1] == '{' ? "" : ", ",
                                  ns_paths_map_info ((NsPathsMap) m)->name);
          for (gint64 row = 0; row < rows; row++)
            append_row (out, paths, (NsPathsMap) m, row, columns);
          g_string_append (out, "}");
        }
      g_string_append (out, "}}");
    }
  g_string_append (out, "}");
  return g_string_free (out, FALSE);
}
