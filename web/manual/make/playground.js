// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds the manual's playground: the form as HTML, and the library's tables of verbs and options as JSON. web/manual/playground.js reads
 * this JSON.
 */

import { readFile, readdir } from 'node:fs/promises';

import { KINDS } from '../../lib/kinds/index.js';
import { SETTINGS } from '../../lib/settings.js';
import * as VERBS from '../../lib/verbs/index.js';
import { commentsOf } from '../../tools/options.js';

const ROOT = new URL('../../../', import.meta.url);

/** Verbs that read a file but are not tasks of the element. */
const READS = ['encode', 'score'];

/** Returns whether the form has a field for this option. @param {any} row @param {string} name */
const hasField = (row, name) => Boolean(row.whole || row.number || row.flag) || ['seed', 'label', 'speaker', 'stop'].includes(name);

/** Returns the tables of verbs and options. */
export async function playgroundTables() {
  const said = commentsOf(await readFile(new URL('web/lib/settings.js', ROOT), 'utf8'));
  const settings = Object.entries(SETTINGS)
    .filter(([name, row]) => row.of !== '' && hasField(row, name))
    .map(([name, row]) => {
      const { of, whole, number, flag, initial } = /** @type {import('../../lib/settings.js').Setting} */ (row);
      return { name, of, whole, number, flag, initial, said: (said.get(name) ?? '').replace(/^\{.*?\} /, '').replaceAll('`', '') };
    });
  // Leaves out the verbs that the form does not support.
  const verbs = Object.fromEntries(
    Object.entries(VERBS)
      .filter(([name]) => !['attention', 'chat', 'decode'].includes(name))
      // reads: the verb reads a file; several: a picture and examples; text: a text, and returns an answer that can be drawn
      .map(([name, { draws, ...rest }]) => {
        const { attributes = {}, inside } = /** @type {{ attributes?: object, inside?: string }} */ (rest);
        const reads = 'src' in attributes || READS.includes(name);
        return [name, { draws, reads, several: inside !== undefined, text: !draws && 'prompt' in attributes }];
      }),
  );
  const kinds = Object.fromEntries(
    KINDS.map(({ name, verbs: own }) => [name, Object.fromEntries(Object.entries(own).map(([verb, { settings: of = '' }]) => [verb, of]))]),
  );
  return { verbs, kinds, settings };
}

/** Returns the HTML of the form. */
export async function playgroundForm() {
  const files = (await readdir(new URL('weights', ROOT))).filter((name) => /^[\w-]+\.gguf$/.test(name)).sort();
  return `<link rel="modulepreload" id="library" href="../dist/nextpixel.js">
<div id="playground" class="playground needs-js">
<div class="play-row">
<p><label for="play-file">Model</label> <select id="play-file">${files.map((name) => `<option${name === 'digits.gguf' ? ' selected' : ''}>${name}</option>`).join('')}</select></p>
<p><label for="play-own">Or your own file</label> <input id="play-own" type="file" accept=".gguf"></p>
<p><label for="play-verb">Verb</label> <select id="play-verb" disabled></select></p>
</div>
<p id="play-said" class="found-said" role="status"></p>
<div id="play-given" class="play-row"></div>
<details id="play-more"><summary>Options</summary><div id="play-options" class="play-options"></div></details>
<p class="play-row"><button id="play-run" type="button" class="button primary" disabled>Run</button> <button id="play-stop" type="button" class="button" disabled>Stop</button></p>
<pre tabindex="0"><code id="play-code"></code></pre>
<canvas id="play-canvas" class="play-canvas" role="img" aria-label="Drawing of the run" width="28" height="28"></canvas>
<pre id="play-result" class="play-result" tabindex="0" aria-label="Result of the call" hidden></pre>
</div>
<p class="needs-js-not">The playground needs JavaScript.</p>
<p hidden>${files.map((name) => `<a class="weights" href="../../weights/${name}">${name}</a>`).join(' ')}</p>
<script type="module" src="playground.js"></script>`;
}
