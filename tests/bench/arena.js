// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A browser with several pages that run the contenders. A contender is a runtime with a model. Each page stores its contenders in its
 * global variable `contenders`.
 */

const PAGES = '/tests/bench/pages/';

/**
 * A measurement: one call of a contender's method in each round.
 *
 * @typedef {{ name: string, page: string, target: string, method: string, args?: object }} Probe
 */

export class Arena {
  #browser;
  #url;
  /** @type {Map<string, import('playwright-core').Page>} */
  #pages = new Map();
  /** @type {Set<string>} */
  #started = new Set();
  /** Contenders that run in this process, by page and name. @type {Map<string, any>} */
  #here = new Map();

  /**
   * @param {import('playwright-core').Browser} browser
   * @param {string} url  address of the server
   */
  constructor(browser, url) {
    this.#browser = browser;
    this.#url = url;
  }

  /** @param {string} name */
  async #page(name) {
    const found = this.#pages.get(name);
    if (found) return found;
    const page = await (await this.#browser.newContext()).newPage(); // a separate context, so the page has its own process
    page.setDefaultTimeout(0);
    await page.goto(`${this.#url}${PAGES.slice(1)}index.html`);
    await page.evaluate(() => {
      /** @type {any} */ (globalThis).contenders = {};
    });
    this.#pages.set(name, page);
    return page;
  }

  /**
   * Calls a function of a module in a page and stores its result as a contender.
   *
   * @param {string} name    name of the page; the page is opened if necessary
   * @param {string} target  name of the contender in the page. If the page already has a contender of this name, the function is not called
   * @param {string} module
   * @param {string} method
   * @param {object} options
   * @returns {Promise<{ page: string, target: string }>}
   */
  async start(name, target, module, method, options) {
    const full = `${name} ${target}`;
    if (!this.#started.has(full)) {
      this.#started.add(full);
      const page = await this.#page(name);
      await page.evaluate(
        async ([at, file, start, given]) => {
          /** @type {any} */ (globalThis).contenders[at] = await (await import(file))[start](given);
        },
        /** @type {const} */ ([target, `${PAGES}${module}.js`, method, /** @type {any} */ (options)]),
      );
    }
    return { page: name, target };
  }

  /**
   * Adds a contender that runs in this process, without a page.
   *
   * @param {string} page    a name that no page has
   * @param {string} target
   * @param {Record<string, (args: any) => any> & { close: () => Promise<void> }} contender
   * @returns {{ page: string, target: string }}
   */
  keep(page, target, contender) {
    this.#here.set(`${page} ${target}`, contender);
    return { page, target };
  }

  /** Closes each page whose name satisfies `which`, with all its contenders. @param {(name: string) => boolean} which */
  async close(which) {
    for (const [name, contender] of this.#here) {
      if (!which(name)) continue;
      await contender.close();
      this.#here.delete(name);
    }
    for (const [name, page] of this.#pages) {
      if (!which(name)) continue;
      await page.context().close();
      this.#pages.delete(name);
    }
  }

  /** @param {Probe} probe @returns {Promise<any>} the method's result */
  async measure({ name, page: where, target, method, args = {} }) {
    const here = this.#here.get(`${where} ${target}`);
    if (here) return here[method](args);
    const page = await this.#page(where);
    try {
      return await page.evaluate(
        ([at, what, given]) => /** @type {any} */ (globalThis).contenders[at][what](given),
        /** @type {const} */ ([target, method, /** @type {any} */ (args)]),
      );
    } catch (cause) {
      throw new Error(`${name}: ${/** @type {Error} */ (cause).message}`, { cause });
    }
  }
}
