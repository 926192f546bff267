/* Test that the tables in docs/ match those of the program.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     test-figures -p /docs/subprocess/print     prints the rows that belong between the markers
 */
#include "../document/doc-rows.h"

#include "engine/experiment/ns-experiment.h"
#include "engine/experiment/ns-params.h"
#include "engine/experiment/ns-quantity.h"
#include "engine/experiment/ns-validate.h"
#include "engine/experiment/ns-variants.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

static char *
escape_cell (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "|", -1);

  return g_strjoinv ("\\|", parts);
}

static char *
dup_key_rows (void)
{
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  GString *rows = g_string_new ("| key | allowed | default | unit | is |\n| --- | --- | --- | --- | --- |\n");
  gsize n;
  const NsParam *params = ns_params (&n);

  for (gsize i = 0; i < n; i++)
    {
      const NsParam *param = &params[i];
      gconstpointer base = param->section == NS_SECTION_VARIANT ? (gconstpointer) ns_experiment_variant (experiment, 0)
                                                                : experiment;
      g_autofree char *allowed = ns_param_dup_allowed (param);
      g_autofree char *text = ns_param_dup_text (param, base);
      g_autofree char *help = escape_cell (param->help);

      g_string_append_printf (rows, "| `%s%s` | %s | `%s` | %s | %s |\n",
                              param->section == NS_SECTION_VARIANT ? "variants[]." : "", ns_param_get_path (param),
                              allowed, text, param->unit != NULL ? param->unit : "", help);
    }
  return g_string_free (rows, FALSE);
}

/* DyT has every tensor that a norm can have. */
#define EVERYTHING \
  "norm=dyt,bias=true,activation=swiglu,final_norm=on,qk_norm=qkv-head,attn.inner_norm=true,ffn.inner_norm=true," \
  "input_norm=true,branch_parameter=scalar,position_bias=t5,head_transform=true"

static gboolean
exists (NsQuantity quantity, const NsExperiment *experiment, gint64 site)
{
  for (guint v = 0; v < experiment->variants->len; v++)
    if (ns_quantity_exists (quantity, experiment, v, site))
      return TRUE;
  return FALSE;
}

/* List the sites at which some variant has the quantity, such as "input, blocks". "decoder's blocks" means that encoder
 * blocks lack it. */
static char *
dup_sites (NsQuantity quantity)
{
  static const char *const all[] = { "pre-post:" EVERYTHING, "sandwich:" EVERYTHING, NULL };
  g_autoptr (NsExperiment) experiment = ns_experiment_new ();
  g_autoptr (GPtrArray) sites = g_ptr_array_new ();

  experiment->shape.stack = NS_STACK_ENCODER_DECODER;
  experiment->shape.patch_features = 1;
  g_ptr_array_set_size (experiment->variants, 0);
  for (gsize i = 0; all[i] != NULL; i++)
    g_ptr_array_add (experiment->variants, ns_variant_from_text (all[i], NULL));
  g_assert_true (ns_experiment_validate (experiment, NULL));

  if (exists (quantity, experiment, ns_experiment_get_site (experiment, NS_PART_ENCODER, 0)))
    g_ptr_array_add (sites, (gpointer) "input");
  if (exists (quantity, experiment, ns_experiment_get_site (experiment, NS_PART_ENCODER, 1)))
    g_ptr_array_add (sites, (gpointer) "blocks");
  else if (exists (quantity, experiment, ns_experiment_get_site (experiment, NS_PART_DECODER, 1)))
    g_ptr_array_add (sites, (gpointer) "decoder's blocks");
  if (exists (quantity, experiment, ns_experiment_get_head_site (experiment)))
    g_ptr_array_add (sites, (gpointer) "head");
  g_ptr_array_add (sites, NULL);
  return g_strjoinv (", ", (char **) sites->pdata);
}

static char *
dup_quantity_rows (void)
{
  GString *rows = g_string_new ("| name | where | is |\n| --- | --- | --- |\n");

  for (guint q = 0; q < NS_N_QUANTITIES; q++)
    {
      const NsQuantityInfo *info = ns_quantity_info ((NsQuantity) q);
      g_autofree char *sites = dup_sites ((NsQuantity) q);

      g_string_append_printf (rows, "| `%s` | %s | %s%s%s |\n", info->name, sites, info->help,
                              info->kind == NS_KIND_GRADIENT ? ", " : "",
                              info->kind == NS_KIND_GRADIENT ? info->symbol : "");
    }
  return g_string_free (rows, FALSE);
}

static void
test_keys (void)
{
  g_autofree char *rows = dup_key_rows ();

  assert_rows ("FORMATS.md", "keys", rows);
}

static void
test_quantities (void)
{
  g_autofree char *rows = dup_quantity_rows ();

  assert_rows ("MODEL.md", "quantities", rows);
}

static void
print_rows (void)
{
  g_autofree char *keys = dup_key_rows ();
  g_autofree char *quantities = dup_quantity_rows ();

  printf ("%s\n%s", keys, quantities);
}

void
add_docs_tests (void)
{
  g_test_add_func ("/docs/keys", test_keys);
  g_test_add_func ("/docs/quantities", test_quantities);
  g_test_add_func ("/docs/subprocess/print", print_rows);
}
