// SPDX-License-Identifier: MIT
// Keeps the files of a course on the device for offline visits: its pages in all languages, the scripts and the models. Scripts and pages
// are stored in the service worker's cache (sw.js), and models are stored in the library's cache. A third cache stores a list of the files
// of each course. Files in one of these lists are not deleted.
// @ts-check
import { PATIENCE_MS } from '../../lib/load/patience.js';
import { fastest } from '../../lib/workers/simd.js';
import { make } from './dom.js';
import { fault } from './fault.js';
import { COURSES, workOffline } from './offline.js';
import { phrase } from './phrase.js';
import { bytes } from './words.js';

/**
 * @typedef {[address: string, bytes: number, tag: string]} CourseFile  tag: version of the file; two files with the same name and tag are
 *   identical
 */
/**
 * @typedef {object} Kept
 * @property {string} release
 * @property {CourseFile[]} files
 * @property {string[]} [ids]  ids of all courses in this release
 */

const [FILES, MODELS] = ['nextpixel-page', 'nextpixel'];
/** Number of parallel downloads. */
const AT_ONCE = 4;
/**
 * Name of the lock that a page holds while it stores or deletes files. Without the lock, another page could delete the files of an
 * unfinished download, because no list contains them yet.
 */
const LOCK = 'nextpixel-courses';
/** Matches the folders of a release. Files in these folders never change. */
const FIXED = /\/(dist|weights)-[0-9a-f]{12}\//;

/** Address of web/. */
const web = new URL('../../', import.meta.url).href;

const isModel = (/** @type {string} */ url) => url.endsWith('.gguf');
const cacheOf = (/** @type {string} */ url) => caches.open(isModel(url) ? MODELS : FILES);
const sizeOf = (/** @type {CourseFile[]} */ files) => files.reduce((sum, [, size]) => sum + size, 0);
/** Identifies the contents of a file independently of the release. @param {CourseFile} file */
const versionOf = ([url, , tag]) => `${url.replace(FIXED, '/$1/')} ${tag}`;

/**
 * Runs a task under the lock, so that no other page or box stores or deletes files meanwhile.
 *
 * @param {() => Promise<void>} task
 * @param {() => AbortSignal} [onWait]  called if the task must wait for the lock; returns a signal that cancels the wait
 */
async function alone(task, onWait) {
  if (!navigator.locks) return task();
  let free = true;
  await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
    free = lock !== null;
    return free ? task() : undefined;
  });
  if (free) return;
  await navigator.locks.request(LOCK, { signal: onWait?.() }, task);
}

/** Returns the builds of the library that this browser uses. */
function builds() {
  const best = fastest();
  const names = ['', ...(best === 'baseline' ? [] : [`-${best}`])];
  return [...names, ...(crossOriginIsolated ? names.map((name) => `-threads${name}`) : [])].map((name) => `/nextpixel${name}.wasm`);
}

/** Thrown when the server responds with an error status. */
class HostError extends Error {
  /** @param {string} url @param {number} status */
  constructor(url, status) {
    super(`${url}: ${status}`);
    this.file = new URL(url).pathname.replace(/.*\/(?=.)/, '');
    this.status = status;
  }
}

/**
 * Converts the error of a lost connection to a NetworkError. No other error in this file has the name NetworkError.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
const fromHost = (answer) =>
  answer.catch((cause) => {
    throw cause instanceof TypeError || cause?.name === 'TimeoutError' ? new DOMException(cause.message, 'NetworkError') : cause;
  });

/** Returns the current courses of the site, by id. @returns {Promise<Record<string, Kept>>} */
async function currentCourses() {
  const url = `${web}courses.json`;
  const answer = await fromHost(fetch(url, { cache: 'no-cache', signal: AbortSignal.timeout(PATIENCE_MS) }));
  if (!answer.ok) throw new HostError(url, answer.status);
  const { release, courses } = await fromHost(answer.json());
  const used = builds();
  const ids = Object.keys(courses);
  return Object.fromEntries(
    Object.entries(/** @type {Record<string, { files: CourseFile[] }>} */ (courses)).map(([id, { files }]) => {
      const whole = files.map(([address, size, tag]) => /** @type {CourseFile} */ ([new URL(address, web).href, size, tag]));
      return [id, { release, ids, files: whole.filter(([url]) => !url.endsWith('.wasm') || used.some((name) => url.endsWith(name))) }];
    }),
  );
}

