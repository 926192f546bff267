/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-lecture-scene.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "document/ns-file.h"
#include "engine/experiment/ns-experiment.h"

NsLectureStep *
normscope_lecture_capture (NormscopeSession *session, NsFigureKind figure, const char *title, GError **error)
{
  const NsExperiment *experiment = normscope_session_get_experiment (session);
  const NormscopeView *shown = normscope_session_get_view (session);
  const GError *problem = normscope_session_get_error (session);
  double last = (double) ns_flow_get_last_x (experiment), cursor = normscope_session_get_cursor (session);
  NsFlowOptions flow;
  NsLectureStep *step;
  NsLectureView *view;

  if (problem != NULL)
    {
      g_propagate_error (error, g_error_copy (problem));
      return NULL;
    }
  if (!ns_lecture_can_show (figure))
    {
      /* Translators: the name of a figure */
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("A step of a lecture cannot show the figure “%s”"), _ (ns_figure_info (figure)->title));
      return NULL;
    }
  step = ns_lecture_step_new (title, ns_experiment_copy (experiment));
  view = &step->view;
  view->figure = figure;
  normscope_session_get_flow_options (session, &flow);
  view->options.flow.gradient = flow.gradient;
  view->options.flow.activation = flow.activation;
  view->options.flow.log_gradient = flow.log_gradient;
  view->options.flow.bars_axis = flow.bars_axis;
  view->options.flow.token_cos = flow.token_cos;
  view->options.flow.band = flow.band;
  view->options.flow.predictions = flow.predictions;
  view->options.flow.factor = flow.factor;
  view->options.paths = normscope_session_get_paths (session)->options.paths;
  view->options.training = normscope_session_get_training (session)->options.training;
  view->options.sensitivity = normscope_session_get_training (session)->options.sensitivity;
  memcpy (view->options.widths, normscope_session_get_training (session)->options.widths,
          sizeof view->options.widths);
  view->options.training.step = (int) normscope_session_get_step (session);
  view->scaling = *normscope_session_get_scaling (session);
  view->hidden = flow.hidden;
  view->cursor = isnan (cursor) ? NAN : CLAMP (cursor, 0, last);
  view->text_scale = shown->text_scale;
  for (guint v = 0; v < experiment->variants->len; v++)
    {
      const NormscopeVariantLook *look = normscope_session_get_look (session, v);

      view->styles[v] = look->style;
      view->has_color[v] = look->has_color;
      view->colors[v] = look->color;
    }
  if (!ns_marks_are_empty (normscope_session_get_marks (session)))
    step->marks = ns_marks_copy (normscope_session_get_marks (session));
  return step;
}

void
normscope_lecture_get_scene (const NsLectureStep *step, NormscopeSession *session, NormscopeScene *scene)
{
  const NsLectureView *view = &step->view;
  const NsFlowOptions *flow = &view->options.flow;
  gboolean is_scaling = view->figure == NS_FIGURE_SCALING, is_paths = ns_view_offers (NS_VIEW_PATHS, view->figure);

  *scene = (NormscopeScene) {
    .experiment = ns_experiment_copy (step->experiment),
    .view = *normscope_session_get_view (session),
    .paths = *normscope_session_get_paths (session),
    .training = *normscope_session_get_training (session),
    .step = ns_view_offers (NS_VIEW_TRAINING, view->figure) ? view->options.training.step : -1,
    .scaling = is_scaling || ns_lecture_step_needs (step, NS_FIGURE_NEEDS_SWEEP)
                   ? view->scaling
                   : *normscope_session_get_scaling (session),
    .marks = step->marks != NULL ? ns_marks_copy (step->marks) : ns_marks_new (),
    .cursor = view->cursor,
    .document = normscope_session_get_document (session),
  };
  scene->view.band = flow->band;
  if (is_paths)
    {
      scene->paths.figure = view->figure;
      scene->paths.options.paths = view->options.paths;
    }
  else if (ns_view_offers (NS_VIEW_TRAINING, view->figure))
    {
      scene->training.figure = view->figure;
      scene->training.options.training = view->options.training;
      if (view->figure == NS_FIGURE_SENSITIVITY)
        scene->training.options.sensitivity = view->options.sensitivity;
      if (view->figure == NS_FIGURE_COORDINATE_CHECK)
        memcpy (scene->training.options.widths, view->options.widths, sizeof view->options.widths);
    }
  if (!is_scaling && !is_paths)
    {
      scene->view.gradient = flow->gradient;
      scene->view.activation = flow->activation;
      scene->view.log_gradient = flow->log_gradient;
      scene->view.bars_axis = flow->bars_axis;
      scene->view.token_cos = flow->token_cos;
      scene->view.predictions = flow->predictions;
      scene->view.factor = flow->factor;
    }
  if (view->text_scale > 0)
    scene->view.text_scale = view->text_scale;
  for (int v = 0; v < NS_MAX_VARIANTS; v++)
    scene->looks[v] = (NormscopeVariantLook) {
      .hidden = (view->hidden >> v & 1) != 0,
      .style = view->styles[v],
      .has_color = view->has_color[v],
      .color = view->colors[v],
    };
}
