/* Many blocks of few sizes, in large pages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine/ops/ns-slabs.h"

#include "engine/ops/ns-memory.h"

#include <sys/mman.h>

#define SLAB_ALIGNMENT ((gsize) 64)

/* A free block, in its own memory. */
typedef struct _FreeBlock FreeBlock;
struct _FreeBlock
{
  FreeBlock *next;
};

typedef struct
{
  GQueue *queue;    /* of its size */
  GList link;       /* in the queue, while it has room */
  guint8 *memory;   /* aligned to NS_SLAB_BYTES */
  FreeBlock *given; /* blocks that were given back */
  gsize n_used, n_begun, n; /* blocks in use; ever taken, all after them are free; in all */
} Slab;

struct _NsSlabs
{
  GHashTable *slabs;     /* Slab by its memory */
  GHashTable *with_room; /* GQueue of slabs by the size of their blocks */
};

static void
slab_free (gpointer p)
{
  Slab *slab = p;

  munmap (slab->memory, NS_SLAB_BYTES);
  g_free (slab);
}

NsSlabs *
ns_slabs_new (void)
{
  NsSlabs *self = g_new0 (NsSlabs, 1);

  self->slabs = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, slab_free);
  self->with_room = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, g_free);
  return self;
}

void
ns_slabs_free (NsSlabs *self)
{
  g_hash_table_unref (self->slabs);
  g_hash_table_unref (self->with_room);
  g_free (self);
}

/* ---- slabs ---- */

/* Map the memory of a slab: of twice its size, the part that is aligned. NULL if the system refuses it. */
static guint8 *
map_memory (void)
{
  guint8 *memory, *aligned;

  if (!ns_memory_has_room (2 * NS_SLAB_BYTES))
    return NULL;
  memory = mmap (NULL, 2 * NS_SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  aligned = memory + (NS_SLAB_BYTES - (guintptr) memory % NS_SLAB_BYTES) % NS_SLAB_BYTES;
  if (aligned > memory)
    munmap (memory, (gsize) (aligned - memory));
  munmap (aligned + NS_SLAB_BYTES, (gsize) (memory + NS_SLAB_BYTES - aligned));
  ns_memory_prefer_large_pages (aligned, NS_SLAB_BYTES);
  return aligned;
}

static gsize
round_up (gsize bytes)
{
  return (bytes + SLAB_ALIGNMENT - 1) / SLAB_ALIGNMENT * SLAB_ALIGNMENT;
}

/* Return the slabs with room for blocks of this size. */
static GQueue *
get_queue (NsSlabs *self, gsize size)
{
  GQueue *queue = g_hash_table_lookup (self->with_room, GSIZE_TO_POINTER (size));

  if (queue == NULL)
    {
      queue = g_new0 (GQueue, 1);
      g_hash_table_insert (self->with_room, GSIZE_TO_POINTER (size), queue);
    }
  return queue;
}

static Slab *
add_slab (NsSlabs *self, GQueue *queue, gsize size)
{
  guint8 *memory = map_memory ();
  Slab *slab;

  if (memory == NULL)
    return NULL;
  slab = g_new0 (Slab, 1);
  *slab = (Slab){ .queue = queue, .link = { .data = slab }, .memory = memory, .n = NS_SLAB_BYTES / size };
  g_hash_table_insert (self->slabs, memory, slab);
  g_queue_push_head_link (queue, &slab->link);
  return slab;
}

/* Return TRUE if a block has memory of its own. A sanitizer can only watch such blocks. */
static gboolean
is_alone (gsize bytes)
{
  return NS_WATCHED_MEMORY || bytes > NS_SLAB_BYTES / 8;
}

/* ---- blocks ---- */

gpointer
ns_slabs_take (NsSlabs *self, gsize bytes)
{
  gsize size = round_up (bytes);
  GQueue *queue;
  Slab *slab;
  gpointer block;

  g_return_val_if_fail (bytes > 0, NULL);
  if (is_alone (bytes))
    return ns_memory_try (bytes, 1);
  queue = get_queue (self, size);
  slab = g_queue_peek_head (queue);
  if (slab == NULL && (slab = add_slab (self, queue, size)) == NULL)
    return NULL;
  block = slab->given;
  if (block != NULL)
    slab->given = slab->given->next;
  else
    block = slab->memory + slab->n_begun++ * size;
  if (++slab->n_used == slab->n)
    g_queue_unlink (queue, &slab->link);
  return block;
}

void
ns_slabs_give (NsSlabs *self, gpointer block, gsize bytes)
{
  guint8 *memory;
  Slab *slab;

  if (block == NULL || is_alone (bytes))
    {
      g_free (block);
      return;
    }
  memory = (guint8 *) block - (guintptr) block % NS_SLAB_BYTES;
  slab = g_hash_table_lookup (self->slabs, memory);
  g_return_if_fail (slab != NULL);
  if (slab->n_used == slab->n) /* it had no room */
    g_queue_push_head_link (slab->queue, &slab->link);
  ((FreeBlock *) block)->next = slab->given;
  slab->given = block;
  slab->n_used--;
}

void
ns_slabs_trim (NsSlabs *self)
{
  GHashTableIter iter;
  gpointer p;

  g_hash_table_iter_init (&iter, self->slabs);
  while (g_hash_table_iter_next (&iter, NULL, &p))
    {
      Slab *slab = p;

      if (slab->n_used > 0)
        continue;
      g_queue_unlink (slab->queue, &slab->link);
      g_hash_table_iter_remove (&iter);
    }
}
