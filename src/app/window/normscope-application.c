/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "config.h"

#include "app/window/normscope-application.h"

#include <glib/gi18n-lib.h>
#include <locale.h>

#include "app/shared/normscope-tooltips.h"
#include "app/window/normscope-recent.h"
#include "app/window/normscope-window.h"
#include "document/ns-presets.h"
#include "document/ns-version.h"
#include "engine/run/ns-engine.h"
#include "lecture/ns-lectures.h"

struct _NormscopeApplication
{
  AdwApplication parent_instance;
  GQueue files; /* GFile, owned: to be opened */
  guint open_source;
};

G_DEFINE_FINAL_TYPE (NormscopeApplication, normscope_application, ADW_TYPE_APPLICATION)

void
normscope_init_locale (void)
{
  const char *dir = g_getenv ("NORMSCOPE_LOCALEDIR");

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, dir != NULL ? dir : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

char *
normscope_dup_troubleshooting (void)
{
  GString *text = g_string_new (NULL);
  const char *forced = ns_blas_get_forced_core ();
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  GdkDisplay *display = gdk_display_get_default ();

  g_string_append_printf (text, "Normscope %s\n", ns_version_get ());
  g_string_append_printf (text, "GTK %u.%u.%u (built with %d.%d.%d)\n", gtk_get_major_version (),
                          gtk_get_minor_version (), gtk_get_micro_version (), GTK_MAJOR_VERSION, GTK_MINOR_VERSION,
                          GTK_MICRO_VERSION);
  g_string_append_printf (text, "libadwaita %u.%u.%u (built with %s)\n", adw_get_major_version (),
                          adw_get_minor_version (), adw_get_micro_version (), ADW_VERSION_S);
  g_string_append_printf (text, "GLib %u.%u.%u (built with %d.%d.%d)\n", glib_major_version, glib_minor_version,
                          glib_micro_version, GLIB_MAJOR_VERSION, GLIB_MINOR_VERSION, GLIB_MICRO_VERSION);
  g_string_append_printf (text, "Cairo %s (built with %s)\n", cairo_version_string (), CAIRO_VERSION_STRING);
  g_string_append_printf (text, "Pango %s\n", pango_version_string ());
  g_string_append_printf (text, "%s\n", ns_blas_get_config ());
  g_string_append_printf (text, "OpenBLAS core in use: %s\n", ns_blas_get_core ());
  g_string_append_printf (text, "OPENBLAS_CORETYPE: %s\n", forced != NULL ? forced : "not set");
  g_string_append_printf (text, "Processors: %u\n", g_get_num_processors ());
  g_string_append_printf (text, "Memory: %.1f GiB\n", (double) ns_machine_memory () / (1024.0 * 1024.0 * 1024.0));
  g_string_append_printf (text, "System: %s\n", os != NULL ? os : "unknown");
  g_string_append_printf (text, "Display: %s\n", display != NULL ? G_OBJECT_TYPE_NAME (display) : "none");
  g_string_append_printf (text, "GSK_RENDERER: %s\n",
                          g_getenv ("GSK_RENDERER") != NULL ? g_getenv ("GSK_RENDERER") : "not set");
  g_string_append_printf (text, "Language: %s\n", setlocale (LC_MESSAGES, NULL));
  return g_string_free (text, FALSE);
}

/* ---- actions ---- */

/* A link in the About window that opens the self-check. */
#define VERIFY_LINK "normscope:verify"

static gboolean
activate_link_cb (AdwAboutWindow *about, const char *uri, GtkWindow *window)
{
  if (!g_str_equal (uri, VERIFY_LINK))
    return FALSE;
  gtk_window_close (GTK_WINDOW (about));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.verify", NULL);
  return TRUE;
}

static void
about_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  static const char *developers[] = { "The Normscope developers", NULL };
  NormscopeApplication *self = data;
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));
  g_autofree char *report = normscope_dup_troubleshooting ();
  AdwAboutWindow *about =
      g_object_new (ADW_TYPE_ABOUT_WINDOW, "transient-for", window, "application-name", PACKAGE_NAME,
                    "application-icon", APPLICATION_ID, "version", ns_version_get (), "comments",
                    _ ("Gradient norms and activation magnitudes of real transformers at "
                       "initialization, block by block"),
                    "developers", developers, "developer-name", "The Normscope developers", "copyright",
                    "© 2026 The Normscope developers", "license-type", GTK_LICENSE_GPL_3_0,
                    /* Translators: your names, one per line */
                    "translator-credits", _ ("translator-credits"), "debug-info", report, "debug-info-filename",
                    "normscope-troubleshooting.txt", NULL);

  adw_about_window_add_link (about, _ ("_Verify This Experiment"), VERIFY_LINK);
  g_signal_connect_object (about, "activate-link", G_CALLBACK (activate_link_cb), window, 0);
  gtk_window_present (GTK_WINDOW (about));
}

