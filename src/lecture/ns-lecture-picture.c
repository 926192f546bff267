/* Pictures of steps.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-lecture-picture.h"

#include "document/ns-experiment-json.h"
#include "plot/ns-draw.h"
#include "prose/ns-prose.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Longest name of a picture without number and extension, in characters. */
#define MAX_NAME 60
/* Of the words in place of a picture, and their margin as a share of the width. */
#define PLACEHOLDER_PT     16.0
#define PLACEHOLDER_MARGIN 0.1

/* ---- drawing ---- */

/* Set the input and the options of the figure. */
static void
prepare (const NsLectureStep *step, const NsLectureEvidence *evidence, NsFigureSource *source,
         NsFigureOptions *options)
{
  *source = (NsFigureSource) {
    .experiment = step->experiment,
    .result = evidence->result,
    .sweep = evidence->sweep,
    .paths = evidence->paths,
    .training = evidence->training,
    .sensitivity = evidence->sensitivity,
    .coordinates = evidence->coordinates,
    .variant = -1,
  };
  ns_lecture_step_get_options (step, evidence->sweep, options);
  options->flow.marks = options->paths.marks = evidence->marks;
}

/* In the window the crosshair of the losses is at the step that a training is looked at. */
static void
mark_step (const NsLectureStep *step, NsFigure *figure)
{
  int at = step->view.options.training.step;

  if (at < 0 || step->view.figure != NS_FIGURE_TRAINING)
    return;
  for (guint p = 0; p < figure->panels->len; p++)
    ns_panel_add_annotation (g_ptr_array_index (figure->panels, p), NS_ANNOTATION_LINE, -1, at, NAN, NULL, -1);
}

/* Return what will be trained, for a figure that is not there yet; NULL if it is. Caller frees. */
static char *
dup_placeholder (const NsLectureStep *step, const NsLectureEvidence *evidence)
{
  NsFigureNeeds needs = ns_figure_info (step->view.figure)->needs;
  g_autofree char *work = NULL;

  if ((needs != NS_FIGURE_NEEDS_TRAINING || evidence->training != NULL)
      && (needs != NS_FIGURE_NEEDS_SENSITIVITY || evidence->sensitivity != NULL)
      && (needs != NS_FIGURE_NEEDS_COORDINATES || evidence->coordinates != NULL))
    return NULL;
  work = ns_lecture_step_dup_work (step);
  /* Translators: the title of a figure, “8 trainings of 300 steps” */
  return g_strdup_printf (_ ("%s: not trained yet. %s."), _ (ns_figure_info (step->view.figure)->title), work);
}

/* Draw words in the middle of an empty picture. */
static gboolean
draw_words (const char *words, cairo_t *cr, const NsTheme *theme, double width, double height)
{
  double margin = PLACEHOLDER_MARGIN * width;
  g_autofree char *markup = ns_prose_escape (words);
  g_autoptr (NsProse) prose = ns_prose_parse (markup, NULL);
  NsProseLayout *layout = ns_prose_layout_new (prose, theme, PLACEHOLDER_PT, MAX (width - 2 * margin, 1));
  gboolean drawn;

  cairo_set_source_rgb (cr, theme->background.red, theme->background.green, theme->background.blue);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  drawn = ns_prose_layout_draw (layout, cr, margin, MAX (height - ns_prose_layout_get_height (layout), 0) / 2);
  ns_prose_layout_free (layout);
  return drawn;
}

gboolean
ns_lecture_step_draw (const NsLectureStep *step, const NsLectureEvidence *evidence, cairo_t *cr, const NsTheme *theme,
                      double width, double height, char **sentence)
{
  const NsFigureInfo *info = ns_figure_info (step->view.figure);
  g_autofree char *placeholder = dup_placeholder (step, evidence);
  NsFigureSource source;
  NsFigureOptions options;

  if (placeholder != NULL)
    {
      if (sentence != NULL)
        *sentence = g_strdup (placeholder);
      return draw_words (placeholder, cr, theme, width, height);
    }
  prepare (step, evidence, &source, &options);
  if (info->make_diagram != NULL)
    {
      g_autoptr (NsDiagram) diagram = NULL;

      options.wiring_names = TRUE;
      diagram = info->make_diagram (&source, &options);
      if (sentence != NULL)
        *sentence = NULL;
      return ns_diagram_draw (diagram, cr, theme, width, height);
    }
  else
    {
      g_autoptr (NsFigure) figure = ns_figure_make (step->view.figure, &source, &options, sentence);

      mark_step (step, figure);
      return ns_figure_draw (figure, cr, theme, width, height);
    }
}

/* The sentence is made with the figure, on a surface that nobody sees. */
char *
ns_lecture_step_dup_sentence (const NsLectureStep *step, const NsLectureEvidence *evidence, const NsTheme *theme)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 16, 16);
  cairo_t *cr = cairo_create (surface);
  char *sentence = NULL;

  ns_lecture_step_draw (step, evidence, cr, theme, 400, 300, &sentence);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return sentence;
}

GBytes *
ns_lecture_step_export (const NsLectureStep *step, const NsLectureEvidence *evidence, const NsTheme *theme,
                        NsExportFormat format, double width, double height, double scale, const char *software,
                        GError **error)
{
  const NsFigureInfo *info = ns_figure_info (step->view.figure);
  g_autoptr (GBytes) file = ns_experiment_to_bytes (step->experiment);
  g_autofree char *sentence = NULL;
  NsExportMetadata metadata = { .title = step->title, .software = software,
                                .experiment = g_bytes_get_data (file, NULL) };
  NsTheme scaled = *theme;
  NsFigureSource source;
  NsFigureOptions options;

  prepare (step, evidence, &source, &options);
  if (step->view.text_scale > 0)
    scaled.text_scale *= step->view.text_scale;
  ns_figure_options_set_titles (&options, TRUE);
  if (info->make_diagram != NULL)
    {
      g_autoptr (NsDiagram) diagram = info->make_diagram (&source, &options);

      return ns_diagram_export (diagram, &scaled, format, width, height, scale, &metadata, error);
    }
  else
    {
      g_autoptr (NsFigure) figure = ns_figure_make (step->view.figure, &source, &options, &sentence);

      mark_step (step, figure);
      metadata.description = sentence;
      return ns_figure_export (figure, &scaled, format, width, height, scale, &metadata, error);
    }
}

/* ---- names ---- */

char *
ns_lecture_dup_picture_name (const NsLecture *lecture, guint step, const char *extension)
{
  const char *title = ns_lecture_get_step (lecture, step)->title;
  GString *name = g_string_new (NULL);
  g_autofree char *stem = NULL;
  guint length = 0;

  for (const char *p = title; *p != '\0' && length < MAX_NAME; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (g_unichar_isalnum (c))
        g_string_append_unichar (name, g_unichar_tolower (c));
      else if (name->len > 0 && name->str[name->len - 1] != '-')
        g_string_append_c (name, '-');
      length++;
    }
  while (name->len > 0 && name->str[name->len - 1] == '-')
    g_string_truncate (name, name->len - 1);
  stem = g_string_free (name, FALSE);
  return g_strdup_printf ("%0*u%s%s.%s", ns_lecture_get_n_steps (lecture) > 99 ? 3 : 2, step + 1,
                          *stem != '\0' ? "-" : "", stem, extension);
}
