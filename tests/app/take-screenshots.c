/* Take screenshots of the real window: take-screenshots FOLDER [all]
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Run by build-aux/screenshots.sh. It renders in-process, without pointer, frame and other windows. With "all" it takes
 * many sizes and settings for review, otherwise the screenshots of the documentation.
 */
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/paths/normscope-paths-view.h"
#include "app/scaling/normscope-scaling-card.h"
#include "app/training/normscope-training-view.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

typedef struct
{
  const char *name;
  int width, height;
  gboolean dark;
  gint64 depth;       /* 0 for the default */
  const char *path;   /* a parameter of the first variant to change, or NULL */
  const char *text;
  double text_scale;  /* 0 for 1 */
  guint variants;     /* copies to add */
  gint64 cursor;      /* block or width of the crosshair, or step of the training; 0 for none */
  const char *claim;  /* show the scaling view, with the set-up of this claim if it exists; NULL for the flow view */
  gboolean presents;  /* without the window's bars, with the controls and an action */
  const char *lecture; /* present this shipped lecture at its second step, with its answer; NULL for none */
  const char *figure;  /* show this figure of the Paths view, or train and show this one; NULL for none */
} Shot;

static const Shot documentation[] = {
  { "window-light", 1280, 800, FALSE, 0, "attn.residual", "false", 0, 0, 12, NULL, FALSE, NULL, NULL },
  { "lecture-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, "cut-the-wires", NULL },
  { "scaling-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 21, "theorem-1-post", FALSE, NULL, NULL },
  { "paths-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 6, NULL, FALSE, NULL, "identity-path" },
  { "training-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 10, NULL, FALSE, NULL, "training" },
  { "encoder-decoder-light", 1280, 800, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 10, NULL, FALSE, NULL, NULL },
};

static const Shot all[] = {
  { "720-training", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 10, NULL, FALSE, NULL, "training" },
  { "720-training-map-dark", 1280, 720, TRUE, 0, NULL, NULL, 0, 0, 10, NULL, FALSE, NULL, "training-map" },
  { "1080-training-hall", 1920, 1080, FALSE, 0, NULL, NULL, 2, 0, 10, NULL, FALSE, NULL, "training" },
  { "720-coordinates", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "coordinate-check" },
  { "1080-coordinates-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 0, 64, NULL, FALSE, NULL, "coordinate-check" },
  { "720-coordinates-hall", 1280, 720, FALSE, 0, NULL, NULL, 2, 0, 0, NULL, FALSE, NULL, "coordinate-check" },
  { "1080-coordinates-hall-dark", 1920, 1080, TRUE, 0, NULL, NULL, 2, 0, 0, NULL, FALSE, NULL, "coordinate-check" },
  { "720-sensitivity", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "sensitivity" },
  { "720-light", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-depth-1", 1280, 720, FALSE, 1, NULL, NULL, 0, 0, 1, NULL, FALSE, NULL, NULL },
  { "720-depth-1000", 1280, 720, FALSE, 1000, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-residuals-off", 1280, 720, FALSE, 0, "attn.residual", "false", 0, 0, 12, NULL, FALSE, NULL, NULL },
  { "720-mix", 1280, 720, TRUE, 0, "post_fraction", "0.25", 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-invalid", 1280, 720, FALSE, 0, "shape.heads", "5", 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "1080-light", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "1080-dark", 1920, 1080, TRUE, 100, NULL, NULL, 0, 0, 50, NULL, FALSE, NULL, NULL },
  { "1080-room", 1920, 1080, FALSE, 0, NULL, NULL, 1.5, 0, 7, NULL, FALSE, NULL, NULL },
  { "1080-hall", 1920, 1080, TRUE, 0, NULL, NULL, 2, 0, 7, NULL, FALSE, NULL, NULL },
  { "1080-six", 1920, 1080, FALSE, 0, NULL, NULL, 0, 4, 7, NULL, FALSE, NULL, NULL },
  { "small", 900, 560, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-scaling", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, "", FALSE, NULL, NULL },
  { "720-scaling-theory", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 21, "theorem-1-post", FALSE, NULL, NULL },
  { "720-scaling-dark", 1280, 720, TRUE, 0, NULL, NULL, 0, 0, 0, "theorem-1-post", FALSE, NULL, NULL },
  { "720-scaling-ratio", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, "ratio-sqrt", FALSE, NULL, NULL },
  { "1080-scaling-theory", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, "theorem-1-post", FALSE, NULL, NULL },
  { "1080-scaling-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 4, 0, "", FALSE, NULL, NULL },
  { "1080-scaling-hall", 1920, 1080, FALSE, 0, NULL, NULL, 2, 0, 21, "theorem-1-post", FALSE, NULL, NULL },
  { "720-encoder-decoder", 1280, 720, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 10, NULL, FALSE, NULL, NULL },
  { "720-encoder-decoder-1", 1280, 720, FALSE, 1, "shape.stack", "encoder-decoder", 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-encoder-decoder-1000", 1280, 720, TRUE, 1000, "shape.stack", "encoder-decoder", 0, 0, 0, NULL, FALSE,
    NULL, NULL },
  { "720-encoder-decoder-scaling", 1280, 720, FALSE, 0, "shape.stack", "encoder-decoder", 0, 0, 0, "", FALSE,
    NULL, NULL },
  { "1080-encoder-decoder", 1920, 1080, TRUE, 0, "shape.stack", "encoder-decoder", 0, 0, 40, NULL, FALSE, NULL, NULL },
  { "1080-encoder-decoder-hall", 1920, 1080, FALSE, 6, "shape.stack", "encoder-decoder", 2, 2, 3, NULL, FALSE,
    NULL, NULL },
  { "small-encoder-decoder", 900, 560, FALSE, 24, "shape.stack", "encoder-decoder", 0, 0, 0, NULL, FALSE, NULL, NULL },
  { "720-present", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, TRUE, NULL, NULL },
  { "720-present-scaling", 1280, 720, TRUE, 0, NULL, NULL, 0, 0, 0, "", TRUE, NULL, NULL },
  { "1080-present", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, TRUE, NULL, NULL },
  { "1080-present-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 0, 12, NULL, TRUE, NULL, NULL },
  { "720-lecture-dark", 1280, 720, TRUE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, "which-law", NULL },
  { "1080-lecture", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, "what-a-norm-does", NULL },
  { "720-paths", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "identity-path" },
  { "1080-paths-six-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 4, 6, NULL, FALSE, NULL, "identity-path" },
  { "720-paths-hall", 1280, 720, FALSE, 0, NULL, NULL, 2, 0, 0, NULL, FALSE, NULL, "lengths" },
  { "720-paths-depth-1", 1280, 720, FALSE, 1, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "lengths" },
  { "720-paths-depth-200", 1280, 720, TRUE, 200, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "identity-path" },
  { "720-paths-encoder-decoder", 1280, 720, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 9, NULL, FALSE, NULL,
    "identity-path" },
  { "720-paths-gain", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 6, NULL, FALSE, NULL, "gain" },
  { "1080-paths-gain-six-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 4, 6, NULL, FALSE, NULL, "gain" },
  { "1080-paths-gain-hall", 1920, 1080, FALSE, 0, NULL, NULL, 2, 0, 6, NULL, FALSE, NULL, "gain" },
  { "720-paths-gain-depth-1", 1280, 720, FALSE, 1, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "gain" },
  { "720-paths-similarity-depth-200", 1280, 720, TRUE, 200, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "similarity" },
  { "720-paths-similarity-encoder-decoder", 1280, 720, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 9, NULL, FALSE,
    NULL, "similarity" },
  { "720-paths-contributions", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 6, NULL, FALSE, NULL, "contributions" },
  { "1080-paths-contributions-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 4, 0, NULL, FALSE, NULL, "contributions" },
  { "720-paths-contributions-200", 1280, 720, FALSE, 200, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "contributions" },
  { "small-paths", 900, 560, FALSE, 0, NULL, NULL, 0, 0, 0, NULL, FALSE, NULL, "lengths" },
  { "small-scaling", 900, 560, FALSE, 0, NULL, NULL, 0, 0, 0, "", FALSE, NULL, NULL },
};

static gboolean
is_idle (gpointer data)
{
  g_autofree char *differs = gtk_test_accessible_check_state (GTK_ACCESSIBLE (data), GTK_ACCESSIBLE_STATE_BUSY, FALSE);

  return differs == NULL;
}

static gboolean
set_text (NormscopeSession *session, const char *path, const char *text)
{
  const NsParam *param = ns_param_find (path);

  if (param->type == NS_TYPE_BOOLEAN)
    return normscope_session_set_int (session, param, strcmp (text, "true") == 0, NULL);
  for (int i = 0; param->type == NS_TYPE_CHOICE && param->choices[i] != NULL; i++)
    if (strcmp (param->choices[i], text) == 0)
      return normscope_session_set_int (session, param, i, NULL);
  if (param->type == NS_TYPE_INTEGER)
    return normscope_session_set_int (session, param, g_ascii_strtoll (text, NULL, 10), NULL);
  return normscope_session_set_number (session, param, g_ascii_strtod (text, NULL), NULL);
}

static gboolean
is_plot_on_screen (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_PLOT (widget) && gtk_widget_get_mapped (widget);
}

static gboolean
is_card_of (GtkWidget *widget, gconstpointer data)
{
  return NORMSCOPE_IS_SCALING_CARD (widget)
         && strcmp (normscope_scaling_card_get_claim (NORMSCOPE_SCALING_CARD (widget))->id, data) == 0;
}

/* Show the scaling view and return its plot. */
static NormscopePlot *
go_to_scaling (NormscopeWindow *window, const char *claim)
{
  GtkWidget *card = app_find (GTK_WIDGET (window), is_card_of, claim);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "scaling");
  if (card != NULL)
    g_signal_emit_by_name (card, "set-up");
  return NORMSCOPE_PLOT (app_find (GTK_WIDGET (window), is_plot_on_screen, NULL));
}

static NsFigureKind
find_figure (const char *id)
{
  NsFigureKind kind = 0;

  while (strcmp (ns_figure_info (kind)->id, id) != 0)
    kind++;
  return kind;
}

static gboolean
is_trained (gpointer page)
{
  NsTraining *training = normscope_training_page_get_training (page);
  guint n = 0;

  for (guint v = 0; training != NULL && v < ns_training_get_experiment (training)->variants->len; v++)
    for (guint s = 0; s < ns_training_get_n_seeds (training); s++)
      n += ns_training_is_finished (training, v, s) ? 0 : 1;
  return training != NULL && n == 0;
}

/* Return the preset that is shown in the figure, or "Why warm-up". */
static const char *
find_preset (NsFigureKind figure)
{
  const NsPreset *presets;
  gsize n;

  presets = ns_presets (&n);
  for (gsize i = 0; i < n; i++)
    if (g_strcmp0 (presets[i].figure, ns_figure_info (figure)->id) == 0)
      return presets[i].id;
  return "why-warm-up";
}

/* Train a preset to its end, show a figure of it and return its plot. */
static NormscopePlot *
go_to_training (NormscopeWindow *window, NsFigureKind figure, gint64 step)
{
  NormscopeSession *session = normscope_window_get_session (window);
  NormscopeTrainingView *view = app_get_child (window, "training_view");
  NormscopePlot *plot = normscope_training_page_get_plot (normscope_training_view_find_page (view, figure), figure);
  gboolean trains = ns_figure_info (figure)->needs == NS_FIGURE_NEEDS_TRAINING;
  NsViewChoice choice;

  normscope_session_take_experiment (session, ns_preset_load (find_preset (figure), NULL));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "training");
  choice = *normscope_session_get_training (session);
  choice.figure = figure;
  normscope_session_set_training (session, &choice);
  app_iterate (200);
  normscope_training_page_toggle (normscope_training_view_get_page (view));
  if (trains)
    app_wait_for (is_trained, normscope_training_view_get_page (view), 10 * TIMEOUT_MS);
  else
    app_wait_for (is_idle, plot, 10 * TIMEOUT_MS);
  if (trains)
    normscope_session_set_step (session, step);
  else if (step > 0)
    normscope_plot_set_cursor (plot, log10 ((double) step));
  return plot;
}

/* Show a figure of the Paths view and return its plot. */
static NormscopePlot *
go_to_paths (NormscopeWindow *window, NsFigureKind figure)
{
  NormscopeSession *session = normscope_window_get_session (window);
  NsViewChoice choice = *normscope_session_get_paths (session);

  choice.figure = figure;
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-view", "s", "paths");
  normscope_session_set_paths (session, &choice);
  return normscope_paths_view_get_plot (app_get_child (window, "paths_view"));
}

static void
present (NormscopeWindow *window, NormscopeSession *session)
{
  GtkWidget *palette;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.fullscreen", NULL);
  palette = app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PALETTE);
  gtk_widget_set_visible (palette, TRUE);
  app_iterate (2000);
  normscope_session_set_int (session, ns_param_find ("attn.residual"), FALSE, NULL);
  app_iterate (200);
}

static void
present_lecture (NormscopeWindow *window, NormscopePlot *plot, const char *name)
{
  static const guint hands[] = { 17, 9, 4 };
  GtkWidget *card;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.shipped-lecture", "s", name);
  app_iterate (200);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.present", NULL);
  app_iterate (200);
  normscope_session_set_text_scale (normscope_window_get_session (window), 1.5);
  gtk_widget_activate_action (app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PRESENTER), "present.next", NULL);
  app_iterate (200);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  card = app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_QUESTION_CARD);
  for (guint c = 0; card != NULL && c < G_N_ELEMENTS (hands); c++)
    for (guint i = 0; i < hands[c]; i++)
      normscope_question_card_vote (NORMSCOPE_QUESTION_CARD (card), c, FALSE);
  gtk_widget_activate_action (app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PRESENTER), "present.reveal", NULL);
  /* The bar hides by itself. */
  app_iterate (6000);
}

static void
take (const Shot *shot, const char *folder)
{
  static const char *const builtins[] = { "sandwich", "branch", "deepnorm", "none" };
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  NormscopeSession *session = normscope_window_get_session (window);
  NormscopePlot *plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PLOT));
  NormscopeView view = *normscope_session_get_view (session);
  g_autofree char *path = g_strdup_printf ("%s/%s.png", folder, shot->name);
  gboolean is_of_training
      = shot->figure != NULL && g_strcmp0 (ns_figure_info (find_figure (shot->figure))->view, "training") == 0;
  g_autoptr (GdkTexture) texture = NULL;

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      shot->dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  gtk_window_set_default_size (GTK_WINDOW (window), shot->width, shot->height);
  gtk_window_present (GTK_WINDOW (window));
  app_iterate (100);
  app_wait_for (is_idle, plot, TIMEOUT_MS);

  view.text_scale = shot->text_scale > 0 ? shot->text_scale : 1.0;
  normscope_session_set_view (session, &view);
  for (guint i = 0; i < shot->variants; i++)
    normscope_session_take_variant (session, ns_variant_from_text (builtins[i], NULL), NULL);
  if (shot->depth > 0)
    normscope_session_set_int (session, ns_param_find ("shape.depth"), shot->depth, NULL);
  if (shot->path != NULL)
    set_text (session, shot->path, shot->text);
  if (shot->claim != NULL)
    plot = go_to_scaling (window, shot->claim);
  if (is_of_training)
    plot = go_to_training (window, find_figure (shot->figure), shot->cursor);
  else if (shot->figure != NULL)
    plot = go_to_paths (window, find_figure (shot->figure));
  app_iterate (200);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  /* Wait until the ranges of the axes settle, and the message of the set-up is gone. */
  app_iterate (shot->claim != NULL ? 8000 : 1000);
  if (shot->cursor > 0 && shot->figure != NULL && !is_of_training)
    normscope_session_set_cursor (session, (double) shot->cursor);
  else if (shot->cursor > 0 && !is_of_training)
    normscope_plot_set_cursor (plot, shot->claim != NULL ? log10 ((double) shot->cursor) : (double) shot->cursor);
  app_iterate (200);
  if (shot->presents)
    present (window, session);
  if (shot->lecture != NULL)
    present_lecture (window, plot, shot->lecture);

  texture = app_grab (GTK_WIDGET (window));
  if (!gdk_texture_save_to_png (texture, path))
    g_error ("%s cannot be written", path);
  gtk_window_destroy (GTK_WINDOW (window));
  app_iterate (100);
}

int
main (int argc, char **argv)
{
  const char *folder;

  if (!app_test_init (&argc, &argv))
    return 77;
  folder = argc > 1 ? argv[1] : ".";
  if (argc > 2)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
        if (strcmp (argv[2], "all") == 0 || strcmp (argv[2], all[i].name) == 0)
          take (&all[i], folder);
    }
  else
    {
      for (gsize i = 0; i < G_N_ELEMENTS (documentation); i++)
        take (&documentation[i], folder);
    }
  return 0;
}
