/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-fixture.h"

#include "app/shared/normscope-readout.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app-names.h"
#include "app/controls/normscope-parameter.h"
#include "app/work/normscope-worker.h"
#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"

#define POLL_MS 20
/* A frame takes 17 ms; a window that draws none, 50 ms. */
#define FRAME_MS 50
#define IDLE_MS  1000

/* The tests of one source file, and one of them. */
typedef struct
{
  char *prefix;
  AppPrepare prepare;
  gboolean is_prepared;
  const char *why_not; /* tests are skipped */
} File;

typedef struct
{
  const char *path;
  File *file;
  AppTest test;          /* or NULL */
  void (*func) (void);   /* or NULL */
  gboolean with_defaults;
} Case;

static NormscopeApplication *application;
static char *home;
static GPtrArray *wanted_paths; /* -p */
static GPtrArray *files, *cases;

static void
file_free (gpointer data)
{
  File *file = data;

  g_free (file->prefix);
  g_free (file);
}

/* Write recent files and the last session to a temporary folder, not to the user's. */
static void
use_temporary_home (void)
{
  const char *shared = g_getenv (APP_SHARED_HOME);

  home = shared != NULL ? g_strdup (shared) : g_dir_make_tmp ("normscope-home-XXXXXX", NULL);
  g_assert_nonnull (home);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_STATE_HOME", home, TRUE);
}

gboolean
app_test_init (int *argc, char ***argv)
{
  wanted_paths = g_ptr_array_new_with_free_func (g_free);
  for (int i = 1; i + 1 < *argc; i++)
    if (g_str_equal ((*argv)[i], "-p"))
      g_ptr_array_add (wanted_paths, g_strdup ((*argv)[i + 1]));
  files = g_ptr_array_new_with_free_func (file_free);
  cases = g_ptr_array_new_with_free_func (g_free);
  use_temporary_home ();
  normscope_init_locale ();
  g_test_init (argc, argv, NULL);
  if (!gtk_init_check ())
    {
      printf ("1..0 # SKIP there is no display\n");
      return FALSE;
    }
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-font-name", "DejaVu Sans 10",
                "gtk-xft-dpi", 96 * 1024, "gtk-xft-antialias", 1, "gtk-xft-hinting", 0, "gtk-xft-hintstyle",
                "hintnone", "gtk-xft-rgba", "none", NULL);
  /* Without a bus name, parallel runs stay separate. */
  application = normscope_application_new (G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  return TRUE;
}

static gboolean
is_path_of_test (const char *path)
{
  gsize length = strlen (path);

  for (guint i = 0; i < cases->len; i++)
    {
      const char *other = ((Case *) g_ptr_array_index (cases, i))->path;

      if (strncmp (other, path, length) == 0 && (other[length] == '\0' || other[length] == '/'))
        return TRUE;
    }
  return FALSE;
}

int
app_test_run (void)
{
  int status;
  gboolean idle;

  /* GLib calls it a success. */
  for (guint i = 0; i < wanted_paths->len; i++)
    if (!is_path_of_test (g_ptr_array_index (wanted_paths, i)))
      g_error ("-p %s selects no test", (char *) g_ptr_array_index (wanted_paths, i));
  status = g_test_run ();
  g_object_unref (application);
  idle = normscope_workers_wait (TIMEOUT_MS);
  ns_file_remove_tree (home);
  g_free (home);
  g_ptr_array_unref (wanted_paths);
  g_ptr_array_unref (cases);
  g_ptr_array_unref (files);
  /* All windows are closed, so a worker that still runs was leaked. */
  g_assert_true (idle);
  return status;
}

GtkApplication *
app_test_get_application (void)
{
  return GTK_APPLICATION (application);
}

/* ---- the sanitizer ---- */

#ifdef __SANITIZE_ADDRESS__
/* GLib leaks its array of quarks on purpose when it replaces it by a larger one, as this program's many names make it
 * do. Its first one comes before main(); a pointer to it says that it is not lost. */
#define FIRST_QUARKS_BYTES (2048 * sizeof (char *))
const volatile void *app_first_quarks[4];

void __sanitizer_malloc_hook (const volatile void *block, gsize size);

void
__sanitizer_malloc_hook (const volatile void *block, gsize size)
{
  static guint n;

  if (size == FIRST_QUARKS_BYTES && application == NULL && n < G_N_ELEMENTS (app_first_quarks))
    app_first_quarks[n++] = block;
}
#endif

/* ---- waiting ---- */

