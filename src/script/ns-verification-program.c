/* The programs of a verification: the engine's double build and PyTorch.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-verification-private.h"
#include "engine/experiment/ns-settings.h"

#include "config.h"
#include "document/ns-experiment-json.h"
#include "document/ns-json-node.h"
#include "script/ns-dump.h"
#include "script/ns-torch-script.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "normscope-verify"
#define POLL_MS 20

/* The destination of a program's standard error. */
typedef enum
{
  ERRORS_SHOWN,
  ERRORS_SILENT,
  ERRORS_MERGED, /* into its output */
} Errors;

/* ---- running ---- */

/* Call the progress callback; return FALSE and an error if it cancels. */
static gboolean
report_progress (const NsVerificationProgress *progress, double part, GError **error)
{
  if (progress->step == NULL
      || progress->step (progress->data, progress->done + part * progress->share, progress->variant))
    return TRUE;
  g_set_error_literal (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_CANCELLED, _ ("The check was cancelled"));
  return FALSE;
}

/* Remove complete lines "progress DONE TOTAL" from the text; *part is DONE / TOTAL of the last one. */
static void
extract_progress (GString *text, double *part)
{
  char *line = text->str, *end;

  while ((end = strchr (line, '\n')) != NULL)
    {
      unsigned long long done, total;

      if (sscanf (line, "progress %llu %llu\n", &done, &total) == 2)
        {
          *part = total > 0 ? (double) done / (double) total : 0;
          g_string_erase (text, line - text->str, end + 1 - line);
        }
      else
        line = end + 1;
    }
}

static gboolean
set_cause (GError **error, int cause)
{
  g_set_error_literal (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED, g_strerror (cause));
  return FALSE;
}

/* Read the program's output to its end; report progress at least every POLL_MS. */
static gboolean
read_output (int fd, const NsVerificationProgress *progress, GString *text, GError **error)
{
  char buffer[4096];
  double part = 0;

  for (;;)
    {
      struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
      int ready = poll (&poll_fd, 1, POLL_MS);
      gssize n = ready > 0 ? read (fd, buffer, sizeof buffer) : ready;

      if (n < 0 && errno != EINTR)
        return set_cause (error, errno);
      if (n > 0)
        g_string_append_len (text, buffer, n);
      else if (ready > 0 && n == 0)
        return TRUE;
      extract_progress (text, &part);
      if (!report_progress (progress, part, error))
        return FALSE;
    }
}

/* In the child: end when the thread that waits for it ends, however that happens. */
static void
end_with_parent (gpointer data)
{
#ifdef __linux__
  prctl (PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* Start a program in a folder (NULL: the current one) with a pipe from its standard output, and from its standard error
 * if `merge` is set. Its standard input is the file `input`, or empty. GSubprocess would need a thread of its own, and
 * GLib ends the whole program when the system has no thread to give. Return the pipe's end to read from; -1 and an
 * error on failure. */
static int
start_program (const char *const *argv, const char *input, const char *folder, GSpawnFlags flags, gboolean merge,
               GPid *pid, GError **error)
{
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "PYTHONSAFEPATH", "1", TRUE);
  int from = -1, ends[2], in = -1;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    {
      set_cause (error, errno);
      return -1;
    }
  if (input != NULL && (in = g_open (input, O_RDONLY | O_CLOEXEC, 0)) < 0)
    set_cause (error, errno);
  else if (g_spawn_async_with_pipes_and_fds (folder, argv, (const char *const *) environment,
                                             G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | flags,
                                             end_with_parent, NULL, in, ends[1], merge ? ends[1] : -1, NULL, NULL, 0,
                                             pid, NULL, NULL, NULL, error))
    from = ends[0];
  if (in >= 0)
    close (in);
  close (ends[1]);
  if (from < 0)
    close (ends[0]);
  return from;
}

/* Run a program to its end. `input` (may be NULL) is a file for its standard input, `folder` (may be NULL) its current
 * folder, `errors` redirects its standard error. *output is its output without the lines "progress DONE TOTAL",
 * *status its exit status, -1 after a signal. Return FALSE and an error if it cannot be started or is cancelled. */
static gboolean
run_program (const char *const *argv, const char *input, const char *folder, Errors errors,
             const NsVerificationProgress *progress, char **output, int *status, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) cause = NULL;
  GPid pid;
  int fd = start_program (argv, input, folder,
                          errors == ERRORS_SILENT ? G_SPAWN_STDERR_TO_DEV_NULL : G_SPAWN_DEFAULT,
                          errors == ERRORS_MERGED, &pid, &cause);
  gboolean done;
  int ended = 0;

  if (fd < 0)
    {
      g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED, _ ("%s cannot be started: %s"), argv[0],
                   cause->message);
      return FALSE;
    }
  done = read_output (fd, progress, text, error);
  if (!done)
    kill (pid, SIGKILL);
  close (fd);
  while (waitpid (pid, &ended, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (pid);
  *status = WIFEXITED (ended) ? WEXITSTATUS (ended) : -1;
  *output = done ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
  return done;
}

/* ---- the engine ---- */

static char *
find_program (void)
{
  const char *named = g_getenv ("NORMSCOPE_VERIFY");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);

  if (named != NULL)
    return g_strdup (named);
  if (self != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (self);
      g_autofree char *sibling = g_build_filename (folder, PROGRAM, NULL);

      if (g_file_test (sibling, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&sibling);
    }
  return g_build_filename (LIBEXECDIR, PROGRAM, NULL);
}

/* Return FALSE and an error that says how to get the program if it does not exist. */
static gboolean
check_program (const char *program, GError **error)
{
  g_autofree char *found = g_find_program_in_path (program);

  if (found != NULL)
    return TRUE;
  g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED,
               _ ("The program of the self-check was not found: %s. In the folder of the sources, “meson compile -C "
                  "build normscope-verify” builds it; an installed Normscope without it is incomplete: install it "
                  "again."),
               program);
  return FALSE;
}

