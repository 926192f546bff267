/* What the window is about: an experiment, the variant in hand, and how it is shown.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every view and control binds to one session. A change makes a new state and goes through one function, which
 * tells what changed; nothing is edited in place, so a list of former states is all that undo needs.
 *
 * The experiment may be impossible as a whole (heads that do not divide d_model) while each value is in its range:
 * normscope_session_get_error() then says why, and nothing runs until it is possible again.
 *
 * Threads: main.
 */
#pragma once

#include <gio/gio.h>

#include "app/session/normscope-scaling-settings.h"
#include "document/ns-unknown-keys.h"
#include "engine/experiment/ns-params.h"
#include "figures/ns-flow.h"
#include "figures/ns-scaling.h"

G_BEGIN_DECLS

/* What a "changed" signal carries; any of them together. */
typedef enum
{
  NORMSCOPE_CHANGED_EXPERIMENT = 1 << 0, /* other numbers are wanted */
  NORMSCOPE_CHANGED_VARIANTS = 1 << 1,   /* the list: how many, their names, colours, visibility */
  NORMSCOPE_CHANGED_SELECTED = 1 << 2,
  NORMSCOPE_CHANGED_VIEW = 1 << 3,       /* the same numbers, shown differently */
  NORMSCOPE_CHANGED_SCALING = 1 << 4,    /* what the scaling view sweeps, and how it draws it */
  /* Variants came or went, and so did numbers. */
  NORMSCOPE_CHANGED_LIST = NORMSCOPE_CHANGED_EXPERIMENT | NORMSCOPE_CHANGED_VARIANTS | NORMSCOPE_CHANGED_SELECTED,
} NormscopeChange;

/* How the results are shown. */
typedef struct
{
  NsQuantity gradient;
  NsQuantity activation;
  gboolean log_gradient, log_activation;
  gboolean band;
  gboolean ghost;
  gboolean predictions;
  NsTokenCosMode token_cos;
  double text_scale; /* 1..2 */
  guint memory_mib;  /* that the engines may keep, from the next run on */
} NormscopeView;

/* How one variant is shown. */
typedef struct
{
  gboolean hidden;
  int style;          /* its place in the palette, kept while others come and go */
  gboolean has_color; /* a colour of the user's */
  NsColor color;
} NormscopeVariantLook;

#define NORMSCOPE_TYPE_SESSION (normscope_session_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeSession, normscope_session, NORMSCOPE, SESSION, GObject)

/* Signal "changed" (NormscopeChange flags): after the change, once for each. A setter that is given the present
 * value changes nothing and emits nothing. */
NormscopeSession *normscope_session_new (void);

/* Borrowed; it stays as it is until the next "changed". */
const NsExperiment *normscope_session_get_experiment (NormscopeSession *self);
/* Why the experiment cannot run as it stands, or NULL; borrowed. */
const GError *normscope_session_get_error (NormscopeSession *self);

/* Replaces the experiment, with its variants' looks; takes it, and it must be valid. */
void normscope_session_take_experiment (NormscopeSession *self, NsExperiment *experiment);
/* The same with another document's, and with the keys of its file that are unknown here (nullable): takes both. */
void normscope_session_take_document (NormscopeSession *self, NsExperiment *experiment, NsUnknownKeys *unknown);
/* They stay with the document through every change, and are written with it; borrowed, or NULL. */
const NsUnknownKeys *normscope_session_get_unknown_keys (NormscopeSession *self);

/* Back to an experiment that was shown before; variants keep their looks where there are as many. Copies it. */
void normscope_session_revert (NormscopeSession *self, const NsExperiment *experiment);

/* Writes the experiment, whole or not at all. FALSE with an error when it cannot run, since it could not be opened
 * again then, or when the file cannot be written. */
gboolean normscope_session_save (NormscopeSession *self, GFile *file, GError **error);

/* ---- undo: of the experiment, the looks, the view, the sweep; what is selected comes along ---- */

/* Changes of one slider, spin button or text that follow each other within a second are one step. */
gboolean normscope_session_can_undo (NormscopeSession *self);
gboolean normscope_session_can_redo (NormscopeSession *self);
/* Nothing happens when there is no step. */
void normscope_session_undo (NormscopeSession *self);
void normscope_session_redo (NormscopeSession *self);
/* The next change is a step of its own: what was saved can be come back to. */
void normscope_session_end_step (NormscopeSession *self);
/* Nothing before this moment can be undone: another document begins. No signal. */
void normscope_session_clear_history (NormscopeSession *self);

