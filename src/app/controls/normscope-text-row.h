/* The row for the text whose bytes are the tokens: the sample text or a file.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <adwaita.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_TEXT_ROW (normscope_text_row_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeTextRow, normscope_text_row, NORMSCOPE, TEXT_ROW, AdwActionRow)

void normscope_text_row_set_session (NormscopeTextRow *self, NormscopeSession *session);

G_END_DECLS
