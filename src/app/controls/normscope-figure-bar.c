/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/controls/normscope-figure-bar.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "app/shared/normscope-drop-down.h"
#include "app/shared/normscope-help-button.h"
#include "app/shared/normscope-update.h"

/* The control of one option. */
typedef struct
{
  NsFigureKind figure;
  const NsFigureOption *option;
  GtkWidget *label; /* beside the control, or NULL */
  GtkWidget *control;
  GtkWidget *entry; /* of any number, beside the suggestions of the control; of points, the control; or NULL */
} Control;

struct _NormscopeFigureBar
{
  GtkBox parent_instance;

  GtkDropDown *chooser;
  GArray *figures;  /* NsFigureKind, in the order of the chooser */
  GArray *controls; /* Control */

  NormscopeSession *session;
  const char *view;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (NormscopeFigureBar, normscope_figure_bar, GTK_TYPE_BOX)

static int *
get_field (NsViewChoice *choice, const NsFigureOption *option)
{
  return &G_STRUCT_MEMBER (int, &choice->options, option->offset);
}

static double *
get_number (NsViewChoice *choice, const NsFigureOption *option)
{
  return &G_STRUCT_MEMBER (double, &choice->options, option->offset);
}

/* ---- from the session to the controls ---- */

static guint
find_choice (const NsFigureOption *option, int value)
{
  guint found = 0;

  for (guint i = 0; option->choices[i].word != NULL; i++)
    if (option->choices[i].value == value)
      found = i;
  return found;
}

/* Return the index of the suggestion with that text, or the one after the last: "Other". */
static guint
find_suggestion (const NsFigureOption *option, const char *text)
{
  guint i = 0;

  while (option->choices[i].word != NULL && strcmp (option->choices[i].word, text) != 0)
    i++;
  return i;
}

static void
show_number (const Control *control, NsViewChoice *choice)
{
  double value = *get_number (choice, control->option);
  g_autofree char *text = ns_figure_option_dup_text (control->option, value);

  gtk_drop_down_set_selected (GTK_DROP_DOWN (control->control), find_suggestion (control->option, text));
  gtk_editable_set_text (GTK_EDITABLE (control->entry), value > 0 ? text : "");
  gtk_widget_remove_css_class (control->entry, "error");
}

static void
show_points (const Control *control, NsViewChoice *choice)
{
  gtk_editable_set_text (GTK_EDITABLE (control->entry),
                         G_STRUCT_MEMBER_P (&choice->options, control->option->offset));
  gtk_widget_remove_css_class (control->entry, "error");
}

static void
show_control (const Control *control, NsViewChoice *choice)
{
  const NsFigureOption *option = control->option;
  gboolean is_offered = control->figure == choice->figure;
  int value = *get_field (choice, option);

  gtk_widget_set_visible (control->control, is_offered);
  if (control->label != NULL)
    gtk_widget_set_visible (control->label, is_offered);
  if (control->entry != NULL)
    gtk_widget_set_visible (control->entry, is_offered);
  if (option->type == NS_FIGURE_OPTION_CHOICE)
    gtk_drop_down_set_selected (GTK_DROP_DOWN (control->control), find_choice (option, value));
  else if (option->type == NS_FIGURE_OPTION_NUMBER)
    show_number (control, choice);
  else if (option->type == NS_FIGURE_OPTION_POINTS)
    show_points (control, choice);
  else if (option->type == NS_FIGURE_OPTION_COUNT)
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (control->control), value);
  else
    gtk_check_button_set_active (GTK_CHECK_BUTTON (control->control), value);
}

/* List the figures that suit the experiment, and the one that is shown. With the same experiment the list does not get
 * shorter: it may be open. */
static void
list_figures (NormscopeFigureBar *self, NsFigureKind shown, gboolean is_other_experiment)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  g_autoptr (GtkStringList) titles = NULL;
  g_autoptr (GArray) figures = g_array_new (FALSE, FALSE, sizeof (NsFigureKind));

  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    if (ns_view_offers (self->view, figure) && (figure == shown || ns_figure_suits (figure, experiment)))
      g_array_append_val (figures, figure);
  if (figures->len == self->figures->len || (figures->len < self->figures->len && !is_other_experiment))
    return;
  g_array_unref (self->figures);
  self->figures = g_steal_pointer (&figures);
  titles = gtk_string_list_new (NULL);
  for (guint i = 0; i < self->figures->len; i++)
    gtk_string_list_append (titles, _ (ns_figure_info (g_array_index (self->figures, NsFigureKind, i))->title));
  gtk_drop_down_set_model (self->chooser, G_LIST_MODEL (titles));
}

