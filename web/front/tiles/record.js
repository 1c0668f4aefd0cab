// SPDX-License-Identifier: MIT
// Creates web/front/tiles/record.json, which contains one recorded model output for each tile on the front page. The tile shows this output
// until its model has loaded.
//
//   node web/front/tiles/record.js
//
// Each record is generated with the shipped weights and the seed in web/pages/NAME/record.js.
// @ts-check
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { serve } from '../../tools/serve.js';
import { LIBRARY, launch, openEmpty } from '../../../tests/browser/browser.js';
import { TILES } from './list.js';

const OUT = new URL('record.json', import.meta.url);

const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
try {
  const page = await browser.newPage({ baseURL: server.url });
  await openEmpty(page);
  /** @type {Record<string, any>} */
  const records = {};
  for (const [name, { file }] of Object.entries(TILES)) {
    records[name] = await page.evaluate(
      async ([library, script, weights]) => {
        const [{ load }, { record }] = await Promise.all([import(library), import(script)]);
        const model = await load(weights);
        try {
          return await record(model);
        } finally {
          model.close();
        }
      },
      [LIBRARY, `/web/pages/${name}/record.js`, `/weights/${file}`],
    );
    console.log(`${name}: ${JSON.stringify(records[name]).length} bytes`);
  }
  await writeFile(fileURLToPath(OUT), `${JSON.stringify(records)}\n`);
} finally {
  await browser.close();
  await server.close();
}
