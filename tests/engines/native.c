/* SPDX-License-Identifier: MIT
 *
 * Runs the tasks of the determinism tests through include/nextpixel.h (and picture.h) on this machine:   native < PLAN
 *
 * PLAN is the output of plan.js: one line per run, with tab-separated fields in the order of the enum below. For each result, the program
 * prints a line with tab-separated fields: model, task, item, mode, SHA-256. runs.js computes the same hashes with the JavaScript library.
 * runs.js and this program use the same plan and the same synthetic picture. They hash the same items: the values in the format of the
 * JavaScript API, and the nats as 32-bit floats. A palette colour counts as three values (red, green, blue), and its cost is attributed to
 * red.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nextpixel.h"
#include "picture.h"
#include "sha256.h"

enum {
    PATH,
    MODEL,
    WORK,
    TASK,
    KNOWN,
    DRAW,
    SAMPLES,
    SEED,
    LABEL,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    ROW,
    COLUMN,
    CHANNEL,
    WAYS,
    PINNED,
    FEATURES,
    SPEAKER,
    FIELDS
};

static char *field[FIELDS];

static uint32_t number(int which) { return (uint32_t)strtoul(field[which], NULL, 10); }

static _Noreturn void fail(const char *what, int status) {
    fprintf(stderr, "native: %s, %s: %s: status %d\n", field[MODEL], field[WORK], what, status);
    exit(1);
}

static void check(nx_status status, const char *what) {
    if (status) fail(what, status);
}

static void *room(size_t bytes) {
    void *block = aligned_alloc(NX_ALIGN, (bytes + NX_ALIGN) / NX_ALIGN * NX_ALIGN);
    if (!block) fail("out of memory", NX_E_MEMORY);
    return block;
}

static void say(const char *item, const char *way, const void *bytes, size_t length) {
    char text[65];
    sha256(bytes, length, text);
    printf("%s\t%s\t%s\t%s\t%s\n", field[MODEL], field[WORK], item, way, text);
}

/* ---- the model in use ------------------------------------------------------------------------------------------------ */

static nx_model *model;
static picture_info info;
static uint32_t *order;  /* (positions) */
static uint8_t *palette; /* (levels, 3), or null */
static uint32_t span;    /* elements per position: the channels of a pixel, or 1 */

