/* SPDX-License-Identifier: MIT
 *
 * Tests sessions of picture models: settings, misuse, speculative decoding, saving, restoring, forking and damaged states. Also prints a
 * hash of results, which must be the same in every build.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "kernels/kernels.h"
#include "model.h"
#include "session/draft.h"
#include "session/session.h"
#include "sampling/categorical.h"
#include "reference.h"
#include "toy.h"

/* Offsets of the session's fields, in words of 4 bytes. */
#define WORD(field) ((int)(offsetof(struct nx_session, field) / 4))
enum {
    MAGIC, FINGERPRINT, PART, LENGTH, COUNTS, SEED_LOW = WORD(settings), SEED_HIGH, SAMPLES, FIRST_SAMPLE, ORIGIN, TEMPERATURE, TOP_K, TOP_P,
    TRACE, LOOK_AHEAD, TYPICAL_P, MIN_P, TEMPERATURE_LAST, PENALTY_LAST, REPETITION, FREQUENCY, PRESENCE, LOOK_UP, BIASES, HIDDEN, POSITION, COMPUTED, HAS_OUTPUT, FORKED, GIVEN, SLICES, ENCODED, PASS_COLUMNS, GROUP, SLICE, BROKEN, TRIED, HELD, BEGUN, LIVING, FOUND, BEST, WORDS
};
_Static_assert(WORD(shape) == LENGTH && WORD(position) == POSITION && WORD(broken) == BROKEN && sizeof(struct nx_session) == 4 * WORDS, "as in session.h");

static const toy_config *config(int i) {
    const toy_config *list;
    toy_configs(&list, NULL);
    return list + i;
}

static uint32_t n_configs(void) { return toy_configs(NULL, NULL); }

static picture_info info_of(const nx_model *model) {
    picture_info info;
    picture_info_of(model, &info);
    return info;
}

/* Returns random bytes, or random colours. */
static uint8_t *random_values(const picture_info *info, check_random *random) {
    uint8_t *values = memory_take(info->elements);
    for (uint32_t i = 0; i < info->elements; i++) values[i] = (uint8_t)(info->palette ? random_below(random, info->levels) : random_bits(random));
    return values;
}

/* Draws all remaining positions. Returns their number. `values` and `nats` have room for a whole run. */
static uint32_t finish(const nx_model *model, nx_session *session, uint32_t samples, uint8_t *values, float *nats) {
    picture_info info = info_of(model);
    uint32_t left = info.positions - nx_session_position(session);
    CHECK_INT(picture_step(model, session, left, values, nats), NX_OK);
    return left * samples * info.position_elements;
}

/* ---- settings and misuse ----------------------------------------------------------------------------------------------------- */

static void settings_ranges(void) {
    nx_model *model = toy_open(toy_build(config(1), NULL)); /* the model has three classes */
    if (!model) return;
    const picture_settings good = toy_settings(2, 1);
    picture_settings s = good;
    size_t bytes = 0;
#define STATUS(change, status) s = good, change, CHECK_INT(picture_size(model, &s, &bytes), status)
    STATUS((void)0, NX_OK);
    STATUS(s.samples = 0, NX_E_ARGUMENT);
    STATUS(s.samples = 1, NX_OK);
    STATUS(s.samples = NX_MAX_SAMPLES, NX_OK);
    STATUS(s.samples = NX_MAX_SAMPLES + 1, NX_E_ARGUMENT);
    STATUS(s.samples = UINT32_MAX, NX_E_ARGUMENT);
    STATUS(s.label = 2, NX_OK);
    STATUS(s.label = 3, NX_E_ARGUMENT);
    STATUS(s.label = -2, NX_E_ARGUMENT);
    STATUS(s.label = INT32_MIN, NX_E_ARGUMENT);
    STATUS(s.label = INT32_MAX, NX_E_ARGUMENT);
    STATUS(s.temperature = 0, NX_OK);
    STATUS(s.temperature = -0.0f, NX_OK);
    STATUS(s.temperature = 1e-45f, NX_OK);
    STATUS(s.temperature = 100, NX_OK);
    STATUS(s.temperature = 100.001f, NX_E_ARGUMENT);
    STATUS(s.temperature = -1e-45f, NX_E_ARGUMENT);
    STATUS(s.temperature = NAN, NX_E_ARGUMENT);
    STATUS(s.temperature = INFINITY, NX_E_ARGUMENT);
    STATUS(s.top_p = 1e-45f, NX_OK);
    STATUS(s.top_p = 0, NX_E_ARGUMENT);
    STATUS(s.top_p = 1.0001f, NX_E_ARGUMENT);
    STATUS(s.top_p = -1, NX_E_ARGUMENT);
    STATUS(s.top_p = NAN, NX_E_ARGUMENT);
    STATUS(s.top_k = UINT32_MAX, NX_OK);
    STATUS(s.maps = 1, NX_OK);
    STATUS(s.maps = 2, NX_E_ARGUMENT);
    STATUS(s.look_ahead = 1, NX_OK);
    STATUS(s.look_ahead = 16, NX_OK);
    STATUS(s.look_ahead = 17, NX_E_ARGUMENT);
    STATUS(s.look_ahead = UINT32_MAX, NX_E_ARGUMENT);
    STATUS(s.seed_high = s.seed_low = UINT32_MAX, NX_OK);
    STATUS(s.first_sample = UINT32_MAX, NX_E_ARGUMENT); /* the index of the last sample would not fit in 32 bits */
    STATUS(s.first_sample = UINT32_MAX - NX_MAX_SAMPLES, NX_OK);
#undef STATUS
    s = good;
    nx_session *session = NULL;
    CHECK_INT(picture_size(model, &s, &bytes), NX_OK);
    for (size_t size = 0; size < bytes; size += 1 + bytes / 50) {
        size_t mark = memory_mark();
        CHECK_INT(picture_open(memory_take(size), size, model, &s, &session), NX_E_MEMORY);
        memory_release(mark);
    }
    CHECK_INT(picture_open(memory_take(bytes - 1), bytes - 1, model, &s, &session), NX_E_MEMORY);
    s.samples = 0;
    CHECK_INT(picture_open(memory_take(bytes), bytes, model, &s, &session), NX_E_ARGUMENT);
    CHECK(session == NULL);
    CHECK_INT(nx_abi_version(), NX_ABI_VERSION);
}

