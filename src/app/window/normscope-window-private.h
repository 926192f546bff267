/* What the parts of the window share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/flow/normscope-flow-view.h"
#include "app/scaling/normscope-scaling-view.h"
#include "app/sidebar/normscope-sidebar.h"
#include "app/window/normscope-window.h"
#include "app/work/normscope-runner.h"
#include "engine/experiment/ns-settings.h"

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
  NsExperiment *verified_experiment; /* that "Verify" was asked for last, or NULL */
  char *verified;                    /* what exports of it state, or NULL: it has not passed */
};

/* ---- normscope-window-settings.c: what is remembered in GSettings ---- */

/* Before the views are bound: opens the settings, where there are any, and puts them in place. */
void normscope_window_load_settings (NormscopeWindow *self);
/* After every change of the view. */
void normscope_window_save_view (NormscopeWindow *self, guint change);
void normscope_window_save_geometry (NormscopeWindow *self);

/* ---- normscope-window-presets.c: what there is to begin with ---- */

void normscope_window_install_presets (GtkWidgetClass *widget_class);
/* The menu of the presets button. */
void normscope_window_fill_presets (NormscopeWindow *self);

/* ---- normscope-window-exports.c: the ways out for what is on the screen ---- */

void normscope_window_install_exports (GtkWidgetClass *widget_class);

/* ---- normscope-window-verify.c: the self-check ---- */

void normscope_window_install_verify (GtkWidgetClass *widget_class);
/* What an export of the experiment states of it, or NULL: it is not the one that passed. Borrowed until the next
 * check. */
const char *normscope_window_get_verified (NormscopeWindow *self, const NsExperiment *experiment);
void normscope_window_forget_verified (NormscopeWindow *self);

G_END_DECLS
