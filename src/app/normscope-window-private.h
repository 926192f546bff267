/* What the parts of the window share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/normscope-flow-view.h"
#include "app/normscope-runner.h"
#include "app/normscope-scaling-view.h"
#include "app/normscope-sidebar.h"
#include "app/normscope-window.h"

G_BEGIN_DECLS

struct _NormscopeWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwViewSwitcherTitle *title;
  AdwFlap *flap;
  NormscopeSidebar *sidebar;
  AdwViewStack *views;
  NormscopeFlowView *flow_view;
  NormscopeScalingView *scaling_view;
  GtkMenuButton *presets_button;
  GtkLabel *document_label;
  GMenu *recent_menu;
  GtkRevealer *warning_revealer;
  GtkLabel *warning_label;

  NormscopeSession *session;
  NormscopeRunner *runner;
  NormscopeFiles *files;
  gboolean remembered; /* it comes back at the next start */
  GSettings *settings; /* NULL where the schema is not installed: nothing is remembered */
};

/* ---- normscope-window-settings.c: what is remembered in GSettings ---- */

/* Before the views are bound: opens the settings, where there are any, and puts them in place. */
void normscope_window_load_settings (NormscopeWindow *self);
/* After every change of the view. */
void normscope_window_save_view (NormscopeWindow *self, guint change);
void normscope_window_save_geometry (NormscopeWindow *self);

/* ---- normscope-window-exports.c: the ways out for what is on the screen ---- */

void normscope_window_install_exports (GtkWidgetClass *widget_class);

G_END_DECLS
