/* Questions of a lecture, and the tests that decide which answer is right.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A question stores no answer: each choice has a test over the result, a number is an expression that is measured, and
 * a sketch is compared with the measured curve. docs/LECTURES.md describes the kinds of tests with examples.
 *
 * Numbers are means over the seeds: geometric ones of gradient norms and activations, arithmetic ones of cosines and
 * the loss.
 *
 * Threads: a question belongs to one thread until it is part of a step (ns-lecture.h), which is immutable.
 */
#pragma once

#include "engine/run/ns-result.h"
#include "engine/run/ns-sweep.h"
#include "engine/train/ns-training.h"

G_BEGIN_DECLS

/* Limits that keep a hostile file small. */
#define NS_QUESTION_MAX_CHOICES 9 /* as many as number keys */
#define NS_TEST_MAX_DEPTH 4
#define NS_TEST_MAX_PARTS 8

/* ---- tests ---- */

typedef enum
{
  NS_TEST_TREND,     /* how a curve runs over the blocks */
  NS_TEST_VALUE,     /* a number within min..max */
  NS_TEST_RATIO,     /* a number over another one within min..max */
  NS_TEST_COMPARE,   /* a number is larger than, near or smaller than another one */
  NS_TEST_EXTREME,   /* of all visible variants, this one has the largest or the smallest number */
  NS_TEST_EXPONENT,  /* the exponent of the sweep within min..max */
  NS_TEST_LAW,       /* the closest law of the sweep */
  NS_TEST_OUTCOME,   /* the variant's training learns, stalls or diverges */
  NS_TEST_WIRING,    /* the variant is wired as a built-in one */
  NS_TEST_OTHERWISE, /* no other choice is right */
  NS_TEST_ALL,       /* every one of `parts` */
  NS_TEST_ANY,       /* at least one of `parts` */
  NS_TEST_NOT,       /* not the one of `parts` */
  NS_N_TESTS
} NsTestKind;

/* The words of TREND, COMPARE, EXTREME and OUTCOME, in the order of ns_test_get_words(). */
typedef enum
{
  NS_RUNS_FALLS,
  NS_RUNS_FLAT,
  NS_RUNS_RISES,
  NS_RUNS_PEAKS,
  NS_RUNS_DIPS,
  NS_RUNS_ZERO,
  NS_RUNS_NOT_FINITE,
} NsRuns;
typedef enum { NS_COMPARES_LARGER, NS_COMPARES_NEAR, NS_COMPARES_SMALLER } NsCompares;
typedef enum { NS_EXTREME_LARGEST, NS_EXTREME_SMALLEST } NsExtreme;
/* A training that stalls ends at the entropy of single symbols (ns_losses_stall()), one that diverges in NaN or
 * infinity for at least one seed. One that does neither and whose loss does not fall has none of these. */
typedef enum { NS_OUTCOME_LEARNS, NS_OUTCOME_STALLS, NS_OUTCOME_DIVERGES } NsOutcome;

/* The block of a number: l > 0 is block l, and these. */
enum { NS_BLOCK_FIRST = 1, NS_BLOCK_LAST = -1, NS_BLOCK_INPUT = -2, NS_BLOCK_MAX = -3, NS_BLOCK_MIN = -4 };

/* The step of a number: t >= 0, or the last one. */
enum { NS_STEP_LAST = -1 };

/* A measured number: of a variant and a quantity at a block of a part. NS_PART_STACK means the decoder of an
 * encoder-decoder. The block has no effect on a quantity of the head. A loss in a training is the mean over the last
 * steps up to this one (ns_training_get_smooth_loss()), and infinite after the last step of one that diverges. */
typedef struct
{
  guint variant;
  NsQuantity quantity;
  NsPart part;
  int block;
  gboolean in_training; /* else at initialization */
  int step;             /* in a training */
} NsPoint;

typedef struct
{
  NsTestKind kind;
  NsPoint of, over;
  gboolean has_over; /* EXPONENT: of the ratio of two variants */
  /* The expected word: NsRuns, NsCompares, NsExtreme, NsLaw, NsOutcome, or a row of ns_builtin_variants(). */
  guint word;
  double min, max;   /* −INFINITY and INFINITY: unbounded */
  GPtrArray *parts;  /* NsTest, owned; NULL unless ALL, ANY or NOT */
} NsTest;

/* What a test reads, as bits: the fields of the struct that a kind has in files and in an editor. */
typedef enum
{
  NS_TEST_HAS_VARIANT = 1 << 0,
  NS_TEST_HAS_QUANTITY = 1 << 1,
  NS_TEST_HAS_PART = 1 << 2,
  NS_TEST_HAS_BLOCK = 1 << 3,
  NS_TEST_HAS_OVER = 1 << 4, /* a second point, with the fields of the first */
  NS_TEST_HAS_RANGE = 1 << 5,
  NS_TEST_HAS_WORD = 1 << 6,
  NS_TEST_HAS_PARTS = 1 << 7,
  NS_TEST_HAS_OPTIONAL_OVER = 1 << 8, /* a second variant, if has_over */
  NS_TEST_HAS_STEP = 1 << 9,
} NsTestFields;

