/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/wiring/normscope-wiring-settings.h"

#include <adwaita.h>

#include "app/controls/normscope-parameter-row.h"

#define WIDTH_PX      340
#define MAX_HEIGHT_PX 420

/* The settings of each part, by their paths. */
static const char *const attention[] = {
  "attn.norm", "attn.residual",  "attn.inner_norm", "attention", "attention_scale", "attention_output",
  "qk_norm",        "rotary",       "position_bias", "window", "score_cap", "shape.heads",
  "shape.kv_heads", "shape.d_head", "bias_qkv",      "bias_output", NULL,
};
static const char *const cross[] = { "cross.norm", "cross.residual", "cross.inner_norm", NULL };
static const char *const ffn[] = {
  "ffn.norm", "ffn.residual", "ffn.inner_norm", "activation", "shape.d_ff", "bias_ffn",
  "experts",  "experts_per_token", NULL,
};
static const char *const norm_keys[] = {
  "norm", "norm_eps", "dyt_alpha", "norm_scale", "branch_norm_gain", "bias_norms", "first_block_pre",
  "ngpt", NULL,
};
static const char *const input[] = {
  "data.source",      "data.class_token", "data.positions", "data.embed_std", "data.embed_scale",
  "shape.seq_len",    "shape.batch",      "input_scale",    "input_norm",     "shape.encoder_vocab",
  NULL,
};
static const char *const head[] = { "loss",      "final_norm",  "head_transform", "init.head", "logit_scale",
                                    "logit_cap", "shape.vocab", "bias_head",      NULL };
static const char *const depth_keys[] = { "shape.depth", "shape.decoder_depth", "shape.stack", "sublayers", NULL };

static const char *const *
get_paths (NsWiringPart part)
{
  switch (part.kind)
    {
    case NS_WIRING_PART_SUB_LAYER:
      return part.which == NS_SUB_ATTN ? attention : part.which == NS_SUB_CROSS ? cross : ffn;
    case NS_WIRING_PART_INPUT:
      return input;
    case NS_WIRING_PART_HEAD:
      return head;
    case NS_WIRING_PART_DEPTH:
      return depth_keys;
    default:
      return norm_keys;
    }
}

GtkWidget *
normscope_wiring_settings_new (NormscopeSession *session, NsWiringPart part)
{
  GtkWidget *popover = gtk_popover_new (), *scrolled = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *list = gtk_list_box_new ();
  g_autofree char *name = ns_wiring_part_dup_name (part);
  GtkWidget *title = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  for (const char *const *path = get_paths (part); *path != NULL; path++)
    {
      gboolean is_depth = part.kind == NS_WIRING_PART_DEPTH && path == depth_keys;
      GtkWidget *row = g_object_new (NORMSCOPE_TYPE_PARAMETER_ROW, "path", *path, "slider", is_depth, NULL);

      normscope_parameter_row_set_session (NORMSCOPE_PARAMETER_ROW (row), session);
      gtk_list_box_append (GTK_LIST_BOX (list), row);
    }
  gtk_widget_set_size_request (list, WIDTH_PX, -1);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), list);
  gtk_widget_add_css_class (box, "wiring-settings");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MAX_HEIGHT_PX);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  gtk_popover_set_child (GTK_POPOVER (popover), scrolled);
  gtk_accessible_update_property (GTK_ACCESSIBLE (popover), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return popover;
}
