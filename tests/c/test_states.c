/* SPDX-License-Identifier: MIT
 *
 * Damages saved sessions of every part of every toy. Each damaged session must be refused or continue safely. The fuzzer tests many more
 * damaged sessions.
 */
#include <string.h>

#include "check.h"
#include "model.h"
#include "session/session.h"
#include "states.h"

#define ROUNDS 40 /* number of rounds for each subject */

static void every_part(void) {
    check_random random = {11};
    const toy_row *row;
    uint32_t accepted = 0, refused = 0, parts = 0;
    for (int i = 0; (row = toy_row_at(i)); i++) {
        size_t mark = memory_mark();
        toy_file file = row->file(row->number);
        const nx_model *model = toy_file_open(&file);
        for (uint32_t part = 0; model && part < nx_model_parts(model); part++)
            for (uint32_t variant = 0; variant < STATES_VARIANTS; variant++) {
                states_subject subject;
                check_at("toy %lld, part %lld, variant %lld", i, part, variant, 0);
                if (!states_make(&subject, row, model, part, variant)) continue;
                parts += variant == 0;
                for (int round = 0; round < ROUNDS; round++) {
                    uint8_t choices[48];
                    for (size_t at = 0; at < sizeof choices; at++) choices[at] = (uint8_t)random_bits(&random);
                    if (states_restore(&subject, choices, sizeof choices)) accepted++;
                    else refused++;
                }
            }
        memory_release(mark);
    }
    check_note("  %u parts, %u damaged sessions refused, %u continued", (unsigned)parts, (unsigned)refused, (unsigned)accepted);
    CHECK(accepted > 1000 && refused > 1000);
}

/* If the slice counter of an encoder is past the last slice, encoding ends without writing outside its memory. */
static void any_slice(void) {
    static const uint32_t counters[] = {1, 2, 5, 30, 200, 3000, 1000003, 0x0fffffff, 0x10000000, 0x7fffffff, 0x80000001, 0xfffffff0, 0xfffffffe};
    const toy_row *row;
    uint32_t encoders = 0;
    for (int i = 0; (row = toy_row_at(i)); i++) {
        size_t mark = memory_mark();
        toy_file file = row->file(row->number);
        const nx_model *model = toy_file_open(&file);
        for (uint32_t part = 0; model && part < nx_model_parts(model); part++) {
            states_subject subject;
            if (!model->plan[part].encodes || !states_make(&subject, row, model, part, 0) || subject.n_stages < 4) continue;
            encoders++;
            for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
                nx_session *session = memory_copy(subject.stage[2], subject.bytes);
                nx_status status = NX_MORE;
                check_at("toy %lld, part %lld, slice %lld", i, part, counters[c], 0);
                session->slices = counters[c];
                if (nx_session_check(model, session, subject.bytes)) continue;
                for (int slice = 0; status == NX_MORE && CHECK(slice < 4000); slice++) status = nx_session_encode(model, session);
            }
        }
        memory_release(mark);
    }
    CHECK(encoders > 15);
}

const check_test states_tests[] = {
    {"every part, damaged at every stage", every_part},
    {"any counter of chunks", any_slice},
    {0},
};
