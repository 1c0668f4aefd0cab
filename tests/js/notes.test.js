// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests music: the conversion between ids and notes, MIDI files, notes that last longer than one time step, and runs of the shipped model.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';

import { writeMidi } from 'midi-file';

import { moments } from '../../web/lib/base/audio.js';
import { load } from '../../web/lib/index.js';
import { Alphabet, pitchName } from '../../web/lib/kinds/note/alphabet.js';
import { changesOf, decode, encode, endOf } from '../../web/lib/kinds/note/codec.js';
import { given } from '../../web/lib/kinds/note/given.js';
import { readMidi, writeNotes } from '../../web/lib/kinds/note/midi.js';
import { Piece } from '../../web/lib/kinds/note/piece.js';
import { chordOf, chordsOf, count, parallelsOf } from '../../weights/eval/kinds/note/harmony.js';

/** @import { MidiEvent } from 'midi-file' */
/** @import { Note } from '../../web/lib/kinds/note/codec.js' */
/** @import { NoteRun, NoteStep } from '../../web/lib/kinds/note/note-run.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const NAMES = ['soprano', 'alto', 'tenor', 'bass'];
/** What each id of the shipped model stands for. */
const SAID = [
  { ticks: 0, voice: -1, pitch: 0 },
  ...[
    [60, 81],
    [52, 74],
    [43, 69],
    [36, 66],
  ].flatMap(([low, high], voice) =>
    [0, ...Array.from({ length: high - low + 1 }, (_, i) => low + i)].map((pitch) => ({ ticks: 0, voice, pitch })),
  ),
  ...Array.from({ length: 16 }, (_, i) => ({ ticks: i + 1, voice: -1, pitch: 0 })),
];
const ALPHABET = new Alphabet(SAID, NAMES);
const MELODY = [67, 69, 71, 72, 74, 72, 71, 69].map((pitch, i) => ({ start: 4 * i, length: 4, pitch }));

/**
 * Returns a pseudorandom generator of integers, with the same results on every machine.
 *
 * @param {number} seed
 * @returns {(below: number) => number}
 */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

/**
 * Returns notes for all voices, with rests. No note directly follows a note of the same pitch.
 *
 * @param {(below: number) => number} below
 * @returns {Note[]}
 */
function piece(below) {
  const notes = ALPHABET.voices.flatMap(({ name, low, high }) => {
    /** @type {Note[]} */
    const own = [];
    for (let start = below(3) * below(8), last = 0; own.length < 20; ) {
      const pitch = low + below(high - low + 1);
      const length = 1 + below(below(8) ? 8 : 40);
      if (pitch !== last) own.push({ start, length, pitch, voice: name, velocity: 80 });
      last = pitch;
      start += length + (below(5) ? 0 : 1 + below(30));
    }
    return own;
  });
  return notes.sort((a, b) => a.start - b.start || NAMES.indexOf(a.voice) - NAMES.indexOf(b.voice));
}

test('encoding and decoding preserve every note', () => {
  const below = random(1);
  for (let i = 0; i < 200; i++) {
    const notes = piece(below);
    assert.deepEqual(decode(ALPHABET, encode(ALPHABET, notes)), notes);
  }
  // two notes of the same pitch without a gap between them, which ids cannot represent
  const again = [0, 4].map((start) => ({ start, length: 4, pitch: 60, voice: 'soprano', velocity: 80 }));
  assert.deepEqual(decode(ALPHABET, encode(ALPHABET, again)), [{ ...again[0], length: 8 }]);
  assert.equal(pitchName(60), 'C4');
});

test('every piece can be drawn, and every drawn piece is well formed', () => {
  const below = random(2);
  for (let i = 0; i < 100; i++) {
    const notes = piece(below);
    const reading = new Piece(ALPHABET);
    const ids = encode(ALPHABET, notes);
    reading.push(ids[0]);
    for (const id of [...ids.slice(1), ALPHABET.end]) {
      assert.ok(reading.next().ids.includes(id), `${id} at ${reading.time}`);
      reading.push(id);
    }
    assert.ok(reading.ended);
  }
});