static void misuse(void) {
    nx_model *model = toy_open(toy_build(config(0), NULL)); /* six elements */
    if (!model) return;
    picture_settings settings = toy_settings(2, 1);
    nx_session *session = toy_session(model, &settings, NULL);
    uint8_t values[12];
    float nats[12], logits[2];
    float weights[6];
    uint32_t keys[6], count = 77;
    memset(values, 0x55, sizeof values);
    CHECK_INT(nx_session_output(model, session, 0, logits), NX_E_ARGUMENT); /* no position is computed yet */
    CHECK_INT(picture_attention(model, session, 0, weights, keys, &count), NX_E_ARGUMENT);
    CHECK_INT(picture_prefill(model, session, values, 7, nats), NX_E_ARGUMENT);
    CHECK_INT(picture_step(model, session, 7, values, nats), NX_E_ARGUMENT);
    CHECK_INT(picture_step(model, session, UINT32_MAX, values, nats), NX_E_ARGUMENT);
    CHECK_INT(picture_prefill(model, session, values, UINT32_MAX, nats), NX_E_ARGUMENT);
    CHECK_INT(nx_session_position(session), 0);
    CHECK_INT(picture_step(model, session, 0, NULL, NULL), NX_OK);
    CHECK_INT(picture_prefill(model, session, NULL, 0, NULL), NX_OK); /* a call with zero steps does nothing */
    CHECK_INT(picture_prefill(model, session, values, 2, NULL), NX_OK);
    CHECK_INT(nx_session_output(model, session, 0, logits), NX_E_ARGUMENT); /* the position is computed, but without the output layer */
    CHECK_INT(picture_prefill(model, session, values, 1, nats), NX_OK);
    CHECK_INT(nx_session_output(model, session, 0, logits), NX_OK);
    CHECK_INT(nx_session_output(model, session, 1, logits), NX_OK);
    CHECK_INT(nx_session_output(model, session, 2, logits), NX_E_ARGUMENT);
    CHECK_INT(picture_attention(model, session, 0, weights, keys, &count), NX_E_ARGUMENT); /* this run has no maps */
    CHECK(count == 77);
    CHECK_INT(picture_step(model, session, 4, values, nats), NX_E_ARGUMENT); /* only three positions remain, so nothing is drawn */
    CHECK_INT(nx_session_position(session), 3);
    for (int i = 0; i < 12; i++) CHECK_INT(values[i], 0x55);
    CHECK_INT(picture_step(model, session, 1, values, NULL), NX_OK);
    CHECK_INT(picture_prefill(model, session, values, 1, NULL), NX_OK); /* after a drawn step, both samples get the same known values */
    CHECK_INT(picture_prefill(model, session, values, 0, NULL), NX_OK);
    CHECK_INT(picture_step(model, session, 1, values, nats), NX_OK);
    CHECK_INT(nx_session_position(session), 6);
    CHECK_INT(picture_step(model, session, 1, values, nats), NX_E_ARGUMENT);
    CHECK_INT(picture_step(model, session, 0, values, nats), NX_OK);
    CHECK_INT(nx_session_output(model, session, 1, logits), NX_OK);
    CHECK_INT(nx_session_output(model, session, UINT32_MAX, logits), NX_E_ARGUMENT);
}

/* The small image must be given only once, in one call, and before any position. */
static void conditioning(void) {
    check_random random = {5};
    for (int i = TOY_SR_DMOL; i <= TOY_SR_Q8_0; i += i == TOY_SR_DMOL ? 1 : 2) {
        nx_model *model = toy_open(toy_build(config(i), NULL));
        picture_settings settings = toy_settings(2, 1);
        picture_info info = info_of(model);
        uint8_t *input, *known = random_values(&info, &random), *values = memory_take(2 * info.elements), *expected = memory_take(2 * info.elements);
        float *nats = memory_take(2 * info.elements * sizeof *nats), *output = memory_take(info.outputs * sizeof *output);
        uint32_t count = toy_input(&info, &input), wrong[] = {0, 1, count - 1, count + 1, count / info.channels, UINT32_MAX}, n = info.positions;
        CHECK(info.input_height == config(i)->input_height && count == info.input_height * info.input_width * info.channels);
        CHECK_INT(picture_step(model, toy_session(model, &settings, NULL), n, expected, NULL), NX_OK);
        size_t bytes;
        nx_session *session = toy_bare_session(model, &settings, &bytes);
        memset(values, 0x55, 2 * info.elements);
        check_at("configuration %lld", i, 0, 0, 0);
        CHECK_INT(nx_session_check(model, session, bytes), NX_OK); /* a run that has not received its image can be saved too */
        CHECK_INT(picture_step(model, session, 1, values, nats), NX_E_ARGUMENT);
        CHECK_INT(picture_prefill(model, session, known, 1, nats), NX_E_ARGUMENT);
        CHECK_INT(nx_session_output(model, session, 0, output), NX_E_ARGUMENT);
        for (int w = 0; w < 6; w++) CHECK_INT(picture_condition(model, session, input, wrong[w]), NX_E_ARGUMENT);
        CHECK_INT(nx_session_position(session), 0);
        for (uint32_t v = 0; v < 2 * info.elements; v++) CHECK_INT(values[v], 0x55);
        uint8_t *exact = memory_copy(input, count);
        CHECK_INT(picture_condition(model, session, exact, count), NX_OK);
        memset(exact, 0, count); /* the caller may reuse the buffer */
        CHECK_INT(picture_condition(model, session, input, count), NX_E_ARGUMENT); /* an image is given only once */
        CHECK_INT(picture_step(model, session, n, values, nats), NX_OK);
        CHECK_BYTES(values, expected, 2 * info.elements);
        CHECK_INT(picture_condition(model, session, input, count), NX_E_ARGUMENT);
        /* after the first position, an input is refused even if the state says that none was given */
        session = toy_session(model, &settings, NULL);
        CHECK_INT(picture_prefill(model, session, known, 1, NULL), NX_OK);
        uint32_t zero[3] = {0};
        memcpy((uint8_t *)session + 4 * GIVEN, zero, sizeof zero);
        CHECK_INT(picture_condition(model, session, input, count), NX_E_ARGUMENT);
    }
    picture_settings settings = toy_settings(1, 1);
    nx_model *plain = toy_open(toy_build(config(0), NULL)); /* this model takes no image */
    uint8_t image[6] = {0};
    CHECK_INT(picture_condition(plain, toy_session(plain, &settings, NULL), image, 6), NX_E_ARGUMENT);
    CHECK_INT(picture_condition(plain, toy_session(plain, &settings, NULL), image, 0), NX_E_ARGUMENT);
}

/* Indices beyond the palette are refused before any of the values is read. Valid indices are returned unchanged. */
static void palette(void) {
    for (int i = TOY_PALETTE; i <= TOY_SR_PALETTE; i += TOY_SR_PALETTE - TOY_PALETTE) {
        toy *m = toy_build(config(i), NULL);
        nx_model *model = toy_open(m);
        picture_settings settings = toy_settings(1, 1);
        picture_info info = info_of(model);
        const toy_tensor *colours = toy_find(m, "palette.weight");
        uint8_t *rgb = memory_take(info.levels * 3), *values = memory_take(info.elements);
        check_at("configuration %lld", i, 0, 0, 0);
        CHECK(info.palette == 1 && info.position_elements == 1 && info.elements == info.height * info.width && info.levels == config(i)->levels);
        CHECK_INT(picture_palette(model, rgb), NX_OK);
        for (uint32_t v = 0; v < info.levels * 3; v++) CHECK_INT(rgb[v], colours->values[v]);
        nx_session *session = toy_session(model, &settings, NULL);
        for (uint32_t v = 0; v < info.elements; v++) values[v] = (uint8_t)(v % info.levels);
        for (uint32_t past = info.levels; past < 256; past++) {
            uint32_t at = past % info.elements;
            uint8_t kept = values[at];
            values[at] = (uint8_t)past;
            CHECK_INT(picture_prefill(model, session, values, info.elements, NULL), NX_E_ARGUMENT);
            CHECK_INT(nx_session_position(session), 0);
            values[at] = kept;
        }
        CHECK_INT(picture_prefill(model, session, values, info.elements, NULL), NX_OK);
    }
    uint8_t rgb[48];
    CHECK_INT(picture_palette(toy_open(toy_build(config(1), NULL)), rgb), NX_E_ARGUMENT);
    /* colours are rounded and clamped to a byte */
    static const float numbers[][2] = {{-3, 0}, {0.4f, 0}, {0.5f, 1}, {254.4f, 254}, {254.6f, 255}, {300, 255}, {1e30f, 255}, {-1e30f, 0}};
    for (int i = 0; i < 8; i++) {
        toy *m = toy_build(config(TOY_PALETTE), &(toy_twist){.poisoned = "palette.weight", .poison = numbers[i][0]});
        CHECK_INT(picture_palette(toy_open(m), rgb), NX_OK);
        check_at("number %lld", i, 0, 0, 0);
        CHECK_INT(rgb[35], numbers[i][1]);
    }
}

