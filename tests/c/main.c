/* SPDX-License-Identifier: MIT  Runs the C tests of every subject in one program. */
#include "check.h"

#include <string.h>

/* Declares the arrays `const check_test NAME_tests[]` of all test files. The build finds these arrays and writes GROUP(NAME) for each into
 * groups.inc. */
#define GROUP(name) extern const check_test name##_tests[];
#include "groups.inc"
#undef GROUP

static int suite(int argc, char **argv) {
#define GROUP(name) {#name, name##_tests},
    static const check_group groups[] = {
#include "groups.inc"
    };
#undef GROUP
    return check_run(groups, sizeof groups / sizeof *groups, argc, argv);
}

#if defined(__wasm__)

/* Exports for run.mjs: a buffer for the zero-terminated arguments, the entry point, and the name of the running test. run.mjs reads this
 * name after a trap. */
static char arguments[8192];

__attribute__((export_name("argument_room"))) char *argument_room(void) { return arguments; }
__attribute__((export_name("running_test"))) const char *running_test(void) { return check_running(); }
__attribute__((export_name("run"))) int run(uint32_t bytes) {
    static char *argv[256], program[] = "suite";
    int argc = 0;
    argv[argc++] = program;
    for (uint32_t at = 0; at < bytes && argc < 256; at += (uint32_t)strlen(arguments + at) + 1) argv[argc++] = arguments + at;
    return suite(argc, argv);
}

#else

int main(int argc, char **argv) { return suite(argc, argv); }

#endif
