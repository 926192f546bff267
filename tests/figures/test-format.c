/* Test the formatting of numbers.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/ns-format.h"
#include "tests.h"

#include <float.h>
#include <math.h>

static void
assert_log10 (double log10_value, int digits, const char *expected)
{
  g_autofree char *text = ns_format_log10 (log10_value, digits);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_log10_plain (void)
{
  assert_log10 (log10 (0.123), 3, "0.123");
  assert_log10 (0, 3, "1.00");
  assert_log10 (0, 1, "1");
  assert_log10 (log10 (1.73), 3, "1.73");
  assert_log10 (log10 (42.35), 3, "42.4");
  assert_log10 (log10 (512), 3, "512");
  assert_log10 (log10 (0.00123), 3, "0.00123");
}

static void
test_log10_scientific (void)
{
  assert_log10 (-303.92, 2, "1.2·10⁻³⁰⁴");
  assert_log10 (log10 (0.000123), 3, "1.23·10⁻⁴");
  assert_log10 (log10 (1234), 3, "1.23·10³");
  assert_log10 (log10 (1234), 4, "1234");
  assert_log10 (412.5, 3, "3.16·10⁴¹²");
  assert_log10 (-1567890.0, 1, "1·10⁻¹⁵⁶⁷⁸⁹⁰");
}

/* Rounding up to the next power of ten moves the exponent. */
static void
test_log10_rounding (void)
{
  assert_log10 (log10 (9.996), 3, "10.0");
  assert_log10 (log10 (999.6), 3, "1.00·10³");
  assert_log10 (log10 (0.0009996), 3, "0.00100");
  assert_log10 (log10 (9.96e-5), 2, "1.0·10⁻⁴");
  assert_log10 (-312.0 + log10 (9.99), 2, "1.0·10⁻³¹¹");
}

static void
test_log10_no_numbers (void)
{
  assert_log10 (NAN, 3, "NaN");
  assert_log10 (INFINITY, 3, "+∞");
  assert_log10 (-INFINITY, 3, "0");
}

