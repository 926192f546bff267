/* A text with formulas and links in a window, with pointer and keys through the X server.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-widgets.h"

#include <string.h>

#include "app-input.h"
#include "app/shared/normscope-prose-link.h"
#include "app/shared/normscope-prose.h"
#include "app/shared/normscope-text-size.h"
#include "prose/ns-prose.h"

#define MARKUP                                                                                   \
  "# Title\n\nSee [the depth](parameter:shape.depth) and [the *norm*](parameter:norm.kind).\n\n" \
  "$$\\|x\\| = \\sqrt{d}$$\n\nA paragraph that is long enough to wrap when the window is narrow, which it is here."
#define PLAIN                                            \
  "Title\nSee the depth and the norm.\n‖x‖ = √d\n" \
  "A paragraph that is long enough to wrap when the window is narrow, which it is here."

typedef struct
{
  GtkWidget *window;
  NormscopeProse *prose;
  char *page; /* of the last activated link */
} Place;

static void
link_cb (Place *place, const char *page)
{
  g_free (place->page);
  place->page = g_strdup (page);
}

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

static void
place_init (Place *place)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autoptr (GError) error = NULL;

  *place = (Place){ .window = gtk_application_window_new (app_test_get_application ()) };
  place->prose = NORMSCOPE_PROSE (normscope_prose_new ());
  g_signal_connect_swapped (place->prose, "link", G_CALLBACK (link_cb), place);
  normscope_prose_set_markup (place->prose, MARKUP, &error);
  g_assert_no_error (error);
  gtk_box_append (GTK_BOX (box), gtk_button_new_with_label ("Before"));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (place->prose));
  gtk_window_set_child (GTK_WINDOW (place->window), box);
  gtk_window_set_default_size (GTK_WINDOW (place->window), 400, 500);
  gtk_window_present (GTK_WINDOW (place->window));
  g_assert_true (app_wait_for (is_active, place->window, TIMEOUT_MS));
  app_input_settle ();
}

static void
place_clear (Place *place)
{
  gtk_window_destroy (GTK_WINDOW (place->window));
  g_free (place->page);
  app_input_settle ();
}

static gboolean
has_page (gpointer place)
{
  return ((Place *) place)->page != NULL;
}

static void
assert_page (Place *place, const char *page)
{
  if (page != NULL)
    g_assert_true (app_wait_for (has_page, place, TIMEOUT_MS));
  g_assert_cmpstr (place->page, ==, page);
  g_clear_pointer (&place->page, g_free);
}

static GtkWidget *
get_link (Place *place, guint index)
{
  GtkWidget *link = gtk_widget_get_first_child (GTK_WIDGET (place->prose));

  for (guint i = 0; i < index; i++)
    link = gtk_widget_get_next_sibling (link);
  g_assert_true (NORMSCOPE_IS_PROSE_LINK (link));
  return link;
}

static void
click_link (Place *place, guint index)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (get_link (place, index), GTK_WIDGET (place->prose), &bounds));
  app_input_click_at (GTK_WIDGET (place->prose), bounds.origin.x + bounds.size.width / 2,
                      bounds.origin.y + bounds.size.height / 2);
}

static void
test_links (void)
{
  Place place;

  place_init (&place);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (place.prose), GTK_ACCESSIBLE_PROPERTY_LABEL, PLAIN);
  gtk_test_accessible_assert_role (get_link (&place, 0), GTK_ACCESSIBLE_ROLE_LINK);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (get_link (&place, 1)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "the norm");

  click_link (&place, 0);
  assert_page (&place, "parameter:shape.depth");
  click_link (&place, 1);
  assert_page (&place, "parameter:norm.kind");
  app_input_click_at (GTK_WIDGET (place.prose), 5, 5);
  assert_page (&place, NULL);

  /* Tab goes to the text and then from link to link. */
  g_assert_true (gtk_widget_is_focus (GTK_WIDGET (place.prose)));
  app_input_tab (TRUE);
  g_assert_true (gtk_widget_is_focus (get_link (&place, 0)));
  app_input_key (GDK_KEY_Return);
  assert_page (&place, "parameter:shape.depth");
  app_input_tab (TRUE);
  app_input_key (GDK_KEY_space);
  assert_page (&place, "parameter:norm.kind");
  place_clear (&place);
}

static void
copied_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_set (gpointer data)
{
  return *(char **) data != NULL;
}

static void
assert_copied (Place *place, const char *text)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (place->window);
  char *copied = NULL;

  gdk_clipboard_read_text_async (clipboard, NULL, copied_cb, &copied);
  g_assert_true (app_wait_for (is_set, &copied, TIMEOUT_MS));
  g_assert_cmpstr (copied, ==, text);
  g_free (copied);
  gdk_clipboard_set_text (clipboard, "nothing");
}

static gboolean
is_menu_open (gpointer prose)
{
  GtkWidget *menu = app_find_type (prose, GTK_TYPE_POPOVER_MENU);

  return menu != NULL && gtk_widget_get_mapped (menu);
}

static gboolean
is_menu_closed (gpointer prose)
{
  return !is_menu_open (prose);
}

static void
test_copy (void)
{
  Place place;

  place_init (&place);
  app_input_click_at (GTK_WIDGET (place.prose), 5, 5);
  app_input_control_key (GDK_KEY_c);
  assert_copied (&place, PLAIN);
  app_input_key (GDK_KEY_Menu);
  g_assert_true (app_wait_for (is_menu_open, place.prose, TIMEOUT_MS));
  app_input_settle ();
  app_input_key (GDK_KEY_Return);
  g_assert_true (app_wait_for (is_menu_closed, place.prose, TIMEOUT_MS));
  assert_copied (&place, PLAIN);
  place_clear (&place);
}

/* The text wraps to its width, and takes the size of the window's text. */
static void
test_size (void)
{
  Place place;
  GtkWidget *widget;
  int narrow, wide, large, minimum, natural;

  place_init (&place);
  widget = GTK_WIDGET (place.prose);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 200, &narrow, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 600, &wide, NULL, NULL, NULL);
  g_assert_cmpint (narrow, >, wide + 30);
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, <, 200);
  g_assert_cmpint (natural, >, minimum);

  normscope_text_size_apply (2);
  app_input_settle ();
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, 200, &large, NULL, NULL, NULL);
  normscope_text_size_apply (1);
  g_assert_cmpint (large, >, narrow * 1.3);
  place_clear (&place);
}

static void
test_other_text (void)
{
  Place place;
  g_autoptr (GError) error = NULL;

  place_init (&place);
  g_assert_true (normscope_prose_set_markup (place.prose, "Only [one](a:b)", &error));
  app_input_settle ();
  g_assert_null (gtk_widget_get_next_sibling (get_link (&place, 0)));
  click_link (&place, 0);
  assert_page (&place, "a:b");

  /* What is not valid is shown as it is. */
  g_assert_false (normscope_prose_set_markup (place.prose, "a $x", &error));
  g_assert_error (error, NS_PROSE_ERROR, NS_PROSE_ERROR_SYNTAX);
  gtk_test_accessible_assert_property (GTK_ACCESSIBLE (place.prose), GTK_ACCESSIBLE_PROPERTY_LABEL, "a $x");
  g_assert_cmpstr (normscope_prose_get_markup (place.prose), ==, "a $x");
  place_clear (&place);
}

void
add_prose_tests (void)
{
  app_test_prepare (app_input_prepare);
  app_test_add_func ("/prose/links", test_links);
  app_test_add_func ("/prose/copy", test_copy);
  app_test_add_func ("/prose/size", test_size);
  app_test_add_func ("/prose/other-text", test_other_text);
}
