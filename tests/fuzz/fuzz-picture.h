/* Shared code of the fuzz targets for pictures.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-export.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Write a picture that contains only the metadata. Caller owns it. */
typedef GBytes *(*FuzzWriteFunc) (const NsExportMetadata *metadata);

/* Check the contracts of reading a picture and its embedded experiment, and that a written picture gives the same
 * experiment back. */
void fuzz_check_picture (GBytes *picture, FuzzWriteFunc write);

G_END_DECLS
