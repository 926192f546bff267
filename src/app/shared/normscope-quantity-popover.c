/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-quantity-popover.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "document/ns-search.h"
#include "engine/experiment/ns-settings.h"

/* Longer lists have a search entry. */
#define SEARCH_ROWS 12
#define MAX_HEIGHT 420

struct _NormscopeQuantityPopover
{
  GtkPopover parent_instance;

  GtkSearchEntry *search;
  GtkListBox *list;
  GArray *quantities; /* NsQuantity, in the order of the rows */
  NsQuantity shown;
};

G_DEFINE_FINAL_TYPE (NormscopeQuantityPopover, normscope_quantity_popover, GTK_TYPE_POPOVER)

enum { QUANTITY_POPOVER_SIGNAL_FILL, QUANTITY_POPOVER_SIGNAL_CHOSEN, N_QUANTITY_POPOVER_SIGNALS };
static guint quantity_popover_signals[N_QUANTITY_POPOVER_SIGNALS];

/* ---- the list of quantities ---- */

static gboolean
exists_somewhere (NsQuantity quantity, const NsExperiment *experiment)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    for (gint64 p = 0; p < ns_experiment_get_n_parts (experiment); p++)
      if (ns_quantity_exists (quantity, experiment, v,
                              ns_experiment_get_site (experiment, ns_experiment_get_part (experiment, p), 1)))
        return TRUE;
  return FALSE;
}

GArray *
normscope_list_flow_quantities (const NsExperiment *experiment, NsQuantityKind kind, NsQuantity shown)
{
  g_autoptr (GArray) all = ns_quantities_for_use (NS_USE_FLOW);
  GArray *list = g_array_new (FALSE, FALSE, sizeof (NsQuantity));

  for (guint i = 0; i < all->len; i++)
    {
      NsQuantity quantity = g_array_index (all, NsQuantity, i);

      if (ns_quantity_is_offered (quantity, kind) && (quantity == shown || exists_somewhere (quantity, experiment)))
        g_array_append_val (list, quantity);
    }
  return list;
}

/* ---- the rows ---- */

static GtkWidget *
row_new (NsQuantity quantity)
{
  const NsQuantityInfo *info = ns_quantity_info (quantity);
  g_autofree char *help = ns_quantity_dup_tooltip (quantity);
  /* Translators: the help of a quantity, and its key in files and on the command line */
  g_autofree char *tooltip = g_strdup_printf (_ ("%s\nKey: %s"), help, info->name);
  GtkWidget *row = gtk_list_box_row_new (), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);
  GtkWidget *words = gtk_label_new (_ (info->title)), *symbol = gtk_label_new (NULL);
  GtkWidget *check = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_label_set_markup (GTK_LABEL (symbol), info->markup);
  gtk_widget_add_css_class (symbol, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (words), 0);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (line), check);
  gtk_box_append (GTK_BOX (line), words);
  gtk_box_append (GTK_BOX (line), symbol);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), line);
  gtk_widget_set_tooltip_text (row, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (info->title), -1);
  return row;
}

static void
show_check (NormscopeQuantityPopover *self)
{
  for (guint i = 0; i < self->quantities->len; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, (int) i);
      GtkWidget *check = gtk_widget_get_first_child (gtk_list_box_row_get_child (row));
      gboolean is_shown = g_array_index (self->quantities, NsQuantity, i) == self->shown;

      gtk_widget_set_opacity (check, is_shown ? 1 : 0);
      if (is_shown)
        gtk_list_box_select_row (self->list, row);
    }
}

void
normscope_quantity_popover_set (NormscopeQuantityPopover *self, const GArray *quantities, NsQuantity shown)
{
  g_return_if_fail (NORMSCOPE_IS_QUANTITY_POPOVER (self));
  g_return_if_fail (quantities != NULL);

  self->shown = shown;
  if (quantities->len != self->quantities->len
      || memcmp (quantities->data, self->quantities->data, quantities->len * sizeof (NsQuantity)) != 0)
    {
      for (guint i = 0; i < self->quantities->len; i++)
        gtk_list_box_remove (self->list, GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, 0)));
      g_array_set_size (self->quantities, 0);
      g_array_append_vals (self->quantities, quantities->data, quantities->len);
      for (guint i = 0; i < quantities->len; i++)
        gtk_list_box_append (self->list, row_new (g_array_index (quantities, NsQuantity, i)));
      gtk_widget_set_visible (GTK_WIDGET (self->search), quantities->len > SEARCH_ROWS);
    }
  show_check (self);
}

