/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-catalog-details.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-keep-button.h"
#include "app/shared/normscope-wiring.h"
#include "app/work/normscope-worker.h"
#include "document/ns-model-table.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-scale-down.h"
#include "engine/run/ns-estimate.h"

/* Reserved for the estimate below the buttons, so that they do not move when it arrives; px. */
#define ESTIMATE_HEIGHT 76
#define WIRING_HEIGHT 190
/* More share the height of this many. */
#define MAX_WIRINGS 3

struct _NormscopeCatalogDetails
{
  GtkBox parent_instance;

  GtkWidget *content;
  NormscopeWiring *wiring;
  GtkLabel *title, *equation, *description;
  GtkGrid *facts;
  GtkWidget *actions, *scaled_box, *full_box;
  GtkButton *scaled_button, *full_button;
  GtkCheckButton *keep_button;
  GtkLabel *scaled_label, *full_label;

  guint64 memory_budget;
  NormscopeWorker *worker;     /* NULL until something is measured */
  NsExperiment *full, *scaled; /* of a preset; scaled is NULL for a small one */
  const NsBuiltinVariant *variant;
  const NsVariant *model; /* borrowed */
  int n_facts;
};

G_DEFINE_FINAL_TYPE (NormscopeCatalogDetails, normscope_catalog_details, GTK_TYPE_BOX)

enum
{
  CATALOG_DETAILS_SIGNAL_OPEN,
  CATALOG_DETAILS_SIGNAL_ADD,
  N_CATALOG_DETAILS_SIGNALS
};
static guint catalog_details_signals[N_CATALOG_DETAILS_SIGNALS];

static void
show_text (GtkLabel *label, const char *text)
{
  gtk_label_set_text (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && *text != '\0');
}

/* ---- estimates; measure_details() runs on the worker's thread ---- */

typedef struct
{
  NsExperiment *experiments[2]; /* scaled down, full; either may be NULL */
} DetailsJob;

typedef struct
{
  gboolean is_scaled;
  char *text;
} Estimate;

static void
details_job_free (gpointer data)
{
  DetailsJob *job = data;

  for (int i = 0; i < 2; i++)
    g_clear_pointer (&job->experiments[i], ns_experiment_free);
  g_free (job);
}

static void
estimate_free (gpointer data)
{
  Estimate *estimate = data;

  g_free (estimate->text);
  g_free (estimate);
}

static void
deliver_details (gpointer owner, gpointer delivery)
{
  NormscopeCatalogDetails *self = owner;
  const Estimate *estimate = delivery;
  g_autofree char *scaling = NULL;
  g_autofree char *text = NULL;

  if (!estimate->is_scaled)
    {
      gtk_label_set_text (self->full_label, estimate->text);
      return;
    }
  scaling = ns_experiment_dup_scaling (self->full, self->scaled);
  text = g_strdup_printf ("%s\n%s", estimate->text, scaling);
  gtk_label_set_text (self->scaled_label, text);
}

static void
measure_details (NormscopeWorker *worker, NsEngine *engine, gpointer data, guint64 serial)
{
  const DetailsJob *job = data;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (NsProgress) progress = ns_progress_new ();
      g_autoptr (GError) error = NULL;
      NsEstimate measured;
      Estimate *estimate;

      if (job->experiments[i] == NULL)
        continue;
      if (!normscope_worker_start_run (worker, serial, progress))
        return;
      estimate = g_new0 (Estimate, 1);
      estimate->is_scaled = i == 0;
      estimate->text = ns_estimate_run (engine, job->experiments[i], progress, &measured, &error)
                           ? ns_estimate_dup_text (&measured)
                           : g_strdup (error->message);
      normscope_worker_enqueue_delivery (worker, serial, deliver_details, estimate, estimate_free);
    }
}

static void
start_measuring_details (NormscopeCatalogDetails *self)
{
  DetailsJob *job = g_new0 (DetailsJob, 1);

  if (self->worker == NULL)
    self->worker = normscope_worker_new (G_OBJECT (self), normscope_engine_new (0, self->memory_budget),
                                         measure_details, details_job_free);
  job->experiments[0] = self->scaled != NULL ? ns_experiment_copy (self->scaled) : NULL;
  job->experiments[1] = ns_experiment_copy (self->full);
  gtk_widget_set_size_request (GTK_WIDGET (self->full_label), -1, self->scaled != NULL ? ESTIMATE_HEIGHT : -1);
  gtk_label_set_text (self->scaled_label, _ ("Measuring time and memory…"));
  show_text (self->full_label, _ ("Measuring time and memory…"));
  normscope_worker_replace (self->worker, job);
}

