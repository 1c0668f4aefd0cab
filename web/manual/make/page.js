// SPDX-License-Identifier: MIT
// @ts-check

/** The frame of a page of the manual, that of the other pages: web/shell/page.css and web/manual/manual.css. */

/**
 * @typedef {object} Page
 * @property {string} name      of its file, without .html
 * @property {string} title     HTML of its heading
 * @property {string} deck      HTML of what stands beside that
 * @property {string} body      HTML
 * @property {{ id: string, text: string, level: number }[]} contents  text: HTML
 */

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src 'self' data: blob:; style-src 'self'; " +
  "base-uri 'none'; form-action 'none'";

/** @param {string} name */
export const addressOf = (name) => (name === 'index' ? './' : `${name}.html`);

/** @param {string} html */
const withoutTags = (html) => html.replace(/<[^>]+>/g, '');

/**
 * @param {Page} page
 * @param {{ chapters: [string, string][], line: string }} manual  chapters: names of files and what they are called; line: what the page is made of
 */
export function framed({ name, title, deck, body, contents }, { chapters, line }) {
  const place = chapters.findIndex(([chapter]) => chapter === name);
  const link = (/** @type {[string, string]} */ [file, label]) => `<a href="${addressOf(file)}"${file === name ? ' aria-current="page"' : ''}>${label}</a>`;
  const next = chapters[place + 1];
  const live = body.includes('<next-pixel');
  return `<!doctype html>
<!-- ${line} -->
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta http-equiv="Content-Security-Policy" content="${POLICY}">
  <title>nextpixel manual: ${withoutTags(title)}</title>
  <meta name="description" content="${withoutTags(deck).replaceAll('"', '&quot;').replace(/\s+/g, ' ')}">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="../shell/icon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="../shell/page.css">
  <link rel="stylesheet" href="manual.css">
  <script type="module" src="main.js"></script>${live ? '\n  <script type="module" src="../dist/define.js"></script>' : ''}
</head>
<body class="manual">
  <a class="skip" href="#content">Skip to the text</a>

  <header class="masthead">
    <p class="wordmark"><a href="../">next<span class="predicted">pixel</span></a></p>
    <nav aria-label="Chapters of the manual">
      ${chapters.map(link).join('\n      ')}
    </nav>
  </header>

  <main>
    <div class="opening">
      <h1>${title}</h1>
      <div class="deck">${deck}</div>
    </div>

    <div class="sheet">
      <nav class="contents" aria-label="On this page">
        <ul>
${contents.map(({ id, text, level }) => `          <li class="level-${level}"><a href="#${id}">${text}</a></li>`).join('\n')}
        </ul>
      </nav>
      <div id="content" class="text">
${body.trimEnd()}
      </div>
    </div>${next ? `

    <nav class="ways" aria-label="Next chapter">
      <p>${link(next)}</p>
    </nav>` : ''}
  </main>

  <footer class="colophon">
    <p><a href="../">The systems</a>, live. Code: MIT licence.</p>
  </footer>

</body>
</html>
`;
}
