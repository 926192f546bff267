/* The report of a verification as text, as JSON, and as a statement for exports.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "script/ns-verification-private.h"
#include "engine/experiment/ns-params.h"

#include "document/ns-experiment-write.h"
#include "document/ns-json-writer.h"
#include "document/ns-version.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* ---- text ---- */

/* Return "block 3", "block 3 of the decoder", "the input", "the head", …. Caller frees. */
static char *
dup_site (const NsExperiment *experiment, gint64 site)
{
  gint64 layer;

  if (site == ns_experiment_get_head_site (experiment))
    return g_strdup (_ ("the head"));
  layer = ns_site_get_layer (experiment, site);
  switch (ns_site_get_part (experiment, site))
    {
    case NS_PART_ENCODER:
      return layer == 0 ? g_strdup (_ ("the encoder's input"))
                        : g_strdup_printf (_ ("block %lld of the encoder"), (long long) layer);
    case NS_PART_DECODER:
      return layer == 0 ? g_strdup (_ ("the decoder's input"))
                        : g_strdup_printf (_ ("block %lld of the decoder"), (long long) layer);
    default:
      return layer == 0 ? g_strdup (_ ("the input")) : g_strdup_printf (_ ("block %lld"), (long long) layer);
    }
}

/* Return "depth 4 instead of 96, d_model 64 instead of 768" for the sizes that differ. */
static char *
dup_reduction (const NsExperiment *experiment, const NsExperiment *checked)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      gint64 own, here;

      if (params[i].section != NS_SECTION_SHAPE)
        continue;
      own = ns_param_get_int (&params[i], experiment);
      here = ns_param_get_int (&params[i], checked);
      if (own == here)
        continue;
      g_string_append (text, text->len > 0 ? ", " : "");
      /* Translators: a setting's key, the size at which it was checked, and its own */
      g_string_append_printf (text, _ ("%s %lld instead of %lld"), params[i].key, (long long) here, (long long) own);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

typedef struct
{
  guint checks, places, undecided, failed;
  const NsVerifyCheck *worst;
} Summary;

static Summary
summarize (const NsVerifyReport *report, NsVerifyKind kind)
{
  Summary sum = { 0 };

  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      if (check->kind != kind)
        continue;
      sum.checks++;
      sum.places += check->places;
      sum.undecided += check->undecided;
      sum.failed += !check->passed;
      if (check->undecided < check->places && (sum.worst == NULL || check->error > sum.worst->error))
        sum.worst = check;
    }
  return sum;
}

static const char *
kind_text (NsVerifyKind kind)
{
  static const char *const texts[NS_N_VERIFY_KINDS] = {
    [NS_VERIFY_GRADIENT] = N_ ("gradients against finite differences of the loss"),
    [NS_VERIFY_NORM] = N_ ("displayed gradient norms against the gradients"),
    [NS_VERIFY_ADJOINT] = N_ ("adjoint identity of the operations"),
  };

  return _ (texts[kind]);
}

static const char *
verdict_word (gboolean passed)
{
  return passed ? _ ("passed") : _ ("FAILED");
}

static void
append_kind (GString *text, const NsVerificationVariant *variant, NsVerifyKind kind)
{
  Summary sum = summarize (variant->report, kind);
  g_autofree char *site = sum.worst != NULL ? dup_site (variant->checked, sum.worst->site) : NULL;

  if (sum.checks == 0)
    return;
  g_string_append (text, "  ");
  if (sum.worst == NULL)
    /* Translators: the kind of check, the number of places */
    g_string_append_printf (text, _ ("UNDECIDED: %s, in all %u places"), kind_text (kind), sum.places);
  else
    /* Translators: "passed" or "FAILED", the kind of check, the number of places, the largest relative error, its
     * tensor or operation, "block 3" or "the head", the tolerance */
    g_string_append_printf (text, _ ("%s: %s, %u places, largest relative error %.2g (%s in %s), allowed %.0g"),
                            verdict_word (sum.failed == 0), kind_text (kind), sum.places, sum.worst->error,
                            sum.worst->name, site, ns_verify_kind_tolerance (kind));
  g_string_append_c (text, '\n');
  if (sum.undecided > 0)
    {
      g_string_append (text, "    ");
      g_string_append_printf (
          text, _ ("undecided in %u of the places, where the effect is below rounding error"), sum.undecided);
      g_string_append_c (text, '\n');
    }
}

