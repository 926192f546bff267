/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-part.h"

#include <glib/gi18n-lib.h>

#include "app/shared/normscope-update.h"
#include "app/wiring/normscope-scissors.h"
#include "engine/experiment/ns-derived.h"
#include "engine/experiment/ns-params.h"

struct _NormscopeWiringPart
{
  GtkWidget parent_instance;

  guint id;
  NsWiringPart what;
};

G_DEFINE_FINAL_TYPE (NormscopeWiringPart, normscope_wiring_part, GTK_TYPE_WIDGET)

guint
normscope_wiring_part_get_id (NormscopeWiringPart *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING_PART (self), 0);
  return self->id;
}

NsWiringPart
normscope_wiring_part_get_what (NormscopeWiringPart *self)
{
  g_return_val_if_fail (NORMSCOPE_IS_WIRING_PART (self), (NsWiringPart){ 0 });
  return self->what;
}

/* ---- state ---- */

/* Return a norm's name with the usual name of where its sub-layer has norms, as "Pre-LN". */
static char *
dup_norm_label (const NsWiringPart *what, const char *name, const NsShape *shape, const NsVariant *variant,
                gint64 block)
{
  const NsNormInfo *info = ns_norm_info ((NsNormPlace) what->which);
  const NsParam *param = ns_param_find ("attn.norm");
  NsPlacement placement;
  NsParts parts;
  gint64 depth;

  if (info->sub == NS_SUB_NONE || info->slot == NS_SLOT_INNER)
    return g_strdup (name);
  parts = ns_shape_get_parts (shape);
  depth = parts.depth[MIN (what->part, parts.n - 1)];
  placement = ns_variant_get_placement (variant, info->sub, MIN (block, depth), depth);
  if (placement == NS_PLACE_BRANCH_POST) /* no choice of the parameter */
    return g_strdup_printf ("%s (nGPT)", name);
  return g_strdup_printf ("%s (%s)", name, ns_param_get_choice_label (param, param->choices[placement]));
}

/* Return the accessible name, with the state. */
static char *
dup_label (const NsWiringPart *what, const NsShape *shape, const NsVariant *variant, gint64 block)
{
  g_autofree char *name = ns_wiring_part_dup_name (*what);
  NsParts parts = ns_shape_get_parts (shape);
  gint64 depth;

  switch (what->kind)
    {
    case NS_WIRING_PART_RESIDUAL:
      return g_strdup_printf ("%s: %s", name,
                              ns_variant_get_wiring (variant, (NsSub) what->which).residual
                                  ? C_ ("residual", "connected")
                                  : C_ ("residual", "cut"));
    case NS_WIRING_PART_NORM:
      return dup_norm_label (what, name, shape, variant, block);
    case NS_WIRING_PART_DEPTH:
      depth = parts.depth[MIN (what->part, parts.n - 1)];
      return g_strdup_printf (ngettext ("%s: %d block", "%s: %d blocks", (gulong) depth), name, (int) depth);
    case NS_WIRING_PART_SOCKET:
      return g_strdup_printf (_ ("No norm here. %s"), name);
    default:
      return g_steal_pointer (&name);
    }
}

/* Say what a click does. */
static const char *
get_hint (const NsWiringPart *what, gboolean is_cut)
{
  switch (what->kind)
    {
    case NS_WIRING_PART_RESIDUAL:
      return is_cut ? _ ("Click to join it (Space)") : _ ("Click to cut it (Space)");
    case NS_WIRING_PART_NORM:
      return _ ("Drag to move it (Space, arrows, Enter), click for its kind (Enter), Delete removes it");
    case NS_WIRING_PART_SOCKET:
      return _ ("Click to add a norm");
    case NS_WIRING_PART_DEPTH:
      return _ ("Click to change it (Enter)");
    default:
      return _ ("Click for its settings (Enter)");
    }
}

void
normscope_wiring_part_show (NormscopeWiringPart *self, const NsShape *shape, const NsVariant *variant, gint64 block)
{
  g_autofree char *label = NULL;
  g_autofree char *tooltip = NULL;
  gboolean is_cut = FALSE;

  g_return_if_fail (NORMSCOPE_IS_WIRING_PART (self));
  label = dup_label (&self->what, shape, variant, block);
  if (self->what.kind == NS_WIRING_PART_RESIDUAL)
    {
      is_cut = !ns_variant_get_wiring (variant, (NsSub) self->what.which).residual;
      gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_CHECKED, !is_cut, -1);
      if (is_cut)
        gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "pointer");
      else
        gtk_widget_set_cursor (GTK_WIDGET (self), normscope_scissors_get_cursor ());
    }
  tooltip = g_strdup_printf ("%s\n%s", label, get_hint (&self->what, is_cut));
  normscope_update_tooltip (GTK_WIDGET (self), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

/* ---- the object ---- */

static void
normscope_wiring_part_class_init (NormscopeWiringPartClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "wiringpart");
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_BUTTON);
}

static void
normscope_wiring_part_init (NormscopeWiringPart *self)
{
}

GtkWidget *
normscope_wiring_part_new (guint id)
{
  NormscopeWiringPart *self;
  NsWiringPart what;

  ns_wiring_part_unpack (id, &what);
  self = g_object_new (NORMSCOPE_TYPE_WIRING_PART, "accessible-role",
                       what.kind == NS_WIRING_PART_RESIDUAL ? GTK_ACCESSIBLE_ROLE_SWITCH : GTK_ACCESSIBLE_ROLE_BUTTON,
                       NULL);
  self->id = id;
  self->what = what;
  gtk_widget_set_focusable (GTK_WIDGET (self), what.kind != NS_WIRING_PART_SOCKET);
  if (what.kind == NS_WIRING_PART_SOCKET)
    gtk_widget_add_css_class (GTK_WIDGET (self), "socket");
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), what.kind == NS_WIRING_PART_NORM ? "grab" : "pointer");
  return GTK_WIDGET (self);
}
