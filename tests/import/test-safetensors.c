/* Test the reader of safetensors files: the numbers of each dtype, and an error for each way a file can be wrong.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "import/ns-safetensors.h"
#include "tests.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define NAME "model.safetensors"

/* Return a file with a header and n bytes of data; `size` replaces the header's size unless it is −1. */
static GBytes *
make_file (const char *header, const void *data, gsize n, gint64 size)
{
  GByteArray *file = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (size < 0 ? (guint64) strlen (header) : (guint64) size);

  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, (guint) strlen (header));
  if (n > 0)
    g_byte_array_append (file, data, (guint) n);
  return g_byte_array_free_to_bytes (file);
}

/* Read the bytes from a file. */
static NsSafetensors *
open_bytes (GBytes *bytes, GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("normscope-safetensors-XXXXXX", &path, NULL);
  NsHeldFile *held;

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)), ==,
                   (gssize) g_bytes_get_size (bytes));
  held = ns_held_file_open (path, NULL);
  g_assert_nonnull (held);
  g_unlink (path);
  close (fd);
  return ns_safetensors_new (held, NAME, error);
}

static NsSafetensors *
open_file (const char *header, const void *data, gsize n)
{
  g_autoptr (GBytes) bytes = make_file (header, data, n, -1);
  g_autoptr (GError) error = NULL;
  NsSafetensors *file = open_bytes (bytes, &error);

  g_assert_no_error (error);
  return file;
}

/* ---- numbers ---- */

static void
test_numbers (void)
{
  /* 1.5, −0; 1, 2^-24, 65504, −∞; 1, 3.140625, NaN */
  const guint8 data[] = { 0,    0,    0xc0, 0x3f, 0,    0,    0,    0x80, 0x00, 0x3c, 0x01,
                          0x00, 0xff, 0x7b, 0x00, 0xfc, 0x80, 0x3f, 0x49, 0x40, 0xc0, 0x7f };
  const char *header = "{\"f\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                       "\"b\":{\"dtype\":\"BF16\",\"shape\":[3,1],\"data_offsets\":[16,22]},"
                       "\"h\":{\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[8,16]}}   ";
  g_autoptr (NsSafetensors) file = open_file (header, data, sizeof data);
  float out[8] = { 0 };

  g_assert_cmpuint (ns_safetensors_get_n (file), ==, 3);
  g_assert_cmpstr (ns_safetensors_get (file, 1)->name, ==, "h"); /* in the order of the data */
  g_assert_null (ns_safetensors_find (file, "x"));
  ns_stored_tensor_read (ns_safetensors_find (file, "f"), 0, 2, out, 1);
  g_assert_true (out[0] == 1.5f && out[1] == 0 && signbit (out[1]));
  ns_stored_tensor_read (ns_safetensors_find (file, "h"), 0, 4, out, 2);
  g_assert_true (out[0] == 1 && out[2] == 0x1p-24f && out[4] == 65504 && out[6] == -HUGE_VALF);
  ns_stored_tensor_read (ns_safetensors_find (file, "b"), 1, 2, out, 1);
  g_assert_true (out[0] == 3.140625f && isnan (out[1]));
}

/* Every F16, from its definition. */
static void
test_halves (void)
{
  g_autofree guint8 *data = g_new (guint8, 131072);
  g_autofree float *values = g_new (float, 65536);
  g_autoptr (NsSafetensors) file = NULL;

  for (guint i = 0; i < 65536; i++)
    {
      data[2 * i] = (guint8) i;
      data[2 * i + 1] = (guint8) (i >> 8);
    }
  file = open_file ("{\"h\":{\"dtype\":\"F16\",\"shape\":[65536],\"data_offsets\":[0,131072]}}", data, 131072);
  ns_stored_tensor_read (ns_safetensors_find (file, "h"), 0, 65536, values, 1);
  for (guint i = 0; i < 65536; i++)
    {
      int exponent = i >> 10 & 31;
      double fraction = (i & 1023) / 1024.0, sign = i >> 15 ? -1 : 1;
      double value = exponent == 0 ? ldexp (fraction, -14) : ldexp (1 + fraction, exponent - 15);

      if (exponent == 31 && fraction != 0)
        g_assert_true (isnan (values[i]));
      else
        g_assert_true ((double) values[i] == sign * (exponent == 31 ? HUGE_VAL : value)
                       && !signbit (values[i]) == (sign > 0));
    }
}

