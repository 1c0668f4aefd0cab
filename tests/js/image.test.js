// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the functions that read images and paint pictures. Canvases and <img> elements are fakes here; the browser tests use real ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Codec, nearestColours, quantise } from '../../web/lib/media/codec.js';
import { blank, paint, picture } from '../../web/lib/sinks/pixels.js';
import { fromRGBA } from '../../web/lib/media/ground.js';
import { scaling } from '../../web/lib/media/scale.js';
import { inputOf, pictureOf as pictureComing, reduce } from '../../web/lib/media/image.js';
import { collect, isError, load } from './helpers.js';
import { noise, toyModel } from './toy.js';

/** Reads an image synchronously. @param {any} image @param {any} shape */
const pictureOf = (image, shape) => /** @type {Uint8Array<ArrayBuffer>} */ (pictureComing(image, shape));

const GREY = { width: 2, height: 2, channels: 1, levels: 256 };
const RGB = { ...GREY, channels: 3 };

test('a grey picture is read back unchanged', () => {
  const rgba = Uint8Array.from({ length: 1024 }, (_, i) => (i % 4 === 3 ? 255 : i >> 2));
  assert.deepEqual(
    fromRGBA(rgba, 1),
    Uint8Array.from({ length: 256 }, (_, i) => i),
  );
});

test('colour becomes luma; transparent pixels are composited on black for grey models, on white for colour models', () => {
  assert.deepEqual([...fromRGBA([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255], 1)], [76, 150, 29]);
  assert.deepEqual([...fromRGBA([200, 200, 200, 0, 200, 200, 200, 128], 1)], [0, 100]);
  assert.deepEqual([...fromRGBA([200, 100, 50, 128, 1, 2, 3, 255], 3)], [227, 177, 152, 1, 2, 3]);
  assert.deepEqual([...fromRGBA([0, 0, 0, 0, 9, 9, 9, 0], 3)], Array(6).fill(255));
});

test("raw images may be RGBA bytes or the model's elements, if they have the size of the model's pictures", () => {
  const elements = Uint8Array.of(1, 2, 3, 4);
  assert.deepEqual(pictureOf({ data: elements, width: 2, height: 2 }, GREY), elements);
  assert.notEqual(pictureOf({ data: elements, width: 2, height: 2 }, GREY), elements, 'a copy');
  assert.deepEqual(pictureOf({ data: [1, 2, 3, 4], width: 2, height: 2 }, GREY), elements);
  const rgba = new Uint8ClampedArray([5, 5, 5, 255, 6, 6, 6, 255, 7, 7, 7, 255, 8, 8, 8, 255]);
  assert.deepEqual([...pictureOf({ data: rgba, width: 2, height: 2 }, GREY)], [5, 6, 7, 8]);
  assert.equal(pictureOf({ data: rgba, width: 2, height: 2 }, RGB).length, 12);
  assert.equal(pictureOf({ data: new Uint8Array(12), width: 2, height: 2 }, RGB).length, 12);
});

test('invalid images are refused', () => {
  const bad = /** @type {[any, RegExp][]} */ ([
    [null, /image must be/],
    [undefined, /image must be/],
    [5, /image must be/],
    [{}, /no pixels/],
    [{ data: new Uint8Array(4), width: 4, height: 1 }, /4 x 1.*2 x 2/],
    [{ data: new Uint8Array(5), width: 2, height: 2 }, /5 values.*16.*4/],
    [{ data: new Uint8Array(12), width: 2, height: 2 }, /12 values/],
    [{ data: new Float32Array(4), width: 2, height: 2 }, /8-bit/],
    [{ data: [0, 0, 0, 256], width: 2, height: 2 }, /8-bit/],
    [{ data: [0, 0, 0, 0.5], width: 2, height: 2 }, /8-bit/],
    [{ width: 2, height: 2 }, /data, width, height/],
    [{ naturalWidth: 0, naturalHeight: 0, width: 2, height: 2 }, /decode/],
  ]);
  for (const [image, message] of bad) assert.throws(() => pictureOf(image, GREY), isError('argument', message));
});

