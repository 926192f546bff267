/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/lecture/normscope-test-editor.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "app/shared/normscope-drop-down.h"
#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-text.h"
#include "engine/experiment/ns-training-settings.h"

/* Blocks in the list; a file can name any. */
#define MAX_BLOCKS 128

/* In the list of steps: at initialization. */
#define INITIAL (NS_STEP_LAST - 1)

#define CURVE_FIELDS (NS_TEST_HAS_VARIANT | NS_TEST_HAS_QUANTITY | NS_TEST_HAS_PART)

/* The lists of one place; those that the kind does not have are NULL. */
typedef struct
{
  GtkDropDown *variant, *quantity, *part, *block, *step;
  GArray *quantities, *blocks, *steps; /* NsQuantity and int, in the order of the lists */
} PointRows;

struct _NormscopeTestEditor
{
  GtkBox parent_instance;

  NormscopeTestEditorMode mode;
  NsTest *test;
  NsExperiment *experiment;
  GArray *kinds; /* NsTestKind, in the order of the list */
  GtkDropDown *kind, *word;
  GtkGrid *grid;
  GtkEntry *min, *max;
  GtkCheckButton *has_over;
  PointRows of, over;
  int n_rows;
  gboolean is_filling;
};

G_DEFINE_FINAL_TYPE (NormscopeTestEditor, normscope_test_editor, GTK_TYPE_BOX)

enum { TEST_EDITOR_SIGNAL_CHANGED, N_TEST_EDITOR_SIGNALS };
static guint test_editor_signals[N_TEST_EDITOR_SIGNALS];

static void fill_test (NormscopeTestEditor *self);

/* The list of kinds is still handling the click that chose the kind. */
static gboolean
fill_cb (gpointer editor)
{
  fill_test (editor);
  return G_SOURCE_REMOVE;
}

static guint
get_fields (NormscopeTestEditor *self)
{
  return self->mode == NORMSCOPE_TEST_EDITOR_CURVE ? CURVE_FIELDS : ns_test_info (self->test->kind)->fields;
}

/* ---- reading the controls ---- */

static void
read_point (const PointRows *rows, NsPoint *point)
{
  if (rows->variant != NULL)
    point->variant = gtk_drop_down_get_selected (rows->variant);
  if (rows->quantity != NULL)
    point->quantity = g_array_index (rows->quantities, NsQuantity, gtk_drop_down_get_selected (rows->quantity));
  if (rows->part != NULL)
    point->part = gtk_drop_down_get_selected (rows->part) == 0 ? NS_PART_ENCODER : NS_PART_DECODER;
  if (rows->block != NULL)
    point->block = g_array_index (rows->blocks, int, gtk_drop_down_get_selected (rows->block));
  if (rows->step == NULL)
    return;
  point->step = g_array_index (rows->steps, int, gtk_drop_down_get_selected (rows->step));
  point->in_training = point->step != INITIAL;
}

/* Read a bound; an empty one is unbounded, an invalid one is marked and leaves the value. */
static void
read_bound (GtkEntry *entry, double unbounded, double *value)
{
  const char *text;
  char *end;
  double read;

  if (entry == NULL)
    return;
  text = gtk_editable_get_text (GTK_EDITABLE (entry));
  read = g_ascii_strtod (text, &end);
  gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  if (*text == '\0')
    *value = unbounded;
  else if (*end == '\0' && isfinite (read))
    *value = read;
  else
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
}

static void
test_changed_cb (NormscopeTestEditor *self)
{
  NsTestKind kind;

  if (self->is_filling)
    return;
  kind = self->kind != NULL ? g_array_index (self->kinds, NsTestKind, gtk_drop_down_get_selected (self->kind))
                            : self->test->kind;
  if (kind != self->test->kind)
    {
      NsPoint of = self->test->of;

      ns_test_free (self->test);
      self->test = ns_test_new (kind);
      self->test->of = of;
      self->test->over = of;
      self->test->over.block = NS_BLOCK_FIRST;
      g_idle_add_full (G_PRIORITY_HIGH_IDLE, fill_cb, g_object_ref (self), g_object_unref);
      g_signal_emit (self, test_editor_signals[TEST_EDITOR_SIGNAL_CHANGED], 0);
      return;
    }
  read_point (&self->of, &self->test->of);
  read_point (&self->over, &self->test->over);
  read_bound (self->min, -INFINITY, &self->test->min);
  read_bound (self->max, INFINITY, &self->test->max);
  if (self->word != NULL)
    self->test->word = gtk_drop_down_get_selected (self->word);
  if (self->has_over != NULL)
    self->test->has_over = gtk_check_button_get_active (self->has_over);
  g_signal_emit (self, test_editor_signals[TEST_EDITOR_SIGNAL_CHANGED], 0);
}

