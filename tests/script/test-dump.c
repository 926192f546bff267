/* Dumps are complete or absent, and overwrite only dumps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-experiment.h"
#include "script/ns-dump.h"
#include "tests.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path; /* in the folder, does not exist yet */
  NsEngine *engine;
  NsExperiment *experiment;
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("normscope-dump-XXXXXX", NULL);
  place->path = g_build_filename (place->folder, "dump", NULL);
  place->engine = ns_engine_new (1, 0);
  place->experiment = ns_experiment_new ();
  place->experiment->shape.depth = 2;
  place->experiment->shape.d_model = 8;
  place->experiment->shape.heads = 2;
  place->experiment->shape.d_ff = 16;
  place->experiment->shape.seq_len = 4;
  place->experiment->shape.vocab = 11;
  place->experiment->sampling.seed = 5;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

static void
tear_down (Place *place, gconstpointer data)
{
  remove_tree (place->folder);
  g_free (place->folder);
  g_free (place->path);
  ns_engine_free (place->engine);
  ns_experiment_free (place->experiment);
}

static gboolean
has (const Place *place, const char *name)
{
  g_autofree char *path = g_build_filename (place->path, name, NULL);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static gsize
size_of (const Place *place, const char *name)
{
  g_autofree char *path = g_build_filename (place->path, name, NULL);
  GStatBuf info;

  g_assert_cmpint (g_stat (path, &info), ==, 0);
  return (gsize) info.st_size;
}

static void
test_contents (Place *place, gconstpointer data)
{
  static const char *const names[] = { "experiment.json", "result.json",      "x0.npy",           "targets.npy",
                                       "block001/w_q.npy", "block001/w_k.npy", "block001/w_v.npy", "block001/w_o.npy",
                                       "block002/w_1.npy", "block002/w_2.npy", "head/w_head.npy" };
  g_autofree char *experiment_path = g_build_filename (place->path, "experiment.json", NULL);
  g_autofree char *result_path = g_build_filename (place->path, "result.json", NULL);
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (JsonNode) layers = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (ns_dump_write (place->engine, place->experiment, 1, place->path, NULL, &error));
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (!has (place, names[i]))
      g_error ("%s is missing", names[i]);
  g_assert_false (has (place, "upstream.npy"));
  g_assert_false (has (place, "block001/w_3.npy"));
  g_assert_cmpuint (size_of (place, "x0.npy"), ==, 128 + 4 * 2 * 4 * 8);
  g_assert_cmpuint (size_of (place, "targets.npy"), ==, 128 + 4 * 2 * 4);
  g_assert_cmpuint (size_of (place, "head/w_head.npy"), ==, 128 + 4 * 8 * 11);

  experiment = ns_experiment_from_path (experiment_path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (experiment->variants->len, ==, 1);
  g_assert_cmpstr (ns_experiment_variant (experiment, 0)->name, ==, "Post-LN");
  g_assert_cmpint (experiment->sampling.seed, ==, 5);
  g_assert_cmpint (experiment->sampling.seeds, ==, 1);

  g_assert_true (json_parser_load_from_file (parser, result_path, &error));
  layers = json_path_query ("$.variants[0].layers[*]", json_parser_get_root (parser), NULL);
  g_assert_cmpuint (json_array_get_length (json_node_get_array (layers)), ==, 2);
  g_assert_cmpuint (count_entries (place->folder), ==, 1);
}

static void
test_unit_gradient (Place *place, gconstpointer data)
{
  place->experiment->loss = NS_LOSS_UNIT_GRADIENT;
  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, NULL));
  g_assert_true (has (place, "upstream.npy"));
  g_assert_false (has (place, "head/w_head.npy"));
}

/* Replacing a dump of three blocks by one of two removes the third block's weights. */
static void
test_replaces_dump (Place *place, gconstpointer data)
{
  place->experiment->shape.depth = 3;
  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, NULL));
  g_assert_true (has (place, "block003/w_1.npy"));
  place->experiment->shape.depth = 2;
  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, NULL));
  g_assert_true (has (place, "block002/w_1.npy"));
  g_assert_false (has (place, "block003/w_1.npy"));
  g_assert_cmpuint (count_entries (place->folder), ==, 1);
}