/* Makes the embedding of one value infinite. After this value is drawn, the results for the next element are not finite. */
static void broken_numbers(void) {
    toy_config c = *config(1);
    c.classes = 0;
    toy *good = toy_build(&c, NULL), *bad = toy_build(&c, &(toy_twist){.poisoned = "token_embd.weight", .poison = 3e38f});
    nx_model *model = toy_open(good), *broken = toy_open(bad);
    if (!model || !broken) return;
    picture_settings settings = toy_settings(1, 6);
    uint8_t values[35], drawn[35], last = 255;
    float nats[35], broken_nats[35], logits[16];
    uint32_t at = 35;
    for (; at >= 34 || at < 3; settings.seed_low++) { /* searches for a seed with which that value is first drawn near the middle */
        CHECK_INT(picture_step(model, toy_session(model, &settings, NULL), 35, values, nats), NX_OK);
        for (at = 0; at < 34 && values[at] != last;) at++;
        if (!CHECK(settings.seed_low < 1000)) return;
    }
    settings.seed_low--;
    nx_session *session = toy_session(broken, &settings, NULL);
    CHECK_INT(picture_step(broken, session, 35, drawn, broken_nats), NX_E_NUMERIC);
    CHECK_INT(nx_session_position(session), at + 1); /* the run stops at the position of the failed element */
    CHECK_BYTES(drawn, values, at + 1);
    CHECK_FLOATS(broken_nats, nats, at + 1);
    CHECK_INT(picture_step(broken, session, 1, drawn, NULL), NX_E_NUMERIC);
    CHECK_INT(nx_session_position(session), at + 1);
    CHECK_INT(nx_session_output(broken, session, 0, logits), NX_OK); /* the last output can still be read */
    CHECK(!isfinite(logits[0]));

    session = toy_session(broken, &settings, NULL);
    CHECK_INT(picture_prefill(broken, session, values, at + 1, broken_nats), NX_OK);
    CHECK_FLOATS(broken_nats, nats, at + 1);
    CHECK_INT(picture_prefill(broken, session, values + at + 1, 1, broken_nats), NX_E_NUMERIC);
    CHECK_INT(nx_session_position(session), at + 1);
    session = toy_session(broken, &settings, NULL);
    CHECK_INT(picture_prefill(broken, session, values, 35, broken_nats), NX_E_NUMERIC);
}

/* ---- look-ahead -------------------------------------------------------------------------------------------------------------- */

/* Writes configuration number i to *c. Each of these configurations has a draft. The first configurations are those of toy.c that have a
 * draft. The next configurations are other kinds of models, to which this function adds a draft. Returns 0 after the last configuration. */
static int drafted(int i, toy_config *c) {
    static const int others[] = {TOY_DMOL_GREY, TOY_BERNOULLI, TOY_LOGISTIC, TOY_SR_PALETTE};
    if (i >= 8) return 0;
    *c = *config(i < 4 ? TOY_DRAFT + i : others[i - 4]);
    if (i < 4) return 1;
    c->neighbours = 3, c->hidden = 8, c->rank = 3, c->peak = 3;
    if (c->pattern == NX_LOCAL_2D) c->pattern = NX_FULL_CAUSAL;
    return 1;
}

/* Statistics of the drafted values of many passes. */
typedef struct {
    int passes, right, wrong, unsure;
    int far;              /* number of passes with at least three correct drafts */
    int at_block, at_end; /* numbers of passes that were correct up to the end of a query block or to the last step */
    int last;             /* number of wrong drafts that predicted the highest level and for which a column was computed */
    uint32_t longest;     /* largest number of positions that one pass kept */
} tally;

static uint8_t level_of(const picture_info *info, uint8_t value) { return info->palette ? value : toy_level(value, info->levels); }

/* Applies the rule of speculative decoding to `steps` positions, beginning with `from`. Sets ahead[i] to the expected index of position i
 * in its pass. `values` holds the n values of the whole image. */
static void foresee(const nx_model *model, const picture_settings *s, const uint8_t *values, uint32_t from, uint32_t steps, uint8_t *ahead, tally *t) {
    picture_info info = info_of(model);
    size_t mark = memory_mark();
    uint32_t V = info.levels, stride = nx_stride(V), end = from + steps, block = info.query_block ? info.query_block : info.positions;
    uint32_t *levels = memory_take(info.positions * sizeof *levels), *guessed = memory_take(info.positions * sizeof *guessed);
    float *logits = memory_take(stride * sizeof *logits), *noisy = memory_take(3 * stride * sizeof *noisy);
    void *scratch = memory_take(nx_draft_scratch_bytes(model->plan[0].draft));
    nx_settings filter = FILTER(s->temperature, s->top_k, s->top_p, 0, 0, 0);
    for (uint32_t i = 0; i < info.positions; i++) levels[i] = level_of(&info, values[i]);
    for (uint32_t at = from, kept; at < end; at += kept) {
        uint32_t columns = 1, most = s->look_ahead > 1 ? s->look_ahead : 1, block_left = block - at % block;
        if (most > end - at) most = end - at;
        if (most > block_left) most = block_left;
        memcpy(guessed, levels, info.positions * sizeof *levels);
        for (; columns < most; columns++) {
            uint32_t p = at + columns - 1;
            nx_draft_logits(model->plan[0].draft, guessed, p, logits, scratch);
            guessed[p] = nx_categorical_sample(logits, V, &filter, (nx_noise){s->seed_low, s->seed_high, s->first_sample, p, 0}, noisy);
            if (!(nx_categorical_margin(s->temperature > 0 ? noisy : logits, V, guessed[p]) >= NX_SURE)) break;
        }
        ahead[at] = 0;
        for (kept = 1; kept < columns && guessed[at + kept - 1] == levels[at + kept - 1]; kept++) ahead[at + kept] = (uint8_t)kept;
        t->passes++;
        t->right += (int)kept - 1;
        t->far += kept > 3;
        t->wrong += kept < columns;
        t->last += kept < columns && guessed[at + kept - 1] == V - 1;
        t->unsure += columns < most;
        t->at_block += kept > 1 && kept == block_left && kept < s->look_ahead;
        t->at_end += kept > 1 && at + kept == end;
        if (kept > t->longest) t->longest = kept;
    }
    memory_release(mark);
}

/* The results of a run that was given known values, and then drew `slice` positions in each call. */
typedef struct {
    uint8_t *values, *ahead; /* shape (n) */
    float *nats, *output;    /* shapes (n), (P) */
} drawn;

static drawn draw_image(const nx_model *model, const picture_settings *s, const uint8_t *known, uint32_t n_known, uint32_t slice, int silent) {
    picture_info info = info_of(model);
    uint32_t n = info.positions;
    drawn d = {memory_take(n), memory_take(n), memory_take(n * sizeof(float)), memory_take(info.outputs * sizeof(float))};
    nx_session *session = toy_session(model, s, NULL);
    CHECK_INT(picture_prefill(model, session, known, n_known, d.nats), NX_OK);
    if (n_known) memcpy(d.values, known, n_known);
    for (uint32_t at = n_known, steps; at < n; at += steps) {
        steps = slice < n - at ? slice : n - at;
        CHECK_INT(picture_step(model, session, steps, d.values + at, silent ? NULL : d.nats + at), NX_OK);
        CHECK_INT(nx_session_position(session), at + steps);
    }
    CHECK_INT(nx_session_output(model, session, 0, d.output), NX_OK);
    CHECK_INT(nx_session_ahead(model, session, 0, n, d.ahead), NX_OK);
    return d;
}

