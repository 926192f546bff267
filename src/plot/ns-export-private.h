/* What the export writes into the files of other hands: metadata into Cairo's PNG and SVG.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "plot/ns-export.h"

G_BEGIN_DECLS

/* The PNG with an iTXt chunk for each text given, right after its header. Takes `png`. */
GByteArray *ns_export_png_add_metadata (GByteArray *png, const NsExportMetadata *metadata);

/* The SVG with ids counted from 1 instead of from the process's start, and with title, description and
 * metadata as its first children. Takes `svg`. */
GByteArray *ns_export_svg_finish (GByteArray *svg, const NsExportMetadata *metadata);

G_END_DECLS