/** Returns the names of the pages in a list of files. @param {CourseFile[]} files */
const pagesIn = (files) => [...new Set(files.flatMap(([url]) => /\/pages\/([^/]+)\/(?:\w+\/)?$/.exec(url)?.[1] ?? []))];

/**
 * Returns the current id of a stored course. If the site no longer has that id, the course was renamed. The function then returns the id of
 * the course that now contains most of the stored course's pages.
 * @param {string} id
 * @param {Kept | undefined} kept
 * @param {Record<string, Kept>} courses
 */
function currentId(id, kept, courses) {
  if (Object.hasOwn(courses, id)) return id;
  const pages = pagesIn(kept?.files ?? []);
  return Object.keys(courses).find((other) => {
    if (kept?.ids?.includes(other)) return false; // a course of the stored release cannot be this course under a new name
    const theirs = pagesIn(courses[other].files);
    return 2 * pages.filter((page) => theirs.includes(page)).length > pages.length;
  });
}

/**
 * Returns the id of the site's course that should replace a stored course, or undefined if the stored course is up to date.
 *
 * @param {string} id
 * @param {Kept} kept
 * @param {Record<string, Kept>} courses
 */
function newerId(id, kept, courses) {
  const now = currentId(id, kept, courses);
  return now === id && kept.release === courses[id].release ? undefined : now;
}

const recordOf = (/** @type {string} */ id) => `${web}courses/${id}`;

/**
 * Address under which the file list of an unfinished download is stored. The service worker does not serve files from this list. The list
 * makes it possible to delete the files later, even if the visitor leaves the page.
 */
const unfinishedOf = (/** @type {string} */ id) => `${web}unfinished/${id}`;

/**
 * Returns the files of an unfinished download, or an empty list if there is none.
 * @param {string} id
 * @returns {Promise<CourseFile[]>}
 */
const unfinished = async (id) => (await (await caches.match(unfinishedOf(id), { cacheName: COURSES }))?.json())?.unfinished ?? [];

/** @param {string} id @returns {Promise<Kept | undefined>} */
const keptOf = async (id) => (await caches.match(recordOf(id), { cacheName: COURSES }))?.json();

/** Returns the ids of all stored lists whose addresses have this form. @param {(id: string) => string} addressOf */
async function idsAt(addressOf) {
  const keys = (await caches.has(COURSES)) ? await (await caches.open(COURSES)).keys() : [];
  const start = addressOf('');
  return keys.filter(({ url }) => url.startsWith(start)).map(({ url }) => url.slice(start.length));
}

/** Returns the ids of all courses on this device. */
const allKept = () => idsAt(recordOf);

/**
 * Returns the files that an update may delete. The update must not delete other files, because open pages of an old release may still need
 * them. The service worker deletes the other files later.
 * @param {CourseFile[]} files
 */
const unfixed = (files) => files.filter(([url]) => !FIXED.test(url));

/** Deletes those files of a list that belong to no course on this device. @param {CourseFile[]} files */
async function drop(files) {
  const kept = await Promise.all((await allKept()).map(keptOf));
  const needed = new Set(kept.flatMap((one) => one?.files.map(([url]) => url) ?? []));
  for (const [url] of files) if (!needed.has(url)) await (await cacheOf(url)).delete(url, { ignoreVary: true });
}

/**
 * Fetches the missing files of a course and then stores its file list. Files that have not changed since an earlier release are copied.
 * Throws if no data arrive for PATIENCE_MS, because other pages may be waiting for the lock.
 *
 * @param {string} id
 * @param {Kept} wanted
 * @param {{ signal?: AbortSignal, report?: (loaded: number) => void, earlier?: Kept }} [how]  earlier: an earlier release of the course,
 *   possibly with another id
 */
