// SPDX-License-Identifier: MIT
// @ts-check

/** Generates the frame of a manual page: the frame of the other pages (web/tools/frame.js), plus the style sheet web/manual/manual.css. */

import { masthead, opening } from '../../tools/frame.js';

/**
 * @typedef {object} Page
 * @property {string} name      name of the page's file without .html
 * @property {string} title     heading as HTML
 * @property {string} deck      text next to the heading, as HTML
 * @property {string} body      HTML
 * @property {{ id: string, text: string, level: number }[]} contents  headings of the page; text: HTML
 */

/** @param {string} name */
export const addressOf = (name) => (name === 'index' ? './' : `${name}.html`);

/** @param {string} html */
const withoutTags = (html) => html.replace(/<[^>]+>/g, '');

/**
 * @param {Page} page
 * @param {{ chapters: [string, string][], line: string }} manual  chapters: file names and titles; line: text of the comment that names the
 *   sources of the page
 */
export function framed({ name, title, deck, body, contents }, { chapters, line }) {
  const place = chapters.findIndex(([chapter]) => chapter === name);
  const link = (/** @type {[string, string]} */ [file, label]) =>
    `<a href="${addressOf(file)}"${file === name ? ' aria-current="page"' : ''}>${label}</a>`;
  const next = chapters[place + 1];
  const live = body.includes('<next-pixel');
  const tags = [
    '<link rel="stylesheet" href="../shell/page.css">',
    '<link rel="stylesheet" href="manual.css">',
    '<script type="module" src="main.js"></script>',
    ...(live ? ['<script type="module" src="../dist/define.js"></script>'] : []),
  ];
  const description = withoutTags(deck).replaceAll('"', '&quot;').replace(/\s+/g, ' ');
  return `${opening({ title: ` manual: ${withoutTags(title)}`, description, up: '../', line, tags, kind: 'manual' })}  <a class="skip" href="#content">Skip to the text</a>

${masthead('../', chapters.map(link).join('\n      '), 'Chapters of the manual')}
  <main>
    <div class="opening">
      <h1>${title}</h1>
      <div class="deck">${deck}</div>
    </div>

    <div class="sheet">
      <nav class="contents" aria-label="On this page">
        <search class="search needs-js">
          <label for="search">Search the manual</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false">
          <p id="found-said" class="found-said" role="status"></p>
          <ul id="found"></ul>
        </search>
        <ul>
${contents.map(({ id, text, level }) => `          <li class="level-${level}"><a href="#${id}">${text}</a></li>`).join('\n')}
        </ul>
      </nav>
      <div id="content" class="text">
${body.trimEnd()}
      </div>
    </div>${
      next
        ? `

    <nav class="ways" aria-label="Next chapter">
      <p>${link(next)}</p>
    </nav>`
        : ''
    }
  </main>

  <footer class="colophon">
    <p><a href="../">The systems</a>, live. Code: MIT licence.</p>
  </footer>

</body>
</html>
`;
}
