/* The list of variants: select the one that the controls edit, and add others.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "app/session/normscope-session.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_VARIANT_LIST (normscope_variant_list_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeVariantList, normscope_variant_list, NORMSCOPE, VARIANT_LIST, GtkBox)

void normscope_variant_list_set_session (NormscopeVariantList *self, NormscopeSession *session);

G_END_DECLS
