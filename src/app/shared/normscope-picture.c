/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-picture.h"

#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-experiment.h"

NormscopePicture *
normscope_picture_new (NsFigureKind kind, const NsFigureSource *source, const NsFigureOptions *options)
{
  NormscopePicture *self = g_new0 (NormscopePicture, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->kind = kind;
  self->source = (NsFigureSource) {
    .experiment = ns_experiment_copy (source->experiment),
    .result = source->result != NULL ? ns_result_ref ((NsResult *) source->result) : NULL,
    .ghost = source->ghost != NULL ? ns_result_ref ((NsResult *) source->ghost) : NULL,
    .sweep = source->sweep != NULL ? ns_sweep_ref ((NsSweep *) source->sweep) : NULL,
    .paths = source->paths != NULL ? ns_paths_ref ((NsPaths *) source->paths) : NULL,
    .training = source->training != NULL ? ns_training_ref ((NsTraining *) source->training) : NULL,
    .sensitivity = source->sensitivity != NULL ? ns_sensitivity_ref ((NsSensitivity *) source->sensitivity) : NULL,
    .coordinates = source->coordinates != NULL
                       ? ns_coordinate_check_ref ((NsCoordinateCheck *) source->coordinates)
                       : NULL,
    .former = source->former != NULL ? ns_training_ref ((NsTraining *) source->former) : NULL,
    .variant = source->variant,
  };
  self->options = ns_figure_options_copy (options, source->experiment->variants->len);
  return self;
}

NormscopePicture *
normscope_picture_ref (NormscopePicture *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
drop_figure (NormscopePicture *self)
{
  ns_figure_free (g_steal_pointer (&self->figure));
  g_clear_pointer (&self->sentence, g_free);
  g_clear_pointer (&self->links, g_array_unref);
}

void
normscope_picture_unref (NormscopePicture *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  drop_figure (self);
  ns_figure_options_free (self->options);
  ns_experiment_free ((NsExperiment *) self->source.experiment);
  g_clear_pointer ((NsResult **) &self->source.result, ns_result_unref);
  g_clear_pointer ((NsResult **) &self->source.ghost, ns_result_unref);
  g_clear_pointer ((NsSweep **) &self->source.sweep, ns_sweep_unref);
  g_clear_pointer ((NsPaths **) &self->source.paths, ns_paths_unref);
  g_clear_pointer ((NsTraining **) &self->source.training, ns_training_unref);
  g_clear_pointer ((NsSensitivity **) &self->source.sensitivity, ns_sensitivity_unref);
  g_clear_pointer ((NsCoordinateCheck **) &self->source.coordinates, ns_coordinate_check_unref);
  g_clear_pointer ((NsTraining **) &self->source.former, ns_training_unref);
  g_mutex_clear (&self->lock);
  g_free (self->verified);
  g_free (self);
}

gboolean
normscope_picture_is_made (NormscopePicture *self)
{
  return g_atomic_int_get (&self->is_made);
}

gboolean
normscope_picture_make (NormscopePicture *self, NsProgress *progress)
{
  g_autoptr (GMutexLocker) locker G_GNUC_UNUSED = g_mutex_locker_new (&self->lock);
  NsFigureSource source = self->source;
  gint64 start = g_get_monotonic_time ();

  if (normscope_picture_is_made (self))
    return TRUE;
  source.progress = progress;
  self->figure = ns_figure_make_linked (self->kind, &source, self->options, &self->sentence, &self->links);
  if (ns_progress_is_cancelled (progress))
    {
      drop_figure (self);
      return FALSE;
    }
  self->made_by = g_thread_self ();
  self->made_us = g_get_monotonic_time () - start;
  g_atomic_int_set (&self->is_made, TRUE);
  return TRUE;
}

GBytes *
normscope_picture_export (NormscopePicture *self, const NormscopePictureStyle *style, NsExportFormat format,
                          GError **error)
{
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (self->source.experiment);
  NsExportMetadata metadata = {
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = self->verified,
  };

  normscope_picture_make (self, NULL);
  metadata.title = self->figure->title;
  metadata.description = self->sentence;
  return ns_figure_export (self->figure, &style->theme, format, style->width, style->height, style->scale, &metadata,
                           error);
}
