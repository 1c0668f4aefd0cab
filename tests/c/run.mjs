// SPDX-License-Identifier: MIT
//
// Runs the C tests that were compiled to WebAssembly:  node tests/c/run.mjs FILE.wasm [arguments of the tests]
// A trap is a failure. The module imports only two functions: the first prints text, and the second reads a file.
import { readFile } from 'node:fs/promises';
import { readFileSync, writeSync } from 'node:fs';

const [file, ...args] = process.argv.slice(2);
const bytes = (at, n) => new Uint8Array(wasm.memory.buffer, at, n);
const text = (at, n) => new TextDecoder().decode(bytes(at, n));

const env = {
  print: (at, n) => writeSync(1, text(at, n)),
  // returns the size of a file in bytes, or -1; copies the bytes to `to` if they fit
  read_file(at, n, to, room) {
    try {
      const content = readFileSync(text(at, n));
      if (content.length <= room) bytes(to, content.length).set(content);
      return content.length;
    } catch {
      return -1;
    }
  },
};

const { instance } = await WebAssembly.instantiate(await readFile(file), { env });
const wasm = instance.exports;
try {
  const given = new TextEncoder().encode(args.map((arg) => `${arg}\0`).join(''));
  if (given.length > 8192) throw new RangeError('too many arguments');
  bytes(wasm.argument_room(), given.length).set(given);
  process.exitCode = wasm.run(given.length);
} catch (error) {
  const at = wasm.running_test();
  const name = text(at, bytes(at, 200).indexOf(0));
  console.log(`${name}: ${error.stack}\nFAILED ${name} (trap)\n0 passed, 1 failed`);
  process.exitCode = 1;
}