/* Opens the file that is named in the current line of the plan, and prints the hash of the file's bytes. */
static void open_model(void) {
    FILE *file = fopen(field[PATH], "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("cannot read the file", 0);
    size_t length = (size_t)ftell(file), bytes;
    uint8_t *content = room(length);
    rewind(file);
    if (fread(content, 1, length, file) != length) fail("cannot read the file", 0);
    fclose(file);
    say("bytes", "read", content, length);
    check(nx_model_size(content, length, &bytes, NULL), "nx_model_size");
    check(nx_model_open(room(bytes), bytes, content, length, &model, NULL), "nx_model_open");
    free(content);
    picture_info_of(model, &info);
    if (!info.height) return; /* the model writes texts or sounds */
    order = room(info.positions * sizeof *order);
    picture_order(model, order);
    palette = NULL;
    if (info.palette) check(picture_palette(model, palette = room(3 * info.levels)), "picture_palette");
    span = info.palette ? 3 : info.position_elements;
}

/* Draws a disc in front of a gradient. The pixels are computed with integer arithmetic, as in pictureOf() of inputs.js. Returns an array
 * (height, width, channels). */
static uint8_t *picture(uint32_t width, uint32_t height, uint32_t channels) {
    uint8_t *values = room(width * height * channels);
    for (uint32_t i = 0; i < width * height * channels; i++) {
        uint32_t channel = i % channels, x = i / channels % width, y = i / channels / width;
        int across = (int)(2 * x + 1) - (int)width, down = (int)(2 * y + 1) - (int)height;
        int inside = 25 * (across * across + down * down) < 16 * (int)(width * height);
        values[i] = (uint8_t)(inside ? 250 - 60 * y / height - 40 * channel : 10 + 50 * x / width + 30 * channel);
    }
    return values;
}

/*
 * Returns the index of the colour with the smallest squared distance. If several colours are equally near, returns the lowest index, as the
 * JavaScript library does.
 */
static uint8_t nearest(const uint8_t *rgb) {
    uint32_t best = 0;
    int least = 1 << 30;
    for (uint32_t i = 0; i < info.levels; i++) {
        int distance = 0;
        for (int c = 0; c < 3; c++) distance += (rgb[c] - palette[3 * i + c]) * (rgb[c] - palette[3 * i + c]);
        if (distance < least) least = distance, best = i;
    }
    return (uint8_t)best;
}

/* Encodes the first positions of the picture as values of the engine, shape (positions, E). */
static uint8_t *encode(uint32_t positions) {
    uint8_t *whole = picture(info.width, info.height, info.channels);
    uint8_t *values = room(positions * info.position_elements);
    for (uint32_t i = 0; i < positions; i++) {
        if (palette)
            values[i] = nearest(whole + 3 * order[i]);
        else
            memcpy(values + i * span, whole + order[i] * span, span);
    }
    free(whole);
    return values;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

/* How to divide a run into calls. The division must not affect the results. */
typedef struct {
    const char *name;
    uint32_t steps;   /* positions per call, 0: all */
    uint32_t prefill; /* known positions per call, 0: all */
    int alone;        /* whether each sample has its own session */
    int maps;        /* whether to record attention weights */
    int moved;        /* whether to copy the session's block elsewhere half-way, and overwrite the old block */
    uint32_t ahead;   /* look_ahead; drafts work for a single sample only */
} nx_way;

static size_t session_bytes;

static nx_session *start(uint32_t samples, uint32_t first, int maps, uint32_t ahead) {
    uint64_t seed = strtoull(field[SEED], NULL, 10);
    picture_settings settings = {.seed_low = (uint32_t)seed,
                            .seed_high = (uint32_t)(seed >> 32),
                            .samples = samples,
                            .first_sample = first,
                            .label = (int32_t)strtol(field[LABEL], NULL, 10),
                            .temperature = strtof(field[TEMPERATURE], NULL),
                            .top_k = number(TOP_K),
                            .top_p = strtof(field[TOP_P], NULL),
                            .maps = (uint32_t)maps,
                            .look_ahead = ahead};
    nx_session *session;
    check(picture_size(model, &settings, &session_bytes), "picture_size");
    check(picture_open(room(session_bytes), session_bytes, model, &settings, &session), "picture_open");
    if (info.input_width) {
        uint8_t *small = picture(info.input_width, info.input_height, info.channels);
        check(picture_condition(model, session, small, info.input_width * info.input_height * info.channels),
              "picture_condition");
        free(small);
    }
    return session;
}

/* Copies a session's block elsewhere and overwrites the old block. */
static nx_session *move(nx_session *session) {
    nx_session *elsewhere = room(session_bytes);
    memcpy(elsewhere, session, session_bytes);
    memset(session, 0xa5, session_bytes);
    free(session);
    check(nx_session_check(model, elsewhere, session_bytes), "nx_session_check");
    return elsewhere;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void prefill(nx_session *session, const uint8_t *values, uint32_t count, uint32_t each, float *nats) {
    const uint32_t width = info.position_elements;
    for (uint32_t at = 0, n; at < count; at += n) {
        n = least(each ? each : count, count - at);
        check(picture_prefill(model, session, values + at * width, n, nats ? nats + at * width : NULL),
              "picture_prefill");
    }
}

/* Prints the values of one sample in the form of the JavaScript API. `values` has shape (positions, samples, E). */
static void say_values(const char *item, const char *way, const uint8_t *values, uint32_t positions, uint32_t sample,
                       uint32_t samples) {
    uint8_t *own = room(positions * span);
    for (uint32_t i = 0; i < positions; i++) {
        const uint8_t *from = values + (i * samples + sample) * info.position_elements;
        memcpy(own + i * span, palette ? palette + 3 * *from : from, span);
    }
    say(item, way, own, positions * span);
    free(own);
}

/* Prints nats in the form of the JavaScript API; the cost of a colour is attributed to red. */
static void say_nats(const char *item, const char *way, const float *nats, uint32_t positions, uint32_t sample,
                     uint32_t samples) {
    const uint32_t width = info.position_elements;
    float *own = room(positions * span * sizeof *own);
    for (uint32_t i = 0; i < positions * span; i++) {
        uint32_t position = i / span, element = i % span;
        own[i] = element < width ? nats[(position * samples + sample) * width + element] : 0;
    }
    say(item, way, own, positions * span * sizeof *own);
    free(own);
}

static void draw_together(const nx_way *way, uint32_t samples, uint32_t first) {
    const uint32_t count = number(DRAW), width = samples * info.position_elements;
    nx_session *session = start(samples, first, way->maps, way->ahead);
    uint8_t *known = encode(number(KNOWN)), *values = room(count * width);
    float *nats = room(count * width * sizeof *nats);
    prefill(session, known, number(KNOWN), way->prefill, NULL);
    for (uint32_t at = 0, n; at < count; at += n) {
        n = least(way->steps ? way->steps : count, count - at);
        if (way->moved && at == count / 2 / way->steps * way->steps) session = move(session);
        check(picture_step(model, session, n, values + at * width, nats + at * width), "picture_step");
    }
    for (uint32_t s = 0; s < samples; s++) {
        char item[40];
        snprintf(item, sizeof item, "sample %" PRIu32 " values", first + s);
        say_values(item, way->name, values, count, s, samples);
        snprintf(item, sizeof item, "sample %" PRIu32 " nats", first + s);
        say_nats(item, way->name, nats, count, s, samples);
    }
    free(session);
    free(known);
    free(values);
    free(nats);
}

static void draw(void) {
    static const nx_way ways[] = {
        {.name = "at once"},
        {.name = "position by position", .steps = 1, .prefill = 1},
        {.name = "each alone", .steps = 7, .alone = 1},
        {.name = "traced", .maps = 1},
        {.name = "each alone, looking ahead", .alone = 1, .ahead = 8},
        {.name = "each alone, looking far ahead by 37", .steps = 37, .alone = 1, .ahead = 16},
        {.name = "each alone, looking ahead, moved half-way", .steps = 5, .alone = 1, .moved = 1, .ahead = 3},
        {.name = "moved half-way", .steps = 5, .prefill = 31, .moved = 1},
    };
    const size_t n_ways = strcmp(field[WAYS], "all") ? 1 : sizeof ways / sizeof *ways;
    for (size_t w = 0; w < n_ways; w++) {
        const uint32_t samples = number(SAMPLES);
        if (!ways[w].alone)
            draw_together(&ways[w], samples, 0);
        else
            for (uint32_t s = 0; s < samples; s++) draw_together(&ways[w], 1, s);
    }
}

static void score(void) {
    static const nx_way ways[] = {
        {.name = "at once"}, {.name = "position by position", .prefill = 1}, {.name = "by fives", .prefill = 5}};
    uint8_t *values = encode(info.positions);
    float *nats = room(info.elements * sizeof *nats);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        nx_session *session = start(1, 0, 0, 0);
        prefill(session, values, info.positions, ways[w].prefill, nats);
        say_nats("nats", ways[w].name, nats, info.positions, 0, 1);
        free(session);
    }
    free(values);
    free(nats);
}

/* Prints the attention of the query at a row, column and channel. */
static void attention(void) {
    uint32_t place = ((number(ROW) * info.width + number(COLUMN)) * info.channels + number(CHANNEL)) / span;
    uint32_t last = 0, count;
    while (order[last] != place) last++;
    uint8_t *values = encode(last + 1);
    uint32_t *keys = room(info.window * sizeof *keys);
    float *weights = NULL, *row = room(info.window * sizeof *row), nats[3];
    int32_t *elements = room((info.positions + 1) * sizeof *elements);
    uint32_t *place_of = room((info.positions + 1) * sizeof *place_of), all = 0;
    nx_session *session = start(1, 0, 1, 0);
    prefill(session, values, last, 0, NULL);
    prefill(session, values + last * info.position_elements, 1, 0, nats);
    /* The keys that at least one head sees. A head that sees fewer keys has weights of 0 at the other keys, as in
     * web/lib/engine/work.js. */
    uint8_t *seen = room(info.positions + 1);
    memset(seen, 0, info.positions + 1);
    for (int pass = 0; pass < 2; pass++) {
        uint32_t at = 0;
        if (pass) {
            all = 0;
            for (uint32_t k = 0; k <= info.positions; k++)
                if (seen[k]) elements[all] = k > 0 ? (int32_t)order[k - 1] : -1, place_of[k] = all++;
            weights = room((size_t)info.rows * all * sizeof *weights);
            memset(weights, 0, (size_t)info.rows * all * sizeof *weights);
        }
        for (uint32_t r = 0; r < info.rows; r++, at += all) {
            check(nx_session_map(model, session, 0, 0, r, keys, row, &count), "nx_session_map");
            for (uint32_t i = 0; i < count; i++) {
                if (pass) weights[at + place_of[keys[i]]] = row[i];
                else seen[keys[i]] = 1;
            }
        }
    }
    say("elements", "asked", elements, all * sizeof *elements);
    say("weights", "asked", weights, (size_t)info.rows * all * sizeof *weights);
    free(seen);
    free(place_of);
    free(row);
    free(session);
    free(values);
    free(keys);
    free(weights);
    free(elements);
}

/* ---- texts and sounds -------------------------------------------------------------------------------------------------- */

/* Returns whether the task is about audio. Audio is treated like text whose tokens are the levels 0..255 and an end token. */
static int is_sound(void) { return !strcmp(field[TASK], "sound") || !strcmp(field[TASK], "score-sound"); }

/* Returns the same arbitrary tokens or levels as idsOf() of inputs.js. */
static uint32_t *known_ids(const nx_part_info *part) {
    uint32_t *ids = room(number(KNOWN) * sizeof *ids), values = is_sound() ? 256 : part->values;
    for (uint32_t i = 0; i < number(KNOWN); i++) ids[i] = (7 * i * i + 3 * i + 1) % values;
    return ids;
}

/* Returns the index of the input `name` of a part, if the part has it. */
static uint32_t port_of(uint32_t part, const char *name) {
    nx_port port;
    for (uint32_t i = 0; nx_model_port(model, part, i, &port) == NX_OK; i++)
        if (!strcmp(port.name, name)) return i;
    return NX_NONE;
}

/* Sets the class or the speaker of a run, if the current line of the plan names one. */
static void give(nx_session *session, uint32_t part, const char *name, int which) {
    uint32_t id = number(which), port = port_of(part, name);
    if (strcmp(field[which], "-1") && port != NX_NONE) check(nx_session_input(model, session, port, &id, 1), "nx_session_input");
}

static nx_settings settings_of_line(void) {
    uint64_t seed = strtoull(field[SEED], NULL, 10);
    return (nx_settings){.seed_low = (uint32_t)seed,
                         .seed_high = (uint32_t)(seed >> 32),
                         .samples = 1,
                         .temperature = strtof(field[TEMPERATURE], NULL),
                         .top_k = number(TOP_K),
                         .top_p = strtof(field[TOP_P], NULL)};
}

static nx_session *start_text(void) {
    nx_settings settings = settings_of_line();
    settings.temperature_last = !is_sound();
    nx_shape shape = {.length = number(KNOWN) + number(DRAW)};
    nx_session *session;
    check(nx_session_size(model, 0, &settings, &shape, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, 0, &settings, &shape, &session), "nx_session_open");
    if (is_sound()) give(session, 0, "class", LABEL), give(session, 0, "speaker", SPEAKER);
    return session;
}

static int is_end(uint32_t id) {
    uint32_t end;
    for (uint32_t i = 0; nx_model_end(model, 0, i, &end) == NX_OK; i++)
        if (id == end) return 1;
    return 0;
}

/*
 * Prints the known tokens and then the drawn tokens; each call draws `each` tokens (0: all). The end token is not printed. The levels of
 * audio are printed as bytes.
 */
static void tell(const char *way, uint32_t each) {
    nx_part_info part;
    check(nx_model_part(model, 0, &part), "nx_model_part");
    uint32_t *known = known_ids(&part), *ids = room(number(DRAW) * sizeof *ids), told = 0, drawn = 1;
    float *nats = room(number(DRAW) * sizeof *nats);
    nx_session *session = start_text();
    for (uint32_t at = 0, n; at < number(KNOWN); at += n) {
        n = least(each ? each : number(KNOWN), number(KNOWN) - at);
        check(nx_session_put(model, session, known + at, n, 0, NULL), "nx_session_put");
    }
    for (uint32_t n; told < number(DRAW) && drawn; told += drawn) {
        n = least(each ? each : number(DRAW), number(DRAW) - told);
        check(nx_session_draw(model, session, n, ids + told, nats + told, &drawn), "nx_session_draw");
        if (drawn && is_end(ids[told + drawn - 1])) {
            told += drawn - 1;
            break;
        }
    }
    if (is_sound()) {
        uint8_t *levels = room(told);
        for (uint32_t i = 0; i < told; i++) levels[i] = (uint8_t)ids[i];
        say("levels", way, levels, told);
        free(levels);
    } else {
        say("tokens", way, ids, told * sizeof *ids);
    }
    say("nats", way, nats, told * sizeof *nats);
    free(session);
    free(known);
    free(ids);
    free(nats);
}

/* Prints the costs of the known tokens except the first one; for audio, the costs of all samples. */
static void score_text(void) {
    nx_part_info part;
    check(nx_model_part(model, 0, &part), "nx_model_part");
    uint32_t *known = known_ids(&part), count = number(KNOWN);
    float *nats = room(count * sizeof *nats);
    nx_session *session = start_text();
    check(nx_session_put(model, session, known, count, 0, nats), "nx_session_put");
    uint32_t first = is_sound() ? 0 : 1;
    say("nats", "at once", nats + first, (count - first) * sizeof *nats);
    free(session);
    free(known);
    free(nats);
}

/* Scores the ids of notes in the current line of the plan. Prints the nats of all ids except the first. */
static void score_music(void) {
    uint32_t count = 1, i = 0;
    for (const char *at = field[FEATURES]; *at; at++) count += *at == ' ';
    uint32_t *ids = room(count * sizeof *ids);
    float *nats = room(count * sizeof *nats);
    for (char *at = field[FEATURES]; i < count; i++) ids[i] = (uint32_t)strtoul(at, &at, 10);
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {.length = count};
    nx_session *session;
    check(nx_session_size(model, 0, &settings, &shape, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, 0, &settings, &shape, &session), "nx_session_open");
    check(nx_session_put(model, session, ids, count, 0, nats), "nx_session_put");
    say("nats", "at once", nats + 1, (count - 1) * sizeof *nats);
    free(session), free(ids), free(nats);
}

/* ---- tags ------------------------------------------------------------------------------------------------------------- */

/* Sets the inputs of a tagging run: the words' features, and the pinned tag if there is one. The features are `count` numbers separated by
 * spaces. */
static void give_words(nx_session *session, const nx_port *features, uint32_t words) {
    uint32_t count = words * features->dims[1], *ids = room(count * sizeof *ids), *pins = room(words * sizeof *pins);
    char *at = field[FEATURES];
    for (uint32_t i = 0; i < count; i++) ids[i] = (uint32_t)strtoul(at, &at, 10);
    check(nx_session_input(model, session, 0, ids, count), "nx_session_input");
    nx_port tags;
    check(nx_model_port(model, 0, 1, &tags), "nx_model_port");
    for (uint32_t i = 0; i < words; i++) pins[i] = tags.values - (i == number(PINNED) ? 2 : 1); /* pins the last tag, an arbitrary choice */
    if (strcmp(field[PINNED], "-1")) check(nx_session_input(model, session, 1, pins, words), "nx_session_input");
    free(ids);
    free(pins);
}

/* Prints all results. `each`: how many numbers each call reads (0: all). `moved`: whether the session moves to another block of memory
 * after every chunk. */
static void tag(const char *way, uint32_t each, int moved) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
    nx_shape shape = {0};
    nx_port features;
    nx_result result;
    nx_session *session;
    nx_status status;
    uint32_t spaces = 0;
    for (const char *at = field[FEATURES]; *at; at++) spaces += *at == ' ';
    check(nx_model_port(model, 0, 0, &features), "nx_model_port");
    shape.counts[0] = (spaces + 1) / features.dims[1];
    check(nx_session_size(model, 0, &settings, &shape, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, 0, &settings, &shape, &session), "nx_session_open");
    give_words(session, &features, shape.counts[0]);
    while ((status = nx_session_encode(model, session)) == NX_MORE)
        if (moved) session = move(session);
    check(status, "nx_session_encode");
    for (uint32_t i = 0; nx_model_result(model, 0, i, &result) == NX_OK; i++) {
        uint32_t count = 0;
        check(nx_session_result_count(model, session, i, &count), "nx_session_result_count");
        uint32_t *numbers = room(count * sizeof *numbers);
        for (uint32_t from = 0, n; from < count; from += n) {
            n = least(each ? each : count, count - from);
            check(nx_session_result(model, session, i, from, n, numbers + from), "nx_session_result");
        }
        say(result.name, way, numbers, count * sizeof *numbers);
        free(numbers);
    }
    free(session);
}

/* ---- pictures drawn in one pass --------------------------------------------------------------------------------------------- */

static float deviate(uint32_t id) { return ((float)id - 32768) / 8192; }

/* Prints the image, the latent, and the attention. */
static void make(const char *way, int moved) {
    uint64_t seed = strtoull(field[SEED], NULL, 10);
    nx_settings settings = {.seed_low = (uint32_t)seed, .seed_high = (uint32_t)(seed >> 32), .samples = 1, .temperature = 1, .top_p = 1, .maps = !moved};
    nx_session *session;
    nx_status status;
    nx_result image, latent;
    nx_map map;
    uint32_t label = number(LABEL), keys[4096], n;
    check(nx_session_size(model, 0, &settings, NULL, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, 0, &settings, NULL, &session), "nx_session_open");
    check(nx_session_input(model, session, 1, &label, 1), "nx_session_input");
    while ((status = nx_session_encode(model, session)) == NX_MORE)
        if (moved) session = move(session);
    check(status, "nx_session_encode");
    check(nx_model_result(model, 0, 0, &image), "nx_model_result");
    check(nx_model_result(model, 0, 1, &latent), "nx_model_result");
    uint32_t colours = image.dims[0] * image.dims[1] * image.dims[2], length = latent.dims[0];
    uint32_t *ids = room((colours > length ? colours : length) * sizeof *ids);
    uint8_t *values = room(colours);
    float *numbers = room(length * sizeof *numbers);
    check(nx_session_result(model, session, 0, 0, colours, ids), "nx_session_result");
    for (uint32_t i = 0; i < colours; i++) values[i] = (uint8_t)ids[i];
    say("values", way, values, colours);
    check(nx_session_result(model, session, 1, 0, length, ids), "nx_session_result");
    for (uint32_t i = 0; i < length; i++) numbers[i] = deviate(ids[i]);
    say("latent", way, numbers, length * sizeof *numbers);
    if (!moved && nx_model_map(model, 0, 0, &map) == NX_OK) {
        float *weights = room((size_t)map.queries * map.keys * sizeof *weights);
        for (uint32_t row = 0; row < map.queries; row++) check(nx_session_map(model, session, 0, 0, row, keys, weights + (size_t)row * map.keys, &n), "nx_session_map");
        say("weights", way, weights, (size_t)map.queries * map.keys * sizeof *weights);
        free(weights);
    } else if (!moved) {
        say("weights", way, ids, 0);
    }
    free(ids);
    free(values);
    free(numbers);
    free(session);
}

/* ---- signs ------------------------------------------------------------------------------------------------------------ */

#define LABELS 3

/* Sets the pictures of a classification run: synthetic characters, beginning with character `first`, as in tests/engines/plan.js. */
static void give_signs(nx_session *session, uint32_t index, uint32_t first, uint32_t count, uint32_t pixels) {
    uint32_t *ids = room(count * pixels * sizeof *ids);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < pixels; i++) {
            uint32_t mixed = (uint32_t)((uint64_t)(first + k + 1) * (i + 7) * 7919 % 65521);
            ids[k * pixels + i] = mixed % 5 ? 0 : mixed % 256;
        }
    check(nx_session_input(model, session, index, ids, count * pixels), "nx_session_input");
    free(ids);
}

