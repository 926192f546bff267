/* normscope-cli plot: draw a figure to a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-figure.h"
#include "cli/ns-cli-needs.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli-scaling.h"
#include "cli/ns-cli-size.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "plot/ns-figure-text.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *const theme_names[] = { "light", "dark", "high-contrast", "high-contrast-dark", NULL };

static const char *const text_words[] = { "outlines", "editable", NULL };

/* Of the figure of several depths. */
#define DEFAULT_PLOT_DEPTHS "6,12,24,48"

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output, *format, *figure, *theme, *text;
  gboolean dark, no_band, no_titles, transparent, verify, caption;
  NsCliSizeRequest size;
  NsCliSweepRequest sweep;
  NsCliSensitivityRequest map;
  GPtrArray *settings; /* of the figures: NsCliFigureSetting */
} PlotRequest;

/* The parsed options. */
typedef struct
{
  NsExportFormat format;
  NsTheme theme;
  NsFigureKind figure;
  NsFigureOptions options;
  NsCliSize size;
  NsCliSweepPlan sweep;
  NsMarks *marks; /* borrowed by the options */
  NsScalingTheory *theory; /* likewise */
} Plan;

static void
plot_request_clear (PlotRequest *request)
{
  g_free (request->output);
  g_free (request->format);
  g_free (request->figure);
  g_free (request->theme);
  g_free (request->text);
  ns_cli_size_request_clear (&request->size);
  ns_cli_sweep_request_clear (&request->sweep);
  ns_cli_sensitivity_request_clear (&request->map);
  g_clear_pointer (&request->settings, g_ptr_array_unref);
}

static void
plan_clear (Plan *plan)
{
  ns_marks_free (plan->marks);
  ns_scaling_theory_unref (plan->theory);
  ns_cli_sweep_plan_clear (&plan->sweep);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlotRequest, plot_request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static gboolean
parse_format (const PlotRequest *request, NsExportFormat *format, GError **error)
{
  int chosen;

  if (request->output == NULL || (request->format == NULL && strcmp (request->output, "-") == 0))
    {
      const char *missing = _ ("--output: the file is missing; allowed: a name that ends in .png, .svg or .pdf");
      const char *unknown = _ ("--output: “-” needs a format; allowed: --format png, svg or pdf");

      g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, request->output == NULL ? missing : unknown);
      return FALSE;
    }
  if (request->format == NULL && !ns_export_format_from_path (request->output, format, NULL))
    {
      g_autofree char *shown = ns_text_dup_short (request->output, NS_TEXT_MAX_PATH);

      return ns_export_format_from_path (shown, format, error);
    }
  if (request->format == NULL)
    return TRUE;
  chosen = ns_cli_parse_choice ("format", request->format, ns_cli_picture_formats, error);
  if (chosen >= 0)
    *format = (NsExportFormat) chosen;
  return chosen >= 0;
}

static gboolean
parse_text (const PlotRequest *request, Plan *plan, GError **error)
{
  int text = request->text != NULL ? ns_cli_parse_choice ("text", request->text, text_words, error) : 0;

  if (text > 0 && plan->format != NS_EXPORT_SVG)
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--text editable is allowed in an SVG only; text of a PDF is text in any case"));
      return FALSE;
    }
  plan->theme.editable_text = text > 0;
  return text >= 0;
}

static gboolean
parse_theme (const PlotRequest *request, Plan *plan, GError **error)
{
  int theme = request->dark ? NS_THEME_DARK : NS_THEME_LIGHT;

  if (request->theme != NULL)
    theme = ns_cli_parse_choice ("theme", request->theme, theme_names, error);
  if (theme < 0)
    return FALSE;
  ns_theme_init (&plan->theme, (NsThemeKind) theme);
  plan->theme.transparent = request->transparent;
  return parse_text (request, plan, error);
}

