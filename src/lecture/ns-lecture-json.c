/* Read lecture files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lecture/ns-lecture-json.h"

#include "document/ns-experiment-json.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAX_LANGUAGE_BYTES 32

/* ---- steps ---- */

static NsExperiment *
read_experiment (NsObject *object)
{
  JsonNode *node = ns_object_require (object, "experiment");
  g_autofree char *path = ns_object_dup_path (object, "experiment");
  g_autoptr (GError) cause = NULL;
  NsExperiment *experiment = node != NULL ? ns_experiment_from_node (node, &cause) : NULL;

  if (cause != NULL)
    ns_lecture_refuse (object->error, path, "%s", cause->message);
  return experiment;
}

static NsLectureStep *
read_lecture_step (JsonNode *node, const char *path, gboolean is_checked, GError **error)
{
  g_autoptr (NsLectureStep) step = NULL;
  g_autoptr (GError) cause = NULL;
  g_auto (NsObject) object;
  NsExperiment *experiment;

  ns_object_init (&object, node, path, error);
  experiment = read_experiment (&object);
  if (experiment == NULL)
    return NULL;
  step = ns_lecture_step_new ("", experiment);
  if (ns_object_require (&object, "title") != NULL)
    ns_object_get_text (&object, "title", &step->title);
  ns_object_get_text (&object, "text", &step->text);
  ns_object_get_text (&object, "notes", &step->notes);
  ns_lecture_view_read (&object, "view", step);
  step->question = ns_question_read (&object, "question", step->experiment);
  if (!ns_object_end (&object))
    return NULL;
  if (!is_checked || ns_lecture_step_validate (step, &cause))
    return g_steal_pointer (&step);
  /* The key follows the step's path as in the file. */
  g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s.%s", path, cause->message);
  return NULL;
}

static void
read_steps (NsObject *object, gboolean is_checked, NsLecture *lecture)
{
  JsonArray *array = NULL;
  guint n;

  if (ns_object_require (object, "steps") != NULL)
    array = ns_object_get_array (object, "steps", _ ("an array [ … ] of steps"));
  n = array != NULL ? json_array_get_length (array) : 0;
  if (n > NS_LECTURE_MAX_STEPS)
    ns_lecture_refuse (object->error, "steps", _ ("%u steps are too many; allowed: up to %d"), n, NS_LECTURE_MAX_STEPS);
  for (guint i = 0; i < n && !ns_object_failed (object); i++)
    {
      g_autofree char *path = g_strdup_printf ("steps[%u]", i);
      NsLectureStep *step = read_lecture_step (json_array_get_element (array, i), path, is_checked, object->error);

      if (step != NULL)
        g_ptr_array_add (lecture->steps, step);
    }
}

/* ---- the file ---- */

static gboolean
check_format (NsObject *object)
{
  JsonNode *format = ns_object_get (object, "format"), *version = ns_object_get (object, "version");
  gint64 number;

  if (ns_object_failed (object))
    return FALSE;
  if (format == NULL)
    {
      g_set_error (object->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("format: the key is missing, so this is not a lecture file; expected: \"format\": \"%s\""),
                   NS_LECTURE_FORMAT);
      return FALSE;
    }
  if (g_strcmp0 (ns_json_node_get_string (format), NS_LECTURE_FORMAT) != 0)
    return ns_object_refuse (object, "format", g_strdup ("\"" NS_LECTURE_FORMAT "\""));
  if (version == NULL)
    return TRUE;
  if (!ns_json_node_get_integer (version, &number) || number < 1)
    return ns_object_refuse (object, "version", g_strdup (G_STRINGIFY (NS_LECTURE_VERSION)));
  if (number <= NS_LECTURE_VERSION)
    return TRUE;
  g_set_error (object->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
               _ ("version: %lld needs a newer Normscope; allowed: up to %d"), (long long) number, NS_LECTURE_VERSION);
  return FALSE;
}

/* Check that the language looks like a code, "de" or "pt_BR", or is empty. */
static void
check_language (NsObject *object, const NsLecture *lecture)
{
  gboolean is_code = strlen (lecture->language) <= MAX_LANGUAGE_BYTES;

  for (const char *p = lecture->language; *p != '\0'; p++)
    is_code = is_code && (g_ascii_isalnum (*p) || strchr ("_-@", *p) != NULL);
  if (!is_code)
    ns_object_refuse (object, "language", g_strdup (_ ("the code of a language, such as en, de or pt_BR")));
}

static NsLecture *
read_lecture (JsonNode *root, gboolean is_checked, GError **error)
{
  g_autoptr (NsLecture) lecture = ns_lecture_new ("", "");
  g_auto (NsObject) object;

  ns_object_init (&object, root, "", error);
  if (!check_format (&object))
    return NULL;
  if (ns_object_require (&object, "title") != NULL && ns_object_get_text (&object, "title", &lecture->title)
      && (!ns_text_is_line (lecture->title) || strlen (lecture->title) > NS_LECTURE_MAX_TITLE_BYTES))
    ns_object_refuse (&object, "title", g_strdup_printf (_ ("one line of 1 to %u bytes without control characters"),
                                                         NS_LECTURE_MAX_TITLE_BYTES));
  if (ns_object_get_text (&object, "language", &lecture->language))
    check_language (&object, lecture);
  read_steps (&object, is_checked, lecture);
  return ns_object_end (&object) ? g_steal_pointer (&lecture) : NULL;
}

/* For ns_json_check(), which reports values such as NaN before there is a tree. */
static char *
dup_allowed (const char *path)
{
  const char *experiment = g_str_has_prefix (path, "steps[") ? strstr (path, "].experiment.") : NULL;

  return experiment != NULL ? ns_experiment_dup_allowed (experiment + strlen ("].experiment.")) : NULL;
}

static NsLecture *
read_bytes (GBytes *bytes, const char *name, gboolean is_checked, GError **error)
{
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) cause = NULL;
  NsLecture *lecture;

  if (!ns_file_check_size (name, g_bytes_get_size (bytes), NS_FILE_LECTURE, error))
    return NULL;
  root = ns_json_node_from_bytes (bytes, name, _ ("a lecture file"), dup_allowed, error);
  if (root == NULL)
    return NULL;
  lecture = read_lecture (root, is_checked, &cause);
  if (lecture == NULL)
    g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, "%s: %s", name, cause->message);
  return lecture;
}

NsLecture *
ns_lecture_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  return read_bytes (bytes, name, TRUE, error);
}

NsLecture *
ns_lecture_recover_from_path (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_LECTURE, error);

  return bytes != NULL ? read_bytes (bytes, path, FALSE, error) : NULL;
}

NsLecture *
ns_lecture_from_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read (file, NS_FILE_LECTURE, cancellable, error);
  g_autofree char *name = g_file_get_parse_name (file);

  return bytes != NULL ? ns_lecture_from_bytes (bytes, name, error) : NULL;
}

NsLecture *
ns_lecture_from_path (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_LECTURE, error);

  return bytes != NULL ? ns_lecture_from_bytes (bytes, path, error) : NULL;
}
