/* The keys of a presentation.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A clicker sends Page Up and Page Down, "b" or a full stop, F5 and Escape. They work wherever the focus is, and so
 * does Space while a question is open; Escape first ends what the focus is in, such as help. Arrow keys, Home and End
 * step only where the focus has no use of its own for them: not on a plot, a slider or a list. Letters and digits are
 * left to a text field that has the focus, and everything to an open popover. Keys of the window do nothing unless they
 * change what is on the stage: no menu, panel or dialog opens in front of a class.
 */
#include "app/lecture/normscope-presenter-private.h"

/* Keys of the window that work on the stage: help, the wiring, menus of plots, undo, the views, the size of text, new
 * weights, a copy of a text. F5 and F11 have nothing to do. */
#define STAGE_KEYS                                                                                                     \
  "F1|F4|<Shift>F10|<Control>z|<Control><Shift>z|<Control>y|<Control>1|<Control>2|<Control>3|<Control>4|"              \
  "<Control>plus|<Control>equal|<Control>KP_Add|<Control>minus|<Control>KP_Subtract|<Control>0|<Control>KP_0|"         \
  "<Control>r|<Control>c|<Control>Insert"
/* In a text field and in help. */
#define TEXT_KEYS                                                                                                      \
  "<Control>a|<Control>v|<Control>x|<Control>Left|<Control>Right|<Control>BackSpace|<Control>Delete|<Control>Home|"    \
  "<Control>End|<Control><Shift>Left|<Control><Shift>Right|<Control><Shift>Home|<Control><Shift>End|"                  \
  "<Alt>Left|<Alt>Right"

static gboolean
is_modifier (guint key)
{
  return (key >= GDK_KEY_Shift_L && key <= GDK_KEY_Hyper_R) || key == GDK_KEY_ISO_Level3_Shift
         || key == GDK_KEY_Num_Lock;
}

/* A button has no use for arrow keys but to move the focus. */
static gboolean
has_use_for_arrows (GtkWidget *focus)
{
  return focus != NULL && !GTK_IS_BUTTON (focus) && !GTK_IS_WINDOW (focus);
}

static gboolean
is_typing (GtkWidget *focus)
{
  return focus != NULL && (GTK_IS_EDITABLE (focus) || GTK_IS_TEXT_VIEW (focus));
}

/* Help beside the plots searches by letters and closes with Escape. */
static gboolean
is_in_help (GtkWidget *focus)
{
  while (focus != NULL && !g_str_equal (gtk_widget_get_css_name (focus), "help"))
    focus = gtk_widget_get_parent (focus);
  return focus != NULL;
}

static gboolean
is_page_key (guint key)
{
  return key == GDK_KEY_Page_Down || key == GDK_KEY_KP_Page_Down || key == GDK_KEY_Page_Up
         || key == GDK_KEY_KP_Page_Up;
}

static gboolean
is_one_of (GdkEvent *event, const char *keys)
{
  g_autoptr (GtkShortcutTrigger) trigger = gtk_shortcut_trigger_parse_string (keys);

  return gtk_shortcut_trigger_trigger (trigger, event, FALSE) != GDK_KEY_MATCH_NONE;
}

/* Return TRUE for a key of the window that has nothing to do with what is on the stage. */
static gboolean
is_off_stage (GdkEvent *event, guint key, GdkModifierType state, GtkWidget *focus)
{
  gboolean is_function_key = key >= GDK_KEY_F1 && key <= GDK_KEY_F35;

  if (!is_function_key && (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) == 0)
    return FALSE;
  return !is_one_of (event, STAGE_KEYS) && !((is_typing (focus) || is_in_help (focus)) && is_one_of (event, TEXT_KEYS));
}

static gboolean
step (NormscopePresenter *self, const char *action)
{
  gtk_widget_activate_action (GTK_WIDGET (self), action, NULL);
  return GDK_EVENT_STOP;
}

