/* What an audience has raised and drawn for the questions of a lecture.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It stays with its step until another lecture is opened: a presentation that ends, or goes on to another step, loses
 * no hand.
 */
#include "app/lecture/normscope-presenter-private.h"

typedef struct
{
  NormscopeQuestionCard *card; /* owned: its hands and its number */
  gint64 first;
  guint n;
  double *guess; /* [n], the sketch from `first` on, or NULL */
} Kept;

static void
kept_free (gpointer data)
{
  Kept *kept = data;

  g_clear_object (&kept->card);
  g_free (kept->guess);
  g_free (kept);
}

void
normscope_presenter_keep_hands (NormscopePresenter *self)
{
  Kept *kept;

  if (self->asked.of == NULL)
    return;
  normscope_presenter_keep_guess (self);
  kept = g_new (Kept, 1);
  *kept = (Kept){ g_object_ref (self->asked.card), self->asked.guess_first, self->asked.n_guess,
                  g_steal_pointer (&self->asked.guess) };
  if (self->kept == NULL)
    self->kept = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ns_lecture_step_unref, kept_free);
  g_hash_table_replace (self->kept, g_steal_pointer (&self->asked.of), kept);
}

void
normscope_presenter_restore_hands (NormscopePresenter *self)
{
  const Kept *kept = self->kept != NULL ? g_hash_table_lookup (self->kept, self->asked.of) : NULL;

  /* What one reader has chosen is no hand, and hands are no reader's choice. */
  if (kept == NULL || normscope_question_card_is_alone (kept->card) == self->presenting)
    return;
  normscope_question_card_take_hands (self->asked.card, kept->card);
  if (self->asked.sketch != NULL && kept->guess != NULL)
    normscope_sketch_set_values (self->asked.sketch, kept->first, kept->n, kept->guess);
}
