/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/help/normscope-help.h"

#include <glib/gi18n-lib.h>

#include "app/help/normscope-help-list.h"
#include "app/help/normscope-help-page.h"

struct _NormscopeHelp
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkEditable *search;
  GtkStack *stack;
  NormscopeHelpList *list;
  NormscopeHelpPage *page;

  GPtrArray *history; /* ids of pages; LIST is the list */
  guint at;           /* the one on show */
  GtkWidget *waiting; /* a child that gets the focus when the panel appears, or NULL */
};

G_DEFINE_FINAL_TYPE (NormscopeHelp, normscope_help, GTK_TYPE_WIDGET)

enum { HELP_SIGNAL_CLOSED, N_HELP_SIGNALS };
static guint help_signals[N_HELP_SIGNALS];

#define LIST ""

/* Move the focus to a child, at once or when the panel appears. */
static void
focus (NormscopeHelp *self, gpointer child)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_widget_grab_focus (child);
  else
    self->waiting = child;
}

/* ---- history ---- */

static void
show_current (NormscopeHelp *self)
{
  const char *id = g_ptr_array_index (self->history, self->at);
  const NsHelpPage *page = ns_help_find (id);

  if (page != NULL)
    normscope_help_page_show (self->page, page);
  gtk_stack_set_visible_child (self->stack, page != NULL ? GTK_WIDGET (self->page) : GTK_WIDGET (self->list));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.back", self->at > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.forward", self->at + 1 < self->history->len);
}

static void
go_to (NormscopeHelp *self, const char *id)
{
  if (self->history->len > 0 && g_str_equal (g_ptr_array_index (self->history, self->at), id))
    {
      show_current (self);
      return;
    }
  if (self->history->len > 0)
    g_ptr_array_set_size (self->history, (int) self->at + 1);
  g_ptr_array_add (self->history, g_strdup (id));
  self->at = self->history->len - 1;
  show_current (self);
}

static void
move (NormscopeHelp *self, int step)
{
  gint64 at = (gint64) self->at + step;

  if (at < 0 || at >= (gint64) self->history->len)
    return;
  self->at = (guint) at;
  show_current (self);
  /* A button that has become insensitive would keep the focus to itself. */
  focus (self, gtk_stack_get_visible_child (self->stack));
}

static void
back_cb (NormscopeHelp *self)
{
  move (self, -1);
}

static void
forward_cb (NormscopeHelp *self)
{
  move (self, 1);
}

static void
close_cb (NormscopeHelp *self)
{
  g_signal_emit (self, help_signals[HELP_SIGNAL_CLOSED], 0);
}

/* ---- pages ---- */

void
normscope_help_show_page (NormscopeHelp *self, const char *id)
{
  g_return_if_fail (NORMSCOPE_IS_HELP (self));
  g_return_if_fail (id != NULL);
  if (ns_help_find (id) == NULL)
    {
      normscope_help_show_contents (self);
      return;
    }
  go_to (self, id);
  focus (self, self->page);
}

void
normscope_help_show_contents (NormscopeHelp *self)
{
  g_return_if_fail (NORMSCOPE_IS_HELP (self));
  gtk_editable_set_text (self->search, "");
  go_to (self, LIST);
  focus (self, self->search);
}

void
normscope_help_forget (NormscopeHelp *self)
{
  g_return_if_fail (NORMSCOPE_IS_HELP (self));
  g_ptr_array_set_size (self->history, 0);
  self->at = 0;
  gtk_editable_set_text (self->search, "");
}

const char *
normscope_help_get_shown (NormscopeHelp *self)
{
  const char *id;

  g_return_val_if_fail (NORMSCOPE_IS_HELP (self), NULL);
  id = self->history->len > 0 ? g_ptr_array_index (self->history, self->at) : LIST;
  return ns_help_find (id) != NULL ? id : NULL;
}

/* ---- search ---- */

static void
search_cb (NormscopeHelp *self)
{
  const char *words = gtk_editable_get_text (self->search);

  normscope_help_list_search (self->list, words);
  if (words[0] == '\0')
    return;
  go_to (self, LIST);
  /* The first letter was typed elsewhere in the panel: go on behind it. */
  if (!gtk_widget_has_focus (GTK_WIDGET (gtk_editable_get_delegate (self->search))))
    {
      gtk_widget_grab_focus (GTK_WIDGET (self->search));
      gtk_editable_set_position (self->search, -1);
    }
}

static void
open_first_cb (NormscopeHelp *self)
{
  const char *id = normscope_help_list_get_first (self->list);

  if (id != NULL && gtk_editable_get_text (self->search)[0] != '\0')
    normscope_help_show_page (self, id);
}