/* Checks the invariants of nx_session_ahead, which hold for any draft. */
static void check_ahead(const picture_info *info, const uint8_t *ahead, uint32_t look_ahead, uint32_t n_known, uint32_t slice) {
    for (uint32_t i = 0; i < info->positions; i++) {
        if (i < n_known || (i - n_known) % slice == 0 || (info->query_block && i % info->query_block == 0)) CHECK_INT(ahead[i], 0);
        CHECK(ahead[i] == 0 || (i && ahead[i] == ahead[i - 1] + 1 && ahead[i] < look_ahead));
    }
}

/* Speculative decoding gives the same values, nats and last output as drawing position by position, and computes as far ahead as the draft
 * allows. */
static void look_ahead_is_exact(void) {
    static const nx_settings filters[] = {FILTER(1, 0, 1, 0, 0, 0), FILTER(0, 0, 1, 0, 0, 0), FILTER(0.7f, 0, 1, 0, 0, 0), FILTER(1.5f, 4, 1, 0, 0, 0), FILTER(1, 0, 0.8f, 0, 0, 0), FILTER(0.7f, 5, 0.9f, 0, 0, 0)};
    static const uint32_t looks[] = {0, 1, 2, 3, 8, 16}, slices[] = {1, 2, 5, 1000};
    check_random random = {6};
    tally all = {0};
    toy_config c;
    for (int i = 0; drafted(i, &c); i++) {
        size_t outer = memory_mark();
        nx_model *model = toy_open(toy_build(&c, NULL));
        if (!model) return;
        picture_info info = info_of(model);
        uint32_t n = info.positions, run = 0;
        const uint8_t *known = random_values(&info, &random);
        tally t = {0};
        for (int f = 0; f < 6; f += i < 4 ? 1 : 2)
            for (uint32_t seed = 0; seed < (i < 4 ? 4 : 2); seed++) {
                size_t mark = memory_mark();
                picture_settings settings = toy_settings(1, seed);
                uint32_t n_known = seed % 2 ? 0 : 1 + random_below(&random, n / 2);
                settings.seed_high = seed / 2;
                settings.first_sample = 40 * (seed / 2);
                settings.label = (int32_t)(seed % (c.classes + 1)) - 1;
                settings.temperature = filters[f].temperature, settings.top_k = filters[f].top_k, settings.top_p = filters[f].top_p;
                drawn plain = draw_image(model, &settings, known, n_known, n, 0);
                for (int l = 0; l < 6; l++, run++) {
                    uint32_t slice = slices[l > 3 && seed < 2 ? 3 : (run + run / 6) % 4];
                    int silent = run % 5 == 0;
                    uint8_t *expected = memory_take(n);
                    settings.look_ahead = looks[l];
                    drawn d = draw_image(model, &settings, known, n_known, slice, silent);
                    check_at("configuration %lld, filter %lld, look-ahead %lld, slices of %lld", i, f, looks[l], slice);
                    CHECK_BYTES(d.values, plain.values, n);
                    if (!silent) CHECK_FLOATS(d.nats, plain.nats, n);
                    CHECK_FLOATS(d.output, plain.output, info.outputs);
                    check_ahead(&info, d.ahead, looks[l], n_known, slice);
                    memset(expected, 0, n);
                    for (uint32_t at = n_known; at < n; at += slice)
                        foresee(model, &settings, plain.values, at, slice < n - at ? slice : n - at, expected, &t);
                    CHECK_BYTES(d.ahead, expected, n);
                }
                memory_release(mark);
            }
        check_note("  configuration %d: %d passes, %d right, %d wrong, %d unsure, %d far, %d at blocks, %d at ends, longest %u", i, t.passes, t.right, t.wrong,
                   t.unsure, t.far, t.at_block, t.at_end, (unsigned)t.longest);
        /* makes sure that every kind of case has occurred often enough */
        if (i < 4) CHECK(t.right > 100 && t.wrong > 30 && t.unsure > 30 && t.far > 15 && t.at_end > 10);
        all.at_block += t.at_block;
        if (t.longest > all.longest) all.longest = t.longest;
        memory_release(outer);
    }
    CHECK(all.at_block > 20 && all.longest > 10);
}

/* If the draft equals the model, every drafted value is correct, and each pass yields the maximum number of positions. */
static void draft_that_knows(void) {
    toy_config c = *config(TOY_DRAFT);
    c.sharpness = 1e-30f; /* the output weights are negligible next to the bias */
    toy *m = toy_build(&c, NULL);
    float *model_bias = toy_inside(m, "output.bias"), *draft_bias = toy_inside(m, "draft.output.bias");
    for (uint32_t v = 0; v < c.levels; v++) model_bias[v] = draft_bias[v] = (float)(8 * (v * 7 % c.levels));
    memset(toy_inside(m, "draft.output.weight"), 0, c.levels * c.hidden * sizeof(float));
    nx_model *model = toy_open(m);
    picture_info info = info_of(model);
    for (uint32_t look_ahead = 2; look_ahead <= 16; look_ahead++) {
        picture_settings settings = toy_settings(1, 3);
        tally t = {0};
        uint8_t expected[42];
        settings.temperature = look_ahead % 2 ? 1 : 0;
        drawn plain = draw_image(model, &settings, NULL, 0, 42, 0);
        settings.look_ahead = look_ahead;
        drawn d = draw_image(model, &settings, NULL, 0, 42, 0);
        foresee(model, &settings, plain.values, 0, 42, expected, &t);
        check_at("look-ahead %lld", look_ahead, 0, 0, 0);
        CHECK_BYTES(d.values, plain.values, 42);
        CHECK_FLOATS(d.nats, plain.nats, 42);
        CHECK_BYTES(d.ahead, expected, 42);
        check_ahead(&info, d.ahead, look_ahead, 0, 42);
        CHECK(t.wrong == 0 && t.longest == look_ahead);
    }
}

/* With several samples, with maps, or without a draft in the file, the setting look_ahead has no effect. */
static void look_ahead_where_there_is_none(void) {
    check_random random = {7};
    for (uint32_t i = 0; i < n_configs(); i++)
        for (int run = 0; run < 3; run++) {
            size_t mark = memory_mark(), bytes, plain_bytes;
            nx_model *model = toy_open(toy_build(config((int)i), NULL));
            if (!model) return;
            picture_info info = info_of(model);
            uint32_t samples = run == 1 ? 3 : 1, n = info.positions, first = n / 4, room = samples * info.elements;
            if (!run && info.draft) continue;
            const uint8_t *known = random_values(&info, &random);
            uint8_t *values = memory_take(room), *expected = memory_take(room), *ahead = memory_take(n);
            float *nats = memory_take(room * sizeof *nats), *expected_nats = memory_take(room * sizeof *nats);
            picture_settings settings = toy_settings(samples, 8);
            settings.maps = run == 2;
            nx_session *plain = toy_session(model, &settings, &plain_bytes);
            settings.look_ahead = 16;
            nx_session *session = toy_session(model, &settings, &bytes);
            CHECK_INT(picture_prefill(model, plain, known, first, NULL), NX_OK);
            CHECK_INT(picture_prefill(model, session, known, first, NULL), NX_OK);
            CHECK_INT(picture_step(model, plain, n - first, expected, expected_nats), NX_OK);
            CHECK_INT(picture_step(model, session, n - first, values, nats), NX_OK);
            CHECK_INT(nx_session_ahead(model, session, 0, n, ahead), NX_OK);
            check_at("configuration %lld, %lld samples, run %lld", i, samples, run, 0);
            room = samples * (n - first) * info.position_elements;
            CHECK_BYTES(values, expected, room);
            CHECK_FLOATS(nats, expected_nats, room);
            for (uint32_t p = 0; p < n; p++) CHECK_INT(ahead[p], 0);
            if (!CHECK(bytes == plain_bytes)) return;
            memset((uint8_t *)session + 4 * LOOK_AHEAD, 0, 4);
            CHECK_BYTES(session, plain, bytes); /* the sessions are equal to the last byte */
            memory_release(mark);
        }
}

