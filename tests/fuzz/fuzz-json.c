/* Mutations of JSON. libFuzzer's mutations of bytes nearly always break the syntax and so never get past the parser.
 * These mutations exchange values, keys and members, and mostly keep the syntax valid.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz-json.h"

#include <string.h>

#define MAX_TOKENS 512

typedef struct
{
  gsize at, length;
} Token;

static const char *const interesting[] = {
  "0", "-1", "1", "2", "3", "7", "16", "65536", "65537", "1e9", "0.5", "-0.0", "1e-5", "1e308", "1e-320", "1e400",
  "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "null", "true", "false",
  "\"\"", "\"pre\"", "\"post\"", "\"deepnorm\"", "\"gpt2\"", "\"text\"", "\"tokens\"", "\"\\u0007\"",
  "\"\\ud83d\\ude00\"", "[]", "{}", "[{}]", "[{},{}]", "NaN",
};

/* xorshift; deterministic, since libFuzzer requires the same mutation for the same seed. */
static guint32
next_random (guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Find strings, words and numbers. */
static guint
find_tokens (const char *text, gsize size, Token *tokens)
{
  guint n = 0;

  for (gsize i = 0; i < size && n < MAX_TOKENS;)
    {
      gsize first = i;

      if (text[i] == '"')
        {
          for (i++; i < size && text[i] != '"'; i++)
            if (text[i] == '\\')
              i++;
          i = MIN (i + 1, size);
        }
      else
        while (i < size && (g_ascii_isalnum (text[i]) || strchr ("+-.", text[i]) != NULL) && text[i] != '\0')
          i++;
      if (i > first)
        tokens[n++] = (Token) { first, i - first };
      else
        i++;
    }
  return n;
}

static void
append_number (GString *out, guint32 *state)
{
  if (next_random (state) % 2 == 0)
    g_string_append_printf (out, "%u", next_random (state) % 20);
  else
    g_string_append_printf (out, "%u.%ue%d", next_random (state) % 10, next_random (state) % 1000,
                            (int) (next_random (state) % 40) - 20);
}

/* Pick a token; half of the time a number, if there is one. */
static const Token *
pick (const char *text, const Token *tokens, guint n, guint32 *state)
{
  guint start = next_random (state) % n;

  if (next_random (state) % 2 == 0)
    for (guint i = 0; i < n; i++)
      if (g_ascii_isdigit (text[tokens[(start + i) % n].at]))
        return &tokens[(start + i) % n];
  return &tokens[start];
}

/* Append a replacement for `token`: a random number for a number, an interesting value, or another token of the
 * text. */
static void
append_value (GString *out, const char *text, const Token *token, const Token *tokens, guint n, guint32 *state)
{
  guint32 choice = next_random (state) % 4;

  if (choice < 2 && text[token->at] != '"')
    append_number (out, state);
  else if (choice < 3)
    g_string_append (out, interesting[next_random (state) % G_N_ELEMENTS (interesting)]);
  else
    {
      const Token *other = &tokens[next_random (state) % n];

      g_string_append_len (out, text + other->at, (gssize) other->length);
    }
}

static gsize
mutate_json (guint8 *data, gsize size, gsize max_size, guint seed)
{
  g_autofree Token *tokens = g_new (Token, MAX_TOKENS);
  g_autoptr (GString) out = g_string_new (NULL);
  const char *text = (const char *) data;
  guint n = find_tokens (text, size, tokens);
  guint32 state = seed | 1;
  guint32 operation = next_random (&state) % 8;
  const Token *first, *second;

  if (n == 0)
    return LLVMFuzzerMutate (data, size, max_size);
  first = pick (text, tokens, n, &state);
  second = &tokens[next_random (&state) % n];
  if (second->at < first->at && operation < 2)
    {
      const Token *swap = first;

      first = second;
      second = swap;
    }
  g_string_append_len (out, text, (gssize) first->at);
  switch (operation)
    {
    case 0: /* remove the text between two tokens, which drops members */
      g_string_append_len (out, text + second->at, (gssize) (size - second->at));
      break;
    case 1: /* duplicate the text between two tokens, which repeats members */
      g_string_append_len (out, text + first->at, (gssize) (second->at - first->at));
      g_string_append_len (out, text + first->at, (gssize) (size - first->at));
      break;
    default:
      append_value (out, text, first, tokens, n, &state);
      g_string_append_len (out, text + first->at + first->length, (gssize) (size - first->at - first->length));
      break;
    }
  size = MIN (out->len, max_size);
  if (size > 0)
    memcpy (data, out->str, size);
  return size;
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, guint seed)
{
  /* Sometimes mutate bytes, to test the syntax check, too. */
  return seed % 3 == 0 ? LLVMFuzzerMutate (data, size, max_size) : mutate_json (data, size, max_size, seed / 3);
}
