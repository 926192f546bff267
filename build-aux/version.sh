#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# version.sh VERSION: print the version with git's revision of these sources: 0.3.0 at the tag v0.3.0, 0.3.0+g1a2b3c4 at
# another commit, 0.3.0+g1a2b3c4.dirty with changes that are not committed. Fail outside a checkout, and without git.
set -e
exec 2>/dev/null

cd "$(dirname "$0")/.."
# Sources that were unpacked inside another project's checkout have no .git of their own.
[ -e .git ]
revision=$(git rev-parse --short=7 HEAD)
# Without locks, as this runs in every build and may meet a commit.
changes=$(git --no-optional-locks status --porcelain --untracked-files=no)
if [ -z "$changes" ] && git describe --exact-match --match "v$1" >/dev/null; then
  echo "$1"
else
  echo "$1+g$revision${changes:+.dirty}"
fi
