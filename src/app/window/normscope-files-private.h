/* What the parts of the files share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/window/normscope-files.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

/* An experiment and where it is from. All members are owned. */
typedef struct
{
  NsExperiment *experiment;
  NsUnknownKeys *unknown; /* of a file of a newer version, or NULL */
  GFile *file;            /* NULL: none yet */
  char *name;             /* of what has no file, or NULL */
} NormscopeDocument;

/* What the user was about to do when the question came. */
typedef enum { NORMSCOPE_THEN_NOTHING, NORMSCOPE_THEN_CLOSE, NORMSCOPE_THEN_SHOW } NormscopeThen;

struct _NormscopeFiles
{
  GObject parent_instance;

  GtkApplicationWindow *window; /* weak: it holds us */
  NormscopeSession *session;
  NormscopeDocument saved; /* as it is in the file, or as it began; without experiment: the file is gone */
  char *title;
  char *warning; /* or NULL */

  NormscopeThen then;
  NormscopeDocument next; /* to be shown */
  GtkFileChooserNative *chooser;
  gboolean closing; /* the question has been answered */
  gboolean discarded;
};

void normscope_document_clear (NormscopeDocument *document);

/* A toast. */
void normscope_files_show_message (NormscopeFiles *self, const char *message);
/* What the session shows is this document from now on. Takes what is in it. */
void normscope_files_set_saved (NormscopeFiles *self, NormscopeDocument *document);
void normscope_files_show_title (NormscopeFiles *self);
/* Whether a question is open: nothing else begins then. */
gboolean normscope_files_is_asking (NormscopeFiles *self);
/* Shows a document, after the question where there is one to ask. Takes what is in it. */
void normscope_files_begin_to_show (NormscopeFiles *self, NormscopeDocument *document, gboolean question);
/* Saves, and goes on with what the question was about. What fails is told, and ends it. */
void normscope_files_save_and_go_on (NormscopeFiles *self, GFile *file);
void normscope_files_forget_then (NormscopeFiles *self);

/* ---- normscope-files-actions.c ---- */

/* To the file, or to one that the user chooses. */
void normscope_files_save (NormscopeFiles *self);
void normscope_files_add_actions (NormscopeFiles *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NormscopeDocument, normscope_document_clear)

G_END_DECLS
