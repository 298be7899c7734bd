/** Exact JSON: figures of answers stay the text that the API wrote, since a JavaScript number cannot hold every amount. */

/** Members of answers that are amounts or money and are written as JSON numbers. */
const FIGURES = new Set(['valueUsd', 'priceUsd', 'usd', 'liquid', 'staked', 'unbonding', 'reward', 'total']);

type Figure = 'valueUsd' | 'priceUsd' | 'usd' | 'liquid' | 'staked' | 'unbonding' | 'reward';

/** A row of an answer as parseExact gives it. */
export type Exact<Row> = { readonly [Name in keyof Row]: Name extends Figure ? string : Row[Name] };

/** The reviver's third argument, which the types of ES2023 do not know yet. */
interface Context {
  readonly source?: string;
}

/** Parses JSON; the members named above become decimal texts. */
export function parseExact<Value>(text: string): Value {
  const revive = (name: string, value: unknown, context?: Context) =>
    typeof value === 'number' && FIGURES.has(name) ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, revive as (name: string, value: unknown) => unknown);
}