static NsVerifyKind
find_kind (const char *name)
{
  for (int kind = 0; kind < NS_N_VERIFY_KINDS; kind++)
    if (g_strcmp0 (name, ns_verify_kind_name ((NsVerifyKind) kind)) == 0)
      return (NsVerifyKind) kind;
  return NS_N_VERIFY_KINDS;
}

/* Return the error; infinity for null, which JSON has for numbers that are not finite. */
static double
get_error (JsonObject *object)
{
  double error;

  return ns_json_node_get_number (json_object_get_member (object, "error"), &error) ? error : INFINITY;
}

static NsVerifyReport *
read_report (const char *text, const NsShape *shape)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (JsonNode) node = ns_json_node_from_bytes (bytes, PROGRAM, "", NULL, NULL);
  g_autoptr (NsVerifyReport) report = ns_verify_report_new (shape);
  JsonArray *checks;
  JsonObject *root;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  root = json_node_get_object (node);
  report->passed = json_object_get_boolean_member_with_default (root, "passed", FALSE);
  report->overflow = json_object_get_int_member_with_default (root, "overflow", -1);
  checks = json_object_has_member (root, "checks") ? json_object_get_array_member (root, "checks") : NULL;
  if (checks == NULL)
    return NULL;
  for (guint i = 0; i < json_array_get_length (checks); i++)
    {
      JsonObject *object = json_array_get_object_element (checks, i);
      NsVerifyCheck check = {
        .kind = find_kind (json_object_get_string_member_with_default (object, "kind", NULL)),
        .name = g_intern_string (json_object_get_string_member_with_default (object, "name", "")),
        .error = get_error (object),
        .site = json_object_get_int_member_with_default (object, "site", 0),
        .places = (guint) json_object_get_int_member_with_default (object, "places", 0),
        .undecided = (guint) json_object_get_int_member_with_default (object, "undecided", 0),
        .passed = json_object_get_boolean_member_with_default (object, "passed", FALSE),
      };

      if (check.kind == NS_N_VERIFY_KINDS)
        return NULL;
      g_array_append_val (report->checks, check);
    }
  return g_steal_pointer (&report);
}

static gboolean
fail (const char *program, const char *output, GError **error)
{
  g_autofree char *message = g_strstrip (g_strdup (output));

  if (*message == '{') /* all or part of a report */
    message[strcspn (message, "\n")] = '\0';
  g_set_error (error, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_FAILED, _ ("%s could not check the variant: %s"),
               program, *message != '\0' ? message : _ ("it printed no report"));
  return FALSE;
}