/* ---- filling the controls ---- */

static void
add_row (NormscopeTestEditor *self, const char *title, GtkWidget *control)
{
  GtkWidget *label = gtk_label_new_with_mnemonic (title);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (label), control);
  gtk_widget_set_hexpand (control, TRUE);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
  gtk_grid_attach (self->grid, label, 0, self->n_rows, 1, 1);
  gtk_grid_attach (self->grid, control, 1, self->n_rows++, 1, 1);
}

static GtkDropDown *
add_choices (NormscopeTestEditor *self, const char *title, GStrvBuilder *builder, guint selected)
{
  g_auto (GStrv) texts = g_strv_builder_end (builder);
  GtkWidget *list = gtk_drop_down_new_from_strings ((const char *const *) texts);

  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), MIN (selected, MAX (g_strv_length (texts), 1) - 1));
  gtk_drop_down_set_enable_search (GTK_DROP_DOWN (list), g_strv_length (texts) > 12);
  normscope_drop_down_set_narrow (GTK_DROP_DOWN (list));
  g_signal_connect_object (list, "notify::selected", G_CALLBACK (test_changed_cb), self, G_CONNECT_SWAPPED);
  add_row (self, title, list);
  return GTK_DROP_DOWN (list);
}

static GtkDropDown *
add_variants (NormscopeTestEditor *self, const char *title, guint selected)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint v = 0; v < self->experiment->variants->len; v++)
    g_strv_builder_add (builder, ns_experiment_variant (self->experiment, v)->name);
  return add_choices (self, title, builder, selected);
}

/* List the quantities that the variant has somewhere. */
static GtkDropDown *
add_quantities (NormscopeTestEditor *self, const char *title, const NsPoint *point, GArray *quantities)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gint64 head = ns_experiment_get_head_site (self->experiment);
  guint selected = 0;

  for (NsQuantity q = 0; q < NS_N_QUANTITIES; q++)
    {
      g_autofree char *text = NULL;
      gboolean exists = q == point->quantity;

      for (gint64 site = 0; site <= head && !exists; site++)
        exists = ns_quantity_exists (q, self->experiment, MIN (point->variant, self->experiment->variants->len - 1),
                                     site);
      if (!exists)
        continue;
      if (q == point->quantity)
        selected = quantities->len;
      g_array_append_val (quantities, q);
      text = g_strdup_printf ("%s, %s", _ (ns_quantity_info (q)->title), ns_quantity_info (q)->symbol);
      g_strv_builder_add (builder, text);
    }
  return add_choices (self, title, builder, selected);
}

static GtkDropDown *
add_blocks (NormscopeTestEditor *self, const char *title, const NsPoint *point, GArray *blocks)
{
  static const struct
  {
    int block;
    const char *title;
  } named[] = {
    { NS_BLOCK_FIRST, N_ ("First block") }, { NS_BLOCK_LAST, N_ ("Last block") }, { NS_BLOCK_INPUT, N_ ("Input") },
    { NS_BLOCK_MAX, N_ ("Largest over the blocks") }, { NS_BLOCK_MIN, N_ ("Smallest over the blocks") },
  };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  int depth = (int) MIN (ns_experiment_get_depth (self->experiment, point->part), MAX_BLOCKS);
  guint selected = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (named); i++)
    {
      g_strv_builder_add (builder, _ (named[i].title));
      g_array_append_val (blocks, named[i].block);
    }
  for (int block = 2; block <= MAX (depth, point->block); block++)
    {
      g_autofree char *text = g_strdup_printf (_ ("Block %d"), block);

      g_strv_builder_add (builder, text);
      g_array_append_val (blocks, block);
    }
  for (guint i = 0; i < blocks->len; i++)
    if (g_array_index (blocks, int, i) == point->block)
      selected = i;
  return add_choices (self, title, builder, selected);
}

