/* What an audience sees of a lecture at 1280x720 and text size Hall: all of a step's text, and nothing over it.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-covering.h"
#include "app-input.h"
#include "app-widgets.h"

#include <math.h>
#include <string.h>

#include "app/lecture/normscope-aside.h"
#include "app/lecture/normscope-palette.h"
#include "app/lecture/normscope-presenter-bar.h"
#include "app/lecture/normscope-presenter.h"
#include "app/lecture/normscope-question-card.h"
#include "app/lecture/normscope-stage.h"
#include "app/shared/normscope-readout.h"
#include "app/shared/normscope-text-size.h"
#include "app/shared/normscope-tooltips.h"
#include "app/wiring/normscope-wiring-row.h"
#include "app/wiring/normscope-wiring-strip.h"
#include "lecture/ns-lectures.h"

#define WIDTH  1280
#define HEIGHT 720
#define HALL   2.0
/* The plots of a presentation need no more. */
#define CONTENT_PX 600
/* As long as an answer in words is. */
#define ANSWER "2: falls, from 0.123 ×/÷ 1.05 in block 1 to 0.0456 ×/÷ 1.05 in block 24"

static const char *const languages[] = { "en", "de" };

/* ---- all of the text ---- */

/* A stage as in the window, with a box for the plots. */
static GtkWidget *
open_stage (NormscopeAside **aside)
{
  GtkWidget *window = gtk_window_new (), *stage = normscope_stage_new ();
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  *aside = NORMSCOPE_ASIDE (normscope_aside_new ());
  gtk_widget_set_size_request (content, CONTENT_PX, -1);
  normscope_stage_set_content (NORMSCOPE_STAGE (stage), content);
  normscope_stage_set_aside (NORMSCOPE_STAGE (stage), *aside);
  normscope_stage_set_foot (NORMSCOPE_STAGE (stage), normscope_presenter_bar_new ());
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), WIDTH, HEIGHT);
  gtk_window_set_child (GTK_WINDOW (window), stage);
  gtk_window_present (GTK_WINDOW (window));
  app_wait_until (app_is_mapped, window);
  return window;
}

/* Return how many px of the aside's parts have to be scrolled. */
static double
get_hidden_px (GtkWidget *widget)
{
  double px = 0;

  if (GTK_IS_SCROLLED_WINDOW (widget) && gtk_widget_get_mapped (widget))
    {
      GtkAdjustment *shown = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget));

      px = gtk_adjustment_get_upper (shown) - gtk_adjustment_get_page_size (shown);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    px = fmax (px, get_hidden_px (child));
  return px;
}

static void
assert_fits (GtkWidget *window, NormscopeAside *aside, const char *id, const char *language, guint step,
             const char *state)
{
  app_draw_frames (2);
  g_assert_cmpint (gtk_widget_get_width (window), ==, WIDTH);
  g_assert_cmpint (gtk_widget_get_height (window), ==, HEIGHT);
  if (get_hidden_px (GTK_WIDGET (aside)) > 0)
    g_error ("%s, %s, step %u, %s: %.0f px are cut", id, language, step + 1, state,
             get_hidden_px (GTK_WIDGET (aside)));
}

static void
assert_step_fits (GtkWidget *window, NormscopeAside *aside, const char *id, const char *language,
                  const NsLectureStep *step, guint index)
{
  GtkWidget *card = step->question != NULL ? normscope_question_card_new (step->question) : NULL;
  int width;

  normscope_aside_set_step (aside, step->title, step->text, card);
  assert_fits (window, aside, id, language, index, "asked");
  if (card == NULL)
    return;
  width = gtk_widget_get_width (GTK_WIDGET (aside));
  for (guint c = 0; c < step->question->choices->len; c++)
    normscope_question_card_vote (NORMSCOPE_QUESTION_CARD (card), c, FALSE);
  normscope_question_card_reveal (NORMSCOPE_QUESTION_CARD (card), 1, ANSWER);
  assert_fits (window, aside, id, language, index, "answered");
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (aside)), ==, width);
}

