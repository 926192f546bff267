/* A strict check that text is JSON, to run before the parser.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-json-check.h"

#include "document/ns-file.h"
#include "document/ns-short-text.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

/* Maximum bytes of the file to quote in a message. */
#define MAX_QUOTED 40

/* One open object or array. */
typedef struct
{
  gboolean is_array;
  guint index;     /* of the item, in an array */
  const char *key; /* of the member without its quotes, in an object */
  gsize key_length;
  GHashTable *keys; /* of the object so far, without escapes; NULL in an array */
} Level;

typedef struct
{
  const char *start, *p, *end;
  const char *name;
  NsJsonAllowedFunc allowed;
  Level levels[NS_JSON_MAX_DEPTH];
  guint depth;
  guint n_values, max_values;
  GError **error;
} Scan;

static char *
dup_path (const Scan *scan)
{
  GString *path = g_string_new (NULL);

  for (guint i = 0; i < scan->depth; i++)
    {
      const Level *level = &scan->levels[i];

      if (level->is_array)
        g_string_append_printf (path, "[%u]", level->index);
      else if (level->key != NULL)
        {
          if (path->len > 0)
            g_string_append_c (path, '.');
          g_string_append_len (path, level->key, (gssize) level->key_length);
        }
    }
  return g_string_free (path, FALSE);
}

/* "FILE, line 3, column 7: shape.depth: what is wrong; allowed: …" */
static gboolean
fail_allowed (Scan *scan, const char *what, NsJsonAllowedFunc allowed_func)
{
  g_autofree char *whole_path = dup_path (scan);
  g_autofree char *path = ns_short_text (whole_path, NS_JSON_MAX_PATH);
  g_autofree char *allowed = allowed_func != NULL ? allowed_func (whole_path) : NULL;
  const char *line_start = scan->start;
  guint line = 1;

  for (const char *p = scan->start; p < scan->p; p++)
    if (*p == '\n')
      {
        line++;
        line_start = p + 1;
      }
  g_set_error (scan->error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s, line %u, column %ld: %s%s%s%s%s"),
               scan->name, line, g_utf8_strlen (line_start, scan->p - line_start) + 1, path, *path != '\0' ? ": " : "",
               what, allowed != NULL ? _ ("; allowed: ") : "", allowed != NULL ? allowed : "");
  return FALSE;
}

static gboolean
fail_scan (Scan *scan, const char *what)
{
  return fail_allowed (scan, what, NULL);
}

static gboolean
fail_truncated (Scan *scan)
{
  return fail_scan (scan, _ ("unexpected end of the file; it is truncated"));
}

/* Report the current token or character as unexpected. */
static gboolean
fail_here (Scan *scan, const char *expected)
{
  const char *end = scan->p;
  g_autofree char *found = NULL;
  g_autofree char *what = NULL;

  if (scan->p >= scan->end)
    return fail_truncated (scan);
  while (end < scan->end && end - scan->p < MAX_QUOTED && strchr (" \t\r\n,:]}[{", *end) == NULL)
    end = g_utf8_next_char (end);
  if (end == scan->p)
    end = g_utf8_next_char (end);
  found = g_strndup (scan->p, (gsize) (end - scan->p));
  what = g_strdup_printf (_ ("%s is not allowed here, %s is expected"), found, expected);
  return fail_allowed (scan, what, scan->allowed);
}

static void
skip_space (Scan *scan)
{
  while (scan->p < scan->end && (*scan->p == ' ' || *scan->p == '\t' || *scan->p == '\n' || *scan->p == '\r'))
    scan->p++;
}

/* Read the four hexadecimal digits after \u; return -1 if they are invalid. */
static int
read_hex (const char *p, const char *end)
{
  int value = 0;

  if (end - p < 4)
    return -1;
  for (int i = 0; i < 4; i++)
    {
      if (!g_ascii_isxdigit (p[i]))
        return -1;
      value = value * 16 + g_ascii_xdigit_value (p[i]);
    }
  return value;
}

