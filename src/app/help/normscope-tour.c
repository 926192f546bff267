/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/help/normscope-tour.h"

#include <glib/gi18n-lib.h>

#define TEXT_CHARS 34

typedef struct
{
  GtkWidget *target; /* weak */
  GtkPositionType side;
  char *title, *text;
} Stop;

struct _NormscopeTour
{
  GObject parent_instance;

  GtkWidget *parent; /* weak */
  GPtrArray *stops;  /* Stop */
  guint at;
  GtkWidget *popover; /* of the current stop, or NULL */
  GtkLabel *title, *text, *count;
  GtkWidget *next_button;
  guint tick_id;
};

G_DEFINE_FINAL_TYPE (NormscopeTour, normscope_tour, G_TYPE_OBJECT)

enum { TOUR_SIGNAL_ENDED, N_TOUR_SIGNALS };
static guint tour_signals[N_TOUR_SIGNALS];

static void
stop_free (gpointer data)
{
  Stop *stop = data;

  g_clear_weak_pointer (&stop->target);
  g_free (stop->title);
  g_free (stop->text);
  g_free (stop);
}

/* ---- the place ---- */

/* Bring a target that is scrolled away to the middle; its place follows with the next frame. */
static void
scroll_to (GtkWidget *target)
{
  GtkWidget *scroller = gtk_widget_get_ancestor (target, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment;
  graphene_rect_t bounds;
  double height;

  if (scroller == NULL || !gtk_widget_compute_bounds (target, scroller, &bounds))
    return;
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  height = gtk_widget_get_height (scroller);
  if (bounds.origin.y < 0 || bounds.origin.y + bounds.size.height > height)
    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + bounds.origin.y
                                              - (height - bounds.size.height) / 2);
}

/* Get the target's place in the parent. Return FALSE if it is hidden. */
static gboolean
find_place (NormscopeTour *self, const Stop *stop, GdkRectangle *place)
{
  graphene_rect_t bounds;

  if (stop->target == NULL || !gtk_widget_get_mapped (stop->target)
      || !gtk_widget_compute_bounds (stop->target, self->parent, &bounds))
    return FALSE;
  *place = (GdkRectangle) { (int) bounds.origin.x, (int) bounds.origin.y, (int) bounds.size.width,
                           (int) bounds.size.height };
  return TRUE;
}

/* Follow the target: the window may be resized, a sidebar scrolled, a text change its height. End with a bubble that
 * GTK has closed. */
static gboolean
tick_cb (GtkWidget *parent, GdkFrameClock *clock, gpointer data)
{
  NormscopeTour *self = data;
  GdkRectangle old = { 0 }, now;

  if (!gtk_widget_get_visible (self->popover))
    {
      normscope_tour_end (self);
      return G_SOURCE_REMOVE;
    }
  if (!find_place (self, g_ptr_array_index (self->stops, self->at), &now))
    return G_SOURCE_CONTINUE;
  gtk_popover_get_pointing_to (GTK_POPOVER (self->popover), &old);
  if (!gdk_rectangle_equal (&old, &now))
    gtk_popover_set_pointing_to (GTK_POPOVER (self->popover), &now);
  return G_SOURCE_CONTINUE;
}

/* ---- stops ---- */

static void
show_stop (NormscopeTour *self)
{
  const Stop *stop;
  GdkRectangle place;
  g_autofree char *count = NULL;

  while (self->at < self->stops->len && !find_place (self, g_ptr_array_index (self->stops, self->at), &place))
    self->at++;
  if (self->at >= self->stops->len)
    {
      normscope_tour_end (self);
      return;
    }
  stop = g_ptr_array_index (self->stops, self->at);
  scroll_to (stop->target);
  /* Translators: the number of a bubble and how many there are */
  count = g_strdup_printf (_ ("%u of %u"), self->at + 1, self->stops->len);
  gtk_label_set_label (self->title, stop->title);
  gtk_label_set_label (self->text, stop->text);
  gtk_label_set_label (self->count, count);
  gtk_button_set_label (GTK_BUTTON (self->next_button), self->at + 1 < self->stops->len ? _ ("_Next") : _ ("_Done"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->popover), GTK_ACCESSIBLE_PROPERTY_LABEL, stop->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, stop->text, -1);
  gtk_popover_popdown (GTK_POPOVER (self->popover));
  gtk_popover_set_position (GTK_POPOVER (self->popover), stop->side);
  gtk_popover_set_pointing_to (GTK_POPOVER (self->popover), &place);
  gtk_popover_popup (GTK_POPOVER (self->popover));
  gtk_widget_grab_focus (self->next_button);
}

static void
next_cb (NormscopeTour *self)
{
  self->at++;
  show_stop (self);
}

static gboolean
escape_cb (GtkWidget *popover, GVariant *arguments, gpointer data)
{
  normscope_tour_end (data);
  return TRUE;
}

/* The window does not see the keys of a popover: give it those that are its own, before GTK closes the bubble. */
static gboolean
tour_key_cb (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, gpointer data)
{
  NormscopeTour *self = data;
  gboolean is_function_key = key >= GDK_KEY_F1 && key <= GDK_KEY_F12;

  return ((state & GDK_CONTROL_MASK) != 0 || key == GDK_KEY_Escape || is_function_key)
         && gtk_event_controller_key_forward (controller, GTK_WIDGET (gtk_widget_get_root (self->parent)));
}