test('each value is rounded to the nearest level; values that are levels stay unchanged', () => {
  for (const levels of [2, 3, 4, 16, 255, 256]) {
    const values = new Set(Array.from({ length: levels }, (_, level) => Math.round((255 * level) / (levels - 1))));
    for (let v = 0; v < 256; v++) {
      const [q] = quantise(Uint8Array.of(v), levels);
      assert.ok(values.has(q), `${v} of ${levels} levels`);
      if (values.has(v)) assert.equal(q, v);
      const level = Math.floor((v * (levels - 1)) / 255 + 0.5);
      assert.equal(q, Math.round((255 * level) / (levels - 1)));
    }
  }
});

test('scaling computes area means, weighted by opacity', () => {
  const grey = /** @param {number[]} values */ (values) => new Uint8ClampedArray(values.flatMap((v) => [v, v, v, 255]));
  /** @param {Uint8ClampedArray} rgba @param {number} width @param {number} height @param {number} newWidth @param {number} newHeight */
  const scaled = (rgba, width, height, newWidth, newHeight) => {
    const means = scaling({ width, height }, { width: newWidth, height: newHeight });
    means.add(rgba, 0);
    return means.end();
  };
  assert.deepEqual(scaled(grey([0, 100, 200, 60]), 2, 2, 1, 1), grey([90]));
  assert.deepEqual(scaled(grey([10, 40, 70]), 3, 1, 2, 1), grey([20, 60]));
  assert.deepEqual(scaled(grey([10, 40]), 2, 1, 4, 1), grey([10, 10, 40, 40]));
  assert.deepEqual(scaled(new Uint8ClampedArray([200, 0, 0, 255, 0, 90, 0, 0]), 2, 1, 1, 1), new Uint8ClampedArray([200, 0, 0, 128]));
  const even = scaled(grey(Array(100 * 70).fill(77)), 100, 70, 28, 28);
  assert.ok(even.every((v, i) => v === (i % 4 === 3 ? 255 : 77)));
});

test('an image element is scaled to the size that the model has', (context) => {
  const pixels = new Uint8ClampedArray(4 * 16).fill(255);
  class Canvas {
    /** @param {number} width @param {number} height */
    constructor(width, height) {
      Object.assign(this, { width, height });
    }
    getContext() {
      return {
        drawImage(/** @type {any} */ image) {
          if (image.tainted) throw new Error('tainted');
        },
        getImageData: (/** @type {number[]} */ ...[, , width, height]) => ({ data: pixels, width, height }),
      };
    }
  }
  Object.assign(globalThis, { OffscreenCanvas: Canvas });
  context.after(() => Reflect.deleteProperty(globalThis, 'OffscreenCanvas'));
  const image = /** @type {any} */ ({ width: 4, height: 4 });
  assert.deepEqual([...pictureOf(image, GREY)], [255, 255, 255, 255]);
  assert.deepEqual(
    [...pictureOf(/** @type {any} */ ({ naturalWidth: 4, naturalHeight: 4, width: 1, height: 1 }), GREY)],
    [255, 255, 255, 255],
  );
  assert.throws(() => pictureOf(/** @type {any} */ ({ ...image, tainted: true }), GREY), isError('argument', /crossorigin/));
});

test('reduction by an integer factor averages boxes of pixels and rounds halves up', () => {
  const shape = { width: 4, height: 2, channels: 1 };
  assert.deepEqual([...reduce(Uint8Array.of(0, 1, 8, 9, 1, 0, 9, 9), shape, 2, 1)], [1, 9]);
  assert.deepEqual([...reduce(Uint8Array.of(0, 1, 8, 9, 1, 0, 9, 9), shape, 4, 1)], [1, 1, 9, 9]);
  const colour = { width: 2, height: 2, channels: 3 };
  assert.deepEqual([...reduce(Uint8Array.of(10, 0, 255, 20, 0, 255, 30, 0, 255, 40, 1, 254), colour, 1, 1)], [25, 0, 255]);
  const same = noise(12);
  assert.deepEqual(reduce(same, colour, 2, 2), same);
});

