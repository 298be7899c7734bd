/** Parses amounts in JSON as text: a JavaScript number would round them. */

/** Fields that are amounts or money and are written as JSON numbers. */
const FIGURES = new Set(['valueUsd', 'priceUsd', 'usd', 'liquid', 'staked', 'unbonding', 'reward', 'total']);

type Figure = 'valueUsd' | 'priceUsd' | 'usd' | 'liquid' | 'staked' | 'unbonding' | 'reward';

export type Exact<Row> = { readonly [Name in keyof Row]: Name extends Figure ? string : Row[Name] };

/** The reviver's third argument, missing from the ES2023 types. */
interface Context {
  readonly source?: string;
}

/** Parses JSON; the fields above become decimal texts. */
export function parseExact<Value>(text: string): Value {
  const revive = (name: string, value: unknown, context?: Context) =>
    typeof value === 'number' && FIGURES.has(name) ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, revive as (name: string, value: unknown) => unknown);
}