/* Scan an escape; p is at its backslash. */
static gboolean
scan_escape (Scan *scan)
{
  int unit, low;

  if (scan->end - scan->p < 2)
    return fail_truncated (scan);
  if (scan->p[1] != 'u')
    {
      if (strchr ("\"\\/bfnrt", scan->p[1]) == NULL || scan->p[1] == '\0')
        return fail_scan (scan, _ ("unknown escape after \\ in a string"));
      scan->p += 2;
      return TRUE;
    }
  unit = read_hex (scan->p + 2, scan->end);
  if (unit < 0)
    return fail_scan (scan, _ ("\\u in a string needs four hexadecimal digits"));
  if (unit == 0)
    return fail_scan (scan, _ ("a string cannot contain the character \\u0000"));
  if (unit >= 0xd800 && unit < 0xe000)
    {
      low = -1;
      if (scan->end - scan->p >= 8 && scan->p[6] == '\\' && scan->p[7] == 'u')
        low = read_hex (scan->p + 8, scan->end);
      if (unit >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
        return fail_scan (scan, _ ("half a surrogate pair in a string"));
      scan->p += 6;
    }
  scan->p += 6;
  return TRUE;
}

static gboolean
scan_string (Scan *scan)
{
  scan->p++;
  while (scan->p < scan->end && *scan->p != '"')
    {
      if ((guchar) *scan->p < 0x20)
        return fail_scan (scan, _ ("a string cannot contain a line break or a control character; write \\n"));
      if (*scan->p != '\\')
        scan->p++;
      else if (!scan_escape (scan))
        return FALSE;
    }
  if (scan->p >= scan->end)
    return fail_truncated (scan);
  scan->p++;
  return TRUE;
}

static gboolean
skip_digits (Scan *scan)
{
  const char *first = scan->p;

  while (scan->p < scan->end && g_ascii_isdigit (*scan->p))
    scan->p++;
  return scan->p > first;
}

static gboolean
scan_number (Scan *scan)
{
  const char *first = scan->p;
  g_autofree char *token = NULL;
  gboolean is_integer = TRUE;

  if (*scan->p == '-')
    scan->p++;
  if (scan->p < scan->end && *scan->p == '0')
    scan->p++;
  else if (!skip_digits (scan))
    {
      scan->p = first;
      return fail_here (scan, _ ("a number"));
    }
  if (scan->p < scan->end && *scan->p == '.')
    {
      is_integer = FALSE;
      scan->p++;
      if (!skip_digits (scan))
        return fail_here (scan, _ ("a digit"));
    }
  if (scan->p < scan->end && (*scan->p == 'e' || *scan->p == 'E'))
    {
      is_integer = FALSE;
      scan->p++;
      if (scan->p < scan->end && (*scan->p == '+' || *scan->p == '-'))
        scan->p++;
      if (!skip_digits (scan))
        return fail_here (scan, _ ("a digit"));
    }
  /* The caller checks the next token, but would not notice characters attached to the number. */
  if (scan->p < scan->end && (g_ascii_isalnum (*scan->p) || *scan->p == '.'))
    {
      scan->p = first;
      return fail_here (scan, _ ("a number"));
    }
  token = g_strndup (first, (gsize) (scan->p - first));
  if (!is_integer)
    {
      /* An infinite number cannot be written back as JSON. */
      if (isfinite (g_ascii_strtod (token, NULL)))
        return TRUE;
      scan->p = first;
      return fail_here (scan, _ ("a number below 1.8e308"));
    }
  errno = 0;
  (void) g_ascii_strtoll (token, NULL, 10);
  if (errno == ERANGE)
    {
      scan->p = first;
      return fail_here (scan, _ ("a number within 64 bits"));
    }
  return TRUE;
}

static gboolean
scan_scalar (Scan *scan)
{
  static const char *const words[] = { "true", "false", "null" };

  if (scan->p >= scan->end)
    return fail_truncated (scan);
  if (*scan->p == '"')
    return scan_string (scan);
  if (g_ascii_isdigit (*scan->p) || *scan->p == '-')
    return scan_number (scan);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize length = strlen (words[i]);
      gsize left = (gsize) (scan->end - scan->p);

      if (left >= length && memcmp (scan->p, words[i], length) == 0
          && (left == length || !g_ascii_isalnum (scan->p[length])))
        {
          scan->p += length;
          return TRUE;
        }
    }
  return fail_here (scan, _ ("a value"));
}

/* Return the key without escapes, since "a" and "\u0061" are the same key. Its escapes are valid. */
static char *
dup_key (const Level *level)
{
  static const char letters[] = "bfnrt", controls[] = "\b\f\n\r\t";
  GString *key = g_string_sized_new (level->key_length);
  const char *end = level->key + level->key_length;

  for (const char *p = level->key; p < end; p++)
    {
      const char *letter;
      gunichar unit;

      if (*p != '\\')
        {
          g_string_append_c (key, *p);
          continue;
        }
      p++;
      letter = strchr (letters, *p);
      if (*p != 'u')
        {
          g_string_append_c (key, letter != NULL ? controls[letter - letters] : *p);
          continue;
        }
      unit = (gunichar) read_hex (p + 1, end);
      p += 4;
      if (unit >= 0xd800 && unit < 0xdc00)
        {
          unit = 0x10000 + ((unit - 0xd800) << 10) + ((gunichar) read_hex (p + 3, end) - 0xdc00);
          p += 6;
        }
      g_string_append_unichar (key, unit);
    }
  return g_string_free (key, FALSE);
}