test('the voices in the input stay unchanged, whatever the model draws', () => {
  const below = random(3);
  for (const voices of [['soprano'], ['bass'], ['alto', 'tenor'], NAMES]) {
    for (let i = 0; i < 50; i++) {
      const held = piece(below).filter(({ voice }) => voices.includes(voice));
      const most = endOf(held);
      const drawing = new Piece(ALPHABET, {
        voices: voices.map((name) => NAMES.indexOf(name)),
        changes: changesOf(ALPHABET, held, most),
        most,
        whole: true,
      });
      const ids = [ALPHABET.end];
      drawing.push(ALPHABET.end);
      while (!drawing.ended) {
        const { ids: some, cut } = drawing.next();
        assert.ok(
          some.length > 0 && cut.every((id) => ALPHABET.said[id].ticks > Math.max(...some.map((other) => ALPHABET.said[other].ticks))),
        );
        ids.push(some[below(some.length)]);
        drawing.push(ids[ids.length - 1]);
      }
      const notes = decode(ALPHABET, ids);
      assert.equal(endOf(notes), most);
      assert.deepEqual(
        notes.filter(({ voice }) => voices.includes(voice)),
        held,
      );
    }
  }
});

test('if parallels are forbidden, no voice moves in parallel with a higher voice, whether this voice was given or drawn', () => {
  const below = random(7);
  for (let i = 0; i < 60; i++) {
    const held = i % 2 ? Array.from({ length: 30 }, (_, k) => ({ start: 4 * k, length: 4, pitch: 60 + below(22), voice: 'soprano' })) : [];
    const bounds = {
      voices: held.length > 0 ? [0] : [],
      changes: changesOf(ALPHABET, held, endOf(held)),
      most: held.length > 0 ? endOf(held) : 200,
      whole: held.length > 0,
      parallels: false,
    };
    const drawing = new Piece(ALPHABET, bounds);
    const ids = [ALPHABET.end];
    drawing.push(ALPHABET.end);
    while (!drawing.ended) {
      const all = drawing.next().ids;
      const some = all.filter((id) => !ALPHABET.voices.some(({ off }) => off === id)); // prefers notes to rests
      ids.push(some.length > 0 ? some[below(some.length)] : all[0]);
      drawing.push(ids[ids.length - 1]);
    }
    assert.deepEqual(parallelsOf(decode(ALPHABET, ids), NAMES), []);
  }
});

test('MIDI files are written and read exactly, to the tick', () => {
  const below = random(4);
  for (let i = 0; i < 50; i++) {
    const notes = piece(below);
    const { notes: heard, parts, tempo } = readMidi(writeNotes(notes, { ticks: 4, voices: NAMES, tempo: 84 }));
    const back = heard.map(({ start, length, pitch, velocity, part }) => ({
      start: 4 * start,
      length: 4 * length,
      pitch,
      voice: parts[part],
      velocity,
    }));
    back.sort((a, b) => a.start - b.start || NAMES.indexOf(a.voice) - NAMES.indexOf(b.voice));
    assert.deepEqual(back, notes);
    assert.ok(Math.abs(tempo - 84) < 1e-3);
  }
});

/** Returns a MIDI file with one track. @param {MidiEvent[]} events @param {object} [header] */
const file = (events, header = {}) =>
  Uint8Array.from(
    writeMidi({
      header: { format: 0, numTracks: 1, ticksPerBeat: 96, ...header },
      tracks: [[...events, { deltaTime: 0, meta: true, type: 'endOfTrack' }]],
    }),
  );
/** @param {number} deltaTime @param {number} noteNumber @param {number} velocity @param {number} [channel] @returns {MidiEvent} */
const on = (deltaTime, noteNumber, velocity, channel = 0) => ({ deltaTime, channel, type: 'noteOn', noteNumber, velocity, running: true });
const TWO = [on(0, 67, 90), on(96, 67, 0), on(0, 69, 70), on(48, 69, 0)];

