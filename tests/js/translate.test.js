// SPDX-License-Identifier: MIT
// @ts-check

/** Tests translate(): greedy decoding, sampling and beam search on ordinary and unusual sentences, the maps, and errors on misuse. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { GOLDEN, ROOT, isError, load, sleep } from './helpers.js';
import { sentencesIn } from '../../web/lib/kinds/text/sentences.js';
import { toyText } from './toy-text.js';
import { BLOCKS, HEADS, toyTranslation } from './toy-translation.js';

/** @import { SearchStep, TranslationRun, TranslationStep } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/** A model that copies every sentence. @type {Model} */
let copier;
/** A model with random weights, whose tokens are bytes. A sentence has at most 14 tokens, including the end token. @type {Model} */
let golden;

before(async () => {
  copier = await load(toyTranslation());
  golden = await load(`${GOLDEN}transformer-post.gguf`);
});
after(() => {
  copier.close();
  golden.close();
});

/** @param {TranslationRun} run */
async function all(run) {
  /** @type {TranslationStep[]} */
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
}

/** @param {TranslationStep[]} steps */
const ids = (steps) => steps.map(({ token }) => token);

/** @param {ArrayLike<number>} weights */
const sum = (weights) => Array.from(weights).reduce((total, weight) => total + weight, 0);

const SENTENCES = ['a b c', 'ab bc a b bbb', 'x', 'Grüße, 世界! \u{1f642}', '<s> is no name of a token here', 'a'.repeat(40)];

test('info describes a translation model', () => {
  assert.deepEqual(copier.info.verbs, ['translate', 'attention', 'score']);
  assert.deepEqual([copier.info.positions, copier.info.languages, copier.info.vocabulary], [48, ['xx', 'yy'], 269]);
  assert.deepEqual([golden.info.positions, golden.info.languages, golden.info.vocabulary], [14, [], 257]);
});

test('a sentence is translated greedily and with beams, token by token and as a text', async () => {
  for (const sentence of SENTENCES) {
    for (const beams of [1, 2, 4]) {
      const run = copier.translate(sentence, { beams });
      assert.equal(run.finish, undefined);
      const steps = await all(run);
      assert.equal(steps.map(({ text }) => text).join(''), sentence);
      assert.equal(run.finish, 'end');
      assert.deepEqual([...run.ids], ids(steps));
      assert.deepEqual([...run.source], [...ids(steps), 2], 'the source ends with the end token');
      assert.ok(steps.every(({ nats }) => nats >= -1e-6 && nats < 1));
      assert.equal(run.sourceTexts.join(''), sentence);
      assert.equal(run.search.length > 0, beams > 1);
    }
    assert.equal(await copier.translate(sentence).text(), sentence);
  }
});

test('runs of white space count as single spaces; characters are composed as in training', async () => {
  assert.equal(await copier.translate('  a \n\t b\u00a0c \n').text(), 'a b c');
  assert.equal(await copier.translate('u\u0308ber').text(), '\u00fcber');
});

test('an empty sentence gives an empty translation', async () => {
  for (const nothing of ['', ' ', '\n\n']) {
    for (const beams of [1, 4]) {
      const run = copier.translate(nothing, { beams, maps: true });
      assert.deepEqual(await all(run), []);
      assert.deepEqual([run.finish, run.source.length, run.sourceTexts, run.encoder, run.search], ['end', 0, [], [], []]);
    }
  }
});

test('a source may be a list of token ids, with or without the end token', async () => {
  const run = copier.translate('a b');
  await run.text();
  for (const given of [[...run.ids], [...run.ids, 2], run.ids]) {
    const other = copier.translate(given);
    assert.equal(await other.text(), 'a b');
    assert.deepEqual([...other.source], [...run.source]);
  }
});