/* A tensor without dimensions has one element, one with a dimension of 0 none. */
static void
test_shapes (void)
{
  g_autoptr (NsSafetensors) file
    = open_file ("{\"__metadata__\":{\"format\":\"pt\"},"
                 "\"one\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                 "\"none\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,9,0],\"data_offsets\":[4,4]},"
                 "\"mask\":{\"dtype\":\"BOOL\",\"shape\":[1,2],\"data_offsets\":[4,6]}}",
                 "\0\0\0\0\1", 6);
  g_autofree char *shape = ns_stored_tensor_dup_shape (ns_safetensors_find (file, "mask"));

  g_assert_cmpuint (ns_safetensors_find (file, "one")->elements, ==, 1);
  g_assert_cmpuint (ns_safetensors_find (file, "none")->elements, ==, 0);
  g_assert_false (ns_stored_tensor_is_readable (ns_safetensors_find (file, "mask")));
  g_assert_true (ns_stored_tensor_is_readable (ns_safetensors_find (file, "one")));
  g_assert_cmpstr (shape, ==, "[1, 2]");
}

/* ---- errors ---- */

#define TENSOR(name, dtype, shape, offsets)                                                                            \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const struct
{
  const char *name, *header;
  gsize n;      /* bytes of data */
  gint64 size;  /* of the header; −1: its own */
  const char *words; /* in the message, separated by bars */
} errors[] = {
  { "header too large", "{}", 0, 100000001, "100000001|up to 100000000" },
  { "header beyond the file", "{}", 4, 7, "size is 7, and 6 bytes follow|truncated" },
  { "no header", "", 8, -1, "does not begin with" },
  { "short", "", 0, -1, "8 bytes" },
  { "an array", "[]", 0, -1, "does not begin with" },
  { "bad JSON", "{\"a\":}", 0, -1, "the header|line 1" },
  { "duplicate name", "{" TENSOR ("a", "F32", "[1]", "[0,4]") "," TENSOR ("a", "F32", "[1]", "[4,8]") "}", 8, -1,
    "duplicate key" },
  { "an entry", "{\"a\":3}", 0, -1, "tensor \"a\": 3 is not allowed|dtype, shape and data_offsets" },
  { "no dtype", "{\"a\":{\"shape\":[],\"data_offsets\":[0,0]}}", 0, -1, "tensor \"a\": dtype: nothing" },
  { "dtype", "{" TENSOR ("w", "F8_E3M4", "[1]", "[0,1]") "}", 1, -1,
    "tensor \"w\": dtype: \"F8_E3M4\"|F32, F16, BF16" },
  { "negative", "{" TENSOR ("w", "F32", "[2,-1]", "[0,0]") "}", 0, -1, "shape: [2,-1] is not allowed" },
  { "dimensions", "{" TENSOR ("w", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, -1, "up to 8 integers" },
  { "product", "{" TENSOR ("w", "F32", "[4294967296,4294967296]", "[0,0]") "}", 0, -1, "more elements than 64 bits" },
  { "bytes", "{" TENSOR ("w", "F32", "[4611686018427387904]", "[0,0]") "}", 0, -1, "more bytes than 64 bits" },
  { "offsets", "{" TENSOR ("w", "F32", "[1]", "[0]") "}", 4, -1, "data_offsets: [0] is not allowed|two integers" },
  { "descending", "{" TENSOR ("w", "F32", "[1]", "[4,0]") "}", 4, -1, "data_offsets: [4,0] descends" },
  { "beyond", "{" TENSOR ("w", "F32", "[4]", "[0,16]") "}", 12, -1, "[0,16] reaches beyond|up to 12|truncated" },
  { "bytes of a shape", "{" TENSOR ("w", "BF16", "[2,3]", "[0,24]") "}", 24, -1,
    "has 24 bytes; allowed: 12|[2, 3] of BF16" },
  { "overlap", "{" TENSOR ("a", "F32", "[2]", "[0,8]") "," TENSOR ("b", "F32", "[2]", "[4,12]") "}", 12, -1,
    "tensor \"b\"|begins at 4 and overlaps a tensor that ends at 8" },
  { "hole", "{" TENSOR ("a", "F32", "[1]", "[0,4]") "," TENSOR ("b", "F32", "[1]", "[8,12]") "}", 12, -1,
    "tensor \"b\"|bytes from 4 on" },
  { "hole at the beginning", "{" TENSOR ("b", "F32", "[1]", "[8,12]") "}", 12, -1, "bytes from 0 on" },
  { "tail", "{" TENSOR ("a", "F32", "[1]", "[0,4]") "}", 9, -1, "ends at 4 of 9 bytes" },
  { "metadata", "{\"__metadata__\":{\"n\":1}}", 0, -1, "__metadata__|strings" },
  { "metadata is no object", "{\"__metadata__\":\"n\"}", 0, -1, "__metadata__|strings" },
};

static void
check_error (GBytes *bytes, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsSafetensors) file = open_bytes (bytes, &error);
  g_auto (GStrv) all = g_strsplit (words, "|", -1);

  g_assert_null (file);
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_true (g_str_has_prefix (error->message, NAME ": "));
  for (guint i = 0; all[i] != NULL; i++)
    if (strstr (error->message, all[i]) == NULL)
      g_error ("“%s” is not in “%s”", all[i], error->message);
}

