/* SPDX-License-Identifier: MIT  Writes small valid files into a folder, as the first inputs of the fuzzer: seeds FOLDER */
#include <stdio.h>

#include "check.h"
#include "toy.h"

static int write_seed(const char *folder, int number, const uint8_t *bytes, size_t length) {
    char path[1000];
    snprintf(path, sizeof path, "%s/seed-%d.gguf", folder, number);
    FILE *file = fopen(path, "wb");
    if (file && fwrite(bytes, 1, length, file) == length && !fclose(file)) return 0;
    perror(path);
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: seeds FOLDER\n", stderr);
        return 2;
    }
    int written = 0;
    const toy_row *row;
    for (int i = 0; (row = toy_row_at(i)); i++) {
        if (!(row->uses & TOY_SEED)) continue;
        toy_file file = row->file(row->number);
        if (write_seed(argv[1], written++, file.bytes, file.length)) return 1;
    }
    memory_release(0);
    return 0;
}
