/* MIME type and icon of experiment files, installed to a data folder of the test.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* The types of the program's files. */
static const struct
{
  const char *type, *name, *text, *words, *icon;
} types[] = {
  { "application/x-normscope+json", "talk 3.normscope", "{\n  \"format\": \"normscope-experiment\",\n}\n",
    "Normscope experiment", "application-x-normscope+json" },
  { "application/x-normscope-lecture", "talk 3.normscope-lecture", "{\n  \"format\": \"normscope-lecture\",\n}\n",
    "Normscope lecture", "application-x-normscope-lecture" },
};

/* ---- installing ---- */

static void
copy_tree (GFile *from, GFile *to)
{
  g_autoptr (GFileEnumerator) children = NULL;
  GFileInfo *info;
  GFile *child;

  if (g_file_query_file_type (from, G_FILE_QUERY_INFO_NONE, NULL) != G_FILE_TYPE_DIRECTORY)
    {
      g_autoptr (GFile) folder = g_file_get_parent (to);

      g_file_make_directory_with_parents (folder, NULL, NULL);
      g_assert_true (g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
      return;
    }
  children = g_file_enumerate_children (from, "standard::name", G_FILE_QUERY_INFO_NONE, NULL, NULL);
  while (g_file_enumerator_iterate (children, &info, &child, NULL, NULL) && child != NULL)
    {
      g_autoptr (GFile) target = g_file_get_child (to, g_file_info_get_name (info));

      copy_tree (child, target);
    }
}

/* Install one group of Meson's install plan: "data" or "install_subdirs". */
static void
install_group (JsonObject *plan, const char *group, const char *data_folder)
{
  JsonObject *entries = json_object_get_object_member (plan, group);
  g_autoptr (GList) names = json_object_get_members (entries);

  for (GList *l = names; l != NULL; l = l->next)
    {
      const char *destination
          = json_object_get_string_member (json_object_get_object_member (entries, l->data), "destination");
      const char *place = strstr (destination, "/icons/hicolor");
      g_autoptr (GFile) from = g_file_new_for_path (l->data);
      g_autoptr (GFile) to = NULL;

      if (place == NULL)
        place = strstr (destination, "/mime/packages/");
      if (place == NULL)
        continue;
      to = g_file_new_build_filename (data_folder, place, NULL);
      copy_tree (from, to);
    }
}

static void
install (const char *data_folder)
{
  g_autofree char *path
      = g_test_build_filename (G_TEST_BUILT, "..", "meson-info", "intro-install_plan.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonObject *plan;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  plan = json_node_get_object (json_parser_get_root (parser));
  install_group (plan, "data", data_folder);
  install_group (plan, "install_subdirs", data_folder);
}

/* ---- tests ---- */

static char *database; /* path of update-mime-database, or NULL */

static void
check_type (gsize i)
{
  const guchar *text = (const guchar *) types[i].text;
  g_autofree char *by_name = g_content_type_guess (types[i].name, NULL, 0, NULL);
  g_autofree char *by_content = g_content_type_guess (NULL, text, strlen (types[i].text), NULL);
  g_autofree char *other = g_content_type_guess ("talk 3.json", (const guchar *) "{}", 2, NULL);
  g_autofree char *words = g_content_type_get_description (types[i].type);

  g_assert_cmpstr (by_name, ==, types[i].type);
  g_assert_cmpstr (by_content, ==, types[i].type);
  g_assert_cmpstr (other, !=, types[i].type);
  g_assert_true (g_content_type_is_a (types[i].type, "application/json"));
  g_assert_cmpstr (words, ==, types[i].words);
}

static void
test_type (void)
{
  if (database == NULL)
    {
      g_test_skip ("update-mime-database is not installed");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    check_type (i);
}

static guint
count_maps_of_database (void)
{
  g_autofree char *own = g_build_filename (g_get_user_data_dir (), "mime", "mime.cache", NULL);
  g_autofree char *maps = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  for (const char *at = maps; (at = strstr (at, own)) != NULL; at++)
    n++;
  return n;
}

/* A second copy is freed while threads of the file chooser may use it. */
static void
test_read_once (void)
{
  g_autofree char *words = NULL;

  if (database == NULL)
    {
      g_test_skip ("update-mime-database is not installed");
      return;
    }
  check_type (0);
  g_assert_cmpuint (count_maps_of_database (), ==, 1);
  words = g_content_type_get_description ("text/plain"); /* looks for the folders of types */
  check_type (0);
  g_assert_cmpuint (count_maps_of_database (), ==, 1);
}

/* Count the opaque pixels of the icon at a size. */
static guint
count_painted (GtkIconPaintable *icon, int size)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  gsize n = (gsize) size * (gsize) size;
  g_autofree guint32 *pixels = g_new0 (guint32, n);
  guint painted = 0;

  gdk_paintable_snapshot (GDK_PAINTABLE (icon), GDK_SNAPSHOT (snapshot), size, size);
  node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);
  g_assert_true (gsk_renderer_realize (renderer, NULL, NULL));
  texture = gsk_renderer_render_texture (renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) size, (float) size));
  gsk_renderer_unrealize (renderer);
  gdk_texture_download (texture, (guchar *) pixels, (gsize) size * sizeof *pixels);
  for (gsize i = 0; i < n; i++)
    painted += pixels[i] >> 24 > 127;
  return painted;
}

