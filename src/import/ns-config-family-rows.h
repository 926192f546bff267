/* Rows and switches of one family or of close relatives, for the table of families.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each array ends with a row whose key is NULL. Static, not changed.
 * Threads: any.
 */
#pragma once

#include "import/ns-config-reading.h"

G_BEGIN_DECLS

/* Everything but the head has biases. BART and its relatives add a buffer to the logits; it is not a parameter. */
#define NS_CONFIG_HEADLESS_BIAS "bias=true,bias_head=false,"

extern const NsConfigRow ns_rows_gpt_shape[];
extern const NsConfigRow ns_rows_mpt[];
extern const NsConfigRow ns_rows_falcon[];
extern const NsConfigRow ns_rows_bert[];
extern const NsConfigRow ns_rows_roberta[];
extern const NsConfigRow ns_rows_distilbert[];
extern const NsConfigRow ns_rows_opt[];
extern const NsConfigRow ns_rows_fsmt[];
extern const NsConfigRow ns_rows_neox[];
extern const NsConfigRow ns_rows_neox_rope[];
extern const NsConfigRow ns_rows_gptj_rope[];
extern const NsConfigRow ns_rows_phi_rope[];
extern const NsConfigRow ns_rows_phi3_rope[];
extern const NsConfigRow ns_rows_phi[];
extern const NsConfigRow ns_rows_vit[];

extern const NsConfigSwitch ns_switches_gpt2[];
extern const NsConfigSwitch ns_switches_falcon[];
extern const NsConfigSwitch ns_switches_bert[];
extern const NsConfigSwitch ns_switches_distilbert[];
extern const NsConfigSwitch ns_switches_opt[];
extern const NsConfigSwitch ns_switches_neox[];
extern const NsConfigSwitch ns_switches_phi[];
extern const NsConfigSwitch ns_switches_vit[];

G_END_DECLS