test('a model without a vocabulary reads and returns token ids', async () => {
  const bare = await load(
    toyTranslation({
      metadata: Object.fromEntries(
        ['tokens', 'scores', 'token_type', 'add_bos_token', 'model'].map((key) => [`tokenizer.ggml.${key}`, undefined]),
      ),
    }),
  );
  const run = bare.translate([5, 9, 7, 2]);
  assert.deepEqual(ids(await all(run)), [5, 9, 7]);
  assert.equal(run.finish, 'end');
  assert.throws(() => bare.translate('a'), isError('unsupported', /no vocabulary/));
  const found = bare.translate([5, 9, 7, 2], { beams: 3 });
  assert.deepEqual(ids(await all(found)), [5, 9, 7]);
  bare.close();
});

test('the result does not depend on other options, earlier calls or concurrent calls', async () => {
  for (const [model, sentence] of /** @type {[Model, string][]} */ ([
    [golden, 'Ein Hund'],
    [copier, 'ab c'],
  ])) {
    for (const options of [{}, { beams: 3 }, { temperature: 1, seed: 7 }]) {
      const plain = await all(model.translate(sentence, options));
      const mapped = await all(model.translate(sentence, { ...options, maps: true }));
      assert.deepEqual(ids(mapped), ids(plain));
      assert.deepEqual(
        mapped.map(({ nats }) => nats),
        plain.map(({ nats }) => nats),
      );
      const beside = await Promise.all([1, 2, 3].map(() => all(model.translate(sentence, options))));
      for (const one of beside) assert.deepEqual(one, plain);
    }
  }
});

test('with a temperature, the seed determines the translation, and another seed gives a different one', async () => {
  const drawn = async (/** @type {number} */ seed) => [...ids(await all(golden.translate('Hund', { temperature: 2, seed })))];
  assert.deepEqual(await drawn(1), await drawn(1));
  assert.notDeepEqual(await drawn(1), await drawn(2));
  const run = golden.translate('Hund', { temperature: 2 });
  assert.deepEqual(
    ids(await all(golden.translate('Hund', { temperature: 2, seed: run.seed }))),
    ids(await all(run)),
    'run.seed reproduces it',
  );
});

test('maxTokens limits the number of tokens of a translation', async () => {
  for (const beams of [1, 3]) {
    for (const maxTokens of [0, 1, 3]) {
      const run = copier.translate('a b c', { beams, maxTokens });
      assert.equal((await all(run)).length, maxTokens);
      assert.equal(run.finish, 'length');
    }
    const run = copier.translate('a b c', { beams, maxTokens: 5 });
    assert.equal(await run.text(), 'a b c');
    assert.equal(run.finish, 'end');
  }
  const roomy = await load(toyTranslation({ context: 200, end: false }));
  assert.equal((await all(roomy.translate('a b c'))).length, 5 + 50, 'the length of the source with its end, plus fifty');
  assert.equal((await all(roomy.translate('a b c', { maxTokens: 100 }))).length, 100);
  roomy.close();
  const long = golden.translate('Ein Hund');
  assert.equal((await all(long)).length, 14);
  assert.equal(long.finish, 'length', 'the context is full');
});