test('MIDI files from other programs are read', () => {
  const heard = readMidi(file(TWO)); // the file uses running status, and a velocity of 0 ends a note
  assert.deepEqual(
    heard.notes.map(({ start, length, pitch, velocity }) => [start, length, pitch, velocity]),
    [
      [0, 1, 67, 90],
      [1, 0.5, 69, 70],
    ],
  );
  assert.equal(
    readMidi(
      file([
        { deltaTime: 0, meta: true, type: 'setTempo', microsecondsPerBeat: 600000 },
        ...TWO,
        { deltaTime: 9, meta: true, type: 'setTempo', microsecondsPerBeat: 500000 },
      ]),
    ).tempos,
    true,
  );
  assert.equal(readMidi(file([on(0, 67, 90), on(0, 60, 90, 9), on(96, 67, 0)])).notes.length, 1); // notes of the drum channel are left out
  // a note without an end event lasts until the end of its track
  assert.equal(readMidi(file([on(0, 67, 90), { deltaTime: 96, meta: true, type: 'text', text: 'x' }])).notes[0].length, 1);
  const whole = file(TWO);
  const alien = Uint8Array.from([...whole.slice(0, 14), ...new TextEncoder().encode('XFIH'), 0, 0, 0, 2, 1, 2, ...whole.slice(14)]);
  assert.equal(readMidi(alien).notes.length, 2);
});

test('MIDI files with harmless faults are read like the correct file; omissions are reported', () => {
  const u32 = (/** @type {number} */ n) => [n >>> 24, (n >> 16) & 255, (n >> 8) & 255, n & 255];
  const text = (/** @type {string} */ name) => [...new TextEncoder().encode(name)];
  const END = [0, 0xff, 0x2f, 0];
  const NOTES = [0, 0x90, 67, 90, 96, 67, 0, 0, 69, 70, 48, 0x80, 69, 0];
  const track = (/** @type {number[]} */ events, said = events.length) => [...text('MTrk'), ...u32(said), ...events];
  const midi = (/** @type {number[][]} */ tracks, { head = [0, 1, 0, tracks.length, 0, 96], behind = /** @type {number[]} */ ([]) } = {}) =>
    Uint8Array.from([...text('MThd'), ...u32(head.length), ...head, ...tracks.flat(), ...behind]);
  const whole = midi([track([...NOTES, ...END])]);
  const want = readMidi(whole);
  assert.equal(want.notes.length, 2);
  const rmid = (/** @type {number[][]} */ ...chunks) => Uint8Array.from([...text('RIFF'), 0, 0, 0, 0, ...text('RMID'), ...chunks.flat()]);
  const little = (/** @type {number} */ n) => u32(n).reverse();
  const meta = (/** @type {number} */ type, /** @type {number[]} */ ...data) => [0, 0xff, type, data.length, ...data];
  const inside = (/** @type {number[]} */ events) => midi([track([...events, ...NOTES, ...END])]);
  for (const [name, bytes] of /** @type {[string, Uint8Array][]} */ ([
    ...[
      [0],
      [13, 10],
      [1, 2, 3, 4, 5, 6],
      new Array(64).fill(0),
      new Array(10).fill(255),
      text('XFIH'),
      [...text('XFIH'), ...u32(1e9)],
    ].map((behind) => [`after the last track ${behind.slice(0, 8)}`, midi([track([...NOTES, ...END])], { behind })]),
    ['a track whose stated length exceeds the file', midi([track([...NOTES, ...END], 1000)])],
    ['the same fault before another track', midi([track(END, 2 ** 31), track([...NOTES, ...END])])],
    ['bytes after the end event, within the chunk of the track', midi([track([...NOTES, ...END, 1, 2, 3])])],
    ['a track without an end event', midi([track(NOTES)])],
    ['an end event with a length', midi([track([...NOTES, 0, 0xff, 0x2f, 1, 0])])],
    ['fewer tracks than the header states', midi([track([...NOTES, ...END])], { head: [0, 1, 0, 3, 0, 96] })],
    ['more tracks than the header states', midi([track(END), track([...NOTES, ...END])], { head: [0, 1, 0, 1, 0, 96] })],
    ['a longer header', midi([track([...NOTES, ...END])], { head: [0, 0, 0, 1, 0, 96, 7, 7] })],
    ['an unknown chunk between tracks', midi([[...text('XFIH'), ...u32(3), 1, 2, 3], track([...NOTES, ...END])])],
    ['within RIFF', rmid([...text('data'), ...little(whole.length), ...whole])],
    [
      'within RIFF, after another chunk',
      rmid([...text('INFO'), ...little(3), 1, 2, 3, 0], [...text('data'), ...little(whole.length), ...whole]),
    ],
    ['a sequence number without its value', inside(meta(0x00))],
    ['a key signature of one byte', inside(meta(0x59, 2))],
    ['a time signature of three bytes', inside(meta(0x58, 4, 2, 24))],
    ['an unknown meta event', inside(meta(0x66, 1, 2, 3))],
    ['system exclusive', inside([0, 0xf0, 2, 1, 0xf7])],
  ]))
    assert.deepEqual({ ...readMidi(bytes), parts: want.parts }, want, name);

  const tempo = (/** @type {number} */ delta, /** @type {number} */ perMinute) => {
    const n = Math.round(6e7 / perMinute);
    return [delta, 0xff, 0x51, 3, n >> 16, (n >> 8) & 255, n & 255];
  };
  for (const [name, events, first, changes] of /** @type {[string, number[], number, boolean][]} */ ([
    ['none', [], 120, false],
    ['one', tempo(0, 60), 60, false],
    ['the last of two at the same time', [...tempo(0, 60), ...tempo(0, 90)], 90, false],
    ['120 until the first', tempo(96, 60), 120, true],
    ['a second one with the same value', [...tempo(0, 60), ...tempo(96, 60)], 60, false],
    ['two at the same time, later', [...tempo(0, 60), ...tempo(96, 90), ...tempo(0, 60)], 60, false],
    ['another one later', [...tempo(0, 60), ...tempo(96, 90)], 60, true],
  ])) {
    const heard = readMidi(midi([track([...events, ...END]), track([...NOTES, ...END])]));
    assert.ok(Math.abs(heard.tempo - first) < 1e-3, `${name}: ${heard.tempo}`);
    assert.equal(heard.tempos, changes, name);
  }
  const odd = readMidi(inside([0, 0x90, 60, 9, 0, 60, 0, 0, 0x99, 40, 9, 0, 40, 0]));
  assert.deepEqual([odd.notes.length, odd.empty, odd.drums], [2, 1, 1]);
});

