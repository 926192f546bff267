/* Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-use.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From the first measurement to the last. */
#define MAX_HEAP_GROWTH_MIB 12.0
#define MAX_GROWTH_MIB      48.0
#define MIB                 (1024.0 * 1024.0)

static double
get_resident_mib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL) || (line = strstr (status, "VmRSS:")) == NULL)
    return NAN;
  return g_ascii_strtod (line + strlen ("VmRSS:"), NULL) / 1024.0;
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

AppUse
app_use_measure (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return (AppUse){ get_resident_mib (), (double) (info.uordblks + info.hblkhd) / MIB, count_descriptors () };
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* field: offset of a double in AppUse. */
static double
get_growth (const AppUse *uses, guint n, gsize field)
{
  guint n_pairs = n * (n + 1) / 2, n_slopes = 0;
  g_autofree double *slopes = g_new (double, n_pairs);

  for (guint j = 1; j <= n; j++)
    for (guint i = 0; i < j; i++)
      slopes[n_slopes++]
        = (G_STRUCT_MEMBER (double, &uses[j], field) - G_STRUCT_MEMBER (double, &uses[i], field)) / (j - i);
  qsort (slopes, n_pairs, sizeof *slopes, compare_numbers);
  return n * (slopes[(n_pairs - 1) / 2] + slopes[n_pairs / 2]) / 2;
}

char *
app_use_judge (const AppUse *uses, guint n)
{
  double heap_mib = get_growth (uses, n, G_STRUCT_OFFSET (AppUse, heap_mib));
  double resident_mib = get_growth (uses, n, G_STRUCT_OFFSET (AppUse, resident_mib));

  if (heap_mib > MAX_HEAP_GROWTH_MIB)
    return g_strdup_printf ("the heap in use has grown by %.1f MiB", heap_mib);
  if (resident_mib > MAX_GROWTH_MIB)
    return g_strdup_printf ("resident memory has grown by %.0f MiB", resident_mib);
  if (uses[n].n_descriptors > uses[0].n_descriptors)
    return g_strdup_printf ("the open file descriptors have become more: %u, then %u", uses[0].n_descriptors,
                            uses[n].n_descriptors);
  return NULL;
}
