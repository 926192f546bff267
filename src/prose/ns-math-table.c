/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "prose/ns-math.h"

#define SYMBOL(name, text, class, font)                                           \
  {                                                                               \
    name, NS_MATH_COMMAND_SYMBOL, text, NS_MATH_##class, NS_MATH_##font, FALSE, 0 \
  }
#define LIMITS(name, text, font)                                            \
  {                                                                         \
    name, NS_MATH_COMMAND_SYMBOL, text, NS_MATH_OP, NS_MATH_##font, TRUE, 0 \
  }
#define SPACE(name, em)                                                      \
  {                                                                          \
    name, NS_MATH_COMMAND_SPACE, NULL, NS_MATH_ORD, NS_MATH_ROMAN, FALSE, em \
  }
#define ACCENT(name, text)                                                   \
  {                                                                          \
    name, NS_MATH_COMMAND_ACCENT, text, NS_MATH_ORD, NS_MATH_ROMAN, FALSE, 0 \
  }
#define WORDS(name, class, font)                                                 \
  {                                                                              \
    name, NS_MATH_COMMAND_WORDS, NULL, NS_MATH_##class, NS_MATH_##font, FALSE, 0 \
  }
#define PLAIN(name, kind)                                                    \
  {                                                                          \
    name, NS_MATH_COMMAND_##kind, NULL, NS_MATH_ORD, NS_MATH_ROMAN, FALSE, 0 \
  }

/* Sorted by name in ASCII, for the binary search and for messages. */
static const NsMathCommand commands[] = {
  SPACE (" ", 0.25f),
  SPACE ("!", -1 / 6.0f),
  SYMBOL ("#", "#", ORD, ROMAN),
  SYMBOL ("%", "%", ORD, ROMAN),
  SYMBOL ("&", "&", ORD, ROMAN),
  SPACE (",", 1 / 6.0f),
  SPACE (":", 2 / 9.0f),
  SPACE (";", 5 / 18.0f),
  SYMBOL ("Delta", "Δ", ORD, ROMAN),
  SYMBOL ("Gamma", "Γ", ORD, ROMAN),
  SYMBOL ("Lambda", "Λ", ORD, ROMAN),
  SYMBOL ("Omega", "Ω", ORD, ROMAN),
  SYMBOL ("Phi", "Φ", ORD, ROMAN),
  SYMBOL ("Pi", "Π", ORD, ROMAN),
  SYMBOL ("Psi", "Ψ", ORD, ROMAN),
  SYMBOL ("Sigma", "Σ", ORD, ROMAN),
  SYMBOL ("Theta", "Θ", ORD, ROMAN),
  SYMBOL ("Xi", "Ξ", ORD, ROMAN),
  SYMBOL ("_", "_", ORD, ROMAN),
  SYMBOL ("alpha", "α", ORD, ITALIC),
  SYMBOL ("approx", "≈", REL, ROMAN),
  SYMBOL ("arccos", "arccos", OP, ROMAN),
  ACCENT ("bar", "\u0304"),
  SYMBOL ("beta", "β", ORD, ITALIC),
  SYMBOL ("cdot", "·", BIN, ROMAN),
  SYMBOL ("cdots", "⋯", INNER, ROMAN),
  SYMBOL ("chi", "χ", ORD, ITALIC),
  SYMBOL ("circ", "∘", BIN, ROMAN),
  SYMBOL ("cos", "cos", OP, ROMAN),
  SYMBOL ("delta", "δ", ORD, ITALIC),
  SYMBOL ("ell", "ℓ", ORD, ROMAN),
  SYMBOL ("epsilon", "ε", ORD, ITALIC),
  SYMBOL ("equiv", "≡", REL, ROMAN),
  SYMBOL ("eta", "η", ORD, ITALIC),
  SYMBOL ("exp", "exp", OP, ROMAN),
  PLAIN ("frac", FRACTION),
  SYMBOL ("gamma", "γ", ORD, ITALIC),
  SYMBOL ("ge", "≥", REL, ROMAN),
  SYMBOL ("geq", "≥", REL, ROMAN),
  SYMBOL ("gets", "←", REL, ROMAN),
  SYMBOL ("gg", "≫", REL, ROMAN),
  ACCENT ("hat", "\u0302"),
  SYMBOL ("in", "∈", REL, ROMAN),
  SYMBOL ("infty", "∞", ORD, ROMAN),
  SYMBOL ("iota", "ι", ORD, ITALIC),
  SYMBOL ("kappa", "κ", ORD, ITALIC),
  SYMBOL ("lambda", "λ", ORD, ITALIC),
  SYMBOL ("langle", "⟨", OPEN, ROMAN),
  SYMBOL ("ldots", "…", INNER, ROMAN),
  SYMBOL ("le", "≤", REL, ROMAN),
  PLAIN ("left", LEFT),
  SYMBOL ("leftarrow", "←", REL, ROMAN),
  SYMBOL ("leq", "≤", REL, ROMAN),
  SYMBOL ("ll", "≪", REL, ROMAN),
  SYMBOL ("ln", "ln", OP, ROMAN),
  SYMBOL ("log", "log", OP, ROMAN),
  WORDS ("mathbf", ORD, BOLD),
  WORDS ("mathrm", ORD, ROMAN),
  LIMITS ("max", "max", ROMAN),
  LIMITS ("min", "min", ROMAN),
  SYMBOL ("mu", "μ", ORD, ITALIC),
  SYMBOL ("nabla", "∇", ORD, ROMAN),
  SYMBOL ("ne", "≠", REL, ROMAN),
  SYMBOL ("neq", "≠", REL, ROMAN),
  SYMBOL ("nu", "ν", ORD, ITALIC),
  SYMBOL ("odot", "⊙", BIN, ROMAN),
  SYMBOL ("omega", "ω", ORD, ITALIC),
  WORDS ("operatorname", OP, ROMAN),
  SYMBOL ("partial", "∂", ORD, ROMAN),
  SYMBOL ("phi", "φ", ORD, ITALIC),
  SYMBOL ("pi", "π", ORD, ITALIC),
  SYMBOL ("pm", "±", BIN, ROMAN),
  SYMBOL ("prime", "′", ORD, ROMAN),
  LIMITS ("prod", "∏", BIG),
  SYMBOL ("propto", "∝", REL, ROMAN),
  SYMBOL ("psi", "ψ", ORD, ITALIC),
  SPACE ("quad", 1),
  SYMBOL ("rangle", "⟩", CLOSE, ROMAN),
  SYMBOL ("rho", "ρ", ORD, ITALIC),
  PLAIN ("right", RIGHT),
  SYMBOL ("rightarrow", "→", REL, ROMAN),
  SYMBOL ("sigma", "σ", ORD, ITALIC),
  SYMBOL ("sim", "∼", REL, ROMAN),
  PLAIN ("sqrt", ROOT),
  LIMITS ("sum", "∑", BIG),
  SYMBOL ("tau", "τ", ORD, ITALIC),
  WORDS ("text", ORD, ROMAN),
  SYMBOL ("theta", "θ", ORD, ITALIC),
  ACCENT ("tilde", "\u0303"),
  SYMBOL ("times", "×", BIN, ROMAN),
  SYMBOL ("to", "→", REL, ROMAN),
  SYMBOL ("top", "⊤", ORD, ROMAN),
  SYMBOL ("varepsilon", "ε", ORD, ITALIC),
  SYMBOL ("xi", "ξ", ORD, ITALIC),
  SYMBOL ("zeta", "ζ", ORD, ITALIC),
  SYMBOL ("{", "{", OPEN, ROMAN),
  SYMBOL ("|", "‖", ORD, ROMAN),
  SYMBOL ("}", "}", CLOSE, ROMAN),
};

