/* Fuzz target: lecture files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"

#include "document/ns-experiment-json.h"
#include "lecture/ns-lecture-json.h"

#include <string.h>

/* Memory of a step, whose shortest text in a file has 32 bytes. */
#define STEP_BYTES 4096

/* Return how often a word is in the bytes, at most once for each step. */
static gsize
count (const guint8 *data, gsize size, const char *word)
{
  gsize length = strlen (word), n = 0;

  for (gsize i = 0; i + length <= size && n < NS_LECTURE_MAX_STEPS; i++)
    if (memcmp (data + i, word, length) == 0)
      n++;
  return n;
}

static void
check_again (const NsLecture *lecture)
{
  g_autoptr (GBytes) bytes = ns_lecture_to_bytes (lecture);
  g_autoptr (GBytes) bytes_again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) again = ns_lecture_from_bytes (bytes, FUZZ_NAME, &error);

  if (again == NULL)
    fuzz_fail (__FILE__, __LINE__, "a written lecture can be read", error->message);
  FUZZ_CHECK (ns_lecture_equal (lecture, again));
  bytes_again = ns_lecture_to_bytes (again);
  FUZZ_CHECK (g_bytes_equal (bytes, bytes_again));
}

static void
check_steps (const NsLecture *lecture)
{
  FUZZ_CHECK (ns_lecture_get_n_steps (lecture) <= NS_LECTURE_MAX_STEPS);
  for (guint i = 0; i < ns_lecture_get_n_steps (lecture); i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (lecture, i);
      g_autoptr (NsLectureStep) copy = ns_lecture_step_copy (step);
      g_autoptr (GError) error = NULL;
      NsFigureOptions options;

      if (!ns_lecture_step_validate (step, &error))
        fuzz_fail (__FILE__, __LINE__, "an accepted step is valid", error->message);
      FUZZ_CHECK (ns_lecture_step_equal (step, copy));
      ns_lecture_step_get_options (step, NULL, &options);
    }
}

int
fuzz_one (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (NsLecture) lecture = NULL;

  /* A step without a text of its own has a copy of the sample text, if its source is "text". */
  fuzz_expect_expansion ((count (data, size, "\"source\"") * strlen (ns_sample_text ())
                          + count (data, size, "experiment") * STEP_BYTES) * 3 / FUZZ_MEMORY_FACTOR);
  lecture = ns_lecture_from_bytes (bytes, FUZZ_NAME, &error);
  if (lecture == NULL)
    {
      fuzz_check_error (error);
      return 0;
    }
  FUZZ_CHECK (error == NULL);
  check_steps (lecture);
  check_again (lecture);
  return 0;
}
