/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-catalog.h"

#include <glib/gi18n-lib.h>

#include "app/dialogs/normscope-catalog-details.h"
#include "app/dialogs/normscope-model-table.h"
#include "app/shared/normscope-labels.h"
#include "document/ns-search.h"
#include "app/shared/normscope-wiring.h"
#include "document/ns-presets.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-variants.h"

#define PICTURE_WIDTH  132
#define PICTURE_HEIGHT 48

struct _NormscopeCatalog
{
  AdwWindow parent_instance;

  GtkSearchEntry *search;
  GtkRevealer *problems_revealer;
  GtkLabel *problems_label;
  AdwViewStack *pages;
  GtkListBox *preset_list, *variant_list;
  NormscopeCatalogDetails *preset_details, *variant_details;
  NormscopeModelTable *model_table;

  NsShape shape;
  NsVariant *model; /* the selected variant of the experiment */
};

G_DEFINE_FINAL_TYPE (NormscopeCatalog, normscope_catalog, ADW_TYPE_WINDOW)

enum
{
  CATALOG_SIGNAL_OPEN,
  CATALOG_SIGNAL_ADD,
  N_CATALOG_SIGNALS
};
static guint catalog_signals[N_CATALOG_SIGNALS];

/* ---- rows; each holds its preset or variant as object data ---- */

static const NsPreset *
row_get_preset (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "preset");
}

static const NsBuiltinVariant *
row_get_variant (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "variant");
}

static const char *
row_get_group (GtkListBoxRow *row)
{
  const NsPreset *preset = row_get_preset (row);

  return preset != NULL ? preset->group : _ (ns_variant_group_get_name (row_get_variant (row)->group));
}

static GtkWidget *
label_new (const char *text, const char *css_class, gboolean wrap)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), wrap);
  gtk_label_set_ellipsize (GTK_LABEL (label), wrap ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* Make a row of a diagram (taken, nullable), a title and an optional line below it; `searched` is the text that the
 * search matches. */
static GtkListBoxRow *
row_new (NsDiagram *diagram, const char *title, const char *line, const char *searched)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *picture = normscope_wiring_new (PICTURE_WIDTH, PICTURE_HEIGHT);

  normscope_wiring_take_diagram (NORMSCOPE_WIRING (picture), diagram);
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (texts), label_new (title, NULL, TRUE));
  if (line != NULL && *line != '\0')
    gtk_box_append (GTK_BOX (texts), label_new (line, "caption", FALSE));
  gtk_box_append (GTK_BOX (box), picture);
  gtk_box_append (GTK_BOX (box), texts);
  gtk_widget_set_margin_top (box, 4);
  gtk_widget_set_margin_bottom (box, 4);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_object_set_data_full (G_OBJECT (row), "haystack", ns_search_dup_haystack (searched), g_free);
  return GTK_LIST_BOX_ROW (row);
}

static void
header_func (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  GtkWidget *label;

  if (before != NULL && g_str_equal (row_get_group (row), row_get_group (before)))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  label = label_new (row_get_group (row), "heading", FALSE);
  gtk_widget_set_margin_top (label, 12);
  gtk_widget_set_margin_bottom (label, 6);
  gtk_widget_set_margin_start (label, 12);
  gtk_list_box_row_set_header (row, label);
}

