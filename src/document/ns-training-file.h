/* Checkpoints of a training: a file from which it goes on.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A damaged file is refused before anything of it is used. The memory that another one takes is in proportion to its
 * size: a training of many steps is a large file from the start.
 *
 * Threads: any; a training may be written while it runs.
 */
#pragma once

#include "document/ns-sibling.h"
#include "engine/train/ns-training.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write the experiment, all of the training and the time that it took. Atomic: at any moment the path has the former
 * file or the new one. */
gboolean ns_training_write_file (NsTraining *training, const char *path, GError **error);
/* Keep other processes from writing the checkpoint, which may not exist yet, until ns_sibling_release(). FALSE with an
 * NS_DOCUMENT_ERROR_INPUT if one does; NS_DOCUMENT_ERROR_OUTPUT if none can be written there. */
gboolean ns_training_reserve_file (const char *path, NsSibling *lock, GError **error);
/* Read a training that ns_engine_train() continues with the same bits as if it had not been interrupted. Not a
 * checkpoint, of another version of the program, or damaged: NS_DOCUMENT_ERROR_INPUT with the path. Caller owns it. */
NsTraining *ns_training_read_file (const char *path, GError **error);
/* The same of a stream that can seek; the error has its name. */
NsTraining *ns_training_read_stream (GInputStream *stream, const char *name, GError **error);

G_END_DECLS
