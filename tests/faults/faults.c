/* A library to preload: count the calls of a program to the system, and let one of them fail.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FAULTS="PROGRAM KIND N HOW ERRNO" acts in programs with this name. From the start of main(), the Nth call (from 1) of
 * the kind fails with the errno (HOW "once"), it and all later ones fail ("on"), it is interrupted ("short": half of
 * the bytes), or the process is killed before it ("kill") or after half of the bytes ("torn"). N = 0 only counts; with
 * "stacks" it also notes from which chain of calls each call comes. FAULTS_RECORD names a file of sizeof (Record)
 * bytes, which outlives a killed process: the counts of all kinds, and the call that failed. The driver is faults.py.
 */
#undef _FILE_OFFSET_BITS /* or open() would be another name for open64() */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <pthread.h>

/* Sizes from here on come from an experiment or a file, not from the program. */
#define LARGE (64 * 1024)

/* Read by faults.py: keep the order. */
typedef enum
{
  SMALL_MEMORY,
  LARGE_MEMORY,
  MAP,
  OPEN,
  READ,
  WRITE,
  SYNC,
  CLOSE,
  RENAME,
  MAKE,
  REMOVE,
  MODE,
  THREAD,
  PROCESS,
  N_KINDS
} Kind;

static const char *const kinds[N_KINDS] = {
  "small-memory", "large-memory", "map",    "open",   "read", "write",  "sync",
  "close",        "rename",       "make",   "remove", "mode", "thread", "process",
};

typedef enum
{
  ONCE,
  ON,
  SHORT,
  KILL,
  TORN,
  STACKS,
  N_HOWS
} How;

static const char *const hows[N_HOWS] = { "once", "on", "short", "kill", "torn", "stacks" };

#define FRAMES 24
#define MAX_STACKS (1 << 18)

/* Read by faults.py: keep the layout. */
typedef struct
{
  atomic_ullong counts[N_KINDS];
  atomic_ullong failed;
  unsigned long long size; /* of the allocation that failed */
  char path[256];          /* of the call that failed, if it has one */
  char frames[FRAMES][128];
  unsigned long long stacks[MAX_STACKS]; /* a number for the chain of calls of each call of the kind */
} Record;

static Record *record;
static atomic_bool armed;
static pid_t program; /* a child is left alone until it is another program */
static Kind fault_kind = N_KINDS;
static unsigned long long fault_n;
static How fault_how;
static int fault_errno;

/* The allocator of the C library, which dlsym() itself uses. */
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *memory, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

#define REAL(name) ((__typeof__ (&name)) find (#name))

static void *
find (const char *name)
{
  void *function = dlsym (RTLD_NEXT, name);

  if (function == NULL)
    abort ();
  return function;
}

static void
note_frames (void)
{
  void *frames[FRAMES + 2];
  int n = backtrace (frames, FRAMES + 2);

  for (int i = 2; i < n; i++)
    {
      Dl_info info;
      char *line = record->frames[i - 2];
      const char *slash;

      if (dladdr (frames[i], &info) == 0 || info.dli_fname == NULL)
        continue;
      slash = strrchr (info.dli_fname, '/');
      snprintf (line, sizeof record->frames[0], "%.60s %.50s", slash != NULL ? slash + 1 : info.dli_fname,
                info.dli_sname != NULL ? info.dli_sname : "");
    }
}

static unsigned long long
get_stack_number (void)
{
  void *frames[FRAMES + 2];
  int n = backtrace (frames, FRAMES + 2);
  unsigned long long number = 14695981039346656037u;

  for (int i = 2; i < n; i++)
    number = (number ^ (uintptr_t) frames[i]) * 1099511628211u;
  return number;
}

/* Count a call; return whether this one is to fail. errno is then set. */
static int
fails (Kind kind, const char *path, size_t size)
{
  unsigned long long n;

  if (!atomic_load (&armed) || getpid () != program)
    return 0;
  n = atomic_fetch_add (&record->counts[kind], 1) + 1;
  if (kind == fault_kind && fault_how == STACKS && n <= MAX_STACKS)
    record->stacks[n - 1] = get_stack_number ();
  if (kind != fault_kind || fault_n == 0 || n < fault_n || (n > fault_n && fault_how != ON))
    return 0;
  if (n == fault_n)
    {
      atomic_store (&armed, 0); /* taking notes opens files and allocates */
      note_frames ();
      if (path != NULL)
        snprintf (record->path, sizeof record->path, "%s", path);
      record->size = size;
      atomic_store (&record->failed, 1);
      if (fault_how == KILL)
        kill (getpid (), SIGKILL);
      atomic_store (&armed, 1);
    }
  errno = fault_errno;
  return 1;
}

