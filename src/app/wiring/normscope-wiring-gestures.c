/* Pointer and keys on the parts of a wiring.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-row-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-popovers.h"
#include "app/wiring/normscope-wiring-settings.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

/* A press that moves less than this is a click. */
#define DRAG_PX 6
/* The pointer drops a norm into a socket that is this near. */
#define REACH_PX 24

static NormscopeWiringRow *
get_row (GtkWidget *part)
{
  return NORMSCOPE_WIRING_ROW (gtk_widget_get_parent (part));
}

static NsWiringPart
get_what (GtkWidget *part)
{
  return normscope_wiring_part_get_what (NORMSCOPE_WIRING_PART (part));
}

/* Return the index of the part that an id belongs to. */
static int
get_part (guint id)
{
  NsWiringPart what = { 0 };

  ns_wiring_part_unpack (id, &what);
  return what.part;
}

/* ---- settings ---- */

static void
open_settings (NormscopeWiringRow *self, GtkWidget *part)
{
  GtkAllocation place;

  normscope_session_select (self->session, self->variant);
  gtk_widget_get_allocation (part, &place);
  normscope_popovers_open (GTK_WIDGET (self), normscope_wiring_settings_new (self->session, get_what (part)), &place);
}

/* ---- residuals ---- */

static void
toggle_residual (NormscopeWiringRow *self, NsSub sub)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  NsVariant *variant = ns_variant_copy (ns_experiment_variant (experiment, self->variant));

  ns_variant_set_residual (variant, &experiment->shape, sub, !ns_variant_get_wiring (variant, sub).residual);
  normscope_session_take_rewired (self->session, self->variant, variant);
}

/* ---- a norm on the move ---- */

static int
compare_sockets (gconstpointer a, gconstpointer b, gpointer data)
{
  NsRect one = { 0 }, other = { 0 };

  normscope_wiring_row_get_rect (data, *(const guint *) a, &one);
  normscope_wiring_row_get_rect (data, *(const guint *) b, &other);
  return (one.x > other.x) - (one.x < other.x);
}

static NsNormPlace
get_place (guint id)
{
  NsWiringPart what;

  return ns_wiring_part_unpack (id, &what) ? (NsNormPlace) what.which : NS_NORM_NOWHERE;
}

