#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run a command on a new X server. The server chooses a free display number, so that
# several can run at once. TEST_ON_THIS_DISPLAY=1 uses the current display instead.
# TEST_TOOL precedes the command, for example "valgrind" or "gdb --args".
#
# As on a desktop, there is a session bus, and assistive technology can ask for everything:
# a new bus with a registry of its own. TEST_WITHOUT_BUS=1 leaves both out.
set -u

# TEST_TOOL is not quoted: it is a command with options.
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
bus=()
if [ -z "${TEST_WITHOUT_BUS:-}" ]; then
  if command -v dbus-run-session >/dev/null && [ -e /usr/share/dbus-1/services/org.a11y.Bus.service ]; then
    # What the services print on the standard output, here the standard error, is not the test's.
    bus=(dbus-run-session -- bash -c 'exec "$@" >&3 3>&-' bash)
    # The sockets of the registry are here, too.
    export GTK_A11Y=atspi XDG_RUNTIME_DIR=$dir
  else
    echo '# Without a session bus: dbus-run-session or at-spi2-core is not installed'
  fi
fi
if [ ${#bus[@]} -gt 0 ]; then
  "${bus[@]}" ${TEST_TOOL:-} "$@" 3>&1 >&2
else
  ${TEST_TOOL:-} "$@"
fi
