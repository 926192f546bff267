/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-stored-tensor.h"

#include <string.h>

/* Bytes that are read at a time. */
#define PIECE_BYTES (16 * 1024)

typedef enum { ENCODING_NONE, ENCODING_F32, ENCODING_F16, ENCODING_BF16 } Encoding;

/* The dtypes of the format with a whole number of bytes. A model's file contains buffers of other types than its
 * weights. */
static const struct
{
  const char *name;
  guint bytes;
  Encoding encoding; /* of what we read */
} dtypes[] = {
  { "F32", 4, ENCODING_F32 },    { "F16", 2, ENCODING_F16 },    { "BF16", 2, ENCODING_BF16 },
  { "F64", 8, ENCODING_NONE },   { "BOOL", 1, ENCODING_NONE },  { "U8", 1, ENCODING_NONE },
  { "I8", 1, ENCODING_NONE },    { "I16", 2, ENCODING_NONE },   { "U16", 2, ENCODING_NONE },
  { "I32", 4, ENCODING_NONE },   { "U32", 4, ENCODING_NONE },   { "I64", 8, ENCODING_NONE },
  { "U64", 8, ENCODING_NONE },   { "C64", 8, ENCODING_NONE },   { "F8_E5M2", 1, ENCODING_NONE },
  { "F8_E4M3", 1, ENCODING_NONE }, { "F8_E8M0", 1, ENCODING_NONE },
};

static int
find_dtype (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strcmp (dtypes[i].name, name) == 0)
      return (int) i;
  return -1;
}

char *
ns_dtype_dup_list (void)
{
  GString *list = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "", dtypes[i].name);
  return g_string_free (list, FALSE);
}

const char *
ns_dtype_find (const char *name, guint *bytes)
{
  int dtype = find_dtype (name);

  if (dtype < 0)
    return NULL;
  *bytes = dtypes[dtype].bytes;
  return dtypes[dtype].name;
}

/* ---- numbers ---- */

static Encoding
get_encoding (const NsStoredTensor *tensor)
{
  return dtypes[find_dtype (tensor->dtype)].encoding;
}

gboolean
ns_stored_tensor_is_readable (const NsStoredTensor *tensor)
{
  return get_encoding (tensor) != ENCODING_NONE;
}

static guint32
read_uint16 (const guint8 *data)
{
  return (guint32) data[0] | (guint32) data[1] << 8;
}

static float
from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Return the value of an IEEE 754 binary16: 1 sign, 5 exponent bits with bias 15, 10 fraction bits. */
static float
from_half (guint32 half)
{
  guint32 sign = (half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  float small = (float) fraction * 0x1p-24f;

  if (exponent == 0)
    return sign != 0 ? -small : small;
  if (exponent == 0x1f)
    return from_bits (sign | 0x7f800000 | fraction << 13);
  return from_bits (sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

/* out[i · step] = the number of the i-th element in the bytes */
static void
decode (Encoding encoding, const guint8 *data, gsize n, float *out, gsize step)
{
  switch (encoding)
    {
    case ENCODING_F32:
      for (gsize i = 0; i < n; i++, data += 4)
        out[i * step] = from_bits (read_uint16 (data) | read_uint16 (data + 2) << 16);
      break;
    case ENCODING_F16:
      for (gsize i = 0; i < n; i++, data += 2)
        out[i * step] = from_half (read_uint16 (data));
      break;
    case ENCODING_BF16:
      for (gsize i = 0; i < n; i++, data += 2)
        out[i * step] = from_bits (read_uint16 (data) << 16);
      break;
    case ENCODING_NONE:
    default:
      g_return_if_reached ();
    }
}

void
ns_stored_tensor_read (const NsStoredTensor *tensor, guint64 first, gsize n, float *out, gsize step)
{
  guint bytes = dtypes[find_dtype (tensor->dtype)].bytes;
  guint8 piece[PIECE_BYTES];

  g_return_if_fail (first <= tensor->elements && n <= tensor->elements - first);

  while (n > 0)
    {
      gsize some = MIN (n, sizeof piece / bytes);

      ns_held_file_read (tensor->held, tensor->place + first * bytes, piece, some * bytes);
      decode (get_encoding (tensor), piece, some, out, step);
      first += some;
      out += some * step;
      n -= some;
    }
}

char *
ns_stored_tensor_dup_shape (const NsStoredTensor *tensor)
{
  GString *shape = g_string_new ("[");

  for (guint i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (shape, "%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "", tensor->dims[i]);
  return g_string_free (g_string_append_c (shape, ']'), FALSE);
}