static void
drop_files (NormscopeApplication *self)
{
  g_queue_clear_full (&self->files, g_object_unref);
  g_clear_handle_id (&self->open_source, g_source_remove);
}

static void
quit_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeApplication *self = data;
  GList *windows = g_list_reverse (g_list_copy (gtk_application_get_windows (GTK_APPLICATION (self))));

  drop_files (self);
  /* The program ends with its last window, that in front, whose session is saved. A window with unsaved changes asks
   * first and may stay open. */
  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
  g_list_free (windows);
}

/* ---- the application ---- */

static NormscopeWindow *
add_window (NormscopeApplication *self, gboolean restore)
{
  NormscopeWindow *window = normscope_window_new (GTK_APPLICATION (self));

  normscope_window_keep_session (window, restore);
  return window;
}

static NormscopeWindow *
get_window (NormscopeApplication *self, gboolean restore)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    if (NORMSCOPE_IS_WINDOW (l->data))
      return l->data;
  return add_window (self, restore);
}

static void
normscope_application_activate (GApplication *application)
{
  NormscopeWindow *window = get_window (NORMSCOPE_APPLICATION (application), TRUE);

  gtk_window_present (GTK_WINDOW (window));
  normscope_window_show_first_steps (window);
}

/* Offer what is left in a window of its own. */
static void
recover_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  NormscopeWindow *window;

  if (!normscope_window_can_offer ())
    return;
  window = add_window (data, FALSE);
  gtk_window_present (GTK_WINDOW (window));
  normscope_window_offer (window);
}

gboolean
normscope_application_end (NormscopeApplication *self)
{
  gboolean is_front = TRUE;

  g_return_val_if_fail (NORMSCOPE_IS_APPLICATION (self), G_SOURCE_REMOVE);
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    if (NORMSCOPE_IS_WINDOW (l->data))
      {
        normscope_window_leave (l->data, is_front);
        is_front = FALSE;
      }
  g_application_quit (G_APPLICATION (self));
  return G_SOURCE_REMOVE;
}

/* Open a file in a window of its own. */
static void
open_in (NormscopeWindow *window, GFile *file)
{
  /* Present the window first; otherwise a dialog about the file opens below it. */
  gtk_window_present (GTK_WINDOW (window));
  normscope_window_open (window, file);
}

/* A window takes tenths of a second: show each, and let the user act, before the next. */
static gboolean
open_next_cb (gpointer data)
{
  NormscopeApplication *self = data;
  g_autoptr (GFile) file = g_queue_pop_head (&self->files);

  if (file != NULL)
    {
      open_in (add_window (self, FALSE), file);
      return G_SOURCE_CONTINUE;
    }
  self->open_source = 0;
  g_action_group_activate_action (G_ACTION_GROUP (self), "recover", NULL);
  return G_SOURCE_REMOVE;
}

static void
normscope_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  NormscopeApplication *self = NORMSCOPE_APPLICATION (application);

  open_in (get_window (self, FALSE), files[0]);
  for (int i = 1; i < n_files; i++)
    g_queue_push_tail (&self->files, g_object_ref (files[i]));
  if (self->open_source == 0)
    self->open_source = g_idle_add (open_next_cb, self);
}

/* List the presets without a model; the catalog has all of them. */
static void
fill_lessons (GMenu *menu)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (presets[i].title, NULL);

      if (presets[i].variant != NULL && presets[i].path == NULL)
        continue;
      g_menu_item_set_action_and_target (item, "win.preset", "s", presets[i].id);
      g_menu_append_item (menu, item);
    }
}