void
normscope_quantity_popover_fill (NormscopeQuantityPopover *self)
{
  g_return_if_fail (NORMSCOPE_IS_QUANTITY_POPOVER (self));
  g_signal_emit (self, quantity_popover_signals[QUANTITY_POPOVER_SIGNAL_FILL], 0);
}

/* ---- search and choice ---- */

static gboolean
filter_cb (GtkListBoxRow *row, gpointer data)
{
  NormscopeQuantityPopover *self = data;
  const NsQuantityInfo *info;
  g_autofree char *text = NULL;
  g_autofree char *haystack = NULL;

  info = ns_quantity_info (g_array_index (self->quantities, NsQuantity, gtk_list_box_row_get_index (row)));
  text = g_strjoin (" ", _ (info->title), info->symbol, info->name, NULL);
  haystack = ns_search_dup_haystack (text);
  return ns_search_matches (haystack, gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

static void
row_activated_cb (NormscopeQuantityPopover *self, GtkListBoxRow *row)
{
  NsQuantity quantity = g_array_index (self->quantities, NsQuantity, gtk_list_box_row_get_index (row));

  gtk_popover_popdown (GTK_POPOVER (self));
  g_signal_emit (self, quantity_popover_signals[QUANTITY_POPOVER_SIGNAL_CHOSEN], 0, (guint) quantity);
}

/* Enter in the search entry chooses the first row found. */
static void
search_activated_cb (NormscopeQuantityPopover *self)
{
  for (int i = 0; i < (int) self->quantities->len; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, i);

      if (gtk_widget_get_child_visible (GTK_WIDGET (row)))
        {
          row_activated_cb (self, row);
          return;
        }
    }
}

static void
normscope_quantity_popover_map (GtkWidget *widget)
{
  NormscopeQuantityPopover *self = NORMSCOPE_QUANTITY_POPOVER (widget);
  GtkListBoxRow *selected;

  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  GTK_WIDGET_CLASS (normscope_quantity_popover_parent_class)->map (widget);
  selected = gtk_list_box_get_selected_row (self->list);
  if (selected != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (selected));
}

/* ---- the object ---- */

static void
normscope_quantity_popover_finalize (GObject *object)
{
  g_array_unref (NORMSCOPE_QUANTITY_POPOVER (object)->quantities);
  G_OBJECT_CLASS (normscope_quantity_popover_parent_class)->finalize (object);
}

static void
normscope_quantity_popover_class_init (NormscopeQuantityPopoverClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_quantity_popover_finalize;
  GTK_WIDGET_CLASS (klass)->map = normscope_quantity_popover_map;
  quantity_popover_signals[QUANTITY_POPOVER_SIGNAL_FILL] =
      g_signal_new ("fill", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  quantity_popover_signals[QUANTITY_POPOVER_SIGNAL_CHOSEN] = g_signal_new (
      "chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
normscope_quantity_popover_init (NormscopeQuantityPopover *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scroller = gtk_scrolled_window_new ();

  self->quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->search = GTK_SEARCH_ENTRY (gtk_search_entry_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->search), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Search"), -1);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Quantities"), -1);
  gtk_list_box_set_filter_func (self->list, filter_cb, self, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "quantities");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), MAX_HEIGHT);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->list));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->search));
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_popover_set_child (GTK_POPOVER (self), box);

  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (gtk_list_box_invalidate_filter), self->list);
  g_signal_connect_swapped (self->search, "activate", G_CALLBACK (search_activated_cb), self);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (row_activated_cb), self);
}

GtkWidget *
normscope_quantity_popover_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_QUANTITY_POPOVER, NULL);
}