static void
refresh_bar (NormscopeFigureBar *self, gboolean is_other_experiment)
{
  NsViewChoice choice = *normscope_session_get_choice (self->session, self->view);
  const NsFigureInfo *info = ns_figure_info (choice.figure);
  g_autofree char *page = g_strconcat ("view:", info->id, NULL);

  self->updating = TRUE;
  list_figures (self, choice.figure, is_other_experiment);
  for (guint i = 0; i < self->figures->len; i++)
    if (g_array_index (self->figures, NsFigureKind, i) == choice.figure)
      gtk_drop_down_set_selected (self->chooser, i);
  normscope_update_tooltip (GTK_WIDGET (self->chooser), _ (info->help));
  normscope_help_set_page (GTK_WIDGET (self), page);
  for (guint i = 0; i < self->controls->len; i++)
    show_control (&g_array_index (self->controls, Control, i), &choice);
  self->updating = FALSE;
}

/* ---- from the controls to the session ---- */

/* Take over a suggestion; "Other" waits for the entry. */
static void
read_suggestion (const Control *control, NsViewChoice *choice)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (control->control));
  const char *word = control->option->choices[selected].word;

  if (word != NULL)
    ns_figure_option_parse (control->option, word, get_number (choice, control->option));
  else
    gtk_widget_grab_focus (control->entry);
}

static void
edited_cb (NormscopeFigureBar *self)
{
  NsViewChoice choice;
  guint selected;

  if (self->updating || self->session == NULL)
    return;
  choice = *normscope_session_get_choice (self->session, self->view);
  for (guint i = 0; i < self->controls->len; i++)
    {
      const Control *control = &g_array_index (self->controls, Control, i);
      int *field = get_field (&choice, control->option);

      if (control->figure != choice.figure || control->option->type == NS_FIGURE_OPTION_POINTS)
        continue;
      if (control->option->type == NS_FIGURE_OPTION_CHOICE)
        *field = control->option->choices[gtk_drop_down_get_selected (GTK_DROP_DOWN (control->control))].value;
      else if (control->option->type == NS_FIGURE_OPTION_NUMBER)
        read_suggestion (control, &choice);
      else if (control->option->type == NS_FIGURE_OPTION_COUNT)
        *field = gtk_spin_button_get_value_as_int (GTK_SPIN_BUTTON (control->control));
      else
        *field = gtk_check_button_get_active (GTK_CHECK_BUTTON (control->control));
    }
  selected = gtk_drop_down_get_selected (self->chooser);
  if (selected < self->figures->len)
    choice.figure = g_array_index (self->figures, NsFigureKind, selected);
  normscope_session_set_choice (self->session, &choice);
}

static const Control *
find_entry (NormscopeFigureBar *self, GtkWidget *entry)
{
  for (guint i = 0; i < self->controls->len; i++)
    if (g_array_index (self->controls, Control, i).entry == entry)
      return &g_array_index (self->controls, Control, i);
  return NULL;
}

/* Show what is not allowed. */
static void
refuse (const Control *control, const char *message)
{
  gtk_widget_add_css_class (control->entry, "error");
  gtk_widget_activate_action (control->entry, "win.show-message", "s", message);
}

/* Take over the points that were typed; without any, the usual ones. */
static void
typed_points_cb (NormscopeFigureBar *self, GtkWidget *entry)
{
  const Control *control = find_entry (self, entry);
  NsViewChoice choice = *normscope_session_get_choice (self->session, self->view);
  g_autoptr (GError) error = NULL;

  if (!ns_figure_option_set_points (gtk_editable_get_text (GTK_EDITABLE (entry)),
                                    G_STRUCT_MEMBER_P (&choice.options, control->option->offset), &error))
    {
      g_prefix_error (&error, "%s: ", _ (control->option->title));
      refuse (control, error->message);
    }
  else if (!normscope_session_set_choice (self->session, &choice))
    refresh_bar (self, FALSE);
}