/* The type has its own icons, one in colour and a symbolic one. At every size they paint a plausible share of the
 * square: the coloured sheet most of it, the symbolic one less. */
static void
check_icon (gsize type, gboolean is_symbolic)
{
  g_autoptr (GIcon) icon = is_symbolic ? g_content_type_get_symbolic_icon (types[type].type)
                                       : g_content_type_get_icon (types[type].type);
  g_autofree char *search = g_build_filename (g_get_user_data_dir (), "icons", NULL);
  g_autofree char *wanted = g_strconcat (types[type].icon, is_symbolic ? "-symbolic.svg" : ".svg", NULL);
  g_autoptr (GtkIconTheme) theme = gtk_icon_theme_new ();
  static const int sizes[] = { 16, 24, 32, 48, 128, 256 };

  gtk_icon_theme_set_search_path (theme, (const char *[]){ search, NULL });
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GtkIconPaintable) found
          = gtk_icon_theme_lookup_by_gicon (theme, icon, sizes[i], 1, GTK_TEXT_DIR_LTR, 0);
      g_autoptr (GFile) file = gtk_icon_paintable_get_file (found);
      g_autofree char *name = file != NULL ? g_file_get_basename (file) : NULL;
      double share = count_painted (found, sizes[i]) / (double) (sizes[i] * sizes[i]);

      g_assert_cmpstr (name, ==, wanted);
      g_assert_cmpfloat (share, >, is_symbolic ? 0.2 : 0.5);
      g_assert_cmpfloat (share, <, is_symbolic ? 0.7 : 0.9);
    }
}

static void
test_icon (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    check_icon (i, FALSE);
}

static void
test_symbolic_icon (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    check_icon (i, TRUE);
}

static const char *
prepare (void)
{
  g_autofree char *mime = g_build_filename (g_get_user_data_dir (), "mime", NULL);

  install (g_get_user_data_dir ());
  database = g_find_program_in_path ("update-mime-database");
  if (database != NULL)
    {
      const char *command[] = { database, mime, NULL };
      int status;

      g_assert_true (g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                                   &status, NULL));
      g_assert_cmpint (status, ==, 0);
    }
  return NULL;
}

void
add_mime_tests (void)
{
  app_test_prepare (prepare);
  app_test_add_func ("/mime/read-once", test_read_once);
  app_test_add_func ("/mime/type", test_type);
  app_test_add_func ("/mime/icon", test_icon);
  app_test_add_func ("/mime/symbolic-icon", test_symbolic_icon);
}
