# SPDX-License-Identifier: GPL-3.0-or-later
#
# Write each input of the files TARGET.txt into a file of its own, FOLDER/TARGET/NAME; README.md explains the form.
#
#     awk -v folder=FOLDER -f split.awk TARGET.txt...

function fail(problem) {
  print FILENAME ":" FNR ": " problem > "/dev/stderr"
  exit 1
}

FNR == 1 {
  target = FILENAME
  gsub(/.*\/|\.txt$/, "", target)
  if (system("mkdir -p '" folder "/" target "'"))
    fail("no folder for the inputs of " target)
  path = ""
}

/^==/ {
  if (!/^== [a-z0-9-]+$/)
    fail("a line that begins with == must be \"== NAME\", with a name of a-z, 0-9 and -")
  close(path)
  path = folder "/" target "/" $2
  if (path in seen)
    fail("two inputs have the name " $2)
  seen[path]
  end = ""
  printf "" > path
  next
}

path == "" {
  fail("the first line must be \"== NAME\"")
}

# The newline before the next name is not a part of the input.
{
  printf "%s%s", end, $0 > path
  end = "\n"
}