static gboolean
expire_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_CONTINUE;
}

/* What the predicate asks for may come without an event of the main loop: a file, memory. */
static gboolean
poll_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

gboolean
app_wait_for (gboolean (*predicate) (gpointer data), gpointer data, guint ms)
{
  gboolean expired = FALSE, holds;
  guint id = g_timeout_add (ms, expire_cb, &expired), poll_id = g_timeout_add (POLL_MS, poll_cb, NULL);

  while (!(holds = predicate (data)) && !expired)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (id);
  g_source_remove (poll_id);
  return holds;
}

void
app_wait_until_named (gboolean (*predicate) (gpointer data), gpointer data, const char *name, const char *place)
{
  if (!app_wait_for (predicate, data, TIMEOUT_MS))
    g_error ("%s: %s does not hold after %d s", place, name, TIMEOUT_MS / 1000);
}

static gboolean
never (gpointer data)
{
  return FALSE;
}

void
app_iterate (guint ms)
{
  app_wait_for (never, NULL, ms);
}

static gboolean
set_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
is_set (gpointer data)
{
  return *(gboolean *) data;
}

static void
painted_cb (GdkFrameClock *clock, gboolean *painted)
{
  *painted = TRUE;
}

/* GDK delivers motion at the start of the next frame, followed by layout. */
void
app_draw_frame (GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);
  gboolean painted = FALSE;
  gulong id;

  if (clock == NULL || !gtk_widget_get_mapped (window))
    return;
  g_object_ref (clock);
  id = g_signal_connect (clock, "after-paint", G_CALLBACK (painted_cb), &painted);
  gdk_frame_clock_request_phase (clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  app_wait_for (is_set, &painted, FRAME_MS);
  /* The window may have closed, and with it the clock. */
  if (g_signal_handler_is_connected (clock, id))
    g_signal_handler_disconnect (clock, id);
  g_object_unref (clock);
}

void
app_draw_frames (guint n)
{
  GListModel *windows = gtk_window_get_toplevels ();

  while (n-- > 0)
    {
      gboolean idle = FALSE;
      guint id;

      for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
        {
          g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

          app_draw_frame (window);
        }
      /* after everything else that is ready, unless something always is: a drawing that takes longer than a frame */
      id = g_idle_add_full (G_MAXINT, set_cb, &idle, NULL);
      if (!app_wait_for (is_set, &idle, IDLE_MS))
        g_source_remove (id);
    }
}

void
app_settle (void)
{
  app_draw_frames (3);
}

gboolean
app_is_null (gpointer pointer)
{
  return *(gpointer *) pointer == NULL;
}

gboolean
app_is_mapped (gpointer widget)
{
  return gtk_widget_get_mapped (widget);
}

gboolean
app_is_visible (gpointer widget)
{
  return gtk_widget_get_visible (widget);
}

gboolean
app_is_sensitive (gpointer widget)
{
  return gtk_widget_is_sensitive (widget);
}

gboolean
app_has_settled (gpointer plot)
{
  return normscope_plot_has_settled (plot);
}

typedef struct
{
  GtkWidget *root;
  const char *text;
} Text;

static gboolean
is_shown (gpointer data)
{
  Text *text = data;

  return app_find_text (text->root, text->text) != NULL;
}

static gboolean
is_not_shown (gpointer data)
{
  return !is_shown (data);
}

GtkWidget *
app_wait_for_text (gpointer root, const char *text)
{
  app_wait_until_named (is_shown, &(Text){ root, text }, text, "a text to come");
  return app_find_text (root, text);
}

void
app_wait_until_no_text (gpointer root, const char *text)
{
  app_wait_until_named (is_not_shown, &(Text){ root, text }, text, "a text to go");
}

typedef struct
{
  GtkWidget *window;
  int width, height;
} Size;

static gboolean
has_size (gpointer data)
{
  Size *size = data;

  return gtk_widget_get_width (size->window) == size->width && gtk_widget_get_height (size->window) == size->height;
}

void
app_resize (Fixture *fixture, int width, int height)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);
  int former_width, former_height;
  Size size;

  /* the widget has the frame, too */
  gtk_window_get_default_size (GTK_WINDOW (window), &former_width, &former_height);
  size = (Size){ window, width + gtk_widget_get_width (window) - former_width,
                 height + gtk_widget_get_height (window) - former_height };
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  app_wait_until (has_size, &size);
  app_settle ();
}

void
app_wait_for_frame (Fixture *fixture)
{
  gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
}

/* ---- finding ---- */

