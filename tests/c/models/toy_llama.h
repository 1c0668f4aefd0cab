/* SPDX-License-Identifier: MIT  Random models of the Llama family. */
#ifndef TOY_LLAMA_H
#define TOY_LLAMA_H

#include "nextpixel.h"
#include "toy.h"

typedef struct {
    uint32_t values, length, blocks, d, inner, heads, groups, key_length, rotated; /* key_length, rotated: 0 for what follows from d */
    int tied, biases; /* biases: 1 of queries, keys and values, 2 of every map */
    uint32_t end; /* id + 1 of the end; 0: none */
    float base;   /* of the rotary frequencies; 0: 10,000, unsaid */
    float scaling; /* linear, of positions; 0: none, unsaid */
    int stretched; /* the file has a divisor for each frequency */
    int qwen;      /* qwen2; 2: qwen3; 3: gemma3 */
    uint32_t window; /* of gemma3 */
    uint32_t tokens; /* of its vocabulary; 0: it has none */
    uint32_t type;
    uint64_t seed;
} toy_llama_config;

/* The tensors of a model in the file's order, and the file. */
typedef struct {
    toy_llama_config config;
    toy_tensor *tensor;
    uint32_t n_tensors;
    toy_file file;
} toy_llama;

toy_llama *toy_llama_build(const toy_llama_config *config);
nx_model *toy_llama_open(const toy_llama *model);

#endif
