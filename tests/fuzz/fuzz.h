/* What the fuzz targets share: the contract of every reader, checked on whatever it was given.
 *
 * Copyright (C) 2026 The Normscope developers
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A target is one function that takes any bytes. libFuzzer calls it with bytes that it makes up (tests/fuzz/fuzz.py),
 * replay.c with those kept in corpus/. It aborts when a reader breaks its contract:
 *
 *   - what is accepted is valid, and written and read again it is the same;
 *   - what is refused has an error of the reader's own kind that names the source, in UTF-8 and of bounded length.
 *
 * Crashes, leaks, undefined behaviour and endless loops are the sanitizers' and libFuzzer's to see.
 */
#pragma once

#include "document/ns-file.h"
#include "engine/experiment/ns-settings.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* What targets call the source of their bytes. */
#define FUZZ_NAME "fuzzed"
/* Characters: no message fills more than a dialog does, whatever is in the file. */
#define FUZZ_MAX_MESSAGE 2000

/* Warnings of GLib end the program from here on, and the user has no folder of data. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
/* The target. Always 0. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* Says what does not hold, and where, and aborts. */
#define FUZZ_CHECK(condition)                                                                                         \
  do                                                                                                                  \
    if (!(condition))                                                                                                 \
      fuzz_fail (__FILE__, __LINE__, #condition, NULL);                                                               \
  while (0)
_Noreturn void fuzz_fail (const char *file, int line, const char *what, const char *more);

/* That a refusal says what it has to. */
void fuzz_check_error (const GError *error);
/* That an experiment which a reader accepted is valid, and the same after each way of writing and reading it. */
void fuzz_check_experiment (const NsExperiment *experiment);
/* That reading as an experiment's file gives either of the two. TRUE when it was accepted. */
gboolean fuzz_check_bytes (GBytes *bytes);

G_END_DECLS
