/* SPDX-License-Identifier: MIT
 *
 * Compares models of any architecture with PyTorch. weights/train/golden.py computed the expected results of each model in double
 * precision. The model is tests/golden/NAME.gguf, and the results are in tests/golden/NAME.golden.gguf. The tests compare the output layer
 * at each position of a sequence, the nats of the sequence's ids, and the maps and results that the golden file contains.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "model.h"
#include "session/session.h"
#include "toy.h"

/* Tolerance for the single-precision error after at most three layers, for logits with a standard deviation of about 1.5. */
#define OUTPUT_TOLERANCE 1e-4
/* For a discretised density, the tolerance is relative to 1 + nats, because an error of x in the location changes the nats by e^-s x, where
 * s is the log scale. The measured error was 5.2e-6. */
#define NATS_TOLERANCE 1e-4
/* The golden values of a quantised file use the file's weights, but no further rounding. The library also rounds activations, keys and
 * values, and rounds Q8_0 weights to 7 bits. These additional roundings change the outputs by at most this tolerance. */
#define QUANTISED_OUTPUT_TOLERANCE 0.3
#define QUANTISED_NATS_TOLERANCE 0.03 /* tolerance of the mean difference over the image */
/* Tolerance for the weights of attention. */
#define MAP_TOLERANCE 1e-5
#define QUANTISED_MAP_TOLERANCE 0.05

/* The part that is compared. In a model of several parts, recorded names begin with the name of the part. */
static uint32_t part_index;
static const char *part_name;

static int find(const nx_gguf *file, const char *name, nx_tensor *t) {
    char whole[80];
    return nx_gguf_tensor(file, part_name ? strcat(strcat(strcpy(whole, part_name), "."), name) : name, t);
}

/* Returns a tensor of the golden file. If the tensor is missing, returns null; a check fails unless the tensor is optional. */
static const float *golden(const nx_gguf *file, const char *name, uint32_t rows, uint32_t cols, int optional) {
    nx_tensor t;
    if (!find(file, name, &t)) return CHECK(optional), NULL;
    if (!CHECK(t.type == NX_F32 && t.dim[0] * t.dim[1] * t.dim[2] * t.dim[3] == rows * cols && (rows == 1 || t.dim[1] == rows))) return NULL;
    return memory_copy(t.data, t.bytes);
}

static uint8_t *bytes_of(const float *numbers, uint32_t n) {
    uint8_t *bytes = memory_take(n);
    for (uint32_t i = 0; i < n; i++) bytes[i] = (uint8_t)numbers[i];
    return bytes;
}

static void widen(double *worst, const float *actual, const float *expected, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) *worst = fmax(*worst, fabs((double)actual[i] - (double)expected[i]));
}

/* Writes the values to a picture file, in the colours of the palette. */
static void picture(const nx_gguf *g, const nx_model *opened, const picture_info *info, const uint8_t *values) {
    uint32_t pixels = info->height * info->width * info->channels, per_place = info->palette ? 3 : info->position_elements;
    const float *order = golden(g, "order", 1, info->positions, 1), *image = golden(g, "image", 1, pixels, 1);
    uint32_t *raster = memory_take(info->positions * sizeof *raster);
    uint8_t *rgb = memory_take(info->levels * 3), *out = memory_take(pixels);
    picture_order(opened, raster);
    CHECK_INT(picture_palette(opened, rgb), info->palette ? NX_OK : NX_E_ARGUMENT);
    if (!order || !image) {
        CHECK(!info->block_rows);
        return;
    }
    for (uint32_t i = 0; i < info->positions; i++) {
        CHECK_INT(raster[i], order[i]);
        memcpy(out + raster[i] * per_place, info->palette ? rgb + 3 * values[i] : values + i * per_place, per_place);
    }
    CHECK_BYTES(out, bytes_of(image, pixels), pixels);
}

/* Returns the number of items of a golden tensor; 0 if it is missing. */
static uint32_t items(const nx_gguf *file, const char *name) {
    nx_tensor t;
    return find(file, name, &t) ? t.dim[0] * t.dim[1] * t.dim[2] * t.dim[3] : 0;
}

