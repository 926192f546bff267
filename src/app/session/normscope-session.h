/* The state of a window: an experiment, its selected variant, and how results are shown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every view and control binds to one session. A change creates a new state and goes through one function, which emits
 * "changed"; states are never edited in place, so undo only needs a list of former states.
 *
 * The experiment as a whole may be invalid (heads that do not divide d_model) while each value is in its range. Then
 * normscope_session_get_error() returns why, and nothing runs until the experiment is valid again.
 *
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "app/session/normscope-view.h"
#include "engine/experiment/ns-params.h"
#include "engine/train/ns-training.h"
#include "figures/ns-flow.h"
#include "figures/ns-scaling-settings.h"
#include "figures/ns-scaling.h"
#include "figures/table/ns-view-choice.h"

G_BEGIN_DECLS

/* Flags of the signal "changed". */
typedef enum
{
  NORMSCOPE_CHANGED_EXPERIMENT = 1 << 0, /* the numbers change */
  NORMSCOPE_CHANGED_VARIANTS = 1 << 1,   /* the list: number, names, colours, visibility */
  NORMSCOPE_CHANGED_SELECTED = 1 << 2,
  NORMSCOPE_CHANGED_VIEW = 1 << 3,    /* the same numbers, shown differently */
  NORMSCOPE_CHANGED_SCALING = 1 << 4, /* the settings of the scaling view */
  NORMSCOPE_CHANGED_REPLACED = 1 << 5, /* another experiment replaced it: show no former curves */
  NORMSCOPE_CHANGED_CURSOR = 1 << 6,   /* the crosshair, which may follow the pointer; alone, see below */
  NORMSCOPE_CHANGED_MARKS = 1 << 7,   /* pins, notes and references on the flow figure */
  NORMSCOPE_CHANGED_PATHS = 1 << 8,   /* the figure of the Paths view, or an option of it */
  NORMSCOPE_CHANGED_TRAINING = 1 << 9, /* settings of training alone: all results stay valid; not CHANGED_EXPERIMENT */
  NORMSCOPE_CHANGED_TRAINING_FIGURE = 1 << 10, /* the figure of the Training view, or an option of it */
  NORMSCOPE_CHANGED_STEP = 1 << 11,            /* the step that the Training view is at; alone, as the crosshair */
  /* All that may change when variants are added or removed. */
  NORMSCOPE_CHANGED_LIST = NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_SELECTED,
} NormscopeChange;

#define NORMSCOPE_TYPE_SESSION (normscope_session_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSession, normscope_session, NORMSCOPE, SESSION, GObject)

/* Signal "changed" (guint of NormscopeChange flags): emitted once after each change. Setting the present value changes
 * nothing and emits nothing. "changed::settings" comes for every change but those of the crosshair and the step,
 * "changed::cursor" for those. */
NormscopeSession *normscope_session_new (void);

/* Return the experiment, borrowed and unchanged until the next "changed". */
const NsExperiment *normscope_session_get_experiment (NormscopeSession *self);
/* Return why the experiment cannot run, borrowed, or NULL. */
const GError *normscope_session_get_error (NormscopeSession *self);

/* Replace the experiment by a valid one, which is taken, and reset the looks of its variants. */
void normscope_session_take_experiment (NormscopeSession *self, NsExperiment *experiment);

/* The same with another document: one that is opened, as a file or a preset. The caller numbers the documents; the
 * first is 0. Undo brings back the number with the experiment. */
void normscope_session_take_document (NormscopeSession *self, NsExperiment *experiment, guint document);
/* The same, and show a choice of its view, in the same step of undo. */
void normscope_session_take_document_in (NormscopeSession *self, NsExperiment *experiment, guint document,
                                         const NsViewChoice *choice);
guint normscope_session_get_document (NormscopeSession *self);

/* Return to an earlier experiment, which is copied. Variants keep their looks if their number is the same. */
void normscope_session_revert (NormscopeSession *self, const NsExperiment *experiment);

/* Write the experiment to a file, completely or not at all. Fail if the file cannot be written, or if the experiment is
 * invalid, since such a file could not be opened. */
gboolean normscope_session_save (NormscopeSession *self, GFile *file, GError **error);

/* ---- undo of experiment, looks, view, the figure of the paths and scaling settings; the selection is restored with
 * them ---- */

/* Changes of one slider, spin button or text within a second of each other are one step. */
gboolean normscope_session_can_undo (NormscopeSession *self);
gboolean normscope_session_can_redo (NormscopeSession *self);
/* Undo or redo one step, if there is one. */
void normscope_session_undo (NormscopeSession *self);
void normscope_session_redo (NormscopeSession *self);
/* Make the next change a step of its own, so that undo can stop at the present state. */
void normscope_session_end_step (NormscopeSession *self);
/* Drop all steps, because another document begins. Emits no signal. */
void normscope_session_clear_history (NormscopeSession *self);

/* ---- parameters; those of variants are the selected variant's ---- */

