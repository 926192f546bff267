/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-sentence.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-clauses.h"
#include "app/shared/normscope-sensitive.h"
#include "figures/ns-links.h"

#define LINES 2
/* A line break in the paragraph, for which the label counts lines. */
#define NEW_LINE "\342\200\250"
/* The width of the popover, in characters. */
#define POPOVER_CHARS 70
#define BUTTON_GAP_PX 6
#define HIDE_MS 300

struct _NormscopeSentence
{
  GtkWidget parent_instance;

  GtkLabel *label;
  GtkMenuButton *more;
  GtkLabel *whole; /* in the popover of the button; has its text while that is shown */
  char *text;
  GArray *links;     /* NsLink, of the text; NULL: none */
  GArray *clauses;   /* Clause, of the text */
  PangoLayout *layout; /* measures what fits */
  int width;         /* for the text, in pixels; 0: not known yet */
  guint font_serial; /* of the context of the label */
  char *shown;       /* what the label shows, as markup */
  gboolean is_cut;   /* the text does not fit, so that the button is of use */
  guint fit_id;      /* of choosing what to show; 0: not queued */
  guint update_id;   /* of the button; 0: it is up to date */
};

/* A part of a line that can be left out with those that follow it in its line. In bytes of the text. */
typedef struct
{
  guint start, end;
  guint line;
  gboolean is_first, is_last; /* of its line */
  gboolean is_shown;
} Clause;

G_DEFINE_FINAL_TYPE (NormscopeSentence, normscope_sentence, GTK_TYPE_WIDGET)

enum { SENTENCE_SIGNAL_LINK, N_SENTENCE_SIGNALS };
static guint sentence_signals[N_SENTENCE_SIGNALS];

/* Append a part of the text with its links as markup. */
static void
append_markup (GString *markup, const char *text, const GArray *links, guint start, guint end)
{
  g_autofree char *rest = NULL;
  guint at = start;

  for (guint i = 0; links != NULL && i < links->len; i++)
    {
      const NsLink *link = &g_array_index (links, NsLink, i);
      g_autofree char *before = NULL;
      g_autofree char *words = NULL;

      if (link->start < at || link->end > end)
        continue;
      before = g_markup_escape_text (text + at, (gssize) (link->start - at));
      words = g_markup_escape_text (text + link->start, (gssize) (link->end - link->start));
      g_string_append_printf (markup, "%s<a href=\"%s\">%s</a>", before, link->page, words);
      at = link->end;
    }
  rest = g_markup_escape_text (text + at, (gssize) (end - at));
  g_string_append (markup, rest);
}

static void
show_whole (NormscopeSentence *self)
{
  g_autoptr (GString) markup = g_string_new (NULL);

  if (self->text != NULL)
    append_markup (markup, self->text, self->links, 0, (guint) strlen (self->text));
  gtk_label_set_markup (self->whole, markup->str);
}

/* ---- what fits ---- */

static void
split_into_clauses (NormscopeSentence *self)
{
  guint line = 0;

  g_array_set_size (self->clauses, 0);
  for (const char *at = self->text; *at != '\0'; line++)
    {
      const char *end = at + strcspn (at, "\n");
      gboolean is_first = TRUE;

      while (at < end)
        {
          Clause clause = { .start = (guint) (at - self->text), .line = line, .is_first = is_first };

          clause.end = (guint) (normscope_find_clause (at, end, &at) - self->text);
          clause.is_last = at == end;
          g_array_append_val (self->clauses, clause);
          is_first = FALSE;
        }
      at = *end != '\0' ? end + 1 : end;
    }
}

/* Return the clauses that are shown, the first ones of each line, with a full stop where a line is cut: as markup, or
 * as plain text. The lines after the second one follow it. The caller frees it. */
