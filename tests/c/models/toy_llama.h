/* SPDX-License-Identifier: MIT  Random models of the Llama family. */
#ifndef TOY_LLAMA_H
#define TOY_LLAMA_H

#include "nextpixel.h"
#include "toy.h"

/* The architectures, in the order of their names in test_llama.c. */
enum { LLAMA, QWEN2, QWEN3, GEMMA3, GEMMA2, GEMMA, OLMO2, EXAONE4, EXAONE, SMOLLM3, GRANITE, PHI3, ERNIE4_5 };

typedef struct {
    uint32_t values, length, blocks, d, inner, heads, groups, key_length, rotated; /* key_length, rotated: 0 means derived from d */
    int tied, biases; /* biases: 1 for queries, keys and values; 2 for every linear map */
    uint32_t end; /* the end id plus 1; 0 means no end id */
    float base;   /* base of the rotary frequencies; 0: 10,000, and no key in the file */
    float scaling; /* linear scaling of positions; 0: none, and no key in the file */
    int stretched; /* 1: the file has a divisor for each frequency; for phi3, the divisors are for a context of half the length */
    int kin;       /* LLAMA or a related architecture */
    uint32_t window; /* window of local attention; 0: no key */
    uint32_t pattern; /* every n-th block is global; 0: no key */
    int joined;    /* queries, keys and values share one matrix, and gate and up share another matrix */
    float turns[2]; /* yarn_beta_fast and yarn_beta_slow; 0: no key */
    uint32_t yarn; /* number of training positions, which YaRN extends by the factor `scaling`; 0: no YaRN */
    uint32_t tokens; /* size of the file's vocabulary; 0: no vocabulary */
    uint32_t type;
    uint64_t seed;
} toy_llama_config;

/* A toy model. The tensors are in the order of the file. */
typedef struct {
    toy_llama_config config;
    toy_tensor *tensor;
    uint32_t n_tensors;
    toy_file file;
} toy_llama;

toy_llama *toy_llama_build(const toy_llama_config *config);
nx_model *toy_llama_open(const toy_llama *model);

#endif
