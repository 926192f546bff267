/* Shared by normscope-files.c (document and questions), normscope-files-actions.c (actions and choosers) and
 * normscope-files-session.c (the last session, and copies of unsaved changes).
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/session/normscope-last-session.h"
#include "app/shared/normscope-recovery.h"
#include "app/window/normscope-document.h"
#include "app/window/normscope-files.h"

G_BEGIN_DECLS

/* The action after the question about unsaved changes. */
typedef enum { NORMSCOPE_PENDING_NONE, NORMSCOPE_PENDING_CLOSE, NORMSCOPE_PENDING_SHOW } NormscopePending;

struct _NormscopeFiles
{
  GObject parent_instance;

  GtkApplicationWindow *window; /* weak: the window owns the files */
  NormscopeSession *session;
  /* The documents of the session's numbers, each as it is on disk, or as it began; without an experiment if its file is
   * gone. Former ones are kept, since undo goes back to them. */
  GPtrArray *documents; /* of NormscopeDocument, owned */
  char *title;

  NormscopePending pending;
  NormscopeDocument pending_document; /* to be shown */
  GtkFileChooserNative *chooser;
  gboolean close_confirmed;
  gboolean changes_discarded; /* the window closes without saving */
  NormscopeRecovery *recovery; /* or NULL: no copies are kept */
  NormscopeLastSession *left;  /* offered, or NULL */
  guint offer_source;
};

/* Return the document that the session shows, as it was saved. */
const NormscopeDocument *normscope_files_get_saved (NormscopeFiles *self);
/* Replace what is known to be saved of the document that the session shows; the contents of `document` are taken. */
void normscope_files_set_saved (NormscopeFiles *self, NormscopeDocument *document);
/* The experiment has changed, or what is saved of it. */
void normscope_files_update_title (NormscopeFiles *self);
/* Show a message in a toast. */
void normscope_files_show_message (NormscopeFiles *self, const char *message);
/* Return TRUE while a question is open; no other action may start then. */
gboolean normscope_files_has_pending (NormscopeFiles *self);
/* Show a document, whose contents are taken, after the question about unsaved changes if there are any. */
void normscope_files_request_show (NormscopeFiles *self, NormscopeDocument *document);
/* Save to a file, then run the pending action. Failures are shown in a toast and abort the pending action. */
void normscope_files_save_and_resume (NormscopeFiles *self, GFile *file);
void normscope_files_cancel_pending (NormscopeFiles *self);

/* ---- normscope-files-actions.c ---- */

/* Save to the document's file, or to one that the user chooses. */
void normscope_files_save (NormscopeFiles *self);
void normscope_files_add_actions (NormscopeFiles *self);

/* ---- normscope-files-session.c ---- */

void normscope_left_session_free (NormscopeLastSession *session);

G_END_DECLS
