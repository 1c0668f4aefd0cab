// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The verbs. Each verb has a file, named like its method of a model. The class of each kind (kinds/NAME) defines the arguments and results
 * of its verbs. The methods of a model, `info.verbs`, the tasks of the element and their attributes, the types of JSX and the manual are
 * made from these files.
 *
 * A file exports
 *
 *     draws       whether it draws elements, in a run that can be read; otherwise it returns a promise of its result
 *     made        for a task of the element, the phrase for its result: {pictures} and {src} are filled in
 *     attributes  its own attributes of the element, in addition to those of its settings. A verb with attributes is a task of the element:
 *                 a run, or a result that can be read and shown like a run
 *     inside      the option that takes the pictures inside the element, by their names
 *     before      the number of arguments before the options, if it is not one; a kind may define another (kinds/index.js)
 *
 * The kinds list which models have a verb, and its settings (kinds/index.js). The kinds also load the heavy code, because every page
 * includes the files of the verbs.
 */

export * from './list.js';
