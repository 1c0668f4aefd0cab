// SPDX-License-Identifier: MIT
// Finds the held-out set of a model's data set.
// @ts-check

/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */

/**
 * A data set. `dataset` matches the name of the data set on a model's card, `data` is the path of the held-out part, and the command `make`
 * writes this part.
 * @typedef {{ dataset: RegExp, data: string, make: string }} DataSet
 */

/** Returns the first data set that matches a model's card. @template {DataSet} Row @param {ModelInfo} info @param {Row[]} sets */
export const dataSetOf = ({ card: { dataset = '' } }, sets) => sets.find((set) => set.dataset.test(dataset));

/** Returns an error to throw when --data is missing. @param {ModelInfo} info @param {DataSet[]} sets  the data sets of the model's kind */
export function noData(info, sets) {
  const { dataset } = info.card;
  const known = dataSetOf(info, sets);
  const what =
    dataset === undefined ? `${info.name} does not say what it was trained on` : `Nothing in tests/golden is held out of "${dataset}"`;
  return new Error(
    `${what}: pass --data ${known ? `${known.data}, which ${known.make} writes` : 'FILE, as npm run eval -- --help describes it'}`,
  );
}
