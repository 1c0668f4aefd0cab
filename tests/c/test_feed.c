/* SPDX-License-Identifier: MIT
 *
 * Tests models whose weights arrive in pieces. Bit for bit, they must equal models that are opened from a whole file, and errors must name
 * the fault.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "gguf.h"
#include "model.h"
#include "models/toy_fvsbn.h"
#include "models/toy_gpt2.h"
#include "models/toy_llama.h"
#include "session/session.h"

static const toy_llama_config llamas[] = {
    {.values = 37, .length = 40, .blocks = 2, .d = 16, .inner = 20, .heads = 4, .groups = 4, .tokens = 37, .seed = 1},
    {.values = 50, .length = 33, .blocks = 1, .d = 32, .inner = 64, .heads = 4, .groups = 2, .tied = 1, .biases = 2, .stretched = 1, .type = NX_Q8_0, .seed = 2},
    {.values = 45, .length = 33, .blocks = 1, .d = 32, .inner = 64, .heads = 4, .groups = 2, .kin = QWEN2, .biases = 1, .type = NX_Q4_0, .seed = 3},
    {.values = 45, .length = 33, .blocks = 1, .d = 12, .inner = 16, .heads = 1, .groups = 1, .type = NX_F16, .seed = 4},
};
static const toy_gpt2_config gpts[] = {
    {.values = 41, .length = 30, .blocks = 2, .d = 32, .heads = 4, .type = NX_Q8_0, .seed = 5},
    {.values = 41, .length = 30, .blocks = 1, .d = 12, .heads = 3, .tied = 1, .seed = 6},
};
enum { SUBJECTS = 6 };

static toy_file file_of(int i) { return i < 4 ? toy_llama_build(llamas + i)->file : toy_gpt2_build(gpts + (i - 4))->file; }

static nx_model *whole(const toy_file *file) { return toy_open(&(toy){.bytes = memory_copy(file->bytes, file->length), .length = file->length}); }

static uint32_t head_of(const toy_file *file) {
    nx_gguf gguf;
    CHECK_INT(nx_gguf_parse(&gguf, file->bytes, file->length, file->length, NULL), NX_OK);
    return gguf.head_end;
}

/* Opens a model from the header of a file, without weights. The header is released afterwards. */
static nx_model *begin(const toy_file *file, uint32_t present) {
    size_t bytes = 0, whole_bytes = 0;
    nx_model *model = NULL;
    if (!CHECK_INT(nx_model_size(file->bytes, file->length, &whole_bytes, NULL), NX_OK)) return NULL;
    uint8_t *head = memory_copy(file->bytes, present);
    if (!CHECK_INT(nx_model_head_size(head, present, file->length, &bytes, NULL), NX_OK)) return NULL;
    /* the block has no space for the file itself */
    CHECK(bytes >= whole_bytes && bytes < whole_bytes + present + 4096 + 100 * sizeof(nx_destination));
    void *block = memory_take(bytes);
    CHECK_INT(nx_model_begin(block, bytes, head, present, file->length, &model, NULL), NX_OK);
    memset(head, 0xee, present);
    return model;
}

/* Feeds all rows. Each call feeds at most `at_once` rows. Returns the status of the last call. */
static nx_status feed(nx_model *model, const toy_file *file, uint32_t at_once, nx_problem *problem) {
    nx_tensor_info info;
    nx_status status = NX_MORE;
    for (uint32_t t = 0; nx_model_tensor(model, t, &info) == NX_OK; t++)
        for (uint32_t row = 0; row < info.rows && info.row_bytes; row += at_once) {
            uint32_t rows = info.rows - row < at_once ? info.rows - row : at_once;
            CHECK_INT(status, NX_MORE);
            size_t mark = memory_mark();
            status = nx_model_feed(model, t, row, rows, memory_copy(file->bytes + info.offset + (size_t)row * info.row_bytes, (size_t)rows * info.row_bytes), problem);
            memory_release(mark);
            if (status < 0) return status;
        }
    return status;
}

static nx_session *session_of(const nx_model *model, size_t *bytes) {
    nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1, .seed_low = 3};
    nx_session *session = NULL;
    CHECK_INT(nx_session_size(model, 0, &settings, NULL, bytes), NX_OK);
    CHECK_INT(nx_session_open(memory_take(*bytes), *bytes, model, 0, &settings, NULL, &session), NX_OK);
    return session;
}

/* A model draws the same ids with the same nats if its file is fed to it in pieces of any size. A model that was fed in pieces can continue
 * a session from a model that was opened from the whole file. */
static void the_same_model(void) {
    static const uint32_t pieces[] = {1, 3, 16, 1000};
    for (int i = 0; i < SUBJECTS; i++)
        for (int p = 0; p < 4; p++) {
            size_t mark = memory_mark(), bytes;
            toy_file file = file_of(i);
            uint32_t head = head_of(&file), ids[2][20], drawn, first = 1;
            float nats[2][20];
            nx_model *model = begin(&file, p % 2 ? head : (uint32_t)file.length - 1), *other = whole(&file);
            nx_settings settings = {.samples = 1, .temperature = 1, .top_p = 1};
            if (!model || !other) return;
            check_at("subject %lld, %lld rows at once", i, pieces[p], 0, 0);
            CHECK_INT(nx_session_size(model, 0, &settings, NULL, &bytes), NX_E_ARGUMENT); /* the model has no weights yet */
            CHECK_INT(feed(model, &file, pieces[p], NULL), NX_OK);
            CHECK_INT(nx_model_tensors(other), 0);
            nx_session *session = session_of(other, &bytes), *fed = session_of(model, &bytes);
            CHECK_INT(nx_session_put(other, session, &first, 1, 0, NULL), NX_OK);
            CHECK_INT(nx_session_draw(other, session, 20, ids[0], nats[0], &drawn), NX_OK);
            CHECK_INT(nx_session_put(model, fed, &first, 1, 0, NULL), NX_OK);
            CHECK_INT(nx_session_draw(model, fed, 10, ids[1], nats[1], &drawn), NX_OK);
            CHECK_INT(nx_session_check(other, fed, bytes), NX_OK); /* both models can continue a saved session */
            CHECK_INT(nx_session_draw(other, fed, 10, ids[1] + 10, nats[1] + 10, &drawn), NX_OK);
            CHECK_BYTES(ids[1], ids[0], sizeof *ids);
            CHECK_FLOATS(nats[1], nats[0], 20);
            CHECK(model->parameters[0] == other->parameters[0] && model->n_keys == other->n_keys);
            memory_release(mark);
        }
}