test('a large picture that is read in chunks has the same values, and reading stops immediately on abort', async () => {
  const info = { inputWidth: 4, inputHeight: 4, channels: 3 };
  const [width, height] = [1024, 1024];
  const opaque = Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) => (i % 4 === 3 ? 255 : (i * 7919) >> 5));
  const clear = opaque.map((value, i) => (i % 4 === 3 && i % 3 ? 0 : value));
  const elements = Uint8Array.from({ length: 3 * width * height }, (_, i) => opaque[i + Math.floor(i / 3)]);
  for (const data of [opaque, clear, elements]) {
    const picture = data === elements ? elements : fromRGBA(data, 3);
    assert.deepEqual(await inputOf({ data, width, height }, info), reduce(picture, { width, height, channels: 3 }, 4, 4));
  }
  const stopper = new AbortController();
  const reading = inputOf({ data: opaque, width, height }, info, stopper.signal);
  assert.ok(reading instanceof Promise);
  setTimeout(() => stopper.abort(new Error('enough')));
  await assert.rejects(reading, /enough/);
  assert.throws(() => inputOf({ data: new Uint8Array(0), width: 2 ** 14, height: 2 ** 14 }, info), isError('argument', /make it smaller/));
  assert.throws(() => inputOf({ data: Array(2 ** 21).fill(0), width: 1024, height: 512 }, info), isError('argument', /give a Uint8Array/));
});

test('an input picture of the expected size is used unchanged; a whole multiple is reduced; other sizes are refused', () => {
  const info = { inputWidth: 2, inputHeight: 2, channels: 3 };
  const small = { data: noise(12), width: 2, height: 2 };
  assert.deepEqual(inputOf(small, info), small.data);
  assert.notEqual(inputOf(small, info), small.data, 'a copy');
  const large = { data: noise(6 * 4 * 3), width: 6, height: 4 };
  assert.deepEqual(inputOf(large, info), reduce(large.data, { width: 6, height: 4, channels: 3 }, 2, 2));
  const rgba = Uint8ClampedArray.from({ length: 6 * 4 * 4 }, (_, i) => (i % 4 === 3 ? 255 : large.data[i - (i >> 2)]));
  assert.deepEqual(inputOf({ data: rgba, width: 6, height: 4 }, info), inputOf(large, info));
  for (const [width, height] of [
    [3, 2],
    [2, 3],
    [1, 1],
    [0, 0],
    [-2, 2],
    [NaN, 2],
  ]) {
    const data = new Uint8Array(Math.max(0, 3 * width * height) || 0);
    assert.throws(() => inputOf({ data, width, height }, info), isError('argument', /2 x 2 or a whole multiple/));
  }
  assert.throws(() => inputOf({ data: noise(11), width: 2, height: 2 }, info), isError('argument', /11 values/));
  assert.throws(() => inputOf(/** @type {any} */ (null), info), isError('argument', /image must be/));
});

test('each colour becomes the nearest colour of the palette; among equal distances, the first colour is used', () => {
  const palette = Uint8Array.of(0, 0, 0, 10, 10, 10, 255, 0, 0, 10, 10, 10);
  const pixels = Uint8Array.of(10, 10, 10, 5, 5, 5, 6, 5, 5, 200, 90, 0);
  assert.deepEqual([...nearestColours(pixels, palette)], [1, 0, 1, 2]);
});

/**
 * @param {{ width: number, height: number, channels: number, levels?: number }} shape
 * @param {number[]} [order]  default: raster order, with the channels of a pixel together
 * @param {number[]} [palette]
 */
