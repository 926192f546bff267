/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-readout.h"

#include "app/shared/normscope-theme.h"
#include "plot/ns-free-place.h"

/* From the crosshair to the table. */
#define GAP_PX 14
/* The column of the names. */
#define NAMES 0

/* Sizes of the type that are tried, as a share of the style's, until the table covers nothing. */
static const double readout_scales[] = { 1, 0.85, 0.72, 0.62 };

struct _NormscopeReadout
{
  GtkWidget parent_instance;

  GtkGrid *grid;
  NormscopePlot *plot; /* borrowed */
  guint type;          /* index of the size of the type */
};

G_DEFINE_FINAL_TYPE (NormscopeReadout, normscope_readout, GTK_TYPE_WIDGET)

/* ---- the table ---- */

/* Return the label of a cell. Labels are reused, since the crosshair moves often. */
static GtkLabel *
get_label (NormscopeReadout *self, guint column, guint row)
{
  GtkWidget *label = gtk_grid_get_child_at (self->grid, (int) column, (int) row);

  if (label == NULL)
    {
      label = gtk_label_new (NULL);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_grid_attach (self->grid, label, (int) column, (int) row, 1, 1);
    }
  gtk_widget_set_visible (label, TRUE);
  return GTK_LABEL (label);
}

static void
set_name (GtkLabel *label, const NsTheme *theme, const NsReadoutRow *row)
{
  NsSeries series = { .style = row->style, .has_color = row->has_color, .color = row->color };
  NsColor color = ns_theme_get_series_style (theme, &series).text;
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes,
                          pango_attr_foreground_new ((guint16) (color.red * G_MAXUINT16 + 0.5),
                                                     (guint16) (color.green * G_MAXUINT16 + 0.5),
                                                     (guint16) (color.blue * G_MAXUINT16 + 0.5)));
  pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
  gtk_label_set_attributes (label, attributes);
  gtk_label_set_label (label, row->name);
}

static void
set_type (NormscopeReadout *self, guint type)
{
  self->type = type;
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      PangoAttrList *own = gtk_label_get_attributes (GTK_LABEL (child));
      g_autoptr (PangoAttrList) attributes = own != NULL ? pango_attr_list_copy (own) : pango_attr_list_new ();

      pango_attr_list_change (attributes, pango_attr_scale_new (readout_scales[type]));
      gtk_label_set_attributes (GTK_LABEL (child), attributes);
    }
}

static void
hide_cells (NormscopeReadout *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->grid)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_set_visible (child, FALSE);
}

static void
fill (NormscopeReadout *self, const NsReadout *readout)
{
  NsTheme theme;

  normscope_theme_init (&theme);
  hide_cells (self);
  gtk_label_set_label (get_label (self, NAMES, 0), readout->place);
  for (guint c = 0; c < readout->n_columns; c++)
    if (readout->headings[c] != NULL)
      {
        GtkLabel *label = get_label (self, 1 + c, 0);

        gtk_label_set_markup (label, readout->headings[c]);
        gtk_widget_add_css_class (GTK_WIDGET (label), "column");
      }
  for (guint r = 0; r < readout->rows->len; r++)
    {
      const NsReadoutRow *row = g_ptr_array_index (readout->rows, r);

      set_name (get_label (self, NAMES, r + 1), &theme, row);
      for (guint c = 0; c < readout->n_columns; c++)
        gtk_label_set_label (get_label (self, 1 + c, r + 1), row->cells[c] != NULL ? row->cells[c] : "");
    }
}

/* Append a heading without its markup. */
static void
append_heading (GString *line, const char *markup)
{
  g_autofree char *text = NULL;

  if (pango_parse_markup (markup, -1, 0, NULL, &text, NULL, NULL))
    g_string_append_printf (line, "%s ", text);
}

