/* Read and write the marks of lecture files: pins, notes and references.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-experiment-json.h"
#include "document/ns-experiment-write.h"
#include "engine/experiment/ns-experiment.h"
#include "lecture/ns-lecture-private.h"

#include <glib/gi18n-lib.h>

/* The panel of a pin. */
static const char *const panel_words[] = { "gradient", "activation", "cosine", NULL };
static const NsQuantityKind panels[] = { NS_KIND_GRADIENT, NS_KIND_ACTIVATION, NS_KIND_COSINE };
/* In the order of NsNoteKind. */
static const char *const note_words[] = { "text", "arrow", NULL };

/* ---- reading ---- */

static void
read_place (NsObject *object, NsPlace *place)
{
  if (ns_object_require (object, "block") != NULL)
    ns_object_get_integer (object, "block", 0, G_MAXINT, &place->block);
  ns_object_get_part (object, "part", &place->part);
}

static void
read_pin (NsObject *object, NsLectureStep *step)
{
  NsPin pin = { .panel = NS_KIND_GRADIENT };
  JsonNode *to = ns_object_get (object, "to");
  guint panel;

  if (ns_object_get_word (object, "panel", panel_words, &panel))
    pin.panel = panels[panel];
  read_place (object, &pin.place);
  if (to != NULL)
    {
      g_autofree char *path = ns_object_dup_path (object, "to");
      g_auto (NsObject) other;

      pin.has_other = TRUE;
      ns_object_init (&other, to, path, object->error);
      read_place (&other, &pin.other);
      ns_object_end (&other);
    }
  ns_marks_add_pin (step->marks, &pin);
}

/* Read the figure without quantities that a note stands in, and in a map its column. */
static void
read_figure (NsObject *object, NsNote *note)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  JsonNode *column = ns_object_get (object, "column");
  guint figure;

  for (NsFigureKind kind = 0; kind < NS_N_FIGURES; kind++)
    g_ptr_array_add (ids, (gpointer) ns_figure_info (kind)->id);
  g_ptr_array_add (ids, NULL);
  if (ns_object_get_word (object, "figure", (const char *const *) ids->pdata, &figure))
    note->figure = (int) figure;
  if (column != NULL)
    {
      g_autofree char *path = ns_object_dup_path (object, "column");
      g_auto (NsObject) other;

      note->has_column = TRUE;
      ns_object_init (&other, column, path, object->error);
      read_place (&other, &note->column);
      ns_object_end (&other);
    }
}

static void
read_note (NsObject *object, NsLectureStep *step)
{
  g_autofree char *text = g_strdup ("");
  NsNote note = { .kind = NS_NOTE_TEXT, .quantity = NS_Q_BLOCK };
  guint kind = NS_NOTE_TEXT, variant = 0;

  ns_object_get_word (object, "kind", note_words, &kind);
  ns_object_get_text (object, "text", &text);
  ns_object_get_quantity (object, "quantity", &note.quantity);
  ns_object_get_variant (object, "variant", step->experiment, &variant);
  read_place (object, &note.place);
  read_figure (object, &note);
  note.kind = (NsNoteKind) kind;
  note.variant = (int) variant;
  note.text = text;
  ns_marks_add_note (step->marks, &note);
}

static void
read_reference (NsObject *object, NsLectureStep *step)
{
  JsonNode *node = ns_object_require (object, "experiment");
  g_autofree char *name = NULL;
  g_autoptr (GError) cause = NULL;
  g_autoptr (NsExperiment) experiment = NULL;
  NsReference *reference;
  gint64 style = 1;

  if (ns_object_require (object, "name") != NULL)
    ns_object_get_text (object, "name", &name);
  ns_object_get_integer (object, "style", 1, NS_LECTURE_MAX_STYLE, &style);
  experiment = node != NULL ? ns_experiment_from_node (node, &cause) : NULL;
  if (cause != NULL)
    {
      g_autofree char *path = ns_object_dup_path (object, "experiment");

      ns_lecture_refuse (object->error, path, "%s", cause->message);
    }
  if (ns_object_failed (object) || name == NULL || experiment == NULL)
    return;
  reference = g_new0 (NsReference, 1);
  reference->name = g_steal_pointer (&name);
  reference->experiment = g_steal_pointer (&experiment);
  reference->style = (int) style - 1;
  g_ptr_array_add (step->marks->references, reference);
  node = ns_object_get (object, "color");
  if (node == NULL)
    return;
  reference->has_color = ns_json_node_get_string (node) != NULL
                         && ns_lecture_color_from_text (ns_json_node_get_string (node), &reference->color);
  if (!reference->has_color)
    ns_object_refuse (object, "color", g_strdup (_ ("a colour #rrggbb")));
}

