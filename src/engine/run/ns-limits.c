/* Limits of the system: address space, processes, and the memory of a group of processes.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenBLAS starts a thread for each core when it is loaded, and gives each calling thread a buffer. Where the system
 * refuses a thread, it ends the program with SIGINT; where it refuses memory, it asks again for ever. Therefore this
 * file looks at the limits before OpenBLAS's constructor runs, and ns_machine_memory() leaves room for the buffers.
 */
#include "engine/run/ns-engine-private.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((guint64) 1 << 20)
#define BASE_BYTES (256 * MIB) /* libraries, fonts, small arrays */
/* For each core a thread of OpenBLAS, which is ended at the start (ns-blas.h), and one of the engine, each with a
 * buffer of 128 MiB; a stack, and an arena of the allocator. */
#define THREAD_BYTES (328 * MIB)

static guint64
get_limit (int resource)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return G_MAXUINT64;
  return limit.rlim_cur;
}

/* RLIMIT_DATA counts private writable memory, which nearly all of ours is. */
static guint64
get_space_limit (void)
{
  return MIN (get_limit (RLIMIT_AS), get_limit (RLIMIT_DATA));
}

static guint64
get_reserve (void)
{
  long cores = sysconf (_SC_NPROCESSORS_ONLN);

  return BASE_BYTES + (guint64) CLAMP (cores, 1, 1024) * THREAD_BYTES;
}

gboolean
ns_limits_bound_space (void)
{
  return get_space_limit () != G_MAXUINT64;
}

/* ---- before OpenBLAS is loaded ---- */

/* The sanitizers are not ready at that time. */
#if defined(__linux__) && !NS_SANITIZED

static struct sigaction own_action;

static _Noreturn void
refuse (const char *text)
{
  gssize ignored = write (STDERR_FILENO, text, strlen (text));

  (void) ignored;
  _exit (1);
}

/* SIGINT before main(): from OpenBLAS, or from the user, whose signal has the effect that it has without a handler. */
static void
on_early_signal (int number, siginfo_t *info, void *context)
{
  (void) context;
  if (info->si_code == SI_TKILL || info->si_pid == getpid ())
    refuse ("normscope: the system refused a thread; raise the limit of processes (ulimit -u, pids.max) or of address "
            "space (ulimit -v)\n");
  sigaction (number, &own_action, NULL);
  raise (number); /* delivered when this returns */
}

static void
check_limits (void)
{
  struct sigaction action = { .sa_sigaction = on_early_signal, .sa_flags = SA_SIGINFO };

  if (ns_limits_bound_space ())
    {
      guint64 bytes = get_reserve ();
      void *probe = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      if (probe == MAP_FAILED)
        refuse ("normscope: the limit of address space or data (ulimit -v, ulimit -d) is too low; allowed: 384 MiB and "
                "328 MiB for each core, or more\n");
      munmap (probe, bytes);
    }
  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, &own_action);
}

__attribute__ ((section (".preinit_array"), used)) static void (*const before_constructors) (void) = check_limits;

/* The handler is for the constructors only. */
__attribute__ ((constructor)) static void
restore_signal (void)
{
  sigaction (SIGINT, &own_action, NULL);
}

#endif

/* ---- memory ---- */

/* Return the number in a file, G_MAXUINT64 if there is none, as for "max". */
static guint64
read_number (const char *folder, const char *group, const char *name)
{
  g_autofree char *path = g_build_filename (folder, group, name, NULL);
  g_autofree char *text = NULL;
  guint64 number;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || !g_ascii_string_to_unsigned (g_strstrip (text), 10, 0, G_MAXUINT64, &number, NULL))
    return G_MAXUINT64;
  return number;
}

/* Return the least limit of the group and of the groups that contain it. */
static guint64
get_group_limit (const char *folder, const char *group, const char *name)
{
  g_autofree char *path = g_strdup (group);
  guint64 least = read_number (folder, "", name);

  for (char *slash = path + strlen (path); slash != NULL && path[0] != '\0'; slash = strrchr (path, '/'))
    {
      *slash = '\0';
      least = MIN (least, read_number (folder, path, name));
    }
  return least;
}

guint64
ns_limits_get_group_memory (const char *root, const char *groups)
{
  g_auto (GStrv) lines = g_strsplit (groups, "\n", -1);
  g_autofree char *v1 = g_build_filename (root, "memory", NULL);
  guint64 least = G_MAXUINT64;

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 3); /* "0::/PATH", or "NUMBER:memory:/PATH" in version 1 */

      if (g_strv_length (fields) != 3)
        continue;
      if (fields[1][0] == '\0')
        least = MIN (least, get_group_limit (root, fields[2], "memory.max"));
      else if (strcmp (fields[1], "memory") == 0)
        least = MIN (least, get_group_limit (v1, fields[2], "memory.limit_in_bytes"));
    }
  return least;
}

static guint64
get_physical_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES), size = sysconf (_SC_PAGESIZE);

  return pages > 0 && size > 0 ? (guint64) pages * (guint64) size : G_MAXUINT64;
}

gboolean
ns_machine_is_limited (void)
{
  return ns_machine_memory () < get_physical_memory ();
}

guint64
ns_machine_memory (void)
{
  guint64 least = get_physical_memory (), space = get_space_limit ();
  g_autofree char *groups = NULL;

  if (space != G_MAXUINT64)
    least = MIN (least, space - MIN (space, get_reserve ()));
  if (g_file_get_contents ("/proc/self/cgroup", &groups, NULL, NULL))
    least = MIN (least, ns_limits_get_group_memory ("/sys/fs/cgroup", groups));
  return least;
}