static void ahead_of_what(void) {
    nx_model *model = toy_open(toy_build(config(TOY_DRAFT), NULL));
    picture_settings settings = toy_settings(1, 1);
    settings.look_ahead = 8;
    nx_session *session = toy_session(model, &settings, NULL);
    uint8_t ahead[42], values[42], same[42];
    memset(ahead, 0x55, 42);
    memset(same, 0x55, 42);
    memset(values, 0, 42);
    CHECK_INT(nx_session_ahead(model, session, 0, 0, ahead), NX_OK);
    CHECK_INT(nx_session_ahead(model, session, 0, 1, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 1, 0, ahead), NX_E_ARGUMENT);
    CHECK_INT(picture_prefill(model, session, values, 5, NULL), NX_OK);
    CHECK_INT(picture_step(model, session, 7, values, NULL), NX_OK);
    CHECK_INT(nx_session_ahead(model, session, 0, 13, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 12, 1, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 13, 0, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, UINT32_MAX, 0, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, UINT32_MAX, 1, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 1, UINT32_MAX, ahead), NX_E_ARGUMENT);
    CHECK_INT(nx_session_ahead(model, session, 12, 0, ahead), NX_OK);
    CHECK_BYTES(ahead, same, 42);
    CHECK_INT(nx_session_ahead(model, session, 3, 9, ahead), NX_OK);
    CHECK(ahead[0] == 0 && ahead[1] == 0 && ahead[2] == 0 && ahead[9] == 0x55);
    CHECK_INT(nx_session_ahead(model, session, 0, 12, same), NX_OK);
    CHECK_BYTES(same + 3, ahead, 9);
}

/* A run is saved in the middle and restored into a run that may draft more positions, fewer, or none. */
static void look_ahead_restored(void) {
    check_random random = {8};
    toy_config c;
    for (int i = 0; drafted(i, &c); i++) {
        size_t outer = memory_mark();
        toy *m = toy_build(&c, NULL);
        nx_model *model = toy_open(m), *again = toy_open(m);
        if (!model || !again) return;
        picture_info info = info_of(model);
        uint32_t n = info.positions;
        const uint8_t *known = random_values(&info, &random);
        for (uint32_t point = 0; point <= n; point += 1 + n / 11) {
            size_t mark = memory_mark(), bytes;
            picture_settings settings = toy_settings(1, 4);
            uint32_t n_known = point % 2 ? point / 2 : 0;
            drawn plain = draw_image(model, &settings, known, n_known, n, 0);
            settings.look_ahead = 8;
            nx_session *session = toy_session(model, &settings, &bytes);
            uint8_t *values = memory_take(n);
            float *nats = memory_take(n * sizeof *nats), *output = memory_take(info.outputs * sizeof *output);
            CHECK_INT(picture_prefill(model, session, known, n_known, nats), NX_OK);
            CHECK_INT(picture_step(model, session, point - n_known, values + n_known, nats + n_known), NX_OK);
            uint8_t *saved = memory_copy(session, bytes);
            for (uint32_t other = 0; other < 3; other++) {
                uint32_t look_ahead = other * 8;
                nx_session *fork = memory_copy(saved, bytes);
                memcpy((uint8_t *)fork + 4 * LOOK_AHEAD, &look_ahead, 4);
                check_at("configuration %lld, position %lld, look-ahead %lld", i, point, look_ahead, 0);
                CHECK_INT(nx_session_check(again, fork, bytes), NX_OK);
                memset(values + point, 0x55, n - point);
                finish(again, fork, 1, values + point, nats + point);
                CHECK_BYTES(values + n_known, plain.values + n_known, n - n_known);
                CHECK_FLOATS(nats, plain.nats, n);
                CHECK_INT(nx_session_output(again, fork, 0, output), NX_OK);
                CHECK_FLOATS(output, plain.output, info.outputs);
                if (look_ahead != settings.look_ahead) continue;
                finish(model, session, 1, values + point, nats + point); /* the saved run continues */
                CHECK_BYTES(session, fork, bytes);
            }
            memory_release(mark);
        }
        memory_release(outer);
    }
}

/* Makes a model, and a copy in which the embedding of the highest level is infinite. In the copy, results become non-finite once this level
 * is drawn or drafted. `bias` is the bias of that level in the model's output, and `draft_bias` is its bias in the draft's output. */
static void breaks_after_last(const toy_config *c, float bias, float draft_bias, nx_model **good, nx_model **broken) {
    for (int b = 0; b < 2; b++) {
        toy *m = toy_build(c, NULL);
        toy_inside(m, "output.bias")[c->levels - 1] = bias;
        toy_inside(m, "draft.output.bias")[c->levels - 1] = draft_bias;
        if (b) toy_inside(m, "token_embd.weight")[c->levels * c->d - 1] = 3e38f;
        *(b ? broken : good) = toy_open(m);
    }
}

/* A run with speculative decoding fails at the same position as a run that draws position by position, whether or not the failing column
 * was computed ahead. */
static void broken_ahead(void) {
    static const int which[] = {TOY_DRAFT, TOY_DRAFT_LOCAL, TOY_DRAFT_PALETTE};
    static const float bias[] = {5, 4, 3};
    for (int i = 0; i < 3; i++) {
        toy_config c = *config(which[i]);
        nx_model *good, *broken;
        int inside = 0, alone = 0;
        c.tables = NX_F32, c.peak = 2;
        breaks_after_last(&c, bias[i], bias[i], &good, &broken);
        if (!good || !broken) return;
        picture_info info = info_of(good);
        uint32_t n = info.positions;
        for (uint32_t seed = 0; seed < 40; seed++) {
            size_t mark = memory_mark(), bytes;
            picture_settings settings = toy_settings(1, seed);
            drawn plain = draw_image(good, &settings, NULL, 0, n, 0);
            uint32_t at = 0;
            while (at < n && plain.values[at] != (c.palette ? c.levels - 1 : 255)) at++;
            if (at + 1 < n) {
                uint8_t *expected = memory_take(n), *values = memory_take(n), *ahead = memory_take(n);
                float *nats = memory_take(n * sizeof *nats), *output = memory_take(info.outputs * sizeof *output);
                tally t = {0};
                settings.look_ahead = 8;
                foresee(good, &settings, plain.values, 0, n, expected, &t);
                *(expected[at + 1] ? &inside : &alone) += 1;
                nx_session *session = toy_session(broken, &settings, &bytes);
                check_at("configuration %lld, seed %lld, position %lld, %lld ahead", which[i], seed, at, expected[at + 1]);
                CHECK_INT(picture_step(broken, session, n, values, nats), NX_E_NUMERIC);
                CHECK_INT(nx_session_position(session), at + 1); /* the run stops at the position of the failed element */
                CHECK_BYTES(values, plain.values, at + 1);
                CHECK_FLOATS(nats, plain.nats, at + 1);
                CHECK_INT(nx_session_ahead(broken, session, 0, at + 1, ahead), NX_OK);
                CHECK_BYTES(ahead, expected, at + 1);
                CHECK_INT(nx_session_output(broken, session, 0, output), NX_OK); /* the last output can still be read */
                CHECK(!isfinite(output[0]));
                CHECK_INT(nx_session_check(broken, session, bytes), NX_OK);
                CHECK_INT(picture_step(broken, session, 1, values, nats), NX_E_NUMERIC);
                CHECK_INT(picture_step(broken, session, n - at - 1, values, nats), NX_E_NUMERIC);
                CHECK_INT(nx_session_position(session), at + 1);
            }
            memory_release(mark);
        }
        check_note("  configuration %d: %d break ahead, %d do not", which[i], inside, alone);
        CHECK(inside > 2 && alone > 2); /* ensures that both cases occurred */
    }
}

