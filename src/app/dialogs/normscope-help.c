/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/dialogs/normscope-help.h"

#include <glib/gi18n-lib.h>

#include "document/ns-claims.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-variants.h"

#define PAGE_WIDTH 620
#define SHORTCUTS "/org/normscope/Normscope/gtk/help-overlay.ui"

struct _NormscopeHelp
{
  AdwWindow parent_instance;
  AdwViewStack *stack;
};

G_DEFINE_FINAL_TYPE (NormscopeHelp, normscope_help, ADW_TYPE_WINDOW)

/* ---- text ---- */

typedef struct
{
  const char *title, *text; /* N_() marked */
} Entry;

static const Entry overview[] = {
  { N_ ("What it shows"),
    N_ ("Normscope draws the weights of real transformers at random, runs them forward and backward, and shows how "
        "large gradients and activations are in every block, before any training.") },
  { N_ ("No formula is behind the sliders"),
    N_ ("Every point comes from an exact forward and backward pass with the settings on the left, over several draws "
        "of the weights. The first picture comes from one draw; the others refine it.") },
  { N_ ("Variants"),
    N_ ("Each variant is a wiring of its own: where the norms stand, which residual connections exist, how the "
        "weights are drawn. All variants share shape, data and seeds, so that they can be compared.") },
};

static const Entry plots[] = {
  { N_ ("Upper plot: gradients"),
    N_ ("The norm of the gradient at each block, from the input on the left to the loss on the right. A curve that "
        "falls toward the left: the first blocks learn slowly. A curve that rises toward the left: their steps are "
        "the largest. Flat: every block learns alike.") },
  { N_ ("Lower plot: activations"),
    N_ ("The size of the residual stream after each block. Where it grows with depth, a branch counts for less and "
        "less in its sum.") },
  { N_ ("Token similarity"),
    N_ ("The mean cosine between the tokens of a sequence. At 1 all tokens have become one vector, and attention can "
        "no longer tell them apart.") },
  { N_ ("Band"), N_ ("One standard deviation over the seeds on either side of the curve.") },
  { N_ ("Logarithmic axis"),
    N_ ("Equal distances are equal factors. Exponential growth is a straight line there.") },
  { N_ ("Triangles and diamonds"),
    N_ ("Values that no axis can show: a red triangle is an overflow, a blue one a zero or an underflow, a red diamond "
        "not a number.") },
  { N_ ("Crosshair and read-out"),
    N_ ("Point at a plot, or press ← and → in it, to read the values of a block in numbers.") },
  { N_ ("Sentence"), N_ ("The text under the plots says in numbers what the picture shows. Screen readers read it.") },
};

static const Entry scaling[] = {
  { N_ ("One quantity against depth or width"),
    N_ ("The Scaling view runs the experiment at many depths or widths and fits the exponent of a power law for each "
        "seed, with a 95 % interval over the seeds.") },
  { N_ ("Claims"),
    N_ ("Each card holds a statement of a paper. The program checks whether the settings meet its assumptions, and "
        "compares it with what it measures: consistent, not consistent, cannot tell, or outside the assumptions.") },
};

static const Entry methods[] = {
  { N_ ("How the numbers are confirmed"),
    N_ ("The gradients agree with PyTorch in double precision, with finite differences, and with the adjoint identity "
        "of every operation. Verify in the main menu repeats these checks on your experiment.") },
  { N_ ("Statistics"),
    N_ ("On a logarithmic axis a value is the geometric mean over the seeds, with the factor of one standard "
        "deviation; on a linear axis the mean, with one standard deviation. The plot says which.") },
  { N_ ("At initialization only"),
    N_ ("Nothing here is trained. What the picture says about learning is what the first step can do, not where "
        "training ends.") },
};

/* ---- pages ---- */

static GtkBox *
add_page (NormscopeHelp *self, const char *title, const char *icon_name)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *clamp = adw_clamp_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  AdwViewStackPage *page;

  gtk_widget_add_css_class (box, "help");
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), PAGE_WIDTH);
  adw_clamp_set_child (ADW_CLAMP (clamp), box);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), clamp);
  page = adw_view_stack_add_titled (self->stack, scroller, NULL, title);
  adw_view_stack_page_set_icon_name (page, icon_name);
  return GTK_BOX (box);
}

static GtkWidget *
add_label (GtkBox *page, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (page, label);
  return label;
}

/* One label for all entries under a heading: hundreds of rows would take a second to appear. */
typedef struct
{
  GtkBox *page;
  GString *markup;
} Group;

static void
group_begin (Group *group, GtkBox *page, const char *title)
{
  *group = (Group) { page, g_string_new (NULL) };
  gtk_label_set_label (GTK_LABEL (add_label (page, "title-4")), title);
}

static void
group_add (Group *group, const char *title, const char *text)
{
  g_autofree char *entry = g_markup_printf_escaped ("%s<b>%s</b>\n%s", group->markup->len > 0 ? "\n\n" : "", title,
                                                    text);

  g_string_append (group->markup, entry);
}

static void
group_end (Group *group)
{
  GtkWidget *label = add_label (group->page, NULL);

  gtk_label_set_markup (GTK_LABEL (label), group->markup->str);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  g_string_free (group->markup, TRUE);
}

static void
add_entries (GtkBox *page, const char *title, const Entry *entries, gsize n)
{
  Group group;

  group_begin (&group, page, title);
  for (gsize i = 0; i < n; i++)
    group_add (&group, _ (entries[i].title), _ (entries[i].text));
  group_end (&group);
}

/* ---- controls ---- */

