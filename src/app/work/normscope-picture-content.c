/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-picture-content.h"

#include <string.h>

#include "app/work/normscope-worker.h"
#include "plot/ns-figure-text.h"

enum { PNG, SVG, TABLE, N_FORMATS };

static const char *const mime_types[N_FORMATS] = { "image/png", "image/svg+xml", "text/plain;charset=utf-8" };

struct _NormscopePictureContent
{
  GdkContentProvider parent_instance;

  guint first, last;       /* the formats that are offered */
  NormscopeWorker *worker; /* NULL when they are all ready */
  /* Main thread only. A format is ready when its bytes or its error are set. */
  GBytes *bytes[N_FORMATS];
  GError *errors[N_FORMATS];
  GPtrArray *readers; /* GTask: reads that wait for their format */
};

G_DEFINE_FINAL_TYPE (NormscopePictureContent, normscope_picture_content, GDK_TYPE_CONTENT_PROVIDER)

/* ---- worker thread ---- */

typedef struct
{
  NormscopePicture *picture;
  NormscopePictureStyle style; /* of PNG and SVG */
  guint first, last;
} PictureJob;

typedef struct
{
  guint format; /* index into formats */
  GBytes *bytes;
  GError *error;
} PictureDelivery;

static void
picture_job_free (gpointer data)
{
  PictureJob *job = data;

  normscope_picture_unref (job->picture);
  g_free (job);
}

static void
picture_delivery_free (gpointer data)
{
  PictureDelivery *delivery = data;

  g_clear_pointer (&delivery->bytes, g_bytes_unref);
  g_clear_error (&delivery->error);
  g_free (delivery);
}

static void deliver_picture (gpointer owner, gpointer data);

static GBytes *
make_format (const PictureJob *job, guint format, GError **error)
{
  NormscopePictureStyle style = job->style;
  char *text;

  if (format == PNG)
    return normscope_picture_export (job->picture, &style, NS_EXPORT_PNG, error);
  style.scale = 1;
  if (format == SVG)
    return normscope_picture_export (job->picture, &style, NS_EXPORT_SVG, error);
  normscope_picture_make (job->picture, NULL);
  text = ns_figure_to_tsv (job->picture->figure);
  return g_bytes_new_take (text, strlen (text));
}

static void
make_formats (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  const PictureJob *job = data;

  for (guint i = job->first; i <= job->last && normscope_worker_start_run (worker, serial, NULL); i++)
    {
      PictureDelivery *delivery = g_new0 (PictureDelivery, 1);

      delivery->format = i;
      delivery->bytes = make_format (job, i, &delivery->error);
      normscope_worker_enqueue_delivery (worker, serial, deliver_picture, delivery, picture_delivery_free);
    }
}

/* ---- main thread: reads ---- */

typedef struct
{
  guint format; /* index into formats */
  GOutputStream *stream;
  int io_priority;
} Reader;

static void
reader_free (gpointer data)
{
  Reader *reader = data;

  g_object_unref (reader->stream);
  g_free (reader);
}

static void
written_cb (GObject *stream, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (stream), result, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Start to write if the format is ready. Return FALSE if the read has to wait. */
static gboolean
start_write (NormscopePictureContent *self, GTask *task)
{
  const Reader *reader = g_task_get_task_data (task);
  GBytes *bytes = self->bytes[reader->format];

  if (self->errors[reader->format] != NULL)
    g_task_return_error (task, g_error_copy (self->errors[reader->format]));
  else if (bytes != NULL)
    g_output_stream_write_all_async (reader->stream, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                     reader->io_priority, g_task_get_cancellable (task), written_cb,
                                     g_object_ref (task));
  else
    return FALSE;
  return TRUE;
}

static void
deliver_picture (gpointer owner, gpointer data)
{
  NormscopePictureContent *self = owner;
  PictureDelivery *delivery = data;
  g_autoptr (GPtrArray) readers = g_steal_pointer (&self->readers);
  gboolean is_ready = TRUE;

  self->bytes[delivery->format] = g_steal_pointer (&delivery->bytes);
  self->errors[delivery->format] = g_steal_pointer (&delivery->error);
  self->readers = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < readers->len; i++)
    if (!start_write (self, readers->pdata[i]))
      g_ptr_array_add (self->readers, g_object_ref (readers->pdata[i]));
  /* A picture may stay on the clipboard for hours: it keeps no thread and no figure. */
  for (guint i = self->first; i <= self->last; i++)
    is_ready = is_ready && (self->bytes[i] != NULL || self->errors[i] != NULL);
  if (is_ready)
    g_clear_pointer (&self->worker, normscope_worker_release);
}

