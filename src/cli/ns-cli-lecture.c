/* normscope-cli lecture: check a lecture, draw its steps, make a hand-out.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli.h"
#include "document/ns-provenance.h"
#include "lecture/ns-lecture-json.h"
#include "lecture/ns-lecture-picture.h"
#include "lecture/ns-lectures.h"
#include "script/ns-dump-folder.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdatomic.h>
#include <string.h>

static const char *const paper_names[] = { "a4", "letter", NULL };

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  gboolean check;
  char *figures, *handout, *format, *paper, *language;
  double width, height, scale;
} LectureRequest;

typedef struct
{
  const LectureRequest *request;
  NsExportFormat format;
  NsPaper paper;
  NsEngine *engine;
  const NsLecture *lecture;
  NsLectureEvidence *evidence; /* [n steps] */
  NsAnswer *answers;           /* [n steps] */
  GPtrArray *problems;         /* char *, owned: what is wrong with which step */
  GBytes *handout;
  /* The job sets these, and the main thread shows them: the steps that are done, and the progress at their end. */
  atomic_uint n_done;
  atomic_ullong progress_done;
} LectureJob;

static void
lecture_request_clear (LectureRequest *request)
{
  g_free (request->figures);
  g_free (request->handout);
  g_free (request->format);
  g_free (request->paper);
  g_free (request->language);
}