/* Take over the number that was typed, with a comma or a point; without one, the word. */
static void
typed_cb (NormscopeFigureBar *self, GtkWidget *entry)
{
  const Control *control = find_entry (self, entry);
  g_autofree char *text = g_strdelimit (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))), ",", '.');
  NsViewChoice choice = *normscope_session_get_choice (self->session, self->view);
  double *number = get_number (&choice, control->option);

  g_strstrip (text);
  if (*text == '\0' || ns_figure_option_parse (control->option, text, number))
    {
      *number = *text != '\0' ? *number : 0;
      gtk_widget_remove_css_class (entry, "error");
      if (!normscope_session_set_choice (self->session, &choice))
        refresh_bar (self, FALSE);
    }
  else
    {
      g_autofree char *allowed = ns_figure_option_dup_allowed (control->option);
      /* Translators: the name of a setting, what was typed, what is allowed */
      g_autofree char *message = g_strdup_printf (_ ("%s: “%s” is not allowed; allowed: %s"),
                                                  _ (control->option->title), text, allowed);

      refuse (control, message);
    }
}

/* What was typed and not entered is gone. */
static void
left_cb (NormscopeFigureBar *self)
{
  refresh_bar (self, FALSE);
}

static void
bar_changed_cb (NormscopeFigureBar *self, guint change)
{
  if ((change & (normscope_session_get_choice_change (self->view) | NORMSCOPE_CHANGED_EXPERIMENT)) != 0)
    refresh_bar (self, (change & NORMSCOPE_CHANGED_EXPERIMENT) != 0);
}

/* ---- making the controls ---- */

static GtkWidget *
make_option_drop_down (NormscopeFigureBar *self, const NsFigureOption *option)
{
  g_autoptr (GtkStringList) words = gtk_string_list_new (NULL);
  GtkWidget *control;

  for (const NsFigureChoice *choice = option->choices; choice->word != NULL; choice++)
    gtk_string_list_append (words, _ (choice->title));
  if (option->type == NS_FIGURE_OPTION_NUMBER)
    /* Translators: another number than those of the list */
    gtk_string_list_append (words, C_ ("number", "Other"));
  control = gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&words)), NULL);
  normscope_drop_down_set_narrow (GTK_DROP_DOWN (control));
  g_signal_connect_swapped (control, "notify::selected", G_CALLBACK (edited_cb), self);
  return control;
}

static GtkWidget *
make_spin_button (NormscopeFigureBar *self, const NsFigureOption *option)
{
  GtkWidget *control = gtk_spin_button_new_with_range (1, option->max, 1);

  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (control), TRUE);
  g_signal_connect_swapped (control, "value-changed", G_CALLBACK (edited_cb), self);
  return control;
}

/* Make an entry for any number, or for points. */
static GtkWidget *
make_entry (NormscopeFigureBar *self, const NsFigureOption *option)
{
  gboolean has_points = option->type == NS_FIGURE_OPTION_POINTS;
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), has_points ? 16 : 8);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), has_points ? 16 : 8);
  /* Translators: the usual points of an axis */
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), has_points ? C_ ("points", "Usual") : _ ("Number"));
  gtk_widget_set_tooltip_text (entry, _ (option->help));
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (option->title), -1);
  g_signal_connect_swapped (entry, "activate", G_CALLBACK (has_points ? typed_points_cb : typed_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (left_cb), self);
  gtk_widget_add_controller (entry, focus);
  return entry;
}

static GtkWidget *
make_check_button (NormscopeFigureBar *self, const NsFigureOption *option)
{
  GtkWidget *control = gtk_check_button_new_with_label (_ (option->title));

  g_signal_connect_swapped (control, "toggled", G_CALLBACK (edited_cb), self);
  return control;
}