static void
test_errors (void)
{
  const guint8 zeros[32] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GBytes) bytes = make_file (errors[i].header, zeros, errors[i].n, errors[i].size);

      g_test_message ("%s", errors[i].name);
      check_error (bytes, errors[i].words);
    }
}

/* A file that is cut anywhere is refused. */
static void
test_truncated (void)
{
  g_autoptr (GBytes) whole = make_file ("{" TENSOR ("a", "F32", "[2]", "[0,8]") "}", "12345678", 8, -1);

  for (gsize n = 0; n < g_bytes_get_size (whole); n++)
    {
      g_autoptr (GBytes) part = g_bytes_new_from_bytes (whole, 0, n);

      check_error (part, "");
    }
}

static void
test_pickles (void)
{
  g_autoptr (GBytes) zip = g_bytes_new_static ("PK\003\004archive/data.pkl", 20);
  g_autoptr (GBytes) pickle = g_bytes_new_static ("\200\002}q\000.", 6);

  check_error (zip, "pickles|save_file|weights_only=True");
  check_error (pickle, "pickles|save_file");
}

/* Headers of 0x280, 0x380, 0x480 and 0x580 bytes begin with the bytes of a pickle. */
static void
test_like_pickles (void)
{
  for (int protocol = 2; protocol <= 5; protocol++)
    {
      g_autofree char *header = g_strdup_printf ("%-*s", protocol * 256 + 128,
                                                 "{\"f\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}");
      g_autoptr (NsSafetensors) file = open_file (header, NULL, 0);

      g_assert_cmpuint (ns_safetensors_get_n (file), ==, 1);
    }
}

/* ---- files ---- */

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("normscope-safetensors-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, NAME, NULL);
  g_autoptr (GBytes) bytes = make_file ("{" TENSOR ("a", "F32", "[1]", "[0,4]") "}", "\0\0\200\77", 4, -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsSafetensors) file = NULL, missing = NULL;
  float value;

  missing = ns_safetensors_open (path, &error);
  g_assert_null (missing);
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (ns_safetensors_open (folder, &error));
  g_assert_nonnull (strstr (error->message, "folder"));
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL));
  file = ns_safetensors_open (path, &error);
  g_assert_no_error (error);
  ns_stored_tensor_read (ns_safetensors_find (file, "a"), 0, 1, &value, 1);
  g_assert_true (value == 1);
  g_unlink (path);
  g_rmdir (folder);
}

void
add_safetensors_tests (void)
{
  g_test_add_func ("/safetensors/numbers", test_numbers);
  g_test_add_func ("/safetensors/halves", test_halves);
  g_test_add_func ("/safetensors/shapes", test_shapes);
  g_test_add_func ("/safetensors/errors", test_errors);
  g_test_add_func ("/safetensors/truncated", test_truncated);
  g_test_add_func ("/safetensors/pickles", test_pickles);
  g_test_add_func ("/safetensors/like-pickles", test_like_pickles);
  g_test_add_func ("/safetensors/files", test_files);
}
