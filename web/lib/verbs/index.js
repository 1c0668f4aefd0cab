// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The verbs, one file per verb, each named like its method of a model. The class of each kind (kinds/NAME) defines its arguments and results.
 * Methods of a model, `info.verbs`, the tasks of the element and their attributes, the types of JSX and the manual come from here.
 *
 * A file exports
 *
 *     draws       it draws elements, in a run that can be read; else it answers with a promise
 *     made        of a task of the element, the phrase for its result: {pictures} and {src} are filled in
 *     attributes  its own attributes of the element, in addition to those of its settings. A verb that has them is a task of the element: a
 *                 run, or a result that can be read and shown like a run
 *     inside      the option that takes the named pictures inside the element
 *     before      the number of arguments before the options, if it is not one; a kind may define another (kinds/index.js)
 *
 * Kinds list the models that have it and its settings (kinds/index.js), and load heavy code: these files are in every page.
 */

export * from './list.js';
