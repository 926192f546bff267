/* The functions of MPI that normscope-cli calls. They are in a module of their own, which is loaded only under mpirun:
 * a plain start does not pay for the library.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Threads: one call at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  /* Start MPI. Return FALSE if it does not allow calls of several threads. */
  gboolean (*begin) (int *rank, int *size);
  void (*end) (void);
  /* End all processes. */
  void (*abort) (int status);
  /* Give every process the bytes of rank 0. */
  void (*broadcast) (gpointer bytes, int n);
  void (*send) (int rank, gconstpointer bytes, int n);
  /* Return TRUE if a message waits: its sender and its length. */
  gboolean (*probe) (int *rank, int *n);
  void (*receive) (int rank, gpointer bytes, int n);
} NsMpi;

/* The symbol of the module, a const NsMpi. */
#define NS_MPI_SYMBOL "ns_mpi"
#define NS_MPI_MODULE "normscope-mpi.so"

G_END_DECLS
