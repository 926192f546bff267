/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/ns-mpi.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

/* Errors of MPI end all processes with a message of its own. */

/* Open MPI looks for Omni-Path and libfabric first, a fifth of a second even on a machine without such a network, half
 * of its start. */
static void
skip_absent_networks (void)
{
  if (access ("/sys/class/infiniband", F_OK) != 0 && access ("/sys/class/cxi", F_OK) != 0)
    setenv ("OMPI_MCA_mtl", "^psm,psm2,ofi", FALSE);
}

static gboolean
begin (int *rank, int *size)
{
  int provided;

  skip_absent_networks ();
  MPI_Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, rank);
  MPI_Comm_size (MPI_COMM_WORLD, size);
  return provided >= MPI_THREAD_SERIALIZED;
}

static void
end (void)
{
  MPI_Finalize ();
}

static void
abort_all (int status)
{
  MPI_Abort (MPI_COMM_WORLD, status);
}

static void
broadcast (gpointer bytes, int n)
{
  MPI_Bcast (bytes, n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void
send (int rank, gconstpointer bytes, int n)
{
  MPI_Send (bytes, n, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

static gboolean
probe (int *rank, int *n)
{
  MPI_Status status;
  int waits;

  MPI_Iprobe (MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &waits, &status);
  if (!waits)
    return FALSE;
  MPI_Get_count (&status, MPI_BYTE, n);
  *rank = status.MPI_SOURCE;
  return TRUE;
}

static void
receive (int rank, gpointer bytes, int n)
{
  MPI_Recv (bytes, n, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

extern const NsMpi ns_mpi;
const NsMpi ns_mpi = { begin, end, abort_all, broadcast, send, probe, receive };
