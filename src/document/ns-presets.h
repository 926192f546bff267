/* Presets: built-in experiments and the user's own.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Built-in presets are compiled in from data/presets: an experiment file each, described by presets.ini in display
 * order. User presets are the experiment files (*.normscope) in $XDG_DATA_HOME/normscope/presets, described by an
 * optional presets.ini there; without a description, a preset has the file's name. A user's file that cannot be read,
 * has a newer version or uses a taken name is skipped and reported as a problem.
 * Threads: any.
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;          /* "xiong-theory", as on the command line */
  const char *title;       /* translated */
  const char *description; /* one or two sentences, translated; may be "" */
  const char *group;       /* heading, translated; presets of one group are adjacent */
  const char *path;        /* of the user's file; NULL: built-in */
  const NsBuiltinVariant *variant;     /* of a model: the built-in variant of its first variant; else NULL */
  const char *figure;                  /* the id of the figure that the window shows first, as written; or NULL */
  const char *source;                  /* publication of the numbers, or NULL */
  const NsParam *const *not_confirmed; /* NULL-terminated keys whose values are not stated in the source */
  /* Omissions, assumptions, differences between paper and code: translated sentences, or NULL. */
  const char *notes;
} NsPreset;

/* Return all presets in display order; *n (may be NULL) is their number. The first call reads the user's folder. The
 * array stays valid until the program ends. */
const NsPreset *ns_presets (gsize *n);
/* Return the problems found in the user's folder, a message for each file; NULL-terminated, may be empty. Valid until
 * the program ends. */
const char *const *ns_presets_get_problems (void);
/* Read the user's folder again for later calls of ns_presets(). Arrays returned before stay valid. */
void ns_presets_reload (void);
/* Return the path of the user's folder, which need not exist. Caller frees. */
char *ns_presets_dup_folder (void);

/* Return the preset with an id, or NULL. */
const NsPreset *ns_preset_find (const char *id);

/* Load a preset's experiment; a user's file is read again. An unknown id is an NS_DOCUMENT_ERROR_INPUT that suggests
 * the most similar id and lists all; an unreadable file is an error, too. Caller owns the experiment. */
NsExperiment *ns_preset_load (const char *id, GError **error);

G_END_DECLS
