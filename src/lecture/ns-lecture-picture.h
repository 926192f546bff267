/* Pictures of steps, and a hand-out of a whole lecture as PDF or HTML.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing runs here: the caller computes what a step needs.
 * Threads: any one thread at a time.
 */
#pragma once

#include "lecture/ns-lecture.h"
#include "plot/ns-export.h"

G_BEGIN_DECLS

/* What is computed for a step; each member is owned, and NULL where it is not needed. */
typedef struct
{
  NsResult *result;
  NsSweep *sweep;
  NsPaths *paths;
  NsTraining *training;
  NsSensitivity *sensitivity;
  NsCoordinateCheck *coordinates;
  NsMarks *marks; /* a copy of the step's marks with the results of its references */
} NsLectureEvidence;

void ns_lecture_evidence_clear (NsLectureEvidence *evidence);

/* Run what the step shows and asks, and its references. Blocks. FALSE with an error as ns_engine_run(). Clear the
 * evidence in any case. */
gboolean ns_lecture_step_compute (const NsLectureStep *step, NsEngine *engine, NsProgress *progress,
                                  NsLectureEvidence *evidence, GError **error);

/* Draw the step's figure with its background in [0, width] × [0, height] px, and in *sentence (nullable) its
 * description, NULL if it has none; caller frees. Without the training or the map that it shows, the picture says what
 * will be trained. FALSE after an error of Cairo, as in ns-draw.h. */
gboolean ns_lecture_step_draw (const NsLectureStep *step, const NsLectureEvidence *evidence, cairo_t *cr,
                               const NsTheme *theme, double width, double height, char **sentence);
/* Return that description alone. */
char *ns_lecture_step_dup_sentence (const NsLectureStep *step, const NsLectureEvidence *evidence, const NsTheme *theme);
/* Return the step's figure as the bytes of a picture, with its experiment; parameters as for ns_figure_export(). */
GBytes *ns_lecture_step_export (const NsLectureStep *step, const NsLectureEvidence *evidence, const NsTheme *theme,
                                NsExportFormat format, double width, double height, double scale,
                                const char *software, GError **error);

/* Return the name of a step's picture, "07-cut-the-wires.svg": the number counts from 1 and has as many digits as the
 * number of steps, but at least two; letters other than ASCII remain. Caller frees. */
char *ns_lecture_dup_picture_name (const NsLecture *lecture, guint step, const char *extension);

typedef enum { NS_PAPER_A4, NS_PAPER_LETTER } NsPaper;

/* Return the hand-out: titles, texts, figures, sentences and questions of all steps, and the measured answers at the
 * end. `evidence` and `answers` have an element for each step; the answer of a step without a question is not read.
 * NULL and an NS_EXPORT_ERROR if it cannot be drawn. */
GBytes *ns_lecture_make_handout (const NsLecture *lecture, const NsLectureEvidence *evidence, const NsAnswer *answers,
                                 NsPaper paper, const char *software, GError **error);

/* Return the same as one HTML file, which needs nothing beside it: formulas in MathML, figures as SVG with their
 * experiments. NULL and an NS_EXPORT_ERROR if a figure cannot be drawn. */
GBytes *ns_lecture_make_html (const NsLecture *lecture, const NsLectureEvidence *evidence, const NsAnswer *answers,
                              const char *software, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsLectureEvidence, ns_lecture_evidence_clear)

G_END_DECLS