/* If a drafted value is wrong, the results of the later columns are discarded. A failure in one of these columns must have no effect. */
static void broken_guesses(void) {
    static const int which[] = {TOY_DRAFT, TOY_DRAFT_LOCAL, TOY_DRAFT_PALETTE};
    static const float at_times[] = {5.5f, 3, 0};
    for (int i = 0; i < 3; i++)
        for (int stubborn = 0; stubborn < 2; stubborn++) { /* whether the draft predicts the failing value sometimes or always */
            toy_config c = *config(which[i]);
            nx_model *good, *broken;
            tally t = {0};
            c.tables = NX_F32, c.peak = 2;
            breaks_after_last(&c, -100, stubborn ? 100 : at_times[i], &good, &broken);
            if (!good || !broken) return;
            uint32_t n = info_of(good).positions;
            for (uint32_t seed = 0; seed < 6; seed++) {
                size_t mark = memory_mark();
                picture_settings settings = toy_settings(1, seed);
                settings.temperature = seed % 3 ? 1 : 0.5f;
                drawn plain = draw_image(good, &settings, NULL, 0, n, 0);
                settings.look_ahead = 16;
                uint8_t *expected = memory_take(n);
                foresee(good, &settings, plain.values, 0, n, expected, &t);
                drawn d = draw_image(broken, &settings, NULL, 0, n, 0);
                check_at("configuration %lld, seed %lld", which[i], seed, 0, 0);
                CHECK_BYTES(d.values, plain.values, n);
                CHECK_FLOATS(d.nats, plain.nats, n);
                CHECK_FLOATS(d.output, plain.output, c.levels);
                CHECK_BYTES(d.ahead, expected, n);
                memory_release(mark);
            }
            check_note("  configuration %d: %d passes, %d right, %d broken guesses", which[i], t.passes, t.right, t.last);
            CHECK(stubborn ? t.right == 0 && t.last > t.passes / 2 : t.right > 20 && t.last > 5);
        }
}

/* Whatever weights the draft has, drafted values are valid levels and do not change the result. */
static void absurd_drafts(void) {
    static const char *const names[] = {"draft.token_embd.weight", "draft.neighbour.weight", "draft.position_row.weight", "draft.position_col.weight",
                                        "draft.output.weight", "draft.output.bias"};
    static const float numbers[] = {3e38f, -3e38f, 1e20f};
    static const uint32_t levels[] = {10, 2, 3};
    for (int t = 0; t < 6; t++)
        for (int x = 0; x < 3; x++)
            for (int run = 0; run < 9; run++) {
                size_t mark = memory_mark();
                toy_config c = *config(TOY_DRAFT);
                c.levels = levels[run / 3];
                nx_model *model = toy_open(toy_build(&c, NULL));
                uint32_t n = info_of(model).positions;
                toy *m = toy_build(&c, NULL);
                const toy_tensor *tensor = toy_find(m, names[t]);
                float *weights = toy_inside(m, names[t]);
                for (uint32_t w = 0; w < tensor->rows * tensor->cols; w++) weights[w] = w % 3 ? numbers[x] : run % 3 ? -numbers[x] : numbers[x];
                picture_settings settings = toy_settings(1, 2);
                settings.temperature = run % 3 == 1 ? 0 : 1;
                settings.top_k = run % 3 == 2 ? 5 : 0;
                settings.top_p = run % 3 == 2 ? 0.8f : 1;
                drawn plain = draw_image(model, &settings, NULL, 0, n, 0);
                settings.look_ahead = 16;
                nx_model *absurd = toy_open(m);
                drawn d = draw_image(absurd, &settings, NULL, 0, n, 0);
                check_at("tensor %lld, number %lld, run %lld", t, x, run, 0);
                CHECK_BYTES(d.values, plain.values, n);
                CHECK_FLOATS(d.nats, plain.nats, n);
                size_t bytes; /* discarded drafts are valid levels too, so the run may be saved */
                nx_session *session = toy_session(absurd, &settings, &bytes);
                CHECK_INT(picture_step(absurd, session, n / 2, d.values, NULL), NX_OK);
                CHECK_INT(nx_session_check(absurd, session, bytes), NX_OK);
                memory_release(mark);
            }
}

/* ---- save, restore, fork ------------------------------------------------------------------------------------------------------- */

static void save_and_restore(void) {
    check_random random = {1};
    for (uint32_t i = 0; i < n_configs(); i++) {
        size_t outer = memory_mark();
        toy *m = toy_build(config(i), NULL);
        nx_model *model = toy_open(m), *again = toy_open(m); /* opens the same file twice, as when a page is reloaded */
        if (!model || !again) return;
        picture_info info = info_of(model);
        uint32_t n = info.positions, samples = 3, room = info.elements * samples;
        uint8_t *known = random_values(&info, &random);
        for (uint32_t point = 0; point <= n; point += 1 + n / 9) /* copies the session here; half of the earlier positions were known */
            for (int stepped = 0; stepped < 2; stepped++) {
                size_t mark = memory_mark(), bytes;
                picture_settings settings = toy_settings(samples, 5);
                settings.label = config(i)->classes ? 0 : -1;
                settings.maps = 1;
                uint8_t *values = memory_take(room), *copied = memory_take(room);
                float *nats = memory_take(room * sizeof *nats), *copied_nats = memory_take(room * sizeof *nats);
                nx_session *session = toy_session(model, &settings, &bytes);
                uint32_t first = stepped ? point / 2 : point;
                check_at("configuration %lld, element %lld, %lld known", i, point, first, 0);
                CHECK_INT(picture_prefill(model, session, known, first, nats), NX_OK);
                CHECK_INT(picture_step(model, session, point - first, values, nats), NX_OK);
                uint8_t *saved = memory_copy(session, bytes);
                CHECK_INT(nx_session_check(model, saved, bytes), NX_OK);
                uint32_t count = finish(model, session, samples, values, nats);
                /* tests a fork: the copy continues in another block after the first run has continued */
                CHECK_INT(nx_session_check(again, saved, bytes), NX_OK);
                nx_session *fork = memory_copy(saved, bytes);
                CHECK_INT(finish(again, fork, samples, copied, copied_nats), count);
                CHECK_BYTES(copied, values, count);
                CHECK_FLOATS(copied_nats, nats, count);
                /* tests a return to an earlier state: the saved session overwrites the block of the finished run */
                memcpy(session, saved, bytes);
                CHECK_INT(nx_session_position(session), point);
                CHECK_INT(finish(model, session, samples, copied, copied_nats), count);
                CHECK_BYTES(copied, values, count);
                CHECK_FLOATS(copied_nats, nats, count);
                CHECK_BYTES(session, fork, bytes); /* both sessions are equal to the last byte */
                memory_release(mark);
            }
        memory_release(outer);
    }
}

