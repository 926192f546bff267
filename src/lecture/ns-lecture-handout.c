/* The hand-out of a lecture: texts, figures, questions and answers on pages.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Items from top to bottom are put on pages first and drawn then. A text may break between its rows; a heading stays
 * with what follows it, a figure is never broken.
 */
#include "lecture/ns-lecture-picture.h"
#include "plot/ns-export-pages.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Lengths in px of 1/96 inch. */
#define MM            (96 / 25.4)
#define MARGIN        (20 * MM)
#define GAP           12.0
#define STEP_GAP      30.0
#define FIGURE_RATIO  0.6
#define TEXT_PT       11.0
#define NUMBER_PT     9.0
/* Least height that a text gets at the foot of a page. */
#define LEAST_TEXT    60.0

static const struct
{
  double width, height;
} papers[] = {
  [NS_PAPER_A4] = { 210 * MM, 297 * MM },
  [NS_PAPER_LETTER] = { 215.9 * MM, 279.4 * MM },
};

/* A text or a figure, or a part of a text, at its place. */
typedef struct
{
  guint page;
  double y;
  NsProseLayout *layout; /* borrowed from Handout.layouts; NULL: the figure of `step` */
  double from, to;       /* of the layout */
  guint step;
  double height;
} Item;

typedef struct
{
  const NsLecture *lecture;
  const NsLectureEvidence *evidence;
  double width, height; /* of a page */
  NsTheme theme;
  GPtrArray *layouts; /* NsProseLayout, owned */
  GArray *items;      /* Item */
  guint page;
  double y;           /* where the next item begins, from the top margin */
} Handout;

static double
get_room (const Handout *self)
{
  return self->height - 2 * MARGIN - self->y;
}

static void
begin_page (Handout *self)
{
  if (self->y <= 0)
    return;
  self->page++;
  self->y = 0;
}

/* Put a text on this page and, where it is too long, on the next ones. `keep` is the height of what must stay with
 * it. */
static void
add_markup (Handout *self, const char *markup, double size_pt, double keep)
{
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);
  NsProseLayout *layout;
  double height, from = 0;

  if (prose == NULL)
    return;
  layout = ns_prose_layout_new (prose, &self->theme, size_pt, self->width - 2 * MARGIN);
  height = ns_prose_layout_get_height (layout);
  g_ptr_array_add (self->layouts, layout);
  if (get_room (self) < MIN (height, LEAST_TEXT) + (keep > 0 ? GAP + keep : 0))
    begin_page (self);
  while (from < height)
    {
      double to = MAX (ns_prose_layout_get_break (layout, from, get_room (self)), from + 1);
      Item item = { .page = self->page, .y = self->y, .layout = layout, .from = from, .to = MIN (to, height) };

      g_array_append_val (self->items, item);
      self->y += item.to - from;
      from = item.to;
      if (from < height)
        begin_page (self);
    }
  self->y += GAP;
}

static void
add_text (Handout *self, const char *text, double size_pt)
{
  g_autofree char *markup = ns_prose_escape (text);

  add_markup (self, markup, size_pt, 0);
}

static double
get_figure_height (const Handout *self)
{
  return (self->width - 2 * MARGIN) * FIGURE_RATIO;
}

static void
add_figure (Handout *self, guint step)
{
  Item item = { .step = step, .height = get_figure_height (self) };

  if (get_room (self) < item.height)
    begin_page (self);
  item.page = self->page;
  item.y = self->y;
  g_array_append_val (self->items, item);
  self->y += item.height + GAP;
}

/* ---- contents ---- */

static void
add_heading (Handout *self, const char *marks, const char *text, double keep)
{
  g_autofree char *escaped = ns_prose_escape (text);
  g_autofree char *markup = g_strdup_printf ("%s %s", marks, escaped);

  add_markup (self, markup, TEXT_PT, keep);
}

static void
add_question (Handout *self, const NsQuestion *question)
{
  if (question == NULL || question->kind == NS_QUESTION_NONE)
    return;
  add_heading (self, "##", _ ("Question"), LEAST_TEXT);
  add_markup (self, question->text, TEXT_PT, 0);
  for (guint c = 0; c < question->choices->len; c++)
    {
      const NsChoice *choice = g_ptr_array_index (question->choices, c);
      g_autofree char *markup = g_strdup_printf ("**%u**  %s", c + 1, choice->text);

      add_markup (self, markup, TEXT_PT, 0);
    }
}

