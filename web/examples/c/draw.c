/* SPDX-License-Identifier: MIT
 *
 *     draw WEIGHTS.gguf OUT.ppm [seed] [class]
 *
 * Draws a picture without input, using only the C library, and writes it as a PPM file. The same seed gives the same picture as in a
 * browser. This program supports models that draw in raster order: digits.gguf, emoji.gguf, cifar10.gguf, fvsbn.gguf.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nextpixel.h"

static void fail(const char *what, const nx_problem *problem) {
    fprintf(stderr, "draw: %s", what);
    if (problem) fprintf(stderr, " (%s%s%s)", problem->name, *problem->name ? ": " : "", problem->reason);
    fputc('\n', stderr);
    exit(1);
}

/* Allocates a block of memory for the library. The block must be aligned to NX_ALIGN, which malloc() does not guarantee. */
static void *block_of(size_t bytes) {
    void *block = aligned_alloc(NX_ALIGN, (bytes + NX_ALIGN - 1) / NX_ALIGN * NX_ALIGN);
    if (!block) fail("no memory", NULL);
    return block;
}

static unsigned char *read_whole(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the weights", NULL);
    long size = ftell(file);
    rewind(file);
    unsigned char *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) fail("cannot read the weights", NULL);
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

/* Looks up a number in the file's metadata by its key, which is the name of the architecture followed by `end`, such as ".image.width".
 * Returns `missing` if the file does not have this key. */
static uint32_t number(const nx_model *model, const char *end, uint32_t missing) {
    size_t n = strlen(end);
    for (uint32_t i = 0; i < nx_model_metadata_count(model); i++) {
        nx_metadata entry;
        uint32_t value;
        nx_model_metadata(model, i, &entry);
        if (entry.type != 4 || entry.key_bytes < n || memcmp(entry.key + entry.key_bytes - n, end, n)) continue;
        memcpy(&value, entry.value, 4); /* the value is unaligned, as in the file */
        return value;
    }
    return missing;
}

int main(int argc, char **argv) {
    if (argc < 3) fail("draw WEIGHTS.gguf OUT.ppm [seed] [class]", NULL);
    if (nx_abi_version() != NX_ABI_VERSION) fail("the library and its header have different versions", NULL);

    /* Opens the model. The bytes of the file are not needed afterwards. */
    size_t length, bytes;
    unsigned char *file = read_whole(argv[1], &length);
    nx_problem problem;
    nx_model *model;
    if (nx_model_size(file, length, &bytes, &problem)) fail("cannot open the weights", &problem);
    void *model_block = block_of(bytes);
    if (nx_model_open(model_block, bytes, file, length, &model, &problem)) fail("cannot open the weights", &problem);
    free(file);

    nx_part_info part;
    nx_model_part(model, 0, &part);
    uint32_t width = number(model, ".image.width", 0), height = number(model, ".image.height", 0),
             channels = number(model, ".image.channels", 1);
    if (!width || !height) fail("the model does not draw pictures", NULL);
    if (number(model, ".attention.block_rows", 0) || number(model, ".input.height", 0))
        fail("the model does not draw in raster order, or needs an input picture", NULL);
    nx_table palette = {.data = NULL};
    if (part.tables) nx_model_table(model, 0, 0, &palette);

    /* Starts the run. The 64-bit seed is passed as two halves. Settings that are 0 are off. */
    nx_settings settings = {.seed_low = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1, .samples = 1, .temperature = 1, .top_p = 1};
    if (nx_session_size(model, 0, &settings, NULL, &bytes)) fail("this model does not support these settings", NULL);
    void *session_block = block_of(bytes);
    nx_session *session;
    if (nx_session_open(session_block, bytes, model, 0, &settings, NULL, &session)) fail("the run cannot be opened", NULL);
    if (argc > 4) {
        uint32_t class = (uint32_t)strtoul(argv[4], NULL, 10);
        nx_port port;
        if (nx_model_port(model, 0, 0, &port) || strcmp(port.name, "class")) fail("this model takes no class", NULL);
        if (nx_session_input(model, session, 0, &class, 1)) fail("no such class", NULL);
    }

    /* Draws position by position. NX_MORE means that part of the work is done; call the function again. */
    uint32_t span = part.span, total = part.length, done = 0;
    uint32_t *ids = malloc((size_t)total * span * sizeof *ids);
    float *nats = malloc((size_t)total * span * sizeof *nats);
    if (!ids || !nats) fail("no memory", NULL);
    while (done < total) {
        uint32_t drawn = 0;
        nx_status status = nx_session_draw(model, session, 1, ids + (size_t)done * span, nats + (size_t)done * span, &drawn);
        if (status < 0) fail("the weights are damaged", NULL);
        done += drawn;
    }

    /* Converts ids to colours. An id is an index into the palette, a grey level, or the level of one colour channel. */
    FILE *out = fopen(argv[2], "wb");
    if (!out) fail("cannot write the picture", NULL);
    fprintf(out, "P6\n%u %u\n255\n", width, height);
    double cost = 0;
    for (uint32_t i = 0; i < total * span; i++) cost += (double)nats[i];
    for (uint32_t pixel = 0; pixel < width * height; pixel++) {
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t level = palette.data ? ids[pixel] : ids[pixel * channels + (channels == 3 ? c : 0)];
            uint32_t value =
                palette.data ? (uint32_t)(palette.data[level * 3 + c] + 0.5f) : (level * 255 + (part.values - 1) / 2) / (part.values - 1);
            fputc((int)value, out);
        }
    }
    if (fclose(out)) fail("cannot write the picture", NULL);
    printf("%s: %u x %u, %.2f nats\n", argv[2], width, height, cost);
    free(ids);
    free(nats);
    free(session_block); /* freeing the block is enough; there is no destructor */
    free(model_block);
    return 0;
}
