#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Take the documentation's pictures of the window into docs/screenshots.
#   build-aux/screenshots.sh [BUILD FOLDER] [FOLDER FOR THE PICTURES] [all]
# The build folder is created if necessary. With "all", take the window at many sizes and settings, for review only.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$top/build}
folder=${2:-$top/docs/screenshots}

[ -f "$build/build.ninja" ] || meson setup "$build" "$top"
meson compile -C "$build"
meson compile -C "$build" take-screenshots take-dialogs
mkdir -p "$folder"

# Use the environment of the tests, so the pictures are the same on every machine.
take () {
  env GDK_BACKEND=x11 GDK_DEBUG=gl-disable,default-settings GSK_RENDERER=cairo GTK_A11Y=test \
    DBUS_SESSION_BUS_ADDRESS=disabled: GSETTINGS_BACKEND=memory GSETTINGS_SCHEMA_DIR="$build/data" \
    ADW_DISABLE_PORTAL=1 GIO_USE_VFS=local LC_ALL=C.UTF-8 LANGUAGE=C OPENBLAS_NUM_THREADS=1 \
    "$top/tests/with-xvfb.sh" "$build/tests/app/$1" "${@:2}"
}

take take-screenshots "$folder" ${3:+"$3"}
if [ "${3:-}" = all ]; then take take-dialogs "$folder"; fi
ls -l "$folder"
