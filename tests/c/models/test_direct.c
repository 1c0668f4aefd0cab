/* SPDX-License-Identifier: MIT
 *
 * Tests super-resolution that reads the small picture directly (models/image_transformer/direct.h). The features of a pixel must equal
 * those of a separate computation. One of these features is the mean colour that the remaining pixels of a cell must have to match the
 * small picture. Later pixels must never be read, and invalid files must be refused. For all other numbers, the golden files
 * tests/golden/direct-*.gguf contain PyTorch's results.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "models/image_transformer/direct.h"
#include "toy.h"

enum { HEIGHT = 6, WIDTH = 8, ROWS = 2, COLS = 4, PLACES = 6, PIXELS = HEIGHT * WIDTH };

static float levels[PIXELS][3];

static double z_of(int row, int col, uint32_t c) {
    return row < 0 || col < 0 || row >= HEIGHT || col >= WIDTH ? 0 : (255 - (double)levels[row * WIDTH + col][c]) / 255;
}

/* Compares the features with a separate computation from `levels`, which holds the same values as the ids. */
static void known(void) {
    static const int near[6][2] = {{0, -1}, {-1, 0}, {-1, -1}, {-1, 1}, {0, -2}, {-2, 0}};
    nx_direct w = {.height = HEIGHT, .width = WIDTH, .rows = ROWS, .cols = COLS, .places = PLACES, .values = 256, .mixtures = 1};
    uint32_t ids[PIXELS * 3], small[ROWS * COLS * 3];
    float got[NX_DIRECT_KNOWN];
    check_random random = {7};
    for (uint32_t i = 0; i < PIXELS * 3; i++) ids[i] = random_below(&random, 256), levels[i / 3][i % 3] = (float)ids[i];
    for (uint32_t i = 0; i < ROWS * COLS * 3; i++) small[i] = random_below(&random, 256);
    for (uint32_t at = 0; at < PIXELS; at++) {
        int row = (int)(at / WIDTH), col = (int)(at % WIDTH), cell_row = row / 3, cell_col = col / 2;
        nx_direct_know(&w, got, small, ids, at);
        for (uint32_t c = 0; c < 3; c++) {
            check_at("pixel %lld, channel %lld", at, c, 0, 0);
            for (int i = -1; i <= 1; i++)
                for (int j = -1; j <= 1; j++) {
                    int y = cell_row + i, x = cell_col + j, inside = y >= 0 && x >= 0 && y < ROWS && x < COLS;
                    CHECK_NEAR((double)got[((i + 1) * 3 + j + 1) * 3 + (int)c], inside ? (255 - (double)small[(y * COLS + x) * 3 + (int)c]) / 255 : 0, 1e-6);
                }
            double sum = PLACES * (255 - (double)small[(cell_row * COLS + cell_col) * 3 + (int)c]) / 255, count = PLACES;
            for (int y = cell_row * 3; y < cell_row * 3 + 3; y++)
                for (int x = cell_col * 2; x < cell_col * 2 + 2; x++)
                    if (y < row || (y == row && x < col)) sum -= z_of(y, x, c), count--;
            CHECK_NEAR((double)got[27 + c], fmin(1, fmax(0, sum / count)), 1e-5);
            for (int i = 0; i < 6; i++) CHECK_NEAR((double)got[30 + 3 * i + (int)c], z_of(row + near[i][0], col + near[i][1], c), 1e-6);
        }
        CHECK_INT(got[48], 1);
    }
}

/* If the small picture holds the exact mean of each cell, the features of a cell's last pixel contain that pixel's colour. */
static void the_rest_of_a_cell(void) {
    nx_direct w = {.height = 2, .width = 2, .rows = 1, .cols = 1, .places = 4, .values = 256, .mixtures = 1};
    uint32_t ids[12] = {10, 20, 30, 50, 60, 70, 90, 100, 110, 250, 140, 30}, small[3] = {100, 80, 60};
    float got[NX_DIRECT_KNOWN];
    nx_direct_know(&w, got, small, ids, 3);
    for (uint32_t c = 0; c < 3; c++) CHECK_NEAR((double)(255 - 255 * got[27 + c]), ids[9 + c], 1e-3);
}

