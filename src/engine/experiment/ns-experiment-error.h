/* Errors of an experiment's settings.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define NS_EXPERIMENT_ERROR (ns_experiment_error_quark ())
GQuark ns_experiment_error_quark (void);
typedef enum
{
  NS_EXPERIMENT_ERROR_VALUE,  /* a value out of its range, of a wrong type, or impossible together */
  NS_EXPERIMENT_ERROR_MEMORY, /* beyond this machine's memory */
} NsExperimentError;

G_END_DECLS
