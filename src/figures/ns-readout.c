/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-readout.h"

static void
row_free (gpointer data)
{
  NsReadoutRow *row = data;

  for (guint c = 0; c < NS_READOUT_MAX_COLUMNS; c++)
    g_free (row->cells[c]);
  g_free (row->name);
  g_free (row);
}

NsReadout *
ns_readout_new (char *place)
{
  NsReadout *readout = g_new0 (NsReadout, 1);

  readout->place = place;
  readout->rows = g_ptr_array_new_with_free_func (row_free);
  return readout;
}

void
ns_readout_free (NsReadout *readout)
{
  if (readout == NULL)
    return;
  for (guint c = 0; c < NS_READOUT_MAX_COLUMNS; c++)
    g_free (readout->headings[c]);
  g_ptr_array_unref (readout->rows);
  g_free (readout->place);
  g_free (readout);
}

guint
ns_readout_add_column (NsReadout *readout, const char *heading)
{
  g_return_val_if_fail (readout != NULL && readout->n_columns < NS_READOUT_MAX_COLUMNS, 0);

  readout->headings[readout->n_columns] = g_strdup (heading);
  return readout->n_columns++;
}

NsReadoutRow *
ns_readout_add_row (NsReadout *readout, const char *name)
{
  NsReadoutRow *row;

  g_return_val_if_fail (readout != NULL, NULL);

  row = g_new0 (NsReadoutRow, 1);
  row->name = g_strdup (name);
  g_ptr_array_add (readout->rows, row);
  return row;
}
