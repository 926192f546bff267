/* The size of a picture: in px, in cm, or by purpose.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-export-size.h"

#include <float.h>

G_BEGIN_DECLS

/* Value of a number that is not given; no size is as negative. */
#define NS_CLI_UNSET (-DBL_MAX)

/* Options as given on the command line. */
typedef struct
{
  double width, height, scale, text_scale;
  double width_cm, height_cm, dpi;
  char *purpose;
} NsCliSizeRequest;

#define NS_CLI_SIZE_REQUEST_INIT                                                                                       \
  { NS_CLI_UNSET, NS_CLI_UNSET, NS_CLI_UNSET, NS_CLI_UNSET, NS_CLI_UNSET, NS_CLI_UNSET, NS_CLI_UNSET, NULL }

/* The arguments of ns_figure_export(). */
typedef struct
{
  double width, height, scale;
  gboolean has_height; /* it is given, not a default */
} NsCliSize;

/* Set size, and text scale and paper of the theme. FALSE with an error that names the option. */
gboolean ns_cli_size_parse (const NsCliSizeRequest *request, NsExportFormat format, NsTheme *theme, NsCliSize *size,
                            GError **error);
void ns_cli_size_request_clear (NsCliSizeRequest *request);

G_END_DECLS
