/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-row-private.h"

#include <adwaita.h>
#include <math.h>

#include "app/shared/normscope-drawing.h"
#include "app/shared/normscope-popovers.h"
#include "app/shared/normscope-theme.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"

G_DEFINE_FINAL_TYPE (NormscopeWiringRow, normscope_wiring_row, GTK_TYPE_WIDGET)

/* ---- drawing ---- */

static void
get_px (NormscopeWiringRow *self, double *width, double *height)
{
  normscope_wiring_row_get_size (self, width, height);
  *width *= self->unit;
  *height *= self->unit;
}

static gboolean
draw_diagram (cairo_t *cr, gpointer data)
{
  NormscopeWiringRow *self = data;
  double width, height;
  NsTheme theme;

  normscope_theme_init (&theme);
  get_px (self, &width, &height);
  return ns_diagram_draw (self->diagram, cr, &theme, width, height);
}

static void
drop_picture (NormscopeWiringRow *self)
{
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
normscope_wiring_row_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  double width, height;

  get_px (self, &width, &height);
  if (self->diagram != NULL && self->picture == NULL && width >= 1 && height >= 1)
    self->picture = normscope_drawing_new ((int) ceil (width), (int) ceil (height), draw_diagram, self);
  if (self->picture != NULL)
    {
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) self->name_width, 0));
      gtk_snapshot_append_node (snapshot, self->picture);
      gtk_snapshot_restore (snapshot);
    }
  GTK_WIDGET_CLASS (normscope_wiring_row_parent_class)->snapshot (widget, snapshot);
  normscope_wiring_gestures_snapshot (self, snapshot);
}

gboolean
normscope_wiring_row_get_rect (NormscopeWiringRow *self, guint id, NsRect *rect)
{
  double width, height;

  get_px (self, &width, &height);
  if (self->diagram == NULL || !ns_diagram_get_rect (self->diagram, width, height, id, rect))
    return FALSE;
  rect->x += self->name_width;
  return TRUE;
}

/* ---- layout ---- */

/* The strip gives a row what its scale needs, which may change while the strip is allocated. */
static void
normscope_wiring_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                              int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
}

static void
allocate_at (GtkWidget *child, const NsRect *rect)
{
  GtkAllocation place = { (int) floor (rect->x), (int) floor (rect->y), MAX ((int) ceil (rect->width), 1),
                          MAX ((int) ceil (rect->height), 1) };
  int minimum;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  place.width = MAX (place.width, minimum);
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, place.width, &minimum, NULL, NULL, NULL);
  place.height = MAX (place.height, minimum);
  gtk_widget_size_allocate (child, &place, -1);
}

static void
normscope_wiring_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  NsRect rect = { 0, 0, self->name_width, height };

  gtk_widget_set_child_visible (GTK_WIDGET (self->name), self->name_width > 0);
  if (self->name_width > 0)
    allocate_at (GTK_WIDGET (self->name), &rect);
  for (guint i = 0; i < self->parts->len; i++)
    {
      GtkWidget *part = g_ptr_array_index (self->parts, i);

      if (normscope_wiring_row_get_rect (self, normscope_wiring_part_get_id (NORMSCOPE_WIRING_PART (part)), &rect))
        allocate_at (part, &rect);
    }
  normscope_popovers_allocate (widget);
}

/* Tab goes from left to right, whatever the height of the parts. */
static gboolean
normscope_wiring_row_focus (GtkWidget *widget, GtkDirectionType direction)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (widget);
  GtkWidget *focus = gtk_widget_get_focus_child (widget);
  int step = direction == GTK_DIR_TAB_BACKWARD || direction == GTK_DIR_LEFT || direction == GTK_DIR_UP ? -1 : 1;
  int n = (int) self->parts->len, at = step > 0 ? -1 : n;
  guint found;

  if (focus != NULL && !g_ptr_array_find (self->parts, focus, &found))
    return GTK_WIDGET_CLASS (normscope_wiring_row_parent_class)->focus (widget, direction); /* in the popover */
  if (focus != NULL)
    at = (int) found;
  for (at += step; at >= 0 && at < n; at += step)
    if (gtk_widget_grab_focus (g_ptr_array_index (self->parts, (guint) at)))
      return TRUE;
  return FALSE;
}

/* ---- parts ---- */

GtkWidget *
normscope_wiring_row_find_part (NormscopeWiringRow *self, guint id)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING_ROW (self), NULL);
  for (guint i = 0; i < self->parts->len; i++)
    if (normscope_wiring_part_get_id (g_ptr_array_index (self->parts, i)) == id)
      return g_ptr_array_index (self->parts, i);
  return NULL;
}

