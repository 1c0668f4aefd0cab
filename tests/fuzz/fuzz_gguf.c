/* SPDX-License-Identifier: MIT
 *
 * Fuzzing of all that takes bytes from outside: files, and saved sessions. ./build.sh fuzz [seconds], or by hand
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc -Itests/c tests/fuzz/fuzz_gguf.c tests/c/toy.c tests/c/picture.c tests/c/reference.c tests/c/check.c tests/c/models/*.c \
 *     $(find src -name '*.c') -lm -o fuzz && mkdir -p corpus && ./fuzz -max_len=16384 corpus
 *
 * An input is a file, with three seconds and 256 MB for all that is done with it. It is checked, opened and run (toy_exercise); then a session is damaged in the ways that the input's last
 * bytes say, and if the check lets it pass it must go on without harm.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "toy.h"

#define MOST (16u << 20) /* bytes: larger models and sessions are not run */
#define STEPS 6u         /* after the damage */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Four bytes of the input at a time: where, in the header or anywhere, and what. */
static void damage_session(uint8_t *block, size_t bytes, const uint8_t *data, size_t size) {
    const uint8_t *end = data + size;
    for (int i = 0; i < 3 && end - data >= 8; i++) {
        uint32_t word, value;
        memcpy(&word, end -= 4, 4);
        memcpy(&value, end -= 4, 4);
        size_t at = 4 * (word & 1 ? (word >> 1) % 42 : (word >> 1) % (bytes / 4));
        memcpy(block + at, &value, 4);
    }
}

static void fuzz_session(const nx_model *model, const uint8_t *data, size_t size) {
    picture_settings settings = toy_settings(size & 4 ? 1 : 2, 1);
    picture_info info;
    size_t bytes;
    settings.trace = size & 1;
    settings.look_ahead = 16;
    picture_info_of(model, &info);
    if (picture_size(model, &settings, &bytes) || bytes > MOST || info.input_height * info.input_width > 400) return;
    nx_session *session = toy_session(model, &settings, NULL);
    uint32_t known = info.positions < 10 ? info.positions / 2 : 5, E = info.position_elements;
    uint8_t *values = memory_take(STEPS * NX_MAX_SAMPLES * E), ahead[STEPS];
    float *nats = memory_take(STEPS * NX_MAX_SAMPLES * E * sizeof *nats), *output = memory_take(info.outputs * sizeof *output);
    float *weights = memory_take((size_t)info.blocks * info.heads * info.window * sizeof *weights);
    uint32_t *keys = memory_take(info.window * sizeof *keys), count;
    memset(values, 1, STEPS * NX_MAX_SAMPLES * E);
    picture_prefill(model, session, values, known, nats);
    if (size & 2) picture_step(model, session, info.positions - known < 4 ? 1 : 4, values, nats);
    damage_session((uint8_t *)session, bytes, data, size);
    if (nx_session_check(model, session, bytes) != NX_OK) return;
    picture_prefill(model, session, values, 2, nats);
    uint32_t at = nx_session_position(session), left = info.positions - at;
    picture_step(model, session, left < STEPS ? left : STEPS, values, nats);
    nx_session_ahead(model, session, at, nx_session_position(session) - at, ahead);
    nx_session_output(model, session, 1, output);
    picture_attention(model, session, 1, weights, keys, &count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t mark = memory_mark(), bytes;
    nx_model *model;
    if (toy_exercise(data, size, MOST) == NX_OK && nx_model_size(data, size, &bytes, NULL) == NX_OK && bytes <= MOST &&
        nx_model_open(memory_take(bytes), bytes, data, size, &model, NULL) == NX_OK)
        fuzz_session(model, data, size);
    memory_release(mark);
    if (check_failures()) abort();
    return 0;
}