/* ---- the program ---- */

static int (*program_main) (int, char **, char **);

static int
armed_main (int argc, char **argv, char **environment)
{
  char name[64], kind[32], how[32];
  const char *spec = getenv ("FAULTS"), *path = getenv ("FAULTS_RECORD");
  void *frames[4];
  int fd;

  if (spec == NULL || path == NULL
      || sscanf (spec, "%63s %31s %llu %31s %d", name, kind, &fault_n, how, &fault_errno) != 5)
    abort ();
  if (strcmp (name, program_invocation_short_name) != 0)
    return program_main (argc, argv, environment);
  for (fault_kind = 0; fault_kind < N_KINDS && strcmp (kinds[fault_kind], kind) != 0; fault_kind++)
    ;
  for (fault_how = 0; fault_how < N_HOWS && strcmp (hows[fault_how], how) != 0; fault_how++)
    ;
  fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fault_kind == N_KINDS || fault_how == N_HOWS || fd < 0 || ftruncate (fd, sizeof *record) != 0)
    abort ();
  record = REAL (mmap) (NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (record == MAP_FAILED)
    abort ();
  REAL (close) (fd);
  program = getpid ();
  backtrace (frames, 4); /* loads a library the first time */
  atomic_store (&armed, 1);
  return program_main (argc, argv, environment);
}

int __libc_start_main (int (*run) (int, char **, char **), int argc, char **argv, void (*init) (void),
                       void (*fini) (void), void (*rtld_fini) (void), void *stack_end);

