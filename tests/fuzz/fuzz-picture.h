/* What the fuzz targets of pictures share.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-export.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* A picture with nothing in it but the metadata. Caller owns it. */
typedef GBytes *(*FuzzWriteFunc) (const NsExportMetadata *metadata);

/* That reading the bytes as a picture, and what it carries as an experiment, keeps the contract, and that the same
 * experiment comes out of a picture into which the export writes it. */
void fuzz_check_picture (GBytes *picture, FuzzWriteFunc write);

G_END_DECLS