test('each invalid MIDI file gives an error of one sentence', () => {
  const whole = file(TWO);
  const bad = (/** @type {Uint8Array} */ bytes, /** @type {RegExp} */ message) =>
    assert.throws(() => readMidi(bytes), { name: 'NextPixelError', message });
  for (let end = 0; end < whole.length; end++) assert.throws(() => readMidi(whole.slice(0, end)), { name: 'NextPixelError' });
  bad(new Uint8Array(0), /it is empty/);
  bad(new Uint8Array(100), /does not begin with MThd/);
  bad(file(Array(20_000).fill(TWO).flat()), /more than 30000 events: give a shorter piece/);
  bad(file([]), /has no notes/);
  const changed = (/** @type {[number, number][]} */ ...bytes) => {
    const copy = whole.slice();
    for (const [at, byte] of bytes) copy[at] = byte;
    return copy;
  };
  bad(changed([9, 2]), /format 2/);
  bad(changed([12, 0xe7]), /frames of film/);
  bad(changed([12, 0], [13, 0]), /a beat has no ticks/);
  // The length of an event in this track takes five bytes. Read as a 32-bit integer, this length would be negative, and the parser would go
  // backwards forever.
  const track = [0, 0x90, 60, 64, 0, 0xff, 1, 0x88, 0x80, 0x80, 0x80, 0];
  const chunk = (/** @type {number[]} */ events) =>
    Uint8Array.from([...whole.slice(0, 10), 0, 1, 0, 96, ...Buffer.from('MTrk'), 0, 0, 0, events.length, ...events]);
  bad(chunk(track), /a length has more than four bytes/);
  bad(chunk([0, 0xff, 1, 9, 65]), /an event is longer than its track/);
  bad(chunk([0, 60, 64]), /an event has no status/);
  bad(chunk([0, 0xf4, 0]), /an event has the unknown status 244/);
  bad(
    file([{ deltaTime: 0, meta: true, type: 'unknownMeta', metatypeByte: 0x51, data: [1] }]),
    /an event cannot be read \(Expected length for setTempo/,
  );
});

test('names of tracks are read like typed text, without invisible characters', () => {
  const pasted = NAMES.map((name, i) => `${['\u200b', '\ufeff', '\u00a0', '\u200e'][i]}${name}\u00ad`);
  const notes = piece(random(3)).map((note) => ({ ...note, voice: pasted[NAMES.indexOf(note.voice)] }));
  assert.deepEqual(readMidi(writeNotes(notes, { ticks: 4, voices: pasted, tempo: 84 })).parts, NAMES);
});

test('a track becomes the voice of the same name; the names of the track and of the voice are read like typed text', async () => {
  const names = ['Oboe d\u2019amore', 'Violin  1', 'Flo\u0308te', '\uff21lto'];
  const alphabet = new Alphabet(SAID, names);
  const own = piece(random(4)).map((note) => ({ ...note, voice: names[NAMES.indexOf(note.voice)] }));
  for (const voices of [names, ["oboe d'amore", 'VIOLIN 1', 'Fl\u00f6te', 'alto']]) {
    const notes = own.map((note) => ({ ...note, voice: voices[names.indexOf(note.voice)] }));
    const file = writeNotes(notes, { ticks: 4, voices: [...voices].reverse(), tempo: 84 });
    const read = await given(file, alphabet, 4, [names[3]]);
    const order = (/** @type {Note[]} */ list) => list.map((note) => JSON.stringify(note, Object.keys(note).sort())).sort();
    assert.deepEqual(order(read.notes), order(own));
  }
});

test('a MIDI file with a few wrong bytes is read, or refused with a sentence', () => {
  const below = random(5);
  const whole = [file(TWO), writeNotes(piece(below), { ticks: 4, voices: NAMES, tempo: 84 })];
  for (let i = 0; i < 20000; i++) {
    const bytes = whole[i % 2].slice(0, below(4) ? undefined : below(whole[i % 2].length));
    for (let k = below(6); k >= 0 && bytes.length; k--) bytes[below(bytes.length)] = below(256);
    try {
      for (const { start, length, pitch } of readMidi(bytes).notes) assert.ok(start >= 0 && length > 0 && pitch >= 0 && pitch < 128);
    } catch (error) {
      assert.equal(/** @type {Error} */ (error).name, 'NextPixelError', String(error));
    }
  }
});

test('the statistics of the harmony are counted', () => {
  const sung = (/** @type {number[][]} */ chords) =>
    chords.flatMap((chord, i) => chord.map((pitch, v) => ({ start: 4 * i, length: 4, pitch, voice: NAMES[v] })));
  const counted = (/** @type {number[][]} */ chords) => count(sung(chords), NAMES, 4);
  assert.equal(
    counted([
      [72, 67, 64, 48],
      [74, 69, 65, 50],
    ]).octaves,
    1,
  ); // soprano and bass move in parallel octaves
  assert.equal(
    counted([
      [67, 64, 60, 48],
      [69, 65, 62, 50],
    ]).fifths,
    2,
  ); // two pairs of voices move in parallel fifths: soprano and tenor, and soprano and bass
  assert.deepEqual(
    counted([
      [72, 67, 64, 48],
      [71, 67, 62, 55],
    ]),
    { fifths: 0, octaves: 0, crossings: 0, moments: 2, beats: 2, chords: 2, kinds: 2 },
  );
  assert.equal(counted([[64, 67, 60, 48]]).crossings, 1);
  assert.deepEqual(
    [
      [72, 67, 64, 48],
      [74, 69, 60, 54],
      [74, 65, 59, 56],
      [76, 67, 60, 57],
      [67, 64, 60, 52],
      [60, 62, 64],
    ].map(chordOf),
    ['C', 'D7/F#', 'Abdim7', 'Am7', 'C/E', undefined],
  );
  assert.deepEqual(
    parallelsOf(
      sung([
        [67, 64, 60, 48],
        [69, 65, 62, 50],
      ]),
      NAMES,
    ).map(({ tick, interval, voices }) => `${tick} ${interval} ${voices.join()}`),
    ['4 fifths soprano,tenor', '4 fifths soprano,bass', '4 octaves tenor,bass'],
  );
  assert.deepEqual(chordsOf([...sung([[72, 67, 64, 48]]), { start: 4, length: 4, pitch: 60, voice: 'soprano' }], NAMES, 4), ['C', null]);
});

/** @type {import('../../web/lib/model/of-kind.js').AnyModel} */
let model;
before(async () => {
  model = /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(new URL('../../weights/chorales.gguf', import.meta.url)))));
});
after(() => model.close());

