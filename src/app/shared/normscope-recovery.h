/* A copy of unsaved work on disk, offered at the next start if the program ends without asking.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A second after the last change, and at the latest four seconds after the first, the work is written, completely or
 * not at all, into the user's state folder; the copy is removed when the work is saved or closed. It is locked while
 * its process lives (ns-sibling.h), so one that can be locked was left: by a crash, a signal or a logout. This holds in
 * containers and on a home that machines share. On a file system without locks, copies stay and are not offered.
 * Threads: main. The file is small and written synchronously.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A kind of work. `owner` is that of normscope_recovery_new(). */
typedef struct
{
  const char *suffix; /* of the names of its copies */
  gboolean (*is_unsaved) (gpointer owner);
  GBytes *(*to_bytes) (gpointer owner); /* NULL: it cannot be opened as it is now, so the former copy stays */
  gpointer (*read) (const char *path, GError **error);
} NormscopeRecoveryKind;

typedef struct _NormscopeRecovery NormscopeRecovery;

NormscopeRecovery *normscope_recovery_new (const NormscopeRecoveryKind *kind, gpointer owner);
/* Remove the copy, unless it is left. */
void normscope_recovery_free (NormscopeRecovery *self);
/* Call it after each change, also when the work is saved. */
void normscope_recovery_changed (NormscopeRecovery *self);
/* Write what is not written yet, and leave the copy for the next start. */
void normscope_recovery_leave (NormscopeRecovery *self);

/* Return TRUE if there is a copy to take over. */
gboolean normscope_recovery_finds (const NormscopeRecoveryKind *kind);
/* Take over a copy that was left: return what `read` makes of it, or NULL if there is none. It stays until the next
 * change or normscope_recovery_discard(). A copy that cannot be read is renamed, and the error names it. */
gpointer normscope_recovery_take (NormscopeRecovery *self, GError **error);
void normscope_recovery_discard (NormscopeRecovery *self);

G_END_DECLS
