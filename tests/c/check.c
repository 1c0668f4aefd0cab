/* SPDX-License-Identifier: MIT  See check.h. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGES 5 /* number of details that are printed for each test; further failures are only counted */

static struct {
    const char *test;
    int failures; /* number of failures of the running test */
    int verbose;
    int every;
    int argc;
    char **argv;
    const char *format; /* arguments of check_at */
    long long at[4];
} state;

/* ---- platform: native or WebAssembly ------------------------------------------------------------------------------------- */

#if defined(__wasm__)

__attribute__((import_module("env"), import_name("print"))) void host_print(const char *text, size_t n);
__attribute__((import_module("env"), import_name("read_file"))) int32_t host_read_file(const char *path, size_t n, void *to, size_t room);

static void print(const char *text) { host_print(text, strlen(text)); }

/* Emscripten's own memcpy would import a function of its runtime. This version is one instruction, memory.copy. */
void *memcpy(void *restrict to, const void *restrict from, size_t n) { return __builtin_memcpy(to, from, n); }

extern uint8_t __heap_base;
static size_t top;

static void *allocate(size_t bytes) {
    if (!top) top = ((size_t)&__heap_base + 15) & ~(size_t)15;
    size_t at = top, pages;
    top = (top + bytes + 15) & ~(size_t)15;
    pages = (top + 65535) / 65536;
    if (pages > __builtin_wasm_memory_size(0) && __builtin_wasm_memory_grow(0, pages - __builtin_wasm_memory_size(0)) == (size_t)-1)
        __builtin_trap();
    return (void *)at;
}

size_t memory_mark(void) { return top; }
void memory_release(size_t mark) { top = mark; }

uint8_t *check_read_file(const char *path, size_t *length) {
    int32_t n = host_read_file(path, strlen(path), NULL, 0);
    if (n < 0) return NULL;
    uint8_t *bytes = memory_take((size_t)n);
    host_read_file(path, strlen(path), bytes, (size_t)n);
    *length = (size_t)n;
    return bytes;
}

#else

static void print(const char *text) {
    fputs(text, stdout);
    fflush(stdout);
}

static void **taken;
static size_t n_taken, room;

static void *allocate(size_t bytes) {
    if (n_taken == room) taken = realloc(taken, (room = 2 * room + 64) * sizeof *taken);
    void *p = malloc(bytes ? bytes : 1);
    if (!p || !taken) abort();
    return taken[n_taken++] = p;
}

size_t memory_mark(void) { return n_taken; }
void memory_release(size_t mark) {
    while (n_taken > mark) free(taken[--n_taken]);
    if (!mark) free(taken), taken = NULL, room = 0;
}

uint8_t *check_read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = memory_take(*length);
    size_t got = fread(bytes, 1, *length, file);
    fclose(file);
    return got == *length ? bytes : NULL;
}

#endif

/* ---- checks -------------------------------------------------------------------------------------------------------------- */

static void say(const char *format, va_list list) {
    char line[512];
    vsnprintf(line, sizeof line - 1, format, list);
    strcat(line, "\n");
    print(line);
}