static gboolean
filter_func (GtkListBoxRow *row, gpointer data)
{
  NormscopeCatalog *self = data;

  return ns_search_matches (g_object_get_data (G_OBJECT (row), "haystack"),
                            gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

static void
fill_presets (NormscopeCatalog *self)
{
  gsize n;
  const NsPreset *presets = ns_presets (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsPreset *p = &presets[i];
      g_autoptr (NsExperiment) e = ns_preset_load (p->id, NULL);
      int stack = e != NULL ? e->shape.stack : NS_STACK_SINGLE;
      const char *equation = p->variant != NULL ? ns_builtin_variant_get_equation (p->variant, stack) : "";
      const char *name = p->variant != NULL ? p->variant->name : "";
      const char *source = p->source != NULL ? p->source : "";
      g_autofree char *searched
          = g_strjoin (" ", p->id, p->title, p->description, p->group, name, equation, source, NULL);
      NsDiagram *diagram =
          e != NULL ? ns_wiring_diagram (&e->shape, ns_experiment_variant (e, 0), NS_WIRING_BLOCK) : NULL;
      GtkListBoxRow *row = row_new (diagram, p->title, equation, searched);

      g_object_set_data (G_OBJECT (row), "preset", (gpointer) p);
      gtk_list_box_append (self->preset_list, GTK_WIDGET (row));
    }
}

static void
fill_variants (NormscopeCatalog *self)
{
  gsize n;
  const NsBuiltinVariant *builtins = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsBuiltinVariant *b = &builtins[i];
      g_autoptr (NsVariant) variant = ns_variant_from_text (b->id, NULL);
      const char *equation = ns_builtin_variant_get_equation (b, self->shape.stack);
      g_autofree char *searched = g_strjoin (" ", b->id, b->name, _ (b->sentence), b->source, b->settings,
                                             equation, NULL);
      GtkListBoxRow *row =
          row_new (ns_wiring_diagram (&self->shape, variant, NS_WIRING_BLOCK), b->name, equation, searched);

      g_object_set_data (G_OBJECT (row), "variant", (gpointer) b);
      gtk_list_box_append (self->variant_list, GTK_WIDGET (row));
    }
}

/* ---- selection and search ---- */

static void
row_selected_cb (NormscopeCatalog *self, GtkListBoxRow *row, GtkListBox *list)
{
  gboolean is_preset_list = list == self->preset_list;

  if (row == NULL)
    normscope_catalog_details_show_nothing (is_preset_list ? self->preset_details : self->variant_details);
  else if (is_preset_list)
    normscope_catalog_details_show_preset (self->preset_details, row_get_preset (row));
  else
    normscope_catalog_details_show_variant (self->variant_details, row_get_variant (row), &self->shape,
                                            self->model);
}

static void
row_activated_cb (NormscopeCatalog *self, GtkListBoxRow *row, GtkListBox *list)
{
  normscope_catalog_details_activate (list == self->preset_list ? self->preset_details : self->variant_details);
}

/* Keep the selection if the search finds it, else select the first row found. */
static void
select_found (GtkListBox *list)
{
  GtkListBoxRow *selected = gtk_list_box_get_selected_row (list);

  if (selected != NULL && gtk_widget_get_child_visible (GTK_WIDGET (selected)))
    return;
  for (int i = 0; (selected = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    if (gtk_widget_get_child_visible (GTK_WIDGET (selected)))
      break;
  if (selected == NULL)
    gtk_list_box_select_row (list, NULL); /* gtk_list_box_unselect_all() has no effect in browse mode */
  else
    gtk_list_box_select_row (list, selected);
}

static void
search_changed_cb (NormscopeCatalog *self)
{
  gtk_list_box_invalidate_filter (self->preset_list);
  gtk_list_box_invalidate_filter (self->variant_list);
  select_found (self->preset_list);
  select_found (self->variant_list);
  normscope_model_table_search (self->model_table, gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

/* Enter activates the first result, like a double click on it. */
static void
search_activate_cb (NormscopeCatalog *self)
{
  const char *page = adw_view_stack_get_visible_child_name (self->pages);

  search_changed_cb (self); /* the entry emits search-changed with a delay */
  if (g_str_equal (page, "models"))
    normscope_model_table_activate_selected (self->model_table);
  else if (g_str_equal (page, "presets") && gtk_list_box_get_selected_row (self->preset_list) != NULL)
    normscope_catalog_details_activate (self->preset_details);
  else if (g_str_equal (page, "variants") && gtk_list_box_get_selected_row (self->variant_list) != NULL)
    normscope_catalog_details_activate (self->variant_details);
}

static void
stop_search_cb (NormscopeCatalog *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->search)) != '\0')
    gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* Select on the visible page only: showing a preset starts to measure it. */
static void
page_changed_cb (NormscopeCatalog *self)
{
  if (g_strcmp0 (adw_view_stack_get_visible_child_name (self->pages), "presets") == 0)
    select_found (self->preset_list);
  else
    select_found (self->variant_list);
}

static void
model_chosen_cb (NormscopeCatalog *self, const char *id)
{
  GtkListBoxRow *row;

  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  adw_view_stack_set_visible_child_name (self->pages, "presets");
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->preset_list, i)) != NULL; i++)
    if (g_str_equal (row_get_preset (row)->id, id))
      {
        gtk_list_box_select_row (self->preset_list, row);
        gtk_widget_grab_focus (GTK_WIDGET (row));
        return;
      }
}

