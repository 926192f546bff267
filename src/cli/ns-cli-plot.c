/* normscope-cli plot: a figure to a file, without a display.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-cli-options.h"
#include "cli/ns-cli-scaling.h"
#include "cli/ns-cli.h"
#include "engine/experiment/ns-experiment.h"

#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "figures/ns-flow.h"
#include "figures/ns-wiring.h"
#include "plot/ns-export-size.h"

#include <float.h>
#include <glib/gi18n.h>
#include <string.h>

typedef enum { FIGURE_FLOW, FIGURE_SCALING, FIGURE_WIRING } Figure;
static const char *const figure_names[] = { "flow", "scaling", "wiring", NULL };
static const char *const format_names[] = { "png", "svg", "pdf", NULL };
static const char *const axis_names[] = { "log", "linear", NULL };
static const char *const token_cos_names[] = { "auto", "always", "never", NULL };
static const char *const theme_names[] = { "light", "dark", "high-contrast", "high-contrast-dark", NULL };

/* Of a number: no size is as negative. */
#define UNTYPED (-DBL_MAX)
#define PAPER_DPI 300

/* As typed; NULL where nothing was. */
typedef struct
{
  char *output, *format, *figure, *theme, *quantity, *magnitude, *gradient_axis, *activation_axis, *token_cos;
  gboolean dark, no_band, no_titles, predictions, transparent, verify;
  double width, height, scale, text_scale; /* UNTYPED where nothing was */
  double width_cm, height_cm, dpi;
  char *purpose;
  NsCliSweepRequest sweep;
} Request;

/* As understood. */
typedef struct
{
  NsExportFormat format;
  NsTheme theme;
  NsFlowOptions flow;
  int figure; /* Figure */
  double width, height, scale;
  int variant; /* FIGURE_WIRING: of it alone, or -1 */
  NsCliSweepPlan sweep;
} Plan;

static void
request_clear (Request *request)
{
  g_free (request->output);
  g_free (request->format);
  g_free (request->figure);
  g_free (request->theme);
  g_free (request->quantity);
  g_free (request->magnitude);
  g_free (request->gradient_axis);
  g_free (request->activation_axis);
  g_free (request->token_cos);
  g_free (request->purpose);
  ns_cli_sweep_request_clear (&request->sweep);
}

static void
plan_clear (Plan *plan)
{
  ns_cli_sweep_plan_clear (&plan->sweep);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Request, request_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static gboolean
parse_format (const Request *request, NsExportFormat *format, GError **error)
{
  int chosen;

  if (request->output == NULL || (request->format == NULL && strcmp (request->output, "-") == 0))
    {
      const char *missing = _ ("--output: the file is missing; allowed: a name that ends in .png, .svg or .pdf");
      const char *unknown = _ ("--output: “-” needs a format; allowed: --format png, svg or pdf beside it");

      g_set_error_literal (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, request->output == NULL ? missing : unknown);
      return FALSE;
    }
  if (request->format == NULL)
    return ns_export_format_from_path (request->output, format, error);
  chosen = ns_cli_parse_choice ("format", request->format, format_names, error);
  if (chosen >= 0)
    *format = (NsExportFormat) chosen;
  return chosen >= 0;
}

static gboolean
parse_quantity (const char *option, const char *name, NsQuantityKind kind, NsQuantity *quantity, GError **error)
{
  g_autoptr (GArray) quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));

  if (name == NULL)
    return TRUE;
  if (!ns_cli_parse_quantities (name, quantities, error))
    return FALSE;
  if (quantities->len != 1 || ns_quantity_info (g_array_index (quantities, NsQuantity, 0))->kind != kind)
    {
      GString *allowed = g_string_new (NULL);

      for (guint q = 0; q < NS_N_QUANTITIES; q++)
        if (ns_quantity_info ((NsQuantity) q)->kind == kind)
          g_string_append_printf (allowed, "%s%s", allowed->len > 0 ? ", " : "",
                                  ns_quantity_info ((NsQuantity) q)->name);
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s: “%s” is not allowed; allowed: one of %s"), option,
                   name, allowed->str);
      g_string_free (allowed, TRUE);
      return FALSE;
    }
  *quantity = g_array_index (quantities, NsQuantity, 0);
  return TRUE;
}