/* Take a norm, and find where it may go. Its own place is among these. */
static void
take (NormscopeWiringRow *self, GtkWidget *part, gboolean by_pointer)
{
  guint id = normscope_wiring_part_get_id (NORMSCOPE_WIRING_PART (part));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  self->taken = self->target = id;
  self->by_pointer = by_pointer;
  g_array_set_size (self->sockets, 0);
  g_array_append_val (self->sockets, id);
  for (guint i = 0; i < ns_diagram_get_n_parts (self->diagram); i++)
    {
      NsDiagramPart spot;
      NsWiringPart what;

      ns_diagram_get_part (self->diagram, i, &spot);
      if (ns_wiring_part_unpack (spot.id, &what) && what.kind == NS_WIRING_PART_SOCKET
          && g_hash_table_add (seen, GUINT_TO_POINTER (spot.id))
          && normscope_wiring_row_move_norm (self, get_part (id), get_place (id), (NsNormPlace) what.which, FALSE))
        g_array_append_val (self->sockets, spot.id);
    }
  g_array_sort_with_data (self->sockets, compare_sockets, self);
  gtk_widget_add_css_class (GTK_WIDGET (self), "moving");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Set where the norm would go, and tell assistive technology. */
static void
aim (NormscopeWiringRow *self, guint target)
{
  GtkWidget *part = normscope_wiring_row_find_part (self, self->taken);
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;
  NsWiringPart what;

  self->target = target;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (part == NULL)
    return;
  if (ns_wiring_part_unpack (target, &what))
    name = ns_wiring_part_dup_name (what);
  text = name != NULL ? g_strdup_printf (_ ("Move to: %s"), name) : g_strdup (_ ("Remove the norm"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (part), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void
normscope_wiring_gestures_cancel (NormscopeWiringRow *self)
{
  GtkWidget *part = self->taken != 0 ? normscope_wiring_row_find_part (self, self->taken) : NULL;

  if (part != NULL)
    gtk_accessible_reset_property (GTK_ACCESSIBLE (part), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  self->taken = self->target = 0;
  gtk_widget_remove_css_class (GTK_WIDGET (self), "moving");
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
focus_norm (NormscopeWiringRow *self, int part, NsNormPlace place)
{
  GtkWidget *norm
      = normscope_wiring_row_find_part (self, ns_wiring_part_pack ((NsWiringPart){ NS_WIRING_PART_NORM, part,
                                                                                  (int) place }));

  if (norm != NULL)
    gtk_widget_grab_focus (norm);
}

/* Put the norm down where it is aimed at; nowhere removes it. */
static void
put_down (NormscopeWiringRow *self)
{
  guint taken = self->taken, target = self->target;
  NsWiringPart what = { 0 };

  normscope_wiring_gestures_cancel (self);
  if (taken == 0 || target == taken)
    return;
  ns_wiring_part_unpack (target, &what);
  if (!normscope_wiring_row_move_norm (self, get_part (taken), get_place (taken), get_place (target), TRUE))
    gtk_widget_error_bell (GTK_WIDGET (self));
  else if (target != 0)
    focus_norm (self, what.part, (NsNormPlace) what.which);
}

/* Give the focus to a neighbour first: the part goes. */
static void
remove_norm (NormscopeWiringRow *self, GtkWidget *part)
{
  NsNormPlace place = (NsNormPlace) get_what (part).which;
  int which = get_what (part).part;

  if (!normscope_wiring_row_move_norm (self, which, place, NS_NORM_NOWHERE, FALSE))
    {
      gtk_widget_error_bell (part);
      return;
    }
  if (!gtk_widget_child_focus (GTK_WIDGET (self), GTK_DIR_TAB_FORWARD))
    gtk_widget_child_focus (GTK_WIDGET (self), GTK_DIR_TAB_BACKWARD);
  normscope_wiring_row_move_norm (self, which, place, NS_NORM_NOWHERE, TRUE);
}

static void
step_target (NormscopeWiringRow *self, int step)
{
  for (guint i = 0; i < self->sockets->len; i++)
    if (g_array_index (self->sockets, guint, i) == self->target)
      {
        int next = CLAMP ((int) i + step, 0, (int) self->sockets->len - 1);

        aim (self, g_array_index (self->sockets, guint, (guint) next));
        return;
      }
}

/* Return the socket at the pointer, or one that is near; 0: the norm would go away. */
static guint
find_target (NormscopeWiringRow *self)
{
  double nearest = REACH_PX;
  guint target = 0;

  for (guint i = 0; i < self->sockets->len; i++)
    {
      guint id = g_array_index (self->sockets, guint, i);
      NsRect rect;
      double dx, dy;

      if (!normscope_wiring_row_get_rect (self, id, &rect))
        continue;
      dx = fmax (fabs (self->pointer_x - rect.x - rect.width / 2) - rect.width / 2, 0);
      dy = fmax (fabs (self->pointer_y - rect.y - rect.height / 2) - rect.height / 2, 0);
      if (hypot (dx, dy) < nearest)
        {
          nearest = hypot (dx, dy);
          target = id;
        }
    }
  return target;
}

/* ---- pointer ---- */

static void
activate (NormscopeWiringRow *self, GtkWidget *part)
{
  NsWiringPart what = get_what (part);

  switch (what.kind)
    {
    case NS_WIRING_PART_RESIDUAL:
      toggle_residual (self, (NsSub) what.which);
      break;
    case NS_WIRING_PART_SOCKET:
      if (normscope_wiring_row_move_norm (self, what.part, NS_NORM_NOWHERE, (NsNormPlace) what.which, TRUE))
        focus_norm (self, what.part, (NsNormPlace) what.which);
      break;
    default:
      open_settings (self, part);
    }
}

static void
drag_begin_cb (GtkGestureDrag *drag, double x, double y, GtkWidget *part)
{
  gtk_widget_grab_focus (part);
  gtk_gesture_set_state (GTK_GESTURE (drag), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
drag_update_cb (GtkGestureDrag *drag, double dx, double dy, GtkWidget *part)
{
  NormscopeWiringRow *self = get_row (part);
  double x, y;

  if (get_what (part).kind != NS_WIRING_PART_NORM || (self->taken == 0 && hypot (dx, dy) < DRAG_PX))
    return;
  if (self->taken == 0)
    {
      gtk_widget_set_cursor_from_name (part, "grabbing");
      take (self, part, TRUE);
    }
  gtk_gesture_drag_get_start_point (drag, &x, &y);
  gtk_widget_translate_coordinates (part, GTK_WIDGET (self), x + dx, y + dy, &self->pointer_x, &self->pointer_y);
  aim (self, find_target (self));
}

static void
drag_end_cb (GtkGestureDrag *drag, double dx, double dy, GtkWidget *part)
{
  NormscopeWiringRow *self = get_row (part);

  if (get_what (part).kind == NS_WIRING_PART_NORM)
    gtk_widget_set_cursor_from_name (part, "grab");
  if (self->taken != 0 && self->by_pointer)
    put_down (self);
  else if (hypot (dx, dy) < DRAG_PX)
    activate (self, part);
}

static void
drag_cancel_cb (GtkGesture *gesture, GdkEventSequence *sequence, GtkWidget *part)
{
  NormscopeWiringRow *self = get_row (part);

  if (self != NULL && self->by_pointer)
    normscope_wiring_gestures_cancel (self);
}

/* ---- keys ---- */

/* Keys while a norm is on the move. */
static gboolean
move_key (NormscopeWiringRow *self, guint key)
{
  switch (key)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      step_target (self, 1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      step_target (self, -1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
    case GDK_KEY_space:
      put_down (self);
      return GDK_EVENT_STOP;
    case GDK_KEY_Escape:
      normscope_wiring_gestures_cancel (self);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static gboolean
key_cb (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, GtkWidget *part)
{
  NormscopeWiringRow *self = get_row (part);
  NsWiringPart what = get_what (part);

  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (self->taken != 0)
    return move_key (self, key);
  switch (key)
    {
    case GDK_KEY_space:
      if (what.kind == NS_WIRING_PART_NORM)
        take (self, part, FALSE);
      else
        activate (self, part);
      return GDK_EVENT_STOP;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      activate (self, part);
      return GDK_EVENT_STOP;
    case GDK_KEY_Delete:
    case GDK_KEY_KP_Delete:
    case GDK_KEY_BackSpace:
      if (what.kind != NS_WIRING_PART_NORM)
        return GDK_EVENT_PROPAGATE;
      remove_norm (self, part);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      gtk_widget_child_focus (GTK_WIDGET (self), GTK_DIR_RIGHT);
      return GDK_EVENT_STOP;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      gtk_widget_child_focus (GTK_WIDGET (self), GTK_DIR_LEFT);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* A norm that is on the move by keys goes back when the focus goes elsewhere. */
static void
leave_cb (GtkEventControllerFocus *controller, GtkWidget *part)
{
  NormscopeWiringRow *self = get_row (part);

  if (self != NULL && self->taken != 0 && !self->by_pointer)
    normscope_wiring_gestures_cancel (self);
}

void
normscope_wiring_gestures_add_to_part (NormscopeWiringRow *self, GtkWidget *part)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *key = gtk_event_controller_key_new (), *focus = gtk_event_controller_focus_new ();

  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), part);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), part);
  g_signal_connect (drag, "drag-end", G_CALLBACK (drag_end_cb), part);
  g_signal_connect (drag, "cancel", G_CALLBACK (drag_cancel_cb), part);
  g_signal_connect (key, "key-pressed", G_CALLBACK (key_cb), part);
  g_signal_connect (focus, "leave", G_CALLBACK (leave_cb), part);
  gtk_widget_add_controller (part, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (part, key);
  gtk_widget_add_controller (part, focus);
}

/* ---- drawing ---- */

static void
draw_box (cairo_t *cr, const NsRect *rect, const GdkRGBA *color, double fill, gboolean is_dashed)
{
  const double dash[] = { 4, 3 };

  cairo_rectangle (cr, rect->x + 0.5, rect->y + 0.5, rect->width - 1, rect->height - 1);
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, fill);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, 1);
  cairo_set_dash (cr, dash, is_dashed ? 2 : 0, 0);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}

void
normscope_wiring_gestures_snapshot (NormscopeWiringRow *self, GtkSnapshot *snapshot)
{
  GtkWidget *widget = GTK_WIDGET (self);
  NsRect rect;
  GdkRGBA color;
  cairo_t *cr;

  if (self->taken == 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                                 (float) gtk_widget_get_height (widget)));
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  for (guint i = 0; i < self->sockets->len; i++)
    {
      guint id = g_array_index (self->sockets, guint, i);

      if (normscope_wiring_row_get_rect (self, id, &rect))
        draw_box (cr, &rect, &color, id == self->target ? 0.35 : 0.06, TRUE);
    }
  if (self->by_pointer && normscope_wiring_row_get_rect (self, self->taken, &rect))
    {
      rect.x = self->pointer_x - rect.width / 2;
      rect.y = self->pointer_y - rect.height / 2;
      draw_box (cr, &rect, &color, self->target != 0 ? 0.2 : 0.02, FALSE);
    }
  cairo_destroy (cr);
}