/* Prints the cost of every label for each query, and the attention. `moved`: as for tag(). */
static void classify(const char *way, int moved) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .maps = 1};
    uint32_t examples = number(KNOWN), questions = number(DRAW), labels[64], found = 0;
    nx_shape shape = {.counts = {examples, examples, questions}};
    nx_port support;
    nx_result odds;
    nx_map map;
    nx_session *session;
    nx_status status;
    check(nx_model_port(model, 0, 0, &support), "nx_model_port");
    check(nx_model_result(model, 0, 0, &odds), "nx_model_result");
    check(nx_model_map(model, 0, 0, &map), "nx_model_map");
    check(nx_session_size(model, 0, &settings, &shape, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, 0, &settings, &shape, &session), "nx_session_open");
    for (uint32_t i = 0; i < examples; i++) labels[i] = i % LABELS;
    give_signs(session, 0, 0, examples, support.dims[1] * support.dims[2]);
    check(nx_session_input(model, session, 1, labels, examples), "nx_session_input");
    give_signs(session, 2, examples, questions, support.dims[1] * support.dims[2]);
    while ((status = nx_session_encode(model, session)) == NX_MORE)
        if (moved) session = move(session);
    check(status, "nx_session_encode");
    uint32_t ways = odds.dims[1], *keys = room(examples * sizeof *keys), count;
    float *all = room(questions * ways * sizeof *all), *nats = room(questions * LABELS * sizeof *nats);
    float *weights = room(questions * map.rows * examples * sizeof *weights);
    check(nx_session_result(model, session, 0, 0, questions * ways, all), "nx_session_result");
    for (uint32_t q = 0; q < questions; q++) {
        for (uint32_t i = 0; i < LABELS; i++) nats[q * LABELS + i] = 0 - all[q * ways + i];
        for (uint32_t row = 0; row < map.rows; row++, found += count)
            check(nx_session_map(model, session, 0, 0, row * questions + q, keys, weights + found, &count), "nx_session_map");
    }
    say("nats", way, nats, questions * LABELS * sizeof *nats);
    say("weights", way, weights, found * sizeof *weights);
    free(keys), free(all), free(nats), free(weights), free(session);
}