test('the option maps returns the attention of every output token, and of the encoder', async () => {
  for (const beams of [1, 3]) {
    const run = copier.translate('ab c b', { beams, maps: true });
    const steps = await all(run);
    const n = run.source.length;
    steps.forEach(({ maps = [], alignment = [] }, i) => {
      assert.deepEqual(
        maps.map(({ name, layer, head, queries }) => [name, layer, head, ...queries]),
        ['attention', 'source'].flatMap((name) =>
          Array.from({ length: BLOCKS * HEADS }, (_, row) => [name, Math.floor(row / HEADS), row % HEADS, i]),
        ),
      );
      for (const { name, keys, weights } of maps) {
        const first = name === 'source' ? 0 : -1;
        assert.deepEqual(
          [...keys],
          Array.from({ length: name === 'source' ? n : i + 1 }, (_, k) => first + k),
        );
        assert.ok(Math.abs(sum(weights) - 1) < 1e-4);
      }
      const last = maps.filter(({ name }) => name === 'source')[(BLOCKS - 1) * HEADS].weights;
      assert.ok(last[i] > 0.9, 'the copying head looks at the token in its own position');
      const rows = maps.filter(({ name }) => name === 'source').map(({ weights }) => weights);
      alignment.forEach((weight, key) => assert.ok(Math.abs(weight - sum(rows.map((row) => row[key])) / rows.length) < 1e-6));
    });
    assert.equal(run.encoder.length, BLOCKS * HEADS);
    for (const [i, { layer, head, queries, keys, weights }] of run.encoder.entries()) {
      assert.deepEqual([layer, head, queries.length, keys.length, weights.length], [Math.floor(i / HEADS), i % HEADS, n, n, n * n]);
      for (let query = 0; query < n; query++) assert.ok(Math.abs(sum(weights.subarray(query * n, (query + 1) * n)) - 1) < 1e-4);
    }
    assert.notDeepEqual(run.encoder[0], run.encoder[1]);
  }
  const without = copier.translate('ab');
  assert.ok((await all(without)).every((step) => !('maps' in step) && !('alignment' in step)));
  assert.deepEqual(without.encoder, []);
});

test('a search reports every step, and the result follows from the steps', async () => {
  for (const [model, sentence] of /** @type {[Model, string][]} */ ([
    [golden, 'Hund'],
    [copier, 'ab c b'],
  ])) {
    for (const lengthPenalty of [0, 0.6, 2]) {
      const beams = 3;
      /** @type {SearchStep[]} */
      const told = [];
      const run = model.translate(sentence, { beams, lengthPenalty, onSearch: (step) => told.push(step) });
      const steps = await all(run);
      assert.deepEqual(run.search, told);
      let [living, best] = /** @type {[number[][], { score: number, ids: number[] }]} */ ([[[]], { score: Infinity, ids: [] }]);
      run.search.forEach(({ position, hypotheses }, i) => {
        assert.equal(position, i);
        assert.equal(hypotheses.length, 2 * beams);
        /** @type {number[][]} */
        const next = [];
        hypotheses.forEach(({ parent, token, text, nats, score, fate, living: place }, k) => {
          assert.ok(parent < living.length);
          assert.ok(k === 0 || nats >= hypotheses[k - 1].nats, 'the best first');
          assert.ok(Math.abs(score - nats / ((5 + i + 1) / 6) ** lengthPenalty) < 1e-4);
          assert.equal(typeof text, 'string');
          assert.equal(place, fate === 'lives' ? next.length : -1);
          if (fate === 'lives') next.push([...living[parent], token]);
          if (fate === 'ended' && score < best.score) best = { score, ids: living[parent] };
        });
        assert.ok(next.length <= beams);
        if (next.length > 0) living = next;
      });
      assert.deepEqual(ids(steps), best.score < Infinity ? best.ids : living[0]);
      assert.equal(run.finish, best.score < Infinity ? 'end' : 'length');
    }
  }
});

test('a search with more beams finds a translation that is at least as probable', async () => {
  const cost = async (/** @type {number} */ beams) =>
    sum((await all(golden.translate('Ein Haus', { beams, lengthPenalty: 0 }))).map(({ nats }) => nats));
  const [greedy, some, many] = [await cost(1), await cost(4), await cost(16)];
  assert.ok(some <= greedy + 1e-4 && many <= some + 1e-4, `${greedy}, ${some}, ${many}`);
});

test('score() returns the cost with which a translation was made', async () => {
  const sentence = 'ab c b';
  const steps = await all(copier.translate(sentence));
  const score = await copier.score(sentence, { source: sentence });
  assert.deepEqual([...score.tokens], [...ids(steps), 2]);
  assert.deepEqual(
    [...score.perToken].slice(0, -1),
    steps.map(({ nats }) => nats),
  );
  assert.ok(Math.abs(score.nats - sum(score.perToken)) < 1e-4);
  const other = await copier.score('ab b b', { source: sentence });
  assert.ok(other.nats > score.nats + 1);
  await assert.rejects(copier.score('ab'), isError('argument', /needs its source sentence/));
  await assert.rejects(copier.score('', { source: 'a' }), isError('argument', /empty/));
  await assert.rejects(copier.score('a', { source: '' }), isError('argument', /empty/));
  await assert.rejects(copier.score('a'.repeat(99), { source: 'a' }), isError('argument', /sees 48/));
});