static gboolean
clicker_key (NormscopePresenter *self, guint key)
{
  switch (key)
    {
    case GDK_KEY_Page_Down:
    case GDK_KEY_KP_Page_Down:
      return step (self, "present.next");
    case GDK_KEY_Page_Up:
    case GDK_KEY_KP_Page_Up:
      return step (self, "present.previous");
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static gboolean
arrow_key (NormscopePresenter *self, guint key)
{
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  switch (key)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      return step (self, mirrored ? "present.previous" : "present.next");
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      return step (self, mirrored ? "present.next" : "present.previous");
    case GDK_KEY_Home:
    case GDK_KEY_KP_Home:
      return step (self, "present.first");
    case GDK_KEY_End:
    case GDK_KEY_KP_End:
      return step (self, "present.last");
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* Return the digit of a key, 1 … 9, with Shift or without, or 0: some keyboards have digits with Shift only. */
static guint
find_digit (GtkWidget *widget, guint key, guint code)
{
  g_autofree GdkKeymapKey *keys = NULL;
  g_autofree guint *values = NULL;
  int n;

  if (key >= GDK_KEY_KP_1 && key <= GDK_KEY_KP_9)
    return key - GDK_KEY_KP_0;
  if (!gdk_display_map_keycode (gtk_widget_get_display (widget), code, &keys, &values, &n))
    return 0;
  for (int i = 0; i < n; i++)
    if (keys[i].level <= 1 && values[i] >= GDK_KEY_1 && values[i] <= GDK_KEY_9)
      return values[i] - GDK_KEY_0;
  return 0;
}

/* Number keys count hands, with Shift they take one back. */
static gboolean
vote_key (NormscopePresenter *self, guint key, guint code, GdkModifierType state)
{
  guint digit = self->asked.card != NULL ? find_digit (GTK_WIDGET (self), key, code) : 0;

  if (digit == 0)
    return GDK_EVENT_PROPAGATE;
  normscope_question_card_vote (self->asked.card, digit - 1, (state & GDK_SHIFT_MASK) != 0);
  return GDK_EVENT_STOP;
}

/* A button that opens a list has the focus after a choice by pointer, too: Space does not open it again. */
static gboolean
opens_list (GtkWidget *focus)
{
  return gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON) != NULL
         || gtk_widget_get_ancestor (focus, GTK_TYPE_DROP_DOWN) != NULL;
}

/* Space shows the answer to an open question; without one it presses the focused button or control, else it goes on. */
static gboolean
space_key (NormscopePresenter *self, guint key, GtkWidget *focus)
{
  if (key != GDK_KEY_space && key != GDK_KEY_KP_Space)
    return GDK_EVENT_PROPAGATE;
  if (normscope_presenter_reveal (self))
    return GDK_EVENT_STOP;
  if (focus != NULL && !GTK_IS_WINDOW (focus) && !opens_list (focus))
    return GDK_EVENT_PROPAGATE;
  return self->with_lecture ? step (self, "present.next") : GDK_EVENT_PROPAGATE;
}

static gboolean
letter_key (NormscopePresenter *self, guint key)
{
  switch (gdk_keyval_to_lower (key))
    {
    case GDK_KEY_b:
    case GDK_KEY_period:
      return step (self, "present.blank");
    case GDK_KEY_c:
      return step (self, "present.controls");
    case GDK_KEY_s:
      return step (self, "present.notes");
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static gboolean
presenter_key_cb (GtkEventController *controller, guint key, guint code, GdkModifierType state,
                  NormscopePresenter *self)
{
  GdkEvent *event = gtk_event_controller_get_current_event (controller);
  GtkRoot *root = gtk_widget_get_root (gtk_event_controller_get_widget (controller));
  GtkWidget *focus = gtk_root_get_focus (root);

  if (is_modifier (key))
    return GDK_EVENT_PROPAGATE;
  if (normscope_presenter_is_blank (self))
    {
      normscope_presenter_set_blank (self, FALSE);
      return GDK_EVENT_STOP;
    }
  if (focus != NULL && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL)
    return GDK_EVENT_PROPAGATE;
  if (is_off_stage (event, key, state, focus))
    return GDK_EVENT_STOP;
  if (is_in_help (focus) && !is_page_key (key))
    return GDK_EVENT_PROPAGATE;
  if (key == GDK_KEY_Tab || key == GDK_KEY_ISO_Left_Tab)
    normscope_presenter_bar_wake (self->bar);
  if ((state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (clicker_key (self, key) || (!has_use_for_arrows (focus) && arrow_key (self, key)))
    return GDK_EVENT_STOP;
  if (is_typing (focus))
    return GDK_EVENT_PROPAGATE;
  return space_key (self, key, focus) || vote_key (self, key, code, state) || letter_key (self, key);
}

GtkEventController *
normscope_presenter_new_keys (NormscopePresenter *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (presenter_key_cb), self);
  return keys;
}