/* Sessions share only the read-only model. */
static void independence(void) {
    toy *m = toy_build(config(3), NULL);
    size_t bytes = 0;
    nx_model *model = NULL;
    CHECK_INT(nx_model_size(m->bytes, m->length, &bytes, NULL), NX_OK);
    uint8_t *block = memory_take(bytes);
    if (!CHECK_INT(nx_model_open(block, bytes, m->bytes, m->length, &model, NULL), NX_OK)) return;
    uint64_t before = check_hash(0, block, bytes);
    picture_settings one = toy_settings(2, 1), two = toy_settings(2, 2);
    uint8_t values[4][120];
    float nats[4][120];
    CHECK_INT(picture_step(model, toy_session(model, &one, NULL), 60, values[0], nats[0]), NX_OK);
    CHECK_INT(picture_step(model, toy_session(model, &two, NULL), 60, values[1], nats[1]), NX_OK);
    nx_session *a = toy_session(model, &one, NULL), *b = toy_session(model, &two, NULL);
    for (uint32_t i = 0; i < 60; i++) { /* the test alternates between the sessions */
        CHECK_INT(picture_step(model, a, 1, values[2] + 2 * i, nats[2] + 2 * i), NX_OK);
        CHECK_INT(picture_step(model, b, 1, values[3] + 2 * i, nats[3] + 2 * i), NX_OK);
    }
    CHECK_BYTES(values[2], values[0], 240);
    CHECK_FLOATS(nats[2], nats[0], 240);
    CHECK(memcmp(values[0], values[1], 120));
    CHECK(check_hash(0, block, bytes) == before);
}

/* ---- damaged states -------------------------------------------------------------------------------------------------------------- */

/* Continues the run if its state passes the check. This must be safe whatever the state contains. Returns whether the state passed. */
#define STEPS 5u

static int go_on(const nx_model *model, uint8_t *block, size_t bytes, const picture_info *info) {
    if (nx_session_check(model, block, bytes) != NX_OK) return 0;
    nx_session *session = (nx_session *)block;
    size_t mark = memory_mark();
    uint32_t room = STEPS * NX_MAX_SAMPLES * info->position_elements;
    uint8_t *values = memory_take(room), *ahead = memory_take(info->positions);
    float *nats = memory_take(room * sizeof *nats), *output = memory_take(info->outputs * sizeof *output);
    float *weights = memory_take((size_t)info->blocks * info->heads * info->window * sizeof *weights);
    uint32_t *keys = memory_take(info->window * sizeof *keys), count = 0, known = (uint32_t)nx_session_position(session) % 3;
    memset(values, info->palette ? 1 : 200, room);
    CHECK(nx_session_position(session) <= info->positions);
    for (int round = 0; round < 2; round++) {
        for (uint32_t b = 0; b < NX_MAX_SAMPLES; b += 7) {
            nx_session_output(model, session, b, output);
            if (picture_attention(model, session, b, weights, keys, &count) != NX_OK) continue;
            CHECK(count >= 1 && count <= info->window && keys[count - 1] < info->positions);
        }
        if (!round) picture_prefill(model, session, values, known, nats);
        if (!round) picture_step(model, session, info->draft ? STEPS : 2, values, nats);
        CHECK_INT(nx_session_ahead(model, session, 0, nx_session_position(session), ahead), NX_OK);
    }
    memory_release(mark);
    return 1;
}

typedef struct {
    nx_model *model;
    picture_info info;
    uint8_t *state; /* a session that was stopped in the middle of a run */
    size_t bytes;
} middle;

/* Returns a run stopped after some known positions and, if `stepped`, some drawn ones. If the model has a draft, the run has one sample and
 * uses speculative decoding; otherwise it has three samples and keeps maps. */
static middle middle_of(const toy_config *c, int stepped) {
    check_random random = {2};
    middle m = {toy_open(toy_build(c, NULL)), {0}, NULL, 0};
    picture_settings settings = toy_settings(c->neighbours ? 1 : 3, 5);
    settings.maps = !c->neighbours;
    settings.look_ahead = 16;
    settings.top_p = c->levels < 256 ? 0.9f : 1; /* no top-p with 256 levels, because each draw would sort them */
    picture_info_of(m.model, &m.info);
    uint8_t *known = random_values(&m.info, &random);
    nx_session *session = toy_session(m.model, &settings, &m.bytes);
    float *nats = memory_take(m.info.elements * 3 * sizeof *nats);
    uint32_t first = m.info.positions / 3;
    CHECK_INT(picture_prefill(m.model, session, known, first, nats), NX_OK);
    if (stepped) CHECK_INT(picture_step(m.model, session, first, memory_take(m.info.elements * 3), nats), NX_OK);
    m.state = (uint8_t *)session;
    return m;
}

static void refused_states(void) {
    middle m = middle_of(config(1), 1);
    uint32_t n = m.info.positions, nan_bits = 0x7fc00000, too_hot = 0x42c80001, negative = 0x80000001, above_one = 0x3f800001;
    const struct {
        int word;
        uint32_t value;
    } rows[] = {
        {MAGIC, 0}, {MAGIC, 0x3353584f}, {MAGIC, 0x3253584e}, {FINGERPRINT, 0}, {FINGERPRINT, UINT32_MAX}, {SAMPLES, 0}, {SAMPLES, 65}, {SAMPLES, UINT32_MAX},
        {SAMPLES, 4}, {SAMPLES, 64}, {FIRST_SAMPLE, UINT32_MAX}, {TEMPERATURE, nan_bits}, {TEMPERATURE, too_hot}, {TEMPERATURE, negative}, {TOP_P, 0}, {TOP_P, nan_bits}, {TOP_P, above_one},
        {TOP_P, negative}, {TRACE, 2}, {TRACE, UINT32_MAX}, {LOOK_AHEAD, 17}, {LOOK_AHEAD, UINT32_MAX}, {POSITION, n + 1}, {POSITION, UINT32_MAX}, {COMPUTED, n + 1}, {COMPUTED, UINT32_MAX},
        {COMPUTED, 2 * (n / 3) + 2}, {HAS_OUTPUT, 2}, {HAS_OUTPUT, UINT32_MAX}, {FORKED, 2}, {FORKED, UINT32_MAX}, {GIVEN, 2},
        {GIVEN, UINT32_MAX}, {ENCODED, 1}, {ENCODED, UINT32_MAX}, {POSITION, 0}, {PART, 1}, {PART, UINT32_MAX}, {LENGTH, 0}, {LENGTH, n + 1},
        {LENGTH, UINT32_MAX}, {COUNTS, 1}, {COUNTS + 7, 1}, {ORIGIN, UINT32_MAX}, {PASS_COLUMNS, 17}, {PASS_COLUMNS, UINT32_MAX}, {GROUP, 1},
        {GROUP, UINT32_MAX}, {SLICE, 1}, {BROKEN, 2},
    };
    CHECK_INT(nx_session_check(m.model, m.state, m.bytes), NX_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t *copy = memory_copy(m.state, m.bytes);
        memcpy(copy + 4 * rows[i].word, &rows[i].value, 4);
        check_at("word %lld = %lld", rows[i].word, rows[i].value, 0, 0);
        CHECK_INT(nx_session_check(m.model, copy, m.bytes), NX_E_STATE);
    }
    for (size_t bytes = 0; bytes < m.bytes; bytes += bytes < 80 ? 1 : 1 + m.bytes / 60) { /* truncated */
        uint8_t *copy = memory_copy(m.state, bytes);
        check_at("%lld bytes", (long long)bytes, 0, 0, 0);
        CHECK_INT(nx_session_check(m.model, copy, bytes), NX_E_STATE);
    }
    CHECK_INT(nx_session_check(m.model, memory_copy(m.state, m.bytes - 1), m.bytes - 1), NX_E_STATE);
    /* tests a super-resolution run without its small image, and a run with an image although the model takes none */
    middle small = middle_of(config(TOY_SR_DMOL), 1);
    uint32_t zero = 0, one = 1;
    uint8_t *without = memory_copy(small.state, small.bytes), *with = memory_copy(m.state, m.bytes);
    memcpy(without + 4 * GIVEN, &zero, 4);
    memcpy(with + 4 * ENCODED, &one, 4);
    CHECK_INT(nx_session_check(small.model, small.state, small.bytes), NX_OK);
    CHECK_INT(nx_session_check(small.model, without, small.bytes), NX_E_STATE);
    CHECK_INT(nx_session_check(m.model, with, m.bytes), NX_E_STATE);
    /* a longer block is valid, because blocks may be larger than requested */
    uint8_t *longer = memory_take(m.bytes + 100);
    memcpy(longer, m.state, m.bytes);
    CHECK_INT(nx_session_check(m.model, longer, m.bytes + 100), NX_OK);
    /* a state of another model is refused, even if that model has the same shape */
    toy_config other = *config(1);
    other.seed++;
    CHECK_INT(nx_session_check(toy_open(toy_build(&other, NULL)), m.state, m.bytes), NX_E_STATE);
    /* elements beyond the levels must be refused, except after the session's position, where they are overwritten before they are read */
    for (uint32_t i = 0; i < 3 * m.info.elements; i++) {
        static const uint32_t wrong[] = {16, 0x1000000, NX_NONE};
        uint8_t *copy = memory_copy(m.state, m.bytes);
        nx_layout l = nx_layout_of(m.model, (nx_session *)copy);
        l.ids[i] = wrong[i % 3];
        CHECK_INT(nx_session_check(m.model, copy, m.bytes), i % m.info.elements < l.session->position * l.span ? NX_E_STATE : NX_OK);
        l.ids[i] = 15;
        CHECK_INT(nx_session_check(m.model, copy, m.bytes), NX_OK);
    }
    for (uint32_t i = 0; i < 3; i++) { /* cases: a missing slot, a shared slot, an ended sample in a model without ends, an invalid class */
        uint8_t *copy = memory_copy(m.state, m.bytes);
        nx_layout l = nx_layout_of(m.model, (nx_session *)copy);
        uint32_t *damaged[] = {l.slots + i, l.slots + i, l.ended + i, l.port[0]}, value[] = {3, (i + 1) % 3, 1, 3};
        for (int d = 0; d < 4; d++) {
            uint32_t kept = *damaged[d];
            *damaged[d] = value[d];
            check_at("sample %lld, damage %lld", i, d, 0, 0);
            CHECK_INT(nx_session_check(m.model, copy, m.bytes), NX_E_STATE);
            *damaged[d] = kept;
        }
        CHECK_INT(nx_session_check(m.model, copy, m.bytes), NX_OK);
    }
}