static void
test_text (void)
{
  NormscopeAside *aside;
  GtkWidget *window;

  normscope_text_size_apply (HALL);
  window = open_stage (&aside);
  for (const NsLectureInfo *info = ns_lectures_list (NULL); info->id != NULL; info++)
    for (gsize l = 0; l < G_N_ELEMENTS (languages); l++)
      {
        g_autoptr (NsLecture) lecture = ns_lectures_load (info->id, languages[l], NULL);

        for (guint s = 0; s < ns_lecture_get_n_steps (lecture); s++)
          assert_step_fits (window, aside, info->id, languages[l], ns_lecture_get_step (lecture, s), s);
      }
  gtk_window_destroy (GTK_WINDOW (window));
  normscope_text_size_apply (1);
}

static gboolean
is_shown_scrollbar (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_SCROLLBAR (widget) && gtk_widget_get_child_visible (widget) && gtk_widget_get_mapped (widget)
         && gtk_widget_get_opacity (widget) == 1 && gtk_widget_get_width (widget) > 0;
}

/* What does not fit at all says so without a pointer on it. */
static void
test_too_long (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  NormscopeAside *aside;
  GtkWidget *window;

  for (int i = 0; i < 900; i++)
    g_string_append (text, "word ");
  window = open_stage (&aside);
  normscope_aside_set_step (aside, "Short", "A *short* text.", NULL);
  app_draw_frames (2);
  g_assert_null (app_find (GTK_WIDGET (aside), is_shown_scrollbar, NULL));
  normscope_aside_set_step (aside, "Long", text->str, NULL);
  app_draw_frames (3);
  g_assert_cmpfloat (get_hidden_px (GTK_WIDGET (aside)), >, 0);
  g_assert_nonnull (app_find (GTK_WIDGET (aside), is_shown_scrollbar, NULL));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- nothing over anything ---- */

static gpointer
find (Fixture *fixture, GType type)
{
  return app_find_type (GTK_WIDGET (fixture->window), type);
}

static gboolean
is_presenting (gpointer fixture)
{
  return normscope_presenter_get_presenting (app_get_child (((Fixture *) fixture)->window, "presenter"))
         && gtk_window_is_fullscreen (GTK_WINDOW (((Fixture *) fixture)->window));
}

static gboolean
is_not_presenting (gpointer fixture)
{
  return !is_presenting (fixture);
}

static gboolean
is_awake (gpointer bar)
{
  return normscope_presenter_bar_is_awake (bar);
}

static void
present (Fixture *fixture)
{
  app_input_key (GDK_KEY_F5);
  g_assert_true (app_wait_for (is_presenting, fixture, TIMEOUT_MS));
  normscope_session_set_text_scale (fixture->session, HALL);
  app_wait_for_idle_plot (fixture);
}

static void
end (Fixture *fixture)
{
  app_input_key (GDK_KEY_Escape);
  g_assert_true (app_wait_for (is_not_presenting, fixture, TIMEOUT_MS));
}

/* Every view, with bar and read-out, then with the controls, too. */
static void
test_views (Fixture *fixture, gconstpointer data)
{
  static const char *const views[] = { "flow", "scaling", "paths", "training" };

  present (fixture);
  for (gsize v = 0; v < G_N_ELEMENTS (views); v++)
    {
      gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.show-view", "s", views[v]);
      if (v != G_N_ELEMENTS (views) - 1) /* a training begins when somebody begins it */
        app_wait_for_idle_plot (fixture);
      for (int controls = 0; controls < 2; controls++)
        {
          normscope_presenter_bar_wake (find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR));
          app_draw_frames (3);
          app_assert_nothing_covers (fixture);
          app_input_key (GDK_KEY_c);
          g_assert_cmpint (gtk_widget_get_mapped (find (fixture, NORMSCOPE_TYPE_PALETTE)), ==, controls == 0);
          if (controls == 0) /* as somebody does who uses them */
            app_input_point_at (find (fixture, NORMSCOPE_TYPE_PALETTE), 20, 20);
        }
    }
  end (fixture);
}