static void
fill_lectures (GMenu *menu)
{
  for (const NsLectureInfo *info = ns_lectures_list (NULL); info->id != NULL; info++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (info->title, NULL);

      g_menu_item_set_action_and_target (item, "win.shipped-lecture", "s", info->id);
      g_menu_append_item (menu, item);
    }
}

/* Add what ui/menus.ui cannot know. */
static void
fill_menus (GtkApplication *application)
{
  g_autoptr (GMenuModel) recent = normscope_recent_menu_new ();

  fill_lessons (gtk_application_get_menu_by_id (application, "lessons"));
  fill_lectures (gtk_application_get_menu_by_id (application, "lectures"));
  g_menu_append_section (gtk_application_get_menu_by_id (application, "recent"), NULL, recent);
}

static void
normscope_application_startup (GApplication *application)
{
  static const GActionEntry entries[] = {
    { .name = "about", .activate = about_cb },
    { .name = "quit", .activate = quit_cb },
    { .name = "recover", .activate = recover_cb },
  };
  static const struct
  {
    const char *action;
    const char *accels[4];
  } accels[] = {
    { "app.quit", { "<Control>q" } },
    { "window.close", { "<Control>w" } },
    { "win.open", { "<Control>o" } },
    { "win.catalog::presets", { "<Control><Shift>o" } },
    { "win.save", { "<Control>s" } },
    { "win.save-as", { "<Control><Shift>s" } },
    { "win.export", { "<Control>e" } },
    { "win.export-data", { "<Control><Shift>e" } },
    { "win.export-script", { "<Control><Shift>t" } },
    { "win.copy-picture", { "<Control><Shift>c" } },
    { "win.copy-data", { "<Control><Alt>c" } },
    { "win.copy-link", { "<Control>l" } },
    { "win.print", { "<Control>p" } },
    { "win.undo", { "<Control>z" } },
    { "win.redo", { "<Control><Shift>z", "<Control>y" } },
    { "win.preferences", { "<Control>comma" } },
    { "win.new-seed", { "<Control>r" } },
    { "win.show-sidebar", { "F9" } },
    { "win.fold-wiring", { "F4" } },
    { "win.show-view::flow", { "<Control>1" } },
    { "win.show-view::paths", { "<Control>2" } },
    { "win.show-view::scaling", { "<Control>3" } },
    { "win.show-view::training", { "<Control>4" } },
    { "win.add-step", { "<Control><Shift>a" } },
    { "win.show-lecture", { "F8" } },
    { "win.fullscreen", { "F11" } },
    { "win.present", { "F5" } },
    { "win.text-larger", { "<Control>plus", "<Control>equal", "<Control>KP_Add" } },
    { "win.text-smaller", { "<Control>minus", "<Control>KP_Subtract" } },
    { "win.text-normal", { "<Control>0", "<Control>KP_0" } },
    { "win.help", { "F1" } },
    { "win.show-help-overlay", { "<Control>question" } },
  };

  ns_machine_set_up_allocator ();
  /* GLib finds the folders of file types when they are first asked for. Where its database was read before that, it is
   * read again, and freed some seconds later while a thread of the file chooser may look into it. */
  g_content_type_get_mime_dirs ();
  G_APPLICATION_CLASS (normscope_application_parent_class)->startup (application);
  normscope_tooltips_install ();
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries), application);
  for (gsize i = 0; i < G_N_ELEMENTS (accels); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), accels[i].action,
                                           (const char *const *) accels[i].accels);
  fill_menus (GTK_APPLICATION (application));
  gtk_window_set_default_icon_name (APPLICATION_ID);
}

/* The program ends, though files may still have to be opened. */
static void
normscope_application_shutdown (GApplication *application)
{
  drop_files (NORMSCOPE_APPLICATION (application));
  G_APPLICATION_CLASS (normscope_application_parent_class)->shutdown (application);
}

static void
normscope_application_class_init (NormscopeApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->activate = normscope_application_activate;
  application_class->open = normscope_application_open;
  application_class->startup = normscope_application_startup;
  application_class->shutdown = normscope_application_shutdown;
}

static void
normscope_application_init (NormscopeApplication *self)
{
}

NormscopeApplication *
normscope_application_new (GApplicationFlags flags)
{
  return g_object_new (NORMSCOPE_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       flags | G_APPLICATION_HANDLES_OPEN, "resource-base-path", "/org/normscope/Normscope", NULL);
}
