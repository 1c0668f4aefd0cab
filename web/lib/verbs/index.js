// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Exports the verbs. Each verb has its own file. A file is named after the method that its verb adds to a model. The class of each kind
 * (kinds/NAME) defines the arguments and results of its verbs. The methods of a model, `info.verbs`, the element's tasks and their
 * attributes, the JSX types and the manual are all derived from these files.
 *
 * A file exports
 *
 *     draws       true: the verb draws elements and returns a run; false: it returns a promise of its result
 *     made        the phrase for the result, if the verb is a task of the element. {pictures} and {src} are placeholders
 *     attributes  the element's attributes for this verb, in addition to the attributes for its settings. A verb with attributes is a task
 *                 of the element: it returns a run, or a result that can be read and shown like a run
 *     inside      name of the option that receives the pictures inside the element and their labels
 *     before      number of arguments before the options (default 1). A kind may define another number (kinds/index.js)
 *
 * The kinds define which models have a verb, and which settings the verb has (kinds/index.js). Every page downloads the files of all verbs,
 * so these files must be small. Longer code belongs in the folder of a kind, which is loaded on demand.
 */

export * from './list.js';