static void
lecture_job_clear (LectureJob *job)
{
  guint n = job->lecture != NULL ? ns_lecture_get_n_steps (job->lecture) : 0;

  for (guint i = 0; i < n; i++)
    {
      ns_lecture_evidence_clear (&job->evidence[i]);
      ns_answer_clear (&job->answers[i]);
    }
  g_free (job->evidence);
  g_free (job->answers);
  g_clear_pointer (&job->problems, g_ptr_array_unref);
  g_clear_pointer (&job->handout, g_bytes_unref);
  g_clear_pointer (&job->engine, ns_engine_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LectureRequest, lecture_request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LectureJob, lecture_job_clear)

/* ---- pictures ---- */

/* Return TRUE for the name of a picture that this command writes: two or three digits, and an extension. */
static gboolean
is_picture_name (const char *name)
{
  gboolean has_number = g_ascii_isdigit (name[0]) && g_ascii_isdigit (name[1]);

  return has_number && ns_export_format_from_path (name, &(NsExportFormat){ 0 }, NULL);
}

static gboolean
holds_pictures_only (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (!is_picture_name (name) || !g_file_test (child, G_FILE_TEST_IS_REGULAR)
          || g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        return FALSE;
    }
  return TRUE;
}

static const NsFolderContents pictures_contents = {
  .is_earlier = holds_pictures_only,
  .refusal = N_ ("the folder contains files that are not pictures of a lecture; allowed: a new name, an empty folder "
                 "or one with earlier pictures"),
};

static gboolean
write_pictures (const LectureJob *job, NsProgress *progress, GError **error)
{
  const LectureRequest *request = job->request;
  g_autofree char *software = ns_provenance_dup_software ();
  g_auto (NsDumpFolder) folder = { 0 };
  NsTheme theme;

  ns_theme_init (&theme, NS_THEME_LIGHT);
  if (!ns_dump_folder_open (&folder, request->figures, &pictures_contents, error))
    return FALSE;
  for (guint i = 0; i < ns_lecture_get_n_steps (job->lecture); i++)
    {
      g_autofree char *name = ns_lecture_dup_picture_name (job->lecture, i, ns_cli_picture_formats[job->format]);
      g_autofree char *path = g_build_filename (folder.sibling.path, name, NULL);
      g_autoptr (GBytes) bytes = NULL;

      if (ns_progress_is_cancelled (progress))
        return FALSE;
      bytes = ns_lecture_step_export (ns_lecture_get_step (job->lecture, i), &job->evidence[i], &theme, job->format,
                                      request->width, request->height, request->scale, software, error);
      if (bytes == NULL || !ns_file_check_contents (bytes, error) || !ns_file_write (path, bytes, error))
        return FALSE;
    }
  if (!ns_dump_folder_publish (&folder, error))
    return FALSE;
  ns_cli_set_written ();
  return TRUE;
}

/* ---- the job ---- */

static void
evaluate (LectureJob *job, guint index)
{
  const NsLectureStep *step = ns_lecture_get_step (job->lecture, index);
  const NsLectureEvidence *evidence = &job->evidence[index];
  const NsQuestionSource source = { evidence->result, evidence->sweep, evidence->training, step->view.hidden };
  g_autoptr (GError) error = NULL;

  if (step->question == NULL || step->question->kind == NS_QUESTION_NONE
      || ns_question_evaluate (step->question, &source, &job->answers[index], &error))
    return;
  g_ptr_array_add (job->problems,
                   /* Translators: the number and title of a step of a lecture, and what is wrong */
                   g_strdup_printf (_ ("step %u, “%s”: question: %s"), index + 1, step->title, error->message));
}

/* Return TRUE for the name of a hand-out that is written as HTML; any other is a PDF. */
static gboolean
is_html (const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  return g_str_has_suffix (lower, ".html") || g_str_has_suffix (lower, ".htm");
}

/* Run every step, then write what is wanted. A lecture with a wrong question has no outputs. */
static gpointer
compute_steps (gpointer user_data, NsProgress *progress, GError **error)
{
  LectureJob *job = user_data;
  g_autofree char *software = ns_provenance_dup_software ();
  guint64 done, total;

  for (guint i = 0; i < ns_lecture_get_n_steps (job->lecture); i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (job->lecture, i);

      if (!ns_lecture_step_compute (step, job->engine, progress, &job->evidence[i], error))
        {
          g_prefix_error (error, _ ("step %u, “%s”: "), i + 1, step->title);
          return NULL;
        }
      evaluate (job, i);
      ns_progress_get (progress, &done, &total);
      atomic_store (&job->progress_done, done);
      atomic_store (&job->n_done, i + 1);
    }
  if (job->problems->len > 0)
    return job;
  if (job->request->handout != NULL)
    {
      job->handout
        = is_html (job->request->handout)
            ? ns_lecture_make_html (job->lecture, job->evidence, job->answers, software, error)
            : ns_lecture_make_handout (job->lecture, job->evidence, job->answers, job->paper, software, error);
      if (job->handout == NULL)
        return NULL;
    }
  if (job->request->figures != NULL && !write_pictures (job, progress, error))
    return NULL;
  return job;
}

/* Return which step is computed, and what takes long of it. */
static char *
dup_lecture_progress (gpointer user_data, NsProgress *progress, double elapsed_s)
{
  LectureJob *job = user_data;
  guint n = ns_lecture_get_n_steps (job->lecture), index = atomic_load (&job->n_done);
  g_autofree char *work = index < n ? ns_lecture_step_dup_work (ns_lecture_get_step (job->lecture, index)) : NULL;
  guint64 before = atomic_load (&job->progress_done), done, total;

  (void) elapsed_s;
  ns_progress_get (progress, &done, &total);
  if (index >= n)
    return NULL;
  if (work == NULL)
    return g_strdup_printf (_ ("step %u of %u"), index + 1, n);
  /* Translators: a step of a lecture, their number, “8 trainings of 300 steps”, how much of it is done */
  return g_strdup_printf (_ ("step %u of %u: %s, %.0f %%"), index + 1, n, work,
                          total > before ? 100 * (double) (done - before) / (double) (total - before) : 0);
}

/* ---- the report ---- */

static GBytes *
make_report (const LectureJob *job)
{
  GString *page = g_string_new (NULL);
  guint n = ns_lecture_get_n_steps (job->lecture);

  g_string_append_printf (page, "%s\n", job->lecture->title);
  for (guint i = 0; i < n; i++)
    {
      const NsLectureStep *step = ns_lecture_get_step (job->lecture, i);
      g_autofree char *work = ns_lecture_step_dup_work (step);

      g_string_append_printf (page, "%3u  %-13s %s\n", i + 1, ns_figure_info (step->view.figure)->id, step->title);
      if (work != NULL)
        g_string_append_printf (page, "     %-13s %s\n", "", work);
      if (step->question != NULL && step->question->kind != NS_QUESTION_NONE)
        {
          g_autofree char *answer = ns_answer_dup_text (&job->answers[i], step->question);

          /* Translators: the measured answer to a question of a lecture */
          g_string_append_printf (page, "     %-13s %s %s\n", ns_question_kind_get_id (step->question->kind),
                                  _ ("answer:"), answer);
        }
    }
  g_string_append_printf (page, ngettext ("%u step is valid.\n", "%u steps are valid.\n", n), n);
  return g_string_free_to_bytes (page);
}

/* ---- the command ---- */

static gboolean
parse_request (const LectureRequest *request, LectureJob *job, GError **error)
{
  int choice = 1;
  const char *option = request->figures == NULL && request->format != NULL ? "format" : NULL;

  if (request->handout == NULL && request->paper != NULL)
    option = "paper";
  if (option != NULL)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s is allowed only with --%s"), option,
                   *option == 'f' ? "figures" : "handout");
      return FALSE;
    }
  if (request->paper != NULL && is_html (request->handout))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--paper is allowed only with a hand-out in PDF; “%s” has no pages"), request->handout);
      return FALSE;
    }
  if (request->format != NULL
      && (choice = ns_cli_parse_choice ("format", request->format, ns_cli_picture_formats, error)) < 0)
    return FALSE;
  job->format = (NsExportFormat) choice;
  choice = 0;
  if (request->paper != NULL && (choice = ns_cli_parse_choice ("paper", request->paper, paper_names, error)) < 0)
    return FALSE;
  job->paper = (NsPaper) choice;
  return ns_export_check_size (request->width, request->height, request->scale, error)
         && (request->handout == NULL || ns_cli_check_output (request->handout, error))
         && (request->figures == NULL || ns_dump_folder_check (request->figures, &pictures_contents, error));
}