gboolean
ns_verification_run_engine (NsVerificationVariant *variant, const char *folder, const NsVerificationProgress *progress,
                            GError **error)
{
  g_autofree char *program = find_program ();
  g_autofree char *path = g_build_filename (folder, "experiment.normscope", NULL);
  g_autofree char *output = NULL;
  const char *argv[] = { program, "0", NULL };
  int status;

  if (!check_program (program, error) || !ns_experiment_save (variant->checked, path, error)
      || !run_program (argv, path, NULL, ERRORS_SHOWN, progress, &output, &status, error))
    return FALSE;
  if (status != 0)
    return fail (program, output, error);
  variant->report = read_report (output, &variant->checked->shape);
  return variant->report != NULL || fail (program, output, error);
}

/* ---- PyTorch ----
 *
 * Python searches the folder of the script for modules, with -c the current folder, and this one also if PYTHONPATH has
 * an empty entry: a file torch.py among downloads would be executed. So both are the temporary folder, which belongs to
 * the user alone, and PYTHONSAFEPATH (since Python 3.11) leaves them out. "python3 -I" would not find modules that were
 * installed with "pip install --user" or are in PYTHONPATH. */

/* Return the program; a relative path refers to the current folder of this program, not to that of Python. */
static char *
dup_python (const char *named)
{
  return strchr (named, G_DIR_SEPARATOR) != NULL ? g_canonicalize_filename (named, NULL) : g_strdup (named);
}

char *
ns_verification_find_python (const char *folder, const NsVerificationProgress *progress, char **version,
                             GError **error)
{
  const char *named = g_getenv ("NORMSCOPE_PYTHON");
  const char *candidates[] = { named != NULL ? named : "python3", named != NULL ? NULL : "/usr/bin/python3" };

  *version = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (candidates) && candidates[i] != NULL; i++)
    {
      g_autofree char *python = dup_python (candidates[i]);
      const char *argv[] = { python, "-B", "-c", "import torch; print (torch.__version__)", NULL };
      g_autofree char *output = NULL;
      g_autoptr (GError) cause = NULL;
      int status;

      if (!run_program (argv, NULL, folder, ERRORS_SILENT, progress, &output, &status, &cause))
        {
          if (g_error_matches (cause, NS_VERIFICATION_ERROR, NS_VERIFICATION_ERROR_CANCELLED))
            {
              g_propagate_error (error, g_steal_pointer (&cause));
              return NULL;
            }
          continue;
        }
      if (status != 0)
        continue;
      *version = g_strdup (g_strstrip (output));
      return g_steal_pointer (&python);
    }
  return NULL;
}

/* Parse "largest relative difference to Normscope: 1.2e-06 (…), of 230 numbers". */
static void
read_difference (NsVerificationVariant *variant, const char *output)
{
  static const char mark[] = "largest relative difference to Normscope: ";
  const char *at = strstr (output, mark), *of, *end;

  variant->torch_error = NAN;
  if (at == NULL)
    return;
  variant->torch_error = g_ascii_strtod (at + strlen (mark), NULL);
  end = strchrnul (at, '\n');
  of = g_strrstr_len (at, end - at, ", of ");
  if (of != NULL)
    variant->torch_numbers = (guint) g_ascii_strtoull (of + strlen (", of "), NULL, 10);
}

gboolean
ns_verification_run_torch (NsVerificationVariant *variant, const NsScriptParts *parts, const char *python,
                           const char *folder, const NsVerificationProgress *progress, GError **error)
{
  g_autofree char *directory = g_build_filename (folder, "script", NULL);
  g_autofree char *script = g_build_filename (directory, NS_TORCH_SCRIPT_NAME, NULL);
  g_autoptr (NsEngine) engine = ns_engine_new (0, 0);
  g_autofree char *output = NULL;
  const char *argv[] = { python, "-B", script, NULL };
  int status;

  if (!report_progress (progress, 0, error)
      || !ns_dump_write_script (engine, variant->checked, 0, parts, directory, NULL, error)
      || !run_program (argv, NULL, folder, ERRORS_MERGED, progress, &output, &status, error))
    return FALSE;
  read_difference (variant, output);
  variant->torch = status == 0 && variant->torch_error <= NS_TORCH_TOLERANCE ? NS_TORCH_PASSED : NS_TORCH_FAILED;
  if (variant->torch == NS_TORCH_FAILED)
    variant->torch_output = g_steal_pointer (&output);
  return TRUE;
}
