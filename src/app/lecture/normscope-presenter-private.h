/* Shared by the files of the presenter.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "app/lecture/normscope-aside.h"
#include "app/lecture/normscope-last-action.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter-bar.h"
#include "app/lecture/normscope-presenter-notes.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/lecture/normscope-sketch.h"
#include "app/lecture/normscope-stage.h"
#include "app/work/normscope-scaling-runner.h"

G_BEGIN_DECLS

/* A question on the screen. */
typedef struct
{
  NsLectureStep *of;             /* the step of the lecture, or NULL */
  NsLectureStep *step;           /* with the experiment on the screen; NULL: there is no question */
  NormscopeQuestionCard *card;   /* borrowed, in the aside */
  NormscopeSketch *sketch;       /* an overlay, or NULL */
  guint panel;                   /* of the sketch */
  double *guess;                 /* after the reveal: what was drawn from guess_first on, or NULL */
  gint64 guess_first;
  guint n_guess;
  /* What the answer needs, or NULL; measured after a moment, or when it is shown. */
  NormscopeTask *run, *sweep, *training;
  gboolean is_measured;          /* these are made, for the experiment on the screen */
  NsTraining *trained;           /* finished, or NULL: that of the view, where the step shows a training */
  guint measure_id, progress_id;
  gboolean is_wanted;            /* show the answer as soon as it is known */
  gboolean is_open;              /* the values are hidden */
} NormscopeAsked;

struct _NormscopePresenter
{
  AdwBin parent_instance;

  GtkOverlay *overlay;
  NormscopeStage *stage;
  NormscopeSession *session;

  NormscopeLectureSession *lecture; /* or NULL */
  NormscopeScalingRunner *measuring;
  NormscopePlot *plots[NS_N_FIGURES]; /* borrowed; NULL where a figure has no view */

  gboolean presenting;
  gboolean with_lecture;
  NormscopeAside *aside; /* in the stage */
  GtkWidget *notes;      /* a window of its own, weak, or NULL */
  NormscopeEngine *engine;
  gint64 started_at;     /* monotonic */
  guint document;        /* of the step on the screen (normscope-session.h) */
  NormscopeAsked asked;
  GHashTable *kept;      /* of the questions asked so far, or NULL: normscope-presenter-kept.c */
  /* While presenting: parts of the stage, an overlay, and what is restored at the end; all borrowed. */
  NormscopePresenterBar *bar;
  NormscopePalette *palette;
  NormscopeLastAction *action;
  GtkWidget *blank;
  GtkEventController *keys; /* of the window, which owns it */
  GtkWidget *former_focus;  /* weak, or NULL */
  gboolean was_fullscreen;  /* before presenting */
  gboolean is_fullscreen;   /* the window manager has confirmed it since */
  double pointer_x, pointer_y;
  double text_scale;        /* the last one that was chosen for the user */
};

/* ---- normscope-presenter.c ---- */

void normscope_presenter_set_blank (NormscopePresenter *self, gboolean blank);
gboolean normscope_presenter_is_blank (NormscopePresenter *self);

/* Set the size of text for the monitor, at least the view's and `least`, unless the user has changed it meanwhile. */
void normscope_presenter_choose_text (NormscopePresenter *self, double least);

/* ---- normscope-presenter-steps.c ---- */

void normscope_presenter_begin_lecture (NormscopePresenter *self);
void normscope_presenter_end_lecture (NormscopePresenter *self);
void normscope_presenter_install_steps (GtkWidgetClass *widget_class);

/* ---- normscope-presenter-sketch.c ---- */

/* Let the plots hide their values while the question is open, or show them. */
void normscope_presenter_set_filters (NormscopePresenter *self, gboolean is_asking);
void normscope_presenter_add_sketch (NormscopePresenter *self);
void normscope_presenter_remove_sketch (NormscopePresenter *self);
/* Keep what was drawn, to be shown beside the measured curve. */
void normscope_presenter_keep_guess (NormscopePresenter *self);
/* Say how far the kept guess is off; caller frees. */
char *normscope_presenter_dup_sketch_error (NormscopePresenter *self, const NsAnswer *answer);
/* Take the focus from a widget that is about to go, and from what is in it. */
void normscope_presenter_take_focus_out (NormscopePresenter *self, gpointer widget);

/* ---- normscope-presenter-question.c ---- */

/* Ask the question of a step; return its card, or NULL if there is none. */
GtkWidget *normscope_presenter_ask (NormscopePresenter *self, const NsLectureStep *step);
/* Show the answer, as soon as it is measured. Return FALSE if no question is open. */
gboolean normscope_presenter_reveal (NormscopePresenter *self);
void normscope_presenter_end_question (NormscopePresenter *self);
/* The experiment was changed live: the answer is measured of the new one. */
void normscope_presenter_update_question (NormscopePresenter *self);

/* ---- normscope-presenter-kept.c ---- */

/* Keep hands, number and sketch of the question, which is about to go. */
void normscope_presenter_keep_hands (NormscopePresenter *self);
/* Give a question that has been asked before what was kept of it. */
void normscope_presenter_restore_hands (NormscopePresenter *self);

/* ---- normscope-presenter-keys.c ---- */

/* Return a new controller that handles the keys of a presentation in a window, before its widgets. */
GtkEventController *normscope_presenter_new_keys (NormscopePresenter *self);

G_END_DECLS