/* Returns the ids of an input, which the golden file stores as "input.NAME". In older files the class of a picture is "label" (-1: none), a
 * picture to enlarge is "input", and a sentence is "source". Returns null if the input is not given. */
static uint32_t *ids_of(const nx_gguf *g, const nx_port *port, uint32_t *count) {
    char named[60] = "input.";
    strcat(named, port->name);
    const char *name = items(g, named) ? named : !strcmp(port->name, "class") ? "label" : !strcmp(port->name, "image") ? "input" : port->name;
    uint32_t n = items(g, name), *ids = memory_take((n + 1) * sizeof *ids);
    const float *numbers = golden(g, name, 1, n, port->optional);
    if (!numbers || numbers[0] < 0) return NULL;
    for (uint32_t i = 0; i < n; i++) ids[i] = (uint32_t)numbers[i];
    return *count = n, ids;
}

/* Opens a run of `length` positions (0: the model's maximum), gives it every input of the golden file, and encodes them. Keeps maps if the
 * model has maps. Returns null after a failed check. */
static nx_session *reading(const nx_gguf *g, const nx_model *model, uint32_t length) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.length = length};
    nx_session *session = NULL;
    nx_port port;
    nx_map map;
    uint32_t *ids[NX_PORTS], count[NX_PORTS];
    size_t bytes = 0;
    char name[40];
    for (uint32_t i = 0; nx_model_port(model, part_index, i, &port) == NX_OK; i++) {
        ids[i] = ids_of(g, &port, count + i);
        if (ids[i] && port.any_length) shape.counts[i] = count[i] / (port.dims[1] * port.dims[2] * port.dims[3]);
    }
    for (uint32_t i = 0; nx_model_map(model, part_index, i, &map) == NX_OK; i++) settings.maps |= items(g, strcat(strcpy(name, "map."), map.name)) > 0;
    settings.hidden = items(g, "embedding") > 0;
    CHECK_INT(nx_session_size(model, part_index, &settings, &shape, &bytes), NX_OK);
    if (!CHECK_INT(nx_session_open(memory_take(bytes), bytes, model, part_index, &settings, &shape, &session), NX_OK)) return NULL;
    for (uint32_t i = 0; nx_model_port(model, part_index, i, &port) == NX_OK; i++)
        if (ids[i]) CHECK_INT(nx_session_input(model, session, i, ids[i], count[i]), NX_OK);
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE) {}
    CHECK_INT(status, NX_OK);
    return session;
}

/* Finds the largest difference between the results and the recorded results "result.NAME". Ids must be equal. Returns the number of
 * results. */
static uint32_t results_off(double *worst, const nx_gguf *g, const nx_model *model, const nx_session *session) {
    uint32_t found = 0;
    nx_result result;
    for (uint32_t i = 0; nx_model_result(model, part_index, i, &result) == NX_OK; i++) {
        char name[60] = "result.";
        uint32_t n = items(g, strcat(name, result.name));
        if (!n) continue;
        const float *expected = golden(g, name, 1, n, 0);
        float *numbers = memory_take(n * sizeof *numbers);
        uint32_t *ids = memory_take(n * sizeof *ids);
        if (!expected || !CHECK_INT(nx_session_result(model, session, i, 0, n, result.values ? (void *)ids : numbers), NX_OK)) return 0;
        for (uint32_t k = 0; result.values && k < n; k++) CHECK_INT(ids[k], expected[k]);
        if (!result.values) widen(worst, numbers, expected, n);
        found++;
    }
    return found;
}

/* Compares the weights of one query in map `index` with the recorded tensor "map.NAME", shape (n, rows, keys). n is the number of queries
 * (positions, or items of an input). The recorded weights of invisible keys are 0. */
