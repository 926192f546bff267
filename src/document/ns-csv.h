/* What all tidy CSV files share: names, numbers, the columns of statistics, provenance.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * UTF-8, commas, line feeds. Numbers read back to the same value and can be "nan", "inf" or "-inf".
 * Threads: any; nothing here keeps state.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "engine/ops/ns-statistics.h"

G_BEGIN_DECLS

typedef enum
{
  NS_CSV_PLAIN = 0,
  NS_CSV_PROVENANCE = 1 << 0, /* comment lines before the heading */
  NS_CSV_PER_SEED = 1 << 1,   /* a row for each seed instead of mean and standard deviation */
} NsCsvFlags;

/* Return TRUE if a spreadsheet would run a cell with this text as a formula: after blanks and apostrophes it begins
 * with =, +, - or @, also full-width. */
gboolean ns_csv_is_formula (const char *text);
/* Return the text as one CSV field, quoted if necessary, with one apostrophe before a formula. Caller frees. */
char *ns_csv_dup_field (const char *text);

/* Return a new file, with ns_provenance_dup_experiment_comment() if the flags ask for it. Caller owns it. */
GString *ns_csv_begin (const NsExperiment *experiment, NsCsvFlags flags);
/* Append a comma and the number. */
void ns_csv_append_number (GString *csv, double value);
/* Append a comma, and the number if it exists. */
void ns_csv_append_optional (GString *csv, gboolean exists, double value);

/* The columns of ns_csv_append_statistics(). */
#define NS_CSV_STATISTICS "mean,std,geometric_mean,sd_factor,log10_mean"
/* Append each of them after a comma; the last three are empty for a quantity without logarithms. */
void ns_csv_append_statistics (GString *csv, const NsStat *stat, gboolean has_log10);

G_END_DECLS
