/* normscope-cli plot: draw a figure to a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-figure.h"
#include "cli/ns-cli-needs.h"
#include "cli/ns-cli-options.h"
#include "cli/ns-cli-scaling.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"

#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "plot/ns-export-size.h"

#include <float.h>
#include <glib/gi18n.h>
#include <string.h>

static const char *const theme_names[] = { "light", "dark", "high-contrast", "high-contrast-dark", NULL };

/* Value of a number that is not given; no size is as negative. */
#define UNSET (-DBL_MAX)
#define PAPER_DPI 300

/* Options as given on the command line; NULL if absent. */
typedef struct
{
  char *output, *format, *figure, *theme;
  gboolean dark, no_band, no_titles, transparent, verify;
  double width, height, scale, text_scale; /* UNSET if absent */
  double width_cm, height_cm, dpi;
  char *purpose;
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
  double width, height, scale;
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
  g_free (request->purpose);
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

/* ---- size: in px, in cm, or by purpose ---- */

static double
or_default (double value, double fallback)
{
  return value == UNSET ? fallback : value;
}

static gboolean
refuse_size (const char *option, GError **error)
{
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s cannot be combined with another way to set the size; allowed: --width, --height and --scale in "
                  "px, or --width-cm, --height-cm and --dpi, or --for"),
               option);
  return FALSE;
}

static const NsExportPreset *
find_purpose (const char *word, GError **error)
{
  gsize n;
  const NsExportPreset *presets = ns_export_presets (&n);
  g_autofree char *quoted = ns_text_dup_short (word, NS_TEXT_MAX_VALUE);

  for (gsize i = 0; i < n; i++)
    if (strcmp (presets[i].id, word) == 0)
      return &presets[i];
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--for: “%s” is not allowed; allowed: slide, column or columns"), quoted);
  return NULL;
}

static gboolean
parse_size (const PlotRequest *request, Plan *plan, GError **error)
{
  gboolean in_px = request->width != UNSET || request->height != UNSET || request->scale != UNSET;
  gboolean in_cm = request->width_cm != UNSET || request->height_cm != UNSET || request->dpi != UNSET;
  NsExportSize size = { .is_cm = TRUE, .text_scale = 1 };
  const NsExportPreset *preset;

  if (request->purpose != NULL && (in_px || in_cm))
    return refuse_size ("for", error);
  if (in_cm && (in_px || request->width_cm == UNSET || request->height_cm == UNSET))
    return refuse_size (request->width_cm != UNSET ? "width-cm" : request->dpi != UNSET ? "dpi" : "height-cm",
                        error);
  if (request->purpose != NULL)
    {
      preset = find_purpose (request->purpose, error);
      if (preset == NULL)
        return FALSE;
      size = preset->size;
    }
  if (in_cm)
    {
      size.width = request->width_cm;
      size.height = request->height_cm;
      size.dpi = or_default (request->dpi, PAPER_DPI);
    }
  if (in_cm && !(size.dpi >= 24 && size.dpi <= 2400))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--dpi: %g is not allowed; allowed: from 24 to 2400"),
                   size.dpi);
      return FALSE;
    }
  plan->width = or_default (request->width, 1280);
  plan->height = or_default (request->height, 800);
  plan->scale = or_default (request->scale, 1);
  plan->theme.text_scale = or_default (request->text_scale, size.text_scale);
  if (in_cm || request->purpose != NULL)
    ns_export_size_resolve (&size, plan->format, &plan->width, &plan->height, &plan->scale);
  return ns_export_check_size (plan->width, plan->height, plan->scale, error);
}

static gboolean
parse_theme (const PlotRequest *request, Plan *plan, GError **error)
{
  int theme = request->dark ? NS_THEME_DARK : NS_THEME_LIGHT;

  if (request->theme != NULL)
    theme = ns_cli_parse_choice ("theme", request->theme, theme_names, error);
  if (theme < 0)
    return FALSE;
  if (request->text_scale != UNSET && !(request->text_scale >= 0.25 && request->text_scale <= 8))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--text-scale: %g is not allowed; allowed: from 0.25 to 8"), request->text_scale);
      return FALSE;
    }
  ns_theme_init (&plan->theme, (NsThemeKind) theme);
  plan->theme.transparent = request->transparent;
  return TRUE;
}

static NsFigureKind
find_figure (NsFigureNeeds needs)
{
  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    if (ns_figure_info (kind)->needs == needs)
      return kind;
  g_assert_not_reached ();
}

/* Refuse the options of a sweep or a map for a figure that needs none. */
static gboolean
check_needs (const PlotRequest *request, const Plan *plan, GError **error)
{
  const struct
  {
    const char *name, *text;
    NsFigureNeeds needs;
  } options[] = {
    { "depths", request->sweep.depths, NS_FIGURE_NEEDS_SWEEP },
    { "sweep", request->sweep.sweep, NS_FIGURE_NEEDS_SWEEP },
    { "metric", request->sweep.metric, NS_FIGURE_NEEDS_SWEEP },
    { "ratio", request->sweep.ratio, NS_FIGURE_NEEDS_SWEEP },
    { "learning-rates", request->map.rates, NS_FIGURE_NEEDS_SENSITIVITY },
    { "points", request->map.points, NS_FIGURE_NEEDS_SENSITIVITY },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].text != NULL && ns_figure_info (plan->figure)->needs != options[i].needs)
      return ns_cli_refuse_option (options[i].name, find_figure (options[i].needs), plan->figure, error);
  return TRUE;
}