/* The read-out at each block, and the bar that the pointer wakes. */
static void
test_readout (Fixture *fixture, gconstpointer data)
{
  present (fixture);
  for (int block = 1; block <= 24; block += 4)
    {
      normscope_plot_set_cursor (fixture->plot, block);
      app_draw_frames (2);
      app_assert_nothing_covers (fixture);
      g_assert_cmpuint (app_count_covered (fixture->plot, find (fixture, NORMSCOPE_TYPE_READOUT)), ==, 0);
    }
  app_input_point_at (GTK_WIDGET (fixture->plot), 300, 200);
  g_assert_true (app_wait_for (is_awake, find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR), TIMEOUT_MS));
  app_assert_nothing_covers (fixture);
  end (fixture);
}

/* A lecture's text, question and buttons beside the plots. */
static void
test_lecture (Fixture *fixture, gconstpointer data)
{
  graphene_rect_t bounds;

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.shipped-lecture", "s", "pre-and-post-ln");
  present (fixture);
  app_input_key (GDK_KEY_Page_Down);
  app_wait_for_idle_plot (fixture);
  normscope_presenter_bar_wake (find (fixture, NORMSCOPE_TYPE_PRESENTER_BAR));
  app_draw_frames (3);
  app_assert_nothing_covers (fixture);
  g_assert_true (gtk_widget_compute_bounds (find (fixture, NORMSCOPE_TYPE_ASIDE), GTK_WIDGET (fixture->window),
                                            &bounds));
  g_assert_cmpfloat (bounds.origin.y, ==, 0); /* beside the plots */
  g_assert_cmpfloat (get_hidden_px (find (fixture, NORMSCOPE_TYPE_ASIDE)), ==, 0);
  end (fixture);
}

/* ---- tooltips ---- */

static gboolean
has_tooltip (GtkWidget *widget)
{
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  gboolean shows = FALSE;

  g_signal_emit_by_name (widget, "query-tooltip", 1, 1, FALSE, tooltip, &shows);
  return shows;
}

static guint
count_tooltips (GtkWidget *widget)
{
  guint n = gtk_widget_get_has_tooltip (widget) && gtk_widget_get_mapped (widget) && has_tooltip (widget);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_tooltips (child);
  return n;
}

static gboolean
is_tooltip_window (GtkWidget *widget, gconstpointer data)
{
  return g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkTooltipWindow") && gtk_widget_get_mapped (widget);
}

static gboolean
shows_tooltip (gpointer window)
{
  return app_find (window, is_tooltip_window, NULL) != NULL;
}

static gboolean
is_menu (gpointer button)
{
  GtkPopover *popover = gtk_menu_button_get_popover (button);

  return popover != NULL && gtk_widget_get_mapped (GTK_WIDGET (popover));
}

static gboolean
is_primary_menu_button (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_MENU_BUTTON (widget) && gtk_menu_button_get_primary (GTK_MENU_BUTTON (widget));
}

/* The pointer finds tooltips at a desk, none while presenting, and none on the button of an open menu. */
static void
test_tooltips (Fixture *fixture, gconstpointer data)
{
  GtkWidget *window = GTK_WIDGET (fixture->window), *menu = app_find (window, is_primary_menu_button, NULL);

  app_input_point_at (menu, 8, 8);
  g_assert_true (app_wait_for (shows_tooltip, window, TIMEOUT_MS));
  g_assert_cmpuint (count_tooltips (window), >, 20);
  g_assert_true (has_tooltip (menu));
  g_assert_true (app_input_click_until (menu, is_menu, menu));
  g_assert_false (has_tooltip (menu));
  app_input_key (GDK_KEY_Escape);
  app_draw_frames (3);
  g_assert_true (has_tooltip (menu));

  gtk_widget_grab_focus (GTK_WIDGET (fixture->plot));
  present (fixture);
  g_assert_cmpuint (count_tooltips (window), ==, 0);
  end (fixture);
  g_assert_cmpuint (count_tooltips (window), >, 20);
}

