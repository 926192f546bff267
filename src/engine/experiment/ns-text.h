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
/* Return the text in quotes as one line of valid UTF-8, cut to 60 characters. Caller frees. */
char *ns_quote_text (const char *text);

G_END_DECLS
