// SPDX-License-Identifier: MIT

/** Checks the types of `model.info`, the description of a model. package.test.js compiles this file; it never runs. */

import { load } from 'nextpixel';
import type { BasicInfo, Kind, ModelInfo } from 'nextpixel';
import { type Same, holds } from './same.js';

/** Compiles only if the description of a model has exactly the fields of its kind. */
export async function descriptions(): Promise<unknown> {
  const { info } = await load('a.gguf');
  // @ts-expect-error: a model of any kind may have none
  void info.width;
  holds<[Same<typeof info, ModelInfo>, Same<ModelInfo['kind'], Kind>]>();
  const own: BasicInfo | undefined = undefined;
  return own;
}