static gboolean
search_key_cb (NormscopeHelp *self, guint keyval)
{
  if (keyval != GDK_KEY_Down && keyval != GDK_KEY_KP_Down)
    return GDK_EVENT_PROPAGATE;
  return gtk_widget_grab_focus (gtk_stack_get_visible_child (self->stack));
}

/* ---- the object ---- */

static void
normscope_help_map (GtkWidget *widget)
{
  NormscopeHelp *self = NORMSCOPE_HELP (widget);
  GtkWidget *waiting = g_steal_pointer (&self->waiting);

  GTK_WIDGET_CLASS (normscope_help_parent_class)->map (widget);
  if (waiting != NULL)
    gtk_widget_grab_focus (waiting);
}

static void
normscope_help_dispose (GObject *object)
{
  g_clear_pointer (&NORMSCOPE_HELP (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_help_parent_class)->dispose (object);
}

static void
normscope_help_finalize (GObject *object)
{
  g_ptr_array_unref (NORMSCOPE_HELP (object)->history);
  G_OBJECT_CLASS (normscope_help_parent_class)->finalize (object);
}

static void
back_action_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  back_cb (NORMSCOPE_HELP (widget));
}

static void
forward_action_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  forward_cb (NORMSCOPE_HELP (widget));
}

static void
close_action_cb (GtkWidget *widget, const char *name, GVariant *parameter)
{
  close_cb (NORMSCOPE_HELP (widget));
}

static void
normscope_help_class_init (NormscopeHelpClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_help_dispose;
  G_OBJECT_CLASS (klass)->finalize = normscope_help_finalize;
  widget_class->map = normscope_help_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "help");
  help_signals[HELP_SIGNAL_CLOSED] =
      g_signal_new ("closed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "help.back", NULL, back_action_cb);
  gtk_widget_class_install_action (widget_class, "help.forward", NULL, forward_action_cb);
  gtk_widget_class_install_action (widget_class, "help.close", NULL, close_action_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, GDK_ALT_MASK, "help.back", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, GDK_ALT_MASK, "help.forward", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "help.close", NULL);
}

static void
add_bar_button (GtkWidget *bar, const char *icon, const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_box_append (GTK_BOX (bar), button);
}

static GtkWidget *
make_bar (NormscopeHelp *self)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *search = gtk_search_entry_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_add_css_class (bar, "toolbar");
  add_bar_button (bar, "go-previous-symbolic", _ ("Back"), _ ("Back (Alt+←)"), "help.back");
  add_bar_button (bar, "go-next-symbolic", _ ("Forward"), _ ("Forward (Alt+→)"), "help.forward");
  self->search = GTK_EDITABLE (search);
  gtk_widget_set_hexpand (search, TRUE);
  gtk_editable_set_width_chars (self->search, 10);
  g_object_set (search, "placeholder-text", _ ("Search help"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (search), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Search help"), -1);
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (search), GTK_WIDGET (self));
  g_signal_connect_swapped (search, "changed", G_CALLBACK (search_cb), self);
  g_signal_connect_swapped (search, "activate", G_CALLBACK (open_first_cb), self);
  g_signal_connect_swapped (search, "stop-search", G_CALLBACK (close_cb), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (search_key_cb), self);
  gtk_widget_add_controller (search, keys);
  gtk_box_append (GTK_BOX (bar), search);
  add_bar_button (bar, "window-close-symbolic", _ ("Close help"), _ ("Close help (Esc)"), "help.close");
  return bar;
}

static void
normscope_help_init (NormscopeHelp *self)
{
  self->history = g_ptr_array_new_with_free_func (g_free);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (self->box), make_bar (self));
  self->list = NORMSCOPE_HELP_LIST (normscope_help_list_new ());
  self->page = NORMSCOPE_HELP_PAGE (normscope_help_page_new ());
  g_signal_connect_swapped (self->list, "chosen", G_CALLBACK (normscope_help_show_page), self);
  g_signal_connect_swapped (self->page, "link", G_CALLBACK (normscope_help_show_page), self);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_hhomogeneous (self->stack, FALSE);
  gtk_stack_set_vhomogeneous (self->stack, FALSE);
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_stack_add_child (self->stack, GTK_WIDGET (self->list));
  gtk_stack_add_child (self->stack, GTK_WIDGET (self->page));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->stack));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
}

GtkWidget *
normscope_help_new (void)
{
  return g_object_new (NORMSCOPE_TYPE_HELP, NULL);
}
