/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-plot-pair.h"

/* Least height for two plots, one below the other, of which each has two panels; in a window that is wide enough, they
 * are higher side by side. */
#define STACKED_PX 620
#define BESIDE_PX 860

struct _NormscopePlotPair
{
  GtkWidget parent_instance;
};

G_DEFINE_FINAL_TYPE (NormscopePlotPair, normscope_plot_pair, GTK_TYPE_WIDGET)

static void
normscope_plot_pair_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                             int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int child_minimum, child_natural;

      if (!gtk_widget_get_visible (child))
        continue;
      gtk_widget_measure (child, orientation, -1, &child_minimum, &child_natural, NULL, NULL);
      *minimum = MAX (*minimum, child_minimum);
      *natural = MAX (*natural, child_natural);
    }
}

/* Return the sum of the least sizes of the visible children. */
static int
get_least (GtkWidget *widget, GtkOrientation orientation, int *n)
{
  int sum = 0, minimum;

  *n = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_visible (child))
      {
        gtk_widget_measure (child, orientation, -1, &minimum, NULL, NULL, NULL);
        sum += minimum;
        ++*n;
      }
  return sum;
}

static void
normscope_plot_pair_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  int n, i = 0;
  gboolean fits_beside = width >= get_least (widget, GTK_ORIENTATION_HORIZONTAL, &n);
  gboolean fits_below = height >= get_least (widget, GTK_ORIENTATION_VERTICAL, &n);
  gboolean is_stacked = (height >= STACKED_PX && width < BESIDE_PX) || (fits_below && !fits_beside);
  gboolean has_all = is_stacked || fits_beside;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkAllocation place = { 0, 0, width, height };

      gtk_widget_set_child_visible (child, gtk_widget_get_visible (child) && (has_all || i == 0));
      if (!gtk_widget_get_visible (child) || (!has_all && i > 0))
        continue;
      if (has_all && is_stacked)
        place = (GtkAllocation){ 0, i * (height / n), width, height / n };
      else if (has_all)
        place = (GtkAllocation){ i * (width / n), 0, width / n, height };
      gtk_widget_size_allocate (child, &place, -1);
      i++;
    }
}

static void
normscope_plot_pair_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (normscope_plot_pair_parent_class)->dispose (object);
}

static void
normscope_plot_pair_class_init (NormscopePlotPairClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_plot_pair_dispose;
  widget_class->measure = normscope_plot_pair_measure;
  widget_class->size_allocate = normscope_plot_pair_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "plotpair");
}

static void
normscope_plot_pair_init (NormscopePlotPair *self)
{
}