static void damaged_states(void) {
    check_random random = {3};
    static const int which[] = {1, 2, 3, 4, TOY_PALETTE, TOY_SR_DMOL, TOY_SR_PALETTE, TOY_DRAFT_LOCAL, TOY_DRAFT_PALETTE};
    for (int i = 0; i < 9; i++)
        for (int stepped = 0; stepped < 2; stepped++) {
            size_t mark = memory_mark();
            middle m = middle_of(config(which[i]), stepped);
            uint8_t *copy = memory_copy(m.state, m.bytes);
            for (size_t at = 0; at < 4 * WORDS; at++) {
                uint8_t b = m.state[at], values[] = {0, 1, 2, 0x7f, 0x80, 0xff, (uint8_t)(b + 1), (uint8_t)(b - 1)};
                for (int v = 0; v < 8; v++) {
                    copy[at] = values[v];
                    check_at("configuration %lld, byte %lld = %lld", which[i], (long long)at, values[v], 0);
                    if (go_on(m.model, copy, m.bytes, &m.info)) memcpy(copy, m.state, m.bytes);
                }
                copy[at] = b;
            }
            for (int run = 0; run < 60; run++) { /* writes random words: anywhere in even runs, only in the header in odd runs */
                memcpy(copy, m.state, m.bytes);
                for (int damage = 0; damage < 3; damage++) {
                    uint32_t word = random_below(&random, 2) ? random_bits(&random) : random_below(&random, m.info.positions + 1);
                    memcpy(copy + 4 * random_below(&random, run % 2 ? WORDS : (uint32_t)m.bytes / 4), &word, 4);
                }
                check_at("configuration %lld, run %lld", which[i], run, 0, 0);
                go_on(m.model, copy, m.bytes, &m.info);
            }
            memory_release(mark);
        }
}

/* ---- one result everywhere ----------------------------------------------------------------------------------------------------- */

/* Prints a hash of all bits of the values and nats in a fixed set of runs. build.sh compares the hashes of all builds. */
static void same_bits(void) {
    check_random random = {4};
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n_configs(); i++)
        for (int run = 0; run < 4; run++) {
            static const float temperature[] = {1, 0.7f, 0, 3}, top_p[] = {1, 0.8f, 1, 0.99f};
            size_t mark = memory_mark();
            toy *m = toy_build(config(i), NULL);
            nx_model *model = toy_open(m);
            if (!model) return;
            picture_info info = info_of(model);
            uint32_t known = run % 2 ? info.positions / 3 : 0, samples = 1 + (uint32_t)run * 7;
            picture_settings settings = toy_settings(samples, 100 + (uint32_t)run);
            settings.label = (int32_t)random_below(&random, config(i)->classes + 1) - 1;
            settings.temperature = temperature[run];
            settings.top_p = top_p[run];
            settings.top_k = run == 3 ? 5 : 0;
            settings.look_ahead = 8; /* speculative decoding works only with a single sample */
            uint8_t *ahead = memory_take(info.positions), *values = memory_take(info.elements * samples), *fed = random_values(&info, &random);
            float *nats = memory_take(info.elements * samples * sizeof *nats);
            nx_session *session = toy_session(model, &settings, NULL);
            CHECK_INT(picture_prefill(model, session, fed, known, nats), NX_OK);
            hash = check_hash(hash, nats, known * info.position_elements * sizeof *nats);
            uint32_t count = finish(model, session, samples, values, nats);
            hash = check_hash(hash, values, count);
            hash = check_hash(hash, nats, count * sizeof *nats);
            CHECK_INT(nx_session_ahead(model, session, 0, info.positions, ahead), NX_OK);
            hash = check_hash(hash, ahead, info.positions);
            hash = check_hash(hash, m->bytes, m->length); /* also hashes the models, so that a difference can be located */
            memory_release(mark);
        }
    check_say("hash %08x%08x", (unsigned)(hash >> 32), (unsigned)hash);
}

const check_test session_tests[] = {
    {"settings", settings_ranges},
    {"misuse", misuse},
    {"the small image is given once, whole and first", conditioning},
    {"palettes", palette},
    {"numbers that break", broken_numbers},
    {"speculative decoding equals drawing one by one, bit for bit", look_ahead_is_exact},
    {"a draft that equals the model", draft_that_knows},
    {"no effect without a draft or with several samples", look_ahead_where_there_is_none},
    {"number of positions ahead", ahead_of_what},
    {"speculative runs saved and restored", look_ahead_restored},
    {"speculative runs into non-finite values", broken_ahead},
    {"non-finite values after wrong drafts", broken_guesses},
    {"drafts with extreme weights", absurd_drafts},
    {"save, restore and fork, bit for bit", save_and_restore},
    {"sessions are independent, the model is read-only", independence},
    {"invalid states are refused", refused_states},
    {"damaged states are refused or harmless", damaged_states},
    {"the same bits in every build", same_bits},
    {0},
};