/* ---- actions ---- */

static void
details_open_cb (NormscopeCatalog *self, NsExperiment *experiment, gboolean scaled)
{
  const NsPreset *preset = row_get_preset (gtk_list_box_get_selected_row (self->preset_list));
  g_autofree char *sized = normscope_label_dup_title (preset->title, scaled);

  g_signal_emit (self, catalog_signals[CATALOG_SIGNAL_OPEN], 0, experiment, sized, preset->figure);
  gtk_window_close (GTK_WINDOW (self));
}

static void
details_add_cb (NormscopeCatalog *self, NsVariant *variant)
{
  g_signal_emit (self, catalog_signals[CATALOG_SIGNAL_ADD], 0, variant);
  gtk_window_close (GTK_WINDOW (self));
}

static void
show_problems (NormscopeCatalog *self)
{
  const char *const *problems = ns_presets_get_problems ();
  g_autofree char *list = g_strjoinv ("\n", (char **) problems);
  g_autofree char *text = g_strdup_printf (_ ("Some of your presets could not be read:\n%s"), list);

  gtk_label_set_text (self->problems_label, text);
  gtk_revealer_set_reveal_child (self->problems_revealer, *problems != NULL);
}

void
normscope_catalog_show_page (NormscopeCatalog *self, const char *page)
{
  g_return_if_fail (NORMSCOPE_IS_CATALOG (self));
  adw_view_stack_set_visible_child_name (self->pages, page);
}

/* ---- the object ---- */

static void
normscope_catalog_finalize (GObject *object)
{
  g_clear_pointer (&NORMSCOPE_CATALOG (object)->model, ns_variant_free);
  G_OBJECT_CLASS (normscope_catalog_parent_class)->finalize (object);
}

static void
normscope_catalog_class_init (NormscopeCatalogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = normscope_catalog_finalize;
  g_type_ensure (NORMSCOPE_TYPE_CATALOG_DETAILS);
  g_type_ensure (NORMSCOPE_TYPE_MODEL_TABLE);
  catalog_signals[CATALOG_SIGNAL_OPEN] =
      g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                    G_TYPE_POINTER, G_TYPE_STRING, G_TYPE_STRING);
  catalog_signals[CATALOG_SIGNAL_ADD] = g_signal_new ("add", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                                      NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-catalog.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, search);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, problems_revealer);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, problems_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, pages);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, preset_list);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, variant_list);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, preset_details);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, variant_details);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalog, model_table);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_search_cb);
  gtk_widget_class_bind_template_callback (widget_class, page_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, model_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, details_open_cb);
  gtk_widget_class_bind_template_callback (widget_class, details_add_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
normscope_catalog_init (NormscopeCatalog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_header_func (self->preset_list, header_func, NULL, NULL);
  gtk_list_box_set_header_func (self->variant_list, header_func, NULL, NULL);
  gtk_list_box_set_filter_func (self->preset_list, filter_func, self, NULL);
  gtk_list_box_set_filter_func (self->variant_list, filter_func, self, NULL);
  gtk_search_entry_set_key_capture_widget (self->search, GTK_WIDGET (self));
}

NormscopeCatalog *
normscope_catalog_new (GtkWindow *parent, const NsExperiment *experiment, guint selected, guint64 memory_budget)
{
  NormscopeCatalog *self = g_object_new (NORMSCOPE_TYPE_CATALOG, "transient-for", parent, NULL);

  ns_presets_reload ();
  self->shape = experiment->shape;
  self->model = ns_variant_copy (ns_experiment_variant (experiment, selected));
  normscope_catalog_details_set_memory_budget (self->preset_details, memory_budget);
  fill_presets (self);
  fill_variants (self);
  show_problems (self);
  select_found (self->preset_list);
  return self;
}