/* Return "Block 7; Pre-LN: cosine 0.61 ± 0.02; Post-LN: …". */
static char *
dup_line (const NsReadout *readout)
{
  GString *line = g_string_new (readout->place);

  for (guint r = 0; r < readout->rows->len; r++)
    {
      const NsReadoutRow *row = g_ptr_array_index (readout->rows, r);

      g_string_append_printf (line, "; %s:", row->name);
      for (guint c = 0; c < readout->n_columns; c++)
        if (row->cells[c] != NULL)
          {
            g_string_append_c (line, ' ');
            if (readout->headings[c] != NULL)
              append_heading (line, readout->headings[c]);
            g_string_append (line, row->cells[c]);
          }
    }
  return g_string_free (line, FALSE);
}

void
normscope_readout_take (NormscopeReadout *self, NsReadout *readout, const char *line)
{
  g_autoptr (NsReadout) owned = readout;
  g_autofree char *made = NULL;

  g_return_if_fail (NORMSCOPE_IS_READOUT (self));

  gtk_widget_set_visible (GTK_WIDGET (self), owned != NULL);
  if (owned == NULL)
    return;
  fill (self, owned);
  set_type (self, 0);
  made = line == NULL ? dup_line (owned) : NULL;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, line != NULL ? line : made, -1);
  /* Move with the crosshair even if no value changes. */
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/* ---- position ---- */

static GdkRectangle
find_place (NormscopeReadout *self, double x, GtkRequisition size)
{
  const NsFigure *figure = normscope_plot_get_figure (self->plot);
  const NsLayout *layout = normscope_plot_get_layout (self->plot);
  NsRect place = { 0, 0, size.width, size.height };

  while (!ns_layout_find_free_place (figure, layout, x, GAP_PX, &place)
         && self->type + 1 < G_N_ELEMENTS (readout_scales))
    {
      set_type (self, self->type + 1);
      gtk_widget_get_preferred_size (GTK_WIDGET (self), NULL, &size);
      place = (NsRect) { 0, 0, size.width, size.height };
    }
  return (GdkRectangle) { (int) place.x, (int) place.y, size.width, size.height };
}

/* Place the table right of the crosshair, or left of it if there is too little room, on no curve if it can be. */
static gboolean
place_cb (NormscopeReadout *self, GtkWidget *child, GdkRectangle *place)
{
  GtkRequisition size;
  NsRect plot;
  double x, right, left;

  if (child != GTK_WIDGET (self) || !normscope_plot_get_crosshair (self->plot, &x, &plot))
    return FALSE;
  gtk_widget_get_preferred_size (child, NULL, &size);
  if (normscope_plot_get_figure (self->plot)->colors == NULL)
    {
      *place = find_place (self, x, size);
      return TRUE;
    }
  right = x + GAP_PX;
  left = x - GAP_PX - size.width;
  *place = (GdkRectangle){ .y = (int) plot.y, .width = size.width, .height = size.height };
  if (right + size.width <= plot.x + plot.width)
    place->x = (int) right;
  else
    place->x = (int) (left >= plot.x ? left : MAX (0, plot.x + plot.width - size.width));
  return TRUE;
}

void
normscope_readout_attach (NormscopeReadout *self, GtkOverlay *overlay, NormscopePlot *plot)
{
  g_return_if_fail (NORMSCOPE_IS_READOUT (self));
  g_return_if_fail (GTK_IS_OVERLAY (overlay) && NORMSCOPE_IS_PLOT (plot) && self->plot == NULL);

  self->plot = plot;
  g_signal_connect_object (overlay, "get-child-position", G_CALLBACK (place_cb), self, G_CONNECT_SWAPPED);
}

/* ---- the object ---- */

static void
normscope_readout_dispose (GObject *object)
{
  g_clear_pointer ((GtkWidget **) &NORMSCOPE_READOUT (object)->grid, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_readout_parent_class)->dispose (object);
}

static void
normscope_readout_class_init (NormscopeReadoutClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_readout_dispose;
  gtk_widget_class_set_css_name (widget_class, "readout");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
normscope_readout_init (NormscopeReadout *self)
{
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_widget_set_parent (GTK_WIDGET (self->grid), GTK_WIDGET (self));
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
