/* The user's folder of presets: valid presets and every kind of broken file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-file.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make the folder, which belongs to this test program. */
static char *
make_folder (void)
{
  char *folder = ns_presets_dup_folder ();

  g_assert_true (g_str_has_prefix (folder, g_getenv ("XDG_DATA_HOME")));
  g_assert_true (g_str_has_prefix (folder, g_get_tmp_dir ()));
  g_mkdir_with_parents (folder, 0700);
  return folder;
}

static void
put (const char *name, const char *content)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, content, -1, NULL));
}

static gboolean
has_problem (const char *file, const char *what)
{
  for (const char *const *problem = ns_presets_get_problems (); *problem != NULL; problem++)
    if (strstr (*problem, file) != NULL && strstr (*problem, what) != NULL)
      return TRUE;
  return FALSE;
}

static void
remove_all (void)
{
  ns_file_remove_tree (g_getenv ("XDG_DATA_HOME"));
  ns_presets_reload ();
}

#define MINE "{\"format\": \"normscope-experiment\", \"version\": 1, \"shape\": {\"depth\": 3}}"

static void
test_users (void)
{
  gsize n_before, n;
  const NsPreset *before = ns_presets (&n_before), *mine;
  const char *first = before[0].id;
  g_autoptr (NsExperiment) experiment = NULL;

  put ("mine.normscope", MINE);
  put ("another.normscope", MINE);
  put ("presets.ini", "[mine]\nTitle=My model\nTitle[de]=Mein Modell\nGroup=Decoder models\nVariant=post\n"
                      "NotConfirmed=shape.heads;norm_eps\nSource=me\nNotes=None.\n");
  ns_presets_reload ();
  g_assert_cmpuint (g_strv_length ((char **) ns_presets_get_problems ()), ==, 0);
  ns_presets (&n);
  g_assert_cmpuint (n, ==, n_before + 2);

  mine = ns_preset_find ("mine");
  g_assert_cmpstr (mine->title, ==, "My model");
  g_assert_cmpstr (mine->variant->id, ==, "post");
  g_assert_cmpstr (ns_param_get_path (mine->not_confirmed[1]), ==, "norm_eps");
  g_assert_null (mine->not_confirmed[2]);
  g_assert_cmpstr (mine[-1].group, ==, "Decoder models");
  g_assert_cmpstr (ns_preset_find ("another")->title, ==, "another");
  g_assert_null (ns_preset_find ("another")->variant);
  g_assert_null (ns_preset_find ("gpt2-small")->path);
  experiment = ns_preset_load ("mine", NULL);
  g_assert_cmpint (experiment->shape.depth, ==, 3);

  /* Data returned before a reload stays valid. */
  remove_all ();
  g_assert_cmpstr (before[0].id, ==, first);
  g_assert_cmpstr (mine->title, ==, "My model");
  g_assert_null (ns_preset_find ("mine"));
  ns_presets (&n);
  g_assert_cmpuint (n, ==, n_before);
}

/* Broken presets are reported and skipped; the valid one is loaded. */
static void
test_broken (void)
{
  gsize n_before, n;
  g_autoptr (GError) error = NULL;

  ns_presets (&n_before);
  put ("good.normscope", MINE);
  put ("newer.normscope", "{\"format\": \"normscope-experiment\", \"version\": 99, \"shape\": {\"depth\": 3}}");
  put ("broken.normscope", "{\"format\": ");
  put ("empty.normscope", "");
  put ("typo.normscope", "{\"format\": \"normscope-experiment\", \"shape\": {\"dpeth\": 3}}");
  put ("impossible.normscope", "{\"format\": \"normscope-experiment\", \"shape\": {\"d_model\": 10, \"heads\": 3}}");
  put ("gpt2-small.normscope", MINE);
  put (".normscope", MINE);
  put ("notes.txt", "not a preset");
  ns_presets_reload ();
  ns_presets (&n);
  g_assert_cmpuint (n, ==, n_before + 1);
  g_assert_cmpuint (g_strv_length ((char **) ns_presets_get_problems ()), ==, 7);
  g_assert_true (has_problem ("newer.normscope", "newer Normscope"));
  g_assert_true (has_problem ("broken.normscope", "1"));
  g_assert_true (has_problem ("empty.normscope", ""));
  g_assert_true (has_problem ("typo.normscope", "“depth”"));
  g_assert_true (has_problem ("impossible.normscope", "shape.heads"));
  g_assert_true (has_problem ("gpt2-small.normscope", "built-in preset"));
  g_assert_true (has_problem ("/.normscope", "name"));
  g_assert_null (ns_preset_find ("gpt2-small")->path);

  /* The file breaks after it was listed. */
  put ("good.normscope", "[]");
  g_assert_null (ns_preset_load ("good", &error));
  g_assert_nonnull (strstr (error->message, "good.normscope"));
  remove_all ();
}

/* Pipes, folders and dangling links are refused without blocking. */
static void
test_kinds (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *pipe = g_build_filename (folder, "pipe.normscope", NULL);
  g_autofree char *sub = g_build_filename (folder, "folder.normscope", NULL);
  g_autofree char *link = g_build_filename (folder, "link.normscope", NULL);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (g_mkdir (sub, 0700), ==, 0);
  g_assert_cmpint (symlink ("missing", link), ==, 0);
  ns_presets_reload ();
  g_assert_cmpuint (g_strv_length ((char **) ns_presets_get_problems ()), ==, 3);
  g_assert_true (has_problem ("pipe.normscope", "pipe"));
  g_assert_true (has_problem ("folder.normscope", ""));
  g_assert_true (has_problem ("link.normscope", ""));
  remove_all ();
}

static void
test_broken_index (void)
{
  static const struct
  {
    const char *index, *message;
  } rows[] = {
    { "[good]\nTitel=x\n", "“Title”" },
    { "[good]\nVariant=preln\n", "pre, post" },
    { "[good]\nNotConfirmed=shape.head\n", "shape.head" },
    { "[gone]\nTitle=x\n", "gone.normscope" },
    { "[good]\nTitle=x\nTitle=y\n", "duplicate" },
    { "\xff\xfe", "" },
    { "# mine\n[good]\nTitle=x\n\n[broken\n", "line 5: “[broken” is not allowed" },
    { "[good]\nTitle\n", "line 2: “Title” is not allowed" },
    { "Title=x\n[good]\n", "line 1: “Title=x” is not allowed" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      put ("good.normscope", MINE);
      put ("presets.ini", rows[i].index);
      ns_presets_reload ();
      g_test_message ("%s", ns_presets_get_problems ()[0]);
      g_assert_cmpuint (g_strv_length ((char **) ns_presets_get_problems ()), ==, 1);
      g_assert_true (has_problem ("presets.ini", rows[i].message));
      g_assert_cmpstr (ns_preset_find ("good")->title, ==, "good");
      remove_all ();
    }
}

void
add_user_presets_tests (void)
{
  g_test_add_func ("/user-presets/listed", test_users);
  g_test_add_func ("/user-presets/broken", test_broken);
  g_test_add_func ("/user-presets/kinds", test_kinds);
  g_test_add_func ("/user-presets/broken-index", test_broken_index);
}
