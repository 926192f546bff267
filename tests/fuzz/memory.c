/* Count the memory that reading one input takes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <string.h>

static atomic_llong live, peak;

static void
count (long long bytes)
{
  long long now = atomic_fetch_add (&live, bytes) + bytes;
  long long most = atomic_load (&peak);

  while (now > most && !atomic_compare_exchange_weak (&peak, &most, now))
    ;
}

#if NS_SANITIZED

/* Of the sanitizers' runtime. GCC has it without the header. */
int __sanitizer_install_malloc_and_free_hooks (void (*allocated) (const volatile void *memory, size_t size),
                                               void (*freed) (const volatile void *memory));
size_t __sanitizer_get_allocated_size (const volatile void *memory);

static void
allocated (const volatile void *memory, size_t size)
{
  count ((long long) size);
}

static void
freed (const volatile void *memory)
{
  if (memory != NULL)
    count (-(long long) __sanitizer_get_allocated_size (memory));
}

static void
install (void)
{
  static gboolean installed;

  if (!installed)
    g_assert_cmpint (__sanitizer_install_malloc_and_free_hooks (allocated, freed), !=, 0);
  installed = TRUE;
}

#else

static void
install (void)
{
}

#ifdef __GLIBC__

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *memory, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *memory);

static void *
add (void *memory)
{
  if (memory != NULL)
    count ((long long) malloc_usable_size (memory));
  return memory;
}

void *
malloc (size_t size)
{
  return add (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return add (__libc_calloc (n, size));
}

void *
realloc (void *memory, size_t size)
{
  long long before = memory != NULL ? (long long) malloc_usable_size (memory) : 0;
  void *moved = __libc_realloc (memory, size);

  if (moved == NULL && size > 0)
    return NULL;
  count (-before);
  return add (moved);
}

void *
memalign (size_t alignment, size_t size)
{
  return add (__libc_memalign (alignment, size));
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  *memory = memalign (alignment, size);
  return *memory != NULL ? 0 : ENOMEM;
}

void
free (void *memory)
{
  if (memory != NULL)
    count (-(long long) malloc_usable_size (memory));
  __libc_free (memory);
}

#endif
#endif

void
fuzz_memory_begin (void)
{
  install ();
  atomic_store (&live, 0);
  atomic_store (&peak, 0);
}

gsize
fuzz_memory_get_peak (void)
{
  return (gsize) atomic_load (&peak);
}
