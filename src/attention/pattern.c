/* SPDX-License-Identifier: MIT  Which positions a query sees. See attention.h. */
#include "attention.h"

uint32_t nx_pattern_first(const nx_pattern *pattern, uint32_t i) {
    uint32_t block = i - i % pattern->query_block;
    return block > pattern->memory_block ? block - pattern->memory_block : 0;
}

uint32_t nx_pattern_block_end(const nx_pattern *pattern, uint32_t i) {
    uint64_t end = (uint64_t)i - i % pattern->query_block + pattern->query_block;
    return end < pattern->positions ? (uint32_t)end : pattern->positions;
}

uint32_t nx_pattern_window(const nx_pattern *pattern) {
    uint64_t window = (uint64_t)pattern->query_block + pattern->memory_block;
    return window < pattern->positions ? (uint32_t)window : pattern->positions;
}

uint32_t nx_pattern_slots(const nx_pattern *pattern) { return (nx_pattern_window(pattern) + 3) & ~3u; }
