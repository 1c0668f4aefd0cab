// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs a parsed template by the rules of the transformers package: Jinja 3.1 in a sandbox, with break and continue. The interpreter yields
 * every few milliseconds and throws if the program exceeds its budget. If the result would differ from the result of Jinja, the interpreter
 * throws an error that gives the reason.
 */

import { counted, filterNamed, testNamed } from './filters.js';
import { attribute, getItem, slice } from './items.js';
import { arithmetic, compares, concatenated } from './operators.js';
import { itemsOf } from './texts.js';
import {
  Callable,
  Dict,
  Float,
  List,
  Namespace,
  TemplateError,
  Text,
  Undefined,
  equal,
  joined,
  numberOf,
  truth,
  typeOf,
} from './values.js';
import { str } from './write.js';

/** @import { Budget } from './budget.js' */
/** @import { Keywords } from './values.js' */

/** A node of the syntax tree. @typedef {Record<string, any> & { type: string }} Node */

/** Maximum depth of nested calls, about the same as in Python. */
const DEEPEST = 150;
/** Maximum length of a range(), as in Jinja's sandbox. */
const MOST_RANGE = 100_000;

const BREAK = 'break';
const CONTINUE = 'continue';

/** The variables of one part of the template. `outer` is the scope of the enclosing part. */
class Scope {
  /** @type {Map<string, any>} */
  names = new Map();

  /** @param {Scope} [outer] */
  constructor(outer) {
    this.outer = outer;
  }

  /** @param {string} name @returns {any} */
  find(name) {
    for (let scope = /** @type {Scope | undefined} */ (this); scope; scope = scope.outer)
      if (scope.names.has(name)) return scope.names.get(name);
    return new Undefined(name);
  }
}

export class Machine {
  /** Whether the output of the template contains a dict from the page, written in Python's notation. */
  wrotePython = false;
  #depth = 0;

  /** @param {Budget} budget */
  constructor(budget) {
    this.budget = budget;
  }

  /**
   * @param {Node} program
   * @param {Map<string, any>} values  the variables of the template; run() adds range(), dict() and the other global names to this map
   * @returns {Generator<void, Text, void>}
   */
  *run(program, values) {
    const scope = new Scope();
    for (const [name, value] of this.#globals()) if (!values.has(name)) values.set(name, value);
    scope.names = values;
    return yield* this.#block(program.body, scope);
  }

  /** @returns {Map<string, any>} */
  #globals() {
    const callables = /** @type {[string, (args: any[], keywords: Keywords) => any][]} */ ([
      ['range', (args) => this.#range(args)],
      ['namespace', (args, keywords) => new Namespace(new Map([...pairsIn(args[0], this), ...keywords]))],
      ['dict', (args, keywords) => new Dict([...pairsIn(args[0], this), ...keywords].map(([key, value]) => [Text.of(key), value]))],
      ...['cycler', 'joiner', 'lipsum'].map((name) => [
        name,
        () => {
          throw new TemplateError(`${name}() is not supported`);
        },
      ]),
    ]);
    return new Map([
      ['self', new Namespace(new Map(), true)],
      .../** @type {[string, any][]} */ (callables.map(([name, call]) => [name, new Callable(name, call)])),
    ]);
  }

  /** @param {any[]} args */
  #range(args) {
    const numbers = args.map((one) => (typeof one === 'number' ? one : NaN));
    const [from, to, step = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
    const length = step === 0 ? NaN : Math.max(0, Math.ceil((to - from) / step));
    if (!(length <= MOST_RANGE)) throw new TemplateError(`range() has ${length} numbers, more than ${MOST_RANGE}`);
    this.budget.charge(length);
    return new List(
      Array.from({ length }, (_, i) => from + i * step),
      'range',
    );
  }

  /** Returns the text that a list of statements writes. @param {Node[]} body @param {Scope} scope @returns {Generator<void, Text, void>} */
  *#block(body, scope) {
    /** @type {Text[]} */
    const out = [];
    const left = yield* this.#statements(body, scope, out);
    if (left) throw new TemplateError(`${left} is outside of a loop`);
    return joined(out);
  }

