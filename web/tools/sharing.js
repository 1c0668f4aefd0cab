// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Adds the Open Graph tags for previews of shared links: a picture, a title and a description. These tags need absolute addresses, so the
 * address of the site must be given: ./build.sh site --address.
 */

import { languageOf } from './languages.js';

/** The preview picture: its path in the site, and its size in pixels. */
const PICTURE = { path: 'web/front/screenshot.png', width: 1200, height: 842 };

/**
 * Adds the preview tags to the head of a page. Also makes the page's links to other languages absolute.
 *
 * @param {string} html
 * @param {string} path     path of the page within the site
 * @param {string} address  address of the site, ending with /
 */
export function shared(html, path, address) {
  const url = new URL(path.replace(/index\.html$/, ''), address).href;
  const [, lang = 'en'] = /<html lang="(\w+)">/.exec(html) ?? [];
  const [, title = ''] = /<title>(.*?)<\/title>/.exec(html) ?? [];
  const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(html) ?? [];
  const whole = html.replace(/(<link rel="alternate" hreflang="\w+" href=")([^"]*)"/g, (_, tag, way) => `${tag}${new URL(way, url).href}"`);
  const properties = {
    type: 'website',
    site_name: 'nextpixel',
    title: title.replaceAll('"', '&quot;'),
    description,
    url,
    locale: languageOf(lang === 'en' ? undefined : lang).locale,
    image: new URL(PICTURE.path, address).href,
    'image:width': PICTURE.width,
    'image:height': PICTURE.height,
  };
  const tags = Object.entries(properties)
    .map(([name, value]) => `  <meta property="og:${name}" content="${value}">\n`)
    .join('');
  return whole.replace(
    '</head>',
    `${tags}  <meta name="twitter:card" content="summary_large_image">\n  <link rel="canonical" href="${url}">\n</head>`,
  );
}
