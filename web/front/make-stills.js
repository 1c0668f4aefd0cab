// SPDX-License-Identifier: MIT
// Creates web/pages/NAME/still.png for every card on the front page, in the colours of the light theme. For a card with a live drawing, the
// still shows the same pictures as the drawing (papers.js). For any other card, web/pages/NAME/still.js draws the still.
//
//   node web/front/make-stills.js [NAME...]
// @ts-check
import { writeFile } from 'node:fs/promises';

import { PAPERS } from './papers.js';
import { stillOfPictures } from './stills.js';

const wanted = process.argv.slice(2);
for (const { page, pictures } of PAPERS) {
  if (!page || (wanted.length && !wanted.includes(page))) continue;
  const folder = new URL(`../pages/${page}/`, import.meta.url);
  const png = await (pictures ? stillOfPictures(pictures) : (await import(`${folder}still.js`)).still());
  await writeFile(new URL('still.png', folder), png);
  console.log(`${page}: ${png.length} bytes`);
}