/* ---- audio that is drawn as codes ------------------------------------------------------------------------------------------------ */

enum { ENCODER, TOP, BOTTOM, DECODER };

static nx_session *start_part(uint32_t part, const nx_shape *shape) {
    nx_settings settings = settings_of_line();
    nx_session *session;
    check(nx_session_size(model, part, &settings, shape, &session_bytes), "nx_session_size");
    check(nx_session_open(room(session_bytes), session_bytes, model, part, &settings, shape, &session), "nx_session_open");
    return session;
}

static nx_session *encode_all(nx_session *session, int moved) {
    nx_status status;
    while ((status = nx_session_encode(model, session)) == NX_MORE)
        if (moved) session = move(session);
    check(status, "nx_session_encode");
    return session;
}

/* Returns all numbers of a result. */
static void *result_of(const nx_session *session, uint32_t index, uint32_t *count) {
    check(nx_session_result_count(model, session, index, count), "nx_session_result_count");
    uint32_t *numbers = room(*count * sizeof *numbers);
    check(nx_session_result(model, session, index, 0, *count, numbers), "nx_session_result");
    return numbers;
}

/* Encodes audio whose length is given in the current line of the plan. The levels of this audio are arbitrary. codes[0] receives the codes
 * of the top level, and codes[1] those of the bottom level. */
