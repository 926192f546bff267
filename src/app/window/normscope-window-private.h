/* Shared by the files of the window.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/flow/normscope-flow-view.h"
#include "app/help/normscope-tour.h"
#include "app/lecture/normscope-lecture-ahead.h"
#include "app/lecture/normscope-presenter.h"
#include "app/paths/normscope-paths-axis.h"
#include "app/paths/normscope-paths-view.h"
#include "app/scaling/normscope-scaling-view.h"
#include "app/shared/normscope-message.h"
#include "app/sidebar/normscope-display-group.h"
#include "app/sidebar/normscope-sidebar.h"
#include "app/training/normscope-training-view.h"
#include "app/window/normscope-lecture-files.h"
#include "app/wiring/normscope-wiring-strip.h"
#include "app/window/normscope-window.h"
#include "app/work/normscope-reference-runner.h"
#include "app/work/normscope-runner.h"
#include "engine/experiment/ns-settings.h"
#include "script/ns-dump.h"

G_BEGIN_DECLS

struct _NormscopeWindow
{
  AdwApplicationWindow parent_instance;

  NormscopePresenter *presenter; /* around everything else */
  AdwHeaderBar *header;
  GtkWidget *switcher; /* of the views, below them in a narrow window */
  gboolean had_sidebar, had_claims; /* before presenting */
  NormscopeMessage *message;
  guint undo_offer; /* the number of the message of win.offer-undo */
  AdwViewSwitcherTitle *title;
  AdwFlap *flap;
  NormscopeSidebar *sidebar;
  NormscopeWiringStrip *wiring_strip;
  AdwViewStack *views;
  NormscopeFlowView *flow_view;
  NormscopePathsView *paths_view;
  NormscopeScalingView *scaling_view;
  NormscopeTrainingView *training_view;
  GtkMenuButton *presets_button, *main_button, *view_button;
  NormscopeDisplayGroup *display_group; /* in the popover of view_button */
  GtkLabel *document_label;
  AdwFlap *help_flap;     /* the views, and help beside them */
  GtkWidget *help_return; /* weak: what had the focus before help opened, or NULL */
  NormscopeTour *tour;    /* the bubbles, or NULL */

  NormscopeSession *session;
  NormscopeEngine *engine; /* of all views: they share its memory budget */
  NormscopeRunner *runner;
  NormscopeReferenceRunner *reference_runner;
  NormscopeFiles *files;
  NormscopeLectureSession *lecture; /* perhaps none is open */
  NormscopeLectureFiles *lecture_files;
  NormscopeLectureAhead *lecture_ahead;
  AdwFlap *lecture_flap; /* the panel to the right of the views */
  GtkStack *lecture_panel; /* in it: "reader" and "editor" */
  gboolean had_panel;    /* before presenting */
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

/* Return what a PyTorch script computes, too: the map or the training that is on the screen. Caller frees. */
NsScriptParts *normscope_window_dup_parts (NormscopeWindow *self);
void normscope_window_install_exports (GtkWidgetClass *widget_class);

/* ---- normscope-window-help.c: help beside the views, the bubbles of the first start ---- */

void normscope_window_install_help (GtkWidgetClass *widget_class);
/* Put the views into the flap that help opens in. Call it after the template. */
void normscope_window_init_help (NormscopeWindow *self);
void normscope_window_dispose_help (NormscopeWindow *self);

/* ---- normscope-window-look.c: text size, preferences ---- */

void normscope_window_install_look (GtkWidgetClass *widget_class);
void normscope_window_apply_text_size (NormscopeWindow *self);

/* ---- normscope-window-present.c: full screen, presenting ---- */

/* Call it before the template is set. */
void normscope_window_install_present (GtkWidgetClass *widget_class);
void normscope_window_bind_presenter (NormscopeWindow *self);

/* ---- normscope-window-lecture.c ---- */

void normscope_window_install_lecture (GtkWidgetClass *widget_class);
/* Create the lecture's session, document and panel. Call it before the presenter is bound. */
void normscope_window_bind_lecture (NormscopeWindow *self);
void normscope_window_clear_lecture (NormscopeWindow *self);
/* Return TRUE while the focus is in the lecture's panel. */
gboolean normscope_window_lecture_has_focus (NormscopeWindow *self);

/* ---- normscope-window.c ---- */

/* Enable the actions undo and redo as there are steps. */
void normscope_window_enable_undo (NormscopeWindow *self);

/* ---- normscope-window-shipped.c: the lectures that come with the program ---- */

void normscope_window_install_shipped (GtkWidgetClass *widget_class);

/* ---- normscope-window-verify.c: the self-check ---- */

void normscope_window_install_verify (GtkWidgetClass *widget_class);
/* Return the statement for exports of the experiment, or NULL if it is not the one that passed the self-check. Borrowed
 * until the next self-check. */
const char *normscope_window_get_verified (NormscopeWindow *self, const NsExperiment *experiment);
void normscope_window_clear_verified (NormscopeWindow *self);

/* ---- normscope-window-training.c: the Training view in the window ---- */

void normscope_window_install_training (GtkWidgetClass *widget_class);
void normscope_window_bind_training (NormscopeWindow *self);

/* ---- normscope-window-play.c ---- */

void normscope_window_install_play (GtkWidgetClass *widget_class);

G_END_DECLS
