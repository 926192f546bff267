/* Take screenshots of the real window: take-screenshots FOLDER [all]
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Run by build-aux/screenshots.sh. It renders in-process, without pointer, frame and other windows. With "all" it takes
 * many sizes and settings for review, otherwise the screenshots of the documentation.
 */
#include "app-fixture.h"

#include <math.h>
#include <string.h>

#include "app/scaling/normscope-scaling-card.h"
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
  gint64 cursor;      /* block of the crosshair, 0 for none */
  const char *claim;  /* show the scaling view, with the set-up of this claim if it exists; NULL for the flow view */
} Shot;

static const Shot documentation[] = {
  { "window-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 12, NULL },
  { "window-dark", 1280, 800, TRUE, 0, NULL, NULL, 0, 0, 12, NULL },
  { "scaling-light", 1280, 800, FALSE, 0, NULL, NULL, 0, 0, 21, "theorem-1-post" },
  { "encoder-decoder-light", 1280, 800, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 10, NULL },
};

static const Shot all[] = {
  { "720-light", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, NULL },
  { "720-depth-1", 1280, 720, FALSE, 1, NULL, NULL, 0, 0, 1, NULL },
  { "720-depth-1000", 1280, 720, FALSE, 1000, NULL, NULL, 0, 0, 0, NULL },
  { "720-residuals-off", 1280, 720, FALSE, 0, "attn.residual", "false", 0, 0, 12, NULL },
  { "720-mix", 1280, 720, TRUE, 0, "post_fraction", "0.25", 0, 0, 0, NULL },
  { "720-invalid", 1280, 720, FALSE, 0, "shape.heads", "5", 0, 0, 0, NULL },
  { "1080-light", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, NULL },
  { "1080-dark", 1920, 1080, TRUE, 100, NULL, NULL, 0, 0, 50, NULL },
  { "1080-room", 1920, 1080, FALSE, 0, NULL, NULL, 1.5, 0, 7, NULL },
  { "1080-hall", 1920, 1080, TRUE, 0, NULL, NULL, 2, 0, 7, NULL },
  { "1080-six", 1920, 1080, FALSE, 0, NULL, NULL, 0, 4, 7, NULL },
  { "small", 900, 560, FALSE, 0, NULL, NULL, 0, 0, 0, NULL },
  { "720-scaling", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, "" },
  { "720-scaling-theory", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 21, "theorem-1-post" },
  { "720-scaling-dark", 1280, 720, TRUE, 0, NULL, NULL, 0, 0, 0, "theorem-1-post" },
  { "720-scaling-ratio", 1280, 720, FALSE, 0, NULL, NULL, 0, 0, 0, "ratio-sqrt" },
  { "1080-scaling-theory", 1920, 1080, FALSE, 0, NULL, NULL, 0, 0, 0, "theorem-1-post" },
  { "1080-scaling-dark", 1920, 1080, TRUE, 0, NULL, NULL, 0, 4, 0, "" },
  { "1080-scaling-hall", 1920, 1080, FALSE, 0, NULL, NULL, 2, 0, 21, "theorem-1-post" },
  { "720-encoder-decoder", 1280, 720, FALSE, 6, "shape.stack", "encoder-decoder", 0, 0, 10, NULL },
  { "720-encoder-decoder-1", 1280, 720, FALSE, 1, "shape.stack", "encoder-decoder", 0, 0, 0, NULL },
  { "720-encoder-decoder-1000", 1280, 720, TRUE, 1000, "shape.stack", "encoder-decoder", 0, 0, 0, NULL },
  { "720-encoder-decoder-scaling", 1280, 720, FALSE, 0, "shape.stack", "encoder-decoder", 0, 0, 0, "" },
  { "1080-encoder-decoder", 1920, 1080, TRUE, 0, "shape.stack", "encoder-decoder", 0, 0, 40, NULL },
  { "1080-encoder-decoder-hall", 1920, 1080, FALSE, 6, "shape.stack", "encoder-decoder", 2, 2, 3, NULL },
  { "small-encoder-decoder", 900, 560, FALSE, 24, "shape.stack", "encoder-decoder", 0, 0, 0, NULL },
  { "small-scaling", 900, 560, FALSE, 0, NULL, NULL, 0, 0, 0, "" },
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

static void
take (const Shot *shot, const char *folder)
{
  static const char *const builtins[] = { "sandwich", "branch", "deepnorm", "none" };
  NormscopeWindow *window = normscope_window_new (app_test_get_application ());
  NormscopeSession *session = normscope_window_get_session (window);
  NormscopePlot *plot = NORMSCOPE_PLOT (app_find_type (GTK_WIDGET (window), NORMSCOPE_TYPE_PLOT));
  NormscopeView view = *normscope_session_get_view (session);
  g_autofree char *path = g_strdup_printf ("%s/%s.png", folder, shot->name);
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
  app_iterate (200);
  app_wait_for (is_idle, plot, TIMEOUT_MS);
  /* Wait until the ranges of the axes settle. */
  app_iterate (1000);
  if (shot->cursor > 0)
    normscope_plot_set_cursor (plot, shot->claim != NULL ? log10 ((double) shot->cursor) : (double) shot->cursor);
  app_iterate (200);

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
