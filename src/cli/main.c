/* normscope-cli: the command-line program of Normscope.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-ranks.h"
#include "cli/ns-cli.h"

#include "config.h"
#include "document/ns-sibling.h"
#include "document/ns-suggest.h"
#include "document/ns-version.h"
#include "engine/experiment/ns-text.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const NsCliCommand commands[] = {
  { "run", "[FILE]", N_ ("compute gradient norms and activations of every block"), ns_cli_run, TRUE },
  { "scaling", "[FILE]", N_ ("fit laws to a gradient norm over depth or width; test claims of papers"),
    ns_cli_scaling, TRUE },
  { "paths", "[FILE] --of WORD", N_ ("compute what adds to the stream and how its gradient comes down"),
    ns_cli_paths, FALSE },
  { "train", "[FILE]", N_ ("train every variant and print its losses"), ns_cli_train, TRUE },
  { "merge", "CHECKPOINT…", N_ ("write the output of a command from the checkpoints of its shards"),
    ns_cli_merge, FALSE },
  { "plot", "[FILE] -o PICTURE", N_ ("draw a figure to .png, .svg or .pdf"), ns_cli_plot, FALSE },
  { "dump", "[FILE] --variant NAME --out DIR",
    N_ ("write weights, input and result of one seed as .npy and JSON files"), ns_cli_dump, FALSE },
  { "script", "[FILE] --variant NAME --out DIR",
    N_ ("write a PyTorch script that reproduces the numbers, with its weights"), ns_cli_script, FALSE },
  { "link", "[FILE]", N_ ("print an experiment as a link, which every command accepts in place of a file"),
    ns_cli_link, FALSE },
  { "lecture", "FILE", N_ ("check a lecture, draw its steps, write a hand-out"), ns_cli_lecture, FALSE },
  { "presets", "[NAME]", N_ ("list the presets, or print one as an experiment file"), ns_cli_presets, FALSE },
  { "verify", "[FILE]", N_ ("check the engine on an experiment by finite differences, adjoints and PyTorch"),
    ns_cli_verify, FALSE },
  { "bench", "[FILE]", N_ ("compare the engine's time with the time of its matrix products"), ns_cli_bench, FALSE },
  { "help", "[PAGE]", N_ ("print a page on a setting, quantity, variant, view or claim"), ns_cli_pages, FALSE },
};

static GBytes *
make_overview (void)
{
  GString *page = g_string_new (NULL);

  g_string_append (page, _ ("Usage: normscope-cli COMMAND [FILE.normscope] [OPTION…]"));
  g_string_append_printf (page, "\n\n%s\n\n",
                          _ ("Run transformers at initialization and show the gradient norms and activations of their "
                             "blocks."));
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *head = g_strdup_printf ("%s %s", commands[i].name, commands[i].arguments);

      g_string_append_printf (page, "  %-38s %s\n", head, _ (commands[i].summary));
    }
  g_string_append_printf (page, "\n%s\n",
                          _ ("“normscope-cli COMMAND --help” lists the options of a command; “normscope-cli --version” "
                             "prints the version."));
  return g_string_free_to_bytes (page);
}

static int
print (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;

  return ns_cli_write (NULL, bytes, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}

static int
print_version (void)
{
  g_autofree char *version = g_strdup_printf ("normscope %s\n", ns_version_get ());
  g_autoptr (GBytes) bytes = g_bytes_new (version, strlen (version));

  return print (bytes);
}

static int
refuse_command (const char *name)
{
  const char *names[G_N_ELEMENTS (commands) + 1] = { NULL };
  g_autofree char *quoted = ns_text_dup_short (name, NS_TEXT_MAX_VALUE);
  g_autofree char *advice = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    names[i] = commands[i].name;
  advice = ns_suggest_dup_text (name, names);
  ns_cli_warn (_ ("“%s” is not a command. %s"), quoted, advice);
  return NS_EXIT_USAGE;
}

static void
bind_translations (void)
{
  const char *directory = g_getenv ("NORMSCOPE_LOCALEDIR");

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, directory != NULL ? directory : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

static void
report_refusal_and_clean (const char *cause)
{
  fprintf (stderr, "normscope-cli: ");
  fprintf (stderr, _ ("the system refused memory or a thread: %s\n"), cause);
  ns_sibling_remove_unfinished ();
}

static int
run_command (const NsCliCommand *command, int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status = ns_cli_ranks_check (command->name, command->shares, &error) ? command->run (argc, argv)
                                                                           : ns_cli_fail (error);

  ns_cli_ranks_leave (status);
  return status;
}

static int
run_arguments (int argc, char **argv)
{
  g_autoptr (GBytes) overview = make_overview ();

  if (argc < 2)
    {
      fputs (g_bytes_get_data (overview, NULL), stderr);
      return NS_EXIT_USAGE;
    }
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 || (argc == 2 && strcmp (argv[1], "help") == 0))
    return print (overview);
  if (strcmp (argv[1], "--version") == 0)
    return print_version ();
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return run_command (&commands[i], argc - 1, argv + 1);
  return refuse_command (argv[1]);
}

int
main (int argc, char **argv)
{
  ns_cli_open_streams ();
  bind_translations ();
  ns_cli_catch_refusals (report_refusal_and_clean);
  ns_cli_catch_signals ();
  signal (SIGXFSZ, SIG_IGN); /* a file at its size limit is an error of write() */
  return ns_cli_end (run_arguments (argc, argv));
}