static void map_off(double *worst, const nx_gguf *g, const nx_model *model, const nx_session *session, uint32_t index, uint32_t query, uint32_t n) {
    char name[60] = "map.";
    nx_map map;
    CHECK_INT(nx_model_map(model, part_index, index, &map), NX_OK);
    uint32_t in_all = items(g, strcat(name, map.name)), width = in_all / n / map.rows, count;
    const float *recorded = golden(g, name, 1, in_all, 0);
    uint32_t *keys = memory_take(map.keys * sizeof *keys);
    float *weights = memory_take(map.keys * sizeof *weights);
    for (uint32_t row = 0; recorded && row < map.rows; row++) {
        CHECK_INT(nx_session_map(model, session, 0, index, map.queries ? row * n + query : row, keys, weights, &count), NX_OK);
        const float *own = recorded + ((size_t)query * map.rows + row) * width;
        widen(worst, weights, own, count);
        for (uint32_t i = count; i < width; i++) CHECK(own[i] == 0);
    }
}

/* Compares maps with the recorded maps: the maps of one of n positions or, if `position` is NX_NONE, the maps of the inputs. Maps that are
 * not recorded are skipped. Returns the number of maps that were compared. */
static uint32_t maps_off(double *worst, const nx_gguf *g, const nx_model *model, const nx_session *session, uint32_t position, uint32_t n) {
    uint32_t found = 0;
    nx_map map;
    for (uint32_t index = 0; nx_model_map(model, part_index, index, &map) == NX_OK; index++) {
        char name[60] = "map.";
        if (!items(g, strcat(name, map.name)) || (map.queries > 0) != (position == NX_NONE)) continue;
        if (position != NX_NONE) map_off(worst, g, model, session, index, position, n);
        uint32_t asked = nx_map_queries(&map, &session->shape);
        for (uint32_t i = 0; position == NX_NONE && i < asked; i++) map_off(worst, g, model, session, index, i, asked);
        found++;
    }
    return found;
}

/* Compares the hidden states of one of n positions, in all layers, with the tensors "embedding" and "blk.K.output", if the golden file has
 * them. */
static void hidden_off(double *worst, const nx_gguf *g, const nx_model *model, const nx_session *session, uint32_t position, uint32_t n) {
    nx_part_info part;
    CHECK_INT(nx_model_part(model, part_index, &part), NX_OK);
    float *values = memory_take(part.hidden_width * sizeof *values);
    for (uint32_t layer = 0; items(g, "embedding") && layer < part.hidden_layers; layer++) {
        char name[40] = "embedding";
        if (layer) snprintf(name, sizeof name, "blk.%u.output", layer - 1);
        const float *recorded = golden(g, name, n, part.hidden_width, 0);
        if (!recorded || !CHECK_INT(nx_session_hidden(model, session, 0, layer, values), NX_OK)) return;
        widen(worst, values, recorded + (size_t)position * part.hidden_width, part.hidden_width);
    }
}

static int is_rounded(const nx_gguf *file, uint32_t type) {
    for (uint32_t i = 0; i < file->n_tensors; i++) {
        nx_tensor t;
        nx_gguf_tensor_at(file, i, &t);
        if (t.type == type) return 1;
    }
    return 0;
}