static void
assert_ratio (double log10_ratio, const char *expected)
{
  g_autofree char *text = ns_format_ratio (log10_ratio);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_ratio (void)
{
  assert_ratio (0, "1.0");
  assert_ratio (log10 (4.08), "4.1");
  assert_ratio (log10 (9.94), "9.9");
  assert_ratio (log10 (9.96), "10");
  assert_ratio (log10 (41.2), "41");
  assert_ratio (log10 (412.4), "412");
  assert_ratio (log10 (1234.4), "1230");
  assert_ratio (log10 (2.3e5), "2.3·10⁵");
  assert_ratio (312.3, "10³¹²");
}

/* A part is named if it is within a twentieth; beyond a hundred there is a factor. */
static void
test_change (void)
{
  const struct
  {
    double ratio;
    const char *expected;
  } cases[] = {
    { 1 / 2.0, "to half" },      { 1 / 3.0, "to a third" },  { 1 / 3.14, "to a third" },   { 1 / 3.2, "to 31 %" },
    { 1 / 4.1, "to a quarter" }, { 0.2, "to a fifth" },      { 1 / 10.4, "to a tenth" },   { 1 / 6.0, "to 17 %" },
    { 1 / 99.0, "to 1.0 %" },    { 1 / 1.3, "to 77 %" },     { 1 / 280.0, "by a factor of 280" },
    { 1.3, "to 1.3 times" },     { 12, "to 12 times" },      { 2.3e5, "by a factor of 2.3·10⁵" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = ns_format_change (log10 (cases[i].ratio));

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_cosine (void)
{
  const struct
  {
    double cosine;
    const char *expected;
  } cases[] = {
    { 0.42, "0.420" }, { 0.9994, "0.999" }, { 0.99951, ">0.999" }, { 1, "1.000" }, { -0.25, "−0.250" }, { NAN, "NaN" },
    { -0.0004, "0.000" }, { -0.0006, "−0.001" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = ns_format_cosine (cases[i].cosine);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_stat (void)
{
  NsStat stat = { .mean = 0.1234, .std = 0.0101, .log10_mean = -0.9, .log10_std = 0.05, .n = 8 };
  NsStat wide = { .mean = 1.6e8, .std = 4.4e8, .log10_mean = 6, .log10_std = 1.5, .n = 8 };
  NsStat one = { .mean = 0.1234, .std = 0, .log10_mean = -0.9, .n = 1 };
  NsStat under = { .mean = 0, .std = 0, .log10_mean = -400.5, .n = 8 };
  NsStat denormal = { .mean = DBL_MIN / 1e10, .std = 0, .log10_mean = -317.5, .log10_std = 2, .n = 8 };
  NsStat over = { .mean = INFINITY, .std = NAN, .log10_mean = 400.5, .n = 8, .n_nonfinite = 8 };
  NsStat inf = { .mean = INFINITY, .std = NAN, .log10_mean = INFINITY, .log10_std = NAN, .n = 8, .n_nonfinite = 1 };
  NsStat mixed = { .mean = INFINITY, .std = NAN, .log10_mean = NAN, .log10_std = NAN, .n = 8, .n_nonfinite = 1,
                   .n_zero = 1 };
  NsStat nan = { .mean = NAN, .std = NAN, .log10_mean = NAN, .log10_std = NAN, .n = 8, .n_nonfinite = 8 };
  NsStat zero = { .mean = 0, .std = 0, .log10_mean = -INFINITY, .log10_std = NAN, .n = 8, .n_zero = 8 };
  NsStat one_zero = { .mean = 0.5, .std = 0.1, .log10_mean = -INFINITY, .log10_std = NAN, .n = 8, .n_zero = 1 };
  NsStat cosine = { .mean = -0.0123, .std = 0.05, .log10_mean = NAN, .log10_std = NAN, .n = 8 };
  const struct
  {
    const NsStat *stat;
    const char *arithmetic, *geometric;
  } cases[] = {
    { &stat, "0.123 ± 0.010", "0.126 ×/÷ 1.12" },
    { &wide, "1.60·10⁸ ± 4.4·10⁸", "1.00·10⁶ ×/÷ 32" },
    { &one, "0.123", "0.126" },
    { &under, "3.16·10⁻⁴⁰¹ ×/÷ 1.00", "3.16·10⁻⁴⁰¹ ×/÷ 1.00" },
    { &denormal, "3.16·10⁻³¹⁸ ×/÷ 100", "3.16·10⁻³¹⁸ ×/÷ 100" },
    { &over, "3.16·10⁴⁰⁰ ×/÷ 1.00", "3.16·10⁴⁰⁰ ×/÷ 1.00" },
    { &inf, "+∞ (1 of 8 seeds)", "+∞ (1 of 8 seeds)" },
    { &mixed, "+∞ (1 of 8 seeds)", "+∞ (1 of 8 seeds)" },
    { &nan, "NaN", "NaN" },
    { &zero, "0", "0" },
    { &one_zero, "0.500 ± 0.10", "0 (1 of 8 seeds)" },
    { &cosine, "−0.0123 ± 0.050", "−0.0123 ± 0.050" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *arithmetic = ns_format_stat (cases[i].stat, NS_MEAN_ARITHMETIC);
      g_autofree char *geometric = ns_format_stat (cases[i].stat, NS_MEAN_GEOMETRIC);

      g_assert_cmpstr (arithmetic, ==, cases[i].arithmetic);
      g_assert_cmpstr (geometric, ==, cases[i].geometric);
    }
}

void
add_format_tests (void)
{
  g_test_add_func ("/format/log10/plain", test_log10_plain);
  g_test_add_func ("/format/log10/scientific", test_log10_scientific);
  g_test_add_func ("/format/log10/rounding", test_log10_rounding);
  g_test_add_func ("/format/log10/no-numbers", test_log10_no_numbers);
  g_test_add_func ("/format/ratio", test_ratio);
  g_test_add_func ("/format/change", test_change);
  g_test_add_func ("/format/cosine", test_cosine);
  g_test_add_func ("/format/stat", test_stat);
}