static gboolean
make_plot_plan (NsCliOptions *options, const PlotRequest *request, Plan *plan, GError **error)
{
  ns_figure_options_init (&plan->options);
  if (!parse_format (request, &plan->format, error) || !ns_cli_parse_figure (request->figure, &plan->figure, error)
      || !parse_theme (request, plan, error) || !check_needs (request, plan, error)
      || !ns_cli_figure_settings_apply (request->settings, plan->figure, &plan->options, options, error))
    return FALSE;
  return parse_size (request, plan, error);
}

/* ---- drawing ---- */

static GBytes *
draw_figure (const NsFigureSource *source, const Plan *plan, NsExportMetadata *metadata, GError **error)
{
  g_autofree char *sentence = NULL;
  g_autoptr (NsFigure) figure = ns_figure_make (plan->figure, source, &plan->options, &sentence);

  metadata->title = figure->title;
  metadata->description = sentence;
  return ns_figure_export (figure, &plan->theme, plan->format, plan->width, plan->height, plan->scale, metadata, error);
}

/* Draw a diagram; without a given height, derive it from the diagram's proportions. */
static GBytes *
draw_diagram (const NsFigureSource *source, const PlotRequest *request, const Plan *plan, NsExportMetadata *metadata,
              GError **error)
{
  const NsFigureInfo *info = ns_figure_info (plan->figure);
  g_autoptr (NsDiagram) diagram = info->make_diagram (source, &plan->options);
  g_autofree char *sentence = info->make_sentence != NULL ? info->make_sentence (source, &plan->options, NULL) : NULL;
  double width, height, plan_height = plan->height;

  metadata->title = _ (info->title);
  metadata->description = sentence;
  ns_diagram_get_size (diagram, &width, &height);
  if (request->height == UNSET && request->height_cm == UNSET && request->purpose == NULL)
    plan_height = CLAMP (plan->width * height / width, 16, NS_EXPORT_MAX_SIDE_PX);
  return ns_diagram_export (diagram, &plan->theme, plan->format, plan->width, plan_height, plan->scale, metadata,
                            error);
}

static GBytes *
draw (const NsFigureSource *source, const PlotRequest *request, const Plan *plan, const char *verified, GError **error)
{
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (source->experiment);
  NsExportMetadata metadata = {
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = verified,
  };

  if (ns_figure_info (plan->figure)->make_diagram != NULL)
    return draw_diagram (source, request, plan, &metadata, error);
  return draw_figure (source, plan, &metadata, error);
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
plan_sweep (const PlotRequest *request, const NsExperiment *experiment, Plan *plan, GError **error)
{
  if (ns_figure_info (plan->figure)->needs != NS_FIGURE_NEEDS_SWEEP)
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
run_plot (NsCliOptions *options, const PlotRequest *request, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsTraining) recording = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *verified = NULL;
  g_auto (NsCliNeeds) needs = { 0 };
  g_auto (Plan) plan = { 0 };
  NsFigureSource source;
  int only;

  options->recordings = TRUE;
  if (!make_plot_plan (options, request, &plan, error))
    return FALSE;
  experiment = load (options, &plan, &only, error);
  if (experiment == NULL || !open_recording (options, plan.figure, experiment, &recording, error)
      || !ns_cli_check_output (request->output, error)
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
                              .sensitivity = needs.sensitivity, .coordinates = needs.coordinates, .variant = only };
  bytes = draw (&source, request, &plan, verified, error);
  return bytes != NULL && ns_cli_write (request->output, bytes, error);
}

/* ---- the command ---- */

int
ns_cli_plot (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (PlotRequest) request = { .width = UNSET, .height = UNSET, .scale = UNSET, .text_scale = UNSET,
                             .width_cm = UNSET, .height_cm = UNSET, .dpi = UNSET };
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
      N_ ("scaling: depths, such as 2..64 (default 1..128)"), N_ ("POINTS") },
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
    { "width", 0, 0, G_OPTION_ARG_DOUBLE, &request.width, N_ ("Width in px of 1/96 inch (default 1280)"), "PX" },
    { "height", 0, 0, G_OPTION_ARG_DOUBLE, &request.height, N_ ("Height in px of 1/96 inch (default 800)"), "PX" },
    { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.scale,
      N_ ("Factor on the whole picture, such as 2 for a sharp slide (default 1)"), "X" },
    { "width-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.width_cm, N_ ("Width on paper, with --height-cm"), "CM" },
    { "height-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.height_cm, N_ ("Height on paper"), "CM" },
    { "dpi", 0, 0, G_OPTION_ARG_DOUBLE, &request.dpi,
      N_ ("Pixels of a png per inch of paper (default 300)"), "N" },
    { "for", 0, 0, G_OPTION_ARG_STRING, &request.purpose,
      N_ ("Set the size for a purpose: slide (16:9), column or columns (one or two columns of a paper)"),
      N_ ("WORD") },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.text_scale, N_ ("Factor on the text size only (default 1)"),
      "X" },
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
