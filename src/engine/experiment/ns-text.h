/* Format numbers and quote text for messages and files.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define NS_NUMBER_SIZE G_ASCII_DTOSTR_BUF_SIZE

/* Write a number that reads back to the same double, in the C locale, with 15 significant digits where they suffice:
 * "0.1", "1e-05", "24"; "nan", "inf", "-inf". Return the buffer. */
char *ns_format_number (char buffer[NS_NUMBER_SIZE], double value);
/* Return the same as a new string. Caller frees. */
char *ns_dup_number (double value);
/* Give a number of the C locale the decimal sign of the language, for texts on the screen; files keep the point. Takes
 * the number; caller frees what is returned. */
char *ns_text_take_localized (char *number);
/* Append a number as superscripts: "⁻⁵", "⁰·⁵". It has digits, a minus of either kind, and a point or comma. */
void ns_text_append_superscript (GString *text, const char *number);
/* Return a number of the C locale as it is typeset in a sentence: "10⁻⁵" for "1e-05", "2.5·10⁸" for "2.5e+08", "−3" for
 * "-3". Caller frees. */
char *ns_text_dup_typeset_number (const char *number);
/* The most characters of a value, and of a file's name, in a message. */
#define NS_TEXT_MAX_VALUE 80
#define NS_TEXT_MAX_PATH  240

/* Return TRUE for a character that must not reach a terminal, XML or source code as it is: controls, line and paragraph
 * separators, noncharacters, and the bidirectional controls that reorder the text after them (embeddings, overrides,
 * isolates). Letters of any script, marks such as U+200F, and joiners within emoji are printable. */
gboolean ns_text_is_control (gunichar c);
/* Return TRUE for UTF-8 text of at least one character without any such character. */
gboolean ns_text_is_line (const char *text);

/* Replace each of these characters, except line feeds, by U+FFFD: for text that goes to a terminal. UTF-8; caller
 * frees. */
char *ns_text_dup_printable (const char *text);
/* The same, but replace line feeds, too: for text within a line. */
char *ns_text_dup_line (const char *text);
/* Remove these characters, and white space around the text: for a name that a user pastes. Cut it to half
 * NS_MAX_NAME_BYTES, which leaves room for what the program adds: "NAME 2". Caller frees. */
char *ns_text_dup_name (const char *text);

/* Return text from users and files as every message shows it: one line of valid UTF-8 with escapes such as \n and
 * \u202e for the characters above. Of text with more than `max` characters the beginning and the end remain, around
 * "…", and the number of all characters follows: "aaaa…aaaa (100000 characters)". Caller frees. */
char *ns_text_dup_short (const char *text, gsize max);
/* Return the same in quotes, with NS_TEXT_MAX_VALUE. Caller frees. */
char *ns_quote_text (const char *text);

G_END_DECLS
