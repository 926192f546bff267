/* careless FILE: a program with every mistake that faults.py has to find. It writes in place and checks nothing.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  static const char text[] = "two lines\nof text\n";
  char *copy = malloc (sizeof text);
  int fd = open (argv[argc - 1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ssize_t written;

  memcpy (copy, text, sizeof text);
  written = write (fd, copy, strlen (copy));
  (void) written;
  fsync (fd);
  close (fd);
  free (copy);
  return 0;
}