/* Return the struct to pass to ns_param_get_*(), borrowed until the next "changed". */
gconstpointer normscope_session_get_base (NormscopeSession *self, const NsParam *param);
/* Return the value as a number, as controls show it: the index of a choice, the number of a scale, and
 * normscope_session_get_post_fraction() for post_fraction. NAN if there is none. */
double normscope_session_get_value (NormscopeSession *self, const NsParam *param);
/* Set a value. Fail with an NS_EXPERIMENT_ERROR and change nothing if the value is out of range. Null is 0 for an
 * integer and NS_NULL_CHOICE for a choice or boolean. */
gboolean normscope_session_set_int (NormscopeSession *self, const NsParam *param, gint64 value, GError **error);
gboolean normscope_session_set_number (NormscopeSession *self, const NsParam *param, double value, GError **error);
gboolean normscope_session_set_scale (NormscopeSession *self, const NsParam *param, NsScale value, GError **error);
gboolean normscope_session_set_text (NormscopeSession *self, const NsParam *param, const char *text, GError **error);
/* Give an experiment of random vectors a text to predict, its own or the sample text, and any the loss of predicted
 * tokens: one step of undo. */
void normscope_session_predict_tokens (NormscopeSession *self);
/* Set the default of the parameter table. */
void normscope_session_reset (NormscopeSession *self, const NsParam *param);

/* Return the placement of a sub-layer's norm in the selected variant: its own, or the one that post_fraction gives to
 * all blocks; -1 if post_fraction mixes two. NS_NULL_CHOICE for cross-attention means the same as self-attention. */
int normscope_session_get_placement (NormscopeSession *self, NsSub sub);
/* Set the placement of a sub-layer's norm and unset post_fraction. */
void normscope_session_set_placement (NormscopeSession *self, NsSub sub, int placement);
/* Return the position of the selected variant between Pre-LN (0) and Post-LN (1); NAN if it is neither. */
double normscope_session_get_post_fraction (NormscopeSession *self);
/* Set another random seed. */
void normscope_session_new_seed (NormscopeSession *self);

/* ---- variants ---- */

guint normscope_session_get_n_variants (NormscopeSession *self);
guint normscope_session_get_selected (NormscopeSession *self);
void normscope_session_select (NormscopeSession *self, guint variant);
const NormscopeVariantLook *normscope_session_get_look (NormscopeSession *self, guint variant);

/* Append a variant, which is taken, make its name unique, and select it. Fail if the list is full. */
gboolean normscope_session_take_variant (NormscopeSession *self, NsVariant *variant, GError **error);
gboolean normscope_session_duplicate_variant (NormscopeSession *self, guint variant, GError **error);
/* Fail for the last variant: an experiment has at least one. */
gboolean normscope_session_remove_variant (NormscopeSession *self, guint variant, GError **error);
/* Replace a variant by a changed copy of it, which is taken, and select it: one step. Its automatic name follows. */
void normscope_session_take_rewired (NormscopeSession *self, guint variant, NsVariant *rewired);
/* Set the name, without the white space around it and the characters that a name cannot have (ns_text_dup_name()); an
 * empty one restores the automatic name (ns-variant-name.h). Fail if the name is taken. */
gboolean normscope_session_rename_variant (NormscopeSession *self, guint variant, const char *typed, GError **error);
void normscope_session_set_hidden (NormscopeSession *self, guint variant, gboolean hidden);
/* Set the colour of a variant; NULL restores the colour of the palette. */
void normscope_session_set_color (NormscopeSession *self, guint variant, const NsColor *color);

/* ---- the Paths view ---- */

/* Return the chosen figure and its options, borrowed until the next "changed". */
const NsViewChoice *normscope_session_get_paths (NormscopeSession *self);
/* Set them. Return FALSE if nothing differs. */
gboolean normscope_session_set_paths (NormscopeSession *self, const NsViewChoice *choice);
/* Get the options of the chosen figure, with the variants' looks; their pointers are borrowed until the next
 * "changed". */
void normscope_session_get_paths_options (NormscopeSession *self, NsFigureOptions *options);

/* ---- the Training view ---- */

const NsViewChoice *normscope_session_get_training (NormscopeSession *self);
gboolean normscope_session_set_training (NormscopeSession *self, const NsViewChoice *choice);
/* Get the options of the chosen figure as normscope_session_get_paths_options() does, and those of the flow figure for
 * the blocks. */
void normscope_session_get_training_options (NormscopeSession *self, NsFigureOptions *options);

/* Return the step of a training that is looked at; −1: the last one there is. Neither undone nor saved. */
gint64 normscope_session_get_step (NormscopeSession *self);
/* Set it. Emits "changed" with NORMSCOPE_CHANGED_STEP alone. */
void normscope_session_set_step (NormscopeSession *self, gint64 step);

/* Keep a recording, or NULL, for the document that is taken next. One of a single step is no training. */
void normscope_session_set_recording (NormscopeSession *self, NsTraining *recording);
/* Return the recorded training of the document that has just been taken, and keep it no longer; caller owns it. NULL if
 * there is none. */