static char *
dup_shown (NormscopeSentence *self, const char *between_lines, gboolean with_markup)
{
  GString *text = g_string_new (NULL);
  const Clause *former = NULL;

  for (guint i = 0; i < self->clauses->len; i++)
    {
      const Clause *clause = &g_array_index (self->clauses, Clause, i);
      guint start = clause->start;

      if (!clause->is_shown)
        continue;
      if (former != NULL && former->line == clause->line)
        start = former->end; /* with what is between the two */
      else if (former != NULL)
        g_string_append_printf (text, "%s%s", former->is_last ? "" : ".", former->line == 0 ? between_lines : " ");
      if (with_markup)
        append_markup (text, self->text, self->links, start, clause->end);
      else
        g_string_append_len (text, self->text + start, (gssize) (clause->end - start));
      former = clause;
    }
  if (former != NULL && !former->is_last)
    g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}

static gboolean
fits (NormscopeSentence *self, const char *between_lines)
{
  g_autofree char *text = dup_shown (self, between_lines, FALSE);

  pango_layout_set_text (self->layout, text, -1);
  return pango_layout_get_line_count (self->layout) <= LINES;
}

/* Show what can be shown of the clauses which are, or are not, the first ones of their lines, up to the first one of
 * its line that has no room. Return their number. */
static guint
show_clauses (NormscopeSentence *self, const char *between_lines, gboolean first_ones)
{
  gboolean has_room = TRUE;
  guint n = 0;

  for (guint i = 0; i < self->clauses->len; i++)
    {
      Clause *clause = &g_array_index (self->clauses, Clause, i);

      if (clause->is_first)
        has_room = first_ones ? has_room : clause->is_shown;
      if (clause->is_first != first_ones || !has_room)
        continue;
      clause->is_shown = TRUE;
      clause->is_shown = has_room = fits (self, between_lines);
      n += has_room ? 1 : 0;
    }
  return n;
}

static void
set_all_shown (NormscopeSentence *self, gboolean is_shown)
{
  for (guint i = 0; i < self->clauses->len; i++)
    g_array_index (self->clauses, Clause, i).is_shown = is_shown;
}

/* Show the first clause of each line of the text, and then what else there is room for. Return their number. */
static guint
choose_some (NormscopeSentence *self, const char *between_lines)
{
  guint n;

  set_all_shown (self, FALSE);
  n = show_clauses (self, between_lines, TRUE);
  return n + show_clauses (self, between_lines, FALSE);
}

/* Choose what is shown: all if two lines hold it. Return what separates the first line of the text from the others: a
 * new line, unless without it two clauses more have room. */
static const char *
choose_clauses (NormscopeSentence *self)
{
  static const char *const separators[] = { NEW_LINE, " " };
  gboolean with_new_line;

  self->is_cut = FALSE;
  set_all_shown (self, TRUE);
  if (self->width <= 0 || self->clauses->len == 0)
    return " ";
  if (self->layout == NULL)
    {
      self->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self->label), NULL);
      pango_layout_set_wrap (self->layout, PANGO_WRAP_WORD_CHAR);
    }
  pango_layout_set_width (self->layout, self->width * PANGO_SCALE);
  for (guint i = 0; i < G_N_ELEMENTS (separators); i++)
    if (fits (self, separators[i]))
      return separators[i];
  self->is_cut = TRUE;
  with_new_line = choose_some (self, NEW_LINE) + 1 >= choose_some (self, " ");
  if (with_new_line)
    choose_some (self, NEW_LINE);
  /* Not even the first clause has room: the label ends it with an ellipsis. */
  g_array_index (self->clauses, Clause, 0).is_shown = TRUE;
  return with_new_line ? NEW_LINE : " ";
}

static void queue_update (NormscopeSentence *self);

static void
show_what_fits (NormscopeSentence *self)
{
  const char *between_lines = choose_clauses (self);
  g_autofree char *markup = dup_shown (self, between_lines, TRUE);

  queue_update (self);
  if (g_strcmp0 (markup, self->shown) == 0)
    return;
  gtk_label_set_markup (self->label, markup);
  g_free (self->shown);
  self->shown = g_steal_pointer (&markup);
}

static void
fit_cb (gpointer data)
{
  NormscopeSentence *self = data;

  self->fit_id = 0;
  show_what_fits (self);
}