/* Outputs at each position depend only on the ids before it and on the small picture. */
static void causality(void) {
    for (int mixtures = 0; mixtures < 2; mixtures++) {
        size_t mark = memory_mark();
        nx_model *model = toy_open(toy_direct(mixtures, NULL));
        nx_part_info part;
        if (!model || !CHECK_INT(nx_model_part(model, 0, &part), NX_OK)) return;
        uint32_t n = part.length, E = part.span, *ids = memory_take(n * E * sizeof *ids), changed = n / 2, differ[2] = {0};
        float *rows[3];
        check_random random = {9};
        for (uint32_t i = 0; i < n * E; i++) ids[i] = random_below(&random, part.values);
        for (int run = 0; run < 3; run++) { /* run 1 changes an id; run 2 also changes the small picture */
            picture_settings settings = toy_settings(1, 0);
            nx_session *session = toy_bare_session(model, &settings, NULL);
            picture_info info;
            uint8_t *small;
            picture_info_of(model, &info);
            uint32_t count = toy_input(&info, &small);
            if (run == 1) ids[changed * E] = (ids[changed * E] + 1) % part.values;
            if (run == 2) ids[changed * E] = (ids[changed * E] + part.values - 1) % part.values, small[count / 2] ^= 0x40;
            uint32_t port = nx_model_port(model, 0, 1, &(nx_port){0}) == NX_OK, *wide = memory_take(count * sizeof *wide);
            for (uint32_t i = 0; i < count; i++) wide[i] = small[i];
            CHECK_INT(nx_session_input(model, session, port, wide, count), NX_OK);
            while (nx_session_encode(model, session) == NX_MORE) {}
            rows[run] = memory_take((size_t)n * part.outputs * sizeof(float));
            float nats[NX_MAX_SPAN];
            for (uint32_t i = 0; i < n; i++) {
                CHECK_INT(nx_session_put(model, session, ids + i * E, 1, 0, nats), NX_OK);
                CHECK_INT(nx_session_output(model, session, 0, rows[run] + (size_t)i * part.outputs), NX_OK);
            }
        }
        for (uint32_t i = 0; i < n; i++)
            for (int run = 1; run < 3; run++) {
                size_t at = (size_t)i * part.outputs;
                int same = !memcmp(rows[run] + at, rows[0] + at, part.outputs * sizeof(float));
                check_at("mixtures %lld, position %lld, run %lld", mixtures, i, run, 0);
                if (run == 1 && i <= changed) CHECK(same);
                differ[run - 1] += !same;
            }
        CHECK(differ[0] > 3 && differ[1] > 3);
        memory_release(mark);
    }
}

static void refused_files(void) {
    static const struct {
        toy_twist twist;
        nx_status status;
    } rows[] = {{{.without = "direct.guess.weight"}, NX_E_FORMAT},
                {{.without = "direct.hidden.weight"}, NX_E_FORMAT},
                {{.without = "direct.certainty.weight"}, NX_E_FORMAT},
                {{.without = "direct.certainty.bias"}, NX_E_FORMAT},
                {{.without = "direct.near.weight"}, NX_E_FORMAT},
                {{.reshaped = "direct.input.weight"}, NX_E_FORMAT},
                {{.reshaped = "direct.near.weight"}, NX_E_FORMAT},
                {{.reshaped = "direct.guess.weight"}, NX_E_FORMAT},
                {{.without = "palette.weight"}, NX_E_FORMAT},
                {{.number = "image-transformer.input.height", .value = 4}, NX_E_UNSUPPORTED},
                {{.number = "image-transformer.input.width", .value = 8}, NX_E_FORMAT},
                {{.without = "direct.input.weight"}, NX_E_FORMAT}}; /* a file without this tensor needs an encoder */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const toy *file = toy_direct(0, &rows[i].twist);
        nx_problem problem;
        size_t bytes;
        check_at("row %lld", (long long)i, 0, 0, 0);
        CHECK_INT(nx_model_size(file->bytes, file->length, &bytes, &problem), rows[i].status);
    }
}

const check_test direct_tests[] = {
    {"the features of known pixels", known},
    {"the remainder of a cell", the_rest_of_a_cell},
    {"no pixel depends on later ones", causality},
    {"invalid files are refused", refused_files},
    {0},
};