static GtkDropDown *
add_steps (NormscopeTestEditor *self, const char *title, const NsPoint *point, GArray *steps)
{
  static const int offered[] = { INITIAL, NS_STEP_LAST, 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 19 };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  int present = point->in_training ? point->step : INITIAL;
  guint selected = G_N_ELEMENTS (offered);

  g_array_append_vals (steps, offered, G_N_ELEMENTS (offered));
  for (guint i = 0; i < G_N_ELEMENTS (offered); i++)
    if (offered[i] == present)
      selected = i;
  if (selected == steps->len) /* a step of a file */
    g_array_append_val (steps, present);
  for (guint i = 0; i < steps->len; i++)
    {
      int step = g_array_index (steps, int, i);
      g_autofree char *text = g_strdup_printf (_ ("Step %d"), step);

      g_strv_builder_add (builder, step == INITIAL        ? _ ("Before the training")
                                   : step == NS_STEP_LAST ? _ ("Last step")
                                                          : text);
    }
  return add_choices (self, title, builder, selected);
}

static void
add_point (NormscopeTestEditor *self, guint fields, const char *const titles[5], const NsPoint *point, PointRows *rows)
{
  g_array_set_size (rows->quantities, 0);
  g_array_set_size (rows->blocks, 0);
  g_array_set_size (rows->steps, 0);
  rows->variant = rows->quantity = rows->part = rows->block = rows->step = NULL;
  if ((fields & NS_TEST_HAS_VARIANT) != 0)
    rows->variant = add_variants (self, titles[0], point->variant);
  if ((fields & NS_TEST_HAS_QUANTITY) != 0)
    rows->quantity = add_quantities (self, titles[1], point, rows->quantities);
  if ((fields & NS_TEST_HAS_PART) != 0 && ns_experiment_get_n_parts (self->experiment) > 1)
    {
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

      g_strv_builder_add_many (builder, _ ("Encoder"), _ ("Decoder"), NULL);
      rows->part = add_choices (self, titles[2], builder, point->part == NS_PART_ENCODER ? 0 : 1);
    }
  if ((fields & NS_TEST_HAS_BLOCK) != 0)
    rows->block = add_blocks (self, titles[3], point, rows->blocks);
  if ((fields & NS_TEST_HAS_STEP) != 0
      && (point->in_training || ns_experiment_validate_training (self->experiment, NULL)))
    rows->step = add_steps (self, titles[4], point, rows->steps);
}

static GtkEntry *
add_bound (NormscopeTestEditor *self, const char *title, double value)
{
  GtkWidget *entry = gtk_entry_new ();
  char buffer[NS_NUMBER_SIZE];

  if (isfinite (value))
    gtk_editable_set_text (GTK_EDITABLE (entry), ns_format_number (buffer, value));
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("any"));
  g_signal_connect_object (entry, "changed", G_CALLBACK (test_changed_cb), self, G_CONNECT_SWAPPED);
  add_row (self, title, entry);
  return GTK_ENTRY (entry);
}

static void
add_kinds (NormscopeTestEditor *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint selected = 0;

  g_array_set_size (self->kinds, 0);
  for (NsTestKind kind = 0; kind < NS_N_TESTS; kind++)
    {
      const NsTestInfo *info = ns_test_info (kind);
      gboolean is_composed = (info->fields & NS_TEST_HAS_PARTS) != 0;

      /* Tests within tests are written in the file; such a test is kept. */
      if ((self->mode == NORMSCOPE_TEST_EDITOR_NUMBER && !info->is_number)
          || (is_composed && kind != self->test->kind))
        continue;
      if (kind == self->test->kind)
        selected = self->kinds->len;
      g_array_append_val (self->kinds, kind);
      g_strv_builder_add (builder, _ (info->title));
    }
  self->kind = add_choices (self, self->mode == NORMSCOPE_TEST_EDITOR_NUMBER ? _ ("Measure") : _ ("Right if"), builder,
                            selected);
}

