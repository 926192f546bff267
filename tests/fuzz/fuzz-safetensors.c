/* Fuzz target: tensors in the safetensors format.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include "import/ns-safetensors.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Read the numbers, so that a sanitizer sees bytes outside the file, and check the shape. */
static void
check_tensor (const NsSafetensors *file, const NsStoredTensor *tensor)
{
  guint64 elements = 1;
  float last = 0;

  FUZZ_CHECK (tensor->name != NULL && g_utf8_validate (tensor->name, -1, NULL));
  FUZZ_CHECK (ns_safetensors_find (file, tensor->name) == tensor);
  FUZZ_CHECK (tensor->n_dims <= NS_STORED_MAX_DIMS);
  for (guint i = 0; i < tensor->n_dims; i++)
    elements *= tensor->dims[i];
  FUZZ_CHECK (elements == tensor->elements);
  if (!ns_stored_tensor_is_readable (tensor))
    return;
  for (guint64 i = 0; i < elements; i++)
    {
      float both[2] = { 1, 2 };

      ns_stored_tensor_read (tensor, i, 1, both + 1, 1);
      FUZZ_CHECK (both[0] == 1);
      last = both[1];
    }
  if (elements > 0 && elements < 1000)
    {
      g_autofree float *all = g_new (float, elements * 2);

      ns_stored_tensor_read (tensor, 0, elements, all, 2);
      FUZZ_CHECK (memcmp (&all[(elements - 1) * 2], &last, sizeof last) == 0);
    }
}

/* Return the data as an open file. */
static NsHeldFile *
hold (const guint8 *data, gsize size)
{
  int fd = memfd_create (FUZZ_NAME, MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  NsHeldFile *held;

  FUZZ_CHECK (fd >= 0 && write (fd, data, size) == (gssize) size);
  held = ns_held_file_open (path, NULL);
  FUZZ_CHECK (held != NULL);
  close (fd);
  return held;
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsSafetensors) file = ns_safetensors_new (hold (data, size), FUZZ_NAME, &error);
  guint64 covered = 0;

  if (file == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL && ns_safetensors_get_size (file) == size);
  for (guint i = 0; i < ns_safetensors_get_n (file); i++)
    {
      const NsStoredTensor *tensor = ns_safetensors_get (file, i);

      FUZZ_CHECK (tensor->begin == covered);
      covered = tensor->end;
      check_tensor (file, tensor);
    }
  FUZZ_CHECK (8 + g_bytes_get_size (ns_safetensors_get_header (file)) + covered == size);
  return 0;
}