function codecOf({ width, height, channels, levels = 256 }, order, palette) {
  const places = order ?? Array.from({ length: width * height * channels }, (_, i) => i);
  const colours = palette ? Uint8Array.from(palette) : null;
  const info = { width, height, channels, levels, positions: places.length, palette: colours };
  return new Codec(/** @type {any} */ (info), Uint32Array.from(places));
}

test('a pixel is painted when its last channel is known', () => {
  const elements = Uint8Array.of(1, 2, 3, 4, 5, 6);
  const codec = codecOf({ width: 2, height: 1, channels: 3 });
  const { data: early } = picture(codec, elements.subarray(0, 5));
  assert.deepEqual([...early.subarray(0, 4)], [1, 2, 3, 255]);
  assert.equal(early[7], 0);
  const { data } = blank(2, 1);
  for (let i = 0; i < 6; i++) paint(data, codec, i, elements.subarray(i, i + 1));
  assert.deepEqual([...data], [1, 2, 3, 255, 4, 5, 6, 255]);
  assert.deepEqual([...picture(codecOf({ width: 1, height: 2, channels: 1 }), Uint8Array.of(9)).data], [9, 9, 9, 255, 0, 0, 0, 0]);
});

test('pictures are painted in generation order', () => {
  const shape = { width: 2, height: 2, channels: 1 };
  const { data } = picture(codecOf(shape, [0, 2, 1, 3]), Uint8Array.of(1, 2, 3));
  assert.deepEqual([...data], [1, 1, 1, 255, 3, 3, 3, 255, 2, 2, 2, 255, 0, 0, 0, 0]);
  const pixels = codecOf({ ...shape, channels: 3 }, [1, 0, 2, 3]);
  assert.deepEqual(
    Array.from({ length: 7 }, (_, i) => pixels.place(i)),
    [3, 4, 5, 0, 1, 2, 6],
  );
  assert.deepEqual([...picture(pixels, Uint8Array.of(7, 8, 9)).data.subarray(0, 8)], [0, 0, 0, 0, 7, 8, 9, 255]);
});

test('a picture is converted to ids, and ids are converted back to a picture', () => {
  const shape = { width: 2, height: 2, channels: 3 };
  const image = Uint8Array.of(1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4);
  const pixels = codecOf(shape, [1, 0, 2, 3]);
  assert.deepEqual([...pixels.encode(image)], [2, 2, 2, 1, 1, 1, 3, 3, 3, 4, 4, 4]);
  assert.deepEqual([...pixels.encode(image, 1)], [2, 2, 2]);
  const colours = codecOf(shape, [1, 0, 2, 3], [0, 0, 0, 2, 2, 2, 4, 5, 6]);
  const ids = colours.encode(image);
  assert.ok(ids instanceof Uint32Array && pixels.encode(image) instanceof Uint32Array);
  assert.deepEqual([...ids], [1, 0, 1, 2]);
  assert.deepEqual([...colours.decode(ids)], [2, 2, 2, 0, 0, 0, 2, 2, 2, 4, 5, 6]);
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (const levels of [2, 3, 16, 256]) {
    const grey = codecOf({ width: 16, height: 16, channels: 1, levels });
    assert.ok(
      grey.encode(all).every((level, i) => level === Math.round((i * (levels - 1)) / 255)),
      `${levels} levels`,
    );
    assert.deepEqual(grey.decode(grey.encode(all)), quantise(all, levels), 'in the levels of the model');
  }
  assert.deepEqual([...colours.elementNats(Float32Array.of(1, 2))], [1, 0, 0, 2, 0, 0]);
  const nats = Float32Array.of(1, 2, 3);
  assert.equal(pixels.elementNats(nats), nats);
});

