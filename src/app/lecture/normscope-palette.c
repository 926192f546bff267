/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-palette.h"

#include <glib/gi18n-lib.h>

#include "app/controls/normscope-parameter-row.h"
#include "engine/experiment/ns-settings.h"

#define PALETTE_WIDTH_PX 330
/* Distance from the edges, and that of one press of an arrow key. */
#define MARGIN_PX 12
#define STEP_PX 24
/* Leave the lower edge to the bar of the presentation. */
#define BAR_PX 64
/* The largest part of the overlay's height. */
#define MAX_SHARE 0.8
/* Farther than any edge. */
#define FAR_PX 100000

static const char *const palette_paths[] = { "shape.depth",   "attn.norm",      "cross.norm",   "ffn.norm",
                                               "attn.residual", "cross.residual", "ffn.residual" };

struct _NormscopePalette
{
  AdwBin parent_instance;

  GtkOverlay *overlay; /* borrowed: this widget is in it */
  GtkWidget *handle, *body, *fold_button;
  GtkScrolledWindow *scrolled;
  GtkListBox *list;
  GtkDropDown *variants;
  GtkStringList *names;
  NormscopeSession *session;
  gboolean updating;   /* the widgets follow the session: ignore their signals */
  double x, y;         /* where the card was moved, before it is kept within the overlay */
  double grab_x, grab_y;
};

G_DEFINE_FINAL_TYPE (NormscopePalette, normscope_palette, ADW_TYPE_BIN)

/* ---- place ---- */

/* Return the nearest place within the overlay for a card of some size. */
static graphene_point_t
keep_inside (NormscopePalette *self, double x, double y, int width, int height)
{
  double max_x = gtk_widget_get_width (GTK_WIDGET (self->overlay)) - MARGIN_PX - width;
  double max_y = gtk_widget_get_height (GTK_WIDGET (self->overlay)) - BAR_PX - height;

  return GRAPHENE_POINT_INIT ((float) CLAMP (x, MARGIN_PX, MAX (MARGIN_PX, max_x)),
                              (float) CLAMP (y, MARGIN_PX, MAX (MARGIN_PX, max_y)));
}

static void
move_to (NormscopePalette *self, double x, double y)
{
  self->x = x;
  self->y = y;
  gtk_widget_queue_allocate (GTK_WIDGET (self->overlay));
}

/* Several keys may come before the next frame, so start where the card is going. */
static void
move_by (NormscopePalette *self, double dx, double dy)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), height = gtk_widget_get_height (GTK_WIDGET (self));
  graphene_point_t from = keep_inside (self, self->x, self->y, width, height);

  move_to (self, from.x + dx, from.y + dy);
}

static gboolean
get_position_cb (NormscopePalette *self, GtkWidget *child, GdkRectangle *place, GtkOverlay *overlay)
{
  graphene_point_t corner;
  GtkRequisition natural;

  if (child != GTK_WIDGET (self))
    return FALSE;
  gtk_scrolled_window_set_max_content_height (
      self->scrolled, MAX (100, (int) (gtk_widget_get_height (GTK_WIDGET (overlay)) * MAX_SHARE)));
  gtk_widget_get_preferred_size (child, NULL, &natural);
  /* The place itself stays: a card at the lower edge grows upwards and shrinks again. */
  corner = keep_inside (self, self->x, self->y, natural.width, natural.height);
  *place = (GdkRectangle) { (int) corner.x, (int) corner.y, natural.width, natural.height };
  return TRUE;
}

/* Return a point of a widget in the overlay. */
static graphene_point_t
get_point (NormscopePalette *self, gpointer widget, double x, double y)
{
  graphene_point_t inside = GRAPHENE_POINT_INIT ((float) x, (float) y), point;

  return gtk_widget_compute_point (widget, GTK_WIDGET (self->overlay), &inside, &point) ? point : inside;
}

static void
palette_drag_begin_cb (NormscopePalette *self, double x, double y)
{
  graphene_point_t pointer = get_point (self, self->handle, x, y), corner = get_point (self, self, 0, 0);

  self->grab_x = pointer.x - corner.x;
  self->grab_y = pointer.y - corner.y;
}

static void
palette_drag_update_cb (NormscopePalette *self, double dx, double dy, GtkGestureDrag *gesture)
{
  graphene_point_t pointer;
  double x, y;

  if (!gtk_gesture_drag_get_start_point (gesture, &x, &y))
    return;
  pointer = get_point (self, self->handle, x + dx, y + dy);
  move_to (self, pointer.x - self->grab_x, pointer.y - self->grab_y);
}

