#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a command on an X server of its own, which picks its display number itself,
# so that any number of these can run at once. TEST_ON_THIS_DISPLAY=1 uses the
# display at hand instead, TEST_TOOL is put before the command (valgrind, gdb --args).
set -u

# Word splitting of TEST_TOOL is wanted: it is a command with its options.
if [ -n "${TEST_ON_THIS_DISPLAY:-}" ]; then
  exec ${TEST_TOOL:-} "$@"
fi

if ! command -v Xvfb >/dev/null; then
  echo '1..0 # SKIP Xvfb is not installed'
  exit 0
fi

dir=$(mktemp -d) || exit 99
Xvfb -displayfd 9 -screen 0 "${XVFB_SCREEN:-1920x1200x24}" -dpi 96 -nolisten tcp -noreset \
  9>"$dir/number" >"$dir/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 143' TERM INT HUP

while [ ! -s "$dir/number" ]; do
  if ! kill -0 $server 2>/dev/null; then
    cat "$dir/log" >&2
    exit 99
  fi
  sleep 0.02
done

DISPLAY=:$(cat "$dir/number")
export DISPLAY
unset WAYLAND_DISPLAY
${TEST_TOOL:-} "$@"
