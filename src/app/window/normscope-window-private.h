/* Shared by the files of the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/flow/normscope-flow-view.h"
#include "app/scaling/normscope-scaling-view.h"
#include "app/sidebar/normscope-display-group.h"
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
  GtkMenuButton *presets_button, *main_button, *view_button;
  NormscopeDisplayGroup *display_group; /* in the popover of view_button */
  GtkLabel *document_label;

  NormscopeSession *session;
  NormscopeEngine *engine; /* of both views: they share its memory budget */
  NormscopeRunner *runner;
  NormscopeFiles *files;
  gboolean keeps_session;            /* save the session on closing, for the next start */
  GSettings *settings;               /* NULL if the schema is not installed: nothing is saved then */
  NsExperiment *verified_experiment; /* of the last self-check, or NULL */
  char *verified;                    /* its statement for exports, or NULL if it has not passed */
};

/* ---- normscope-window-settings.c: view and geometry in GSettings ---- */

/* Open the settings, if their schema is installed, and apply them. Call it before the views are bound. */
void normscope_window_load_settings (NormscopeWindow *self);
/* Save the view if it is among the NormscopeChange flags. */
void normscope_window_save_view (NormscopeWindow *self, guint change);
void normscope_window_save_geometry (NormscopeWindow *self);

/* ---- normscope-window-presets.c ---- */

void normscope_window_install_presets (GtkWidgetClass *widget_class);

/* ---- normscope-window-exports.c ---- */

void normscope_window_install_exports (GtkWidgetClass *widget_class);

/* ---- normscope-window-look.c: full screen, text size, help ---- */

void normscope_window_install_look (GtkWidgetClass *widget_class);
void normscope_window_apply_text_size (NormscopeWindow *self);

/* ---- normscope-window-verify.c: the self-check ---- */

void normscope_window_install_verify (GtkWidgetClass *widget_class);
/* Return the statement for exports of the experiment, or NULL if it is not the one that passed the self-check. Borrowed
 * until the next self-check. */
const char *normscope_window_get_verified (NormscopeWindow *self, const NsExperiment *experiment);
void normscope_window_clear_verified (NormscopeWindow *self);

G_END_DECLS