/* ---- the size: in px, in cm or by what it is for ---- */

static double
or_else (double typed, double otherwise)
{
  return typed == UNTYPED ? otherwise : typed;
}

static gboolean
refuse_size (const char *option, GError **error)
{
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--%s: one way to say the size excludes the others; allowed: --width, --height and --scale in px, or "
                  "--width-cm, --height-cm and --dpi, or --for"),
               option);
  return FALSE;
}

static const NsExportPreset *
find_purpose (const char *word, GError **error)
{
  gsize n;
  const NsExportPreset *presets = ns_export_presets (&n);

  for (gsize i = 0; i < n; i++)
    if (strcmp (presets[i].id, word) == 0)
      return &presets[i];
  g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
               _ ("--for: “%s” is not allowed; allowed: slide, column or columns"), word);
  return NULL;
}

static gboolean
parse_size (const Request *request, Plan *plan, GError **error)
{
  gboolean in_px = request->width != UNTYPED || request->height != UNTYPED || request->scale != UNTYPED;
  gboolean in_cm = request->width_cm != UNTYPED || request->height_cm != UNTYPED || request->dpi != UNTYPED;
  NsExportSize size = { .is_cm = TRUE, .text_scale = 1 };
  const NsExportPreset *preset;

  if (request->purpose != NULL && (in_px || in_cm))
    return refuse_size ("for", error);
  if (in_cm && (in_px || request->width_cm == UNTYPED || request->height_cm == UNTYPED))
    return refuse_size (request->width_cm != UNTYPED ? "width-cm" : request->dpi != UNTYPED ? "dpi" : "height-cm",
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
      size.dpi = or_else (request->dpi, PAPER_DPI);
    }
  if (in_cm && !(size.dpi >= 24 && size.dpi <= 2400))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--dpi: %g is not allowed; allowed: from 24 to 2400"),
                   size.dpi);
      return FALSE;
    }
  plan->width = or_else (request->width, 1280);
  plan->height = or_else (request->height, 800);
  plan->scale = or_else (request->scale, 1);
  plan->theme.text_scale = or_else (request->text_scale, size.text_scale);
  if (in_cm || request->purpose != NULL)
    ns_export_size_resolve (&size, plan->format, &plan->width, &plan->height, &plan->scale);
  return ns_export_check_size (plan->width, plan->height, plan->scale, error);
}

/* Leaves *choice as it is when nothing was typed. */
static gboolean
parse_choice (const char *option, const char *word, const char *const *words, int *choice, GError **error)
{
  int chosen;

  if (word == NULL)
    return TRUE;
  chosen = ns_cli_parse_choice (option, word, words, error);
  if (chosen < 0)
    return FALSE;
  *choice = chosen;
  return TRUE;
}

static gboolean
make_plan (const Request *request, Plan *plan, GError **error)
{
  int gradient_axis, activation_axis, token_cos;
  int theme = request->dark ? NS_THEME_DARK : NS_THEME_LIGHT;

  ns_flow_options_init (&plan->flow);
  gradient_axis = plan->flow.log_gradient ? 0 : 1;
  activation_axis = plan->flow.log_activation ? 0 : 1;
  token_cos = plan->flow.token_cos;
  if (!parse_format (request, &plan->format, error)
      || !parse_choice ("figure", request->figure, figure_names, &plan->figure, error)
      || !parse_choice ("theme", request->theme, theme_names, &theme, error)
      || !parse_choice ("gradient-axis", request->gradient_axis, axis_names, &gradient_axis, error)
      || !parse_choice ("activation-axis", request->activation_axis, axis_names, &activation_axis, error)
      || !parse_choice ("token-cos", request->token_cos, token_cos_names, &token_cos, error)
      || !parse_quantity ("quantity", request->quantity, NS_KIND_GRADIENT, &plan->flow.gradient, error)
      || !parse_quantity ("magnitude", request->magnitude, NS_KIND_ACTIVATION, &plan->flow.activation, error))
    return FALSE;
  if (request->text_scale != UNTYPED && !(request->text_scale >= 0.25 && request->text_scale <= 8))
    {
      g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE,
                   _ ("--text-scale: %g is not allowed; allowed: from 0.25 to 8"), request->text_scale);
      return FALSE;
    }
  plan->flow.log_gradient = gradient_axis == 0;
  plan->flow.log_activation = activation_axis == 0;
  plan->flow.token_cos = (NsTokenCosMode) token_cos;
  plan->flow.band = !request->no_band;
  plan->flow.predictions = request->predictions;
  plan->flow.titles = !request->no_titles;
  ns_theme_init (&plan->theme, (NsThemeKind) theme);
  plan->theme.transparent = request->transparent;
  return parse_size (request, plan, error);
}

