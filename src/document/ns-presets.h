/* Experiments that ship with the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compiled in from data/presets: an experiment file each, and their titles and descriptions in presets.ini, in the
 * order in which they are shown.
 * Threads: any.
 */
#pragma once

#include "engine/ns-experiment.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;          /* "xiong-theory": on the command line */
  const char *title;       /* translated */
  const char *description; /* one or two sentences, translated */
} NsPreset;

/* In the order in which they are shown; *n of them, static. */
const NsPreset *ns_presets (gsize *n);

/* An unknown id is an NS_DOCUMENT_ERROR_INPUT that suggests the nearest and lists all. Caller owns the experiment. */
NsExperiment *ns_preset_load (const char *id, GError **error);

G_END_DECLS