static gboolean
palette_key_cb (NormscopePalette *self, guint key, guint code, GdkModifierType state)
{
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  switch (key)
    {
    case GDK_KEY_Left:
      move_by (self, -STEP_PX, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
      move_by (self, STEP_PX, 0);
      return GDK_EVENT_STOP;
    case GDK_KEY_Up:
      move_by (self, 0, -STEP_PX);
      return GDK_EVENT_STOP;
    case GDK_KEY_Down:
      move_by (self, 0, STEP_PX);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

void
normscope_palette_attach (NormscopePalette *self, GtkOverlay *overlay)
{
  g_return_if_fail (NORMSCOPE_IS_PALETTE (self) && self->overlay == NULL);
  self->overlay = overlay;
  gtk_overlay_add_overlay (overlay, GTK_WIDGET (self));
  g_signal_connect_object (overlay, "get-child-position", G_CALLBACK (get_position_cb), self, G_CONNECT_SWAPPED);
}

/* ---- contents ---- */

void
normscope_palette_set_folded (NormscopePalette *self, gboolean folded)
{
  g_return_if_fail (NORMSCOPE_IS_PALETTE (self));
  gtk_widget_set_visible (self->body, !folded);
  gtk_button_set_icon_name (GTK_BUTTON (self->fold_button), folded ? "pan-up-symbolic" : "pan-down-symbolic");
  gtk_widget_set_tooltip_text (self->fold_button, folded ? _ ("Show the controls") : _ ("Fold the controls"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->fold_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  folded ? _ ("Show the controls") : _ ("Fold the controls"), -1);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->fold_button), GTK_ACCESSIBLE_STATE_EXPANDED, !folded, -1);
}

gboolean
normscope_palette_get_folded (NormscopePalette *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_PALETTE (self), TRUE);
  return !gtk_widget_get_visible (self->body);
}

static void
fold_cb (NormscopePalette *self)
{
  normscope_palette_set_folded (self, !normscope_palette_get_folded (self));
}

static void
selected_cb (NormscopePalette *self)
{
  guint selected = gtk_drop_down_get_selected (self->variants);

  if (!self->updating && selected < normscope_session_get_n_variants (self->session))
    normscope_session_select (self->session, selected);
}

static void
refresh_names (NormscopePalette *self, const NsExperiment *experiment)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->names));
  gboolean differs = n != experiment->variants->len;

  for (guint v = 0; v < n && !differs; v++)
    differs = !g_str_equal (gtk_string_list_get_string (self->names, v), ns_experiment_variant (experiment, v)->name);
  if (differs)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new ();

      for (guint v = 0; v < experiment->variants->len; v++)
        g_ptr_array_add (names, ns_experiment_variant (experiment, v)->name);
      g_ptr_array_add (names, NULL);
      gtk_string_list_splice (self->names, 0, n, (const char *const *) names->pdata);
    }
}

static void
refresh_palette (NormscopePalette *self)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  gboolean has_cross = experiment->shape.stack == NS_STACK_ENCODER_DECODER;

  self->updating = TRUE;
  refresh_names (self, experiment);
  gtk_drop_down_set_selected (self->variants, normscope_session_get_selected (self->session));
  gtk_widget_set_visible (GTK_WIDGET (self->variants), experiment->variants->len > 1);
  self->updating = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (palette_paths); i++)
    gtk_widget_set_visible (GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, (int) i)),
                            has_cross || !g_str_has_prefix (palette_paths[i], "cross."));
}

static GtkWidget *
make_handle (NormscopePalette *self)
{
  GtkWidget *handle = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *title = gtk_label_new (_ ("Controls"));
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_add_css_class (handle, "handle");
  gtk_widget_add_css_class (title, "heading");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  self->fold_button = gtk_button_new ();
  gtk_widget_add_css_class (self->fold_button, "flat");
  gtk_widget_set_focus_on_click (self->fold_button, FALSE);
  g_signal_connect_swapped (self->fold_button, "clicked", G_CALLBACK (fold_cb), self);
  gtk_box_append (GTK_BOX (handle), title);
  gtk_box_append (GTK_BOX (handle), self->fold_button);

  gtk_widget_set_focusable (handle, TRUE);
  gtk_widget_set_cursor_from_name (handle, "move");
  gtk_accessible_update_property (GTK_ACCESSIBLE (handle), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Move the controls with the arrow keys"), -1);
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (palette_drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (palette_drag_update_cb), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (palette_key_cb), self);
  gtk_widget_add_controller (handle, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (handle, keys);
  return handle;
}

static GtkWidget *
make_body (NormscopePalette *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *scrolled = gtk_scrolled_window_new ();

  self->names = gtk_string_list_new (NULL);
  self->variants = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (self->names), NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->variants), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Variant"), -1);
  g_signal_connect_swapped (self->variants, "notify::selected", G_CALLBACK (selected_cb), self);
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Controls"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->variants));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->list));
  gtk_widget_add_css_class (box, "body");

  self->scrolled = GTK_SCROLLED_WINDOW (scrolled);
  gtk_scrolled_window_set_policy (self->scrolled, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (self->scrolled, TRUE);
  gtk_scrolled_window_set_child (self->scrolled, box);
  return scrolled;
}

static void
normscope_palette_dispose (GObject *object)
{
  g_clear_object (&NORMSCOPE_PALETTE (object)->session);
  G_OBJECT_CLASS (normscope_palette_parent_class)->dispose (object);
}

static void
normscope_palette_class_init (NormscopePaletteClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = normscope_palette_dispose;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "palette");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_palette_init (NormscopePalette *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->x = MARGIN_PX;
  self->y = FAR_PX;
  self->handle = make_handle (self);
  self->body = make_body (self);
  gtk_box_append (GTK_BOX (box), self->handle);
  gtk_box_append (GTK_BOX (box), self->body);
  gtk_widget_set_size_request (self->body, PALETTE_WIDTH_PX, -1);
  adw_bin_set_child (ADW_BIN (self), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Controls"), -1);
  normscope_palette_set_folded (self, FALSE);
}

GtkWidget *
normscope_palette_new (NormscopeSession *session)
{
  NormscopePalette *self = g_object_new (NORMSCOPE_TYPE_PALETTE, NULL);

  self->session = g_object_ref (session);
  for (guint i = 0; i < G_N_ELEMENTS (palette_paths); i++)
    {
      GtkWidget *row = g_object_new (NORMSCOPE_TYPE_PARAMETER_ROW, "path", palette_paths[i], "slider",
                                     g_str_equal (palette_paths[i], "shape.depth"), NULL);

      normscope_parameter_row_set_session (NORMSCOPE_PARAMETER_ROW (row), session);
      gtk_list_box_append (self->list, row);
    }
  g_signal_connect_object (session, "changed", G_CALLBACK (refresh_palette), self, G_CONNECT_SWAPPED);
  refresh_palette (self);
  return GTK_WIDGET (self);
}