GtkWidget *
app_find (GtkWidget *root, WidgetPredicate predicate, gconstpointer data)
{
  if (predicate (root, data))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = app_find (child, predicate, data);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
is_of_type (GtkWidget *widget, gconstpointer data)
{
  return g_type_is_a (G_OBJECT_TYPE (widget), GPOINTER_TO_SIZE (data));
}

GtkWidget *
app_find_type (GtkWidget *root, GType type)
{
  return app_find (root, is_of_type, GSIZE_TO_POINTER (type));
}

static gboolean
has_text (GtkWidget *widget, gconstpointer data)
{
  const char *text = NULL;

  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (GTK_IS_BUTTON (widget))
    text = gtk_button_get_label (GTK_BUTTON (widget));
  else if (GTK_IS_LABEL (widget))
    text = gtk_label_get_use_markup (GTK_LABEL (widget)) ? gtk_label_get_text (GTK_LABEL (widget))
                                                         : gtk_label_get_label (GTK_LABEL (widget));
  return text != NULL && strstr (text, data) != NULL;
}

GtkWidget *
app_find_text (GtkWidget *root, const char *text)
{
  return app_find (root, has_text, text);
}

static gboolean
is_row_of (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_PARAMETER_ROW (widget)
         && normscope_parameter_row_get_param (NORMSCOPE_PARAMETER_ROW (widget)) == data;
}

NormscopeParameterRow *
app_find_row (Fixture *fixture, const char *path)
{
  GtkWidget *row = app_find (GTK_WIDGET (fixture->window), is_row_of, ns_param_find (path));

  g_assert_nonnull (row);
  return NORMSCOPE_PARAMETER_ROW (row);
}

GtkWidget *
app_find_in_row (Fixture *fixture, const char *path, GType type)
{
  GtkWidget *found = app_find_type (GTK_WIDGET (app_find_row (fixture, path)), type);

  g_assert_nonnull (found);
  return found;
}

gpointer
app_get_child (gpointer widget, const char *id)
{
  GObject *child = NULL;

  for (GType type = G_OBJECT_TYPE (widget); child == NULL && type != GTK_TYPE_WIDGET; type = g_type_parent (type))
    child = gtk_widget_get_template_child (widget, type, id);
  g_assert_nonnull (child);
  return child;
}

static gboolean
is_variant (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_VARIANT_ROW (widget)
         && normscope_variant_row_get_index (NORMSCOPE_VARIANT_ROW (widget)) == GPOINTER_TO_UINT (data);
}

NormscopeVariantRow *
app_find_variant (Fixture *fixture, guint index)
{
  GtkWidget *row = app_find (GTK_WIDGET (fixture->window), is_variant, GUINT_TO_POINTER (index));

  g_assert_nonnull (row);
  return NORMSCOPE_VARIANT_ROW (row);
}

/* ---- reading ---- */

char *
app_dup_description (GtkWidget *widget)
{
  /* The check returns the actual value if it differs from the expected one. */
  char *text = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                                   "\001 never used \001");

  g_assert_nonnull (text);
  return text;
}

char *
app_dup_expected (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NsResult) result = NULL;
  NsFlowOptions options = fixture->options;
  NsQuantitySet quantities = ns_flow_options_get_quantities (&options);

  if (!fixture->keeps_names)
    app_name_variants (fixture->experiment);
  result = ns_engine_run_quantities (fixture->engine, fixture->experiment, &quantities, 0,
                                     (guint) fixture->experiment->sampling.seeds, NULL, &error);
  g_assert_no_error (error);
  options.n_seeds_wanted = (guint) fixture->experiment->sampling.seeds;
  return ns_flow_sentence (result, &options);
}

typedef struct
{
  Fixture *fixture;
  const char *text;
} Expectation;

static gboolean
is_described (gpointer data)
{
  Expectation *expectation = data;
  g_autofree char *differs = gtk_test_accessible_check_property (
      GTK_ACCESSIBLE (expectation->fixture->plot), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, expectation->text);

  return differs == NULL;
}

static void
assert_shows_sentence (Fixture *fixture, const char *expected)
{
  Expectation expectation = { fixture, expected };

  if (!app_wait_for (is_described, &expectation, TIMEOUT_MS))
    {
      g_autofree char *shown = app_dup_description (GTK_WIDGET (fixture->plot));

      g_assert_cmpstr (shown, ==, expected);
    }
}

void
app_assert_shows (Fixture *fixture)
{
  g_autofree char *expected = app_dup_expected (fixture);

  assert_shows_sentence (fixture, expected);
}