/* List every failed check. */
static void
append_failures (GString *text, const NsVerificationVariant *variant)
{
  for (guint i = 0; i < variant->report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (variant->report->checks, NsVerifyCheck, i);
      g_autofree char *site = NULL;

      if (check->passed)
        continue;
      site = dup_site (variant->checked, check->site);
      g_string_append (text, "    ");
      /* Translators: the kind of check, the tensor or operation, "block 3" or "the head", its relative error */
      g_string_append_printf (text, _ ("FAILED: %s, %s in %s: relative error %.2g"), kind_text (check->kind),
                              check->name, site, check->error);
      g_string_append_c (text, '\n');
    }
}

static void
append_torch (GString *text, const NsVerification *self, const NsVerificationVariant *variant)
{
  g_string_append (text, "  ");
  if (variant->torch == NS_TORCH_NOT_CHECKED)
    g_string_append (text, _ ("NOT CHECKED: PyTorch was not found"));
  else if (isnan (variant->torch_error))
    g_string_append_printf (text, _ ("FAILED: PyTorch %s found no numbers to compare"), self->torch_version);
  else
    /* Translators: "passed" or "FAILED", PyTorch's version, the number of values, their difference, the tolerance */
    g_string_append_printf (text, _ ("%s: PyTorch %s, %u numbers, largest relative difference %.2g, allowed %.0g"),
                            verdict_word (variant->torch == NS_TORCH_PASSED), self->torch_version,
                            variant->torch_numbers, variant->torch_error, NS_TORCH_TOLERANCE);
  g_string_append_c (text, '\n');
  if (variant->torch_output != NULL)
    {
      g_auto (GStrv) lines = g_strsplit (g_strchomp (variant->torch_output), "\n", -1);
      guint n = g_strv_length (lines);

      /* The cause, a difference or a traceback, is at the end of the output. */
      for (guint i = n > 6 ? n - 6 : 0; i < n; i++)
        g_string_append_printf (text, "    %s\n", lines[i]);
    }
}

static void
append_variant (GString *text, const NsVerification *self, const NsVerificationVariant *variant)
{
  const NsVerifyReport *report = variant->report;
  g_autofree char *reduction = dup_reduction (self->experiment, variant->checked);

  g_string_append_printf (text, "%s: %s\n", ns_experiment_variant (variant->checked, 0)->name,
                          verdict_word (variant->passed));
  g_string_append (text, "  ");
  if (variant->is_reduced)
    /* Translators: a list of sizes, "depth 8 instead of 96, …" */
    g_string_append_printf (text, _ ("checked with the same wiring at %s, since its own size would take too long"),
                            reduction);
  else
    g_string_append (text, _ ("checked at its own size"));
  g_string_append_c (text, '\n');
  if (report->overflow >= 0)
    {
      g_autofree char *site = dup_site (variant->checked, report->overflow);

      g_string_append (text, "  ");
      g_string_append_printf (text, _ ("NOT CHECKED: the forward pass overflows in %s, so there are no gradients"),
                              site);
      g_string_append_c (text, '\n');
    }
  for (int kind = 0; kind < NS_N_VERIFY_KINDS; kind++)
    append_kind (text, variant, (NsVerifyKind) kind);
  append_failures (text, variant);
  append_torch (text, self, variant);
}

char *
ns_verification_dup_verdict (const NsVerification *self)
{
  guint failed = 0;

  for (guint v = 0; v < self->variants->len; v++)
    failed += !((const NsVerificationVariant *) g_ptr_array_index (self->variants, v))->passed;
  if (failed > 0)
    return g_strdup_printf (ngettext ("NOT VERIFIED: %u of %u variants did not pass.",
                                      "NOT VERIFIED: %u of %u variants did not pass.", failed),
                            failed, self->variants->len);
  if (self->torch_version == NULL)
    return g_strdup (_ ("Verified without PyTorch, which was not found."));
  return g_strdup (_ ("Verified, including by PyTorch."));
}

