# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions shared by `run` and `check`: install packages and set up build folders. Sourced by bash in the project's
# folder.

BUILD_PACKAGES=(build-essential meson ninja-build gettext
  libglib2.0-dev libgtk-4-dev libadwaita-1-dev libjson-glib-dev libopenblas-dev librandom123-dev
  desktop-file-utils libxml2-utils librsvg2-common adwaita-icon-theme fonts-dejavu-core)

TEST_PACKAGES=(xvfb dbus at-spi2-core gsettings-desktop-schemas xdotool openbox libxtst-dev x11-utils
  imagemagick python3 python3-numpy python3-gi gir1.2-atspi-2.0 valgrind libc6-dbg locales appstream clang-format
  poppler-utils git mold ccache python3-pip python3-setuptools python3-venv python3-wheel libopenmpi-dev openmpi-bin)

# Large, and not available on every release. Without them, some tests skip.
OPTIONAL_TEST_PACKAGES=(python3-torch python3-pandas python3-nbclient python3-nbformat python3-ipykernel)

# For a Slurm of one node, which only root can start; without them its tests skip. On a machine with systemd the package
# munge starts its service; those of Slurm start nothing as long as there is no /etc/slurm/slurm.conf.
SLURM_PACKAGES=(munge slurmctld slurmd slurm-client)

# The package of libFuzzer depends on the compiler's version, see fuzzer_package.
FUZZ_PACKAGES=(clang llvm)

say () { printf '%s\n' "$*"; }
die () { printf '%s\n' "$*" >&2; exit 1; }

# Print debian, fedora, arch, homebrew, msys2 or unknown.
system_kind () {
  case $(uname -s) in
    Darwin) echo homebrew; return ;;
    MSYS*|MINGW*|UCRT*|CYGWIN*) echo msys2; return ;;
  esac
  local file=${NORMSCOPE_OS_RELEASE:-/etc/os-release} ids=
  if [ -r "$file" ]; then
    ids=$(. "$file"; echo " ${ID:-} ${ID_LIKE:-} ")
  fi
  case $ids in
    *' debian '*|*' ubuntu '*) echo debian ;;
    *' fedora '*|*' rhel '*) echo fedora ;;
    *' arch '*) echo arch ;;
    *) echo unknown ;;
  esac
}

# Print the packages to install on other systems, and exit.
name_packages_and_stop () {
  local fedora="sudo dnf install gcc meson ninja-build pkgconf gettext gtk4-devel libadwaita-devel json-glib-devel \\
    openblas-devel Random123-devel desktop-file-utils libxml2"
  local arch="sudo pacman -S --needed base-devel meson gettext gtk4 libadwaita json-glib openblas random123 \\
    desktop-file-utils libxml2"
  local homebrew="brew install meson ninja pkgconf gettext gtk4 libadwaita json-glib openblas random123 desktop-file-utils
  (Random123, if Homebrew has no formula: unpack its headers and set CFLAGS=-I<folder>/include)"
  local msys2="pacman -S --needed mingw-w64-ucrt-x86_64-{toolchain,meson,ninja,pkgconf,gettext} \\
    mingw-w64-ucrt-x86_64-{gtk4,libadwaita,json-glib,openblas}
  (Random123 has no package there: unpack its headers and set CFLAGS=-I<folder>/include)"
  say "This script installs packages on Debian (12 or newer) and Ubuntu (23.04 or newer) only."
  case $1 in fedora|unknown) say "On Fedora the packages are:"; say "  $fedora" ;; esac
  case $1 in arch|unknown) say "On Arch Linux the packages are:"; say "  $arch" ;; esac
  case $1 in homebrew|unknown) say "On macOS, with Homebrew, the packages are:"; say "  $homebrew" ;; esac
  case $1 in msys2|unknown) say "On Windows, in an MSYS2 UCRT64 shell, the packages are:"; say "  $msys2" ;; esac
  say ""
  say "With these packages installed, run: NORMSCOPE_NO_INSTALL=1 $0"
  exit 1
}

# Print those of the given packages that are not installed.
missing_packages () {
  local package
  for package; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      echo "$package"
    fi
  done
}

# Print the package with libFuzzer and the sanitizers for the installed clang.
fuzzer_package () {
  local version
  version=$(clang -dumpversion 2>/dev/null)
  echo "libclang-rt-${version:+${version%%.*}-}dev"
}

