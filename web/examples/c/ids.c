/* SPDX-License-Identifier: MIT
 *
 *     ids WEIGHTS.gguf [count] [seed]
 *
 * Opens any model that needs no input, draws ids, and prints them. Next to each id, prints its -log p in nats and the largest logit at its
 * position.
 */
#include <stdio.h>
#include <stdlib.h>

#include "nextpixel.h"

static void *block_of(size_t bytes) { return aligned_alloc(NX_ALIGN, (bytes + NX_ALIGN - 1) / NX_ALIGN * NX_ALIGN); }

int main(int argc, char **argv) {
    static unsigned char bytes[1 << 25]; /* the file; at most 32 MB */
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0, size;
    uint32_t count = argc > 2 ? (uint32_t)atoi(argv[2]) : 8, position = 0;

    nx_problem problem = {"", "cannot be read"};
    nx_model *model;
    nx_part_info part;
    nx_status status = length ? nx_model_size(bytes, length, &size, &problem) : NX_E_FORMAT;
    if (!status) status = nx_model_open(block_of(size), size, bytes, length, &model, &problem);
    if (!status) status = nx_model_part(model, 0, &part);

    nx_settings settings;
    nx_settings_init(&settings);
    settings.seed_low = argc > 3 ? (uint32_t)atoi(argv[3]) : 1;
    nx_shape shape = {.length = count};
    nx_session *session;
    if (!status) status = nx_session_problem(model, 0, &settings, &shape, &problem);
    if (!status) status = nx_session_size(model, 0, &settings, &shape, &size);
    if (!status) status = nx_session_open(block_of(size), size, model, 0, &settings, &shape, &session);

    float *logits = status ? NULL : malloc(part.outputs * sizeof *logits);
    while (!status && position < count) {
        uint32_t ids[NX_MAX_SPAN], drawn;
        float nats[NX_MAX_SPAN], largest;
        status = nx_session_draw(model, session, 1, ids, nats, &drawn); /* if NX_MORE is returned before an id is drawn, repeat the call */
        if (status == NX_MORE) status = NX_OK;
        if (status || !drawn) continue;
        nx_session_output(model, session, 0, logits);
        largest = logits[0];
        for (uint32_t i = 1; i < part.outputs; i++) largest = logits[i] > largest ? logits[i] : largest;
        for (uint32_t e = 0; e < part.span; e++) printf("%u %u %.9g %.9g\n", position, ids[e], (double)nats[e], (double)largest);
        position++;
    }
    if (status) fprintf(stderr, "ids: %s: %s %s\n", nx_status_name(status), problem.name, problem.reason);
    return status != NX_OK;
}
