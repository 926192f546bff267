/* Chooses the test of an answer, or a number or a curve to measure, from lists.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The controls follow the table of tests: a kind shows the fields that it has. Signal "changed": the user chose
 * something.
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "lecture/ns-question.h"

G_BEGIN_DECLS

typedef enum
{
  NORMSCOPE_TEST_EDITOR_TEST,   /* any kind */
  NORMSCOPE_TEST_EDITOR_NUMBER, /* a kind that is a number, without a range */
  NORMSCOPE_TEST_EDITOR_CURVE,  /* variant, quantity and part only */
} NormscopeTestEditorMode;

#define NORMSCOPE_TYPE_TEST_EDITOR (normscope_test_editor_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTestEditor, normscope_test_editor, NORMSCOPE, TEST_EDITOR, GtkBox)

/* Show a test, which is copied, for the variants and blocks of an experiment. */
GtkWidget *normscope_test_editor_new (NormscopeTestEditorMode mode, const NsTest *test, const NsExperiment *experiment);
/* Return the chosen test; caller frees. */
NsTest *normscope_test_editor_dup_test (NormscopeTestEditor *self);

G_END_DECLS