static void
add_control (NormscopeFigureBar *self, NsFigureKind figure, const NsFigureOption *option)
{
  Control control = { .figure = figure, .option = option };

  if (option->type == NS_FIGURE_OPTION_CHOICE || option->type == NS_FIGURE_OPTION_NUMBER)
    control.control = make_option_drop_down (self, option);
  else if (option->type == NS_FIGURE_OPTION_COUNT)
    control.control = make_spin_button (self, option);
  else if (option->type == NS_FIGURE_OPTION_POINTS)
    control.control = control.entry = make_entry (self, option);
  else
    control.control = make_check_button (self, option);
  gtk_widget_set_tooltip_text (control.control, _ (option->help));
  gtk_accessible_update_property (GTK_ACCESSIBLE (control.control), GTK_ACCESSIBLE_PROPERTY_LABEL, _ (option->title),
                                  -1);
  if (option->type == NS_FIGURE_OPTION_COUNT || option->type == NS_FIGURE_OPTION_POINTS)
    {
      control.label = gtk_label_new (_ (option->title));
      gtk_box_append (GTK_BOX (self), control.label);
    }
  gtk_box_append (GTK_BOX (self), control.control);
  if (option->type == NS_FIGURE_OPTION_NUMBER)
    {
      control.entry = make_entry (self, option);
      gtk_box_append (GTK_BOX (self), control.entry);
    }
  g_array_append_val (self->controls, control);
}

static void
add_controls (NormscopeFigureBar *self)
{
  for (NsFigureKind figure = 0; figure < NS_N_FIGURES; figure++)
    {
      const NsFigureInfo *info = ns_figure_info (figure);

      if (!ns_view_offers (self->view, figure))
        continue;
      for (const NsFigureOption *option = info->options; option != NULL && option->name != NULL; option++)
        if (option->title != NULL)
          add_control (self, figure, option);
    }
}

/* ---- the object ---- */

void
normscope_figure_bar_set_session (NormscopeFigureBar *self, NormscopeSession *session, const char *view)
{
  g_return_if_fail (NORMSCOPE_IS_FIGURE_BAR (self));
  g_return_if_fail (NORMSCOPE_IS_SESSION (session) && self->session == NULL);

  self->session = g_object_ref (session);
  self->view = view;
  self->updating = TRUE;
  add_controls (self);
  self->updating = FALSE;
  g_signal_connect_object (session, "changed::settings", G_CALLBACK (bar_changed_cb), self, G_CONNECT_SWAPPED);
  refresh_bar (self, TRUE);
}

GtkWidget *
normscope_figure_bar_get_control (NormscopeFigureBar *self, const char *option)
{
  g_return_val_if_fail (NORMSCOPE_IS_FIGURE_BAR (self), NULL);
  for (guint i = 0; i < self->controls->len; i++)
    if (strcmp (g_array_index (self->controls, Control, i).option->name, option) == 0)
      return g_array_index (self->controls, Control, i).control;
  return NULL;
}

GtkWidget *
normscope_figure_bar_get_entry (NormscopeFigureBar *self, const char *option)
{
  g_return_val_if_fail (NORMSCOPE_IS_FIGURE_BAR (self), NULL);
  for (guint i = 0; i < self->controls->len; i++)
    if (strcmp (g_array_index (self->controls, Control, i).option->name, option) == 0)
      return g_array_index (self->controls, Control, i).entry;
  return NULL;
}

static void
normscope_figure_bar_dispose (GObject *object)
{
  NormscopeFigureBar *self = NORMSCOPE_FIGURE_BAR (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_figure_bar_parent_class)->dispose (object);
}

static void
normscope_figure_bar_finalize (GObject *object)
{
  NormscopeFigureBar *self = NORMSCOPE_FIGURE_BAR (object);

  g_array_unref (self->figures);
  g_array_unref (self->controls);
  G_OBJECT_CLASS (normscope_figure_bar_parent_class)->finalize (object);
}

static void
normscope_figure_bar_class_init (NormscopeFigureBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_figure_bar_dispose;
  G_OBJECT_CLASS (klass)->finalize = normscope_figure_bar_finalize;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "figurebar");
}

static void
normscope_figure_bar_init (NormscopeFigureBar *self)
{
  self->figures = g_array_new (FALSE, FALSE, sizeof (NsFigureKind));
  self->controls = g_array_new (FALSE, FALSE, sizeof (Control));
  gtk_box_set_spacing (GTK_BOX (self), 6);
  self->chooser = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  normscope_drop_down_set_narrow (self->chooser);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->chooser), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Figure"), -1);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->chooser));
  g_signal_connect_swapped (self->chooser, "notify::selected", G_CALLBACK (edited_cb), self);
}
