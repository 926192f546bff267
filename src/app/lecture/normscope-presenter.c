/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-presenter-private.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-tooltips.h"

/* Text is read from the back row: its size follows the height of the screen, in logical px. */
#define HALL_HEIGHT_PX 1000
#define HALL_SCALE 2.0
#define ROOM_SCALE 1.5

G_DEFINE_FINAL_TYPE (NormscopePresenter, normscope_presenter, ADW_TYPE_BIN)

enum { PRESENTER_PROP_0, PRESENTER_PROP_CONTENT, PRESENTER_PROP_PRESENTING, N_PRESENTER_PROPS };
static GParamSpec *presenter_props[N_PRESENTER_PROPS];

/* ---- the screen ---- */

static GtkWindow *
get_window (NormscopePresenter *self)
{
  return GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
}

/* Return the scale for the monitor, at least the view's. */
static double
find_text_scale (NormscopePresenter *self)
{
  GtkNative *native = gtk_widget_get_native (GTK_WIDGET (self));
  GdkSurface *surface = gtk_native_get_surface (native);
  GdkMonitor *monitor = NULL;
  GdkRectangle area = { 0 };
  double scale;

  if (surface != NULL)
    monitor = gdk_display_get_monitor_at_surface (gdk_surface_get_display (surface), surface);
  if (monitor != NULL)
    gdk_monitor_get_geometry (monitor, &area);
  scale = area.height >= HALL_HEIGHT_PX ? HALL_SCALE : ROOM_SCALE;
  return MAX (scale, normscope_session_get_view (self->session)->text_scale);
}

void
normscope_presenter_choose_text (NormscopePresenter *self, double least)
{
  double scale = MAX (find_text_scale (self), least);

  if (self->text_scale > 0 && self->text_scale != normscope_session_get_text_scale (self->session))
    return;
  self->text_scale = scale;
  normscope_session_present_text (self->session, scale);
}

gboolean
normscope_presenter_is_blank (NormscopePresenter *self)
{
  return self->blank != NULL && gtk_widget_get_visible (self->blank);
}

void
normscope_presenter_set_blank (NormscopePresenter *self, gboolean blank)
{
  if (self->blank != NULL)
    gtk_widget_set_visible (self->blank, blank);
}

static void
show_again_cb (NormscopePresenter *self)
{
  normscope_presenter_set_blank (self, FALSE);
}