/* An option of one figure is no wish for another. */
static gboolean
check_figure (const Request *request, const Plan *plan, GError **error)
{
  const struct
  {
    const char *name, *text;
    int figure;
  } options[] = {
    { "depths", request->sweep.depths, FIGURE_SCALING },
    { "sweep", request->sweep.sweep, FIGURE_SCALING },
    { "metric", request->sweep.metric, FIGURE_SCALING },
    { "ratio", request->sweep.ratio, FIGURE_SCALING },
    { "quantity", request->quantity, FIGURE_FLOW },
    { "magnitude", request->magnitude, FIGURE_FLOW },
    { "gradient-axis", request->gradient_axis, FIGURE_FLOW },
    { "activation-axis", request->activation_axis, FIGURE_FLOW },
    { "token-cos", request->token_cos, FIGURE_FLOW },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].text != NULL && options[i].figure != plan->figure)
      {
        g_set_error (error, NS_CLI_ERROR, NS_CLI_ERROR_USAGE, _ ("--%s belongs to --figure %s, this one is %s"),
                     options[i].name, figure_names[options[i].figure], figure_names[plan->figure]);
        return FALSE;
      }
  return TRUE;
}

typedef struct
{
  NsEngine *engine;
  const NsExperiment *experiment;
  NsSweep *sweep;       /* FIGURE_SCALING */
  const char *verified; /* or NULL */
} Job;

static gpointer
compute_sweep (gpointer user_data, NsProgress *progress, GError **error)
{
  Job *job = user_data;

  return ns_engine_run_sweep (job->engine, job->sweep, progress, error) ? job : NULL;
}

static gpointer
compute (gpointer user_data, NsProgress *progress, GError **error)
{
  Job *job = user_data;

  return ns_engine_run (job->engine, job->experiment, 0, (guint) job->experiment->sampling.seeds, progress, error);
}

/* Takes the figure and the sentence. */
static GBytes *
export_figure (NsFigure *figure, char *sentence, const Job *job, const Request *request, const Plan *plan,
               GError **error)
{
  g_autoptr (NsFigure) taken = figure;
  g_autofree char *description = sentence;
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (job->experiment);
  NsExportMetadata metadata = {
    .title = figure->title,
    .description = description,
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = job->verified,
  };

  return ns_figure_export (taken, &plan->theme, plan->format, plan->width, plan->height, plan->scale, &metadata,
                           error);
}

static GBytes *
draw_flow (Job *job, const Request *request, const Plan *plan, GError **error)
{
  g_autoptr (NsResult) result = ns_cli_run_job (compute, job, error);

  if (result == NULL)
    return NULL;
  return export_figure (ns_flow_figure (result, NULL, &plan->flow), ns_flow_sentence (result, &plan->flow),
                        job, request, plan, error);
}

static GBytes *
draw_scaling (Job *job, const Request *request, const Plan *plan, GError **error)
{
  g_autoptr (NsSweep) sweep
    = ns_cli_sweep_new (&plan->sweep, job->experiment, plan->sweep.axis, plan->sweep.metric, error);
  NsScalingOptions options;

  ns_cli_sweep_plan_options (&plan->sweep, &options);
  options.band = !request->no_band;
  options.titles = !request->no_titles;
  job->sweep = sweep;
  if (sweep == NULL || ns_cli_run_job (compute_sweep, job, error) == NULL)
    return NULL;
  return export_figure (ns_scaling_figure (sweep, &options), ns_scaling_sentence (sweep, &options), job,
                        request, plan, error);
}

