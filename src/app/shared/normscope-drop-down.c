/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app/shared/normscope-drop-down.h"

#include <string.h>

static void
setup_item_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), 3);
  gtk_list_item_set_child (item, label);
}

/* Show the symbol before the two spaces; the list and the plot's title have the words after them, too. */
static void
bind_item_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  const char *text = gtk_string_object_get_string (GTK_STRING_OBJECT (gtk_list_item_get_item (item)));
  const char *end = strstr (text, "  ");
  g_autofree char *name = end != NULL ? g_strndup (text, (gsize) (end - text)) : g_strdup (text);

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), name);
}

static void
bind_list_item_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkStringObject *text = GTK_STRING_OBJECT (gtk_list_item_get_item (item));

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (text));
}

static void
setup_list_item_cb (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static GtkListItemFactory *
make_factory (GCallback setup, GCallback bind)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", setup, NULL);
  g_signal_connect (factory, "bind", bind, NULL);
  return factory;
}

void
normscope_drop_down_set_narrow (GtkDropDown *drop_down)
{
  g_autoptr (GtkListItemFactory) button = make_factory (G_CALLBACK (setup_item_cb), G_CALLBACK (bind_item_cb));
  g_autoptr (GtkListItemFactory) list = make_factory (G_CALLBACK (setup_list_item_cb), G_CALLBACK (bind_list_item_cb));

  gtk_drop_down_set_factory (drop_down, button);
  gtk_drop_down_set_list_factory (drop_down, list);
}
