/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/help/normscope-help-list.h"

#include <adwaita.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#include "help/ns-help.h"

struct _NormscopeHelpList
{
  GtkWidget parent_instance;

  GtkStack *stack;
  GtkListView *view;
  GtkStringList *ids; /* of pages, and headings */
  guint unfolded;     /* bit g: group g shows its pages */
};

G_DEFINE_FINAL_TYPE (NormscopeHelpList, normscope_help_list, GTK_TYPE_WIDGET)

enum { HELP_LIST_SIGNAL_CHOSEN, N_HELP_LIST_SIGNALS };
static guint help_list_signals[N_HELP_LIST_SIGNALS];

/* A heading is a row of this mark and the number of a group; no page has such an id. */
#define HEADING "#"
/* A list view makes a widget for each of its first 200 rows: show no more than somebody reads. */
#define MAX_FOUND 40
/* Groups of a few pages are unfolded at first. */
#define FEW ((1u << NS_HELP_TOPIC) | (1u << NS_HELP_VIEW))

/* Return the group of a heading. */
static NsHelpGroup
get_group (const char *heading)
{
  return (NsHelpGroup) g_ascii_strtoull (heading + strlen (HEADING), NULL, 10);
}

static void show_all (NormscopeHelpList *self);

/* ---- rows ---- */

static GtkWidget *
add_line_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  /* Wrapped lines would be measured again for every letter of a search, which takes a tenth of a second. */
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
setup_cb (NormscopeHelpList *self, GtkListItem *item)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_box_append (GTK_BOX (row), gtk_image_new ());
  gtk_box_append (GTK_BOX (row), box);
  add_line_label (box, "title");
  add_line_label (box, "summary");
  gtk_list_item_set_child (item, row);
}

static void
bind_cb (NormscopeHelpList *self, GtkListItem *item)
{
  const char *id = gtk_string_object_get_string (gtk_list_item_get_item (item));
  gboolean is_heading = g_str_has_prefix (id, HEADING);
  const NsHelpPage *page = is_heading ? NULL : ns_help_find (id);
  GtkWidget *row = gtk_list_item_get_child (item), *image = gtk_widget_get_first_child (row);
  GtkWidget *title = gtk_widget_get_first_child (gtk_widget_get_next_sibling (image));
  GtkWidget *summary = gtk_widget_get_next_sibling (title);

  gtk_label_set_label (GTK_LABEL (title), is_heading ? ns_help_group_get_title (get_group (id))
                                                     : ns_help_page_get_title (page));
  gtk_label_set_label (GTK_LABEL (summary), is_heading ? "" : ns_help_page_get_summary (page));
  gtk_widget_set_visible (summary, !is_heading);
  gtk_widget_set_visible (image, is_heading);
  gtk_widget_set_tooltip_text (row, is_heading ? NULL : ns_help_page_get_summary (page));
  if (is_heading)
    {
      gboolean is_unfolded = (self->unfolded & (1u << get_group (id))) != 0;

      gtk_image_set_from_icon_name (GTK_IMAGE (image), is_unfolded ? "pan-down-symbolic" : "pan-end-symbolic");
      gtk_widget_add_css_class (row, "group");
    }
  else
    {
      gtk_widget_remove_css_class (row, "group");
    }
}

static void
activate_cb (NormscopeHelpList *self, guint position)
{
  g_autofree char *id = g_strdup (gtk_string_list_get_string (self->ids, position));

  if (id == NULL)
    return;
  if (!g_str_has_prefix (id, HEADING))
    {
      g_signal_emit (self, help_list_signals[HELP_LIST_SIGNAL_CHOSEN], 0, id);
      return;
    }
  self->unfolded ^= 1u << get_group (id);
  show_all (self);
  /* The row is a new one: go on from it. */
  gtk_widget_activate_action (GTK_WIDGET (self->view), "list.scroll-to-item", "u", position);
}

/* ---- contents ---- */

static void
take_ids (NormscopeHelpList *self, GPtrArray *ids)
{
  GtkSelectionModel *model = gtk_list_view_get_model (self->view);

  g_ptr_array_add (ids, NULL);
  gtk_string_list_splice (self->ids, 0, g_list_model_get_n_items (G_LIST_MODEL (self->ids)),
                          (const char *const *) ids->pdata);
  gtk_selection_model_unselect_all (model);
  gtk_stack_set_visible_child_name (self->stack, ids->len > 1 ? "list" : "nothing");
  g_ptr_array_unref (ids);
}

