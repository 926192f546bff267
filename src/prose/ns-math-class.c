/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "prose/ns-math.h"

/* A second sign begins an operand, too: "x × −2". */
static gboolean
begins_operand (int class)
{
  return class != NS_MATH_REL && class != NS_MATH_CLOSE && class != NS_MATH_PUNCT;
}

NsMathClass
ns_math_get_class (const NsMath *math, int before)
{
  const NsMath *next = math->next;

  if (math->class != NS_MATH_BIN)
    return math->class;
  while (next != NULL && next->kind == NS_MATH_SPACE)
    next = next->next;
  if (before < 0 || before == NS_MATH_OP || before == NS_MATH_BIN || before == NS_MATH_REL || before == NS_MATH_OPEN
      || before == NS_MATH_PUNCT || next == NULL || !begins_operand (next->class))
    return NS_MATH_ORD;
  return NS_MATH_BIN;
}