# can_fuzz FOLDER: succeed if clang can link a program with libFuzzer and the sanitizers.
can_fuzz () {
  mkdir -p "$1"
  printf 'int LLVMFuzzerTestOneInput (const unsigned char *p, unsigned long n) { return 0; }\n' >"$1/fuzz-probe.c"
  clang -fsanitize=fuzzer,address,undefined "$1/fuzz-probe.c" -o "$1/fuzz-probe" >"$1/fuzz-probe.log" 2>&1
}

apt_lists_are_fresh=
apt_install () {
  local sudo=() log done
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "sudo is not installed. Run as root: apt-get install $*" >&2; return 1; }
    sudo=(sudo)
  fi
  say "Installing (this can take some minutes): $*"
  log=$(mktemp) || return 1
  if [ -z "$apt_lists_are_fresh" ]; then
    run_quietly "$log" "${sudo[@]}" apt-get update -qq || { rm -f "$log"; return 1; }
    apt_lists_are_fresh=yes
  fi
  run_quietly "$log" "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"
  done=$?
  rm -f "$log"
  return $done
}

# Install the missing packages; exit if that fails.
need_packages () {
  local kind missing
  if [ -n "${NORMSCOPE_NO_INSTALL:-}" ]; then
    return
  fi
  kind=$(system_kind)
  if [ "$kind" != debian ]; then
    name_packages_and_stop "$kind"
  fi
  mapfile -t missing < <(missing_packages "$@"; command -v pkg-config >/dev/null || echo pkg-config)
  if [ ${#missing[@]} -gt 0 ]; then
    apt_install "${missing[@]}" || die "The packages could not be installed: ${missing[*]}"
  fi
}

# Install missing optional packages; continue if that fails.
want_packages () {
  local missing
  if [ -n "${NORMSCOPE_NO_INSTALL:-}" ] || [ "$(system_kind)" != debian ]; then
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  if [ ${#missing[@]} -gt 0 ]; then
    apt_install "${missing[@]}" || say "Continuing without: ${missing[*]}"
  fi
}

# run_quietly LOG COMMAND...: write output to the log, and its end to the terminal if the command fails.
run_quietly () {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    return 1
  fi
}

# Let Meson use the fastest linker that is installed and works with the compiler.
use_fastest_linker () {
  local linker
  for linker in mold lld gold; do
    if echo 'int main (void) { return 0; }' | "${CC:-cc}" -fuse-ld=$linker -x c - -o /dev/null 2>/dev/null; then
      export CC_LD=$linker
      return
    fi
  done
}

# configure FOLDER [meson options]: set up a build folder; recreate it if it is broken or was moved. A new folder
# compiles several files as one unit, which takes less time, unless $unity says otherwise.
configure () {
  local folder=$1
  shift
  mkdir -p "$folder"
  if [ -e "$folder/build.ninja" ] && run_quietly /dev/null meson setup --reconfigure "$folder" "$@" 2>/dev/null; then
    return
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  run_quietly "$folder/configure.log" meson setup "$folder" "-Dunity=${unity:-on}" "$@"
}

# Show the steps of ninja's output: on a terminal as one line that moves, otherwise every tenth of them.
show_steps () {
  local line last=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    local n=${BASH_REMATCH[1]} of=${BASH_REMATCH[2]}
    if [ -t 1 ]; then
      printf '\r  %s of %s steps' "$n" "$of"
    elif [ $((n * 10 / of)) -gt "$last" ]; then
      last=$((n * 10 / of))
      say "  $n of $of steps"
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

# build FOLDER [targets]
build () {
  local folder=$1 status
  shift
  meson compile -C "$folder" "$@" 2>&1 | tee "$folder/compile.log" | show_steps
  status=${PIPESTATUS[0]}
  [ "$status" -eq 0 ] || tail -n 60 "$folder/compile.log" >&2
  return "$status"
}

# Print the Python that has PyTorch and NumPy, or nothing. Prefer the system's, since the first python3 in PATH may be a
# private one without the modules. Not in the current folder, where Python would search for modules, too.
python_with_torch () {
  local candidate
  for candidate in /usr/bin/python3 python3; do
    if (cd / && PYTHONSAFEPATH=1 "$candidate" -c 'import torch, numpy' 2>/dev/null); then
      echo "$candidate"
      return
    fi
  done
}