/* ---- parameters: those of variants are read from and written to the selected one ---- */

/* What ns_param_get_*() reads from; borrowed until the next "changed". */
gconstpointer normscope_session_get_base (NormscopeSession *self, const NsParam *param);
/* The value as one number, as a control shows it: a choice's index, a scale's number, for post_fraction
 * normscope_session_get_post_fraction(). NAN: there is none. */
double normscope_session_get_value (NormscopeSession *self, const NsParam *param);
/* FALSE and an NS_EXPERIMENT_ERROR when the value is out of its range; nothing is changed then. An integer's null is
 * 0, a choice's or boolean's NS_NULL_CHOICE. */
gboolean normscope_session_set_int (NormscopeSession *self, const NsParam *param, gint64 value, GError **error);
gboolean normscope_session_set_number (NormscopeSession *self, const NsParam *param, double value, GError **error);
gboolean normscope_session_set_scale (NormscopeSession *self, const NsParam *param, NsScale value, GError **error);
gboolean normscope_session_set_text (NormscopeSession *self, const NsParam *param, const char *text, GError **error);
/* Back to the table's default. */
void normscope_session_reset (NormscopeSession *self, const NsParam *param);

/* The placement shown for a sub-layer of the selected variant: its own, or what post_fraction makes of every
 * block; -1 when post_fraction mixes two. Of the cross-attention NS_NULL_CHOICE: as the attention. */
int normscope_session_get_placement (NormscopeSession *self, NsSub sub);
/* Places by hand, which ends the rule of post_fraction. */
void normscope_session_set_placement (NormscopeSession *self, NsSub sub, int placement);
/* Where the selected variant stands between Pre-LN (0) and Post-LN (1); NAN when it is neither. */
double normscope_session_get_post_fraction (NormscopeSession *self);
/* A seed not used before. */
void normscope_session_new_seed (NormscopeSession *self);

/* ---- variants ---- */

guint normscope_session_get_n_variants (NormscopeSession *self);
guint normscope_session_get_selected (NormscopeSession *self);
void normscope_session_select (NormscopeSession *self, guint variant);
const NormscopeVariantLook *normscope_session_get_look (NormscopeSession *self, guint variant);

/* Adds one at the end and selects it; takes the variant, whose name is made unique. FALSE when the list is full. */
gboolean normscope_session_take_variant (NormscopeSession *self, NsVariant *variant, GError **error);
gboolean normscope_session_duplicate_variant (NormscopeSession *self, guint variant, GError **error);
/* FALSE for the last one: there is always a curve. */
gboolean normscope_session_remove_variant (NormscopeSession *self, guint variant, GError **error);
/* FALSE when the name is empty or taken. */
gboolean normscope_session_rename_variant (NormscopeSession *self, guint variant, const char *name, GError **error);
void normscope_session_set_hidden (NormscopeSession *self, guint variant, gboolean hidden);
/* NULL: the palette's colour again. */
void normscope_session_set_color (NormscopeSession *self, guint variant, const NsColor *color);

/* ---- the sweep ---- */

/* Borrowed until the next "changed". */
const NormscopeScalingSettings *normscope_session_get_scaling (NormscopeSession *self);
/* FALSE: nothing differs. */
gboolean normscope_session_set_scaling (NormscopeSession *self, const NormscopeScalingSettings *settings);
/* An experiment and what is swept of it, as one step; takes the experiment. FALSE: nothing differs. */
gboolean normscope_session_take_set_up (NormscopeSession *self, NsExperiment *experiment,
                                        const NormscopeScalingSettings *settings);

/* ---- the view ---- */

const NormscopeView *normscope_session_get_view (NormscopeSession *self);
void normscope_session_set_view (NormscopeSession *self, const NormscopeView *view);
/* The view's memory_mib in bytes. */
guint64 normscope_session_get_memory_budget (NormscopeSession *self);
/* The options of the flow figure; its pointers are borrowed until the next "changed". */
void normscope_session_get_flow_options (NormscopeSession *self, NsFlowOptions *options);
/* Likewise those of the scaling figure that the session knows: band, colours, styles, who is hidden. */
void normscope_session_get_scaling_options (NormscopeSession *self, NsScalingOptions *options);

G_END_DECLS
