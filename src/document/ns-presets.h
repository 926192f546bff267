/* Experiments to begin with: those that ship with the program, and the user's own.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Compiled in from data/presets: an experiment file each, and what is shown of them in presets.ini, in the order in
 * which they are shown. The user's are the experiment files (*.normscope) of $XDG_DATA_HOME/normscope/presets, with a
 * presets.ini of the same form there if need be; without one a preset is called as its file. A file there that cannot
 * be read, is of a newer version or has a name that is taken is skipped and named among the problems.
 * Threads: any.
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;          /* "xiong-theory": on the command line */
  const char *title;       /* translated */
  const char *description; /* one or two sentences, translated; may be "" */
  const char *group;       /* the heading it stands under, translated; presets of one group stand together */
  const char *path;        /* of the user's file; NULL: ships with the program */
  const NsBuiltinVariant *variant;     /* of a model: what its first variant is wired as; else NULL */
  const char *source;                  /* of the numbers, or NULL */
  const NsParam *const *not_confirmed; /* keys whose values were not read in the source itself; ended by NULL */
  /* What is left out, assumed, or different between paper and code: sentences, translated, or NULL. */
  const char *notes;
} NsPreset;

/* In the order in which they are shown; *n of them. They stay as they are until the program ends. The first call
 * reads the user's folder. */
const NsPreset *ns_presets (gsize *n);
/* What was wrong in the user's folder, a message for each file; ended by NULL, may be empty. Stays as ns_presets(). */
const char *const *ns_presets_get_problems (void);
/* Reads the user's folder again; from then on ns_presets() has what is there. What it gave before stays valid. */
void ns_presets_reload (void);
/* Where the user's are, whether it is there or not; caller frees. */
char *ns_presets_dup_folder (void);

/* The preset of an id, or NULL. */
const NsPreset *ns_preset_find (const char *id);

/* An unknown id is an NS_DOCUMENT_ERROR_INPUT that suggests the nearest and lists all; a user's file is read anew and
 * may have become unreadable. Caller owns the experiment. */
NsExperiment *ns_preset_load (const char *id, GError **error);

G_END_DECLS
