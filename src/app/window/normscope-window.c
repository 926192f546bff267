/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/window/normscope-window-private.h"

#include <glib/gi18n-lib.h>

#include "app/controls/normscope-flow-plot-controls.h"
#include "app/shared/normscope-flap.h"
#include "app/shared/normscope-menus.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-update.h"
#include "app/training/normscope-training-controls.h"
#include "app/wiring/normscope-wiring-shelf.h"

/* Maximum line length of a message, in characters. */
/* Enough time to read a long message, in s. */
#define MESSAGE_S 10

G_DEFINE_FINAL_TYPE (NormscopeWindow, normscope_window, ADW_TYPE_APPLICATION_WINDOW)

/* ---- closing ---- */

/* Return TRUE if the program has no other window, whose session would replace this one's. */
static gboolean
is_last (NormscopeWindow *self)
{
  for (GList *l = gtk_application_get_windows (gtk_window_get_application (GTK_WINDOW (self))); l != NULL; l = l->next)
    if (NORMSCOPE_IS_WINDOW (l->data) && l->data != self)
      return FALSE;
  return TRUE;
}

static gboolean
normscope_window_close_request (GtkWindow *window)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (window);

  if (!normscope_files_confirm_close (self->files) || !normscope_lecture_files_confirm_close (self->lecture_files))
    return GDK_EVENT_STOP;
  if (self->keeps_session && is_last (self))
    normscope_files_save_session (self->files);
  normscope_window_save_geometry (self);
  return GTK_WINDOW_CLASS (normscope_window_parent_class)->close_request (window);
}

/* ---- actions ---- */

void
normscope_window_show_message (NormscopeWindow *self, const char *message)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  g_return_if_fail (message != NULL);
  normscope_message_show (self->message, message, MESSAGE_S);
}

static void
show_message_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_window_show_message (NORMSCOPE_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
new_seed_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_session_new_seed (NORMSCOPE_WINDOW (widget)->session);
}

void
normscope_window_open (NormscopeWindow *self, GFile *file)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  g_return_if_fail (G_IS_FILE (file));
  normscope_files_open (self->files, file);
}

void
normscope_window_keep_session (NormscopeWindow *self, gboolean restore)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  self->keeps_session = TRUE;
  normscope_lecture_files_keep (self->lecture_files);
  normscope_files_keep (self->files);
  if (!restore)
    return;
  normscope_files_restore_session (self->files);
  normscope_window_offer (self);
}

void
normscope_window_offer (NormscopeWindow *self)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  normscope_lecture_files_offer (self->lecture_files);
}

gboolean
normscope_window_can_offer (void)
{
  return normscope_lecture_files_can_offer () || normscope_files_can_offer ();
}

void
normscope_window_leave (NormscopeWindow *self, gboolean saves_session)
{
  g_return_if_fail (NORMSCOPE_IS_WINDOW (self));
  normscope_lecture_files_leave (self->lecture_files);
  normscope_files_leave (self->files);
  if (saves_session)
    normscope_files_save_session (self->files);
  normscope_window_save_geometry (self);
}

/* Undo typing in a focused text field first. Spin buttons are excluded: their numbers are settings. */
static gboolean
activate_on_text (NormscopeWindow *self, const char *action)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (focus == NULL || gtk_widget_get_ancestor (focus, GTK_TYPE_SPIN_BUTTON) != NULL)
    return FALSE;
  return (GTK_IS_TEXT (focus) || GTK_IS_TEXT_VIEW (focus)) && gtk_widget_activate_action (focus, action, NULL);
}

static void
undo_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  if (activate_on_text (self, "text.undo"))
    return;
  if (normscope_window_lecture_has_focus (self))
    normscope_lecture_session_undo (self->lecture);
  else
    normscope_session_undo (self->session);
}

static void
redo_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (widget);

  if (activate_on_text (self, "text.redo"))
    return;
  if (normscope_window_lecture_has_focus (self))
    normscope_lecture_session_redo (self->lecture);
  else
    normscope_session_redo (self->session);
}

/* Either history may have a step; the focus decides which one is meant. */
void
normscope_window_enable_undo (NormscopeWindow *self)
{
  gboolean lecture_undo = self->lecture != NULL && normscope_lecture_session_can_undo (self->lecture);
  gboolean lecture_redo = self->lecture != NULL && normscope_lecture_session_can_redo (self->lecture);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo",
                                 normscope_session_can_undo (self->session) || lecture_undo);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.redo",
                                 normscope_session_can_redo (self->session) || lecture_redo);
}

static void
set_memory_budget (NormscopeWindow *self)
{
  normscope_engine_set_memory_budget (self->engine, normscope_session_get_memory_budget (self->session));
}

/* The last window that was active stays in front, also while a dialog or another program is. */
static void
is_active_cb (NormscopeWindow *self)
{
  if (self->engine != NULL && gtk_window_is_active (GTK_WINDOW (self)))
    normscope_engine_set_front (self->engine);
}