/** @param {any} saved @param {any} [options] @returns {NoteRun} */
const resume = (saved, options) => /** @type {any} */ (model.resume(saved, options));
/** @param {any} options @returns {NoteRun} */
const generate = (options) => /** @type {NoteRun} */ (/** @type {any} */ (model.generate(options)));
/** @param {any} music @param {any} [options] @returns {NoteRun} */
const complete = (music, options) => /** @type {NoteRun} */ (/** @type {any} */ (model.complete(music, options)));
/** @param {Note[]} notes */
const alone = (notes) => notes.map(({ start, length, pitch }) => ({ start, length, pitch }));

test('playTo() refuses invalid targets; an error in onPlay, synchronous or asynchronous, reaches its caller', async () => {
  const context = { state: 'running', sampleRate: 8000, currentTime: 0, addEventListener() {}, removeEventListener() {}, createGain() {} };
  const playTo = (/** @type {any} */ to, /** @type {any} */ options) =>
    complete([{ start: 0, length: 4, pitch: 60 }], {}).playTo(to, options);
  for (const [to, options, code, message] of /** @type {[any, any, string, RegExp][]} */ ([
    [{}, {}, 'argument', /needs an AudioContext/],
    [{ ...context, startRendering() {} }, {}, 'argument', /OfflineAudioContext/],
    [{ ...context, state: 'closed' }, {}, 'closed', /closed/],
    [context, { onPlay: 5 }, 'argument', /onPlay must be a function/],
    [context, { destination: 5 }, 'argument', /destination/],
    [context, { destination: {} }, 'argument', /same AudioContext/],
  ]))
    await assert.rejects(playTo(to, options), { code, message });
  for (const onPlay of [
    () => {
      throw new Error('mine');
    },
    async () => {
      throw new Error('mine');
    },
  ]) {
    let calls = 0;
    const { tell, until, end } = moments(context, { onPlay: () => (calls++, onPlay()) });
    const timer = setInterval(() => tell(undefined), 5);
    await assert.rejects(
      until(() => false),
      /mine/,
    );
    const told = calls;
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
    clearInterval(timer);
    end();
    assert.equal(calls, told);
  }
});

