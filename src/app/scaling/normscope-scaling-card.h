/* A claim card: statement, source, assumptions, measurement, and the verdict as text, icon and colour.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: main.
 */
#pragma once

#include <gtk/gtk.h>

#include "engine/analysis/ns-claim.h"
#include "engine/experiment/ns-settings.h"

G_BEGIN_DECLS

#define NORMSCOPE_TYPE_SCALING_CARD (normscope_scaling_card_get_type ())
G_DECLARE_FINAL_TYPE (NormscopeScalingCard, normscope_scaling_card, NORMSCOPE, SCALING_CARD, GtkBox)

/* The claim is borrowed and must outlive the card. Signal "set-up": the button was pressed. */
GtkWidget *normscope_scaling_card_new (const NsClaim *claim);
const NsClaim *normscope_scaling_card_get_claim (NormscopeScalingCard *self);

/* Show a result; NULL while it is being measured, which keeps the assumptions of the previous result on show. */
void normscope_scaling_card_show (NormscopeScalingCard *self, const NsExperiment *experiment,
                                  const NsClaimResult *result);

G_END_DECLS