int
__libc_start_main (int (*run) (int, char **, char **), int argc, char **argv, void (*init) (void), void (*fini) (void),
                   void (*rtld_fini) (void), void *stack_end)
{
  program_main = run;
  return REAL (__libc_start_main) (armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- memory ---- */

static int
memory_fails (size_t size)
{
  return fails (size >= LARGE ? LARGE_MEMORY : SMALL_MEMORY, NULL, size);
}

void *
malloc (size_t size)
{
  return memory_fails (size) ? NULL : __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  return memory_fails (n * size) ? NULL : __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  return memory_fails (size) ? NULL : __libc_realloc (memory, size);
}

void *
reallocarray (void *memory, size_t n, size_t size)
{
  size_t bytes;

  if (__builtin_mul_overflow (n, size, &bytes))
    {
      errno = ENOMEM;
      return NULL;
    }
  return realloc (memory, bytes);
}

void *
memalign (size_t alignment, size_t size)
{
  return memory_fails (size) ? NULL : __libc_memalign (alignment, size);
}

void *
aligned_alloc (size_t alignment, size_t size)
{
  return memalign (alignment, size);
}

int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  void *made = memalign (alignment, size);

  if (made == NULL)
    return ENOMEM;
  *memory = made;
  return 0;
}

static void *
map (const char *name, void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  __typeof__ (&mmap) real = (__typeof__ (&mmap)) find (name);

  return fails (MAP, NULL, length) ? MAP_FAILED : real (address, length, protection, flags, fd, offset);
}

void *
mmap (void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  return map ("mmap", address, length, protection, flags, fd, offset);
}

void *
mmap64 (void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
  return map ("mmap64", address, length, protection, flags, fd, offset);
}

/* ---- files ---- */

#define FUNCTION(type, kind, path, name, parameters, arguments)                                                       \
  type name parameters                                                                                                \
  {                                                                                                                   \
    return fails (kind, path, 0) ? -1 : REAL (name) arguments;                                                        \
  }

static mode_t
get_mode (int flags, va_list args)
{
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
}

#define OPEN_FUNCTION(name)                                                                                           \
  int name (const char *path, int flags, ...)                                                                         \
  {                                                                                                                   \
    va_list args;                                                                                                     \
    va_start (args, flags);                                                                                           \
    mode_t mode = get_mode (flags, args);                                                                             \
    va_end (args);                                                                                                    \
    return fails (OPEN, path, 0) ? -1 : REAL (name) (path, flags, mode);                                              \
  }
OPEN_FUNCTION (open)
OPEN_FUNCTION (open64)

#define OPENAT_FUNCTION(name)                                                                                         \
  int name (int folder, const char *path, int flags, ...)                                                             \
  {                                                                                                                   \
    va_list args;                                                                                                     \
    va_start (args, flags);                                                                                           \
    mode_t mode = get_mode (flags, args);                                                                             \
    va_end (args);                                                                                                    \
    return fails (OPEN, path, 0) ? -1 : REAL (name) (folder, path, flags, mode);                                      \
  }
OPENAT_FUNCTION (openat)
OPENAT_FUNCTION (openat64)

#define FOPEN_FUNCTION(name)                                                                                          \
  FILE *name (const char *path, const char *mode)                                                                     \
  {                                                                                                                   \
    return fails (OPEN, path, 0) ? NULL : REAL (name) (path, mode);                                                   \
  }
FOPEN_FUNCTION (fopen)
FOPEN_FUNCTION (fopen64)

DIR *
opendir (const char *path)
{
  return fails (OPEN, path, 0) ? NULL : REAL (opendir) (path);
}

FUNCTION (int, OPEN, path, creat, (const char *path, mode_t mode), (path, mode))
FUNCTION (int, OPEN, path, creat64, (const char *path, mode_t mode), (path, mode))

/* An eventfd or a socket never has these errors; GLib waits for ever after one. Standard error is for messages. */
static int
is_file (int fd)
{
  struct stat info;

  return fd != STDERR_FILENO && fstat (fd, &info) == 0
         && (S_ISREG (info.st_mode) || S_ISFIFO (info.st_mode) || S_ISCHR (info.st_mode));
}

ssize_t
read (int fd, void *buffer, size_t length)
{
  if (is_file (fd) && fails (READ, NULL, 0))
    {
      if (fault_how != SHORT || length == 0)
        return -1;
      length = (length + 1) / 2;
    }
  return REAL (read) (fd, buffer, length);
}

ssize_t
write (int fd, const void *buffer, size_t length)
{
  if (is_file (fd) && fails (WRITE, NULL, 0))
    {
      if ((fault_how != SHORT && fault_how != TORN) || length == 0)
        return -1;
      length = (length + 1) / 2;
      if (fault_how == TORN && REAL (write) (fd, buffer, length) >= 0)
        kill (getpid (), SIGKILL);
    }
  return REAL (write) (fd, buffer, length);
}

size_t
fwrite (const void *items, size_t size, size_t n, FILE *file)
{
  if (file == stderr || !fails (WRITE, NULL, 0))
    return REAL (fwrite) (items, size, n, file);
  if (fault_how == TORN && REAL (fwrite) (items, size, (n + 1) / 2, file) > 0 && fflush (file) == 0)
    kill (getpid (), SIGKILL);
  return 0;
}

/* Close the file in any case, as the system does. */
int
close (int fd)
{
  int failed = fails (CLOSE, NULL, 0), cause = errno;
  int result = REAL (close) (fd);

  if (failed)
    errno = cause;
  return failed ? -1 : result;
}

int
fclose (FILE *file)
{
  int failed = fails (CLOSE, NULL, 0), cause = errno;
  int result = REAL (fclose) (file);

  if (failed)
    errno = cause;
  return failed ? EOF : result;
}

FUNCTION (int, SYNC, NULL, fsync, (int fd), (fd))
FUNCTION (int, SYNC, NULL, fdatasync, (int fd), (fd))
FUNCTION (int, RENAME, to, rename, (const char *from, const char *to), (from, to))
FUNCTION (int, RENAME, to, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
FUNCTION (int, RENAME, to, renameat2, (int a, const char *from, int b, const char *to, unsigned int flags),
          (a, from, b, to, flags))
FUNCTION (int, RENAME, to, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
FUNCTION (int, MAKE, path, mkdir, (const char *path, mode_t mode), (path, mode))
FUNCTION (int, MAKE, path, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
FUNCTION (int, REMOVE, path, unlink, (const char *path), (path))
FUNCTION (int, REMOVE, path, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
FUNCTION (int, REMOVE, path, rmdir, (const char *path), (path))
FUNCTION (int, REMOVE, path, remove, (const char *path), (path))
FUNCTION (int, MODE, NULL, fchmod, (int fd, mode_t mode), (fd, mode))
FUNCTION (int, MODE, path, chmod, (const char *path, mode_t mode), (path, mode))
FUNCTION (int, MODE, NULL, ftruncate, (int fd, off_t length), (fd, length))

/* ---- threads and processes ---- */

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*start) (void *), void *data)
{
  return fails (THREAD, NULL, 0) ? fault_errno : REAL (pthread_create) (thread, attributes, start, data);
}

FUNCTION (pid_t, PROCESS, NULL, fork, (void), ())

int
posix_spawn (pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
  return fails (PROCESS, path, 0) ? fault_errno
                                  : REAL (posix_spawn) (process, path, actions, attributes, arguments, environment);
}

int
posix_spawnp (pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
              const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
  return fails (PROCESS, path, 0) ? fault_errno
                                  : REAL (posix_spawnp) (process, path, actions, attributes, arguments, environment);
}

FUNCTION (int, PROCESS, NULL, pipe, (int ends[2]), (ends))
FUNCTION (int, PROCESS, NULL, pipe2, (int ends[2], int flags), (ends, flags))
