/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/help/normscope-tour.h"

#include <glib/gi18n-lib.h>

#define TEXT_CHARS 34
/* Between the bubble, its target and the edges, px. */
#define TOUR_GAP_PX 10

typedef struct
{
  GtkWidget *target; /* weak */
  GtkPositionType side;
  char *title, *text;
} Stop;

struct _NormscopeTour
{
  GObject parent_instance;

  GtkOverlay *overlay; /* weak */
  GPtrArray *stops;    /* Stop */
  guint at;
  GtkWidget *bubble;    /* of the current stop, or NULL; owned by the overlay */
  GdkRectangle target;  /* its target's place when it was placed */
  GtkWidget *former;    /* weak: what had the focus before, or NULL */
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

/* Get the target's place in the overlay. Return FALSE if it is hidden. */
static gboolean
find_place (NormscopeTour *self, const Stop *stop, GdkRectangle *place)
{
  graphene_rect_t bounds;

  if (stop->target == NULL || !gtk_widget_get_mapped (stop->target)
      || !gtk_widget_compute_bounds (stop->target, GTK_WIDGET (self->overlay), &bounds))
    return FALSE;
  *place = (GdkRectangle) { (int) bounds.origin.x, (int) bounds.origin.y, (int) bounds.size.width,
                           (int) bounds.size.height };
  return TRUE;
}

/* Put a bubble of a size on a side of its target, within the overlay. Return FALSE if it would cover the target. */
static gboolean
put_beside (const GdkRectangle *target, GtkPositionType side, int room_width, int room_height, GdkRectangle *bubble)
{
  int x = target->x + (target->width - bubble->width) / 2, y = target->y + (target->height - bubble->height) / 2;

  if (side == GTK_POS_LEFT)
    x = target->x - TOUR_GAP_PX - bubble->width;
  else if (side == GTK_POS_RIGHT)
    x = target->x + target->width + TOUR_GAP_PX;
  else if (side == GTK_POS_TOP)
    y = target->y - TOUR_GAP_PX - bubble->height;
  else
    y = target->y + target->height + TOUR_GAP_PX;
  bubble->x = MAX (TOUR_GAP_PX, MIN (x, room_width - TOUR_GAP_PX - bubble->width));
  bubble->y = MAX (TOUR_GAP_PX, MIN (y, room_height - TOUR_GAP_PX - bubble->height));
  return !gdk_rectangle_intersect (target, bubble, NULL);
}

/* On the side that was asked for, the opposite one, or another that has room. */
static gboolean
position_cb (NormscopeTour *self, GtkWidget *child, GdkRectangle *bubble, GtkOverlay *overlay)
{
  const Stop *stop = g_ptr_array_index (self->stops, self->at);
  int width = gtk_widget_get_width (GTK_WIDGET (overlay)), height = gtk_widget_get_height (GTK_WIDGET (overlay));
  GtkRequisition natural;

  if (child != self->bubble)
    return FALSE;
  find_place (self, stop, &self->target);
  gtk_widget_get_preferred_size (child, NULL, &natural);
  bubble->width = natural.width;
  bubble->height = natural.height;
  for (guint i = 0; i < 4; i++)
    if (put_beside (&self->target, stop->side ^ i, width, height, bubble))
      return TRUE;
  put_beside (&self->target, stop->side, width, height, bubble);
  return TRUE;
}

/* Follow the target: the window may be resized, a sidebar scrolled, a text change its height. */
static gboolean
tick_cb (GtkWidget *overlay, GdkFrameClock *clock, gpointer data)
{
  NormscopeTour *self = data;
  GdkRectangle now;

  if (find_place (self, g_ptr_array_index (self->stops, self->at), &now) && !gdk_rectangle_equal (&now, &self->target))
    gtk_widget_queue_allocate (overlay);
  return G_SOURCE_CONTINUE;
}

/* ---- stops ---- */

/* Draw a line around what the bubble is about, or no longer. */
static void
mark_target (NormscopeTour *self, gboolean is_marked)
{
  const Stop *stop = self->at < self->stops->len ? g_ptr_array_index (self->stops, self->at) : NULL;

  if (stop == NULL || stop->target == NULL)
    return;
  if (is_marked)
    gtk_widget_add_css_class (stop->target, "pointed-out");
  else
    gtk_widget_remove_css_class (stop->target, "pointed-out");
}

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
  mark_target (self, TRUE);
  /* Translators: the number of a bubble and how many there are */
  count = g_strdup_printf (_ ("%u of %u"), self->at + 1, self->stops->len);
  gtk_label_set_label (self->title, stop->title);
  gtk_label_set_label (self->text, stop->text);
  gtk_label_set_label (self->count, count);
  gtk_button_set_label (GTK_BUTTON (self->next_button), self->at + 1 < self->stops->len ? _ ("_Next") : _ ("_Done"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bubble), GTK_ACCESSIBLE_PROPERTY_LABEL, stop->title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, stop->text, -1);
  gtk_widget_queue_allocate (GTK_WIDGET (self->overlay));
  gtk_widget_grab_focus (self->next_button);
}