static void compare_part(const nx_gguf *g, const nx_gguf *own, nx_model *opened) {
    picture_info info;
    nx_part_info part;
    picture_info_of(opened, &info);
    CHECK_INT(nx_model_part(opened, part_index, &part), NX_OK);
    int quantised = is_rounded(own, NX_Q8_0) || is_rounded(own, NX_Q4_0), density = opened->plan[part_index].output.kind > NX_BERNOULLI;
    uint32_t P = part.outputs, E = part.span, n = E ? items(g, "values") / E : 0; /* E = 0: a part without a sequence */
    nx_session *session = reading(g, opened, n);
    if (!session) return;
    double worst_map = 0, worst_result = 0;
    uint32_t n_results = results_off(&worst_result, g, opened, session), n_maps = maps_off(&worst_map, g, opened, session, NX_NONE, n);
    CHECK(E || n_results); /* at least one comparison must have been made */
    if (E) {
        CHECK(n == part.length || !info.height);
        const float *numbers = golden(g, "values", 1, n * E, 0), *outputs = golden(g, "logits", n, P, 0), *nats = golden(g, "nats", 1, n * E, 0);
        if (!numbers || !outputs || !nats) return;
        uint32_t *ids = memory_take(n * E * sizeof *ids);
        uint8_t *values = memory_take(n * E);
        for (uint32_t i = 0; i < n * E; i++) ids[i] = (uint32_t)numbers[i], values[i] = picture_value(&info, ids[i]);
        if (info.height) picture(g, opened, &info, values);
        float *row = memory_take(P * sizeof *row), cost[NX_MAX_SPAN];
        double worst_output = 0, worst_nats = 0, worst_hidden = 0, total = 0;
        for (uint32_t i = 0; i < n; i++) {
            CHECK_INT(nx_session_put(opened, session, ids + i * E, 1, 0, cost), NX_OK);
            CHECK_INT(nx_session_output(opened, session, 0, row), NX_OK);
            widen(&worst_output, row, outputs + (size_t)i * P, P);
            n_maps += maps_off(&worst_map, g, opened, session, i, n);
            hidden_off(&worst_hidden, g, opened, session, i, n);
            for (uint32_t e = 0; e < E; e++) {
                double truth = (double)nats[i * E + e], off = (double)cost[e] - truth;
                worst_nats = fmax(worst_nats, fabs(off) / (density ? 1 + truth : 1));
                total += off;
            }
        }
        check_note("    output within %.3g, nats %.3g, mean of nats %.3g, hidden states %.3g", worst_output, worst_nats, fabs(total / (n * E)), worst_hidden);
        CHECK(worst_hidden < (quantised ? QUANTISED_OUTPUT_TOLERANCE : OUTPUT_TOLERANCE));
        CHECK(worst_output < (quantised ? QUANTISED_OUTPUT_TOLERANCE : OUTPUT_TOLERANCE));
        CHECK(quantised || worst_nats < NATS_TOLERANCE);
        CHECK(fabs(total / (n * E)) < (quantised ? QUANTISED_NATS_TOLERANCE : NATS_TOLERANCE));
    }
    if (n_maps) check_note("    maps within %.3g", worst_map);
    CHECK(worst_map < (quantised ? QUANTISED_MAP_TOLERANCE : MAP_TOLERANCE));
    if (n_results) check_note("    results within %.3g", worst_result);
    CHECK(worst_result < (quantised ? QUANTISED_OUTPUT_TOLERANCE : OUTPUT_TOLERANCE));
}

static void compare(const char *golden_path, const uint8_t *file, size_t length) {
    size_t golden_length = 0;
    uint8_t *bytes = check_read_file(golden_path, &golden_length);
    nx_gguf *g = memory_take(sizeof *g), *own = memory_take(sizeof *own);
    if (!CHECK(bytes) || !CHECK_INT(nx_gguf_parse(g, bytes, golden_length, golden_length, NULL), NX_OK)) return;
    uint8_t *copy = memory_copy(file, length);
    if (!CHECK_INT(nx_gguf_parse(own, copy, length, length, NULL), NX_OK)) return;
    nx_model *opened = toy_open(&(toy){.bytes = copy, .length = length});
    if (!opened) return;
    check_note("  %s", golden_path);
    uint32_t parts = nx_model_parts(opened);
    for (part_index = 0; part_index < parts; part_index++) {
        part_name = parts > 1 ? opened->arch->parts[part_index].name : NULL;
        compare_part(g, own, opened);
    }
}

static void golden_files(void) {
    int compared = 0;
    for (int i = 0;; i++) {
        const char *path = check_argument(".golden.gguf", i);
        char base[300];
        if (!path) break;
        if (!CHECK(strlen(path) < sizeof base)) return;
        strcpy(base, path);
        strcpy(base + strlen(path) - strlen(".golden.gguf"), ".gguf");
        size_t length = 0, mark = memory_mark();
        uint8_t *file = check_read_file(base, &length);
        if (!file)
            check_note("  %s: the model file is in another place; tests/js compares it", path);
        else
            compare(path, file, length), compared++;
        memory_release(mark);
    }
    if (!compared) check_say("no golden files were given, so nothing was compared");
}

const check_test golden_tests[] = {
    {"PyTorch's outputs and nats", golden_files},
    {0},
};