void
normscope_sentence_set_text (NormscopeSentence *self, const char *text, const GArray *links)
{
  g_return_if_fail (NORMSCOPE_IS_SENTENCE (self));
  g_return_if_fail (text != NULL);

  g_free (self->text);
  self->text = g_strdup (text);
  g_clear_pointer (&self->links, g_array_unref);
  self->links = links != NULL ? g_array_copy ((GArray *) links) : NULL;
  split_into_clauses (self);
  show_what_fits (self);
  if (gtk_widget_get_visible (gtk_widget_get_parent (GTK_WIDGET (self->whole))))
    show_whole (self);
}

static gboolean
activate_link_cb (NormscopeSentence *self, const char *page)
{
  g_autofree char *id = g_strdup (page);

  gtk_menu_button_popdown (self->more);
  g_signal_emit (self, sentence_signals[SENTENCE_SIGNAL_LINK], 0, id);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.help-page", "s", id);
  return TRUE;
}

static void
update_more (gpointer data)
{
  NormscopeSentence *self = data;

  self->update_id = 0;
  gtk_widget_set_opacity (GTK_WIDGET (self->more), self->is_cut ? 1 : 0);
  normscope_set_sensitive (GTK_WIDGET (self->more), self->is_cut);
}

/* Show the button after the frame in which the text is cut: its style changes with it, and GTK does not draw what needs
 * a new size meanwhile. Hide it when the text has fit for a while: while a slider is dragged, some texts fit and some
 * do not, and each change of style costs a frame. */
static void
queue_update (NormscopeSentence *self)
{
  gboolean is_shown = gtk_widget_get_sensitive (GTK_WIDGET (self->more));

  g_clear_handle_id (&self->update_id, g_source_remove);
  if (self->is_cut != is_shown)
    self->update_id = g_timeout_add_once (self->is_cut ? 0 : HIDE_MS, update_more, self);
}

/* Return the width of the button and of the gap before it. */
static int
get_button_width (NormscopeSentence *self)
{
  int width;

  gtk_widget_measure (GTK_WIDGET (self->more), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width + BUTTON_GAP_PX;
}

/* Reserve the place of the button even if the text is not cut, since hiding it would change the line breaks. */
static void
normscope_sentence_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  NormscopeSentence *self = NORMSCOPE_SENTENCE (widget);
  gboolean is_right_to_left = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  guint serial;
  int button = get_button_width (self), minimum, text;

  gtk_widget_measure (GTK_WIDGET (self->label), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  text = MAX (minimum, width - button);
  gtk_widget_size_allocate (GTK_WIDGET (self->label),
                            &(GtkAllocation){ is_right_to_left ? width - text : 0, 0, text, height }, -1);
  button -= BUTTON_GAP_PX;
  gtk_widget_size_allocate (GTK_WIDGET (self->more),
                            &(GtkAllocation){ is_right_to_left ? 0 : width - button, 0, button, height }, -1);
  serial = pango_context_get_serial (gtk_widget_get_pango_context (GTK_WIDGET (self->label)));
  if (text != self->width || serial != self->font_serial)
    {
      self->width = text;
      self->font_serial = serial;
      g_clear_object (&self->layout);
      if (self->fit_id == 0)
        self->fit_id = g_timeout_add_once (0, fit_cb, self);
    }
}

/* The text takes the width that there is. A box would ask the label for the width that it needs for its height, which
 * it finds by breaking the lines for a dozen widths. */
static void
normscope_sentence_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                            int *minimum_baseline, int *natural_baseline)
{
  NormscopeSentence *self = NORMSCOPE_SENTENCE (widget);
  int button_minimum, button_natural, width = get_button_width (self);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      gtk_widget_measure (GTK_WIDGET (self->label), orientation, -1, minimum, NULL, NULL, NULL);
      *natural = *minimum += width;
      return;
    }
  gtk_widget_measure (GTK_WIDGET (self->label), orientation, for_size < 0 ? -1 : MAX (for_size - width, 0), minimum,
                      natural, NULL, NULL);
  gtk_widget_measure (GTK_WIDGET (self->more), orientation, -1, &button_minimum, &button_natural, NULL, NULL);
  *minimum = MAX (*minimum, button_minimum);
  *natural = MAX (*natural, button_natural);
}

