/* Shared by the files of the strip.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/wiring/normscope-wiring-row.h"
#include "app/wiring/normscope-wiring-strip.h"

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_STRIP_SHOWS_NOTHING,
  NORMSCOPE_STRIP_SHOWS_HINT,
  NORMSCOPE_STRIP_SHOWS_ONE,
  NORMSCOPE_STRIP_SHOWS_ALL,
} NormscopeStripShown;

struct _NormscopeWiringStrip
{
  GtkWidget parent_instance;

  NormscopeSession *session;
  NormscopeScalingRunner *scaling_runner;
  NsResult *result; /* the newest, or NULL */
  NsResult *trained; /* of a step of a training, which is shown instead; or NULL */
  gint64 step;       /* of `trained` */
  gboolean is_present; /* it is of the session's experiment */
  guint waiting_id;    /* timeout while the rows wait for the result of a change, or 0 */
  char *verdict; /* on the selected variant, or NULL */
  gint64 block;
  gboolean folded;

  GPtrArray *rows; /* NormscopeWiringRow of each variant */
  GtkLabel *caption;
  int caption_width; /* in px, for which its text was chosen */
  guint caption_id;  /* of choosing it again; 0: not queued */
  GtkLabel *hint;

  NormscopeStripShown shown; /* as normscope_wiring_strip_fit() chose */
};

/* Return TRUE if a variant has a row where `shown` says so. */
gboolean normscope_wiring_strip_has_row (NormscopeWiringStrip *self, NormscopeStripShown shown, guint variant);
/* Choose the text of the caption again, after this layout. */
void normscope_wiring_strip_queue_caption (NormscopeWiringStrip *self);
/* Show the present settings, or, unless `settings`, only another block or other values, which change no size. */
void normscope_wiring_strip_show_rows (NormscopeWiringStrip *self, gboolean settings);

void normscope_wiring_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                     int *natural, int *minimum_baseline, int *natural_baseline);
void normscope_wiring_strip_size_allocate (GtkWidget *widget, int width, int height, int baseline);

G_END_DECLS
