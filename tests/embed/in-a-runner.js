// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The code that runners.test.js runs in Vitest and Jest. The code is one function, which runners.test.js inserts as text into a test file.
 * One runner executes the file as a script, the other as a module.
 */

/**
 * Tries the inputs that a page can pass to the library. The values are made from the classes of the runner's realm, which differ from those
 * of the library's realm if the runner has its own window.
 *
 * @param {any} library
 * @param {{ path: string, bytes: Uint8Array }} weights  path: path of the weight file; its model draws 8 x 8 pixels
 * @returns {Promise<{ tried: string[], wrong: Record<string, string> }>} wrong: errors by name
 */
export async function inARunner({ load, tokenizer, NextPixelError }, { path, bytes }) {
  const realm = /** @type {any} */ (globalThis);
  const own = () => realm.Uint8Array.from(bytes);
  const draws = async (/** @type {any} */ source) => {
    const model = await load(source);
    let count = 0;
    for await (const { values } of model.generate({ seed: 1 })) count += values.length;
    model.close();
    if (count !== 64) throw new Error(`${count} of 64 elements`);
  };
  /** @param {() => Promise<unknown>} what  @param {(error: any) => unknown} isRight */
  const fails = async (what, isRight) => {
    const error = await what().then(
      () => new Error('it does not fail'),
      (reason) => reason,
    );
    if (!isRight(error)) throw error;
  };
  /** @type {Record<string, () => Promise<unknown>>} */
  const tries = {
    path: () => draws(path),
    Buffer: () => draws(bytes),
    Uint8Array: () => draws(own()),
    ArrayBuffer: () => draws(own().buffer),
    URL: () => draws(new realm.URL(`file://${path}`)),
    Blob: () => draws(new realm.Blob([own()])),
    File: () => draws(new realm.File([own()], 'toy.gguf')),
    Response: () => draws(new realm.Response(own())),
    ReadableStream: () =>
      draws(
        new realm.ReadableStream({
          start: (/** @type {any} */ to) => {
            to.enqueue(own());
            to.close();
          },
        }),
      ),
    ImageData: async () => {
      const model = await load(path);
      const { nats } = await model.score(new realm.ImageData(8, 8), { label: 'cat' });
      model.close();
      if (!(nats > 0)) throw new Error(`${nats} nats`);
    },
    AbortController: async () => {
      const stopper = new realm.AbortController();
      const model = await load(path, { signal: stopper.signal });
      const isStop = (/** @type {any} */ error) => error === stopper.signal.reason || error.name === 'AbortError';
      await fails(async () => {
        for await (const _ of model.generate({ signal: stopper.signal })) stopper.abort();
      }, isStop);
      await fails(() => load(path, { signal: stopper.signal }), isStop);
      model.close();
    },
    NextPixelError: async () => {
      const isOurs = (/** @type {any} */ error) => error instanceof NextPixelError && error instanceof Error;
      for (const source of [{}, 7, null, 'http://[', `${path}.none`, new realm.Map()]) await fails(() => load(source), isOurs);
      for (const source of [path, own()])
        await fails(
          () => tokenizer(source),
          (error) => isOurs(error) && error.code === 'unsupported',
        ); // the model draws pictures, so there is no tokenizer
    },
    // The element is created, loads the model, and reports an error if there is no canvas to draw on.
    document: async () => {
      const element = realm.document.createElement('next-pixel');
      element.setAttribute('model', `file://${path}`);
      element.setAttribute('task', 'generate');
      element.controls = true;
      const told = new Promise((resolve) => {
        element.addEventListener('nx-end', () => resolve('drawn'));
        element.addEventListener('nx-error', (/** @type {any} */ event) => {
          event.preventDefault();
          resolve(`${event.error.code}: ${event.error.message}`);
        });
      });
      realm.document.body.append(element);
      element.play();
      const how = await told;
      element.remove();
      if (!/^drawn$|^argument: drawTo\(\) needs a canvas/.test(String(how))) throw new Error(String(how));
    },
  };
  /** @type {string[]} */
  const tried = [];
  /** @type {Record<string, string>} */
  const wrong = {};
  for (const [name, what] of Object.entries(tries)) {
    if (/^[A-Zd]/.test(name) && !/^(Buffer|NextPixelError)$/.test(name) && !realm[name]) continue; // the runner's window lacks this class
    tried.push(name);
    await what().catch((error) => {
      wrong[name] = String(error?.stack ?? error);
    });
  }
  return { tried, wrong };
}