static GtkWidget *
add_wrapped_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  /* As its least width, too: GTK 4.8 measures the height without the width that an arrow at the side takes. */
  gtk_label_set_width_chars (GTK_LABEL (label), TEXT_CHARS);
  gtk_label_set_max_width_chars (GTK_LABEL (label), TEXT_CHARS);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static GtkWidget *
make_buttons (NormscopeTour *self)
{
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *skip = gtk_button_new_with_mnemonic (_ ("_Skip"));

  gtk_widget_add_css_class (skip, "flat");
  g_signal_connect_swapped (skip, "clicked", G_CALLBACK (normscope_tour_end), self);
  gtk_box_append (GTK_BOX (buttons), skip);
  self->count = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_set_hexpand (GTK_WIDGET (self->count), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->count), "dim-label");
  gtk_box_append (GTK_BOX (buttons), GTK_WIDGET (self->count));
  self->next_button = gtk_button_new_with_mnemonic ("");
  gtk_widget_add_css_class (self->next_button, "suggested-action");
  g_signal_connect_swapped (self->next_button, "clicked", G_CALLBACK (next_cb), self);
  gtk_box_append (GTK_BOX (buttons), self->next_button);
  return buttons;
}

static void
make_popover (NormscopeTour *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkEventController *escape = gtk_shortcut_controller_new (), *key = gtk_event_controller_key_new ();

  self->title = GTK_LABEL (add_wrapped_label (box, "heading"));
  self->text = GTK_LABEL (add_wrapped_label (box, NULL));
  gtk_box_append (GTK_BOX (box), make_buttons (self));
  self->popover = gtk_popover_new ();
  gtk_widget_add_css_class (self->popover, "tour");
  gtk_popover_set_autohide (GTK_POPOVER (self->popover), FALSE);
  gtk_popover_set_child (GTK_POPOVER (self->popover), box);
  /* Escape ends the tour from anywhere in the window, before anything else uses it. */
  gtk_event_controller_set_propagation_phase (escape, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_set_scope (GTK_SHORTCUT_CONTROLLER (escape), GTK_SHORTCUT_SCOPE_GLOBAL);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (escape),
                                        gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                                                          gtk_callback_action_new (escape_cb, self, NULL)));
  gtk_widget_add_controller (self->popover, escape);
  g_signal_connect (key, "key-pressed", G_CALLBACK (tour_key_cb), self);
  gtk_widget_add_controller (self->popover, key);
  gtk_widget_set_parent (self->popover, self->parent);
}

/* ---- the tour ---- */

void
normscope_tour_add (NormscopeTour *self, GtkWidget *target, GtkPositionType side, const char *title, const char *text)
{
  Stop *stop;

  g_return_if_fail (NORMSCOPE_IS_TOUR (self));
  g_return_if_fail (GTK_IS_WIDGET (target));
  stop = g_new0 (Stop, 1);
  g_set_weak_pointer (&stop->target, target);
  stop->side = side;
  stop->title = g_strdup (title);
  stop->text = g_strdup (text);
  g_ptr_array_add (self->stops, stop);
}

void
normscope_tour_start (NormscopeTour *self)
{
  g_return_if_fail (NORMSCOPE_IS_TOUR (self) && self->popover == NULL);
  if (self->parent == NULL)
    return;
  make_popover (self);
  self->tick_id = gtk_widget_add_tick_callback (self->parent, tick_cb, self, NULL);
  show_stop (self);
}

void
normscope_tour_end (NormscopeTour *self)
{
  GtkWidget *popover;

  g_return_if_fail (NORMSCOPE_IS_TOUR (self));
  popover = g_steal_pointer (&self->popover);
  if (popover == NULL)
    return;
  if (self->parent != NULL)
    gtk_widget_remove_tick_callback (self->parent, self->tick_id);
  gtk_widget_unparent (popover); /* without hiding it before: GTK 4.8 would keep it for ever */
  g_signal_emit (self, tour_signals[TOUR_SIGNAL_ENDED], 0);
}

static void
normscope_tour_dispose (GObject *object)
{
  NormscopeTour *self = NORMSCOPE_TOUR (object);

  normscope_tour_end (self);
  g_clear_weak_pointer (&self->parent);
  g_clear_pointer (&self->stops, g_ptr_array_unref);
  G_OBJECT_CLASS (normscope_tour_parent_class)->dispose (object);
}

static void
normscope_tour_class_init (NormscopeTourClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_tour_dispose;
  tour_signals[TOUR_SIGNAL_ENDED] =
      g_signal_new ("ended", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_tour_init (NormscopeTour *self)
{
  self->stops = g_ptr_array_new_with_free_func (stop_free);
}

NormscopeTour *
normscope_tour_new (GtkWidget *parent)
{
  NormscopeTour *self = g_object_new (NORMSCOPE_TYPE_TOUR, NULL);

  g_set_weak_pointer (&self->parent, parent);
  return self;
}