static int
compare_parts (gconstpointer a, gconstpointer b, gpointer data)
{
  NsRect one = { 0 }, other = { 0 };

  normscope_wiring_row_get_rect (data, normscope_wiring_part_get_id (*(NormscopeWiringPart *const *) a), &one);
  normscope_wiring_row_get_rect (data, normscope_wiring_part_get_id (*(NormscopeWiringPart *const *) b), &other);
  return one.x != other.x ? (one.x > other.x ? 1 : -1) : (one.y > other.y) - (one.y < other.y);
}

/* A socket can be clicked only where a norm is allowed. */
static gboolean
is_offered (NormscopeWiringRow *self, guint id)
{
  NsWiringPart what;

  return ns_wiring_part_unpack (id, &what)
         && (what.kind != NS_WIRING_PART_SOCKET
             || normscope_wiring_row_move_norm (self, what.part, NS_NORM_NOWHERE, (NsNormPlace) what.which, FALSE));
}

/* Keep a widget for each part of the diagram; those that stay keep their focus. */
static void
update_parts (NormscopeWiringRow *self, const NsShape *shape, const NsVariant *variant)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer id;

  for (guint i = 0; i < ns_diagram_get_n_parts (self->diagram); i++)
    {
      NsDiagramPart part;

      ns_diagram_get_part (self->diagram, i, &part);
      if (!g_hash_table_contains (ids, GUINT_TO_POINTER (part.id)) && is_offered (self, part.id))
        g_hash_table_add (ids, GUINT_TO_POINTER (part.id));
    }
  for (guint i = self->parts->len; i > 0; i--)
    {
      GtkWidget *part = g_ptr_array_index (self->parts, i - 1);

      if (!g_hash_table_remove (ids, GUINT_TO_POINTER (normscope_wiring_part_get_id (NORMSCOPE_WIRING_PART (part)))))
        {
          g_ptr_array_remove_index (self->parts, i - 1);
          gtk_widget_unparent (part);
        }
    }
  g_hash_table_iter_init (&iter, ids);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    {
      GtkWidget *part = normscope_wiring_part_new (GPOINTER_TO_UINT (id));

      gtk_widget_set_parent (part, GTK_WIDGET (self));
      normscope_wiring_gestures_add_to_part (self, part);
      g_ptr_array_add (self->parts, part);
    }
  g_ptr_array_sort_with_data (self->parts, compare_parts, self);
  for (guint i = 0; i < self->parts->len; i++)
    normscope_wiring_part_show (g_ptr_array_index (self->parts, i), shape, variant, self->block);
}

static void
show_name (NormscopeWiringRow *self, const NsVariant *variant)
{
  const NormscopeVariantLook *look = normscope_session_get_look (self->session, self->variant);
  NsSeries series = { .kind = NS_SERIES_LINE, .role = NS_ROLE_DATA, .style = look->style,
                      .has_color = look->has_color, .color = look->color };
  gboolean is_selected = normscope_session_get_selected (self->session) == self->variant;
  g_autofree char *markup = NULL;
  NsTheme theme;
  NsColor color;

  normscope_theme_init (&theme);
  color = ns_theme_get_series_style (&theme, &series).text;
  markup = g_markup_printf_escaped ("<span foreground=\"#%02x%02x%02x\" weight=\"%s\">%s</span>",
                                    (guint) lround (255 * color.red), (guint) lround (255 * color.green),
                                    (guint) lround (255 * color.blue), is_selected ? "bold" : "normal", variant->name);
  gtk_label_set_markup (self->name, markup);
}

/* Return the text of all parts in the order of the data flow, for assistive technology. The caller frees it. */
static char *
dup_words (const NsDiagram *diagram)
{
  GString *words = g_string_new (NULL);

  for (guint i = 0; i < ns_diagram_get_n_parts (diagram); i++)
    {
      g_autofree char *plain = NULL;
      NsDiagramPart part;

      ns_diagram_get_part (diagram, i, &part);
      if (part.kind == NS_DIAGRAM_SUM)
        plain = g_strdup ("+");
      else if (part.text == NULL || !pango_parse_markup (part.text, -1, 0, NULL, &plain, NULL, NULL))
        continue;
      g_string_append_printf (words, "%s%s", words->len > 0 ? ", " : "", plain);
    }
  return g_string_free (words, FALSE);
}

