// SPDX-License-Identifier: MIT

/** Code that users of the package may write, and code that the types must reject. package.test.js compiles this file; it never runs. */

import { NextPixelError, acquire, cache, load, supported, tokenizer } from 'nextpixel';
import { NextPixelElement, NextPixelStepEvent } from 'nextpixel/element';
import type {
  AttentionMap,
  PictureOptions,
  ErrorCode,
  KeptFile,
  ModelInfo,
  Phase,
  Picture,
  Progress,
  SavedPicture,
  SavedText,
  SavedTranslation,
  PictureScore,
  SearchStep,
  Source,
  PictureStep,
  TextScore,
  TextRun,
  Tokenizer,
  TranslationRun,
} from 'nextpixel';

export async function use(canvas: HTMLCanvasElement, image: HTMLImageElement): Promise<void> {
  const can: boolean = supported;
  const controller = new AbortController();
  const model = await load('weights/digits.gguf', {
    signal: controller.signal,
    onProgress: ({ loaded, total }) => console.log(loaded / (total ?? loaded)),
    integrity: 'sha256-x',
    cache: false,
    workers: 2,
    wasmUrl: new URL('https://example.org/nextpixel.wasm'),
  });
  await load(new URL('https://example.org/'), { workers: 'auto' });
  const workers: number = model.workers;
  await load(new Uint8Array(1));
  await load(new ArrayBuffer(1));
  await load(new Response());
  await load(new Blob([]), {
    patience: 1000,
    workerUrl: 'worker.js',
    onProgress: ({ phase }: Progress) => console.log(phase satisfies Phase),
  });
  await load(new ReadableStream<Uint8Array>());
  const source: Source = 'hf:owner/name/file.gguf';
  const hold = await acquire(source, { cache: false });
  hold.release();
  const files: KeptFile[] = await cache.list();
  const unfinished: number | undefined = files[0].size;
  console.log(unfinished);
  const freed: boolean = await cache.delete(files[0].url);
  const bytes: number = await cache.size();
  void [freed, bytes, await cache.persist()];

  const info: ModelInfo = model.info;
  const names: string[] = info.classes;
  const options: PictureOptions & { rows?: number } = {
    rows: 14,
    samples: 3,
    seed: 7n,
    temperature: 1,
    topK: 0,
    topP: 1,
    label: '7',
    resample: 3,
    resampleRows: 2,
    chunkSize: 1,
  };
  const run = model.complete(image, options);
  const seed: number | bigint = run.seed;
  for await (const step of run) {
    const { sample, from, to, values, nats, anew = false }: PictureStep = step;
    const numbers: number[] = [sample, from, to, values[0], nats[0]];
    const again: boolean = anew;
    void [numbers, again];
  }
  const pictures: Picture[] = await model.generate({ label: 3 }).drawTo([canvas, new OffscreenCanvas(1, 1)], { signal: controller.signal });
  const [silent]: Picture[] = await model.generate().pictures();
  void silent;
  canvas.getContext('2d')?.putImageData(new ImageData(pictures[0].data, pictures[0].width), 0, 0);
  for (const source of [image, canvas, new ImageData(1, 1), await createImageBitmap(image), new OffscreenCanvas(1, 1)])
    model.complete(source);
  const score: PictureScore = await model.score({ data: new Uint8Array(784), width: 28, height: 28 }, { label: null });
  const attention: AttentionMap[] = await model.attention(canvas, { row: 1, column: 2 });
  const weights: Float32Array = attention[0].weights;
  const places: Int32Array = attention[0].keys;
  const order: Uint32Array = model.order;
  const palette: Uint8Array | null = info.kind === 'picture' ? info.palette : null;
  const enlarging = model.superResolve(canvas, { samples: 2, seed: 1, temperature: 0.9, topK: 3, topP: 0.5, chunkSize: 3 });
  const small: Uint8Array = await enlarging.input;
  const known: Uint8Array = await run.input;
  await model.score(image, { input: canvas });
  await model.attention(image, { row: 0, column: 0, channel: 2, input: new ImageData(8, 8) });
  model.close();

  try {
    await load('missing.gguf');
  } catch (error) {
    if (error instanceof NextPixelError) {
      const code: ErrorCode = error.code;
      if (error.code === 'network') console.log(error.message, error.status);
      // @ts-expect-error: the codes are a closed list
      if (error.code === 'netwrok') console.log(code);
    }
  }

  // @ts-expect-error: no such option
  model.complete(image, { row: 14 });
  // @ts-expect-error: a number
  model.generate({ temperature: '1' });
  // @ts-expect-error: row and column are needed
  await model.attention(canvas, { row: 1 });
  // @ts-expect-error: neither an image nor a text
  await model.score(7);
  const run3: TranslationRun = model.translate('Ein Hund', {
    beams: 4,
    lengthPenalty: 1,
    maps: true,
    onSearch: ({ hypotheses }: SearchStep) => void hypotheses[0].score,
  });
  for await (const { text, alignment } of run3) void [text.length, alignment?.[0]];
  void [run3.encoder[0], run3.sourceTexts[0], run3.finish === 'end', (await model.score('A dog', { source: 'Ein Hund' })).natsPerToken];
  const run2: TextRun = model.generate('Once upon a time', {
    maxTokens: 9,
    stop: ['.'],
    logitBias: { ' the': -5 },
    alternatives: 3,
    maps: true,
    minP: 0.1,
  });
  for await (const { text, token, nats: paid, alternatives, maps } of run2) {
    const words: [string, number, number] = [text, token, paid];
    void [words, alternatives?.[0].text, maps?.[0].weights];
  }
  const kept: SavedText = JSON.parse(JSON.stringify(run2.save()));
  const end: 'stop' | 'length' | 'end' | 'abort' | undefined = run2.finish;
  const told: string = await model.resume(kept, { at: 2, seed: 3 }).text();
  const half: SavedTranslation = run3.save();
  for await (const { alignment } of model.resume(half, { maps: true })) void alignment;
  const begun: SavedPicture = JSON.parse(JSON.stringify(model.generate().save()));
  const [picture] = await model.resume(begun, { chunkSize: 8 }).pictures();
  // @ts-expect-error: it goes on as it was begun
  model.resume(begun, { temperature: 2 });
  model.generate().stop();
  void picture.width;
  const cost: TextScore = await model.score('Once upon');
  const own: Tokenizer = await tokenizer(new Blob());
  const ids: Uint32Array = own.encode('x', { special: true });
  // @ts-expect-error: no such option
  model.generate('x', { max_tokens: 3 });
  await model.generate([1, 2]).drawTo(canvas, { mirror: document.body });
  void [end, told, cost.natsPerByte, own.decode(ids), own.size];
  // @ts-expect-error: a number or 'auto'
  await load('weights/digits.gguf', { workers: 'all' });
  // @ts-expect-error: found by load()
  model.workers = 2;
  // @ts-expect-error: no source
  await load(7);
  // @ts-expect-error: rows are for complete()
  model.superResolve(canvas, { rows: 4 });
  void [can, workers, names, seed, score.bitsPerDim, weights, places, order, palette, small, known];
}

/** Listens to the events of the element while it draws. */
export function listen(element: NextPixelElement): void {
  element.addEventListener('nx-step', ({ step }: NextPixelStepEvent) => {
    if ('samples' in step) console.log(step.samples[0]);
    else if ('latent' in step) console.log(step.latent);
    else if ('probabilities' in step) console.log(step.probabilities);
    else if ('heads' in step) console.log(step.heads);
    else if ('tags' in step) console.log(step.tags);
    else if ('text' in step) console.log(step.text);
    else if ('values' in step) console.log(step.values[0]);
    else console.log(step.events.length);
  });
  element.from = 1;
  element.to = 2;
  element.steps = 8;
}