void
app_assert_readout (Fixture *fixture, gint64 x)
{
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, fixture->experiment, 0, 8, NULL, NULL);
  g_autofree char *readout = ns_flow_readout (result, &fixture->options, x);
  GtkWidget *table;

  table = app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_READOUT);
  g_assert_true (gtk_widget_get_mapped (table));
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (table), GTK_ACCESSIBLE_PROPERTY_LABEL, readout);
}

void
app_assert_unchanged (Fixture *fixture, const char *description)
{
  g_autofree char *before = app_dup_description (GTK_WIDGET (fixture->plot));
  g_autofree char *after = NULL;

  g_assert_cmpstr (before, ==, description);
  app_draw_frames (18);
  after = app_dup_description (GTK_WIDGET (fixture->plot));
  g_assert_cmpstr (after, ==, description);
}

static gboolean
is_idle_plot (GtkWidget *widget, gconstpointer data)
{
  g_autofree char *busy = NULL;

  if (!NORMSCOPE_IS_PLOT (widget) || !gtk_widget_get_mapped (widget))
    return FALSE;
  busy = gtk_test_accessible_check_state (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_STATE_BUSY, FALSE);
  return busy == NULL;
}

static gboolean
has_idle_plot (gpointer window)
{
  return app_find (window, is_idle_plot, NULL) != NULL;
}

GtkWidget *
app_wait_for_idle_plot (Fixture *fixture)
{
  g_assert_true (app_wait_for (has_idle_plot, fixture->window, TIMEOUT_MS));
  return app_find (GTK_WIDGET (fixture->window), is_idle_plot, NULL);
}

/* ---- driving ---- */

void
app_activate (Fixture *fixture, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->window), action, NULL));
}

void
app_move_slider (Fixture *fixture, const char *path, double value)
{
  GtkScale *slider = normscope_parameter_row_get_slider (app_find_row (fixture, path));

  g_assert_nonnull (slider);
  gtk_adjustment_set_value (gtk_range_get_adjustment (GTK_RANGE (slider)),
                            normscope_parameter_to_slider (ns_param_find (path), value));
}

void
app_type_number (Fixture *fixture, const char *path, const char *text)
{
  GtkSpinButton *spin = GTK_SPIN_BUTTON (app_find_in_row (fixture, path, GTK_TYPE_SPIN_BUTTON));

  gtk_editable_set_text (GTK_EDITABLE (spin), text);
  gtk_spin_button_update (spin);
}

gboolean
app_press_key (GtkWidget *widget, guint key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean taken = FALSE;

      if (!GTK_IS_EVENT_CONTROLLER_KEY (controller))
        continue;
      g_signal_emit_by_name (controller, "key-pressed", key, 0u, 0, &taken);
      if (taken)
        return TRUE;
    }
  return FALSE;
}

gboolean
app_wait_for_toast (Fixture *fixture, const char *text)
{
  Text toast = { app_find_type (GTK_WIDGET (fixture->window), ADW_TYPE_TOAST_OVERLAY), text };

  return app_wait_for (is_shown, &toast, TIMEOUT_MS);
}

GdkTexture *
app_grab (GtkWidget *widget)
{
  g_autoptr (GdkPaintable) paintable = NULL;
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GError) error = NULL;
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  GdkTexture *texture;
  int width, height;

  gtk_test_widget_wait_for_draw (widget);
  paintable = gtk_widget_paintable_new (widget);
  width = gdk_paintable_get_intrinsic_width (paintable);
  height = gdk_paintable_get_intrinsic_height (paintable);
  gdk_paintable_snapshot (paintable, GDK_SNAPSHOT (snapshot), width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);
  gsk_renderer_realize (renderer, NULL, &error);
  g_assert_no_error (error);
  texture = gsk_renderer_render_texture (renderer, node, &GRAPHENE_RECT_INIT (0, 0, width, height));
  gsk_renderer_unrealize (renderer);
  return texture;
}

/* ---- the fixture ---- */

static void
reset_settings (void)
{
  g_autoptr (GSettings) settings = g_settings_new ("org.normscope.Normscope");
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys (schema);
  for (char **key = keys; *key != NULL; key++)
    g_settings_reset (settings, *key);
  /* The bubbles of the first start would cover what the tests click. */
  g_settings_set_boolean (settings, "show-first-steps", FALSE);
}