async function keep(id, { release, files, ids }, { signal, report, earlier } = {}) {
  const before = await keptOf(id);
  const courses = await caches.open(COURSES);
  const begun = await unfinished(id); // this list may belong to an earlier release
  const old = [...(before?.files ?? []), ...begun];
  const all = new Map([...begun, ...files].map((file) => [file[0], file]));
  await courses.put(unfinishedOf(id), new Response(JSON.stringify({ unfinished: [...all.values()] })));
  const had = new Map((earlier ?? before)?.files.map((file) => [versionOf(file), file[0]]));
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  let loaded = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let patience;
  const count = (/** @type {number} */ more) => {
    clearTimeout(patience);
    patience = setTimeout(() => stopper.abort(new DOMException('nothing arrives', 'NetworkError')), PATIENCE_MS);
    report?.((loaded += more));
  };

  /** @param {CourseFile} file */
  async function bring(file) {
    const [url, size] = file;
    const cache = await cacheOf(url);
    const old = had.get(versionOf(file));
    const copy = FIXED.test(url) || old === url ? await cache.match(url, { ignoreVary: true }) : undefined;
    if (copy) return count(size);
    const equal = old && (await cache.match(old, { ignoreVary: true }));
    if (equal) {
      await cache.put(url, equal);
      return count(size);
    }
    // The service worker ignores requests with this header.
    const answer = await fromHost(fetch(url, { signal: stopper.signal, cache: 'no-cache', headers: { 'x-nextpixel-keep': '1' } }));
    if (!answer.ok || !answer.body) throw new HostError(url, answer.status);
    const counted = answer.body.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          count(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
    await fromHost(cache.put(url, new Response(counted, { headers: answer.headers })));
  }

  const waiting = [...files];
  const each = /** @type {Promise<void>[]} */ ([]);
  const some = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      stopper.signal.throwIfAborted();
      await bring(file);
    }
  };
  try {
    count(0);
    for (let i = 0; i < AT_ONCE; i++) each.push(some());
    await Promise.all(each);
  } catch (error) {
    const why = stopper.signal.aborted ? stopper.signal.reason : error;
    stopper.abort();
    await Promise.allSettled(each); // nothing must be stored after this function has ended, because another page may then delete files
    throw why;
  } finally {
    clearTimeout(patience);
    signal?.removeEventListener('abort', stop);
  }
  await courses.put(recordOf(id), new Response(JSON.stringify({ release, files, ids })));
  await courses.delete(unfinishedOf(id));
  await drop(unfixed(old));
}

/** Deletes the list and the files of an unfinished download. Files that belong to a course on this device stay. @param {string} id */
async function forgetUnfinished(id) {
  const files = await unfinished(id);
  const courses = await caches.open(COURSES);
  await courses.delete(unfinishedOf(id));
  await drop(files);
  if ((await courses.keys()).length === 0) await caches.delete(COURSES);
}

/**
 * Deletes a course and the files of this course that no other course needs, including the files of an unfinished download.
 *
 * @param {string} id
 * @param {(files: CourseFile[]) => CourseFile[]} [only]  selects the files of the course that may be deleted
 */
async function remove(id, only = (files) => files) {
  const files = (await keptOf(id))?.files ?? [];
  await (await caches.open(COURSES)).delete(recordOf(id));
  await drop(only(files));
  await forgetUnfinished(id);
}

/**
 * Updates every course on this device to the current release. A course that the site no longer has stays on the device until the visitor
 * removes it. An unfinished download is deleted in two cases: the site no longer has the course, or the course is already up to date.
 */
export async function refresh() {
  if (/** @type {any} */ (navigator).connection?.saveData) return; // in data-saving mode, visitors start updates themselves
  const ids = await allKept();
  let courses = await currentCourses();
  for (const id of ids) {
    try {
      await alone(async () => {
        const kept = await keptOf(id);
        if (!kept || !newerId(id, kept, courses)) return; // the course was removed or updated in the meantime
        courses = await currentCourses(); // the site may have published a newer release while this page was waiting
        const now = newerId(id, kept, courses);
        if (now) await keep(now, courses[now], { earlier: kept });
        if (now && now !== id) await remove(id, unfixed);
      });
    } catch {
      // A course that cannot be updated stays as it is, and its box offers the update. The other courses are still updated.
    }
  }
  for (const id of await idsAt(unfinishedOf)) {
    await alone(async () => {
      if (!Object.hasOwn(courses, id) || (await keptOf(id))?.release === courses[id].release) await forgetUnfinished(id);
    });
  }
}