static GtkWidget *
make_blank (NormscopePresenter *self)
{
  GtkWidget *blank = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkGesture *click = gtk_gesture_click_new ();

  gtk_widget_add_css_class (blank, "blank");
  gtk_widget_set_cursor_from_name (blank, "none");
  gtk_widget_set_visible (blank, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (blank), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Blank screen: any key shows the figure again"), -1);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (show_again_cb), self);
  gtk_widget_add_controller (blank, GTK_EVENT_CONTROLLER (click));
  return blank;
}

/* ---- start and end ---- */

/* The last change and the bar share a line of their own below the plots. */
static GtkWidget *
make_foot (NormscopePresenter *self)
{
  GtkWidget *foot = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  self->action = NORMSCOPE_LAST_ACTION (normscope_last_action_new (self->session));
  self->bar = NORMSCOPE_PRESENTER_BAR (normscope_presenter_bar_new ());
  gtk_widget_set_hexpand (GTK_WIDGET (self->action), TRUE);
  gtk_widget_add_css_class (foot, "foot");
  gtk_box_append (GTK_BOX (foot), GTK_WIDGET (self->action));
  gtk_box_append (GTK_BOX (foot), GTK_WIDGET (self->bar));
  return foot;
}

static void
add_parts (NormscopePresenter *self)
{
  self->palette = NORMSCOPE_PALETTE (normscope_palette_new (self->session));
  gtk_widget_set_visible (GTK_WIDGET (self->palette), FALSE);
  normscope_stage_set_side (self->stage, GTK_WIDGET (self->palette));
  normscope_stage_set_foot (self->stage, make_foot (self));
  self->blank = make_blank (self);
  gtk_overlay_add_overlay (self->overlay, self->blank);
}

static void
remove_parts (NormscopePresenter *self)
{
  normscope_stage_set_side (self->stage, NULL);
  normscope_stage_set_foot (self->stage, NULL);
  gtk_overlay_remove_overlay (self->overlay, self->blank);
  self->palette = NULL;
  self->action = NULL;
  self->bar = NULL;
  self->blank = NULL;
}

/* The window manager has its own ways to leave full screen. */
static void
fullscreened_cb (NormscopePresenter *self, GParamSpec *pspec, GtkWindow *window)
{
  gboolean is_fullscreen = gtk_window_is_fullscreen (window);

  if (self->is_fullscreen && !is_fullscreen)
    normscope_presenter_end (self);
  self->is_fullscreen = is_fullscreen;
}

static void
keep_focus (NormscopePresenter *self, GtkWindow *window)
{
  normscope_popovers_close (window); /* a menu may have begun the presentation */
  g_set_weak_pointer (&self->former_focus, gtk_window_get_focus (window));
  /* Without a focused control, the arrow keys step. */
  gtk_window_set_focus (window, NULL);
}

static void
restore_focus (NormscopePresenter *self)
{
  if (self->former_focus != NULL)
    gtk_widget_grab_focus (self->former_focus);
  g_clear_weak_pointer (&self->former_focus);
}

static void
start (NormscopePresenter *self, const char *title, gboolean with_lecture)
{
  GtkWindow *window = get_window (self);

  if (self->presenting || window == NULL)
    return;
  self->presenting = TRUE;
  self->with_lecture = with_lecture;
  keep_focus (self, window);
  add_parts (self);
  gtk_widget_add_css_class (GTK_WIDGET (window), NORMSCOPE_PRESENTED_CLASS);
  normscope_presenter_bar_set_step (self->bar, title, 0, 0);
  normscope_presenter_bar_wake (self->bar);
  self->keys = normscope_presenter_new_keys (self);
  gtk_widget_add_controller (GTK_WIDGET (window), self->keys);
  self->text_scale = 0;
  normscope_presenter_choose_text (self, 0);

  self->was_fullscreen = self->is_fullscreen = gtk_window_is_fullscreen (window);
  g_signal_connect_object (window, "notify::fullscreened", G_CALLBACK (fullscreened_cb), self, G_CONNECT_SWAPPED);
  gtk_window_fullscreen (window);
  if (with_lecture)
    normscope_presenter_begin_lecture (self);
  g_object_notify_by_pspec (G_OBJECT (self), presenter_props[PRESENTER_PROP_PRESENTING]);
}

void
normscope_presenter_start (NormscopePresenter *self, const char *title)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self) && self->session != NULL);
  start (self, title, FALSE);
}

void
normscope_presenter_start_lecture (NormscopePresenter *self, const char *title)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self) && self->session != NULL);
  start (self, title, self->lecture != NULL && normscope_lecture_session_get_n_steps (self->lecture) > 0);
}

void
normscope_presenter_end (NormscopePresenter *self)
{
  GtkWindow *window;

  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self));
  window = get_window (self);
  if (!self->presenting || window == NULL)
    return;
  if (self->with_lecture)
    normscope_presenter_end_lecture (self);
  self->presenting = FALSE;
  self->with_lecture = FALSE;
  g_signal_handlers_disconnect_by_func (window, fullscreened_cb, self);
  gtk_widget_remove_controller (GTK_WIDGET (window), self->keys);
  self->keys = NULL;
  gtk_window_set_focus (window, NULL);
  remove_parts (self);
  gtk_widget_remove_css_class (GTK_WIDGET (window), NORMSCOPE_PRESENTED_CLASS);
  normscope_session_present_text (self->session, 0);
  if (!self->was_fullscreen)
    gtk_window_unfullscreen (window);
  g_object_notify_by_pspec (G_OBJECT (self), presenter_props[PRESENTER_PROP_PRESENTING]);
  restore_focus (self);
}

static gboolean
shows_controls (NormscopePresenter *self)
{
  GtkWidget *palette = GTK_WIDGET (self->palette);

  return palette != NULL && gtk_widget_get_visible (palette);
}