static void
show_title (NormscopeWindow *self)
{
  const char *name = normscope_files_get_title (self->files);
  /* Translators: the title of the window; %s is the name of a document */
  g_autofree char *title = g_strdup_printf (_ ("%s — Normscope"), name);

  gtk_window_set_title (GTK_WINDOW (self), title);
  normscope_update_label (self->document_label, name);
  normscope_window_enable_undo (self);
}

static gboolean
drop_cb (NormscopeWindow *self, const GValue *value)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  normscope_files_open (self->files, files->data);
  return TRUE;
}

static void
accept_drops (NormscopeWindow *self)
{
  GtkWidget *content = adw_application_window_get_content (ADW_APPLICATION_WINDOW (self));
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_object (target, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_SWAPPED);
  /* Framed by the style sheet while a file is over it. */
  gtk_widget_add_css_class (content, "drop-area");
  gtk_widget_add_controller (content, GTK_EVENT_CONTROLLER (target));
}

static void
toggle_axis (NormscopeWindow *self, gboolean is_first)
{
  GtkWidget *view = adw_view_stack_get_visible_child (self->views);

  if (view == GTK_WIDGET (self->scaling_view))
    normscope_scaling_view_toggle_axis (self->scaling_view, is_first);
  else if (view == GTK_WIDGET (self->flow_view))
    normscope_flow_view_toggle_axis (self->flow_view,
                                     is_first ? NORMSCOPE_GRADIENT_PANEL : NORMSCOPE_ACTIVATION_PANEL);
  else if (view == GTK_WIDGET (self->paths_view))
    normscope_paths_axis_toggle (normscope_paths_view_get_plot (self->paths_view), self->session, is_first ? 0 : 1);
  else if (view == GTK_WIDGET (self->training_view))
    normscope_training_toggle_axis (self->session);
}

static void
show_view_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  adw_view_stack_set_visible_child_name (NORMSCOPE_WINDOW (widget)->views, g_variant_get_string (parameter, NULL));
}

/* The axis of the upper plot, or the vertical one. */
static void
toggle_first_axis_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  toggle_axis (NORMSCOPE_WINDOW (widget), TRUE);
}

/* The axis of the lower plot, or the horizontal one. */
static void
toggle_second_axis_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  toggle_axis (NORMSCOPE_WINDOW (widget), FALSE);
}

static void
undo_set_up_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  normscope_scaling_view_undo (NORMSCOPE_WINDOW (widget)->scaling_view);
}

/* ---- the object ---- */

NormscopeSession *
normscope_window_get_session (NormscopeWindow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WINDOW (self), NULL);
  return self->session;
}

NormscopeFiles *
normscope_window_get_files (NormscopeWindow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WINDOW (self), NULL);
  return self->files;
}

static void
normscope_window_dispose (GObject *object)
{
  NormscopeWindow *self = NORMSCOPE_WINDOW (object);

  /* These actions hold references to children, and GTK may keep actions longer than the window. */
  g_action_map_remove_action (G_ACTION_MAP (self), "show-sidebar");
  g_action_map_remove_action (G_ACTION_MAP (self), "fold-wiring");
  if (self->runner != NULL)
    normscope_runner_stop (self->runner);
  g_clear_object (&self->runner);
  if (self->reference_runner != NULL)
    normscope_reference_runner_stop (self->reference_runner);
  g_clear_object (&self->reference_runner);
  g_clear_pointer (&self->engine, normscope_engine_unref);
  g_clear_object (&self->files);
  normscope_window_clear_lecture (self);
  /* A spin button that loses the focus because the window closes still sets its number. */
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_object (&self->settings);
  normscope_window_clear_verified (self);
  normscope_window_dispose_help (self);
  G_OBJECT_CLASS (normscope_window_parent_class)->dispose (object);
}

/* GTK 4.8 never frees a popover that is open when its window closes. Those within it close first. */
static void
close_popovers (GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    close_popovers (child);
  if (GTK_IS_POPOVER (widget))
    gtk_popover_popdown (GTK_POPOVER (widget));
}

/* Hide the surface first: a view that stops as it is unmapped sets tooltips, and GTK 4.8 would wait half a second to
 * show one in a window whose surface is gone by then. */
static void
normscope_window_unmap (GtkWidget *widget)
{
  close_popovers (widget);
  gdk_surface_hide (gtk_native_get_surface (GTK_NATIVE (widget)));
  GTK_WIDGET_CLASS (normscope_window_parent_class)->unmap (widget);
}