static void codes_of_sound(uint32_t *codes[2], uint32_t count[2], int moved) {
    uint32_t n = number(KNOWN), *levels = room(n * sizeof *levels);
    for (uint32_t i = 0; i < n; i++) levels[i] = (7 * i * i + 3 * i + 1) % 256;
    nx_session *session = start_part(ENCODER, &(nx_shape){.counts = {n}});
    check(nx_session_input(model, session, 0, levels, n), "nx_session_input");
    session = encode_all(session, moved);
    for (uint32_t i = 0; i < 2; i++) codes[i] = result_of(session, i, count + i);
    free(session), free(levels);
}

/* Prints the samples that the codes decode to. */
static void say_sound(const char *item, const char *way, const uint32_t *codes, uint32_t n, uint32_t upper, int moved) {
    uint32_t count;
    nx_session *session = start_part(DECODER, &(nx_shape){.counts = {n}});
    check(nx_session_input(model, session, 0, codes, n), "nx_session_input");
    check(nx_session_input(model, session, 1, &upper, 1), "nx_session_input");
    session = encode_all(session, moved);
    float *samples = result_of(session, 0, &count);
    say(item, way, samples, count * sizeof *samples);
    free(session), free(samples);
}

/* Encodes audio (codes_of_sound()) and decodes it. Prints the codes and the decoded samples. */
static void code(const char *way, int moved) {
    uint32_t *codes[2], count[2];
    codes_of_sound(codes, count, moved);
    say("top codes", way, codes[0], count[0] * sizeof **codes);
    say("bottom codes", way, codes[1], count[1] * sizeof **codes);
    say_sound("from the top", way, codes[0], count[0], 1, moved);
    say_sound("from the bottom", way, codes[1], count[1], 0, moved);
    free(codes[0]), free(codes[1]);
}

