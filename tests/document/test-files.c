/* Atomic writing and limited reading of files; .npy, presets and suggestions.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-npy.h"
#include "document/ns-presets.h"
#include "document/ns-sibling.h"
#include "document/ns-suggest.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-validate.h"
#include "tests.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path; /* in the folder, does not exist yet */
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("normscope-files-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "file.json", NULL);
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (place->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (place->folder, name, NULL);

      if (g_remove (path) != 0)
        g_error ("%s: %s", path, g_strerror (errno));
    }
  g_rmdir (place->folder);
  g_free (place->folder);
  g_free (place->path);
}

static gboolean
write_text (const char *path, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return ns_file_write (path, bytes, error);
}

static void
assert_contents (const char *path, const char *text)
{
  g_autofree char *contents = NULL;

  g_assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, text);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
test_write (Place *place, gconstpointer data)
{
  GStatBuf info;

  g_assert_true (write_text (place->path, "old", NULL));
  assert_contents (place->path, "old");
  g_assert_cmpint (g_chmod (place->path, 0640), ==, 0);
  g_assert_true (write_text (place->path, "new and longer", NULL));
  assert_contents (place->path, "new and longer");
  g_assert_cmpint (g_stat (place->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0640);
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

static void
test_write_through_link (Place *place, gconstpointer data)
{
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);

  g_assert_true (write_text (place->path, "old", NULL));
  g_assert_cmpint (symlink ("file.json", link), ==, 0);
  g_assert_true (write_text (link, "new", NULL));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  assert_contents (place->path, "new");
}

static void
assert_refused (const char *path, const char *cause)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (write_text (path, "text", &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, cause) == NULL)
    g_error ("“%s” is not in: %s", cause, error->message);
}

