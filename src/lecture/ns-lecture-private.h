/* Shared by the files of this room.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/ns-json-writer.h"
#include "lecture/ns-lecture-object.h"
#include "lecture/ns-lecture.h"

G_BEGIN_DECLS

/* The largest index of a colour of the palette that a file may name. */
#define NS_LECTURE_MAX_STYLE 1000

/* The lists of options that a view of the figure has, as files have them; NULL for none. The first one is that of the
 * figure's row (those of a sweep are settings), the second that of what the window shows beside it. */
#define NS_LECTURE_OPTION_LISTS 2
const NsFigureOption *ns_lecture_list_options (NsFigureKind figure, guint list);

/* ---- ns-question.c ---- */

/* Return TRUE if the test compares with a second point. */
gboolean ns_test_has_over (const NsTest *test);
/* Return the ids of the kinds of questions, NULL-terminated; static. */
const char *const *ns_question_get_kind_ids (void);

/* ---- ns-question-table.c ---- */

/* Evaluate a WIRING. */
gboolean ns_test_matches_wiring (const NsTest *test, const NsExperiment *experiment);

/* ---- ns-lecture-check.c ---- */

/* Set an NS_DOCUMENT_ERROR_INPUT, "KEY: …", unless there is an error already, and return FALSE. */
gboolean ns_lecture_refuse (GError **error, const char *key, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* Check a text: at most NS_PROSE_MAX_BYTES, no control characters but line feeds and tabs. `is_markup` texts must be
 * valid markup. */
gboolean ns_lecture_check_text (const char *key, const char *text, gboolean is_markup, GError **error);
/* Resolve NS_PART_STACK to the decoder of an encoder-decoder. */
NsPart ns_point_get_part (const NsPoint *point, const NsExperiment *experiment);

/* ---- ns-question-training.c ---- */

/* Get the loss of a variant at a step. FALSE if no run has reached it. */
gboolean ns_question_measure_loss (const NsTraining *training, guint variant, int step, NsSummary *loss);
gboolean ns_question_has_outcome (const NsTraining *training, guint variant, NsOutcome outcome);
/* Return what was recorded at a step, owned by the caller; NULL when memory is refused. */
NsResult *ns_question_dup_result (const NsTraining *training, int step);
/* Add the quantities that a question asks of a training. */
void ns_question_add_recorded (const NsQuestion *question, NsQuantitySet *quantities);
/* Refuse the key if the experiment cannot be trained, or if the point's step is not one of its training. */
gboolean ns_question_check_training (const char *key, const NsExperiment *experiment, GError **error);
gboolean ns_question_check_step (const NsPoint *point, const char *key, const NsExperiment *experiment,
                                 GError **error);

/* ---- ns-question-json.c ---- */

/* Read a part's name, or the name of a quantity. */
void ns_object_get_part (NsObject *object, const char *key, NsPart *part);
gboolean ns_object_get_quantity (NsObject *object, const char *key, NsQuantity *quantity);
NsQuestion *ns_question_read (NsObject *object, const char *key, const NsExperiment *experiment);
void ns_question_write (NsJsonWriter *writer, const char *key, const NsQuestion *question,
                        const NsExperiment *experiment);

/* ---- ns-lecture-view-json.c ---- */

void ns_lecture_view_read (NsObject *object, const char *key, NsLectureStep *step);
void ns_lecture_view_write (NsJsonWriter *writer, const char *key, const NsLectureStep *step);

/* ---- ns-lecture-marks-json.c ---- */

/* Read and write "pins", "notes" and "references" as members of the view. */
void ns_lecture_marks_read (NsObject *view, NsLectureStep *step);
void ns_lecture_marks_write (NsJsonWriter *writer, const NsLectureStep *step);

/* ---- ns-lecture-write.c ---- */

/* Write a text as a string, or as an array of its lines. */
void ns_lecture_write_text (NsJsonWriter *writer, const char *key, const char *text);
/* Return a colour as "#d55e00"; caller frees. Read one; FALSE if the text is none. */
char *ns_lecture_dup_color (const NsColor *color);
gboolean ns_lecture_color_from_text (const char *text, NsColor *color);

G_END_DECLS
