/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-picture-maker.h"

typedef struct
{
  NormscopePicture *picture;
  NormscopeDeliverFunc deliver;
} MakerJob;

static void
maker_job_free (gpointer data)
{
  MakerJob *job = data;

  normscope_picture_unref (job->picture);
  g_free (job);
}

static void
run_maker_job (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  const MakerJob *job = data;
  g_autoptr (NsProgress) progress = ns_progress_new ();

  if (normscope_worker_start_run (worker, serial, progress) && normscope_picture_make (job->picture, progress))
    normscope_worker_enqueue_delivery (worker, serial, job->deliver, normscope_picture_ref (job->picture),
                                       (GDestroyNotify) normscope_picture_unref);
}

NormscopeWorker *
normscope_picture_maker_new (GObject *owner)
{
  return normscope_worker_new (owner, NULL, run_maker_job, maker_job_free);
}

void
normscope_picture_maker_make (NormscopeWorker *maker, NormscopePicture *picture, NormscopeDeliverFunc deliver)
{
  MakerJob *job = g_new (MakerJob, 1);

  *job = (MakerJob) { normscope_picture_ref (picture), deliver };
  normscope_worker_replace (maker, job);
}