  /**
   * @param {Node[]} body
   * @param {Scope} scope
   * @param {Text[]} out
   * @returns {Generator<void, string | undefined, void>} 'break' or 'continue' for the enclosing loop, or undefined
   */
  *#statements(body, scope, out) {
    for (const node of body) {
      const left = yield* this.#statement(node, scope, out);
      if (left) return left;
    }
    return undefined;
  }

  /** @param {Node} node @param {Scope} scope @param {Text[]} out @returns {Generator<void, string | undefined, void>} */
  *#statement(node, scope, out) {
    this.budget.charge();
    if (this.budget.due) yield* this.budget.pause();
    switch (node.type) {
      case 'If': {
        const test = truth(yield* this.#value(node.test, scope));
        return yield* this.#statements(test ? node.body : node.alternate, scope, out);
      }
      case 'For':
        return yield* this.#loop(node, scope, out);
      case 'Break':
        return BREAK;
      case 'Continue':
        return CONTINUE;
      case 'Comment':
        return undefined;
      case 'Set':
        this.#assign(
          node.assignee,
          node.value ? yield* this.#value(node.value, scope) : yield* this.#block(node.body, new Scope(scope)),
          scope,
          yield* this.#owner(node.assignee, scope),
        );
        return undefined;
      case 'Macro':
        scope.names.set(node.name.value, this.#macro(node.name.value, node.args, node.body, scope));
        return undefined;
      case 'CallStatement': {
        const [args, keywords] = yield* this.#arguments(node.call.args, scope);
        const caller = this.#macro('caller', node.callerArgs ?? [], node.body, scope);
        const callee = yield* this.#value(node.call.callee, scope);
        this.#write(out, yield* this.#call(callee, args, new Map([...keywords, ['caller', caller]])));
        return undefined;
      }
      case 'FilterStatement': {
        const text = yield* this.#block(node.body, new Scope(scope));
        this.#write(out, yield* this.#filter(node.filter, text, scope));
        return undefined;
      }
      default:
        this.#write(out, yield* this.#value(node, scope));
        return undefined;
    }
  }

  /** Total number of characters written, including characters that were discarded later. */
  #written = 0;

  /** @param {Text[]} out @param {any} value */
  #write(out, value) {
    const text = str(this, value);
    this.budget.charge(text.text.length / 32);
    this.budget.limit((this.#written += text.text.length));
    out.push(text);
  }

  /** Returns the object whose attribute an assignment changes.
   * @param {Node} target @param {Scope} scope @returns {Generator<void, any, void>} */
  *#owner(target, scope) {
    return target.type === 'MemberExpression' ? yield* this.#value(target.object, scope) : undefined;
  }

  /** @param {Node} target @param {any} value @param {Scope} scope @param {any} [owner] */
  #assign(target, value, scope, owner) {
    if (target.type === 'Identifier') scope.names.set(target.value, value);
    else if (target.type === 'TupleLiteral') {
      const items = itemsOf(value, this.budget);
      if (items.length !== target.value.length) throw new TemplateError(`${items.length} values for ${target.value.length} names`);
      target.value.forEach((/** @type {Node} */ one, /** @type {number} */ i) => this.#assign(one, items[i], scope));
    } else if (target.type === 'MemberExpression' && !target.computed && owner instanceof Namespace && !owner.fixed) {
      owner.values.set(target.property.value, value);
    } else throw new TemplateError('only names and namespace() attributes can be set');
  }

  /** @param {Node} node @param {Scope} scope @param {Text[]} out @returns {Generator<void, string | undefined, void>} */
  *#loop(node, scope, out) {
    const isChosen = node.iterable.type === 'SelectExpression';
    const all = yield* this.#value(isChosen ? node.iterable.lhs : node.iterable, scope);
    let items = itemsOf(all, this.budget);
    if (isChosen) {
      const chosen = [];
      for (const item of items) {
        const inner = new Scope(scope);
        this.#assign(node.loopvar, item, inner);
        if (truth(yield* this.#value(node.iterable.test, inner))) chosen.push(item);
      }
      items = chosen;
    }
    /** @type {any} */
    let before;
    let isEmpty = true;
    for (let i = 0; i < items.length; i++) {
      const inner = new Scope(scope);
      const item = items[i];
      inner.names.set(
        'loop',
        this.#loopVariable(items, i, () => {
          const isSame = before !== undefined && equal(before, item, this.budget);
          before = item;
          return !isSame;
        }),
      );
      this.#assign(node.loopvar, item, inner);
      const left = yield* this.#statements(node.body, inner, out);
      if (left === BREAK) break;
      if (left !== CONTINUE) isEmpty = false;
    }
    if (isEmpty) return yield* this.#statements(node.defaultBlock, new Scope(scope), out);
    return undefined;
  }

  /** @param {any[]} items @param {number} i @param {() => boolean} changed */
  #loopVariable(items, i, changed) {
    this.budget.charge();
    const { length } = items;
    return new Namespace(
      new Map(
        /** @type {[string, any][]} */ ([
          ['index', i + 1],
          ['index0', i],
          ['revindex', length - i],
          ['revindex0', length - i - 1],
          ['first', i === 0],
          ['last', i === length - 1],
          ['length', length],
          ['depth', 1],
          ['depth0', 0],
          ['previtem', i > 0 ? items[i - 1] : new Undefined('previtem')],
          ['nextitem', i < length - 1 ? items[i + 1] : new Undefined('nextitem')],
          ['cycle', new Callable('cycle', (args) => args[i % args.length])],
          ['changed', new Callable('changed', changed)],
        ]),
      ),
      true,
    );
  }

  /**
   * @param {string} name
   * @param {Node[]} parameters
   * @param {Node[]} body
   * @param {Scope} scope  the scope in which the macro was defined
   */
  #macro(name, parameters, body, scope) {
    const described = parameters.map((one) =>
      one.type === 'Identifier' ? { name: one.value, other: undefined } : { name: one.key.value, other: one.value },
    );
    const machine = this;
    return new Callable(name, function* (args, keywords) {
      const inner = new Scope(scope);
      const rest = new Map(keywords);
      const caller = rest.get('caller');
      if (caller) rest.delete('caller');
      inner.names.set('caller', caller ?? new Undefined('caller'));
      const open = [];
      for (const [i, { name: parameter, other }] of described.entries()) {
        const isGiven = i < args.length || rest.has(parameter);
        inner.names.set(parameter, i < args.length ? args[i] : isGiven ? rest.get(parameter) : new Undefined(parameter));
        if (i >= args.length) rest.delete(parameter);
        if (!isGiven && other) open.push({ parameter, other });
      }
      const uses = usesOf(body);
      if (uses.varargs) inner.names.set('varargs', new List(args.slice(described.length), 'tuple'));
      else if (args.length > described.length) throw new TemplateError(`the macro ${name} takes at most ${described.length} arguments`);
      if (uses.kwargs) inner.names.set('kwargs', new Dict([...rest].map(([key, value]) => [Text.of(key), value])));
      else if (rest.size > 0) throw new TemplateError(`the macro ${name} takes no argument ${[...rest.keys()][0]}`);
      for (const { parameter, other } of open) inner.names.set(parameter, yield* machine.#value(other, inner));
      return yield* machine.#block(body, inner);
    });
  }

  /** @param {Node[]} given @param {Scope} scope @returns {Generator<void, [any[], Keywords], void>} */
  *#arguments(given, scope) {
    /** @type {any[]} */
    const args = [];
    /** @type {Keywords} */
    const keywords = new Map();
    for (const node of given) {
      if (node.type === 'KeywordArgumentExpression') keywords.set(node.key.value, yield* this.#value(node.value, scope));
      else if (node.type === 'SpreadExpression') args.push(...counted(this, yield* this.#value(node.argument, scope)));
      else if (node.type === 'KeywordSpreadExpression')
        for (const [key, value] of pairsIn(yield* this.#value(node.argument, scope), this)) keywords.set(key, value);
      else args.push(yield* this.#value(node, scope));
    }
    return [args, keywords];
  }

  /** @param {any} callee @param {any[]} args @param {Keywords} keywords @returns {Generator<void, any, void>} */
  *#call(callee, args, keywords) {
    if (callee instanceof Undefined) throw new TemplateError(`${callee.name} is undefined`);
    if (!(callee instanceof Callable)) throw new TemplateError(`a value of type ${typeOf(callee)} cannot be called`);
    this.budget.charge();
    if (++this.#depth > DEEPEST) throw new TemplateError(`more than ${DEEPEST} calls are nested`);
    const made = callee.call(args, keywords);
    const value = typeof made?.next === 'function' ? yield* made : made;
    this.#depth--;
    return value;
  }

  /** @param {Node} filter @param {any} value @param {Scope} scope @returns {Generator<void, any, void>} */
  *#filter(filter, value, scope) {
    this.budget.charge();
    const isCall = filter.type === 'CallExpression';
    const name = isCall ? filter.callee.value : filter.value;
    if (typeof name !== 'string') throw new TemplateError('a filter has no name');
    const [args, keywords] = isCall ? yield* this.#arguments(filter.args, scope) : [[], new Map()];
    return filterNamed(name)(this, value, args, keywords, name);
  }

  /** @param {Node} node @param {Scope} scope @returns {Generator<void, any, void>} */
  *#value(node, scope) {
    this.budget.charge();
    switch (node.type) {
      case 'StringLiteral':
        return (node.text ??= Text.of(node.value));
      case 'IntegerLiteral':
        return node.value;
      case 'FloatLiteral':
        return new Float(node.value);
      case 'Identifier': {
        const constant = CONSTANTS.get(node.value);
        return constant === undefined ? scope.find(node.value) : constant;
      }
      case 'ArrayLiteral':
      case 'TupleLiteral': {
        const items = [];
        for (const one of node.value) items.push(yield* this.#value(one, scope));
        return new List(items, node.type === 'ArrayLiteral' ? 'list' : 'tuple');
      }
      case 'ObjectLiteral': {
        /** @type {[Text, any][]} */
        const pairs = [];
        for (const [key, value] of node.value) {
          const name = yield* this.#value(key, scope);
          if (!(name instanceof Text)) throw new TemplateError(`dict keys must be strings, not ${typeOf(name)}`);
          pairs.push([name, yield* this.#value(value, scope)]);
        }
        return new Dict(pairs);
      }
      case 'MemberExpression':
        return yield* this.#member(node, scope);
      case 'CallExpression': {
        const callee = yield* this.#value(node.callee, scope);
        const [args, keywords] = yield* this.#arguments(node.args, scope);
        return yield* this.#call(callee, args, keywords);
      }
      case 'FilterExpression':
        return yield* this.#filter(node.filter, yield* this.#value(node.operand, scope), scope);
      case 'TestExpression': {
        const name = node.test.value;
        return testNamed(name)(yield* this.#value(node.operand, scope), [], this) !== node.negate;
      }
      case 'UnaryExpression': {
        const value = yield* this.#value(node.argument, scope);
        if (node.operator.value === 'not') return !truth(value);
        const number = numberOf(value);
        if (number === undefined) throw new TemplateError(`${node.operator.value} takes a number, not ${typeOf(value)}`);
        const made = node.operator.value === '-' ? -number : number;
        return value instanceof Float ? new Float(made) : made + 0;
      }
      case 'BinaryExpression':
        return yield* this.#binary(node, scope);
      case 'Ternary':
        return yield* this.#value(truth(yield* this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      case 'SelectExpression':
        return truth(yield* this.#value(node.test, scope))
          ? yield* this.#value(node.lhs, scope)
          : new Undefined('the value of an if without else');
      default:
        throw new TemplateError(`${node.type} is not supported here`);
    }
  }

  /** @param {Node} node @param {Scope} scope @returns {Generator<void, any, void>} */
  *#member(node, scope) {
    const object = yield* this.#value(node.object, scope);
    if (node.computed && node.property.type === 'SliceExpression') {
      const bounds = [];
      for (const bound of [node.property.start, node.property.stop, node.property.step])
        bounds.push(bound ? yield* this.#value(bound, scope) : null);
      return slice(this, object, bounds);
    }
    if (node.computed) return getItem(this, object, yield* this.#value(node.property, scope));
    return node.property.type === 'IntegerLiteral'
      ? getItem(this, object, node.property.value)
      : attribute(this, object, node.property.value);
  }

  /** @param {Node} node @param {Scope} scope @returns {Generator<void, any, void>} */
  *#binary(node, scope) {
    const { value: operator, depth = NaN, type } = node.operator; // for `not in` the parser makes a new token, which has no depth
    if (operator === 'and' || operator === 'or') {
      const left = yield* this.#value(node.left, scope);
      return truth(left) === (operator === 'and') ? yield* this.#value(node.right, scope) : left;
    }
    const isComparison = type === 'ComparisonBinaryOperator' || operator === 'in' || operator === 'not in';
    if (!isComparison && type !== 'AdditiveBinaryOperator') {
      const left = yield* this.#value(node.left, scope);
      return arithmetic(this, operator, left, yield* this.#value(node.right, scope));
    }
    // The parser reads `a < b < c` as `(a < b) < c`, and gives + the same precedence as ~. The code below therefore collects all operators
    // of a chain before it computes the result. These operators have the same `depth` (number of enclosing brackets).
    /** @type {{ operator: string, right: Node }[]} */
    const chain = [];
    let first = node;
    const belongs = (/** @type {Node} */ one) =>
      one.type === 'BinaryExpression' &&
      (isComparison ? isCompared(one.operator) : one.operator.type === type) &&
      one.operator.depth === depth;
    for (; first === node || belongs(first); first = first.left) chain.push({ operator: first.operator.value, right: first.right });
    chain.reverse();
    let left = yield* this.#value(first, scope);
    if (isComparison) {
      for (const { operator: how, right } of chain) {
        const other = yield* this.#value(right, scope);
        if (!compares(this, how, left, other)) return false;
        left = other;
      }
      return true;
    }
    // ~ binds more tightly than + and -.
    /** @type {any} */
    let sum;
    let sign = '';
    const settle = () => (sign ? arithmetic(this, sign, sum, left) : left);
    for (const { operator: how, right } of chain) {
      const other = yield* this.#value(right, scope);
      if (how === '~') left = concatenated(this, left, other);
      else {
        [sum, sign] = [settle(), how];
        left = other;
      }
    }
    return settle();
  }
}

/** @type {Map<string, any>} */
const CONSTANTS = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

/** @param {{ type: string, value: string }} operator */
const isCompared = ({ type, value }) => type === 'ComparisonBinaryOperator' || value === 'in' || value === 'not in';

/** Returns the pairs of a dict, or of a list of pairs. @param {any} value @param {Machine} machine
 * @returns {[string, any][]} */
function pairsIn(value, machine) {
  if (value === undefined) return [];
  const items = counted(machine, value);
  if (value instanceof Dict) return [...value.pairs].map(([key, [, one]]) => [key, one]);
  return items.map((pair) => {
    const [key, one] = itemsOf(pair, machine.budget);
    if (!(key instanceof Text)) throw new TemplateError('a name must be a string');
    return [key.text, one];
  });
}

/**
 * Maps the body of each macro to whether it uses `varargs` and `kwargs`. The results are cached, because a macro may be called often.
 * @type {WeakMap<Node[], Record<string, boolean>>}
 */
const USES = new WeakMap();

/** @param {Node[]} body */
function usesOf(body) {
  const known = USES.get(body) ?? Object.fromEntries(['varargs', 'kwargs'].map((name) => [name, mentions(body, name)]));
  USES.set(body, known);
  return known;
}

/** Returns whether a name is used anywhere in a tree. @param {unknown} tree @param {string} name @returns {boolean} */
function mentions(tree, name) {
  if (Array.isArray(tree)) return tree.some((one) => mentions(one, name));
  if (tree instanceof Map) return [...tree].some((pair) => mentions(pair, name));
  if (typeof tree !== 'object' || tree === null || tree instanceof Text) return false;
  const node = /** @type {Node} */ (tree);
  if (node.type === 'Identifier') return node.value === name;
  return Object.values(node).some((inner) => mentions(inner, name));
}