NsTraining *normscope_session_take_recording (NormscopeSession *self);

/* ---- both, by the name of the view (ns-view-choice.h) ---- */

const NsViewChoice *normscope_session_get_choice (NormscopeSession *self, const char *view);
gboolean normscope_session_set_choice (NormscopeSession *self, const NsViewChoice *choice);
/* Return the flag of "changed" that stands for changes of the choice. */
guint normscope_session_get_choice_change (const char *view);

/* ---- the scaling view ---- */

/* Return the settings, borrowed until the next "changed". */
const NsScalingSettings *normscope_session_get_scaling (NormscopeSession *self);
/* Set the settings. Return FALSE if nothing differs. */
gboolean normscope_session_set_scaling (NormscopeSession *self, const NsScalingSettings *settings);
/* Replace the experiment, which is taken, and the settings in one step. Return FALSE if nothing differs. */
gboolean normscope_session_take_set_up (NormscopeSession *self, NsExperiment *experiment,
                                        const NsScalingSettings *settings);

/* ---- marks on the flow figure; another document (normscope_session_take_document()) keeps only the references ---- */

/* Return the marks, borrowed until the next "changed"; never NULL. */
const NsMarks *normscope_session_get_marks (NormscopeSession *self);
/* Set the marks, which are taken, as one step of undo. Fail with an NS_EXPERIMENT_ERROR and change nothing if they are
 * invalid. */
gboolean normscope_session_take_marks (NormscopeSession *self, NsMarks *marks, GError **error);
/* Add the first step of a recording as a kept curve; its colour comes after those of the variants. Errors as above. */
gboolean normscope_session_keep_recording (NormscopeSession *self, const NsTraining *recording, GError **error);
/* Set the result that was computed for references with that experiment; no step of undo. `variant` is its index in the
 * result. */
void normscope_session_set_reference_result (NormscopeSession *self, const NsExperiment *experiment, NsResult *result,
                                             guint variant);

/* ---- everything at once ---- */

/* All that the views show: what a step of a lecture brings. */
typedef struct
{
  NsExperiment *experiment; /* valid; taken by normscope_session_take_scene() */
  NormscopeVariantLook looks[NS_MAX_VARIANTS];
  NormscopeView view;
  NsViewChoice paths;
  NsViewChoice training;
  gint64 step; /* of a training; −1: the last one */
  NsScalingSettings scaling;
  NsMarks *marks; /* valid; taken */
  double cursor;
  guint document; /* as in normscope_session_take_document() */
} NormscopeScene;

/* Show a scene as one step of undo; the first variant that is not hidden is selected. An equal experiment is not
 * computed again, and marks keep results of references that they had before. */
void normscope_session_take_scene (NormscopeSession *self, NormscopeScene *scene);

/* ---- the view ---- */

const NormscopeView *normscope_session_get_view (NormscopeSession *self);
void normscope_session_set_view (NormscopeSession *self, const NormscopeView *view);
/* Return the memory budget of the view in bytes. */
guint64 normscope_session_get_memory_budget (NormscopeSession *self);
/* Get the options of the flow figure; their pointers are borrowed until the next "changed". */
void normscope_session_get_flow_options (NormscopeSession *self, NsFlowOptions *options);

/* ---- the crosshair: neither undone nor saved ---- */

/* Return the position of the crosshair on the flow axis, as in ns_flow_readout(); NAN: there is none. It may be beyond
 * the last block for a moment, until the figure of a shallower stack is there. */
double normscope_session_get_cursor (NormscopeSession *self);
/* Move the crosshair; NAN hides it. Emits "changed" with NORMSCOPE_CHANGED_CURSOR alone. */
void normscope_session_set_cursor (NormscopeSession *self, double x);

/* ---- presenting: neither saved nor undone ---- */

/* Show text at this scale instead of the view's while presenting; 0 returns to the view's. */
void normscope_session_present_text (NormscopeSession *self, double text_scale);
/* Return the scale of text on the screen: that of presenting, else that of the view. */
double normscope_session_get_text_scale (NormscopeSession *self);
/* Set the scale of text on the screen: while presenting for this time only, else in the view. */
void normscope_session_set_text_scale (NormscopeSession *self, double text_scale);

/* Return TRUE while presenting, when letters and wires are for a hall. */
gboolean normscope_session_is_presented (NormscopeSession *self);
/* While a step is about the wiring itself, it is the largest thing on the screen. */
void normscope_session_set_wiring_is_subject (NormscopeSession *self, gboolean is_subject);
gboolean normscope_session_get_wiring_is_subject (NormscopeSession *self);

/* While a question is open, show axes without anything measured: no curves, sentences, read-outs or values. */
void normscope_session_set_asking (NormscopeSession *self, gboolean asking);
gboolean normscope_session_get_asking (NormscopeSession *self);

/* Begin a history of its own for a presentation, and end it: then the former one goes on. */
void normscope_session_begin_presentation (NormscopeSession *self);
void normscope_session_end_presentation (NormscopeSession *self);

G_END_DECLS
