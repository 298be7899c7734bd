/**
 * Sends requests to the API at this origin. Problem answers are thrown as ApiError. If the quota is used up, waits and
 * retries.
 */
import { signal } from '@preact/signals';
import type { Problem } from '../../../schemas/types.generated.js';

export class ApiError extends Error {
  constructor(
    readonly detail: string,
    readonly problem?: Problem,
  ) {
    super(detail);
  }
}

/** Seconds until waiting requests are retried; 0 if no request is waiting. */
export const waiting = signal(0);

/** Time when the quota resets, on the clock of performance.now(). Until then, all requests of the page wait. */
let quotaResetAt = 0;

const ATTEMPTS_MAX = 4;
/**
 * Longest wait for a quota to reset. Quotas per minute reset within this time. For a longer wait, the page shows an
 * error instead.
 */
const WAIT_SECONDS_MAX = 60;

export const get = async <Value>(path: string, abort?: AbortSignal): Promise<Value> =>
  parsed<Value>(await request(path, undefined, abort));

export const post = async <Value>(path: string, body: object, abort?: AbortSignal): Promise<Value> =>
  parsed<Value>(await request(path, body, abort));

export const request = (path: string, body?: object, abort?: AbortSignal): Promise<Response> =>
  ask(path, body ? { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) } : {}, abort);

/** Returns the first lines of a file, and cancels the rest of the download. */
export async function firstLines(path: string, body: object, count: number, abort: AbortSignal): Promise<string> {
  const reader = (await request(path, body, abort)).body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.split('\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  void reader.cancel();
  return text.replace(BIDI_CONTROLS, '').split(/\r?\n/).slice(0, count).join('\n');
}

/**
 * @param ifMatch ETag of the entry to change
 * @returns the parsed JSON; undefined if the body is empty
 */
export async function send<Value>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  ifMatch?: string,
): Promise<Value> {
  const headers = { ...(body && JSON_BODY), ...(ifMatch !== undefined && { 'If-Match': ifMatch }) };
  return parsed<Value>(await ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
}

/**
 * Invisible characters that change the direction of text. A stranger could put them into a validator's name to reorder
 * the surrounding text.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

async function parsed<Value>(response: Response): Promise<Value> {
  const text = (await response.text()).replace(BIDI_CONTROLS, '');
  return (text === '' ? undefined : parseExact(text)) as Value;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

async function ask(path: string, init: RequestInit, abort?: AbortSignal): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    await waitUntil(quotaResetAt, abort);
    const response = await fetch(path, { ...init, ...(abort && { signal: abort }) }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error;
      throw new ApiError('The server cannot be reached. Are you online?');
    });
    if (response.ok) return response;
    const problem = await problemOf(response);
    const patience = problem?.retry_after;
    if (patience === undefined || patience > WAIT_SECONDS_MAX || attempt === ATTEMPTS_MAX) {
      throw new ApiError(FAULTS.includes(response.status) || !problem ? FAULT : wordsOf(problem), problem);
    }
    const until = performance.now() + 1000 * patience + 500 * Math.random();
    if (response.status === 429) quotaResetAt = Math.max(quotaResetAt, until);
    await waitUntil(until, abort);
  }
}

/** Server errors whose details would not help a user. */
const FAULTS: readonly number[] = [500, 502, 504];
const FAULT = 'The server failed. Try again in a moment';

/** Joins the messages about single fields into one text. Leaves out field paths such as `openingLots/0/quantity`. */
const wordsOf = ({ detail, errors = [] }: Problem): string =>
  errors.length > 0 && errors.every(({ path }) => path.includes('/'))
    ? errors.map(({ message }) => message).join('; ')
    : detail;

const problemOf = (response: Response) => (response.json() as Promise<Problem>).catch(() => undefined);

async function waitUntil(until: number, abort?: AbortSignal): Promise<void> {
  try {
    for (let left = until - performance.now(); left > 0; left = until - performance.now()) {
      waiting.value = Math.ceil(left / 1000);
      await new Promise((resolve) => setTimeout(resolve, Math.min(left, 1000)));
      abort?.throwIfAborted();
    }
  } finally {
    waiting.value = 0;
  }
}

export const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

export const messageOf = (error: unknown): string =>
  error instanceof ApiError ? sentence(error.detail) : 'Something went wrong on this page. Please load it again.';

const sentence = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;

/** Names of members with amounts, which are numbers in the JSON text. */
const FIGURES = new Set(['valueUsd', 'priceUsd', 'usd', 'liquid', 'staked', 'unbonding', 'reward', 'total']);

type Figure = 'valueUsd' | 'priceUsd' | 'usd' | 'liquid' | 'staked' | 'unbonding' | 'reward';

export type Exact<Row> = { readonly [Name in keyof Row]: Name extends Figure ? string : Row[Name] };

/** Third argument of JSON.parse's reviver, which the ES2023 types lack. */
interface Context {
  readonly source?: string;
}

/** Parses JSON, but keeps amounts as strings, because JavaScript numbers would round them. */
function parseExact<Value>(text: string): Value {
  const revive = (name: string, value: unknown, context?: Context) =>
    typeof value === 'number' && FIGURES.has(name) ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, revive as (name: string, value: unknown) => unknown);
}
