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
  self->figure = ns_figure_make (kind, source, options, &self->sentence);
  self->experiment = ns_experiment_copy (source->experiment);
  return self;
}

NormscopePicture *
normscope_picture_ref (NormscopePicture *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
normscope_picture_unref (NormscopePicture *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  ns_figure_free (self->figure);
  g_free (self->sentence);
  g_free (self->verified);
  ns_experiment_free (self->experiment);
  g_free (self);
}

GBytes *
normscope_picture_export (const NormscopePicture *self, const NormscopePictureStyle *style, NsExportFormat format,
                          GError **error)
{
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (self->experiment);
  NsExportMetadata metadata = {
    .title = self->figure->title,
    .description = self->sentence,
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = self->verified,
  };

  return ns_figure_export (self->figure, &style->theme, format, style->width, style->height, style->scale, &metadata,
                           error);
}