static void
test_write_refused (Place *place, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (place->folder, "missing", "file", NULL);
  g_autofree char *through_file = g_build_filename (place->path, "file", NULL);

  g_assert_true (write_text (place->path, "old", NULL));
  assert_refused (missing, "No such file or directory");
  assert_refused (through_file, "Not a directory");
  assert_refused (place->folder, "Is a directory");
  assert_refused ("", "the file name is empty");
  if (g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    assert_refused ("/dev/full", "No space left on device");
  assert_contents (place->path, "old");
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

/* A limit on file sizes stops a write half-way, like a full disk. */
static void
test_write_stops_half_way (Place *place, gconstpointer data)
{
  struct rlimit limit, small;
  g_autofree char *text = g_strnfill (100000, 'x');
  g_autoptr (GError) error = NULL;
  gboolean written;

  g_assert_true (write_text (place->path, "old", NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  signal (SIGXFSZ, SIG_IGN);
  small = (struct rlimit) { 50000, limit.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  written = write_text (place->path, text, &error);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);

  g_assert_false (written);
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
  g_assert_nonnull (strstr (error->message, g_strerror (EFBIG)));
  assert_contents (place->path, "old");
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

/* ---- reading ---- */

static char *
read_text (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return ns_file_read_text (file, NULL, error);
}

/* A remote file has no path to write to. */
static void
test_path (Place *place, gconstpointer data)
{
  g_autoptr (GFile) local = g_file_new_for_path (place->path);
  g_autoptr (GFile) remote = g_file_new_for_uri ("sftp://example.org/a.normscope");
  g_autoptr (GError) error = NULL;
  g_autofree char *path = ns_file_dup_path (local, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, place->path);
  g_assert_null (ns_file_dup_path (remote, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
  g_assert_nonnull (strstr (error->message, "sftp://example.org/a.normscope cannot be written: it is not a local"));
}

static void
assert_unreadable (const char *path, const char *cause)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (read_text (path, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, cause) == NULL)
    g_error ("“%s” is not in: %s", cause, error->message);
}

static void
test_read (Place *place, gconstpointer data)
{
  g_autofree char *text = NULL;

  assert_unreadable (place->path, "No such file or directory");
  assert_unreadable (place->folder, "folder");
  assert_unreadable ("/dev/zero", "device");
  g_assert_true (g_file_set_contents (place->path, "", 0, NULL));
  assert_unreadable (place->path, "empty");
  g_assert_true (g_file_set_contents (place->path, "\xef\xbb\xbf", 3, NULL));
  assert_unreadable (place->path, "empty");
  g_assert_true (g_file_set_contents (place->path, "ab\0c", 4, NULL));
  assert_unreadable (place->path, "byte 3 is 0x00");
  g_assert_true (g_file_set_contents (place->path, "ab\xff", 3, NULL));
  assert_unreadable (place->path, "byte 3 is 0xff");
  g_assert_true (g_file_set_contents (place->path, "\xef\xbb\xbfGrüße\n", -1, NULL));
  text = read_text (place->path, NULL);
  g_assert_cmpstr (text, ==, "Grüße\n");
}

static void
test_experiment_files (Place *place, gconstpointer data)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (NsExperiment) read = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (ns_experiment_save (experiment, place->path, &error));
  g_assert_no_error (error);
  read = ns_experiment_from_path (place->path, &error);
  g_assert_no_error (error);
  g_assert_true (ns_experiment_equal (read, experiment));
  g_assert_null (ns_experiment_from_path (place->folder, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
}

/* ---- .npy ---- */

static void
test_npy (Place *place, gconstpointer data)
{
  const gint64 dims[] = { 2, 1, 3 };
  const float values[] = { 1, -2, 0.5f, INFINITY, 3e-45f, 7 };
  const guint8 first[] = { 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0 };
  const gint32 ids[] = { 1, 256, -1, 70000, 5, 6 };
  const guint8 first_ids[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff };
  g_autofree char *contents = NULL;
  g_autofree char *id_contents = NULL;
  gsize length, header;

  g_assert_true (ns_npy_write (place->path, 3, dims, values, NULL, NULL));
  g_assert_true (g_file_get_contents (place->path, &contents, &length, NULL));
  g_assert_cmpmem (contents, 8, "\x93NUMPY\x01\x00", 8);
  header = 10 + (guint8) contents[8] + 256u * (guint8) contents[9];
  g_assert_cmpuint (header % 64, ==, 0);
  g_assert_cmpint (contents[header - 1], ==, '\n');
  g_assert_true (g_str_has_prefix (contents + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3), }"));
  g_assert_cmpuint (length, ==, header + sizeof values);
  g_assert_cmpmem (contents + header, sizeof first, first, sizeof first);

  g_assert_true (ns_npy_write (place->path, 2, (const gint64[]) { 2, 3 }, NULL, ids, NULL));
  g_assert_true (g_file_get_contents (place->path, &id_contents, &length, NULL));
  g_assert_true (g_str_has_prefix (id_contents + 10, "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"));
  g_assert_cmpmem (id_contents + length - sizeof ids, sizeof first_ids, first_ids, sizeof first_ids);
}

/* Return the header's text after magic, version and length. */
static char *
dup_dict (guint n_dims, const gint64 *dims)
{
  g_autoptr (GBytes) header = ns_npy_header ("<f4", n_dims, dims);

  return g_strndup ((const char *) g_bytes_get_data (header, NULL) + 10, g_bytes_get_size (header) - 10);
}

static void
test_npy_header (void)
{
  /* One dimension gives a tuple of one, no dimension the empty tuple; the size is always a multiple of 64. */
  g_autofree char *vector = dup_dict (1, (const gint64[]) { 7 });
  g_autofree char *scalar = dup_dict (0, NULL);

  g_assert_nonnull (strstr (vector, "'shape': (7,), }"));
  g_assert_nonnull (strstr (scalar, "'shape': (), }"));
  for (gint64 n = 1; n < G_GINT64_CONSTANT (1000000000000000); n *= 10)
    {
      g_autoptr (GBytes) header = ns_npy_header ("<f4", 3, (const gint64[]) { n, n, n });

      g_assert_cmpuint (g_bytes_get_size (header) % 64, ==, 0);
    }
}

static void
test_npy_refused (Place *place, gconstpointer data)
{
  const gint64 dims[] = { 1 };
  const float value = 1;
  g_autoptr (GError) error = NULL;

  g_assert_false (ns_npy_write (place->folder, 1, dims, &value, NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
  g_clear_error (&error);
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    return;
  g_assert_false (ns_npy_write ("/dev/full", 1, dims, &value, NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
}

/* ---- numbers, suggestions, presets ---- */

static void
test_decimal (void)
{
  static const struct
  {
    double value;
    const char *text;
  } cases[] = { { 0.1, "0.1" }, { 1e-5, "1e-05" }, { 24, "24" }, { 1.0 / 3, "0.3333333333333333" },
                { 5e-324, "4.94065645841247e-324" }, { -0.5, "-0.5" }, { NAN, "nan" }, { INFINITY, "inf" },
                { -INFINITY, "-inf" } };
  char buffer[NS_NUMBER_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (ns_format_number (buffer, cases[i].value), ==, cases[i].text);
  for (int i = 0; i < 20000; i++)
    {
      double value = g_test_rand_double_range (-1, 1) * pow (10, g_test_rand_int_range (-300, 300));

      g_assert_cmpfloat (g_ascii_strtod (ns_format_number (buffer, value), NULL), ==, value);
    }
}

static void
test_suggest (void)
{
  const char *const names[] = { "depth", "d_model", "heads", "seq_len", NULL };
  g_autofree char *text = ns_suggest_dup_text ("dpeth", names);

  g_assert_cmpstr (ns_suggest ("dept", names), ==, "depth");
  g_assert_cmpstr (ns_suggest ("Depth", names), ==, "depth");
  g_assert_cmpstr (ns_suggest ("seqlen", names), ==, "seq_len");
  g_assert_null (ns_suggest ("xyzzy", names));
  g_assert_null (ns_suggest ("", names));
  g_assert_cmpstr (text, ==, "Did you mean “depth”? Allowed: depth, d_model, heads, seq_len");
}

static void
test_presets (void)
{
  static const char *const wanted[] = { "default", "xiong-theory", "gpt2-small", "transformer-base-encoder", "tiny" };
  gsize n;
  const NsPreset *presets = ns_presets (&n);
  g_autoptr (NsExperiment) defaults = ns_experiment_new ();
  g_autoptr (NsExperiment) first = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      gboolean found = FALSE;

      for (gsize k = 0; k < n; k++)
        found = found || strcmp (presets[k].id, wanted[i]) == 0;
      g_assert_true (found);
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (NsExperiment) experiment = ns_preset_load (presets[i].id, &error);

      g_assert_no_error (error);
      g_assert_true (ns_experiment_validate (experiment, &error));
      g_assert_cmpuint (strlen (presets[i].title), >, 0);
      g_assert_cmpuint (strlen (presets[i].description), >, 0);
      g_assert_cmpuint (experiment->variants->len, >=, 1);
      g_assert_cmpuint (strlen (presets[i].group), >, 0);
    }
  first = ns_preset_load ("default", NULL);
  g_assert_true (ns_experiment_equal (first, defaults));

  g_assert_null (ns_preset_load ("tinny", &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "“tiny”"));
  g_assert_nonnull (strstr (error->message, "gpt2-small"));
}

/* The preset has the theorem's assumptions: Xiong et al. 2020, section 3.3. */
static void
test_theory_preset (void)
{
  g_autoptr (NsExperiment) experiment = ns_preset_load ("xiong-theory", NULL);

  g_assert_cmpint (experiment->shape.heads, ==, 1);
  g_assert_cmpint (experiment->shape.d_ff, ==, experiment->shape.d_model);
  g_assert_cmpint (experiment->data.source, ==, NS_SOURCE_GAUSSIAN);
  g_assert_cmpint (ns_experiment_variant (experiment, 0)->attn.norm, ==, NS_PLACE_PRE);
  g_assert_cmpint (ns_experiment_variant (experiment, 1)->ffn.norm, ==, NS_PLACE_POST);
  for (guint v = 0; v < 2; v++)
    {
      const NsVariant *variant = ns_experiment_variant (experiment, v);

      g_assert_cmpint (variant->attention, ==, NS_ATTENTION_UNIFORM);
      g_assert_false (variant->attention_output);
      g_assert_cmpint (variant->activation, ==, NS_ACT_RELU);
      g_assert_cmpint (variant->init.scheme, ==, NS_INIT_XAVIER_NORMAL);
      g_assert_cmpfloat (variant->norm_eps, ==, 0);
    }
}

/* ---- what killed writers leave ---- */

static char *
put (const Place *place, const char *name)
{
  char *path = g_build_filename (place->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  return path;
}

static void
test_abandoned (Place *place, gconstpointer data)
{
  g_autofree char *abandoned = put (place, ".file.json.normscope-0a1b2c");
  g_autofree char *other = put (place, ".file.json.backup");
  g_autofree char *longer = put (place, ".file.json.normscope-0a1b2cd");
  g_autofree char *locked = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *inside = NULL;
  NsSibling locked_sibling, folder_sibling;

  g_assert_true (ns_sibling_create (place->path, NS_SIBLING_FILE, 0600, &locked_sibling));
  g_assert_true (ns_sibling_create (place->path, NS_SIBLING_FOLDER, 0700, &folder_sibling));
  locked = g_strdup (locked_sibling.path);
  folder = g_strdup (folder_sibling.path);
  inside = g_build_filename (folder, "inside", NULL);
  g_assert_true (g_file_set_contents (inside, "x", 1, NULL));
  g_assert_true (write_text (place->path, "new", NULL));
  g_assert_false (g_file_test (abandoned, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (longer, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (locked, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (inside, G_FILE_TEST_EXISTS));

  ns_sibling_end (&locked_sibling);
  ns_sibling_end (&folder_sibling);
  g_assert_true (write_text (place->path, "newer", NULL));
  g_assert_false (g_file_test (locked, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

/* A program that ends by choice removes what it has not finished, but neither what is finished nor what is kept. */
static void
test_unfinished (Place *place, gconstpointer data)
{
  g_autofree char *inside = NULL;
  NsSibling file, folder, kept;
  pid_t writer;
  int status = 1;

  g_assert_true (ns_sibling_create (place->path, NS_SIBLING_FILE, 0600, &file));
  g_assert_true (ns_sibling_create (place->path, NS_SIBLING_FOLDER, 0700, &folder));
  g_assert_true (ns_sibling_create (place->path, NS_SIBLING_FILE, 0600, &kept));
  inside = g_build_filename (folder.path, "inside", NULL);
  g_assert_true (g_file_set_contents (inside, "x", 1, NULL));
  g_assert_true (write_text (place->path, "whole", NULL));
  ns_sibling_keep (&kept);
  if ((writer = fork ()) == 0)
    {
      ns_sibling_remove_unfinished ();
      _exit (0);
    }
  g_assert_cmpint (waitpid (writer, &status, 0), ==, writer);
  g_assert_cmpint (status, ==, 0);
  g_assert_false (g_file_test (file.path, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (folder.path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (kept.path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (place->path, G_FILE_TEST_EXISTS));
  g_unlink (kept.path);
  ns_sibling_end (&file);
  ns_sibling_end (&folder);
  ns_sibling_end (&kept);
}

/* Writers of one file do not remove each other's unfinished files. */
static void
test_concurrent_writers (Place *place, gconstpointer data)
{
  pid_t writers[4];
  g_autofree char *text = NULL;
  g_autoptr (GDir) dir = NULL;

  for (int w = 0; w < (int) G_N_ELEMENTS (writers); w++)
    if ((writers[w] = fork ()) == 0)
      {
        int failed = 0;

        for (int i = 0; i < 100; i++)
          {
            g_autoptr (GError) error = NULL;

            if (write_text (place->path, "whole", &error))
              continue;
            failed++;
            g_printerr ("# writer %d, write %d: %s\n", w, i, error->message);
          }
        _exit (failed != 0);
      }
  for (int w = 0; w < (int) G_N_ELEMENTS (writers); w++)
    {
      int status = 1;

      g_assert_cmpint (waitpid (writers[w], &status, 0), ==, writers[w]);
      g_assert_cmpint (status, ==, 0);
    }
  g_assert_true (g_file_get_contents (place->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "whole");
  dir = g_dir_open (place->folder, 0, NULL);
  g_assert_cmpstr (g_dir_read_name (dir), ==, "file.json");
  g_assert_null (g_dir_read_name (dir));
}

#define ADD(path_, func_) g_test_add (path_, Place, NULL, set_up, func_, tear_down)

void
add_files_tests (void)
{
  ADD ("/files/write", test_write);
  ADD ("/files/write-through-link", test_write_through_link);
  ADD ("/files/write-refused", test_write_refused);
  ADD ("/files/write-stops-half-way", test_write_stops_half_way);
  ADD ("/files/path", test_path);
  ADD ("/files/read", test_read);
  ADD ("/files/experiment", test_experiment_files);
  ADD ("/files/npy", test_npy);
  ADD ("/files/npy-refused", test_npy_refused);
  ADD ("/files/abandoned", test_abandoned);
  ADD ("/files/unfinished", test_unfinished);
  ADD ("/files/concurrent-writers", test_concurrent_writers);
  g_test_add_func ("/files/npy-header", test_npy_header);
  g_test_add_func ("/files/decimal", test_decimal);
  g_test_add_func ("/files/suggest", test_suggest);
  g_test_add_func ("/files/presets", test_presets);
  g_test_add_func ("/files/theory-preset", test_theory_preset);
}