/* Tests begin with one of two experiments; the engine runs each once for the whole program. */
static const char *
get_first_sentence (Fixture *fixture, gboolean with_defaults)
{
  static char *sentences[2];
  char **sentence = &sentences[with_defaults];

  if (*sentence == NULL)
    *sentence = app_dup_expected (fixture);
  return *sentence;
}

static void
open_window (Fixture *fixture, gboolean with_defaults)
{
  fixture->engine = ns_engine_new (1, 0);
  fixture->experiment = ns_experiment_new ();
  ns_flow_options_init (&fixture->options);
  fixture->window = normscope_window_new (GTK_APPLICATION (application));
  g_object_add_weak_pointer (G_OBJECT (fixture->window), (gpointer *) &fixture->window);
  fixture->plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_PLOT));
  g_object_add_weak_pointer (G_OBJECT (fixture->plot), (gpointer *) &fixture->plot);
  fixture->session = normscope_window_get_session (fixture->window);
  g_object_add_weak_pointer (G_OBJECT (fixture->session), (gpointer *) &fixture->session);
  gtk_window_present (GTK_WINDOW (fixture->window));
  /* A smaller shape computes eight times faster. */
  if (!with_defaults)
    {
      app_type_number (fixture, "shape.d_model", "32");
      app_type_number (fixture, "shape.d_ff", "64");
      fixture->experiment->shape.d_model = 32;
      fixture->experiment->shape.d_ff = 64;
    }
  assert_shows_sentence (fixture, get_first_sentence (fixture, with_defaults));
  app_wait_for_frame (fixture);
}

static gboolean
is_gone (gpointer data)
{
  Fixture *fixture = data;

  return fixture->window == NULL && fixture->plot == NULL && fixture->session == NULL;
}

/* Print what is left of an object, for a failure that is seldom. */
static void
print_left (const char *name, gpointer object)
{
  if (object != NULL)
    g_test_message ("%s is left, with %u references", name, G_OBJECT (object)->ref_count);
}

static void
close_window (Fixture *fixture)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  /* LeakSanitizer and valgrind miss a leaked window, because GTK still points to it; check that it is finalized. */
  if (!app_wait_for (is_gone, fixture, TIMEOUT_MS))
    {
      print_left ("the window", fixture->window);
      print_left ("the plot", fixture->plot);
      print_left ("the session", fixture->session);
      g_assert_not_reached ();
    }
  ns_engine_free (fixture->engine);
  ns_experiment_free (fixture->experiment);
}

/* ---- adding tests ---- */

void
app_test_add_file (const char *name, void (*add) (void))
{
  File *file = g_new0 (File, 1);

  file->prefix = g_strdelimit (g_strconcat ("/", name, "/", NULL), "_", '-');
  g_ptr_array_add (files, file);
  add ();
}

static File *
get_file (void)
{
  return files->len > 0 ? g_ptr_array_index (files, files->len - 1) : NULL;
}

void
app_test_prepare (AppPrepare prepare)
{
  get_file ()->prepare = prepare;
}

/* Return FALSE, and skip the test, if its file's tests cannot run here. */
static gboolean
prepare (File *file)
{
  if (file == NULL || file->prepare == NULL)
    return TRUE;
  if (!file->is_prepared)
    file->why_not = file->prepare ();
  file->is_prepared = TRUE;
  if (file->why_not != NULL)
    g_test_skip (file->why_not);
  return file->why_not == NULL;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  fixture->can_run = prepare (this->file);
  reset_settings ();
  if (fixture->can_run && this->test != NULL)
    open_window (fixture, this->with_defaults);
}

static void
run (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  if (!fixture->can_run)
    return;
  if (this->test != NULL)
    this->test (fixture, NULL);
  else
    this->func ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  const Case *this = data;

  if (fixture->can_run && this->test != NULL)
    close_window (fixture);
}

static void
add (Case values)
{
  Case *this = g_memdup2 (&values, sizeof values);

  this->file = get_file ();
  g_assert_true (this->file == NULL || g_str_has_prefix (this->path, this->file->prefix));
  g_ptr_array_add (cases, this);
  g_test_add (this->path, Fixture, this, set_up, run, tear_down);
}

void
app_test_add (const char *path, AppTest test)
{
  add ((Case){ .path = path, .test = test });
}

void
app_test_add_with_defaults (const char *path, AppTest test)
{
  add ((Case){ .path = path, .test = test, .with_defaults = TRUE });
}

void
app_test_add_func (const char *path, void (*func) (void))
{
  add ((Case){ .path = path, .func = func });
}