test('music that is too long is refused before it is read', async () => {
  for (const [music, message] of /** @type {[any, RegExp][]} */ ([
    [new Uint8Array(1_000_001), /1\.0 MB: give at most 1/],
    [new Blob([new Uint8Array(3_000_000)]), /3\.0 MB/],
    [Array(30_001).fill({ start: 0, length: 1, pitch: 60 }), /30001 notes, but at most 30000 can be read/],
  ]))
    await assert.rejects(complete(music, {}).notes(), { code: 'limit', message });
});

test('info describes the file', () => {
  assert.deepEqual(model.info.notes, SAID);
  assert.deepEqual(model.info.voices, NAMES);
  assert.deepEqual([model.info.ticks, model.info.bar, model.info.kind], [4, 16, 'note']);
  assert.deepEqual(model.info.verbs, ['complete', 'generate', 'score']);
});

test('music drawn without input is the same however it is read, and ends by the requested bar', async () => {
  const run = generate({ seed: 5, bars: 3 });
  const notes = await run.notes();
  assert.ok(endOf(notes) <= 48 && notes.length > 20);
  assert.ok(run.finish === 'length' || run.finish === 'end');
  for (const options of [{ chunkSize: 1 }, { chunkSize: 7 }, { probabilities: true }, { maps: true }])
    assert.deepEqual(await generate({ seed: 5, bars: 3, ...options }).notes(), notes);
  /** @type {NoteStep[]} */
  const steps = [];
  for await (const step of generate({ seed: 5, bars: 1, probabilities: true, maps: true })) steps.push(step);
  for (const { from, to, probabilities = [], maps = [], nats, ids } of steps) {
    assert.equal(to - from, 1);
    assert.ok(Math.abs(Array.from(probabilities).reduce((sum, p) => sum + p, 0) - 1) < 1e-4 && maps.length > 0);
    assert.ok(maps.every(({ queries, keys }) => queries[0] === from && keys.every((key) => key >= 0 && key < from)));
    assert.ok(maps.some(({ keys }) => keys.at(-1) === from - 1));
    if (ids.length) assert.ok(Math.abs(probabilities[ids[0]] - Math.exp(-nats[0])) < 1e-5);
  }
});

