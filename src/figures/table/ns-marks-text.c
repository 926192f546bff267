/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/table/ns-marks-text.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "engine/experiment/ns-experiment-error.h"
#include "engine/experiment/ns-text.h"
#include "figures/ns-flow-private.h"

/* A text that is read from left to right. */
typedef struct
{
  const char *all, *rest;
  const NsExperiment *experiment;
} Reader;

/* Take the text up to the next colon, or the rest. */
static char *
take_word (Reader *reader)
{
  const char *colon = strchr (reader->rest, ':');
  char *word = colon != NULL ? g_strndup (reader->rest, (gsize) (colon - reader->rest)) : g_strdup (reader->rest);

  reader->rest = colon != NULL ? colon + 1 : reader->rest + strlen (reader->rest);
  return word;
}

static gboolean
refuse (const Reader *reader, NsPart part, GError **error)
{
  g_autofree char *quoted = ns_quote_text (reader->all);

  ns_experiment_error_set (error, NS_EXPERIMENT_ERROR_VALUE, NULL,
                           _ ("%s does not begin with a block, allowed are 0 (the input) to %lld or last, behind "
                              "QUANTITY@ and, in an encoder-decoder, encoder: or decoder:"),
                           quoted, (long long) ns_experiment_get_depth (reader->experiment, part));
  return FALSE;
}

/* Read "[PART:][QUANTITY@]BLOCK"; `quantity` NULL: none is allowed. */
static gboolean
read_place (Reader *reader, NsPlace *place, NsQuantity *quantity, GError **error)
{
  gint64 last = ns_experiment_get_n_parts (reader->experiment) - 1;
  g_autofree char *word = take_word (reader);
  const char *block = word, *at;
  guint64 number;
  gint64 depth;

  place->part = ns_experiment_get_part (reader->experiment, last);
  for (gint64 p = 0; p <= last && last > 0; p++)
    if (strcmp (word, ns_part_get_name (ns_experiment_get_part (reader->experiment, p))) == 0)
      {
        place->part = ns_experiment_get_part (reader->experiment, p);
        g_free (word);
        block = word = take_word (reader);
        break;
      }
  at = strchr (word, '@');
  if (at != NULL)
    {
      g_autofree char *name = g_strndup (word, (gsize) (at - word));

      if (quantity == NULL || !ns_quantity_from_name (name, quantity))
        return refuse (reader, place->part, error);
      block = at + 1;
    }
  depth = ns_experiment_get_depth (reader->experiment, place->part);
  if (strcmp (block, "last") == 0)
    place->block = depth;
  else if (g_ascii_string_to_unsigned (block, 10, 0, (guint64) depth, &number, NULL))
    place->block = (gint64) number;
  else
    return refuse (reader, place->part, error);
  return TRUE;
}

gboolean
ns_marks_add_pin_text (NsMarks *marks, const char *text, const NsExperiment *experiment, GError **error)
{
  Reader reader = { text, text, experiment };
  NsQuantity quantity = NS_Q_BLOCK;
  NsPin pin = { 0 };

  g_return_val_if_fail (marks != NULL && text != NULL && experiment != NULL, FALSE);

  if (!read_place (&reader, &pin.place, &quantity, error))
    return FALSE;
  pin.panel = ns_quantity_info (quantity)->kind;
  pin.has_other = reader.rest[-1] == ':';
  if (pin.has_other && !read_place (&reader, &pin.other, NULL, error))
    return FALSE;
  if (reader.rest[-1] == ':')
    return refuse (&reader, pin.place.part, error);
  ns_marks_add_pin (marks, &pin);
  return TRUE;
}

/* Return the variant whose name and a slash begin the text, the longest one, or −1. */
static int
find_variant (Reader *reader)
{
  gsize longest = 0;
  int variant = -1;

  for (guint v = 0; v < reader->experiment->variants->len; v++)
    {
      const char *name = ns_experiment_variant (reader->experiment, v)->name;
      gsize length = strlen (name);

      if (length < longest || !g_str_has_prefix (reader->rest, name) || reader->rest[length] != '/')
        continue;
      longest = length;
      variant = (int) v;
    }
  if (variant >= 0)
    reader->rest += longest + 1;
  return variant;
}

static int
find_visible (const NsExperiment *experiment, const NsFlowOptions *options)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_flow_is_visible (options, v))
      return (int) v;
  return 0;
}

gboolean
ns_marks_add_note_text (NsMarks *marks, NsNoteKind kind, const char *text, const NsExperiment *experiment,
                        NsFigureKind figure, const NsFigureOptions *options, GError **error)
{
  Reader reader = { text, text, experiment };
  NsNote note = { .kind = kind };

  g_return_val_if_fail (marks != NULL && text != NULL && experiment != NULL, FALSE);

  note.variant = find_variant (&reader);
  if (note.variant < 0)
    note.variant = find_visible (experiment, &options->flow);
  note.figure = (int) ns_paths_get_note_figure (figure, &options->paths, 0, &note.has_column, &note.quantity);
  if (figure == NS_FIGURE_FLOW || figure == NS_FIGURE_TRAINING_PROFILE)
    note.quantity = options->flow.gradient;
  if (!read_place (&reader, &note.place, note.figure == NS_FIGURE_FLOW ? &note.quantity : NULL, error)
      || (note.has_column && !read_place (&reader, &note.column, NULL, error)))
    return FALSE;
  note.text = (char *) reader.rest;
  ns_marks_add_note (marks, &note);
  return TRUE;
}