static void
normscope_picture_content_write_mime_type_async (GdkContentProvider *provider, const char *mime_type,
                                                 GOutputStream *stream, int io_priority, GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer data)
{
  NormscopePictureContent *self = NORMSCOPE_PICTURE_CONTENT (provider);
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, data);
  Reader *reader = g_new0 (Reader, 1);

  reader->stream = g_object_ref (stream);
  reader->io_priority = io_priority;
  g_task_set_task_data (task, reader, reader_free);
  reader->format = self->first;
  while (reader->format <= self->last && !g_str_equal (mime_type, mime_types[reader->format]))
    reader->format++;
  if (reader->format > self->last)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s", mime_type);
  else if (!start_write (self, task))
    g_ptr_array_add (self->readers, g_steal_pointer (&task));
}

static gboolean
normscope_picture_content_write_mime_type_finish (GdkContentProvider *provider, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, provider), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

static GdkContentFormats *
normscope_picture_content_ref_formats (GdkContentProvider *provider)
{
  NormscopePictureContent *self = NORMSCOPE_PICTURE_CONTENT (provider);

  return gdk_content_formats_new ((const char **) mime_types + self->first, self->last - self->first + 1);
}

/* ---- the object ---- */

/* The style may be NULL if no picture is drawn. */
static GdkContentProvider *
content_new (NormscopePicture *picture, const NormscopePictureStyle *style, guint first, guint last)
{
  NormscopePictureContent *self = g_object_new (NORMSCOPE_TYPE_PICTURE_CONTENT, NULL);
  PictureJob *job = g_new0 (PictureJob, 1);

  job->picture = normscope_picture_ref (picture);
  if (style != NULL)
    job->style = *style;
  job->first = self->first = first;
  job->last = self->last = last;
  self->worker = normscope_worker_new (G_OBJECT (self), NULL, make_formats, picture_job_free);
  normscope_worker_replace (self->worker, job);
  return GDK_CONTENT_PROVIDER (self);
}

GdkContentProvider *
normscope_picture_content_new (NormscopePicture *picture, const NormscopePictureStyle *style)
{
  return content_new (picture, style, PNG, SVG);
}

GdkContentProvider *
normscope_picture_content_new_table (NormscopePicture *picture)
{
  return content_new (picture, NULL, TABLE, TABLE);
}

static void
normscope_picture_content_finalize (GObject *object)
{
  NormscopePictureContent *self = NORMSCOPE_PICTURE_CONTENT (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  g_ptr_array_unref (self->readers);
  for (guint i = 0; i < N_FORMATS; i++)
    {
      g_clear_pointer (&self->bytes[i], g_bytes_unref);
      g_clear_error (&self->errors[i]);
    }
  G_OBJECT_CLASS (normscope_picture_content_parent_class)->finalize (object);
}

static void
normscope_picture_content_class_init (NormscopePictureContentClass *klass)
{
  GdkContentProviderClass *provider_class = GDK_CONTENT_PROVIDER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_picture_content_finalize;
  provider_class->ref_formats = normscope_picture_content_ref_formats;
  provider_class->write_mime_type_async = normscope_picture_content_write_mime_type_async;
  provider_class->write_mime_type_finish = normscope_picture_content_write_mime_type_finish;
}

static void
normscope_picture_content_init (NormscopePictureContent *self)
{
  self->readers = g_ptr_array_new_with_free_func (g_object_unref);
}
