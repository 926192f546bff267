/* The request of the command train, shared by its files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "cli/ns-cli-items.h"
#include "cli/ns-cli-sensitivity.h"

G_BEGIN_DECLS

typedef enum { NS_CLI_TRAIN_TABLE, NS_CLI_TRAIN_CSV, NS_CLI_TRAIN_JSON, NS_CLI_TRAIN_NPY } NsCliTrainFormat;

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output, *format;
  NsCliItemsRequest items;
  char **quantities;
  int first, later;
  gboolean logarithmic, per_seed, provenance, no_provenance, estimate;
  gboolean map, coordinate_check;
  char *widths;
  char *over, *of_seeds;
  NsCliSensitivityRequest sensitivity;
} NsCliTrainRequest;

void ns_cli_train_request_clear (NsCliTrainRequest *request);

/* Return the format, or −1 with an error. */
int ns_cli_train_choose_format (const NsCliTrainRequest *request, GError **error);
/* Return TRUE to write provenance: to files by default, since they outlive the command line, but not to pipes. */
gboolean ns_cli_train_wants_provenance (const NsCliTrainRequest *request);
gboolean ns_cli_train_check_request (const NsCliTrainRequest *request, int format, GError **error);
/* Refuse an option that says what one training records, with another one that makes many. */
gboolean ns_cli_train_check_no_records (const NsCliTrainRequest *request, const char *with, GError **error);
/* Refuse an option of a map without one. */
gboolean ns_cli_train_check_no_map (const NsCliTrainRequest *request, GError **error);

/* ---- ns-cli-train-map.c ---- */

gboolean ns_cli_train_map (const NsCliOptions *options, const NsCliTrainRequest *request, int format, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsCliTrainRequest, ns_cli_train_request_clear)

G_END_DECLS