test('a translation is stopped by leaving the loop and by the signal', async () => {
  for (const beams of [1, 4]) {
    const run = copier.translate('a b c', { beams });
    for await (const step of run) {
      assert.ok(step);
      break;
    }
    assert.equal(run.finish, 'abort');
    assert.equal((await all(run)).length, 1, 'the drawn part can be read again');
    const stopper = new AbortController();
    const stopped = copier.translate('a b c', { beams, signal: stopper.signal });
    stopper.abort();
    await assert.rejects(all(stopped), { name: 'AbortError' });
    assert.equal(stopped.finish, 'abort');
  }
  const midway = new AbortController();
  const searching = copier.translate('a b c', { beams: 4, signal: midway.signal, onSearch: () => midway.abort() });
  await assert.rejects(all(searching), { name: 'AbortError' });
  assert.equal(searching.search.length, 1);
  await sleep(20);
  assert.equal(await copier.translate('c').text(), 'c', 'the model is still usable');
});

test('wrong arguments give clear messages', async () => {
  const wrong = (/** @type {() => unknown} */ use, /** @type {RegExp} */ message) => assert.throws(use, isError('argument', message));
  /** @type {any} */
  const any = null;
  wrong(() => copier.translate(any), /A sentence must be a string or a list of token ids/);
  wrong(() => copier.translate(/** @type {any} */ ({ text: 'a' })), /A sentence must be a string/);
  wrong(() => copier.translate([1, 999]), /999 is not a token/);
  wrong(
    () => copier.translate('a'.repeat(48)),
    /The sentence has 48 tokens, and this model sees 48, with the end token: pass single sentences/,
  );
  wrong(() => copier.translate('a', { beams: 0 }), /beams must be a whole number from 1 to 16/);
  wrong(() => copier.translate('a', { beams: 17 }), /beams/);
  wrong(() => copier.translate('a', { beams: 2.5 }), /beams/);
  wrong(() => copier.translate('a', { lengthPenalty: -1 }), /lengthPenalty must be a number from 0 to 2/);
  wrong(() => copier.translate('a', { lengthPenalty: NaN }), /lengthPenalty/);
  wrong(() => copier.translate('a', { temperature: -1 }), /temperature/);
  wrong(() => copier.translate('a', { beams: 2, temperature: 1 }), /use one of them/);
  wrong(() => copier.translate('a', { seed: -1 }), /seed/);
  wrong(() => copier.translate('a', { maxTokens: -1 }), /maxTokens/);
  wrong(() => copier.translate('a', { maps: /** @type {any} */ (1) }), /maps must be true or false/);
  wrong(() => copier.translate('a', { onSearch: /** @type {any} */ (1) }), /onSearch must be a function/);
  wrong(() => copier.translate('a', /** @type {any} */ (7)), /options must be an object/);
  wrong(() => copier.generate('a'), /This model has no generate\(\): use translate\(\)/);
  wrong(() => copier.generate(), /use translate\(\)/);
});

test('a sentence in capitals is read in lower case if the vocabulary then needs fewer tokens', async () => {
  const model = await load(`${ROOT}weights/de-en.gguf`);
  const read = (/** @type {string} */ sentence) => [...model.translate(sentence).source];
  for (const sentence of ['Zwei hunde laufen durch den schnee.', 'Ein mann schl\u00e4ft auf einer bank.', 'Eine frau liest ein buch.']) {
    assert.deepEqual(read(sentence.toUpperCase()), read(sentence));
    assert.notDeepEqual(
      read(sentence.toUpperCase().replace('EI', 'Ei').replace('ZW', 'Zw')),
      read(sentence),
      'mixed capitals and small letters are read unchanged',
    );
  }
  assert.deepEqual(
    read('USA.'),
    [...(model.tokenizer ?? assert.fail()).encode('USA.'), model.tokenizer?.end],
    'a short name does not count as a sentence in capitals',
  );
  model.close();
});