/* Refuse the options of a sweep or a map for a figure that needs none. */
static gboolean
check_needs (const PlotRequest *request, const Plan *plan, GError **error)
{
  const struct
  {
    const char *name, *text;
    NsFigureNeeds needs, other;
  } options[] = {
    { "depths", request->sweep.depths, NS_FIGURE_NEEDS_SWEEP, NS_FIGURE_NEEDS_DEPTHS },
    { "sweep", request->sweep.sweep, NS_FIGURE_NEEDS_SWEEP, NS_FIGURE_NEEDS_SWEEP },
    { "metric", request->sweep.metric, NS_FIGURE_NEEDS_SWEEP, NS_FIGURE_NEEDS_SWEEP },
    { "ratio", request->sweep.ratio, NS_FIGURE_NEEDS_SWEEP, NS_FIGURE_NEEDS_SWEEP },
    { "learning-rates", request->map.rates, NS_FIGURE_NEEDS_SENSITIVITY, NS_FIGURE_NEEDS_SENSITIVITY },
    { "points", request->map.points, NS_FIGURE_NEEDS_SENSITIVITY, NS_FIGURE_NEEDS_SENSITIVITY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autoptr (GString) owners = g_string_new (NULL);
      gboolean is_owner = FALSE;

      for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
        {
          const NsFigureInfo *info = ns_figure_info (kind);

          if (info->needs != options[i].needs && info->needs != options[i].other)
            continue;
          g_string_append_printf (owners, "%s%s", owners->len > 0 ? ", " : "", info->id);
          is_owner |= kind == plan->figure;
        }
      if (options[i].text != NULL && !is_owner)
        return ns_cli_refuse_option (options[i].name, owners->str, plan->figure, error);
    }
  return TRUE;
}

static gboolean
make_plot_plan (NsCliOptions *options, const PlotRequest *request, Plan *plan, GError **error)
{
  const char *figure = request->figure;

  if (figure == NULL && request->sweep.depths != NULL)
    figure = ns_figure_info (NS_FIGURE_DEPTHS)->id;
  ns_figure_options_init (&plan->options);
  if (!parse_format (request, &plan->format, error) || !ns_cli_parse_figure (figure, &plan->figure, error)
      || !parse_theme (request, plan, error) || !check_needs (request, plan, error)
      || !ns_cli_figure_settings_apply (request->settings, plan->figure, &plan->options, options, error))
    return FALSE;
  return ns_cli_size_parse (&request->size, plan->format, &plan->theme, &plan->size, error);
}

/* ---- drawing ---- */

static GBytes *
draw_figure (const NsFigureSource *source, const Plan *plan, NsExportMetadata *metadata, char **words, GError **error)
{
  g_autofree char *sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (plan->figure, source, &plan->options, &sentence);

  metadata->title = figure->title;
  metadata->description = sentence;
  *words = ns_figure_dup_words (figure, sentence);
  return ns_figure_export (figure, &plan->theme, plan->format, plan->size.width, plan->size.height, plan->size.scale,
                           metadata, error);
}

/* Draw a diagram; without a given height, derive it from the diagram's proportions. */
static GBytes *
draw_diagram (const NsFigureSource *source, const Plan *plan, NsExportMetadata *metadata, char **words, GError **error)
{
  const NsFigureInfo *info = ns_figure_info (plan->figure);
  g_autoptr (NsDiagram) diagram = info->make_diagram (source, &plan->options);
  double width, height, plan_height = plan->size.height;

  *words = info->make_sentence != NULL ? info->make_sentence (source, &plan->options, NULL) : NULL;
  metadata->title = _ (info->title);
  metadata->description = *words;
  ns_diagram_get_size (diagram, &width, &height);
  if (!plan->size.has_height)
    plan_height = CLAMP (plan->size.width * height / width, 16, NS_EXPORT_MAX_SIDE_PX);
  return ns_diagram_export (diagram, &plan->theme, plan->format, plan->size.width, plan_height, plan->size.scale,
                            metadata, error);
}

static GBytes *
draw (const NsFigureSource *source, const Plan *plan, const char *verified, char **words, GError **error)
{
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (source->experiment);
  NsExportMetadata metadata = {
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = verified,
  };

  if (ns_figure_info (plan->figure)->make_diagram != NULL)
    return draw_diagram (source, plan, &metadata, words, error);
  return draw_figure (source, plan, &metadata, words, error);
}

/* Return the name of the text file beside the picture. */
static char *
dup_caption_path (const char *output)
{
  const char *dot = strrchr (output, '.'), *slash = strrchr (output, G_DIR_SEPARATOR);
  g_autofree char *stem = dot != NULL && (slash == NULL || dot > slash + 1) ? g_strndup (output, (gsize) (dot - output))
                                                                             : g_strdup (output);

  return g_strconcat (stem, ".txt", NULL);
}

static gboolean
check_caption (const PlotRequest *request, GError **error)
{
  g_autofree char *path = request->caption ? dup_caption_path (request->output) : NULL;

  if (path == NULL)
    return TRUE;
  if (strcmp (request->output, "-") != 0)
    return ns_cli_check_output (path, error);
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--caption: not allowed with -o -; allowed: with a file"));
  return FALSE;
}

static gboolean
write_caption (const PlotRequest *request, const char *words, GError **error)
{
  g_autofree char *path = request->caption ? dup_caption_path (request->output) : NULL;
  g_autofree char *lines = g_strconcat (words != NULL ? words : "", "\n", NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (lines, strlen (lines));

  return path == NULL || ns_cli_write (path, bytes, error);
}

/* Load the experiment. If the figure can show a single variant, a single --variant selects it as in dump; several
 * replace the experiment's variants. */
static NsExperiment *
load (const NsCliOptions *options, const Plan *plan, int *only, GError **error)
{
  gboolean chosen = ns_figure_info (plan->figure)->by_variant && options->variants != NULL
                    && options->variants[0] != NULL && options->variants[1] == NULL;
  guint variant = 0;
  NsExperiment *experiment = ns_cli_options_load (options, chosen ? &variant : NULL, error);

  *only = chosen ? (int) variant : -1;
  return experiment;
}

/* Parse the options of the sweep if the figure needs one. */
static gboolean
plan_sweep (PlotRequest *request, const NsExperiment *experiment, Plan *plan, GError **error)
{
  if (plan->figure == NS_FIGURE_DEPTHS && request->sweep.depths == NULL)
    request->sweep.depths = g_strdup (DEFAULT_PLOT_DEPTHS);
  if (ns_figure_info (plan->figure)->needs != NS_FIGURE_NEEDS_SWEEP && plan->figure != NS_FIGURE_DEPTHS)
    return TRUE;
  if (!ns_cli_sweep_plan_init (&plan->sweep, &request->sweep, experiment, error))
    return FALSE;
  ns_cli_sweep_plan_options (&plan->sweep, &plan->options.scaling);
  return TRUE;
}

/* Read the file if it is a recording, with the figures that it has. */
static gboolean
open_recording (const NsCliOptions *options, NsFigureKind figure, NsExperiment *experiment, NsTraining **recording,
                GError **error)
{
  const char *path = options->files[0];

  if (path == NULL || strcmp (path, "-") == 0)
    return TRUE;
  if (!ns_cli_open_recording (path, recording, error))
    return FALSE;
  if (*recording == NULL || figure == NS_FIGURE_FLOW)
    return TRUE;
  if (ns_figure_info (figure)->needs == NS_FIGURE_NEEDS_TRAINING)
    {
      experiment->training.steps = ns_training_get_n_steps (*recording); /* which --step is checked against */
      return TRUE;
    }
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--figure: a recording has no figure “%s”; allowed: flow, and those of a training"),
               ns_figure_info (figure)->id);
  return FALSE;
}

/* Make the marks. If the file itself is a recording, its first step is one of them. */
static NsMarks *
make_marks (const PlotRequest *request, const NsExperiment *experiment, const NsTraining *recording, Plan *plan,
            GError **error)
{
  g_autoptr (NsMarks) marks
      = ns_cli_figure_settings_make_marks (request->settings, experiment, plan->figure, &plan->options, error);

  if (marks == NULL)
    return NULL;
  if (recording != NULL)
    ns_cli_marks_add_recording (marks, recording, experiment->variants->len);
  return ns_marks_validate (marks, error) ? g_steal_pointer (&marks) : NULL;
}

/* Compute what the figure shows; a recorded training is there. */
static gboolean
compute_plot (const PlotRequest *request, const Plan *plan, NsTraining *recording, NsEngine *engine,
              const NsExperiment *experiment, NsCliNeeds *needs, GError **error)
{
  if (recording == NULL || plan->figure == NS_FIGURE_FLOW)
    return ns_cli_needs_compute (needs, plan->figure, &plan->options, &plan->sweep, &request->map, engine, experiment,
                                 error);
  needs->training = ns_training_ref (recording);
  return TRUE;
}

static gboolean
run_plot (NsCliOptions *options, PlotRequest *request, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsTraining) recording = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *verified = NULL, *words = NULL;
  g_auto (NsCliNeeds) needs = { 0 };
  g_auto (Plan) plan = { 0 };
  NsFigureSource source;
  int only;

  options->recordings = TRUE;
  if (!make_plot_plan (options, request, &plan, error))
    return FALSE;
  experiment = load (options, &plan, &only, error);
  if (experiment == NULL || !open_recording (options, plan.figure, experiment, &recording, error)
      || !ns_cli_check_output (request->output, error) || !check_caption (request, error)
      || !ns_cli_figure_check (plan.figure, &plan.options, experiment, error)
      || !plan_sweep (request, experiment, &plan, error))
    return FALSE;
  if (request->verify && !(verified = ns_cli_figure_verify (plan.figure, &plan.options, experiment, error)))
    return FALSE;
  plan.marks = make_marks (request, experiment, recording, &plan, error);
  engine = plan.marks != NULL ? ns_cli_options_new_engine (options, error) : NULL;
  if (engine == NULL || !ns_cli_compute_references (plan.marks, &plan.options.flow, engine, error))
    return FALSE;
  plan.options.flow.marks = plan.options.paths.marks = plan.marks;
  ns_figure_options_set_band (&plan.options, !request->no_band);
  ns_figure_options_set_titles (&plan.options, !request->no_titles);
  if (!compute_plot (request, &plan, recording, engine, experiment, &needs, error))
    return FALSE;
  if (needs.sweep != NULL && plan.options.scaling.predictions)
    plan.theory = ns_scaling_theory_new (needs.sweep, plan.options.scaling.theory_depth);
  plan.options.scaling.theory = plan.theory;
  source = (NsFigureSource) { .experiment = experiment, .result = needs.result, .sweep = needs.sweep,
                              .paths = needs.paths, .training = needs.training,
                              .sensitivity = needs.sensitivity, .coordinates = needs.coordinates,
                              .depths = needs.depths, .variant = only };
  bytes = draw (&source, &plan, verified, &words, error);
  return bytes != NULL && ns_cli_write (request->output, bytes, error) && write_caption (request, words, error);
}