static void
fill_test (NormscopeTestEditor *self)
{
  const char *const titles[] = { _ ("Variant"), _ ("Quantity"), _ ("Part"), _ ("Block"), _ ("When") };
  const char *const over_titles[] = { _ ("Over variant"), _ ("Over quantity"), _ ("Over part"), _ ("Over block"),
                                      _ ("Over when") };
  guint fields = get_fields (self);
  const char *const *words = ns_test_get_words (self->test->kind);
  GtkWidget *child;

  self->is_filling = TRUE;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  self->n_rows = 0;
  self->kind = self->word = NULL;
  self->min = self->max = NULL;
  self->has_over = NULL;
  if (self->mode != NORMSCOPE_TEST_EDITOR_CURVE)
    add_kinds (self);
  add_point (self, fields, titles, &self->test->of, &self->of);
  if ((fields & NS_TEST_HAS_OPTIONAL_OVER) != 0)
    {
      self->has_over = GTK_CHECK_BUTTON (gtk_check_button_new_with_mnemonic (_ ("_As a ratio")));
      gtk_check_button_set_active (self->has_over, self->test->has_over);
      g_signal_connect_object (self->has_over, "toggled", G_CALLBACK (test_changed_cb), self, G_CONNECT_SWAPPED);
      gtk_grid_attach (self->grid, GTK_WIDGET (self->has_over), 1, self->n_rows++, 1, 1);
    }
  add_point (self, (fields & (NS_TEST_HAS_OVER | NS_TEST_HAS_OPTIONAL_OVER)) != 0 ? fields : 0, over_titles,
             &self->test->over, &self->over);
  if ((fields & NS_TEST_HAS_WORD) != 0 && self->mode == NORMSCOPE_TEST_EDITOR_TEST)
    {
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

      for (guint i = 0; words[i] != NULL; i++)
        {
          g_autofree char *word = ns_test_dup_word (self->test->kind, i);

          g_strv_builder_add (builder, word);
        }
      self->word = add_choices (self, _ ("It"), builder, self->test->word);
    }
  if ((fields & NS_TEST_HAS_RANGE) != 0 && self->mode == NORMSCOPE_TEST_EDITOR_TEST)
    {
      self->min = add_bound (self, _ ("From"), self->test->min);
      self->max = add_bound (self, _ ("To"), self->test->max);
    }
  self->is_filling = FALSE;
}

NsTest *
normscope_test_editor_dup_test (NormscopeTestEditor *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_TEST_EDITOR (self), NULL);
  return ns_test_copy (self->test);
}

static void
normscope_test_editor_finalize (GObject *object)
{
  NormscopeTestEditor *self = NORMSCOPE_TEST_EDITOR (object);

  ns_test_free (self->test);
  ns_experiment_free (self->experiment);
  g_array_unref (self->kinds);
  g_array_unref (self->of.quantities);
  g_array_unref (self->of.blocks);
  g_array_unref (self->of.steps);
  g_array_unref (self->over.quantities);
  g_array_unref (self->over.blocks);
  g_array_unref (self->over.steps);
  G_OBJECT_CLASS (normscope_test_editor_parent_class)->finalize (object);
}

static void
normscope_test_editor_class_init (NormscopeTestEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = normscope_test_editor_finalize;
  test_editor_signals[TEST_EDITOR_SIGNAL_CHANGED] =
      g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
normscope_test_editor_init (NormscopeTestEditor *self)
{
  self->kinds = g_array_new (FALSE, FALSE, sizeof (NsTestKind));
  self->of.quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->of.blocks = g_array_new (FALSE, FALSE, sizeof (int));
  self->of.steps = g_array_new (FALSE, FALSE, sizeof (int));
  self->over.quantities = g_array_new (FALSE, FALSE, sizeof (NsQuantity));
  self->over.blocks = g_array_new (FALSE, FALSE, sizeof (int));
  self->over.steps = g_array_new (FALSE, FALSE, sizeof (int));
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_grid_set_row_spacing (self->grid, 3);
  gtk_grid_set_column_spacing (self->grid, 6);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->grid));
}

GtkWidget *
normscope_test_editor_new (NormscopeTestEditorMode mode, const NsTest *test, const NsExperiment *experiment)
{
  NormscopeTestEditor *self = g_object_new (NORMSCOPE_TYPE_TEST_EDITOR, NULL);

  self->mode = mode;
  self->test = ns_test_copy (test);
  self->experiment = ns_experiment_copy (experiment);
  fill_test (self);
  return GTK_WIDGET (self);
}
