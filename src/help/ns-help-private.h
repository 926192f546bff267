/* Parts of the help pages, shared by the files of this folder.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-variants.h"
#include "figures/ns-claim-words.h"
#include "figures/ns-wiring.h"
#include "figures/table/ns-figure-table.h"
#include "help/ns-help.h"

G_BEGIN_DECLS

/* What the page of a parameter says beyond its row in the parameter table. Texts are N_() marked, in markup. */
typedef struct
{
  const char *path;
  const char *formula; /* in the LaTeX of ns-prose.h; or NULL */
  const char *effect;  /* what it changes */
  const char *source;  /* paper and year; plain text, or NULL */
  /* Variants whose wirings show the setting, as ns_variant_from_text() reads them; or NULL. */
  const char *before, *after;
  enum
  {
    NS_HELP_IN_BLOCK,   /* show one block */
    NS_HELP_IN_DECODER, /* one block of a decoder */
    NS_HELP_IN_STACK,   /* everything from the input to the head */
    NS_HELP_IN_PAIR,    /* likewise, `after` with an encoder and a decoder */
  } place;
  const char *see; /* ids of related pages, separated by spaces; or NULL */
} NsHelpParameterText;

/* The texts of the parameters of the experiment, and of those of variants; each list ends with a NULL path. */
extern const NsHelpParameterText ns_help_shared_parameter_texts[];
extern const NsHelpParameterText ns_help_training_parameter_texts[];
extern const NsHelpParameterText ns_help_wiring_parameter_texts[];
extern const NsHelpParameterText ns_help_variant_parameter_texts[];

/* What the page of a quantity says beyond its row in the table of quantities. */
typedef struct
{
  const char *name;
  const char *formula; /* or NULL */
  const char *text;    /* N_() marked, in markup */
  const char *source;  /* or NULL */
  const char *see;     /* or NULL */
} NsHelpQuantityText;

extern const NsHelpQuantityText ns_help_quantity_texts[]; /* ends with a NULL name */

/* A page on a view or on a general subject. */
typedef struct
{
  const char *id;
  const char *title;   /* N_() marked, plain; NULL for a view, whose figure has it */
  const char *summary; /* likewise */
  const char *text;    /* N_() marked, in markup */
} NsHelpTopic;

extern const NsHelpTopic ns_help_topics[]; /* end with a NULL id */
extern const NsHelpTopic ns_help_view_texts[];

/* ---- contents ---- */

/* Return the contents without the related pages. Caller frees. */
NsHelpContent *ns_help_make_content (const NsHelpPage *page);
/* Return markup with links to the related pages, after a blank line, or "". Caller frees. */
char *ns_help_dup_related (const NsHelpPage *page);

/* Return the text of a parameter; without one, a row of NULLs. Static. */
const NsHelpParameterText *ns_help_parameter_get_text (const NsParam *param);
/* Return the ids of the pages related to a quantity, or NULL; static. */
const char *ns_help_quantity_get_see (NsQuantity quantity);
void ns_help_fill_parameter (NsHelpContent *content, const NsParam *param);
void ns_help_fill_quantity (NsHelpContent *content, NsQuantity quantity);
/* Add the wiring of a variant, given as for ns_variant_from_text(), in a stack (NsStack); the caption is the variant's
 * name unless it is set. */
void ns_help_add_picture (NsHelpContent *content, const char *caption, const char *variant, int stack,
                          NsWiringView view);

/* ---- markup ---- */

/* Append plain text. */
void ns_help_add_plain (GString *markup, const char *text);
/* Append a paragraph of markup, or of plain text with a full stop; NULL and "" add nothing. */
void ns_help_add_paragraph (GString *markup, const char *text);
void ns_help_add_sentence (GString *markup, const char *plain);
/* Append a bullet "NAME: PLAIN" to the list at the end, or a new list; nothing if the text is NULL or "". */
void ns_help_add_fact (GString *markup, const char *name, const char *plain);
/* The same with code in place of plain text. */
void ns_help_add_code (GString *markup, const char *name, const char *code);
/* Return the text of a quantity, or NULL; static. */
const NsHelpQuantityText *ns_help_quantity_get_text (NsQuantity quantity);
/* Append a formula on a line of its own; NULL adds nothing. */
void ns_help_add_formula (GString *markup, const char *formula);
/* Append a link to a page, whose text is the page's title. */
void ns_help_add_link (GString *markup, const char *id);

G_END_DECLS
