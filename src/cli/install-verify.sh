#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# install-verify.sh NINJA PROGRAM FOLDER: build the program, which is not built by default, and install it. Meson itself
# would refuse to install a program that is not built.
set -e

"$1" -C "$MESON_BUILD_ROOT" "$2"
folder=${MESON_INSTALL_DESTDIR_PREFIX%"$MESON_INSTALL_PREFIX"}$3
mkdir -p "$folder"
install -m 755 "$MESON_BUILD_ROOT/$2" "$folder"