test('an empty translation has no score', async () => {
  await assert.rejects(copier.score('', { source: 'a' }), isError('argument', /empty sentence has no score/));
  const model = await load(toyText());
  for (const nothing of ['', [], new Uint32Array()]) {
    const { nats, natsPerToken, natsPerByte, tokens, perToken } = await model.score(nothing);
    assert.deepEqual([nats, natsPerToken, natsPerByte, perToken.length], [0, 0, 0, tokens.length === 0 ? 0 : perToken.length]);
  }
  model.close();
});

test('a text is divided into sentences', () => {
  for (const sentences of [
    [],
    ['Ein Hund schläft.'],
    ['Ein Hund schläft.', 'Eine Frau singt.'],
    ['Am 3. Mai kam Dr. Meier.', 'Er war krank.'],
    ['„Wo bist du?“ fragte er.', '„Hier!“', 'Sie lachte.'],
    ['Er sagte: »Nein.«', 'Dann ging er.'],
    ['Das kostet z. B. 5 Euro.', 'Ja!'],
    ['J. S. Bach lebte 1750.', 'Er starb.'],
    ['Kapitel 2.', 'Der Hund bellt.'],
    ['Mr. Smith, e.g. in the U.S. Army, came.', 'He left.'],
    ['3.5 Prozent.', 'Gut'],
    ['Warte...', 'Er kommt.'],
    ['Was?', 'Wie?!', 'Wo?'],
  ])
    assert.deepEqual(sentencesIn(sentences.join(' ')), sentences);
  assert.deepEqual(sentencesIn('今天。明天！'), ['今天。', '明天！']);
  assert.deepEqual(sentencesIn(' Titel \n\n Text '), ['Titel', 'Text']);
  const long = 'Ein Satz. '.repeat(2e4);
  const began = process.cpuUsage();
  assert.equal(sentencesIn(long).length, 2e4);
  assert.ok(process.cpuUsage(began).user < 2e6);
});

test('several sentences are translated one by one, with steps, maps and saved runs', async () => {
  const model = await load(`${ROOT}weights/de-en.gguf`);
  const sentences = ['Ein Hund schläft.', 'Eine Frau singt.', 'Es regnet heute.'];
  const apart = [];
  for (const one of sentences) apart.push(await model.translate(one).text());
  const want = apart.join(' ');
  const text = sentences.join(' ');
  assert.equal(await model.translate(text).text(), want);
  const run = model.translate(text, { maps: true });
  const steps = await all(run);
  assert.equal(steps.map((step) => step.text).join(''), want);
  const source = await run.input;
  assert.equal(run.sourceTexts.length, source.length);
  for (const { alignment, maps } of steps) {
    assert.equal(alignment?.length, source.length);
    for (const { name, keys } of maps ?? []) if (name === 'source') assert.ok(keys.every((key) => key < source.length));
  }
  const first = (await model.translate(sentences[0]).input).length;
  assert.ok(
    steps
      .at(-1)
      ?.alignment?.subarray(0, first)
      .every((weight) => weight === 0),
    'the last token attends only to its own sentence',
  );
  for (let at = 1; at <= steps.length; at += 4) {
    const left = model.translate(text);
    let read = 0;
    for await (const _ of left) if (++read === at) break;
    const saved = JSON.parse(JSON.stringify(left.save()));
    assert.equal(await model.resume(saved).text(), want, `after ${at}`);
  }
  assert.throws(() => model.resume({ ...run.save(), source: [...source].slice(0, first) }), isError('state', /./));
  assert.equal((await all(model.translate(text, { maxTokens: 6 }))).length <= 6, true);
  model.close();
});