char *
ns_verification_dup_text (const NsVerification *self)
{
  GString *text = g_string_new (NULL);
  g_autofree char *verdict = ns_verification_dup_verdict (self);

  for (guint v = 0; v < self->variants->len; v++)
    {
      append_variant (text, self, g_ptr_array_index (self->variants, v));
      g_string_append_c (text, '\n');
    }
  g_string_append (text, verdict);
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

/* ---- JSON ---- */

static void
write_report (NsJsonWriter *writer, const NsVerifyReport *report)
{
  if (report->overflow >= 0)
    ns_json_integer (writer, "overflow", report->overflow);
  ns_json_open (writer, "checks", '[');
  for (guint i = 0; i < report->checks->len; i++)
    {
      const NsVerifyCheck *check = &g_array_index (report->checks, NsVerifyCheck, i);

      ns_json_open_compact (writer, NULL, '{');
      ns_json_string (writer, "kind", ns_verify_kind_name (check->kind));
      ns_json_string (writer, "name", check->name);
      ns_json_boolean (writer, "passed", check->passed);
      ns_json_number (writer, "error", check->error);
      ns_json_number (writer, "tolerance", ns_verify_kind_tolerance (check->kind));
      ns_json_integer (writer, "site", check->site);
      ns_json_integer (writer, "places", check->places);
      ns_json_integer (writer, "undecided", check->undecided);
      ns_json_close (writer, '}');
    }
  ns_json_close (writer, ']');
}

GBytes *
ns_verify_report_to_json (const NsVerifyReport *report)
{
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_json_boolean (&writer, "passed", report->passed);
  write_report (&writer, report);
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}

static void
write_torch (NsJsonWriter *writer, const NsVerificationVariant *variant)
{
  if (variant->torch == NS_TORCH_NOT_CHECKED)
    {
      ns_json_string (writer, "pytorch", NULL);
      return;
    }
  ns_json_open_compact (writer, "pytorch", '{');
  ns_json_boolean (writer, "passed", variant->torch == NS_TORCH_PASSED);
  ns_json_number (writer, "error", variant->torch_error);
  ns_json_number (writer, "tolerance", NS_TORCH_TOLERANCE);
  ns_json_integer (writer, "numbers", variant->torch_numbers);
  ns_json_close (writer, '}');
}

static void
write_shape (NsJsonWriter *writer, const NsExperiment *checked)
{
  gsize n;
  const NsParam *params = ns_params (&n);

  ns_json_open_compact (writer, "shape", '{');
  for (gsize i = 0; i < n; i++)
    if (params[i].section == NS_SECTION_SHAPE && params[i].type == NS_TYPE_INTEGER
        && !ns_param_is_null (&params[i], checked))
      ns_json_integer (writer, params[i].key, ns_param_get_int (&params[i], checked));
  ns_json_close (writer, '}');
}

GBytes *
ns_verification_to_json (const NsVerification *self)
{
  g_autofree char *generator = g_strconcat ("normscope ", ns_version_get (), NULL);
  NsJsonWriter writer;

  ns_json_writer_init (&writer);
  ns_json_open (&writer, NULL, '{');
  ns_json_string (&writer, "format", "normscope-verification");
  ns_json_integer (&writer, "version", 1);
  ns_json_boolean (&writer, "passed", self->passed);
  ns_json_string (&writer, "generator", generator);
  ns_json_string (&writer, "pytorch", self->torch_version);
  ns_experiment_write (&writer, "experiment", self->experiment);
  ns_json_open (&writer, "variants", '[');
  for (guint v = 0; v < self->variants->len; v++)
    {
      const NsVerificationVariant *variant = g_ptr_array_index (self->variants, v);

      ns_json_open (&writer, NULL, '{');
      ns_json_string (&writer, "name", ns_experiment_variant (variant->checked, 0)->name);
      ns_json_boolean (&writer, "passed", variant->passed);
      ns_json_boolean (&writer, "reduced", variant->is_reduced);
      write_shape (&writer, variant->checked);
      write_report (&writer, variant->report);
      write_torch (&writer, variant);
      ns_json_close (&writer, '}');
    }
  ns_json_close (&writer, ']');
  ns_json_close (&writer, '}');
  return ns_json_writer_finish (&writer);
}

/* ---- statement for exports ---- */

/* Round to two digits; the others are noise. */
static double
shorten (double error)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_ascii_strtod (g_ascii_formatd (buffer, sizeof buffer, "%.1e", error), NULL);
}

char *
ns_verification_dup_statement (const NsVerification *self)
{
  NsJsonWriter writer;
  gboolean reduced = FALSE;
  double torch_error = 0;

  if (!self->passed)
    return NULL;
  ns_json_writer_init (&writer);
  writer.tight = TRUE;
  ns_json_open (&writer, NULL, '{');
  ns_json_boolean (&writer, "passed", TRUE);
  for (int kind = 0; kind < NS_N_VERIFY_KINDS; kind++)
    {
      double worst = 0;

      for (guint v = 0; v < self->variants->len; v++)
        {
          const NsVerificationVariant *variant = g_ptr_array_index (self->variants, v);

          worst = fmax (worst, ns_verify_report_get_error (variant->report, (NsVerifyKind) kind));
          torch_error = fmax (torch_error, variant->torch_error);
          reduced |= variant->is_reduced;
        }
      ns_json_number (&writer, ns_verify_kind_name ((NsVerifyKind) kind), shorten (worst));
    }
  if (self->torch_version != NULL)
    ns_json_number (&writer, "pytorch", shorten (torch_error));
  else
    ns_json_string (&writer, "pytorch", NULL);
  ns_json_boolean (&writer, "reduced", reduced);
  ns_json_close (&writer, '}');
  return ns_json_writer_finish_text (&writer);
}