/* If a prefix of a file does not contain the whole header, the library reports that it needs more bytes. A damaged header is refused as
 * soon as the damage is detected. */
static void heads(void) {
    toy_file file = file_of(0);
    uint32_t head = head_of(&file);
    size_t bytes;
    for (uint32_t present = 0; present <= head; present++) {
        size_t mark = memory_mark();
        check_at("%lld bytes of %lld", present, head, 0, 0);
        CHECK_INT(nx_model_head_size(memory_copy(file.bytes, present), present, file.length, &bytes, NULL), present < head ? NX_MORE : NX_OK);
        memory_release(mark);
    }
    uint8_t *damaged = memory_copy(file.bytes, head);
    uint64_t absurd = (uint64_t)1 << 60;
    nx_problem problem = {"", ""};
    memcpy(damaged + 24, &absurd, 8); /* damages the length of the first key */
    CHECK_INT(nx_model_head_size(damaged, 200, file.length, &bytes, &problem), NX_E_FORMAT);
    CHECK(problem.reason[0]);
    CHECK_INT(nx_model_head_size(file.bytes, head, head, &bytes, &problem), NX_E_FORMAT); /* this file ends where its head ends */
    CHECK_INT(nx_model_head_size(file.bytes, head, (size_t)GGUF_MAX_BYTES + 1, &bytes, &problem), NX_E_LIMIT);
    CHECK_INT(nx_model_head_size(damaged, 3, 3, &bytes, &problem), NX_E_FORMAT);
}

static void refused(void) {
    toy_file file = file_of(0);
    nx_model *model = begin(&file, head_of(&file));
    nx_tensor_info first, second;
    nx_problem problem = {"", ""};
    uint8_t *data = memory_copy(file.bytes, file.length);
    size_t bytes;
    if (!model) return;
    CHECK_INT(nx_model_tensor(model, nx_model_tensors(model), &first), NX_E_ARGUMENT);
    CHECK_INT(nx_model_tensor(model, 0, &first), NX_OK);
    CHECK_INT(nx_model_tensor(model, 1, &second), NX_OK);
    CHECK_INT(nx_model_feed(model, 1, 0, 1, data + second.offset, &problem), NX_E_ARGUMENT); /* the first row must be fed first */
    CHECK_INT(nx_model_feed(model, 0, 1, 1, data + first.offset, &problem), NX_E_ARGUMENT);
    CHECK_INT(nx_model_feed(model, 0, 0, first.rows + 1, data + first.offset, &problem), NX_E_ARGUMENT);
    CHECK_INT(nx_model_feed(model, UINT32_MAX, 0, 1, data, &problem), NX_E_ARGUMENT);
    CHECK_INT(nx_model_feed(model, 0, 0, 2, data + first.offset, &problem), NX_MORE);
    CHECK_INT(nx_model_feed(model, 0, 0, 2, data + first.offset, &problem), NX_E_ARGUMENT); /* these rows were already fed */
    float nan = NAN;
    memcpy(data + first.offset + 2 * first.row_bytes + 4, &nan, 4);
    CHECK_INT(nx_model_feed(model, 0, 2, 1, data + first.offset + 2 * first.row_bytes, &problem), NX_E_NUMERIC);
    CHECK(!strcmp(problem.name, "token_embd.weight") && problem.reason[0]);

    file = file_of(1); /* this file has an invalid frequency divisor */
    model = begin(&file, head_of(&file));
    nx_gguf gguf;
    nx_tensor stretch;
    CHECK_INT(nx_gguf_parse(&gguf, file.bytes, file.length, file.length, NULL), NX_OK);
    CHECK(nx_gguf_tensor(&gguf, "rope_freqs.weight", &stretch));
    memset((uint8_t *)stretch.data, 0, 4);
    CHECK_INT(feed(model, &file, 7, &problem), NX_E_FORMAT);
    CHECK(!strcmp(problem.name, "rope_freqs.weight"));

    toy_file picture = toy_fvsbn_file(3, 4, NX_F16, 1, NULL, NULL);
    /* this model can only be opened from the whole file */
    CHECK_INT(nx_model_head_size(picture.bytes, picture.length, picture.length, &bytes, &problem), NX_E_ARGUMENT);
    CHECK(!strcmp(problem.name, "fvsbn"));
    nx_model *none = NULL;
    CHECK_INT(nx_model_begin(memory_take(256), 256, file.bytes, file.length, file.length, &none, &problem), NX_E_MEMORY);
}

const check_test feed_tests[] = {
    {"the same model", the_same_model},
    {"heads", heads},
    {"what is refused", refused},
    {0},
};