/* As large as its parts, where no size was asked for. */
static GBytes *
draw_wiring (const Job *job, const Request *request, const Plan *plan, GError **error)
{
  g_autoptr (NsDiagram) diagram
    = ns_wiring_diagram_of_experiment (job->experiment, plan->variant, !request->no_titles);
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (job->experiment);
  NsExportMetadata metadata = {
    .title = _ ("Wiring"),
    .software = software,
    .experiment = g_bytes_get_data (file, NULL),
    .verified = job->verified,
  };
  double width, height, plan_height = plan->height;

  ns_diagram_get_size (diagram, &width, &height);
  if (request->height == UNTYPED && request->height_cm == UNTYPED && request->purpose == NULL)
    plan_height = CLAMP (plan->width * height / width, 16, NS_EXPORT_MAX_SIDE_PX);
  return ns_diagram_export (diagram, &plan->theme, plan->format, plan->width, plan_height, plan->scale, &metadata,
                            error);
}

/* Of a wiring, --variant chooses one as it does for dump; several, or none, are those to show. */
static NsExperiment *
load (const NsCliOptions *options, Plan *plan, GError **error)
{
  gboolean chosen = plan->figure == FIGURE_WIRING && options->variants != NULL && options->variants[0] != NULL
                    && options->variants[1] == NULL;
  guint variant = 0;
  NsExperiment *experiment = ns_cli_options_load (options, chosen ? &variant : NULL, error);

  plan->variant = chosen ? (int) variant : -1;
  return experiment;
}

static GBytes *
draw (Job *job, const Request *request, const Plan *plan, GError **error)
{
  switch (plan->figure)
    {
    case FIGURE_SCALING:
      return draw_scaling (job, request, plan, error);
    case FIGURE_WIRING:
      return draw_wiring (job, request, plan, error);
    default:
      return draw_flow (job, request, plan, error);
    }
}

static gboolean
run (const NsCliOptions *options, const Request *request, GError **error)
{
  g_autoptr (NsExperiment) experiment = NULL;
  g_autoptr (NsEngine) engine = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *verified = NULL;
  g_auto (Plan) plan = { .figure = FIGURE_FLOW };
  Job job;

  if (!make_plan (request, &plan, error) || !check_figure (request, &plan, error))
    return FALSE;
  experiment = load (options, &plan, error);
  if (experiment == NULL || !ns_cli_check_output (request->output, error))
    return FALSE;
  if (plan.figure == FIGURE_SCALING && !ns_cli_sweep_plan_init (&plan.sweep, &request->sweep, experiment, error))
    return FALSE;
  if (request->verify && (verified = ns_cli_verify_first (experiment, error)) == NULL)
    return FALSE;
  engine = ns_cli_options_new_engine (options, error);
  if (engine == NULL)
    return FALSE;
  job = (Job) { engine, experiment, NULL, verified };
  bytes = draw (&job, request, &plan, error);
  return bytes != NULL && ns_cli_write (request->output, bytes, error);
}