/**
 * Returns whether this page can store files. A page cannot store files if it has a `file:` address or is in a sandboxed frame. In a
 * sandboxed frame, reading `caches` throws.
 */
function canStore() {
  try {
    return Boolean(globalThis.caches && navigator.serviceWorker);
  } catch {
    return false;
  }
}

/** Describes an error as a sentence. @param {unknown} error */
function reason(error) {
  if (error instanceof HostError) return phrase`The server answered ${error.status} for ${error.file}.`;
  const { name } = /** @type {Error} */ (error);
  if (name === 'QuotaExceededError') return phrase`There is not enough room on this device.`;
  if (name === 'NetworkError') return phrase`There is no connection to the server.`;
  return phrase`The browser reported an error: ${fault(error)}`;
}

/**
 * Shows in a box how large a course is and whether it is on this device, and adds buttons to keep or delete the course.
 * @param {HTMLElement} box  the box; its attribute data-course is the id of the course
 * @param {HTMLElement} said  status line of the box
 */
export async function fill(box, said) {
  const id = String(box.dataset.course);
  if (!canStore()) {
    said.textContent = phrase`Keeping a course needs a page that is served over https or from localhost.`;
    return;
  }
  const bar = make('progress', { max: '1', value: '0', 'aria-label': phrase`Keeping the course`, hidden: '' });
  const action = make('button', { type: 'button', class: 'button', hidden: '' });
  const removal = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Remove`);
  const others = make('div');
  box.append(make('div', { class: 'take-tools' }, bar, action, removal), others);
  said.tabIndex = -1;

  /** The newest release of the course. @type {Kept | undefined} */
  let plan;
  /** Whether the box is storing, deleting or comparing files. Only the Cancel button works while this is true. */
  let busy = false;
  /** Controller that cancels the download or the wait; undefined unless the first button is Cancel. @type {AbortController | undefined} */
  let stopper;
  /** Shows the state of the course. @param {string} [first]  text to show before the state */
  async function show(first = '') {
    const kept = await keptOf(id);
    const partial = (await unfinished(id)).length > 0;
    const focused = [action, removal].find((button) => button === document.activeElement);
    const current = kept?.release === plan?.release;
    const state = !kept
      ? ''
      : plan && !current
        ? phrase`Kept, but there is a newer release.`
        : phrase`Kept: the course works without a connection.`;
    const shown = kept ?? plan;
    said.textContent = [first, state, shown ? sizesOf(shown.files) : ''].filter(Boolean).join(' ');
    bar.hidden = true;
    action.hidden = plan !== undefined && current;
    action.textContent = !plan ? phrase`Try again` : kept ? phrase`Update` : phrase`Keep ${bytes(sizeOf(plan.files))}`;
    removal.hidden = !kept && !partial;
    if (focused?.hidden) [action, removal].find(({ hidden }) => !hidden)?.focus();
  }

  /** @param {CourseFile[]} files */
  function sizesOf(files) {
    const [models, rest] = [true, false].map((wanted) => bytes(sizeOf(files.filter(([url]) => isModel(url) === wanted))));
    return phrase`${pagesIn(files).length} pages with their translations: ${rest} of pages and scripts, ${models} of models.`;
  }

  /**
   * Lists the courses on this device that the site no longer has. The page has no boxes for these courses, so each entry of the list has a
   * button that removes the course.
   *
   * @param {Record<string, Kept>} courses
   */
  async function showDropped(courses) {
    const entries = [];
    for (const other of await allKept()) {
      const kept = await keptOf(other);
      if (!kept || currentId(other, kept, courses)) continue;
      const name = other.replace(/^course-/, '').replaceAll('-', ' ');
      const button = make('button', { type: 'button', class: 'button' }, phrase`Remove “${name}”`);
      const line = phrase`“${name}” is also kept on this device (${bytes(sizeOf(kept.files))}), but is no longer a course of this site.`;
      const entry = make('div', {}, make('p', {}, line), make('div', { class: 'take-tools' }, button));
      button.addEventListener('click', () =>
        tryTo(async () => {
          await whenFree(() => remove(other));
          const focused = entry.contains(document.activeElement);
          entry.remove();
          await show();
          if (focused) said.focus({ preventScroll: true }); // a second press of Enter must not activate another button
        }),
      );
      entries.push(entry);
    }
    others.replaceChildren(...entries);
    mark();
  }

  /**
   * Marks the buttons that do nothing at the moment. Uses aria-disabled instead of `disabled`, because a disabled button loses the focus.
   */
  function mark() {
    for (const button of box.querySelectorAll('button'))
      button.setAttribute('aria-disabled', String(busy && !(stopper && button === action)));
  }

  /** Turns the first button into Cancel. Returns the signal that the button aborts. */
  function offerCancel() {
    stopper = new AbortController();
    action.hidden = false;
    action.textContent = phrase`Cancel`;
    mark();
    return stopper.signal;
  }

  /**
   * Runs a task unless the box is busy, and shows the reason if the task fails.
   *
   * @param {() => Promise<void>} task
   * @param {() => Promise<string>} [more]  returns a sentence to add after a failure
   */
  async function tryTo(task, more = async () => '') {
    if (busy) return;
    busy = true;
    mark();
    try {
      await task();
    } catch (error) {
      const why = stopper?.signal.aborted ? phrase`Cancelled.` : reason(error);
      await more()
        .then((sentence) => show([why, sentence].filter(Boolean).join(' ')))
        .catch(() => {
          said.textContent = why; // the storage cannot be read, either
        });
    } finally {
      busy = false;
      stopper = undefined;
      mark();
    }
  }

  const sayThatItWaits = () => {
    said.textContent = phrase`Waiting for another download or removal to end.`;
  };

  /**
   * Waits until no other page is storing or deleting files, then runs a task that deletes files. While the page waits, the first button
   * cancels the wait.
   *
   * @param {() => Promise<void>} task
   */
  const whenFree = (task) =>
    alone(
      () => {
        stopper = undefined;
        mark();
        return task();
      },
      () => {
        sayThatItWaits();
        return offerCancel();
      },
    );

  /** Compares the stored course with the site. Returns all courses of the site. */
  async function look() {
    const courses = await currentCourses();
    plan = Object.hasOwn(courses, id) ? courses[id] : undefined;
    return courses;
  }

  const showWhetherThere = () => show(plan ? '' : phrase`The site no longer has this course under this name: reload the page.`);

  const measure = () =>
    tryTo(async () => {
      const courses = await look();
      await showWhetherThere();
      await showDropped(courses);
    });

  /** Waits until no other page is storing or deleting files, then stores the current version of the course. */
  async function start() {
    const signal = offerCancel();
    removal.hidden = true;
    bar.hidden = false;
    bar.value = 0;
    said.textContent = phrase`Keeping the course`;
    void navigator.storage.persist?.().catch(() => {});
    await workOffline();
    await alone(
      async () => {
        said.textContent = phrase`Keeping the course`;
        await look();
        if (!plan) return;
        const total = sizeOf(plan.files);
        const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
        if (quota - usage < total) throw new DOMException(bytes(quota - usage), 'QuotaExceededError');
        const report = (/** @type {number} */ loaded) => {
          bar.value = loaded / total;
        };
        await keep(id, plan, { signal, report });
      },
      () => {
        sayThatItWaits();
        return signal;
      },
    );
    await showWhetherThere();
  }

  action.addEventListener('click', () => {
    if (stopper) stopper.abort();
    else if (plan)
      void tryTo(start, async () =>
        (await unfinished(id)).length > 0 ? phrase`Models and scripts that were already downloaded are not fetched again.` : '',
      );
    else void measure();
  });
  removal.addEventListener('click', () =>
    tryTo(async () => {
      await whenFree(() => remove(id));
      await show();
    }),
  );
  await measure();
}