static void
show_all (NormscopeHelpList *self)
{
  GPtrArray *ids = g_ptr_array_new_with_free_func (g_free);
  guint n;
  const NsHelpPage *pages = ns_help_pages (&n);

  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || pages[i].group != pages[i - 1].group)
        g_ptr_array_add (ids, g_strdup_printf (HEADING "%d", (int) pages[i].group));
      if ((self->unfolded & (1u << pages[i].group)) != 0)
        g_ptr_array_add (ids, g_strdup (pages[i].id));
    }
  take_ids (self, ids);
}

void
normscope_help_list_search (NormscopeHelpList *self, const char *words)
{
  g_autofree char *stripped = NULL;
  g_autofree guint *matches = NULL;
  GPtrArray *ids;
  guint n, best = 0;
  const NsHelpPage *pages = ns_help_pages (&n);

  g_return_if_fail (NORMSCOPE_IS_HELP_LIST (self));
  stripped = g_strstrip (g_strdup (words));
  if (stripped[0] == '\0')
    {
      show_all (self);
      return;
    }
  matches = g_new (guint, n);
  ids = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    {
      matches[i] = ns_help_page_match (&pages[i], stripped);
      best = MAX (best, matches[i]);
    }
  for (guint match = best; match > 0; match--)
    for (guint i = 0; i < n && ids->len < MAX_FOUND; i++)
      if (matches[i] == match)
        g_ptr_array_add (ids, g_strdup (pages[i].id));
  take_ids (self, ids);
}

const char *
normscope_help_list_get_first (NormscopeHelpList *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_HELP_LIST (self), NULL);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->ids)); i++)
    if (!g_str_has_prefix (gtk_string_list_get_string (self->ids, i), HEADING))
      return gtk_string_list_get_string (self->ids, i);
  return NULL;
}

/* ---- the object ---- */

static gboolean
normscope_help_list_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (NORMSCOPE_HELP_LIST (widget)->view));
}

static void
normscope_help_list_dispose (GObject *object)
{
  NormscopeHelpList *self = NORMSCOPE_HELP_LIST (object);

  g_clear_pointer ((GtkWidget **) &self->stack, gtk_widget_unparent);
  g_clear_object (&self->ids);
  G_OBJECT_CLASS (normscope_help_list_parent_class)->dispose (object);
}

static void
normscope_help_list_class_init (NormscopeHelpListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_help_list_dispose;
  widget_class->grab_focus = normscope_help_list_grab_focus;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  help_list_signals[HELP_LIST_SIGNAL_CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                                             NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
normscope_help_list_init (NormscopeHelpList *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkSingleSelection *selection;
  GtkWidget *scroller = gtk_scrolled_window_new (), *nothing = adw_status_page_new ();

  self->unfolded = FEW;
  self->ids = gtk_string_list_new (NULL);
  selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->ids)));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  g_signal_connect_swapped (factory, "setup", G_CALLBACK (setup_cb), self);
  g_signal_connect_swapped (factory, "bind", G_CALLBACK (bind_cb), self);
  self->view = GTK_LIST_VIEW (gtk_list_view_new (GTK_SELECTION_MODEL (selection), factory));
  gtk_list_view_set_single_click_activate (self->view, TRUE);
  g_signal_connect_swapped (self->view, "activate", G_CALLBACK (activate_cb), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Pages of help"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (nothing), "edit-find-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (nothing), _ ("No Page Found"));
  adw_status_page_set_description (ADW_STATUS_PAGE (nothing), _ ("Try another word, or clear the search."));
  gtk_widget_add_css_class (nothing, "compact");
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_hhomogeneous (self->stack, FALSE);
  gtk_stack_set_vhomogeneous (self->stack, FALSE);
  gtk_stack_add_named (self->stack, scroller, "list");
  gtk_stack_add_named (self->stack, nothing, "nothing");
  gtk_widget_set_parent (GTK_WIDGET (self->stack), GTK_WIDGET (self));
  show_all (self);
}

GtkWidget *
normscope_help_list_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_HELP_LIST, NULL);
}
