/* Built-in claims and claims of a folder.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/ns-claims.h"

#include "document/ns-file.h"

#include "ns-document-resources.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define CLAIMS "/org/normscope/document/claims/"

/* ---- built-in claims ---- */

typedef struct
{
  NsClaim *claim;
  int order;
} Ordered;

static int
compare_order (gconstpointer a, gconstpointer b)
{
  const Ordered *first = a, *second = b;

  return first->order != second->order ? (first->order > second->order) - (first->order < second->order)
                                       : strcmp (first->claim->id, second->claim->id);
}

/* The file is compiled in, so an error in it is a programming error. */
static Ordered
load_builtin (const char *name)
{
  g_autofree char *path = g_strconcat (CLAIMS, name, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes
    = g_resource_lookup_data (ns_document_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  Ordered ordered;

  g_assert_no_error (error);
  ordered.claim = ns_claim_from_bytes (bytes, name, &error);
  g_assert_no_error (error);
  g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &error);
  ordered.order = g_key_file_get_integer (file, "Claim", "Order", &error);
  g_assert_no_error (error);
  return ordered;
}

static GPtrArray *
load_builtins (void)
{
  g_autoptr (GArray) ordered = g_array_new (FALSE, FALSE, sizeof (Ordered));
  GPtrArray *claims = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_claim_free);
  g_auto (GStrv) names
    = g_resource_enumerate_children (ns_document_get_resource (), CLAIMS, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  for (guint i = 0; names[i] != NULL; i++)
    {
      Ordered one = load_builtin (names[i]);

      g_array_append_val (ordered, one);
    }
  g_array_sort (ordered, compare_order);
  for (guint i = 0; i < ordered->len; i++)
    g_ptr_array_add (claims, g_array_index (ordered, Ordered, i).claim);
  return claims;
}

GPtrArray *
ns_claims_builtin (void)
{
  static GPtrArray *claims;

  if (g_once_init_enter (&claims))
    g_once_init_leave (&claims, load_builtins ());
  return claims;
}

/* ---- claims of a folder ---- */

static gboolean
has_id (GPtrArray *claims, const char *id)
{
  for (guint i = 0; i < claims->len; i++)
    if (strcmp (((NsClaim *) g_ptr_array_index (claims, i))->id, id) == 0)
      return TRUE;
  return FALSE;
}

static void
load_from_folder (GPtrArray *claims, const char *folder, const char *name, GPtrArray *errors)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ns_file_read_path (path, NS_FILE_CLAIM, &error);
  g_autoptr (NsClaim) claim = bytes != NULL ? ns_claim_from_bytes (bytes, path, &error) : NULL;

  if (claim != NULL && has_id (ns_claims_builtin (), claim->id))
    {
      g_set_error (&error, NS_DOCUMENT_ERROR, NS_DOCUMENT_ERROR_INPUT,
                   _ ("%s: the name “%s” is taken by a built-in claim"), path, claim->id);
      g_clear_pointer (&claim, ns_claim_free);
    }
  if (claim != NULL)
    g_ptr_array_add (claims, g_steal_pointer (&claim));
  else if (errors != NULL)
    g_ptr_array_add (errors, g_strdup (error->message));
}

GPtrArray *
ns_claims_from_folder (const char *path, GPtrArray *errors)
{
  GPtrArray *claims = g_ptr_array_new_with_free_func ((GDestroyNotify) ns_claim_free);
  g_autoptr (GPtrArray) names = ns_file_list_names (path, NS_CLAIM_SUFFIX);

  for (guint i = 0; i < names->len; i++)
    load_from_folder (claims, path, g_ptr_array_index (names, i), errors);
  return claims;
}
