/* Marks that a user puts on the flow figure: pins, notes and arrows, and reference curves.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A plain value without a drawing: a mark names a block and a curve, so it stays right when the numbers change. A mark
 * whose block or curve a figure does not have is kept and not drawn.
 *
 * Threads: any; a value belongs to one thread, the results in it may be shared.
 */
#pragma once

#include "engine/experiment/ns-quantity.h"
#include "engine/run/ns-result.h"
#include "plot/ns-figure.h"

G_BEGIN_DECLS

/* The most marks of each kind, and characters of a text or name. */
#define NS_MARKS_MAX_PINS 32u
#define NS_MARKS_MAX_NOTES 32u
#define NS_MARKS_MAX_REFERENCES 8u
#define NS_MARKS_MAX_CHARACTERS 200u

/* A block of a part of the stack; block 0 is the part's input. */
typedef struct
{
  NsPart part;
  gint64 block;
} NsPlace;

/* Shows the values of all visible curves at a block or, with a second block, their ratios, first to second. */
typedef struct
{
  NsQuantityKind panel; /* the quantities of the panel: gradients, activations or the cosine */
  NsPlace place;
  gboolean has_other;
  NsPlace other;
} NsPin;

typedef enum
{
  NS_NOTE_TEXT,  /* words beside a value */
  NS_NOTE_ARROW, /* an arrow to a value, with or without words */
} NsNoteKind;

/* Words about one value of one curve. */
typedef struct
{
  NsNoteKind kind;
  char *text;          /* one line; may be empty for an arrow alone */
  NsPlace place;
  NsQuantity quantity; /* drawn while the figure shows this quantity */
  int variant;         /* index in the experiment */
  int figure;          /* an NsFigureKind whose curves or maps have no quantity; 0: whatever shows `quantity` */
  gboolean has_column; /* in a map, whose row is `place` */
  NsPlace column;
} NsNote;

/* A curve that was kept: one variant with its experiment. */
typedef struct
{
  char *name;               /* one line */
  NsExperiment *experiment; /* has exactly one variant; owned */
  NsResult *result;         /* its numbers, referenced; NULL until they are computed (again) */
  guint variant;            /* index in the result; 0 without one */
  gboolean is_recorded;     /* the result is a recording of another model and does not follow from the experiment */
  int style;                /* index of its colour, >= 0 */
  gboolean has_color;       /* `color` replaces that of the style */
  NsColor color;
} NsReference;

typedef struct
{
  GArray *pins;          /* NsPin */
  GPtrArray *notes;      /* NsNote, owned */
  GPtrArray *references; /* NsReference, owned */
} NsMarks;

/* The lists of marks; a mark's id in drawings names its list and its index there. */
typedef enum { NS_MARKS_PINS, NS_MARKS_NOTES, NS_MARKS_REFERENCES, NS_N_MARKS_LISTS } NsMarksList;

#define NS_MARKS_ID(list, index) ((int) (list) << 16 | (int) (index))
#define NS_MARKS_ID_LIST(id) ((NsMarksList) ((id) >> 16))
#define NS_MARKS_ID_INDEX(id) ((guint) ((id) % 0x10000))

/* Return a value without marks. Caller frees it, as that of every function here. */
NsMarks *ns_marks_new (void);
NsMarks *ns_marks_copy (const NsMarks *marks); /* NULL gives NULL */
void ns_marks_free (NsMarks *marks);           /* NULL is allowed */
/* Return TRUE if both have the same marks in the same order. NULL equals a value without marks. The results of
 * references, which follow from their experiments, do not count, unless they are recorded. */
gboolean ns_marks_equal (const NsMarks *a, const NsMarks *b);
gboolean ns_marks_are_empty (const NsMarks *marks); /* also NULL */

/* Return FALSE and an NS_EXPERIMENT_ERROR with the key at fault ("pins[2].block", "notes[0].text",
 * "references[1].experiment") unless numbers, texts and experiments of the marks are allowed. Whether a block exists is
 * a matter of the figure. */
gboolean ns_marks_validate (const NsMarks *marks, GError **error);

/* ---- edit; the maximum of each kind is checked by ns_marks_validate() ---- */

gboolean ns_place_equal (const NsPlace *a, const NsPlace *b);
/* Return TRUE if the experiment has the block. */
gboolean ns_place_exists (const NsPlace *place, const NsExperiment *experiment);

/* Return the index of the pin without a second block at a place of a panel, or −1. */
int ns_marks_find_pin (const NsMarks *marks, NsQuantityKind panel, const NsPlace *place);
/* Append copies; `text` is copied. */
void ns_marks_add_pin (NsMarks *marks, const NsPin *pin);
NsNote *ns_marks_add_note (NsMarks *marks, const NsNote *note);
/* Append a reference to one variant of the experiment, which is copied with that variant alone. `result`, if any, is
 * one of the same experiment and is referenced. The name is made unique. */
NsReference *ns_marks_add_reference (NsMarks *marks, const char *name, const NsExperiment *experiment, guint variant,
                                     NsResult *result);

/* Append a recording, the result of ns_recording_from_bytes(). */
NsReference *ns_marks_add_recording (NsMarks *marks, NsResult *recording);

/* Return the number of marks in a list, 0 for NULL. */
guint ns_marks_get_n (const NsMarks *marks, NsMarksList list);
/* Remove a mark that exists. */
void ns_marks_remove (NsMarks *marks, int id);

/* Remove the notes of a variant that leaves the list, and renumber those of the variants after it. */
void ns_marks_remove_variant (NsMarks *marks, guint variant);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsMarks, ns_marks_free)

G_END_DECLS