static gboolean
check_key (Scan *scan, Level *level)
{
  if (level->key_length > NS_JSON_MAX_KEY_BYTES)
    {
      g_autofree char *what = g_strdup_printf (_ ("a key of %zu bytes is too long; allowed: up to %u"),
                                               level->key_length, NS_JSON_MAX_KEY_BYTES);

      level->key = NULL;
      return fail_scan (scan, what);
    }
  if (level->keys == NULL)
    level->keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return g_hash_table_add (level->keys, dup_key (level)) || fail_scan (scan, _ ("duplicate key"));
}

/* Scan the key and the colon of the next member of the innermost object. */
static gboolean
scan_key (Scan *scan)
{
  Level *level = &scan->levels[scan->depth - 1];
  const char *first, *after;

  skip_space (scan);
  level->key = NULL;
  if (scan->p >= scan->end || *scan->p != '"')
    return fail_here (scan, _ ("a key in double quotes"));
  first = scan->p;
  if (!scan_string (scan))
    return FALSE;
  level->key = first + 1;
  level->key_length = (gsize) (scan->p - first) - 2;

  after = scan->p;
  scan->p = first;
  if (!check_key (scan, level))
    return FALSE;
  scan->p = after;

  skip_space (scan);
  if (scan->p >= scan->end || *scan->p != ':')
    return fail_here (scan, "“:”");
  scan->p++;
  return TRUE;
}

static void
close_level (Scan *scan)
{
  scan->depth--;
  g_clear_pointer (&scan->levels[scan->depth].keys, g_hash_table_unref);
}

/* Open an object or array; *empty is TRUE if it closes immediately. */
static gboolean
open_level (Scan *scan, gboolean *empty)
{
  gboolean is_array = *scan->p == '[';

  if (scan->depth == NS_JSON_MAX_DEPTH)
    {
      g_autofree char *what = g_strdup_printf (_ ("nested deeper than %u levels"), NS_JSON_MAX_DEPTH);

      return fail_scan (scan, what);
    }
  scan->p++;
  scan->levels[scan->depth++] = (Level) { .is_array = is_array };
  skip_space (scan);
  *empty = scan->p < scan->end && *scan->p == (is_array ? ']' : '}');
  if (*empty)
    {
      scan->p++;
      close_level (scan);
      return TRUE;
    }
  return is_array || scan_key (scan);
}

/* After a value, close objects and arrays that end here. Stop at the next value or, with *done set, at the end of the
 * document. */
static gboolean
next_value (Scan *scan, gboolean *done)
{
  *done = FALSE;
  while (scan->depth > 0)
    {
      Level *level = &scan->levels[scan->depth - 1];

      skip_space (scan);
      if (scan->p < scan->end && *scan->p == ',')
        {
          scan->p++;
          level->index++;
          return level->is_array || scan_key (scan);
        }
      if (scan->p >= scan->end || *scan->p != (level->is_array ? ']' : '}'))
        return fail_here (scan, level->is_array ? _ ("“,” or “]”") : _ ("“,” or “}”"));
      scan->p++;
      close_level (scan);
    }
  skip_space (scan);
  *done = TRUE;
  return scan->p == scan->end || fail_here (scan, _ ("the end of the file"));
}

static gboolean
scan_document (Scan *scan)
{
  gboolean done = FALSE;

  while (!done)
    {
      skip_space (scan);
      if (++scan->n_values > scan->max_values)
        {
          g_autofree char *what = g_strdup_printf (_ ("too many values; allowed: %u"), scan->max_values);

          return fail_scan (scan, what);
        }
      if (scan->p < scan->end && (*scan->p == '{' || *scan->p == '['))
        {
          gboolean empty;

          if (!open_level (scan, &empty))
            return FALSE;
          if (!empty)
            continue;
        }
      else if (!scan_scalar (scan))
        return FALSE;
      if (!next_value (scan, &done))
        return FALSE;
    }
  return TRUE;
}

gboolean
ns_json_check (const char *text, gsize length, guint max_values, const char *name, const char *expected,
               NsJsonAllowedFunc allowed, GError **error)
{
  const char *invalid;
  gboolean is_valid;
  Scan scan = { .start = text, .p = text, .end = text + length, .max_values = max_values, .name = name,
                .allowed = allowed, .error = error };

  skip_space (&scan);
  if (scan.p == scan.end)
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT, _ ("%s is empty; allowed: %s"), name, expected);
      return FALSE;
    }
  if (!g_utf8_validate_len (text, length, &invalid))
    {
      g_set_error (error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s is not text in UTF-8: byte %zu is 0x%02x"), name, (gsize) (invalid - text) + 1,
                   (guint8) *invalid);
      return FALSE;
    }
  is_valid = scan_document (&scan);
  while (scan.depth > 0)
    close_level (&scan);
  return is_valid;
}