/* ---- contents ---- */

static void
add_fact (NormscopeCatalogDetails *self, const char *name, const char *value)
{
  GtkWidget *left, *right;

  if (value == NULL || *value == '\0')
    return;
  left = gtk_label_new (name);
  right = gtk_label_new (value);
  gtk_widget_add_css_class (left, "fact");
  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_yalign (GTK_LABEL (left), 0);
  gtk_label_set_xalign (GTK_LABEL (right), 0);
  gtk_label_set_wrap (GTK_LABEL (right), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (right), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_grid_attach (self->facts, left, 0, self->n_facts, 1, 1);
  gtk_grid_attach (self->facts, right, 1, self->n_facts, 1, 1);
  self->n_facts++;
}

static void
clear (NormscopeCatalogDetails *self)
{
  for (; self->n_facts > 0; self->n_facts--)
    gtk_grid_remove_row (self->facts, 0);
  if (self->worker != NULL)
    normscope_worker_replace (self->worker, NULL);
  g_clear_pointer (&self->full, ns_experiment_free);
  g_clear_pointer (&self->scaled, ns_experiment_free);
  self->variant = NULL;
  normscope_wiring_take_diagram (self->wiring, NULL);
}

void
normscope_catalog_details_show_nothing (NormscopeCatalogDetails *self)
{
  g_return_if_fail (NORMSCOPE_IS_CATALOG_DETAILS (self));

  clear (self);
  show_text (self->title, _ ("Nothing found"));
  show_text (self->equation, NULL);
  show_text (self->description, _ ("Search for a model, a paper, a placement or an equation."));
  gtk_widget_set_visible (GTK_WIDGET (self->wiring), FALSE);
  gtk_widget_set_visible (self->actions, FALSE);
}

static void
show_model_facts (NormscopeCatalogDetails *self, const NsPreset *preset)
{
  for (NsModelColumn c = NS_MODEL_PLACEMENT; preset->variant != NULL && c < NS_N_MODEL_COLUMNS; c++)
    if (c != NS_MODEL_EQUATION)
      {
        g_autofree char *cell = ns_model_dup_cell (preset, self->full, c);

        add_fact (self, _ (ns_model_column_get_title (c)), cell);
      }
  if (preset->variant == NULL)
    add_fact (self, _ ("Source"), preset->source);
  add_fact (self, _ ("Notes"), preset->notes);
  add_fact (self, _ ("File"), preset->path);
}

/* Draw the wirings of all variants of a preset, under their names where there are several. */
static void
show_wirings (NormscopeCatalogDetails *self)
{
  guint n = self->full->variants->len;

  normscope_wiring_take_diagram (self->wiring, ns_wiring_diagram_of_experiment (self->full, -1, n > 1));
  gtk_widget_set_size_request (GTK_WIDGET (self->wiring), -1, WIRING_HEIGHT * (int) MIN (n, MAX_WIRINGS));
}

void
normscope_catalog_details_show_preset (NormscopeCatalogDetails *self, const NsPreset *preset)
{
  g_autoptr (GError) error = NULL;

  g_return_if_fail (NORMSCOPE_IS_CATALOG_DETAILS (self));
  g_return_if_fail (preset != NULL);

  clear (self);
  show_text (self->title, preset->title);
  self->full = ns_preset_load (preset->id, &error);
  show_text (self->equation, self->full != NULL && preset->variant != NULL
                                 ? ns_builtin_variant_get_equation (preset->variant, self->full->shape.stack)
                                 : NULL);
  show_text (self->description, self->full != NULL ? preset->description : error->message);
  gtk_widget_set_visible (self->actions, self->full != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->wiring), self->full != NULL);
  if (self->full == NULL)
    return;
  if (ns_experiment_can_scale_down (self->full))
    self->scaled = ns_experiment_scale_down (self->full, NS_SCALED_D_MODEL);
  show_wirings (self);
  show_model_facts (self, preset);
  gtk_widget_set_visible (self->scaled_box, self->scaled != NULL);
  gtk_button_set_label (self->full_button, self->scaled != NULL ? _ ("Open _Full Size") : _ ("_Open"));
  start_measuring_details (self);
}

