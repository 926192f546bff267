/* Write lecture files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-write.h"
#include "document/ns-json-check.h"
#include "lecture/ns-lecture-json.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

void
ns_lecture_write_text (NsJsonWriter *writer, const char *key, const char *text)
{
  g_auto (GStrv) lines = NULL;

  if (strchr (text, '\n') == NULL)
    {
      ns_json_string (writer, key, text);
      return;
    }
  lines = g_strsplit (text, "\n", -1);
  ns_json_open (writer, key, '[');
  for (guint i = 0; lines[i] != NULL; i++)
    ns_json_string (writer, NULL, lines[i]);
  ns_json_close (writer, ']');
}

static guint
to_byte (double component)
{
  return (guint) lround (CLAMP (component, 0, 1) * 255);
}

char *
ns_lecture_dup_color (const NsColor *color)
{
  return g_strdup_printf ("#%02x%02x%02x", to_byte (color->red), to_byte (color->green), to_byte (color->blue));
}

gboolean
ns_lecture_color_from_text (const char *text, NsColor *color)
{
  guint rgb = 0;

  if (strlen (text) != 7 || text[0] != '#')
    return FALSE;
  for (int i = 1; i < 7; i++)
    {
      if (!g_ascii_isxdigit (text[i]))
        return FALSE;
      rgb = rgb * 16 + (guint) g_ascii_xdigit_value (text[i]);
    }
  *color = (NsColor) { (rgb >> 16) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0 };
  return TRUE;
}

static void
write_step (NsJsonWriter *writer, const NsLectureStep *step)
{
  ns_json_open (writer, NULL, '{');
  ns_json_string (writer, "title", step->title);
  if (*step->text != '\0')
    ns_lecture_write_text (writer, "text", step->text);
  if (*step->notes != '\0')
    ns_lecture_write_text (writer, "notes", step->notes);
  ns_experiment_write_minimal (writer, "experiment", step->experiment);
  ns_lecture_view_write (writer, "view", step);
  ns_question_write (writer, "question", step->question, step->experiment);
  ns_json_close (writer, '}');
}

GBytes *
ns_lecture_to_bytes (const NsLecture *lecture)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_json_string (&writer, "format", NS_LECTURE_FORMAT);
  ns_json_integer (&writer, "version", NS_LECTURE_VERSION);
  ns_json_string (&writer, "title", lecture->title);
  ns_json_string (&writer, "language", lecture->language);
  ns_json_open (&writer, "steps", '[');
  for (guint i = 0; i < lecture->steps->len; i++)
    write_step (&writer, ns_lecture_get_step (lecture, i));
  ns_json_close (&writer, ']');
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}

gboolean
ns_lecture_save (const NsLecture *lecture, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = ns_lecture_to_bytes (lecture);
  g_autoptr (NsLecture) again = NULL;

  if (!ns_file_check_contents (bytes, error))
    return FALSE;
  again = ns_lecture_from_bytes (bytes, path, error);
  return again != NULL && ns_file_write (path, bytes, error);
}