typedef struct
{
  const char *id;       /* "trend", in files; never changes */
  const char *title;    /* "A curve falls, is flat or rises", N_() marked */
  guint fields;         /* NsTestFields */
  gboolean needs_sweep; /* reads the sweep; the others read the result, or the training where they have a step */
  gboolean needs_training;
  gboolean is_number;   /* can be the expression of a number question */
} NsTestInfo;

const NsTestInfo *ns_test_info (NsTestKind kind);
/* Return FALSE when there is no kind of that id. */
gboolean ns_test_kind_from_id (const char *id, NsTestKind *kind);
/* Return the words that a kind accepts in files, NULL-terminated, static; NULL without NS_TEST_HAS_WORD. */
const char *const *ns_test_get_words (NsTestKind kind);
/* Return a word as it is shown, "falls", "1/√L", "Post-LN". Translated; caller frees. */
char *ns_test_dup_word (NsTestKind kind, guint word);

/* Return a new test of a kind with defaults: variant 0, the blocks' gradient norm, the last block over the first one.
 * Caller owns it. */
NsTest *ns_test_new (NsTestKind kind);
NsTest *ns_test_copy (const NsTest *test);
void ns_test_free (NsTest *test);
gboolean ns_test_equal (const NsTest *a, const NsTest *b);

/* ---- questions ---- */

typedef enum
{
  NS_QUESTION_NONE,
  NS_QUESTION_CHOICE, /* which of the texts is right? */
  NS_QUESTION_NUMBER, /* how large is the expression? */
  NS_QUESTION_SKETCH, /* how does the curve run? */
  NS_N_QUESTIONS
} NsQuestionKind;

typedef struct
{
  char *text; /* markup of ns-prose.h, owned, never empty */
  NsTest *test;
} NsChoice;

typedef struct
{
  NsQuestionKind kind;
  char *text;         /* the question, markup of ns-prose.h, owned, never NULL */
  GPtrArray *choices; /* NsChoice, owned; CHOICE: 2 .. NS_QUESTION_MAX_CHOICES; else empty */
  NsTest *number;     /* NUMBER: a kind with is_number, whose range is not used; else NULL */
  NsPoint curve;      /* SKETCH: the block has no meaning */
} NsQuestion;

/* Return "none", "choice", "number" or "sketch"; static. */
const char *ns_question_kind_get_id (NsQuestionKind kind);
/* Return a question without text of a kind; a choice has two empty ones that test a trend. Caller owns it. */
NsQuestion *ns_question_new (NsQuestionKind kind);
NsQuestion *ns_question_copy (const NsQuestion *question);
void ns_question_free (NsQuestion *question);
gboolean ns_question_equal (const NsQuestion *a, const NsQuestion *b);
/* Append a choice; takes the test. */
void ns_question_take_choice (NsQuestion *question, const char *text, NsTest *test);

/* Check variants, parts, blocks, quantities and texts against an experiment. The error is an NS_DOCUMENT_ERROR_INPUT
 * that begins with the key ("choices[1].test.variant: …"). NULL and NS_QUESTION_NONE are valid. */
gboolean ns_question_validate (const NsQuestion *question, const NsExperiment *experiment, GError **error);

/* Return what must be computed to evaluate it. */
gboolean ns_question_needs_result (const NsQuestion *question);
gboolean ns_question_needs_sweep (const NsQuestion *question);
gboolean ns_question_needs_training (const NsQuestion *question);

/* ---- answers ---- */

/* The measured answer. */
typedef struct
{
  NsQuestionKind kind;
  guint64 right;      /* CHOICE: bit c: choice c is right; a valid question has one right choice */
  guint n_right;
  double number;      /* NUMBER: the mean; NAN where it is not measured */
  double spread;      /* NUMBER: one standard deviation over the seeds as a factor (ratios, norms) or as a difference */
  gboolean is_factor; /* of `spread` */
  gboolean is_log;    /* SKETCH: the values have logarithms, and the curve belongs on a logarithmic axis */
  guint n;            /* SKETCH: number of blocks */
  gint64 *blocks;     /* SKETCH: blocks [n], ascending */
  double *values, *log10_values; /* SKETCH: [n]; log10 is NAN where there is none */
} NsAnswer;

/* What an answer is measured from, all borrowed and of the step's experiment; NULL if ns_question_needs_…() is FALSE.
 * The training has finished, and has recorded the quantities that are asked for. */
typedef struct
{
  const NsResult *result;
  const NsSweep *sweep;
  const NsTraining *training;
  guint64 hidden; /* bit v: variant v is not shown */
} NsQuestionSource;

/* Measure the answer. FALSE and an NS_DOCUMENT_ERROR_INPUT if the answer
 * cannot be measured: no right choice, several, no exponent, or a number that is not finite; *answer then has what
 * could be measured. Clear the answer in both cases. */
gboolean ns_question_evaluate (const NsQuestion *question, const NsQuestionSource *source, NsAnswer *answer,
                               GError **error);
void ns_answer_clear (NsAnswer *answer);
/* Return the answer in words: "2: is flat", "3.1 ×/÷ 1.05", "from 0.2 in block 1 to 0.05 in block 24". Translated,
 * plain text; caller frees. */
char *ns_answer_dup_text (const NsAnswer *answer, const NsQuestion *question);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsTest, ns_test_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NsQuestion, ns_question_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NsAnswer, ns_answer_clear)

G_END_DECLS