test('with parallels: false, the shipped model draws no parallels; the notes before the first parallel of a seed are unchanged', async () => {
  const melody = MELODY.map((note) => ({ ...note, voice: 'soprano' }));
  let had = 0;
  for (let seed = 1; seed <= 6; seed++) {
    const [free, strict] = [
      await complete(melody, { voices: ['soprano'], seed }).notes(),
      await complete(melody, { voices: ['soprano'], seed, parallels: false }).notes(),
    ];
    assert.deepEqual(parallelsOf(strict, NAMES), []);
    const first = parallelsOf(free, NAMES)[0]?.tick;
    const upTo = (/** @type {Note[]} */ notes) =>
      notes.filter(({ start }) => start < (first ?? Infinity)).map(({ start, pitch, voice }) => `${start} ${pitch} ${voice}`);
    assert.deepEqual(upTo(strict), upTo(free));
    if (first !== undefined) had++;
  }
  assert.ok(had > 0);
  const run = complete(melody, { voices: ['soprano'], seed: 1, parallels: false });
  for await (const _ of run) break;
  assert.deepEqual(await resume(run.save()).notes(), await complete(melody, { voices: ['soprano'], seed: 1, parallels: false }).notes());
});

test('a given melody is kept, and its cost equals the result of score()', async () => {
  const run = complete(MELODY, { voices: ['soprano'], seed: 1 });
  const notes = await run.notes();
  assert.deepEqual(alone(notes.filter(({ voice }) => voice === 'soprano')), MELODY);
  assert.deepEqual([...new Set(notes.map(({ voice }) => voice))].sort(), [...NAMES].sort());
  assert.equal(run.finish, 'end');
  const cost = run.save().nats.reduce((sum, nats) => sum + nats, 0);
  const score = /** @type {import('../../web/lib/kinds/note/notes.js').NoteScore} */ (
    /** @type {any} */ (await /** @type {any} */ (model).score(await run.midi()))
  );
  assert.ok(Math.abs(score.nats - cost) < 1e-3 * cost, `${score.nats} and ${cost}`);
  assert.ok(Math.abs(score.natsPerNote * notes.length - score.nats) < 1e-6);
  const bass = complete([{ start: 0, length: 16, pitch: 48, voice: 'bass' }], { voices: ['bass'], seed: 1 });
  assert.deepEqual(
    (await bass.notes()).filter(({ voice }) => voice === 'bass').map(({ start, length }) => [start, length]),
    [[0, 16]],
  );
});

test('the beginning of a piece is continued', async () => {
  const begun = await complete(MELODY.slice(0, 4), { voices: ['soprano'], seed: 1 }).notes();
  const run = complete(begun, { seed: 2, bars: 4 });
  const notes = await run.notes();
  assert.deepEqual(
    notes.filter(({ start }) => start < 16).map(({ start, pitch }) => [start, pitch]),
    begun.map(({ start, pitch }) => [start, pitch]),
  );
  assert.ok(endOf(notes) > 16 && endOf(notes) <= 64);
  const { value } = await complete(begun, { seed: 2, bars: 4 })[Symbol.asyncIterator]().next();
  const first = /** @type {NoteStep} */ (value);
  assert.ok(first.events.every(({ given }) => given));
});