static void
read_list (NsObject *view, const char *key, guint max, NsLectureStep *step,
           void (*read) (NsObject *object, NsLectureStep *step))
{
  JsonArray *array = ns_object_get_array (view, key, _ ("an array [ … ] of objects"));
  guint n = array != NULL ? json_array_get_length (array) : 0;

  if (n > max)
    {
      g_autofree char *path = ns_object_dup_path (view, key);

      ns_lecture_refuse (view->error, path, _ ("%u of them are too many; allowed: up to %u"), n, max);
    }
  for (guint i = 0; i < n && !ns_object_failed (view); i++)
    {
      g_autofree char *item = g_strdup_printf ("%s[%u]", key, i);
      g_autofree char *path = ns_object_dup_path (view, item);
      g_auto (NsObject) object;

      ns_object_init (&object, json_array_get_element (array, i), path, view->error);
      read (&object, step);
      ns_object_end (&object);
    }
}

void
ns_lecture_marks_read (NsObject *view, NsLectureStep *step)
{
  step->marks = ns_marks_new ();
  read_list (view, "pins", NS_MARKS_MAX_PINS, step, read_pin);
  read_list (view, "notes", NS_MARKS_MAX_NOTES, step, read_note);
  read_list (view, "references", NS_MARKS_MAX_REFERENCES, step, read_reference);
  if (ns_marks_are_empty (step->marks))
    g_clear_pointer (&step->marks, ns_marks_free);
}

/* ---- writing ---- */

static void
write_place (NsJsonWriter *writer, const NsPlace *place)
{
  ns_json_integer (writer, "block", place->block);
  if (place->part != NS_PART_STACK)
    ns_json_string (writer, "part", ns_part_get_name (place->part));
}

static void
write_pin (NsJsonWriter *writer, const NsPin *pin)
{
  ns_json_open_compact (writer, NULL, '{');
  for (gsize i = 0; i < G_N_ELEMENTS (panels); i++)
    if (panels[i] == pin->panel)
      ns_json_string (writer, "panel", panel_words[i]);
  write_place (writer, &pin->place);
  if (pin->has_other)
    {
      ns_json_open (writer, "to", '{');
      write_place (writer, &pin->other);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, '}');
}

static void
write_note (NsJsonWriter *writer, const NsNote *note, const NsExperiment *experiment)
{
  ns_json_open_compact (writer, NULL, '{');
  ns_json_string (writer, "kind", note_words[note->kind]);
  ns_json_string (writer, "text", note->text);
  ns_json_string (writer, "quantity", ns_quantity_info (note->quantity)->name);
  ns_json_string (writer, "variant", ns_experiment_variant (experiment, (guint) note->variant)->name);
  write_place (writer, &note->place);
  if (note->figure != NS_FIGURE_FLOW)
    ns_json_string (writer, "figure", ns_figure_info ((NsFigureKind) note->figure)->id);
  if (note->has_column)
    {
      ns_json_open (writer, "column", '{');
      write_place (writer, &note->column);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, '}');
}

static void
write_reference (NsJsonWriter *writer, const NsReference *reference)
{
  ns_json_open (writer, NULL, '{');
  ns_json_string (writer, "name", reference->name);
  ns_json_integer (writer, "style", reference->style + 1);
  if (reference->has_color)
    {
      g_autofree char *color = ns_lecture_dup_color (&reference->color);

      ns_json_string (writer, "color", color);
    }
  ns_experiment_write_minimal (writer, "experiment", reference->experiment);
  ns_json_close (writer, '}');
}

void
ns_lecture_marks_write (NsJsonWriter *writer, const NsLectureStep *step)
{
  const NsMarks *marks = step->marks;

  if (ns_marks_are_empty (marks))
    return;
  ns_json_open (writer, "pins", '[');
  for (guint i = 0; i < marks->pins->len; i++)
    write_pin (writer, &g_array_index (marks->pins, NsPin, i));
  ns_json_close (writer, ']');
  ns_json_open (writer, "notes", '[');
  for (guint i = 0; i < marks->notes->len; i++)
    write_note (writer, g_ptr_array_index (marks->notes, i), step->experiment);
  ns_json_close (writer, ']');
  ns_json_open (writer, "references", '[');
  for (guint i = 0; i < marks->references->len; i++)
    {
      const NsReference *reference = g_ptr_array_index (marks->references, i);

      if (!reference->is_recorded) /* its numbers follow from no experiment */
        write_reference (writer, reference);
    }
  ns_json_close (writer, ']');
}