/* Draws codes after the first `known` codes, until there are `most` codes. Each call to the library handles at most `each` codes (0: all).
 * Prints the codes and their nats, which are 0 for known codes. Returns the number of codes. */
static uint32_t draw_codes(nx_session *session, const char *way, const char *const items[2], uint32_t *ids, uint32_t known, uint32_t most, uint32_t end, uint32_t each) {
    float *nats = room((most + 1) * sizeof *nats);
    uint32_t told = known, drawn = 1;
    memset(nats, 0, (most + 1) * sizeof *nats);
    for (uint32_t at = 0, n; at < known; at += n) {
        n = least(each ? each : known, known - at);
        check(nx_session_put(model, session, ids + at, n, 0, NULL), "nx_session_put");
    }
    for (; told < most && drawn; told += drawn) {
        check(nx_session_draw(model, session, least(each ? each : most, most - told), ids + told, nats + told, &drawn), "nx_session_draw");
        if (drawn && ids[told + drawn - 1] == end) {
            told += drawn - 1;
            break;
        }
    }
    say(items[0], way, ids, told * sizeof *ids);
    say(items[1], way, nats, told * sizeof *nats);
    free(nats);
    return told;
}

/* Draws codes of both levels. If the current line of the plan has audio, the first codes are those of the audio. Prints all codes and the
 * samples to which they decode. */
