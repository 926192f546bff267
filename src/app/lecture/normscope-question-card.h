/* A question on the screen: its text, its answers with the hands raised for them, and in the end the measured answer.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A click on an answer counts a hand, and with Shift takes one back; for one reader alone it chooses the answer. The
 * button activates "present.reveal".
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "lecture/ns-question.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_QUESTION_CARD (normscope_question_card_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeQuestionCard, normscope_question_card, NORMSCOPE, QUESTION_CARD, AdwBin)

/* Copy the question. */
GtkWidget *normscope_question_card_new (const NsQuestion *question);

/* Ask one reader instead of a class: a vote chooses an answer in place of the former one, until the right one is
 * shown. */
void normscope_question_card_set_alone (NormscopeQuestionCard *self);
gboolean normscope_question_card_is_alone (NormscopeQuestionCard *self);
/* Count a hand for an answer (from 0), or take one back. Nothing happens if there is no such answer. */
void normscope_question_card_vote (NormscopeQuestionCard *self, guint choice, gboolean take_back);
guint normscope_question_card_get_votes (NormscopeQuestionCard *self, guint choice);
/* Take over the hands and the number of another card of the same question. */
void normscope_question_card_take_hands (NormscopeQuestionCard *self, NormscopeQuestionCard *from);
/* Get the number that was typed as a guess; FALSE if there is none. A decimal comma is a point. */
gboolean normscope_question_card_get_guess (NormscopeQuestionCard *self, double *guess);

/* Say that the answer is being measured, 0 … 1, or with NAN that the view trains for it. */
void normscope_question_card_set_progress (NormscopeQuestionCard *self, double fraction);
/* Mark the right answers, bits of `right`, and say the answer in words. */
void normscope_question_card_reveal (NormscopeQuestionCard *self, guint64 right, const char *words);
/* Say why there is no answer. */
void normscope_question_card_fail (NormscopeQuestionCard *self, const char *message);

G_END_DECLS
