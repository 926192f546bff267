/* The size of a picture: in px, in cm, or by purpose.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-size.h"

#include "cli/ns-cli.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define PAPER_DPI 300

void
ns_cli_size_request_clear (NsCliSizeRequest *request)
{
  g_clear_pointer (&request->purpose, g_free);
}

static double
or_default (double value, double fallback)
{
  return value == NS_CLI_UNSET ? fallback : value;
}

static gboolean
refuse_size (const char *option, GError **error)
{
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s cannot be combined with another way to set the size; allowed: --width, --height and --scale in "
                  "px, or --width-cm, --height-cm and --dpi, or --for, of which column and columns allow cm"),
               option);
  return FALSE;
}

static const NsExportPreset *
find_purpose (const char *word, GError **error)
{
  gsize n;
  const NsExportPreset *presets = ns_export_presets (&n);
  g_autofree char *quoted = ns_text_dup_short (word, NS_TEXT_MAX_VALUE);

  for (gsize i = 0; i < n; i++)
    if (strcmp (presets[i].id, word) == 0)
      return &presets[i];
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--for: “%s” is not allowed; allowed: slide, column or columns"), quoted);
  return NULL;
}

static gboolean
check_text_scale (const NsCliSizeRequest *request, GError **error)
{
  if (request->text_scale == NS_CLI_UNSET || (request->text_scale >= 0.25 && request->text_scale <= 8))
    return TRUE;
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--text-scale: %g is not allowed; allowed: from 0.25 to 8"),
               request->text_scale);
  return FALSE;
}

gboolean
ns_cli_size_parse (const NsCliSizeRequest *request, NsExportFormat format, NsTheme *theme, NsCliSize *size,
                   GError **error)
{
  gboolean in_px
      = request->width != NS_CLI_UNSET || request->height != NS_CLI_UNSET || request->scale != NS_CLI_UNSET;
  gboolean in_cm
      = request->width_cm != NS_CLI_UNSET || request->height_cm != NS_CLI_UNSET || request->dpi != NS_CLI_UNSET;
  NsExportSize given = { .is_cm = TRUE, .width = NS_CLI_UNSET, .height = NS_CLI_UNSET, .dpi = PAPER_DPI,
                         .text_scale = 1 };
  const NsExportPreset *preset = NULL;

  if (!check_text_scale (request, error))
    return FALSE;
  if (request->purpose != NULL && (preset = find_purpose (request->purpose, error)) == NULL)
    return FALSE;
  if (preset != NULL && (in_px || (in_cm && !preset->paper)))
    return refuse_size ("for", error);
  if (in_cm && preset == NULL
      && (in_px || request->width_cm == NS_CLI_UNSET || request->height_cm == NS_CLI_UNSET))
    return refuse_size (request->width_cm != NS_CLI_UNSET ? "width-cm"
                        : request->dpi != NS_CLI_UNSET    ? "dpi"
                                                          : "height-cm",
                        error);
  if (preset != NULL)
    given = preset->size;
  ns_export_preset_apply (preset, theme);
  given.width = or_default (request->width_cm, given.width);
  given.height = or_default (request->height_cm, given.height);
  given.dpi = or_default (request->dpi, given.dpi);
  if (in_cm && !(given.dpi >= 24 && given.dpi <= 2400))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--dpi: %g is not allowed; allowed: from 24 to 2400"),
                   given.dpi);
      return FALSE;
    }
  theme->text_scale = or_default (request->text_scale, given.text_scale);
  size->width = or_default (request->width, 1280);
  size->height = or_default (request->height, 800);
  size->scale = or_default (request->scale, 1);
  size->has_height = request->height != NS_CLI_UNSET || request->height_cm != NS_CLI_UNSET
                     || (preset != NULL && !preset->paper);
  if (in_cm || preset != NULL)
    ns_export_size_resolve (&given, format, &size->width, &size->height, &size->scale);
  return ns_export_check_size (size->width, size->height, size->scale, error);
}
