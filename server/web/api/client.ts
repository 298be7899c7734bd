/** Requests to the API of this origin: problems become errors, and where the server asks for patience the page waits. */
import { signal } from '@preact/signals';
import type { Problem } from '../../../schemas/types.generated.js';
import { parseExact } from '../values/exact-json.js';

/** A refusal of the API, or a network that does not answer. */
export class Refusal extends Error {
  constructor(
    readonly detail: string,
    readonly problem?: Problem,
  ) {
    super(detail);
  }
}

/** Seconds that are left until the page asks again; 0 when it does not wait. */
export const waiting = signal(0);

/** Instant, of performance.now(), until which the server's quota lets nothing of this page pass: requests beside the refused one wait, too. */
let heldUntil = 0;

/** Attempts at a request that is refused for now. */
const ATTEMPTS_MAX = 4;
/** Seconds that a page waits for the server: a minute's quota begins anew within them, an hour's is told to the person instead. */
const PATIENCE_MAX = 60;

export const get = async <Value>(path: string, abort?: AbortSignal): Promise<Value> =>
  parsed<Value>(await getFor(path, abort));

/** @returns the response, whose body nobody has read */
export const getFor = (path: string, abort?: AbortSignal): Promise<Response> => ask(path, {}, abort);

export const post = async <Value>(path: string, body: object, abort?: AbortSignal): Promise<Value> =>
  parsed<Value>(await postFor(path, body, abort));

/** Sends a request that changes something. @param ifMatch ETag of what is changed @returns the answer's JSON; undefined where it has none */
export async function send<Value>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
  ifMatch?: string,
): Promise<Value> {
  const headers = { ...(body && JSON_BODY), ...(ifMatch !== undefined && { 'If-Match': ifMatch }) };
  return parsed<Value>(await ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
}

/** Characters by which a stranger's name would turn around the words and figures of the page beside it. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

async function parsed<Value>(response: Response): Promise<Value> {
  const text = (await response.text()).replace(TURNING, '');
  return (text === '' ? undefined : parseExact(text)) as Value;
}

/** Sends a JSON body. @returns the response, whose body nobody has read */
export const postFor = (path: string, body: object, abort?: AbortSignal): Promise<Response> =>
  ask(path, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) }, abort);

const JSON_BODY = { 'Content-Type': 'application/json' };

/** @throws Refusal; AbortError when the page has turned to something else */
async function ask(path: string, init: RequestInit, abort?: AbortSignal): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    await waitUntil(heldUntil, abort);
    const response = await fetch(path, { ...init, ...(abort && { signal: abort }) }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error;
      throw new Refusal('The server cannot be reached. Are you online?');
    });
    if (response.ok) return response;
    const problem = await problemOf(response);
    const patience = problem?.retry_after;
    if (patience === undefined || patience > PATIENCE_MAX || attempt === ATTEMPTS_MAX) {
      throw new Refusal(FAULTS.includes(response.status) || !problem ? FAULT : wordsOf(problem), problem);
    }
    const until = performance.now() + 1000 * patience + 500 * Math.random();
    if (response.status === 429) heldUntil = Math.max(heldUntil, until);
    await waitUntil(until, abort);
  }
}

/** Statuses of failures of the server itself, of which the detail tells people nothing. */
const FAULTS: readonly number[] = [500, 502, 504];
const FAULT = 'The server failed at this, which is not your fault. Try again in a moment';

/** Words of a refusal. A place in the body, such as openingLots/0/quantity, tells people nothing. */
const wordsOf = ({ detail, errors = [] }: Problem): string =>
  errors.length > 0 && errors.every(({ path }) => path.includes('/'))
    ? errors.map(({ message }) => message).join('; ')
    : detail;

const problemOf = (response: Response): Promise<Problem | undefined> => response.json().catch(() => undefined);

/** Waits, and says so on the page. */
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

/** Explanation for people of what went wrong. */
export const messageOf = (error: unknown): string =>
  error instanceof Refusal ? sentence(error.detail) : 'Something went wrong on this page. Please load it again.';

const sentence = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
