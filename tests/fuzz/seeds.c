/* SPDX-License-Identifier: MIT  Writes small valid files into a folder, for the fuzzer to begin with: seeds FOLDER */
#include <stdio.h>

#include "check.h"
#include "models/toy_fvsbn.h"
#include "models/toy_gpt2.h"
#include "models/toy_llama.h"
#include "models/toy_transformer.h"

static int write_seed(const char *folder, int number, const uint8_t *bytes, size_t length) {
    char path[1000];
    snprintf(path, sizeof path, "%s/seed-%d.gguf", folder, number);
    FILE *file = fopen(path, "wb");
    if (file && fwrite(bytes, 1, length, file) == length && !fclose(file)) return 0;
    perror(path);
    return 1;
}

int main(int argc, char **argv) {
    static const toy_config configs[] = {
        {.height = 2, .width = 3, .channels = 1, .levels = 2, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL},
        {.height = 3, .width = 4, .channels = 1, .levels = 3, .blocks = 1, .d = 8, .inner = 8, .heads = 2, .key_length = 4,
         .position = TOY_LEARNED_HALF, .classes = 3},
        {.height = 3, .width = 3, .channels = 3, .levels = 4, .blocks = 2, .d = 4, .inner = 8, .heads = 1, .key_length = 8,
         .pattern = NX_LOCAL_1D, .query_block = 4, .memory_block = 5, .position = TOY_LEARNED_WHOLE, .biases = 1},
        {.height = 4, .width = 5, .channels = 1, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_1D, .query_block = 5, .memory_block = 0, .position = TOY_SINUSOIDAL, .type = NX_F16, .tables = NX_F16},
        {.height = 2, .width = 2, .channels = 1, .levels = 2, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .position = TOY_SINUSOIDAL, .classes = 1, .type = NX_Q8_0, .tables = NX_Q8_0},
        {.height = 3, .width = 5, .channels = 3, .levels = 5, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_2D, .block_rows = 2, .block_cols = 2, .flange_rows = 1, .flange_cols = 1, .position = TOY_LEARNED_HALF,
         .pre_norm = 1, .palette = 1},
        {.height = 3, .width = 2, .channels = 3, .levels = 256, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL, .output = NX_DMOL, .mixtures = 2, .input_height = 1, .input_width = 2, .encoder_blocks = 1},
        {.height = 3, .width = 2, .channels = 1, .levels = 16, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .position = TOY_SINUSOIDAL, .output = NX_GAUSSIAN},
        {.height = 2, .width = 4, .channels = 1, .levels = 2, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .pattern = NX_LOCAL_2D, .block_rows = 1, .block_cols = 2, .flange_rows = 1, .flange_cols = 3, .position = TOY_SINUSOIDAL,
         .output = NX_BERNOULLI, .type = NX_Q4_0},
        {.height = 4, .width = 5, .channels = 1, .levels = 4, .blocks = 1, .d = 4, .inner = 4, .heads = 1, .key_length = 4,
         .pattern = NX_LOCAL_1D, .query_block = 7, .memory_block = 2, .position = TOY_SINUSOIDAL, .sharpness = 1, .neighbours = 3,
         .hidden = 4, .rank = 2, .peak = 4},
        {.height = 4, .width = 4, .channels = 3, .levels = 3, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .key_length = 32,
         .position = TOY_SINUSOIDAL, .palette = 1, .type = NX_Q8_0, .sharpness = 1, .neighbours = 2, .hidden = 32, .rank = 1,
         .draft_type = NX_Q8_0, .peak = 4},
    };
    if (argc != 2) {
        fputs("usage: seeds FOLDER\n", stderr);
        return 2;
    }
    int written = 0;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        const toy *m = toy_build(configs + i, NULL);
        if (write_seed(argv[1], written++, m->bytes, m->length)) return 1;
    }
    toy_file fvsbn = toy_fvsbn_file(3, 4, NX_F16, 1, NULL, NULL);
    if (write_seed(argv[1], written++, fvsbn.bytes, fvsbn.length)) return 1;
    static const toy_llama_config llamas[] = {
        {.values = 9, .length = 12, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .groups = 1, .biases = 1, .end = 3, .seed = 1},
        {.values = 16, .length = 9, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .groups = 1, .tied = 1, .rotated = 6, .base = 100, .type = NX_Q8_0, .seed = 2},
        {.values = 7, .length = 10, .blocks = 1, .d = 8, .inner = 4, .heads = 1, .groups = 1, .biases = 2, .stretched = 1, .scaling = 2, .tokens = 7, .seed = 3},
        {.values = 9, .length = 12, .blocks = 2, .d = 8, .inner = 8, .heads = 2, .groups = 2, .tied = 1, .biases = 1, .qwen = 1, .end = 2, .seed = 4},
        {.values = 12, .length = 12, .blocks = 1, .d = 32, .inner = 32, .heads = 2, .groups = 1, .biases = 1, .qwen = 1, .type = NX_Q4_0, .seed = 5},
    };
    for (int i = 0; i < 5; i++) {
        const toy_llama *m = toy_llama_build(llamas + i);
        if (write_seed(argv[1], written++, m->file.bytes, m->file.length)) return 1;
    }
    static const toy_gpt2_config gpts[] = {
        {.values = 9, .length = 12, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .end = 3, .seed = 1},
        {.values = 7, .length = 9, .blocks = 2, .d = 4, .heads = 1, .tied = 1, .bare = 1, .type = NX_F16, .seed = 2},
        {.values = 16, .length = 9, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .type = NX_Q8_0, .seed = 3},
    };
    for (int i = 0; i < 3; i++) {
        const toy_gpt2 *m = toy_gpt2_build(gpts + i);
        if (write_seed(argv[1], written++, m->file.bytes, m->file.length)) return 1;
    }
    static const toy_transformer_config transformers[] = {
        {.values = 9, .length = 12, .encoder_blocks = 1, .blocks = 1, .d = 8, .inner = 4, .heads = 2, .end = 3, .seed = 1},
        {.values = 7, .length = 9, .encoder_blocks = 1, .blocks = 1, .d = 4, .heads = 1, .pre_norm = 1, .biases = 1, .position = TOY_LEARNED, .type = NX_F16, .seed = 2},
        {.values = 12, .length = 20, .encoder_blocks = 1, .blocks = 1, .d = 32, .inner = 32, .heads = 1, .end = 1, .position = TOY_PLACELESS, .type = NX_Q8_0, .seed = 3},
    };
    for (int i = 0; i < 3; i++) {
        const toy_transformer *m = toy_transformer_build(transformers + i);
        if (write_seed(argv[1], written++, m->file.bytes, m->file.length)) return 1;
    }
    memory_release(0);
    return 0;
}
