/* Lectures: a title, a language, and steps that each have an experiment, a view, texts and perhaps a question.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps and lectures are immutable once shared: to change one, change a copy. A copy of a lecture shares its steps, so
 * that an undo list of hundreds of lectures costs little.
 *
 * Threads: a lecture or step that is no longer changed may be read, taken and dropped by any thread.
 */
#pragma once

#include "engine/experiment/ns-settings.h"
#include "figures/ns-marks.h"
#include "figures/ns-scaling-settings.h"
#include "figures/table/ns-figure-table.h"
#include "lecture/ns-question.h"

G_BEGIN_DECLS

/* Limits that keep a hostile file small. */
#define NS_LECTURE_MAX_STEPS 400
#define NS_LECTURE_MAX_TITLE_BYTES 400u

/* ---- the view ---- */

/* What a step shows of its experiment, a plain value. */
typedef struct
{
  NsFigureKind figure;
  /* The options of the figure's row in the table, and `flow.band` for every figure. The rest is unused: borrowed
   * pointers are NULL, options of the scaling figure follow from `scaling`. */
  NsFigureOptions options;
  NsScalingSettings scaling; /* of the scaling figure, or of the sweep that a question needs */
  guint64 hidden;            /* bit v: variant v is not shown */
  double cursor;             /* the crosshair on the axis of blocks, as in ns_flow_readout(); NAN: none */
  double text_scale;         /* 0.75 to 2; 0: as the window has it */
  int styles[NS_MAX_VARIANTS]; /* index of each variant's colour, dash and marker in the palette */
  gboolean has_color[NS_MAX_VARIANTS];
  NsColor colors[NS_MAX_VARIANTS]; /* where has_color */
} NsLectureView;

/* Set the defaults: the flow figure of ns_flow_options_init(), no crosshair, the colours of the palette. */
void ns_lecture_view_init (NsLectureView *view);
/* Compare all but the settings of a sweep, which ns_lecture_step_equal() compares where one is needed. */
gboolean ns_lecture_view_equal (const NsLectureView *a, const NsLectureView *b);

/* ---- steps ---- */

typedef struct
{
  gatomicrefcount refs;
  char *title;              /* one line, owned, never NULL or empty */
  char *text;               /* markup of ns-prose.h, owned, never NULL */
  char *notes;              /* for the speaker, plain text, owned, never NULL */
  NsExperiment *experiment; /* owned, valid */
  NsLectureView view;
  NsMarks *marks;           /* pins, notes and references; owned; NULL: none. Results of references are not kept */
  NsQuestion *question;     /* owned; NULL: none */
} NsLectureStep;

/* Return a step with empty texts; takes the experiment, which must be valid. Caller owns it. */
NsLectureStep *ns_lecture_step_new (const char *title, NsExperiment *experiment);
/* Return a deep copy to change. */
NsLectureStep *ns_lecture_step_copy (const NsLectureStep *step);
NsLectureStep *ns_lecture_step_ref (NsLectureStep *step);
void ns_lecture_step_unref (NsLectureStep *step);
gboolean ns_lecture_step_equal (const NsLectureStep *a, const NsLectureStep *b);
/* Return TRUE if the step can be written and read back; else an NS_DOCUMENT_ERROR_INPUT that begins with the key
 * ("question.choices[1].test: …"). Checks the markup of its texts, too. */
gboolean ns_lecture_step_validate (const NsLectureStep *step, GError **error);

/* Set the options of the figure as the step shows it; what they borrow lives as long as the step. `sweep` may be NULL
 * unless the figure needs one. */
void ns_lecture_step_get_options (const NsLectureStep *step, const NsSweep *sweep, NsFigureOptions *options);

/* Return TRUE if a step can show the figure. */
gboolean ns_lecture_can_show (NsFigureKind figure);
/* Return TRUE if that must be computed to show the step or to answer its question. */
gboolean ns_lecture_step_needs (const NsLectureStep *step, NsFigureNeeds needs);
/* Return what takes long among it, "8 trainings of 300 steps"; translated, caller frees. NULL: nothing. */
char *ns_lecture_step_dup_work (const NsLectureStep *step);
/* Return the sweep of the step's scaling settings, without values. NULL and an NS_EXPERIMENT_ERROR if a point of it is
 * impossible. Caller owns it. */
NsSweep *ns_lecture_step_new_sweep (const NsLectureStep *step, GError **error);
/* Return the paths that the step's figure shows, without values; NULL with an error as ns_paths_new(). Caller owns
 * them. */
NsPaths *ns_lecture_step_new_paths (const NsLectureStep *step, GError **error);
/* Return the training that the step shows or asks about, without a step; NULL with an error as ns_training_new().
 * Caller owns it. */
NsTraining *ns_lecture_step_new_training (const NsLectureStep *step, GError **error);
/* Set the rows and columns of the step's sensitivity map, those of the window's; clear the plan. */
void ns_lecture_step_init_sensitivity_plan (const NsLectureStep *step, NsSensitivityPlan *plan);
/* Return that map, empty; NULL with an error as ns_sensitivity_new(). Caller owns it. */
NsSensitivity *ns_lecture_step_new_sensitivity (const NsLectureStep *step, GError **error);

/* ---- lectures ---- */

typedef struct
{
  gatomicrefcount refs;
  char *title;      /* one line, owned, never NULL or empty */
  char *language;   /* "en", "de", "pt_BR"; owned, never NULL; "" if it is not known */
  GPtrArray *steps; /* NsLectureStep, owned references; 0 .. NS_LECTURE_MAX_STEPS */
} NsLecture;

/* Return a lecture without steps. Caller owns it. */
NsLecture *ns_lecture_new (const char *title, const char *language);
/* Return a lecture of the same steps, to change its title, language or list. */
NsLecture *ns_lecture_copy (const NsLecture *lecture);
NsLecture *ns_lecture_ref (NsLecture *lecture);
void ns_lecture_unref (NsLecture *lecture);
gboolean ns_lecture_equal (const NsLecture *a, const NsLecture *b);

guint ns_lecture_get_n_steps (const NsLecture *lecture);
/* Return a step, owned by the lecture. */
NsLectureStep *ns_lecture_get_step (const NsLecture *lecture, guint step);

/* ---- changes of a copy ---- */

/* Insert before `index`, or append at the number of steps. Takes the step. */
void ns_lecture_take_step (NsLecture *lecture, guint index, NsLectureStep *step);
/* Put another step, which is taken, in the place of one. */
void ns_lecture_replace_step (NsLecture *lecture, guint index, NsLectureStep *step);
void ns_lecture_remove_step (NsLecture *lecture, guint index);
/* Move a step so that it has the index `to` afterwards. */
void ns_lecture_move_step (NsLecture *lecture, guint from, guint to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsLectureStep, ns_lecture_step_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsLecture, ns_lecture_unref)

G_END_DECLS