static void
refuse_nothing (GError **error)
{
  const NsLectureInfo *list = ns_lectures_list (NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  for (; list->id != NULL; list++)
    g_string_append_printf (names, ", %s", list->id);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("the lecture is missing; allowed: a file (*%s), -%s"),
               NS_LECTURE_SUFFIX, names->str);
}

/* Return TRUE for an argument that cannot be a file, so it is a name of a lecture that comes with the program. */
static gboolean
is_name (const char *argument)
{
  return strpbrk (argument, "./") == NULL && !g_file_test (argument, G_FILE_TEST_EXISTS);
}

static NsLecture *
open_lecture (const char *path, const char *language, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (path == NULL)
    {
      refuse_nothing (error);
      return NULL;
    }
  if (is_name (path) && strcmp (path, "-") != 0)
    return ns_lectures_load (path, language, error);
  if (strcmp (path, "-") != 0)
    return ns_lecture_from_path (path, error);
  bytes = ns_file_read_standard_input (NS_FILE_LECTURE, NULL, error);
  return bytes != NULL ? ns_lecture_from_bytes (bytes, _ ("standard input"), error) : NULL;
}

/* Return the exit status; *error may stay NULL for a lecture with wrong questions. */
static int
run_lecture (const NsCliOptions *options, const LectureRequest *request, GError **error)
{
  g_autoptr (NsLecture) lecture = NULL;
  static const NsCliWatch watch = { .dup_progress = dup_lecture_progress };
  g_auto (LectureJob) job = { .request = request };
  g_autoptr (GBytes) report = NULL;

  if (!parse_request (request, &job, error))
    return NS_EXIT_USAGE;
  lecture = open_lecture (options->files[0], request->language, error);
  if (lecture == NULL)
    return NS_EXIT_USAGE;
  job.lecture = lecture;
  job.evidence = g_new0 (NsLectureEvidence, MAX (ns_lecture_get_n_steps (lecture), 1));
  job.answers = g_new0 (NsAnswer, MAX (ns_lecture_get_n_steps (lecture), 1));
  job.problems = g_ptr_array_new_with_free_func (g_free);
  job.engine = ns_cli_options_new_engine (options, error);
  if (job.engine == NULL || ns_cli_run_watched_job (compute_steps, &job, &watch, error) == NULL)
    return NS_EXIT_FAILURE;
  for (guint i = 0; i < job.problems->len; i++)
    ns_cli_warn ("%s: %s", options->files[0], (const char *) g_ptr_array_index (job.problems, i));
  if (job.problems->len > 0)
    return NS_EXIT_USAGE;
  if (job.handout != NULL && !ns_cli_write (request->handout, job.handout, error))
    return NS_EXIT_FAILURE;
  if (!request->check && (request->figures != NULL || request->handout != NULL))
    return NS_EXIT_DONE;
  report = make_report (&job);
  return ns_cli_write (NULL, report, error) ? NS_EXIT_DONE : NS_EXIT_FAILURE;
}

int
ns_cli_lecture (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (LectureRequest) request = { .width = 1280, .height = 720, .scale = 1 };
  g_autoptr (GError) error = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &request.check,
      N_ ("Run every step and print the measured answers; the default without another output"), NULL },
    { "figures", 0, 0, G_OPTION_ARG_FILENAME, &request.figures,
      N_ ("Draw a picture of each step, 01-TITLE.svg …, into a new folder, an empty one or one with earlier pictures"),
      N_ ("FOLDER") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format, N_ ("Format of the pictures: png, svg (default) or pdf"),
      N_ ("FORMAT") },
    { "width", 0, 0, G_OPTION_ARG_DOUBLE, &request.width, N_ ("Width of a picture in px (default 1280)"), "PX" },
    { "height", 0, 0, G_OPTION_ARG_DOUBLE, &request.height, N_ ("Height of a picture in px (default 720)"), "PX" },
    { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.scale, N_ ("Factor on the whole picture (default 1)"), "X" },
    { "handout", 0, 0, G_OPTION_ARG_FILENAME, &request.handout,
      N_ ("Write texts, figures and questions, and the answers at the end: a PDF, or one HTML file"),
      N_ ("FILE.pdf|FILE.html") },
    { "paper", 0, 0, G_OPTION_ARG_STRING, &request.paper, N_ ("Size of the PDF’s pages: a4 (default) or letter"),
      N_ ("PAPER") },
    { "language", 0, 0, G_OPTION_ARG_STRING, &request.language,
      N_ ("Language of a lecture that comes with the program: en or de (default: yours)"), N_ ("LANGUAGE") },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, FALSE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help =
          ns_cli_options_help ("lecture", "FILE" NS_LECTURE_SUFFIX "|NAME",
                               _ ("Check a lecture: run every step and measure the answers to its questions. Draw its\n"
                                  "steps as pictures and write a hand-out. NAME is one of those that come with the\n"
                                  "program, such as cut-the-wires; without an argument, a message lists them."),
                               entries, FALSE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  status = run_lecture (&options, &request, &error);
  return error != NULL ? ns_cli_fail (error) : status;
}
