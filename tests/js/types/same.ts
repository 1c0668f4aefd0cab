// SPDX-License-Identifier: MIT

/** Types that compare other types; the samples of every kind use them (tests/kinds/NAME/types.ts). */

/** True if two types are equal. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The type of the steps of a run. */
export type StepsOf<R> = R extends AsyncIterable<infer S> ? S : never;

/** Compiles only if all type arguments are true. */
export function holds<_ extends true[]>(): void {}
