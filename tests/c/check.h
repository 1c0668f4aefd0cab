/* SPDX-License-Identifier: MIT
 *
 * The harness of the C tests: named tests, checks that count and explain failures, and memory that is released when a test ends. The
 * harness runs natively and as WebAssembly. As WebAssembly, the harness imports only two functions (run.mjs): one prints text, and the
 * other reads files.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name;
    void (*run)(void);
} check_test;

/* The tests of a subject; the list ends with a null name. */
typedef struct {
    const char *name;
    const check_test *tests;
} check_group;

/* Runs the tests of `n` groups and prints "N passed, N failed". Returns 0 when all passed.
 * Arguments: -v prints every test and every note. --every makes check_every() return 1. An argument with a slash is the path of a file for
 * check_argument. Any other argument is a filter: a test runs only if "group: name" contains one of the filters. */
int check_run(const check_group *groups, size_t n, int argc, char **argv);

/* A check returns 1 if it holds. A failed check prints its location and the position of the last check_at, and the test continues. If later
 * code depends on a check, write `if (!CHECK(...)) return;`. */
#define CHECK(condition) check_that(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_INT(actual, expected) check_int((long long)(actual), (long long)(expected), __FILE__, __LINE__, #actual)
#define CHECK_NEAR(actual, expected, tolerance) check_near(actual, expected, tolerance, __FILE__, __LINE__, #actual)
#define CHECK_FLOATS(actual, expected, n) check_floats(actual, expected, n, __FILE__, __LINE__, #actual) /* equal bit for bit */
#define CHECK_BYTES(actual, expected, n) check_bytes(actual, expected, n, __FILE__, __LINE__, #actual)

int check_that(int holds, const char *file, int line, const char *text);
int check_int(long long actual, long long expected, const char *file, int line, const char *text);
int check_near(double actual, double expected, double tolerance, const char *file, int line, const char *text);
int check_floats(const float *actual, const float *expected, size_t n, const char *file, int line, const char *text);
int check_bytes(const void *actual, const void *expected, size_t n, const char *file, int line, const char *text);

/* Returns whether loops over many values must test every value (`./build.sh test-c all`) or only some of them (`npm test`). */
int check_every(void);

/* Records the current position in a loop; a failed check prints it. `format` contains up to four %lld. The position is formatted only on a
 * failure. */
void check_at(const char *format, long long a, long long b, long long c, long long d);

/* Records a measured number, which is printed with -v. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void check_note(const char *format, ...);

/* Prints a line, even without -v. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void check_say(const char *format, ...);

/* Returns memory of exactly `bytes` bytes, aligned to 16 bytes and filled with 0xff. The sanitizer therefore detects reads past the end.
 * Floats in unwritten memory are NaN, so NaN in a result reveals that unwritten memory was read. The memory is released by memory_release
 * or at the end of the test. */
void *memory_take(size_t bytes);
void *memory_copy(const void *from, size_t bytes);
size_t memory_mark(void);
void memory_release(size_t mark);

/* Returns the name of the running test, or an empty string if no test is running. */
const char *check_running(void);

/* Returns the number of checks that have failed in this test. */
int check_failures(void);

/* Returns the contents of a whole file, or null. */
uint8_t *check_read_file(const char *path, size_t *length);

/* Returns the n-th argument that ends in `ending`, or null. */
const char *check_argument(const char *ending, int n);

/* A splitmix64 generator of random numbers. Any state is a valid seed. */
typedef struct {
    uint64_t state;
} check_random;
uint32_t random_bits(check_random *random);
double random_unit(check_random *random);   /* [0, 1) */
double random_normal(check_random *random); /* mean 0 and variance 1, as the sum of 12 uniform numbers: |x| <= 6 */
uint32_t random_below(check_random *random, uint32_t n);

/* FNV-1a, 64 bits. Start with hash 0. */
uint64_t check_hash(uint64_t hash, const void *bytes, size_t n);

#endif