static void
test_replaces_empty_folder (Place *place, gconstpointer data)
{
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);
  g_autofree char *with_slash = g_strconcat (link, "/", NULL);

  g_assert_cmpint (g_mkdir (place->path, 0777), ==, 0);
  g_assert_cmpint (symlink ("dump", link), ==, 0);
  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, with_slash, NULL, NULL));
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (has (place, "x0.npy"));
}

static void
assert_refused (Place *place, const char *path, const char *cause)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) early = NULL;

  g_assert_false (ns_dump_write (place->engine, place->experiment, 0, path, NULL, &error));
  g_assert_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_OUTPUT);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, cause));
  g_assert_false (ns_dump_check_directory (path, &early));
  g_assert_cmpstr (early->message, ==, error->message);
}

static void
test_refuses_other_folders (Place *place, gconstpointer data)
{
  g_autofree char *note = g_build_filename (place->path, "note.txt", NULL);
  g_autofree char *deep_note = g_build_filename (place->path, "block001", "note.txt", NULL);
  g_autofree char *missing = g_build_filename (place->folder, "missing", "dump", NULL);

  g_assert_cmpint (g_mkdir (place->path, 0777), ==, 0);
  g_assert_true (g_file_set_contents (note, "mine", -1, NULL));
  assert_refused (place, place->path, "not part of a dump");
  assert_refused (place, note, "Not a directory");
  assert_refused (place, missing, "No such file or directory");
  assert_refused (place, "", "the folder name is empty");
  g_assert_cmpint (g_unlink (note), ==, 0);

  /* Refuse a dump to which the user has added a file. */
  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, NULL));
  g_assert_true (g_file_set_contents (deep_note, "mine", -1, NULL));
  assert_refused (place, place->path, "not part of a dump");
  g_assert_true (g_file_test (deep_note, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpuint (count_entries (place->folder), ==, 1);
}

/* A symbolic link is not part of a dump, whatever its name. */
static void
test_refuses_links (Place *place, gconstpointer data)
{
  g_autofree char *target = g_build_filename (place->folder, "target", NULL);
  g_autofree char *file = g_build_filename (target, "w_q.npy", NULL);
  g_autofree char *link = g_build_filename (place->path, "block009", NULL);

  g_assert_true (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, NULL));
  g_assert_cmpint (g_mkdir (target, 0777), ==, 0);
  g_assert_true (g_file_set_contents (file, "mine", -1, NULL));
  g_assert_cmpint (symlink ("../target", link), ==, 0);
  assert_refused (place, place->path, "not part of a dump");
  g_assert_true (g_file_test (file, G_FILE_TEST_IS_REGULAR));
  g_assert_cmpint (g_unlink (link), ==, 0);
}

static void
test_cancelled (Place *place, gconstpointer data)
{
  g_autoptr (NsProgress) progress = ns_progress_new ();
  g_autoptr (GError) error = NULL;

  ns_progress_cancel (progress);
  g_assert_false (ns_dump_write (place->engine, place->experiment, 0, place->path, progress, &error));
  g_assert_error (error, NS_ENGINE_ERROR, NS_ENGINE_ERROR_CANCELLED);
  g_assert_cmpuint (count_entries (place->folder), ==, 0);
}

static void
test_impossible (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  place->experiment->shape.heads = 3;
  g_assert_false (ns_dump_write (place->engine, place->experiment, 0, place->path, NULL, &error));
  g_assert_error (error, NS_EXPERIMENT_ERROR, NS_EXPERIMENT_ERROR_VALUE);
  g_assert_cmpuint (count_entries (place->folder), ==, 0);
}

#define ADD(path_, func_) g_test_add (path_, Place, NULL, set_up, func_, tear_down)

void
add_dump_tests (void)
{
  ADD ("/dump/contents", test_contents);
  ADD ("/dump/unit-gradient", test_unit_gradient);
  ADD ("/dump/replaces-dump", test_replaces_dump);
  ADD ("/dump/replaces-empty-folder", test_replaces_empty_folder);
  ADD ("/dump/refuses-other-folders", test_refuses_other_folders);
  ADD ("/dump/refuses-links", test_refuses_links);
  ADD ("/dump/cancelled", test_cancelled);
  ADD ("/dump/impossible", test_impossible);
}
