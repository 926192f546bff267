/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/sidebar/normscope-wiring-popover.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-theme.h"
#include "app/shared/normscope-wiring.h"
#include "document/ns-experiment-json.h"
#include "document/ns-provenance.h"
#include "engine/experiment/ns-experiment.h"
#include "figures/ns-figure-table.h"

#define UNIT_PX    26 /* px per unit of the diagram; gives type as large as the window's */
#define MAX_WIDTH  680
#define MAX_HEIGHT 420
#define COPY_UNIT  40
#define COPY_SCALE 2

/* The wiring of one variant. */
static NsDiagram *
make_diagram (const NsExperiment *experiment, guint variant, gboolean name)
{
  const NsFigureOptions options = { .wiring_names = name };
  const NsFigureSource source = { .experiment = experiment, .variant = (int) variant };

  return ns_figure_info (NS_FIGURE_WIRING)->make_diagram (&source, &options);
}

/* ---- the clipboard ---- */

typedef struct
{
  NsExperiment *experiment;
  guint variant;
} Source;

static void
source_free (gpointer data)
{
  Source *source = data;

  ns_experiment_free (source->experiment);
  g_free (source);
}

static GBytes *
export_picture (const Source *source, NsExportFormat format, double scale, GError **error)
{
  g_autoptr (NsDiagram) diagram = make_diagram (source->experiment, source->variant, TRUE);
  g_autofree char *software = ns_provenance_dup_software ();
  g_autoptr (GBytes) file = ns_experiment_to_bytes (source->experiment);
  NsExportMetadata metadata = { .title = _ (ns_figure_info (NS_FIGURE_WIRING)->title),
                                .software = software,
                                .experiment = g_bytes_get_data (file, NULL) };
  double width, height;
  NsTheme theme;

  normscope_theme_init (&theme);
  ns_diagram_get_size (diagram, &width, &height);
  return ns_diagram_export (diagram, &theme, format, COPY_UNIT * width, COPY_UNIT * height, scale, &metadata, error);
}

static void
copy_cb (GtkWidget *popover)
{
  const Source *source = g_object_get_data (G_OBJECT (popover), "source");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) png = export_picture (source, NS_EXPORT_PNG, COPY_SCALE, &error);
  g_autoptr (GBytes) svg = png != NULL ? export_picture (source, NS_EXPORT_SVG, 1, &error) : NULL;
  g_autoptr (GdkContentProvider) provider = NULL;
  GdkContentProvider *providers[2];

  if (svg == NULL)
    {
      gtk_widget_activate_action (popover, "win.show-message", "s", error->message);
      return;
    }
  providers[0] = gdk_content_provider_new_for_bytes ("image/png", png);
  providers[1] = gdk_content_provider_new_for_bytes ("image/svg+xml", svg);
  provider = gdk_content_provider_new_union (providers, G_N_ELEMENTS (providers));
  gdk_clipboard_set_content (gtk_widget_get_clipboard (popover), provider);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* ---- contents ---- */

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

static GtkWidget *
picture_new (const NsExperiment *experiment, guint variant)
{
  NsDiagram *diagram = make_diagram (experiment, variant, FALSE);
  double width, height, unit;
  GtkWidget *picture;

  ns_diagram_get_size (diagram, &width, &height);
  unit = MIN (UNIT_PX, MIN (MAX_WIDTH / width, MAX_HEIGHT / height));
  picture = normscope_wiring_new ((int) (unit * width), (int) (unit * height));
  normscope_wiring_take_diagram (NORMSCOPE_WIRING (picture), diagram);
  return picture;
}

static GtkWidget *
header_new (GtkWidget *popover, const char *name)
{
  GtkWidget *header = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *title = gtk_label_new (name);
  GtkWidget *copy = gtk_button_new_from_icon_name ("edit-copy-symbolic");

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_add_css_class (copy, "flat");
  gtk_widget_set_tooltip_text (copy, _ ("Copy the picture"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (copy), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Copy the picture"), -1);
  g_signal_connect_swapped (copy, "clicked", G_CALLBACK (copy_cb), popover);
  gtk_box_append (GTK_BOX (header), title);
  gtk_box_append (GTK_BOX (header), copy);
  return header;
}

GtkWidget *
normscope_wiring_popover_new (const NsExperiment *experiment, guint variant)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const char *name = ns_experiment_variant (experiment, variant)->name;
  g_autoptr (NsDiagram) diagram = make_diagram (experiment, variant, FALSE);
  g_autofree char *words = dup_words (diagram);
  Source *source = g_new0 (Source, 1);

  source->experiment = ns_experiment_copy (experiment);
  source->variant = variant;
  g_object_set_data_full (G_OBJECT (popover), "source", source, source_free);
  gtk_box_append (GTK_BOX (box), header_new (popover, name));
  gtk_box_append (GTK_BOX (box), picture_new (experiment, variant));
  gtk_widget_add_css_class (box, "wiring");
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_popover_set_position (GTK_POPOVER (popover), GTK_POS_RIGHT);
  gtk_accessible_update_property (GTK_ACCESSIBLE (popover), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words, -1);
  return popover;
}