/* Characters with a meaning of their own. Letters and digits need no row. */
static const NsMathCommand characters[] = {
  SYMBOL ("+", "+", BIN, ROMAN),
  SYMBOL ("-", "−", BIN, ROMAN),
  SYMBOL ("*", "∗", BIN, ROMAN),
  SYMBOL ("=", "=", REL, ROMAN),
  SYMBOL ("<", "<", REL, ROMAN),
  SYMBOL (">", ">", REL, ROMAN),
  SYMBOL (":", ":", REL, ROMAN),
  SYMBOL (",", ",", PUNCT, ROMAN),
  SYMBOL (";", ";", PUNCT, ROMAN),
  SYMBOL ("(", "(", OPEN, ROMAN),
  SYMBOL (")", ")", CLOSE, ROMAN),
  SYMBOL ("[", "[", OPEN, ROMAN),
  SYMBOL ("]", "]", CLOSE, ROMAN),
  SYMBOL ("|", "|", ORD, ROMAN),
  SYMBOL ("/", "/", ORD, ROMAN),
  SYMBOL (".", ".", ORD, ROMAN),
  SYMBOL ("!", "!", CLOSE, ROMAN),
  SYMBOL ("?", "?", CLOSE, ROMAN),
  SYMBOL ("−", "−", BIN, ROMAN),
};

const NsMathCommand *
ns_math_find_command (const char *name, gsize length)
{
  gsize low = 0, high = G_N_ELEMENTS (commands);

  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strncmp (name, commands[middle].name, length);

      if (order == 0 && commands[middle].name[length] == '\0')
        return &commands[middle];
      if (order > 0)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

static const NsMathCommand *
find_text (const NsMathCommand *rows, gsize n, const char *text, gsize length)
{
  for (gsize i = 0; i < n; i++)
    {
      const char *own = rows == characters ? rows[i].name : rows[i].text;

      if (rows[i].kind == NS_MATH_COMMAND_SYMBOL && strlen (own) == length && memcmp (own, text, length) == 0)
        return &rows[i];
    }
  return NULL;
}

const NsMathCommand *
ns_math_find_character (const char *text, gsize length)
{
  const NsMathCommand *found = find_text (characters, G_N_ELEMENTS (characters), text, length);

  /* The signs that are only markup in ASCII need their backslash. */
  if (found != NULL || (guchar) *text < 0x80)
    return found;
  return find_text (commands, G_N_ELEMENTS (commands), text, length);
}

const char *const *
ns_math_get_commands (void)
{
  static const char *names[G_N_ELEMENTS (commands) + 1];
  static gsize is_filled;

  if (g_once_init_enter (&is_filled))
    {
      for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
        names[i] = commands[i].name;
      g_once_init_leave (&is_filled, 1);
    }
  return names;
}
