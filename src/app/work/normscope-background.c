/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/work/normscope-background.h"

typedef struct
{
  NormscopeWorker *worker;
  gboolean busy;
} NormscopeBackgroundPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (NormscopeBackground, normscope_background, G_TYPE_OBJECT)

enum { BACKGROUND_PROP_0, BACKGROUND_PROP_BUSY, N_BACKGROUND_PROPS };
static GParamSpec *background_props[N_BACKGROUND_PROPS];

static NormscopeBackgroundPrivate *
get_private (NormscopeBackground *self)
{
  return normscope_background_get_instance_private (self);
}

static void
set_busy (NormscopeBackground *self, gboolean busy)
{
  if (get_private (self)->busy == busy)
    return;
  get_private (self)->busy = busy;
  g_object_notify_by_pspec (G_OBJECT (self), background_props[BACKGROUND_PROP_BUSY]);
}

gboolean
normscope_background_get_busy (NormscopeBackground *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_BACKGROUND (self), FALSE);
  return get_private (self)->busy;
}

void
normscope_background_get_progress (NormscopeBackground *self, guint64 *done, guint64 *total)
{
  g_return_if_fail (NORMSCOPE_IS_BACKGROUND (self));
  normscope_worker_get_progress (get_private (self)->worker, done, total);
}

void
normscope_background_start (NormscopeBackground *self, NormscopeEngine *engine, NormscopeJobFunc run,
                            GDestroyNotify free_job)
{
  g_return_if_fail (NORMSCOPE_IS_BACKGROUND (self) && get_private (self)->worker == NULL);
  get_private (self)->worker
      = normscope_worker_new (G_OBJECT (self), normscope_engine_ref (engine), run, free_job);
}

void
normscope_background_replace (NormscopeBackground *self, gpointer job)
{
  g_return_if_fail (NORMSCOPE_IS_BACKGROUND (self));
  normscope_worker_replace (get_private (self)->worker, job);
  set_busy (self, job != NULL);
}

NormscopeStore *
normscope_background_get_store (NormscopeBackground *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_BACKGROUND (self), NULL);
  return normscope_worker_get_store (get_private (self)->worker);
}

void
normscope_background_end (NormscopeBackground *self)
{
  g_return_if_fail (NORMSCOPE_IS_BACKGROUND (self));
  set_busy (self, FALSE);
}

/* ---- the object ---- */

static void
normscope_background_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case BACKGROUND_PROP_BUSY:
      g_value_set_boolean (value, normscope_background_get_busy (NORMSCOPE_BACKGROUND (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_background_dispose (GObject *object)
{
  g_clear_pointer (&get_private (NORMSCOPE_BACKGROUND (object))->worker, normscope_worker_release);
  G_OBJECT_CLASS (normscope_background_parent_class)->dispose (object);
}

static void
normscope_background_class_init (NormscopeBackgroundClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = normscope_background_get_property;
  object_class->dispose = normscope_background_dispose;

  background_props[BACKGROUND_PROP_BUSY] = g_param_spec_boolean (
      "busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_BACKGROUND_PROPS, background_props);
}

static void
normscope_background_init (NormscopeBackground *self)
{
}