static void
add_step (Handout *self, guint index)
{
  const NsLectureStep *step = ns_lecture_get_step (self->lecture, index);
  g_autofree char *title = g_strdup_printf ("%u. %s", index + 1, step->title);
  g_autofree char *sentence = ns_lecture_step_dup_sentence (step, &self->evidence[index], &self->theme);
  g_auto (GStrv) lines = sentence != NULL ? g_strsplit (sentence, "\n", -1) : NULL;

  add_heading (self, "#", title, *step->text != '\0' ? LEAST_TEXT : get_figure_height (self));
  if (*step->text != '\0')
    add_markup (self, step->text, TEXT_PT, 0);
  add_figure (self, index);
  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    add_text (self, lines[i], NUMBER_PT);
  add_question (self, step->question);
  self->y += STEP_GAP;
}

static void
add_answers (Handout *self, const NsAnswer *answers)
{
  gboolean begun = FALSE;

  for (guint i = 0; i < ns_lecture_get_n_steps (self->lecture); i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (self->lecture, i);
      g_autofree char *text = NULL;
      g_autofree char *line = NULL;

      if (step->question == NULL || step->question->kind == NS_QUESTION_NONE)
        continue;
      if (!begun)
        {
          begin_page (self);
          add_heading (self, "#", _ ("Answers, as measured"), LEAST_TEXT);
        }
      begun = TRUE;
      text = ns_answer_dup_text (&answers[i], step->question);
      /* Translators: the number and title of a step of a lecture, and the answer to its question */
      line = g_strdup_printf (_ ("%u. %s: %s"), i + 1, step->title, text);
      add_text (self, line, TEXT_PT);
    }
}

/* ---- drawing ---- */

static void
draw_number (Handout *self, cairo_t *cr, guint page)
{
  g_autofree char *escaped = ns_prose_escape (self->lecture->title);
  g_autofree char *markup = g_strdup_printf ("%s · %u", escaped, page + 1);
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);
  NsProseLayout *layout;

  if (prose == NULL)
    return;
  layout = ns_prose_layout_new (prose, &self->theme, NUMBER_PT, self->width - 2 * MARGIN);
  ns_prose_layout_draw (layout, cr, MARGIN, self->height - MARGIN / 2 - ns_prose_layout_get_height (layout) / 2);
  ns_prose_layout_free (layout);
}

static void
draw_page (gpointer data, cairo_t *cr, guint page)
{
  Handout *self = data;

  for (guint i = 0; i < self->items->len; i++)
    {
      const Item *item = &g_array_index (self->items, Item, i);

      if (item->page != page)
        continue;
      if (item->layout != NULL)
        {
          ns_prose_layout_draw_part (item->layout, cr, MARGIN, MARGIN + item->y, item->from, item->to);
          continue;
        }
      cairo_save (cr);
      cairo_translate (cr, MARGIN, MARGIN + item->y);
      ns_lecture_step_draw (ns_lecture_get_step (self->lecture, item->step), &self->evidence[item->step], cr,
                            &self->theme, self->width - 2 * MARGIN, item->height, NULL);
      cairo_restore (cr);
    }
  draw_number (self, cr, page);
}

GBytes *
ns_lecture_make_handout (const NsLecture *lecture, const NsLectureEvidence *evidence, const NsAnswer *answers,
                         NsPaper paper, const char *software, GError **error)
{
  Handout self = {
    .lecture = lecture,
    .evidence = evidence,
    .width = papers[paper].width,
    .height = papers[paper].height,
    .layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_prose_layout_free),
    .items = g_array_new (FALSE, FALSE, sizeof (Item)),
  };
  const NsExportMetadata metadata = { .title = lecture->title, .software = software };
  GBytes *bytes;

  ns_theme_init (&self.theme, NS_THEME_LIGHT);
  add_heading (&self, "#", lecture->title, 0);
  self.y += GAP;
  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    add_step (&self, i);
  add_answers (&self, answers);
  bytes = ns_export_pages (draw_page, &self, self.page + 1, self.width, self.height, &metadata, error);
  g_ptr_array_unref (self.layouts);
  g_array_unref (self.items);
  return bytes;
}
