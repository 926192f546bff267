/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-shelf.h"

#include <math.h>

#include "app/shared/normscope-plot-pair.h"
#include "app/shared/normscope-plot.h"
#include "app/wiring/normscope-wiring-strip.h"

/* Texts around the plot may wrap differently after the strip has changed: try again. */
#define MAX_PASSES 3

struct _NormscopeWiringShelf
{
  GtkWidget parent_instance;

  NormscopeWiringStrip *strip;
  GtkWidget *content;
  int around; /* px of the content that are not plot; −1: unknown */
};

G_DEFINE_FINAL_TYPE (NormscopeWiringShelf, normscope_wiring_shelf, GTK_TYPE_WIDGET)

enum { WIRING_SHELF_PROP_0, WIRING_SHELF_PROP_STRIP, WIRING_SHELF_PROP_CONTENT, N_WIRING_SHELF_PROPS };
static GParamSpec *wiring_shelf_props[N_WIRING_SHELF_PROPS];

/* Return the plot of the visible view, or its pair of plots, or NULL. */
static GtkWidget *
find_plot (GtkWidget *widget)
{
  if (!gtk_widget_get_child_visible (widget) || !gtk_widget_get_visible (widget))
    return NULL;
  if (NORMSCOPE_IS_PLOT (widget) || NORMSCOPE_IS_PLOT_PAIR (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *plot = find_plot (child);

      if (plot != NULL)
        return plot;
    }
  return NULL;
}

static void
allocate (GtkWidget *widget, int y, int width, int height)
{
  int minimum;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  width = MAX (width, minimum);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, &minimum, NULL, NULL, NULL);
  gtk_widget_size_allocate (widget, &(GtkAllocation){ 0, y, width, MAX (height, minimum) }, -1);
}

static void
normscope_wiring_shelf_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeWiringShelf *self = NORMSCOPE_WIRING_SHELF (widget);
  GtkRoot *root = gtk_widget_get_root (widget);
  int window = root != NULL ? gtk_widget_get_height (GTK_WIDGET (root)) : height;
  double strip_share, plot_share;

  normscope_wiring_strip_get_shares (self->strip, &strip_share, &plot_share);
  for (int pass = 0; pass < MAX_PASSES; pass++)
    {
      double room = self->around < 0 ? 0 : fmin (strip_share * height, height - self->around - plot_share * window);
      int strip = normscope_wiring_strip_fit (self->strip, width, (int) fmax (room, 0)), former = self->around;
      GtkWidget *plot;

      allocate (GTK_WIDGET (self->strip), 0, width, strip);
      allocate (self->content, strip, width, height - strip);
      plot = find_plot (self->content);
      if (plot != NULL)
        self->around = gtk_widget_get_height (self->content) - gtk_widget_get_height (plot);
      if (plot == NULL || self->around == former)
        break;
    }
}

/* The texts of the views need more height where they are narrow. */
static GtkSizeRequestMode
normscope_wiring_shelf_get_request_mode (GtkWidget *widget)
{
  return gtk_widget_get_request_mode (NORMSCOPE_WIRING_SHELF (widget)->content);
}

static void
normscope_wiring_shelf_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                                int *minimum_baseline, int *natural_baseline)
{
  gtk_widget_measure (NORMSCOPE_WIRING_SHELF (widget)->content, orientation, for_size, minimum, natural, NULL, NULL);
}

static void
normscope_wiring_shelf_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  NormscopeWiringShelf *self = NORMSCOPE_WIRING_SHELF (object);

  switch (id)
    {
    case WIRING_SHELF_PROP_STRIP:
      self->strip = g_value_get_object (value);
      gtk_widget_insert_after (GTK_WIDGET (self->strip), GTK_WIDGET (self), NULL);
      break;
    case WIRING_SHELF_PROP_CONTENT:
      self->content = g_value_get_object (value);
      gtk_widget_insert_before (self->content, GTK_WIDGET (self), NULL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
normscope_wiring_shelf_dispose (GObject *object)
{
  NormscopeWiringShelf *self = NORMSCOPE_WIRING_SHELF (object);

  g_clear_pointer ((GtkWidget **) &self->strip, gtk_widget_unparent);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (normscope_wiring_shelf_parent_class)->dispose (object);
}

static void
normscope_wiring_shelf_class_init (NormscopeWiringShelfClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->set_property = normscope_wiring_shelf_set_property;
  object_class->dispose = normscope_wiring_shelf_dispose;
  widget_class->size_allocate = normscope_wiring_shelf_size_allocate;
  widget_class->get_request_mode = normscope_wiring_shelf_get_request_mode;
  widget_class->measure = normscope_wiring_shelf_measure;

  wiring_shelf_props[WIRING_SHELF_PROP_STRIP] = g_param_spec_object ("strip", NULL, NULL, NORMSCOPE_TYPE_WIRING_STRIP,
                                                                     G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  wiring_shelf_props[WIRING_SHELF_PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET,
                                                                       G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_WIRING_SHELF_PROPS, wiring_shelf_props);
}

static void
normscope_wiring_shelf_init (NormscopeWiringShelf *self)
{
  self->around = -1;
}