void
normscope_catalog_details_show_variant (NormscopeCatalogDetails *self, const NsBuiltinVariant *variant,
                                        const NsShape *shape, const NsVariant *model)
{
  g_autoptr (NsVariant) wired = NULL;

  g_return_if_fail (NORMSCOPE_IS_CATALOG_DETAILS (self));
  g_return_if_fail (variant != NULL && shape != NULL && model != NULL);

  clear (self);
  self->variant = variant;
  self->model = model;
  normscope_keep_button_offer (self->keep_button, model, variant->id);
  wired = ns_variant_from_text (variant->id, NULL);
  show_text (self->title, variant->name);
  show_text (self->equation, ns_builtin_variant_get_equation (variant, shape->stack));
  show_text (self->description, _ (variant->sentence));
  normscope_wiring_take_diagram (self->wiring, ns_wiring_diagram (shape, wired, NS_WIRING_WHOLE));
  gtk_widget_set_size_request (GTK_WIDGET (self->wiring), -1, WIRING_HEIGHT);
  gtk_widget_set_visible (GTK_WIDGET (self->wiring), TRUE);
  add_fact (self, _ ("Source"), variant->source);
  add_fact (self, _ ("Notes"), variant->note != NULL ? _ (variant->note) : NULL);
  add_fact (self, _ ("Settings"), variant->settings);
  gtk_widget_set_visible (self->actions, TRUE);
  gtk_widget_set_visible (self->scaled_box, FALSE);
  gtk_button_set_label (self->full_button, _ ("_Add to the Experiment"));
  show_text (self->full_label, NULL);
}

/* ---- actions ---- */

static void
scaled_cb (NormscopeCatalogDetails *self)
{
  g_signal_emit (self, catalog_details_signals[CATALOG_DETAILS_SIGNAL_OPEN], 0, self->scaled, TRUE);
}

static void
full_cb (NormscopeCatalogDetails *self)
{
  g_autoptr (NsVariant) variant = NULL;

  if (self->full != NULL)
    g_signal_emit (self, catalog_details_signals[CATALOG_DETAILS_SIGNAL_OPEN], 0, self->full, FALSE);
  else if (self->variant != NULL)
    {
      variant = normscope_keep_button_new_variant (self->keep_button, self->model, self->variant->id, NULL);
      g_signal_emit (self, catalog_details_signals[CATALOG_DETAILS_SIGNAL_ADD], 0, variant);
    }
}

void
normscope_catalog_details_activate (NormscopeCatalogDetails *self)
{
  g_return_if_fail (NORMSCOPE_IS_CATALOG_DETAILS (self));

  if (self->scaled != NULL)
    scaled_cb (self);
  else
    full_cb (self);
}

void
normscope_catalog_details_set_memory_budget (NormscopeCatalogDetails *self, guint64 memory_budget)
{
  g_return_if_fail (NORMSCOPE_IS_CATALOG_DETAILS (self));
  self->memory_budget = memory_budget;
}

/* ---- the object ---- */

static void
normscope_catalog_details_dispose (GObject *object)
{
  NormscopeCatalogDetails *self = NORMSCOPE_CATALOG_DETAILS (object);

  g_clear_pointer (&self->worker, normscope_worker_release);
  g_clear_pointer (&self->full, ns_experiment_free);
  g_clear_pointer (&self->scaled, ns_experiment_free);
  G_OBJECT_CLASS (normscope_catalog_details_parent_class)->dispose (object);
}

static void
normscope_catalog_details_class_init (NormscopeCatalogDetailsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_catalog_details_dispose;
  catalog_details_signals[CATALOG_DETAILS_SIGNAL_OPEN] =
      g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                    G_TYPE_POINTER, G_TYPE_BOOLEAN);
  catalog_details_signals[CATALOG_DETAILS_SIGNAL_ADD] = g_signal_new (
      "add", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/normscope/Normscope/normscope-catalog-details.ui");
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, content);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, title);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, equation);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, description);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, facts);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, actions);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, scaled_box);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, full_box);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, scaled_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, full_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, keep_button);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, scaled_label);
  gtk_widget_class_bind_template_child (widget_class, NormscopeCatalogDetails, full_label);
  gtk_widget_class_bind_template_callback (widget_class, scaled_cb);
  gtk_widget_class_bind_template_callback (widget_class, full_cb);
}

static void
normscope_catalog_details_init (NormscopeCatalogDetails *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->wiring = NORMSCOPE_WIRING (normscope_wiring_new (-1, WIRING_HEIGHT));
  gtk_box_insert_child_after (GTK_BOX (self->content), GTK_WIDGET (self->wiring), GTK_WIDGET (self->description));
}
