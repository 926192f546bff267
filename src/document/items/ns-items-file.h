/* Checkpoints of a list of items (ns-items.h): a file to which every finished item is appended.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The head says what is computed; a file with another head is refused. Each item is one record with a checksum, which
 * is written at once, so a process that is killed loses at most what it was computing. A last record that is not whole
 * is cut off; damage before it is refused.
 *
 * Threads: a value belongs to one thread at a time.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"
#include "engine/run/ns-items.h"

G_BEGIN_DECLS

/* What is computed. */
typedef struct _NsItemsHead NsItemsHead;

/* Create a head: the command, the experiment, which is copied, and the number of items. */
NsItemsHead *ns_items_head_new (const char *command, const NsExperiment *experiment, guint n_items);
void ns_items_head_free (NsItemsHead *head);
/* Note what else the numbers depend on: options of the command and their values. NULL, and a list without values, is
 * the same as an option that is not there. */
void ns_items_head_set (NsItemsHead *head, const char *option, const char *value);
void ns_items_head_set_list (NsItemsHead *head, const char *option, const char *const *values);
void ns_items_head_set_flag (NsItemsHead *head, const char *option, gboolean value);
const char *ns_items_head_get_command (const NsItemsHead *head);
const NsExperiment *ns_items_head_get_experiment (const NsItemsHead *head);
guint64 ns_items_head_get_n_items (const NsItemsHead *head);
/* Return the value, or NULL; the values, NULL-terminated, or NULL; whether the flag is set. */
const char *ns_items_head_get (const NsItemsHead *head, const char *option);
const char *const *ns_items_head_get_list (const NsItemsHead *head, const char *option);
gboolean ns_items_head_get_flag (const NsItemsHead *head, const char *option);
/* Return FALSE with an NS_DOCUMENT_ERROR_INPUT that says in what the head of the file `name` differs from this one. */
gboolean ns_items_head_check (const NsItemsHead *head, const NsItemsHead *other, const char *name, GError **error);
/* Return the bytes with which a file begins. */
GBytes *ns_items_head_to_bytes (const NsItemsHead *head);

/* ---- reading ---- */

/* A file that is read: its head, and records of which every checksum is right. */
typedef struct _NsItemsRecords NsItemsRecords;

/* Read a file, which nobody may be writing. */
NsItemsRecords *ns_items_records_read_path (const char *path, GError **error);
/* Read bytes; `name` is the source's name in messages. */
NsItemsRecords *ns_items_records_read (GBytes *bytes, const char *name, GError **error);
void ns_items_records_free (NsItemsRecords *records);
const NsItemsHead *ns_items_records_get_head (const NsItemsRecords *records);
/* Return the name of the source. */
const char *ns_items_records_get_name (const NsItemsRecords *records);
/* Return how many bytes at the end of the file are a record that is not whole. */
guint64 ns_items_records_get_torn (const NsItemsRecords *records);
/* Set the items of the records, which must be those of the head. Items that are finished already must have the same
 * numbers: else, and for impossible ones, NS_DOCUMENT_ERROR_INPUT. */
gboolean ns_items_records_fill (const NsItemsRecords *records, NsItems *items, GError **error);

/* ---- writing ---- */

typedef struct _NsItemsFile NsItemsFile;

/* Open a checkpoint, or create it, and set the items that it has. Locks the file: one that another process writes is
 * refused. *torn is set to the bytes that were cut off. */
NsItemsFile *ns_items_file_open (const char *path, const NsItemsHead *head, NsItems *items, guint64 *torn,
                                 GError **error);
/* Append a finished item. After a failure the file has whole items only. */
gboolean ns_items_file_append (NsItemsFile *file, const NsItems *items, guint item, GError **error);
/* Wait until what the file has is on the disk. */
gboolean ns_items_file_sync (NsItemsFile *file, GError **error);
/* Close the file. NULL is allowed. */
void ns_items_file_close (NsItemsFile *file);
/* Write a new file with all finished items, in their order. */
gboolean ns_items_file_write (const char *path, const NsItemsHead *head, const NsItems *items, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsItemsHead, ns_items_head_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsItemsRecords, ns_items_records_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsItemsFile, ns_items_file_close)

G_END_DECLS