static void speak(const char *way, uint32_t each, int moved) {
    static const char *const items[2][2] = {{"top codes", "nats of the top"}, {"bottom codes", "nats of the bottom"}};
    uint32_t *given[2], count[2] = {0, 0}, end = NX_NONE, ratio = 1;
    nx_part_info top, bottom;
    check(nx_model_part(model, TOP, &top), "nx_model_part");
    check(nx_model_part(model, BOTTOM, &bottom), "nx_model_part");
    nx_model_end(model, TOP, 0, &end);
    ratio = bottom.length / (top.length - 1);
    if (number(KNOWN)) codes_of_sound(given, count, moved);
    uint32_t known = count[0] ? count[0] - 1 : 0, most = known + number(DRAW); /* the last code is not used, because it is incomplete */
    if (most > top.length - 1) most = top.length - 1;
    uint32_t *ids[2] = {room((most + 1) * sizeof(uint32_t)), room((most + 1) * ratio * sizeof(uint32_t))};
    if (known) memcpy(ids[0], given[0], known * sizeof(uint32_t)), memcpy(ids[1], given[1], known * ratio * sizeof(uint32_t));
    nx_session *session = start_part(TOP, &(nx_shape){.length = most});
    give(session, TOP, "class", LABEL), give(session, TOP, "speaker", SPEAKER);
    most = draw_codes(session, way, items[0], ids[0], known, most, end, each);
    free(session);
    nx_shape shape = {.length = most * ratio};
    shape.counts[port_of(BOTTOM, "top")] = most;
    session = start_part(BOTTOM, &shape);
    give(session, BOTTOM, "class", LABEL), give(session, BOTTOM, "speaker", SPEAKER);
    check(nx_session_input(model, session, port_of(BOTTOM, "top"), ids[0], most), "nx_session_input");
    session = encode_all(session, moved);
    draw_codes(session, way, items[1], ids[1], known * ratio, most * ratio, NX_NONE, each);
    free(session);
    say_sound("samples", way, ids[1], most * ratio, 0, moved);
    free(ids[0]), free(ids[1]);
    if (number(KNOWN)) free(given[0]), free(given[1]);
}

