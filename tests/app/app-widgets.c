/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app-names.h"
#include "app/controls/normscope-parameter.h"
#include "app/lecture/normscope-presenter.h"
#include "app/shared/normscope-message.h"
#include "app/shared/normscope-readout.h"
#include "engine/experiment/ns-params.h"

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

void
app_assert_first_clause (GtkWidget *root, const char *text)
{
  g_autofree char *clause = g_strndup (text, strcspn (text, ";\n"));

  g_assert_nonnull (app_find_text (root, g_strchomp (clause)));
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

void
app_assert_shows_sentence (Fixture *fixture, const char *expected)
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

  app_assert_shows_sentence (fixture, expected);
}

void
app_assert_readout (Fixture *fixture, gint64 x)
{
  g_autoptr (NsResult) result = ns_engine_run (fixture->engine, fixture->experiment, 0,
                                               (guint) fixture->experiment->sampling.seeds, NULL, NULL);
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

gboolean
app_is_presenting (gpointer fixture)
{
  return normscope_presenter_get_presenting (app_get_child (((Fixture *) fixture)->window, "presenter"));
}

gboolean
app_is_not_presenting (gpointer fixture)
{
  return !app_is_presenting (fixture);
}

gboolean
app_has_idle_plot (gpointer window)
{
  return app_find (window, is_idle_plot, NULL) != NULL;
}

GtkWidget *
app_wait_for_idle_plot (Fixture *fixture)
{
  g_assert_true (app_wait_for (app_has_idle_plot, fixture->window, TIMEOUT_MS));
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
  Text toast = { app_find_type (GTK_WIDGET (fixture->window), NORMSCOPE_TYPE_MESSAGE), text };

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