static void
normscope_window_class_init (NormscopeWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_window_dispose;
  widget_class->unmap = normscope_window_unmap;
  GTK_WINDOW_CLASS (klass)->close_request = normscope_window_close_request;

  normscope_window_install_present (widget_class);
  g_type_ensure (NORMSCOPE_TYPE_DISPLAY_GROUP);
  g_type_ensure (NORMSCOPE_TYPE_FLOW_VIEW);
  g_type_ensure (NORMSCOPE_TYPE_MESSAGE);
  g_type_ensure (NORMSCOPE_TYPE_PATHS_VIEW);
  g_type_ensure (NORMSCOPE_TYPE_SCALING_VIEW);
  g_type_ensure (NORMSCOPE_TYPE_SIDEBAR);
  g_type_ensure (NORMSCOPE_TYPE_TRAINING_VIEW);
  g_type_ensure (NORMSCOPE_TYPE_WIRING_SHELF);
  g_type_ensure (NORMSCOPE_TYPE_WIRING_STRIP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-window.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, presenter);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, header);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, switcher);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, message);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, title);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, wiring_strip);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, views);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, flow_view);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, paths_view);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, scaling_view);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, training_view);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, presets_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, view_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, display_group);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, document_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeWindow, main_button);

  gtk_widget_class_install_action (widget_class, "win.show-message", "s", show_message_cb);
  gtk_widget_class_install_action (widget_class, "win.new-seed", NULL, new_seed_cb);
  normscope_window_install_presets (widget_class);
  normscope_window_install_shipped (widget_class);
  gtk_widget_class_install_action (widget_class, "win.show-view", "s", show_view_cb);
  gtk_widget_class_install_action (widget_class, "win.toggle-first-axis", NULL, toggle_first_axis_cb);
  gtk_widget_class_install_action (widget_class, "win.toggle-second-axis", NULL, toggle_second_axis_cb);
  gtk_widget_class_install_action (widget_class, "win.undo-set-up", NULL, undo_set_up_cb);
  gtk_widget_class_install_action (widget_class, "win.undo", NULL, undo_cb);
  gtk_widget_class_install_action (widget_class, "win.redo", NULL, redo_cb);
  normscope_window_install_exports (widget_class);
  normscope_window_install_verify (widget_class);
  normscope_window_install_look (widget_class);
  normscope_window_install_lecture (widget_class);
  normscope_window_install_play (widget_class);
  normscope_window_install_training (widget_class);
  normscope_window_install_help (widget_class);
  /* Bindings, not accelerators: a focused text field handles these keys first. */
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_v, GDK_CONTROL_MASK, "win.paste-link", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_l, 0, "win.toggle-first-axis", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_k, 0, "win.toggle-second-axis", NULL);
}

/* Name each page of one figure after it, unless the template names it. */
static void
name_views (NormscopeWindow *self)
{
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    {
      const NsFigureInfo *info = ns_figure_info (kind);
      GtkWidget *view = adw_view_stack_get_child_by_name (self->views, info->id);

      if (view != NULL && adw_view_stack_page_get_title (adw_view_stack_get_page (self->views, view)) == NULL)
        adw_view_stack_page_set_title (adw_view_stack_get_page (self->views, view), _ (info->title));
    }
}

static void
normscope_window_init (NormscopeWindow *self)
{
  g_autoptr (GPropertyAction) show_sidebar = NULL;
  g_autoptr (GPropertyAction) fold_wiring = NULL;
  g_autoptr (NormscopeScalingRunner) scaling_runner = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  normscope_popovers_guard_focus (GTK_WINDOW (self));
  normscope_flap_set_up (self->flap);
  normscope_window_init_help (self);
  show_sidebar = g_property_action_new ("show-sidebar", self->flap, "reveal-flap");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (show_sidebar));
  fold_wiring = g_property_action_new ("fold-wiring", self->wiring_strip, "folded");
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (fold_wiring));
  normscope_menus_show (self->presets_button, "presets");
  normscope_menus_show (self->main_button, "main");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.undo-set-up", FALSE);

  name_views (self);
  self->session = normscope_session_new ();
  normscope_window_load_settings (self);
  self->engine = normscope_engine_new_for_window (normscope_session_get_memory_budget (self->session));
  self->runner = normscope_runner_new (self->engine);
  scaling_runner = normscope_scaling_runner_new (self->engine);
  self->reference_runner = normscope_reference_runner_new (self->session, self->engine);
  normscope_session_clear_history (self->session);
  self->files = normscope_files_new (GTK_APPLICATION_WINDOW (self), self->session);
  g_signal_connect_object (self->files, "notify::title", G_CALLBACK (show_title), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (normscope_window_enable_undo), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (set_memory_budget), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (normscope_window_apply_text_size), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (normscope_window_apply_text_size), NULL);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (is_active_cb), NULL);
  normscope_window_apply_text_size (self);
  show_title (self);
  accept_drops (self);
  g_signal_connect_object (self->session, "changed::settings", G_CALLBACK (normscope_window_save_view), self,
                           G_CONNECT_SWAPPED);
  normscope_sidebar_set_session (self->sidebar, self->session);
  normscope_display_group_set_session (self->display_group, self->session);
  normscope_wiring_strip_set_session (self->wiring_strip, self->session, self->runner, scaling_runner);
  normscope_flow_view_set_session (self->flow_view, self->session, self->runner);
  normscope_paths_view_set_session (self->paths_view, self->session, self->runner, self->engine);
  normscope_scaling_view_set_session (self->scaling_view, self->session, scaling_runner, self->message);
  normscope_window_bind_training (self);
  normscope_window_bind_lecture (self);
  normscope_window_bind_presenter (self);
}

NormscopeWindow *
normscope_window_new (GtkApplication *application)
{
  return g_object_new (NORMSCOPE_TYPE_WINDOW, "application", application, NULL);
}