void check_say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void check_note(const char *format, ...) {
    if (!state.verbose) return;
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

void check_at(const char *format, long long a, long long b, long long c, long long d) {
    state.format = format;
    state.at[0] = a, state.at[1] = b, state.at[2] = c, state.at[3] = d;
}

/* Counts a failure; returns 1 if it should be printed. */
static int failed(const char *file, int line) {
    if (state.failures++ >= MESSAGES) return 0;
    char at[200] = "";
    if (state.format) snprintf(at, sizeof at, state.format, state.at[0], state.at[1], state.at[2], state.at[3]);
    check_say("%s:%d: %s%s%s", file, line, check_running(), *at ? ", at " : "", at);
    return 1;
}

int check_that(int holds, const char *file, int line, const char *text) {
    if (!holds && failed(file, line)) check_say("    false: %s", text);
    return holds;
}

int check_int(long long actual, long long expected, const char *file, int line, const char *text) {
    if (actual != expected && failed(file, line)) check_say("    %s is %lld, not %lld", text, actual, expected);
    return actual == expected;
}

int check_near(double actual, double expected, double tolerance, const char *file, int line, const char *text) {
    double difference = actual > expected ? actual - expected : expected - actual;
    int holds = actual == expected || difference <= tolerance; /* equal infinities pass; NaN never passes */
    if (!holds && failed(file, line))
        check_say("    %s is %.9g, not %.9g within %.3g (off by %.3g)", text, actual, expected, tolerance, difference);
    return holds;
}

int check_floats(const float *actual, const float *expected, size_t n, const char *file, int line, const char *text) {
    for (size_t i = 0; i < n; i++) {
        if (!memcmp(actual + i, expected + i, sizeof *actual)) continue;
        if (failed(file, line)) check_say("    %s[%d] is %.9g, not %.9g bit for bit", text, (int)i, (double)actual[i], (double)expected[i]);
        return 0;
    }
    return 1;
}

int check_bytes(const void *actual, const void *expected, size_t n, const char *file, int line, const char *text) {
    const uint8_t *a = actual, *b = expected;
    for (size_t i = 0; i < n; i++) {
        if (a[i] == b[i]) continue;
        if (failed(file, line)) check_say("    %s[%d] is %d, not %d", text, (int)i, a[i], b[i]);
        return 0;
    }
    return 1;
}

/* ---- memory, random numbers, hash ---------------------------------------------------------------------------------------- */

void *memory_take(size_t bytes) { return memset(allocate(bytes), 0xff, bytes); }

void *memory_copy(const void *from, size_t bytes) {
    void *to = memory_take(bytes);
    if (bytes) memcpy(to, from, bytes);
    return to;
}

static uint64_t next(check_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint32_t random_bits(check_random *random) { return (uint32_t)(next(random) >> 32); }
double random_unit(check_random *random) { return (double)(next(random) >> 11) * 0x1p-53; }
uint32_t random_below(check_random *random, uint32_t n) { return (uint32_t)((uint64_t)random_bits(random) * n >> 32); }
double random_normal(check_random *random) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return sum;
}

uint64_t check_hash(uint64_t hash, const void *bytes, size_t n) {
    const uint8_t *p = bytes;
    if (!hash) hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

/* ---- the run ------------------------------------------------------------------------------------------------------------- */

const char *check_argument(const char *ending, int n) {
    for (int i = 1; i < state.argc; i++) {
        size_t bytes = strlen(state.argv[i]), tail = strlen(ending);
        if (bytes >= tail && !strcmp(state.argv[i] + bytes - tail, ending) && n-- == 0) return state.argv[i];
    }
    return NULL;
}

static int wanted(const char *name) {
    int filters = 0;
    for (int i = 1; i < state.argc; i++) {
        if (!strncmp(state.argv[i], "-", 1) || strchr(state.argv[i], '/')) continue;
        filters++;
        if (strstr(name, state.argv[i])) return 1;
    }
    return !filters;
}

const char *check_running(void) { return state.test ? state.test : ""; }

int check_every(void) { return state.every; }

int check_failures(void) { return state.failures; }

int check_run(const check_group *groups, size_t n, int argc, char **argv) {
    static char name[120];
    int n_passed = 0, n_failed = 0;
    state.argc = argc;
    state.argv = argv;
    for (int i = 1; i < argc; i++) state.verbose |= !strcmp(argv[i], "-v"), state.every |= !strcmp(argv[i], "--every");
    for (size_t g = 0; g < n; g++)
        for (const check_test *test = groups[g].tests; test->name; test++) {
            snprintf(name, sizeof name, "%s: %s", groups[g].name, test->name);
            if (!wanted(name)) continue;
            state.test = name;
            state.failures = 0;
            state.format = NULL;
            check_note("- %s", name);
            size_t mark = memory_mark();
            test->run();
            memory_release(mark);
            if (state.failures) check_say("FAILED %s (%d checks)", name, state.failures);
            state.failures ? n_failed++ : n_passed++;
        }
    state.test = NULL;
    check_say("%d passed, %d failed", n_passed, n_failed);
    return n_failed ? 1 : 0;
}