test('a run keeps the tempo of the file that it continues, even after it is saved and resumed', async () => {
  const setTempo = (/** @type {number} */ perMinute) => ({
    deltaTime: 0,
    meta: /** @type {const} */ (true),
    type: /** @type {const} */ ('setTempo'),
    microsecondsPerBeat: 6e7 / perMinute,
  });
  for (const [says, option, is] of /** @type {[number | undefined, number | undefined, number][]} */ ([
    [undefined, undefined, 120],
    [60, undefined, 60],
    [600, undefined, 400],
    [60, 90, 90],
  ])) {
    const bytes = file([...(says ? [setTempo(says)] : []), ...TWO]);
    const run = complete(bytes, { bars: 1, seed: 1, ...(option && { tempo: option }) });
    await run.input;
    assert.equal(run.tempo, is, `tempo ${says} in the file, option ${option}`);
    assert.ok(Math.abs(readMidi(new Uint8Array(await (await run.midi()).arrayBuffer())).tempo - is) < 1e-2);
    assert.equal(resume(JSON.parse(JSON.stringify(run.save()))).tempo, is);
  }
  assert.equal(complete([{ start: 0, length: 4, pitch: 67 }], { bars: 1 }).tempo, 84);
});

test('saved runs continue with the same notes, and can branch', async () => {
  const whole = complete(MELODY, { voices: ['soprano'], seed: 3 });
  const notes = await whole.notes();
  const left = complete(MELODY, { voices: ['soprano'], seed: 3, chunkSize: 5 });
  for await (const step of left) if (step.to > 12) break;
  assert.deepEqual(await resume(JSON.parse(JSON.stringify(left.save()))).notes(), notes);
  const saved = whole.save();
  for (const at of [1, 2, 3, 20]) assert.deepEqual(await resume(saved, { at }).notes(), notes, `saved at ${at}, within a chord`);
  assert.notDeepEqual(await resume(saved, { at: 4, seed: 4 }).notes(), notes);
  assert.throws(() => resume({ ...saved, ids: [9999] }), { code: 'state' });
  assert.throws(() => resume(saved, { seed: 4 }), /cannot change seed/);
});

test('each kind of music that the model cannot read gives an error of one sentence', async () => {
  /** @param {any} music @param {any} options @param {RegExp} message */
  const refused = async (music, options, message) =>
    assert.rejects(async () => complete(music, options).notes(), { name: 'NextPixelError', message });
  const one = { start: 0, length: 4, pitch: 67 };
  await refused([], {}, /has no notes/);
  await refused('abc', {}, /Cannot read the file abc/);
  await refused([{ ...one, pitch: 20 }], {}, /soprano sings 60 to 81 \(C4 to A5\), and note 0 is 20 \(A♭0\): transpose/);
  await refused([{ ...one, start: 0.5 }], {}, /first tick of note 0/);
  await refused([{ ...one, length: 0 }], {}, /length of note 0/);
  await refused([{ ...one, voice: 'oboe' }], {}, /voice must be one of soprano/);
  await refused([{ ...one, voice: 'alto', pitch: 60 }], { voices: ['soprano'] }, /notes of the alto/);
  await refused([one, { ...one, start: 2 }], {}, /two notes at once, G4 and G4 in quarter 1/);
  await refused([{ ...one, velocity: 200 }], {}, /velocity/);
  await refused(
    Array.from({ length: 1200 }, (_, i) => ({ start: i, length: 1, pitch: 60 + (i % 2) })),
    {},
    /events, but the model can hold/,
  );
  assert.throws(() => complete([one], { voices: 'soprano' }), /list of the voices/);
  assert.throws(() => generate({ bars: 0 }), /bars must be a whole number from 1/);
  const many = Uint8Array.from(
    writeMidi({
      header: { format: 1, numTracks: 5, ticksPerBeat: 96 },
      tracks: Array.from({ length: 5 }, (_, i) => [on(0, 60 + i, 90), on(96, 60 + i, 0), { deltaTime: 0, meta: true, type: 'endOfTrack' }]),
    }),
  );
  await refused(many, {}, /5 tracks or channels have notes .*, and the model has 4: leave some out/);
  await refused(many, { voices: ['soprano'] }, /5 tracks or channels have notes .*, and `voices` names 1: leave some out/);
  const odd = file([
    on(0, 67, 90),
    on(100, 67, 0),
    { deltaTime: 0, meta: true, type: 'setTempo', microsecondsPerBeat: 500000 },
    { deltaTime: 50, meta: true, type: 'setTempo', microsecondsPerBeat: 600000 },
  ]);
  const given = await complete(odd, { voices: ['soprano'] }).input;
  assert.match(given?.said ?? '', /1 of its 1 notes were moved to the nearest sixteenth, and tempo changes were left out/);
});