static void
next_cb (NormscopeTour *self)
{
  mark_target (self, FALSE);
  self->at++;
  show_stop (self);
}

static gboolean
escape_cb (GtkWidget *bubble, GVariant *arguments, gpointer data)
{
  normscope_tour_end (data);
  return TRUE;
}

static GtkWidget *
add_wrapped_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
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
make_bubble (NormscopeTour *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkEventController *escape = gtk_shortcut_controller_new ();

  self->title = GTK_LABEL (add_wrapped_label (box, "heading"));
  self->text = GTK_LABEL (add_wrapped_label (box, NULL));
  gtk_box_append (GTK_BOX (box), make_buttons (self));
  gtk_widget_add_css_class (box, "tour");
  /* Escape ends the tour from anywhere in the window, before anything else uses it. */
  gtk_event_controller_set_propagation_phase (escape, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_set_scope (GTK_SHORTCUT_CONTROLLER (escape), GTK_SHORTCUT_SCOPE_GLOBAL);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (escape),
                                        gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                                                          gtk_callback_action_new (escape_cb, self, NULL)));
  gtk_widget_add_controller (box, escape);
  self->bubble = box;
  g_signal_connect_object (self->overlay, "get-child-position", G_CALLBACK (position_cb), self, G_CONNECT_SWAPPED);
  gtk_overlay_add_overlay (self->overlay, box);
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
  g_return_if_fail (NORMSCOPE_IS_TOUR (self) && self->bubble == NULL);
  if (self->overlay == NULL)
    return;
  g_set_weak_pointer (&self->former, gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self->overlay))));
  make_bubble (self);
  self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self->overlay), tick_cb, self, NULL);
  show_stop (self);
}

/* Give the focus back, unless it has gone elsewhere by itself. */
static void
return_focus (NormscopeTour *self)
{
  GtkRoot *root = gtk_widget_get_root (self->bubble);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && gtk_widget_is_ancestor (focus, self->bubble))
    gtk_root_set_focus (root, self->former != NULL && gtk_widget_get_mapped (self->former) ? self->former : NULL);
  g_clear_weak_pointer (&self->former);
}

void
normscope_tour_end (NormscopeTour *self)
{
  GtkWidget *bubble;

  g_return_if_fail (NORMSCOPE_IS_TOUR (self));
  if (self->bubble == NULL)
    return;
  mark_target (self, FALSE);
  if (self->overlay != NULL)
    return_focus (self);
  bubble = g_steal_pointer (&self->bubble);
  if (self->overlay != NULL)
    {
      g_signal_handlers_disconnect_by_func (self->overlay, position_cb, self);
      gtk_widget_remove_tick_callback (GTK_WIDGET (self->overlay), self->tick_id);
      gtk_overlay_remove_overlay (self->overlay, bubble);
    }
  g_signal_emit (self, tour_signals[TOUR_SIGNAL_ENDED], 0);
}

static void
normscope_tour_dispose (GObject *object)
{
  NormscopeTour *self = NORMSCOPE_TOUR (object);

  normscope_tour_end (self);
  g_clear_weak_pointer (&self->former);
  g_clear_weak_pointer (&self->overlay);
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
normscope_tour_new (GtkOverlay *overlay)
{
  NormscopeTour *self = g_object_new (NORMSCOPE_TYPE_TOUR, NULL);

  g_set_weak_pointer (&self->overlay, overlay);
  return self;
}