gboolean
normscope_presenter_peel (NormscopePresenter *self)
{
  const char *action = "present.end";

  g_return_val_if_fail (NORMSCOPE_IS_PRESENTER (self), FALSE);
  if (shows_controls (self))
    action = "present.controls";
  else if (self->notes != NULL)
    action = "present.notes";
  return self->presenting && gtk_widget_activate_action (GTK_WIDGET (self), action, NULL);
}

gboolean
normscope_presenter_get_presenting (NormscopePresenter *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PRESENTER (self), FALSE);
  return self->presenting;
}

gboolean
normscope_presenter_has_lecture (NormscopePresenter *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PRESENTER (self), FALSE);
  return self->with_lecture;
}

/* ---- actions ---- */

static void
end_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_presenter_end (NORMSCOPE_PRESENTER (widget));
}

static void
blank_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_presenter_set_blank (NORMSCOPE_PRESENTER (widget), TRUE);
}

static void
controls_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (widget);
  GtkWidget *palette = GTK_WIDGET (self->palette);
  gboolean shows = !shows_controls (self);

  if (palette == NULL)
    return;
  /* First, since the focus may be in it. */
  gtk_window_set_focus (get_window (self), NULL);
  gtk_widget_set_visible (palette, shows);
  if (shows)
    gtk_widget_child_focus (palette, GTK_DIR_TAB_FORWARD);
}

/* ---- the pointer ---- */

/* A pointer at rest moves, too, for a widget that comes under it. */
static void
motion_cb (NormscopePresenter *self, double x, double y)
{
  if (self->bar != NULL && (x != self->pointer_x || y != self->pointer_y))
    normscope_presenter_bar_wake (self->bar);
  self->pointer_x = x;
  self->pointer_y = y;
}

/* ---- the object ---- */

void
normscope_presenter_set_session (NormscopePresenter *self, NormscopeSession *session)
{
  g_return_if_fail (NORMSCOPE_IS_PRESENTER (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);
  self->session = g_object_ref (session);
}

static void
normscope_presenter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PRESENTER_PROP_PRESENTING:
      g_value_set_boolean (value, NORMSCOPE_PRESENTER (object)->presenting);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_presenter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PRESENTER_PROP_CONTENT:
      normscope_stage_set_content (NORMSCOPE_PRESENTER (object)->stage, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_presenter_dispose (GObject *object)
{
  NormscopePresenter *self = NORMSCOPE_PRESENTER (object);

  g_clear_weak_pointer (&self->former_focus);
  if (self->measuring != NULL)
    normscope_scaling_runner_stop (self->measuring);
  if (self->session != NULL)
    normscope_presenter_end_question (self);
  g_clear_pointer (&self->kept, g_hash_table_unref);
  g_clear_object (&self->measuring);
  g_clear_pointer (&self->engine, normscope_engine_unref);
  g_clear_weak_pointer (&self->notes);
  g_clear_object (&self->lecture);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_presenter_parent_class)->dispose (object);
}

static void
normscope_presenter_class_init (NormscopePresenterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = normscope_presenter_get_property;
  object_class->set_property = normscope_presenter_set_property;
  object_class->dispose = normscope_presenter_dispose;
  presenter_props[PRESENTER_PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET,
                                                                 G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  presenter_props[PRESENTER_PROP_PRESENTING] = g_param_spec_boolean (
      "presenting", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PRESENTER_PROPS, presenter_props);

  g_signal_new ("train", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "present.end", NULL, end_cb);
  gtk_widget_class_install_action (widget_class, "present.blank", NULL, blank_cb);
  gtk_widget_class_install_action (widget_class, "present.controls", NULL, controls_cb);
  normscope_presenter_install_steps (widget_class);
  gtk_widget_class_set_css_name (widget_class, "presenter");
}

static void
normscope_presenter_init (NormscopePresenter *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->stage = NORMSCOPE_STAGE (normscope_stage_new ());
  self->overlay = GTK_OVERLAY (gtk_overlay_new ());
  gtk_overlay_set_child (self->overlay, GTK_WIDGET (self->stage));
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->overlay));
  gtk_event_controller_set_propagation_phase (motion, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}