/** A canvas that records what is painted. */
class FakeCanvas {
  width = 0;
  height = 0;
  /** @type {{ data: Uint8ClampedArray, width: number, height: number, x: number }[]} */
  paints = [];
  getContext() {
    return {
      createImageData: (/** @type {number} */ width, /** @type {number} */ height) => ({
        width,
        height,
        data: new Uint8ClampedArray(4 * width * height),
      }),
      putImageData: (/** @type {any} */ image, /** @type {number} */ x) => this.paints.push({ ...image, data: image.data.slice(), x }),
    };
  }
}

test('drawTo paints the known part immediately, then the rest, on one canvas or several', async () => {
  const model = await load(toyModel());
  const image = { data: noise(64), width: 8, height: 8 };
  const { values } = await collect(model.complete(image, { seed: 4, samples: 2 }));

  const one = new FakeCanvas();
  const drawing = model.complete(image, { seed: 4, samples: 2 }).drawTo(/** @type {any} */ (one));
  assert.deepEqual([one.width, one.height], [16, 8]);
  assert.deepEqual(
    one.paints.map(({ x }) => x),
    [0, 8],
    'painted before anything is drawn',
  );
  const known = quantise(image.data, 16).subarray(0, 32);
  for (const { data } of one.paints) {
    assert.deepEqual(
      [...data].filter((_, i) => i % 4 === 0),
      [...known, ...Array(32).fill(0)],
    );
    assert.deepEqual(
      [...data].filter((_, i) => i % 4 === 3),
      [...Array(32).fill(255), ...Array(32).fill(0)],
    );
  }
  const pictures = await drawing;
  assert.deepEqual(
    pictures.map((finished) => [...finished.data].filter((_, i) => i % 4 === 0).slice(32)),
    values,
  );
  assert.deepEqual(
    one.paints.slice(-2).map(({ data }) => data),
    pictures.map(({ data }) => data),
  );

  const two = [new FakeCanvas(), new FakeCanvas()];
  const again = await model.complete(image, { seed: 4, samples: 2 }).drawTo(/** @type {any} */ (two));
  assert.deepEqual(
    two.map(({ width, height }) => [width, height]),
    [
      [8, 8],
      [8, 8],
    ],
  );
  assert.deepEqual(
    two.map(({ paints }) => paints.at(-1)?.data),
    again.map(({ data }) => data),
  );
  assert.deepEqual(again, pictures);

  const run = () => model.generate({ samples: 3 });
  await assert.rejects(run().drawTo(/** @type {any} */ (two)), isError('argument', /one canvas or 3/));
  await assert.rejects(run().drawTo(/** @type {any} */ ([])), isError('argument'));
  await assert.rejects(run().drawTo(/** @type {any} */ (null)), isError('argument', /canvas/));
  await assert.rejects(run().drawTo(/** @type {any} */ ({ getContext: () => null })), isError('argument', /WebGL/));
  model.close();
});

test('drawTo paints at most once per animation frame, and once at the end', async (context) => {
  const model = await load(toyModel());
  /** @type {(() => void)[]} */
  const frames = [];
  let cancelled = 0;
  Object.assign(globalThis, {
    requestAnimationFrame: frames.push.bind(frames),
    cancelAnimationFrame: () => cancelled++,
  });
  context.after(() => {
    Reflect.deleteProperty(globalThis, 'requestAnimationFrame');
    Reflect.deleteProperty(globalThis, 'cancelAnimationFrame');
  });
  const canvas = new FakeCanvas();
  await model.generate({ chunkSize: 1 }).drawTo(/** @type {any} */ (canvas)); // as in a hidden page, no frame ever comes
  assert.equal(frames.length, 1);
  assert.equal(cancelled, 1);
  assert.equal(canvas.paints.length, 2);
  model.close();
});