int
ns_cli_plot (int argc, char **argv)
{
  g_auto (NsCliOptions) options = { 0 };
  g_auto (Request) request = { .width = UNTYPED, .height = UNTYPED, .scale = UNTYPED, .text_scale = UNTYPED,
                             .width_cm = UNTYPED, .height_cm = UNTYPED, .dpi = UNTYPED };
  g_autoptr (GError) error = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output,
      N_ ("The file to write: its name ends in .png, .svg or .pdf; - is standard output, with --format"),
      N_ ("FILE") },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &request.format, N_ ("png, svg or pdf, whatever the name ends in"),
      N_ ("FORMAT") },
    { "figure", 0, 0, G_OPTION_ARG_STRING, &request.figure,
      N_ ("Which figure: flow, scaling, or wiring of all variants or the one that --variant names (default flow)"),
      N_ ("WORD") },
    { "depths", 0, 0, G_OPTION_ARG_STRING, &request.sweep.depths, N_ ("scaling: depths, as 1..128 (default 1..128)"),
      N_ ("POINTS") },
    { "sweep", 0, 0, G_OPTION_ARG_STRING, &request.sweep.sweep,
      N_ ("scaling: sweep over the width at one depth instead, as d_model=32..512"), N_ ("KEY=POINTS") },
    { "metric", 'm', 0, G_OPTION_ARG_STRING, &request.sweep.metric,
      N_ ("scaling: any quantity, at @last, @first, @max or @total; in an encoder-decoder of the decoder, or of the "
           "encoder as encoder:w_2@last (default w_2@last)"), N_ ("METRIC") },
    { "ratio", 0, 0, G_OPTION_ARG_STRING, &request.sweep.ratio, N_ ("scaling: the ratio of two variants, as post/pre"),
      N_ ("A/B") },
    { "quantity", 'q', 0, G_OPTION_ARG_STRING, &request.quantity,
      N_ ("Gradient norm of the curves: w_q, w_2, attn, ffn, block, grad_x, … (default block)"), N_ ("NAME") },
    { "magnitude", 0, 0, G_OPTION_ARG_STRING, &request.magnitude,
      N_ ("Activation of the bars: rms_x, rms_attn, rms_cross or rms_ffn (default rms_x)"), N_ ("NAME") },
    { "gradient-axis", 0, 0, G_OPTION_ARG_STRING, &request.gradient_axis, N_ ("log or linear (default log)"),
      N_ ("WORD") },
    { "activation-axis", 0, 0, G_OPTION_ARG_STRING, &request.activation_axis, N_ ("log or linear (default linear)"),
      N_ ("WORD") },
    { "token-cos", 0, 0, G_OPTION_ARG_STRING, &request.token_cos,
      N_ ("Token similarity: auto, always or never (default auto: when a residual is off)"), N_ ("WORD") },
    { "width", 0, 0, G_OPTION_ARG_DOUBLE, &request.width, N_ ("Width in px of 1/96 inch (default 1280)"), "PX" },
    { "height", 0, 0, G_OPTION_ARG_DOUBLE, &request.height, N_ ("Height in px of 1/96 inch (default 800)"), "PX" },
    { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.scale, N_ ("Factor on all of it, 2 for a sharp slide (default 1)"),
      "X" },
    { "width-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.width_cm, N_ ("Width on paper, with --height-cm"), "CM" },
    { "height-cm", 0, 0, G_OPTION_ARG_DOUBLE, &request.height_cm, N_ ("Height on paper"), "CM" },
    { "dpi", 0, 0, G_OPTION_ARG_DOUBLE, &request.dpi,
      N_ ("Pixels of a png for each inch of paper (default 300)"), "N" },
    { "for", 0, 0, G_OPTION_ARG_STRING, &request.purpose,
      N_ ("A size by what it is for: slide (16:9), column or columns (one or two of a paper)"), N_ ("WORD") },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, &request.text_scale, N_ ("Factor on type alone (default 1)"), "X" },
    { "theme", 0, 0, G_OPTION_ARG_STRING, &request.theme,
      N_ ("light, dark, high-contrast or high-contrast-dark (default light)"), N_ ("WORD") },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &request.dark, N_ ("The same as --theme dark"), NULL },
    { "transparent", 0, 0, G_OPTION_ARG_NONE, &request.transparent, N_ ("Paint no background"), NULL },
    { "verify", 0, 0, G_OPTION_ARG_NONE, &request.verify,
      N_ ("Check the experiment first, as the command verify does, and state in the file that it passed"), NULL },
    { "theory", 0, 0, G_OPTION_ARG_NONE, &request.predictions,
      N_ ("Draw predictions over the measurement where their assumptions hold"), NULL },
    { "no-band", 0, 0, G_OPTION_ARG_NONE, &request.no_band, N_ ("Leave out the band over the seeds"), NULL },
    { "no-titles", 0, 0, G_OPTION_ARG_NONE, &request.no_titles, N_ ("Leave out title and caption"), NULL },
    { NULL },
  };

  if (!ns_cli_options_parse (&options, argc, argv, entries, TRUE, 1, &error))
    return ns_cli_fail (error);
  if (options.help)
    {
      g_autoptr (GBytes) help = ns_cli_options_help (
        "plot", "[FILE.normscope] -o PICTURE", _ ("Draws a figure into a file; needs no display."), entries, TRUE);

      return ns_cli_write (NULL, help, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
    }
  return run (&options, &request, &error) ? NS_EXIT_DONE : ns_cli_fail (error);
}