/* ---- the wiring ---- */

/* Return the height of letters at the wires, px: as figures/ns-wiring writes labels, 0.6 of a unit. */
static double
get_letter_px (Fixture *fixture)
{
  GtkWidget *row = app_find_type (find (fixture, NORMSCOPE_TYPE_WIRING_STRIP), NORMSCOPE_TYPE_WIRING_ROW);
  double width, height;
  int px_width, px_height;

  normscope_wiring_row_get_size (NORMSCOPE_WIRING_ROW (row), &width, &height);
  normscope_wiring_row_get_px (NORMSCOPE_WIRING_ROW (row), &px_width, &px_height);
  return 0.6 * px_height / height;
}

static gboolean
fills_width (GtkWidget *strip)
{
  int width, height;

  normscope_wiring_row_get_px (NORMSCOPE_WIRING_ROW (app_find_type (strip, NORMSCOPE_TYPE_WIRING_ROW)), &width,
                               &height);
  return width > 0.95 * gtk_widget_get_width (strip);
}

static gboolean
is_strip_of_desk (gpointer fixture)
{
  return gtk_widget_get_height (find (fixture, NORMSCOPE_TYPE_WIRING_STRIP))
         <= 0.2 * gtk_widget_get_height (GTK_WIDGET (((Fixture *) fixture)->window));
}

/* A step about the wiring shows it as the largest thing; in the others it is larger than at a desk, too. */
static void
test_wiring (Fixture *fixture, gconstpointer data)
{
  GtkWidget *strip = find (fixture, NORMSCOPE_TYPE_WIRING_STRIP);
  double desk, subject;

  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.shipped-lecture", "s", "pre-and-post-ln");
  app_wait_for_idle_plot (fixture);
  app_draw_frames (5);
  desk = get_letter_px (fixture);
  present (fixture);
  app_draw_frames (3);
  subject = get_letter_px (fixture);
  g_test_message ("letters of %.1f px at a desk, %.1f px on the wall; strip %d px, plots %d px", desk, subject,
                  gtk_widget_get_height (strip), gtk_widget_get_height (GTK_WIDGET (fixture->plot)));
  g_assert_cmpfloat (subject, >=, 12);
  /* As large as its place allows. */
  g_assert_true (fills_width (strip)
                 || gtk_widget_get_height (strip) > gtk_widget_get_height (GTK_WIDGET (fixture->plot)));
  app_input_key (GDK_KEY_Page_Down);
  app_wait_for_idle_plot (fixture);
  app_draw_frames (3);
  g_test_message ("beside curves %.1f px; strip %d px, plots %d px", get_letter_px (fixture),
                  gtk_widget_get_height (strip), gtk_widget_get_height (GTK_WIDGET (fixture->plot)));
  g_assert_cmpfloat (get_letter_px (fixture), >=, 11);
  g_assert_cmpint (gtk_widget_get_height (strip), <, gtk_widget_get_height (GTK_WIDGET (fixture->plot)));
  app_input_key (GDK_KEY_Page_Up);
  end (fixture);
  app_wait_for_idle_plot (fixture);
  g_assert_true (app_wait_for (is_strip_of_desk, fixture, TIMEOUT_MS));
}

void
add_slides_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add_func ("/slides/text", test_text);
  app_test_add_func ("/slides/too-long", test_too_long);
  app_test_add ("/slides/views", test_views);
  app_test_add ("/slides/readout", test_readout);
  app_test_add ("/slides/lecture", test_lecture);
  app_test_add ("/slides/tooltips", test_tooltips);
  app_test_add ("/slides/wiring", test_wiring);
}