static void
add_params (GtkBox *page, const char *title, gboolean of_variants)
{
  gsize n;
  const NsParam *params = ns_params (&n);
  Group group;

  group_begin (&group, page, title);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = NULL;

      if ((params[i].section == NS_SECTION_VARIANT) != of_variants)
        continue;
      /* Translators: what a control does, and its key in files and on the command line */
      text = g_strdup_printf (_ ("%s. Key: %s"), _ (params[i].help), ns_param_get_path (&params[i]));
      group_add (&group, _ (params[i].label), text);
    }
  group_end (&group);
}

/* ---- sources ---- */

static gboolean
is_new (GHashTable *seen, const char *source)
{
  return source != NULL && source[0] != '\0' && g_hash_table_add (seen, (gpointer) source);
}

static char *
dup_variants_of (const char *source)
{
  GString *names = g_string_new (NULL);
  gsize n;
  const NsBuiltinVariant *variants = ns_builtin_variants (&n);

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (variants[i].source, source))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", variants[i].name);
  return g_string_free (names, FALSE);
}

static void
add_sources (GtkBox *page)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *claims = ns_claims_builtin ();
  gsize n;
  const NsBuiltinVariant *variants = ns_builtin_variants (&n);
  Group group;

  group_begin (&group, page, _ ("Sources of the variants"));
  for (gsize i = 0; i < n; i++)
    if (is_new (seen, variants[i].source))
      {
        g_autofree char *names = dup_variants_of (variants[i].source);

        group_add (&group, variants[i].source, names);
      }
  group_end (&group);
  group_begin (&group, page, _ ("Sources of the claims"));
  for (guint i = 0; i < claims->len; i++)
    {
      const NsClaim *claim = g_ptr_array_index (claims, i);

      group_add (&group, claim->title, claim->source);
    }
  group_end (&group);
}

/* ---- keys ---- */

/* Return the keys of "Right Left" in words. */
static char *
dup_keys (const char *accelerators)
{
  g_auto (GStrv) words = g_strsplit (accelerators, " ", -1);

  for (char **word = words; *word != NULL; word++)
    {
      GdkModifierType modifiers;
      guint key;
      char *name;

      if (!gtk_accelerator_parse (*word, &key, &modifiers))
        continue;
      name = gtk_accelerator_get_label (key, modifiers);
      g_free (*word);
      *word = name;
    }
  return g_strjoinv (", ", words);
}

/* The window of shortcuts has the list; show it under the same headings. Shortcuts without a group are copies for the
 * search of that window. */
static void
add_keys (GtkWidget *widget, GtkBox *page, Group *group)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      g_autofree char *title = NULL;

      if (GTK_IS_SHORTCUTS_GROUP (child))
        {
          Group keys;

          g_object_get (child, "title", &title, NULL);
          group_begin (&keys, page, title);
          add_keys (child, page, &keys);
          group_end (&keys);
        }
      else if (GTK_IS_SHORTCUTS_SHORTCUT (child) && group != NULL)
        {
          g_autofree char *accelerators = NULL;
          g_autofree char *keys = NULL;

          g_object_get (child, "title", &title, "accelerator", &accelerators, NULL);
          keys = dup_keys (accelerators);
          group_add (group, keys, title);
        }
      else
        {
          add_keys (child, page, group);
        }
    }
}

static void
add_shortcuts (GtkBox *page)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource (SHORTCUTS);
  GObject *window = gtk_builder_get_object (builder, "help_overlay");

  add_keys (GTK_WIDGET (window), page, NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- the object ---- */

static void
normscope_help_class_init (NormscopeHelpClass *klass)
{
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
add_content (NormscopeHelp *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *header = adw_header_bar_new ();
  GtkWidget *switcher = adw_view_switcher_new ();

  self->stack = ADW_VIEW_STACK (adw_view_stack_new ());
  /* Only the page on screen is measured. */
  adw_view_stack_set_vhomogeneous (self->stack, FALSE);
  adw_view_stack_set_hhomogeneous (self->stack, FALSE);
  adw_view_switcher_set_policy (ADW_VIEW_SWITCHER (switcher), ADW_VIEW_SWITCHER_POLICY_WIDE);
  adw_view_switcher_set_stack (ADW_VIEW_SWITCHER (switcher), self->stack);
  adw_header_bar_set_title_widget (ADW_HEADER_BAR (header), switcher);
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  adw_window_set_content (ADW_WINDOW (self), box);
}

static void
normscope_help_init (NormscopeHelp *self)
{
  GtkBox *page;

  add_content (self);
  page = add_page (self, _ ("Plots"), "normscope-flow-symbolic");
  add_entries (page, _ ("Normscope"), overview, G_N_ELEMENTS (overview));
  add_entries (page, _ ("Reading the plots"), plots, G_N_ELEMENTS (plots));
  add_entries (page, _ ("Scaling"), scaling, G_N_ELEMENTS (scaling));

  page = add_page (self, _ ("Controls"), "emblem-system-symbolic");
  add_params (page, _ ("All variants"), FALSE);
  add_params (page, _ ("Each variant"), TRUE);

  page = add_page (self, _ ("Science"), "accessories-dictionary-symbolic");
  add_entries (page, _ ("Method"), methods, G_N_ELEMENTS (methods));
  add_sources (page);

  page = add_page (self, _ ("Keys"), "input-keyboard-symbolic");
  add_shortcuts (page);
}

NormscopeHelp *
normscope_help_new (GtkWindow *parent)
{
  return g_object_new (NORMSCOPE_TYPE_HELP, "transient-for", parent, "title", _ ("Help"), "default-width", 720,
                       "default-height", 640, NULL);
}