int main(void) {
    static char line[65536], path[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *at = line;
        for (int i = 0; i < FIELDS; i++) {
            if (!at) return fprintf(stderr, "native: too few fields in: %s\n", line), 1;
            field[i] = at;
            at = strchr(at, '\t');
            if (at) *at++ = 0;
        }
        if (at) return fprintf(stderr, "native: too many fields after: %s\n", field[WAYS]), 1;
        const char *task = field[TASK];
        if (!strcmp(task, "open"))
            open_model(), strcpy(path, field[PATH]);
        else if (strcmp(path, field[PATH]))
            fail("the model is not open", 0);
        else if (!strcmp(task, "tokens") || !strcmp(task, "sound"))
            tell("at once", 0), tell("token by token", 1), tell("by fives", 5);
        else if (!strcmp(task, "tag"))
            tag("at once", 0, 0), tag("moved between slices, read by fives", 5, 1);
        else if (!strcmp(task, "make"))
            make("at once", 0), make("moved between slices", 1);
        else if (!strcmp(task, "classify"))
            classify("at once", 0), classify("moved between slices", 1);
        else if (!strcmp(task, "code"))
            code("at once", 0), code("moved between slices", 1);
        else if (!strcmp(task, "speak") || !strcmp(task, "go-on"))
            speak("at once", 0, 0), speak("code by code", 1, 0), speak("by fives, moved between slices", 5, 1);
        else if (!strcmp(task, "score-text") || !strcmp(task, "score-sound"))
            score_text();
        else if (!strcmp(task, "score-music"))
            score_music();
        else if (!strcmp(task, "score"))
            score();
        else if (!strcmp(task, "attention"))
            attention();
        else if (!strcmp(task, "complete") || !strcmp(task, "generate") || !strcmp(task, "superResolve"))
            draw();
        else
            fail("an unknown task", 0);
    }
    return 0;
}
