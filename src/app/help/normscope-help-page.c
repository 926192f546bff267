/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/help/normscope-help-page.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-prose.h"
#include "app/shared/normscope-wiring.h"

#define UNIT_PX       22 /* px per unit of a diagram */
#define MAX_WIDTH_PX  290
#define MAX_HEIGHT_PX 300

struct _NormscopeHelpPage
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkLabel *title;
  NormscopeProse *intro, *rest;
  GtkBox *pictures;
  GtkWidget *tour_button, *shortcuts_button;
};

G_DEFINE_FINAL_TYPE (NormscopeHelpPage, normscope_help_page, GTK_TYPE_WIDGET)

enum { HELP_PAGE_SIGNAL_LINK, N_HELP_PAGE_SIGNALS };
static guint help_page_signals[N_HELP_PAGE_SIGNALS];

static void
link_cb (NormscopeHelpPage *self, const char *page)
{
  g_autofree char *id = g_strdup (page);

  g_signal_emit (self, help_page_signals[HELP_PAGE_SIGNAL_LINK], 0, id);
}

/* ---- pictures ---- */

static void
clear_pictures (NormscopeHelpPage *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->pictures))) != NULL)
    gtk_box_remove (self->pictures, child);
}

static void
add_picture (NormscopeHelpPage *self, NsHelpPicture *picture)
{
  GtkWidget *caption = gtk_label_new (picture->caption), *wiring;
  double width, height, unit;

  ns_diagram_get_size (picture->diagram, &width, &height);
  unit = MIN (UNIT_PX, MIN (MAX_WIDTH_PX / width, MAX_HEIGHT_PX / height));
  wiring = normscope_wiring_new ((int) (unit * width), (int) (unit * height));
  normscope_wiring_take_diagram (NORMSCOPE_WIRING (wiring), g_steal_pointer (&picture->diagram));
  gtk_accessible_update_property (GTK_ACCESSIBLE (wiring), GTK_ACCESSIBLE_PROPERTY_LABEL, picture->caption, -1);
  gtk_widget_set_halign (wiring, GTK_ALIGN_START);
  gtk_label_set_xalign (GTK_LABEL (caption), 0);
  gtk_label_set_wrap (GTK_LABEL (caption), TRUE);
  gtk_widget_add_css_class (caption, "caption-heading");
  gtk_box_append (self->pictures, caption);
  gtk_box_append (self->pictures, wiring);
}

/* ---- the page ---- */

/* A test parses every page; a translation may still break one, which is then shown as it is. */
static void
show_markup (NormscopeProse *prose, const char *markup)
{
  g_autoptr (GError) error = NULL;

  if (!normscope_prose_set_markup (prose, markup, &error))
    g_message ("help: %s", error->message);
}

void
normscope_help_page_show (NormscopeHelpPage *self, const NsHelpPage *page)
{
  g_autoptr (NsHelpContent) content = NULL;
  GtkScrolledWindow *scroller;

  g_return_if_fail (NORMSCOPE_IS_HELP_PAGE (self));
  g_return_if_fail (page != NULL);

  content = ns_help_page_get_content (page);
  gtk_label_set_label (self->title, ns_help_page_get_title (page));
  show_markup (self->intro, content->intro);
  show_markup (self->rest, content->rest);
  gtk_widget_set_visible (GTK_WIDGET (self->rest), content->rest[0] != '\0');
  clear_pictures (self);
  for (guint i = 0; i < content->n_pictures; i++)
    add_picture (self, &content->pictures[i]);
  gtk_widget_set_visible (GTK_WIDGET (self->pictures), content->n_pictures > 0);
  gtk_widget_set_visible (self->tour_button, strcmp (page->id, NS_HELP_FIRST_STEPS) == 0);
  gtk_widget_set_visible (self->shortcuts_button, strcmp (page->id, "topic:keys") == 0);
  scroller = GTK_SCROLLED_WINDOW (self->scroller);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (scroller), 0);
}

/* ---- the object ---- */

static void
normscope_help_page_dispose (GObject *object)
{
  g_clear_pointer (&NORMSCOPE_HELP_PAGE (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_help_page_parent_class)->dispose (object);
}

static gboolean
normscope_help_page_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (NORMSCOPE_HELP_PAGE (widget)->scroller);
}

static void
normscope_help_page_class_init (NormscopeHelpPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_help_page_dispose;
  widget_class->grab_focus = normscope_help_page_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  help_page_signals[HELP_PAGE_SIGNAL_LINK] = g_signal_new ("link", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                                           NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static NormscopeProse *
add_prose (NormscopeHelpPage *self, GtkWidget *box)
{
  GtkWidget *prose = normscope_prose_new ();

  g_signal_connect_swapped (prose, "link", G_CALLBACK (link_cb), self);
  gtk_box_append (GTK_BOX (box), prose);
  return NORMSCOPE_PROSE (prose);
}

static GtkWidget *
add_link_button (GtkWidget *box, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
normscope_help_page_init (NormscopeHelpPage *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_wrap (self->title, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "title-2");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->title));
  self->intro = add_prose (self, box);
  self->pictures = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->pictures));
  self->rest = add_prose (self, box);
  self->tour_button = add_link_button (box, _ ("_Point Them Out in the Window"), "win.show-tour");
  self->shortcuts_button = add_link_button (box, _ ("_Keyboard Shortcuts"), "win.show-help-overlay");
  gtk_widget_add_css_class (box, "page");

  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  /* Up, Down, Page Up and Page Down scroll a page that has no link to move to. */
  gtk_widget_set_focusable (self->scroller, TRUE);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
normscope_help_page_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_HELP_PAGE, NULL);
}