static GtkSizeRequestMode
normscope_sentence_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
normscope_sentence_dispose (GObject *object)
{
  NormscopeSentence *self = NORMSCOPE_SENTENCE (object);

  g_clear_handle_id (&self->update_id, g_source_remove);
  g_clear_handle_id (&self->fit_id, g_source_remove);
  g_clear_object (&self->layout);
  if (self->label != NULL)
    {
      gtk_widget_unparent (GTK_WIDGET (self->label));
      gtk_widget_unparent (GTK_WIDGET (self->more));
      self->label = NULL;
    }
  G_OBJECT_CLASS (normscope_sentence_parent_class)->dispose (object);
}

static void
normscope_sentence_finalize (GObject *object)
{
  NormscopeSentence *self = NORMSCOPE_SENTENCE (object);

  g_free (self->text);
  g_free (self->shown);
  g_clear_pointer (&self->links, g_array_unref);
  g_array_unref (self->clauses);
  G_OBJECT_CLASS (normscope_sentence_parent_class)->finalize (object);
}

static void
normscope_sentence_class_init (NormscopeSentenceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = normscope_sentence_dispose;
  G_OBJECT_CLASS (klass)->finalize = normscope_sentence_finalize;
  sentence_signals[SENTENCE_SIGNAL_LINK] = g_signal_new ("link", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                                         NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  widget_class->size_allocate = normscope_sentence_size_allocate;
  widget_class->measure = normscope_sentence_measure;
  widget_class->get_request_mode = normscope_sentence_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "sentence");
}

/* A label that gets the focus by a key selects all of its text, for Ctrl+C, and the next Tab would leave it: start at
 * the first link instead. */
static gboolean
sentence_key_cb (GtkLabel *label, guint keyval)
{
  int start, end;

  if (keyval == GDK_KEY_Tab && gtk_label_get_selection_bounds (label, &start, &end) && start == 0)
    gtk_label_select_region (label, 0, 0);
  return GDK_EVENT_PROPAGATE;
}

static GtkLabel *
new_label (NormscopeSentence *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_yalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR); /* a name may be one long word */
  gtk_label_set_selectable (label, TRUE);
  g_signal_connect_swapped (label, "activate-link", G_CALLBACK (activate_link_cb), self);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (sentence_key_cb), label);
  gtk_widget_add_controller (GTK_WIDGET (label), keys);
  return label;
}

static void
normscope_sentence_init (NormscopeSentence *self)
{
  GtkWidget *popover = gtk_popover_new ();

  self->clauses = g_array_new (FALSE, FALSE, sizeof (Clause));
  self->label = new_label (self);
  gtk_label_set_lines (self->label, LINES);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->label), "sentence");

  self->whole = new_label (self);
  gtk_label_set_max_width_chars (self->whole, POPOVER_CHARS);
  gtk_popover_set_child (GTK_POPOVER (popover), GTK_WIDGET (self->whole));
  g_signal_connect_swapped (popover, "show", G_CALLBACK (show_whole), self);

  self->more = GTK_MENU_BUTTON (gtk_menu_button_new ());
  /* Translators: opens the rest of a text that two lines do not hold */
  gtk_menu_button_set_label (self->more, _ ("_More"));
  gtk_menu_button_set_use_underline (self->more, TRUE);
  gtk_menu_button_set_always_show_arrow (self->more, FALSE);
  gtk_menu_button_set_direction (self->more, GTK_ARROW_UP);
  gtk_menu_button_set_popover (self->more, popover);
  gtk_menu_button_set_has_frame (self->more, FALSE);
  gtk_widget_set_valign (GTK_WIDGET (self->more), GTK_ALIGN_END);
  gtk_widget_set_opacity (GTK_WIDGET (self->more), 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->more), FALSE);

  gtk_widget_set_parent (GTK_WIDGET (self->label), GTK_WIDGET (self));
  gtk_widget_set_parent (GTK_WIDGET (self->more), GTK_WIDGET (self));
}

void
normscope_sentence_hide (char **sentence, GArray **links)
{
  g_return_if_fail (sentence != NULL);
  g_clear_pointer (links, g_array_unref);
  g_free (*sentence);
  *sentence = g_strdup (_ ("The values are hidden until the answer is shown."));
}