/* ---- the command ---- */

int
ns_cli_plot (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (PlotRequest) request = { .size = NS_CLI_SIZE_REQUEST_INIT };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) entries = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));
  g_autofree char *figure_help = ns_cli_figures_dup_help ();
  const GOptionEntry first[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output,
      N_ ("File to write, with the extension .png, .svg or .pdf; - with --format is standard output"), N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format, N_ ("png, svg or pdf, for any file name"),
      N_ ("FORMAT") },
    { "figure", 0, 0, G_OPTION_ARG_STRING, &request.figure, figure_help, N_ ("WORD") },
    { "depths", 0, 0, G_OPTION_ARG_STRING, &request.sweep.depths,
      N_ ("scaling: depths, such as 2..64 (default 1..128); depths, which is the figure if no other is given: the "
          "depths whose curves are drawn (default 6,12,24,48)"), N_ ("POINTS") },
    { "sweep", 0, 0, G_OPTION_ARG_STRING, &request.sweep.sweep,
      N_ ("scaling: sweep over the width at one depth instead, such as d_model=32..512"), N_ ("KEY=POINTS") },
    { "metric", 'm', 0, G_OPTION_ARG_STRING, &request.sweep.metric,
      N_ ("scaling: any quantity at @last, @first, @max, @total or @squares; in an encoder-decoder, of the decoder "
          "unless written as encoder:w_2@last (default w_2@last)"), N_ ("METRIC") },
    { "ratio", 0, 0, G_OPTION_ARG_STRING, &request.sweep.ratio,
      N_ ("scaling: the ratio of two variants, such as post/pre"), N_ ("A/B") },
    NS_CLI_SENSITIVITY_ENTRIES (&request.map),
  };
  const GOptionEntry last[] = {
    { "width", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.width, N_ ("Width in px of 1/96 inch (default 1280)"), "PX" },
    { "height", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.height, N_ ("Height in px of 1/96 inch (default 800)"), "PX" },
    { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.scale,
      N_ ("Factor on the whole picture, such as 2 for a sharp slide (default 1)"), "X" },
    { "width-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.width_cm, N_ ("Width on paper, with --height-cm"), "CM" },
    { "height-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.height_cm, N_ ("Height on paper"), "CM" },
    { "dpi", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.dpi,
      N_ ("Pixels of a png per inch of paper (default 300)"), "N" },
    { "for", 0, 0, G_OPTION_ARG_STRING, &request.size.purpose,
      N_ ("Draw for a purpose: slide (16:9); column or columns of a paper, 8.5 × 9 cm or 17.5 × 11 cm unless given in "
          "cm, without title and sentences and with no text that is cut or below 6 pt"), N_ ("WORD") },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.size.text_scale,
      N_ ("Factor on the text size only (default 1)"), "X" },
    { "text", 0, 0, G_OPTION_ARG_STRING, &request.text,
      N_ ("Text of an svg: outlines, which look the same everywhere, or editable (default outlines)"), N_ ("WORD") },
    { "caption", 0, 0, G_OPTION_ARG_NONE, &request.caption,
      N_ ("Also write the words about the picture to a file of the same name that ends in .txt"), NULL },
    { "theme", 0, 0, G_OPTION_ARG_STRING, &request.theme,
      N_ ("light, dark, high-contrast or high-contrast-dark (default light)"), N_ ("WORD") },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &request.dark, N_ ("The same as --theme dark"), NULL },
    { "transparent", 0, 0, G_OPTION_ARG_NONE, &request.transparent, N_ ("Paint no background"), NULL },
    { "verify", 0, 0, G_OPTION_ARG_NONE, &request.verify,
      N_ ("Check the experiment first, like the command verify, and state in the file that it passed"), NULL },
    { "no-band", 0, 0, G_OPTION_ARG_NONE, &request.no_band, N_ ("Leave out the band over the seeds"), NULL },
    { "no-titles", 0, 0, G_OPTION_ARG_NONE, &request.no_titles, N_ ("Leave out title and caption"), NULL },
  };
  const GOptionEntry *all;

  request.settings = ns_cli_figure_settings_new ();
  g_array_append_vals (entries, first, G_N_ELEMENTS (first));
  ns_cli_figure_settings_add_entries (request.settings, entries);
  g_array_append_vals (entries, last, G_N_ELEMENTS (last));
  all = (const GOptionEntry *) entries->data;

  if (!ns_cli_options_parse (&options, argc, argv, all, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
        "plot", "[FILE.normscope] -o PICTURE", _ ("Draw a figure to a file. No display is needed."), all, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run_plot (&options, &request, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}