void
normscope_wiring_row_show (NormscopeWiringRow *self, guint variant, gint64 block, const NsResult *result)
{
  const NsExperiment *experiment;
  const NsVariant *wired;
  g_autofree char *words = NULL;

  g_return_if_fail (NORMSCOPE_IS_WIRING_ROW (self));
  experiment = normscope_session_get_experiment (self->session);
  g_return_if_fail (variant < experiment->variants->len);
  wired = ns_experiment_variant (experiment, variant);
  if (variant != self->variant)
    normscope_wiring_gestures_cancel (self);
  self->variant = variant;
  self->block = block;
  g_clear_pointer (&self->diagram, ns_diagram_free);
  self->diagram = ns_wiring_diagram_strip (experiment, variant, block, result);
  update_parts (self, &experiment->shape, wired);
  if (self->taken != 0 && normscope_wiring_row_find_part (self, self->taken) == NULL)
    normscope_wiring_gestures_cancel (self);
  show_name (self, wired);
  words = dup_words (self->diagram);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, wired->name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  drop_picture (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

guint
normscope_wiring_row_get_variant (NormscopeWiringRow *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING_ROW (self), 0);
  return self->variant;
}

void
normscope_wiring_row_get_size (NormscopeWiringRow *self, double *width, double *height)
{
  *width = *height = 0;
  g_return_if_fail (NORMSCOPE_IS_WIRING_ROW (self));
  if (self->diagram != NULL)
    ns_diagram_get_size (self->diagram, width, height);
}

void
normscope_wiring_row_set_scale (NormscopeWiringRow *self, double unit, int name_width)
{
  g_return_if_fail (NORMSCOPE_IS_WIRING_ROW (self));
  if (unit == self->unit && name_width == self->name_width)
    return;
  self->unit = unit;
  self->name_width = name_width;
  drop_picture (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
normscope_wiring_row_get_px (NormscopeWiringRow *self, int *width, int *height)
{
  double own_width, own_height;

  g_return_if_fail (NORMSCOPE_IS_WIRING_ROW (self));
  get_px (self, &own_width, &own_height);
  *width = (int) ceil (own_width) + self->name_width;
  *height = (int) ceil (own_height);
}

/* ---- changes ---- */

gboolean
normscope_wiring_row_move_norm (NormscopeWiringRow *self, int part, NsNormPlace from, NsNormPlace to,
                                gboolean apply)
{
  const NsExperiment *experiment = normscope_session_get_experiment (self->session);
  NsVariant *moved = ns_variant_copy (ns_experiment_variant (experiment, self->variant));
  NsPart kind = ns_experiment_get_part (experiment, part);
  gint64 block = MIN (self->block, ns_experiment_get_depth (experiment, kind));
  NsExperiment alone = *experiment; /* the other variants stay as they are, and so does their validity */
  gboolean may;

  alone.variants = g_ptr_array_new ();
  g_ptr_array_add (alone.variants, moved);
  may = ns_variant_move_norm (moved, &experiment->shape, kind, block, from, to)
        && (normscope_session_get_error (self->session) != NULL || ns_experiment_validate (&alone, NULL));
  g_ptr_array_unref (alone.variants);
  if (may && apply)
    normscope_session_take_rewired (self->session, self->variant, moved);
  else
    ns_variant_free (moved);
  return may;
}

/* ---- the object ---- */

static void
normscope_wiring_row_dispose (GObject *object)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (object);

  g_clear_object (&self->chooser);
  for (guint i = 0; i < self->parts->len; i++)
    gtk_widget_unparent (g_ptr_array_index (self->parts, i));
  g_ptr_array_set_size (self->parts, 0);
  g_clear_pointer ((GtkWidget **) &self->name, gtk_widget_unparent);
  g_clear_pointer (&self->diagram, ns_diagram_free);
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (normscope_wiring_row_parent_class)->dispose (object);
}

static void
normscope_wiring_row_finalize (GObject *object)
{
  NormscopeWiringRow *self = NORMSCOPE_WIRING_ROW (object);

  g_ptr_array_unref (self->parts);
  g_array_unref (self->sockets);
  G_OBJECT_CLASS (normscope_wiring_row_parent_class)->finalize (object);
}

static void
normscope_wiring_row_class_init (NormscopeWiringRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_wiring_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = normscope_wiring_row_finalize;
  widget_class->snapshot = normscope_wiring_row_snapshot;
  widget_class->measure = normscope_wiring_row_measure;
  widget_class->size_allocate = normscope_wiring_row_size_allocate;
  widget_class->focus = normscope_wiring_row_focus;
  normscope_wiring_menu_install (widget_class);
  gtk_widget_class_set_css_name (widget_class, "wiringrow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_wiring_row_init (NormscopeWiringRow *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  self->parts = g_ptr_array_new ();
  self->sockets = g_array_new (FALSE, FALSE, sizeof (guint));
  self->variant = G_MAXUINT;
  self->name = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->name, 0);
  gtk_label_set_ellipsize (self->name, PANGO_ELLIPSIZE_END);
  gtk_label_set_lines (self->name, 2);
  gtk_label_set_wrap (self->name, TRUE);
  gtk_widget_set_parent (GTK_WIDGET (self->name), GTK_WIDGET (self));
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (drop_picture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (drop_picture), self, G_CONNECT_SWAPPED);
}

GtkWidget *
normscope_wiring_row_new (NormscopeSession *session)
{
  NormscopeWiringRow *self = g_object_new (NORMSCOPE_TYPE_WIRING_ROW, NULL);

  self->session = g_object_ref (session);
  normscope_wiring_menu_add (self);
  return GTK_WIDGET (self);
}