test('the signal of the run and the signal of drawTo() both stop drawTo(), and the canvas keeps the picture so far', async () => {
  const model = await load(toyModel({ width: 64, height: 64 }));
  for (const whose of ['run', 'drawTo']) {
    const end = new AbortController();
    const { signal } = end;
    const canvas = new FakeCanvas();
    const { push } = canvas.paints;
    canvas.paints.push = (paint) => {
      // aborts as soon as any pixel is visible
      if (paint.data[3]) end.abort();
      return push.call(canvas.paints, paint);
    };
    const drawing = model
      .generate({ seed: 1, ...(whose === 'run' && { signal }) })
      .drawTo(/** @type {any} */ (canvas), whose === 'drawTo' ? { signal } : {});
    await assert.rejects(drawing, { name: 'AbortError' });
    const alpha = [.../** @type {any} */ (canvas.paints.at(-1)).data].filter((_, i) => i % 4 === 3);
    assert.ok(alpha[0] === 255 && alpha.at(-1) === 0);
  }
  const run = model.generate({ signal: AbortSignal.abort() });
  await assert.rejects(run.drawTo(/** @type {any} */ (new FakeCanvas())), { name: 'AbortError' });
  model.close();
});

test('ink that differs from its ground only in transparency is visible, for any colour and model', () => {
  const draw = (/** @type {number[]} */ ink, /** @type {number} */ opacity = 255) => [
    ...ink,
    opacity,
    ...ink,
    0,
    ...ink,
    opacity,
    9,
    9,
    9,
    0,
  ];
  for (const ink of [
    [0, 0, 0],
    [10, 20, 30],
    [0, 0, 139],
    [60, 60, 60],
  ]) {
    const [a, b, c, d] = fromRGBA(draw(ink), 1);
    assert.ok(a > 180 && c === a && b === 0 && d === 0, `${ink}: ${[a, b, c, d]}`);
  }
  assert.deepEqual([...fromRGBA(draw([0, 0, 0], 128), 1)], [128, 0, 128, 0]); // half-transparent ink, as at the edge of a stroke
  assert.deepEqual([...fromRGBA(draw([255, 255, 255]), 1)], [255, 0, 255, 0]);
  assert.deepEqual([...fromRGBA(draw([200, 200, 200]), 1)], [200, 0, 200, 0]);
  assert.deepEqual([...fromRGBA([0, 0, 0, 255, 0, 0, 0, 255], 1)], [0, 0]); // opaque black everywhere is a black picture
  assert.deepEqual([...fromRGBA(new Array(16).fill(0), 1)], [0, 0, 0, 0]); // a transparent canvas: nothing was drawn
  assert.deepEqual([...fromRGBA(draw([0, 0, 0]), 3).slice(0, 6)], [0, 0, 0, 255, 255, 255]);
  assert.deepEqual([...fromRGBA(draw([255, 255, 255]), 3).slice(0, 6)], [255, 255, 255, 0, 0, 0]);
  assert.deepEqual([...fromRGBA(draw([255, 255, 0]), 3).slice(0, 6)], [255, 255, 0, 255, 255, 255]);
});

test('elements of a page are read in the size that they report, or are refused with a reason', () => {
  const shape = { width: 2, height: 2, channels: 1 };
  for (const [image, message] of /** @type {[any, RegExp][]} */ ([
    [{ videoWidth: 0, videoHeight: 0, readyState: 0, width: 10, height: 10 }, /video.*loadeddata/],
    [{ displayWidth: 0, displayHeight: 0 }, /VideoFrame was closed/],
    [{ naturalWidth: 0, naturalHeight: 0 }, /decode\(\)/],
    [{ width: 0, height: 5 }, /no pixels/],
    [{ width: 1e5, height: 1e5 }, /can be read/],
    [{ videoWidth: 4, videoHeight: 4, readyState: 4 }, /data, width, height/],
    [{}, /no pixels/],
    [new Map(), /no pixels/],
  ]))
    assert.throws(() => pictureOf(image, shape), isError('argument', message));
});
