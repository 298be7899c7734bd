/**
 * Handles requests to action endpoints. Checks origin and body, and stores the answers to requests with an
 * Idempotency-Key.
 */
import { toJson } from '../../pipeline/base/json/exact-json.js';
import { VERSION } from '../../pipeline/base/project.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { Problem } from '../http/problem.js';
import { parseBody, readJsonBody, readQuery } from '../http/request-input.js';
import { accountDeleted } from '../people/accounts/accounts.js';
import { browserCookies, readVisits } from '../people/accounts/sessions.js';
import { StatementError } from '../people/store/session.js';
import type { Transactions } from '../people/store/store.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import { parametersOf } from '../tax/parameters/parameter-schemas.js';
import { readParameters } from '../tax/parameters/parameters.js';
import { truncatedNames } from '../tax/parameters/reading.js';
import { isUnchanged, respond, senderOf, setIgnoredHeader, whole } from './answer.js';
import type { AnswerThreads } from './answer-threads.js';
import { bodyLimit } from './body-limit.js';
import { requireValidBody, unknownMembers } from './body-schemas.js';
import type { Context, Middleware, Services } from './context.js';
import { type ActionEndpoint, type Caller, type Outcome, successOf } from './endpoint.js';
import { once, readIdempotencyKey } from './idempotency.js';
import { type Quotas, rowCharge } from './quotas/quotas.js';

interface Sources extends Services {
  readonly threads: AnswerThreads;
  readonly quotas: Quotas | undefined;
}

export function performAction(endpoint: ActionEndpoint, services: Sources): Middleware {
  const { config, store } = services;
  return async (ctx) => {
    const { caller } = ctx.state;
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isRead) requireSameOrigin(ctx.req.headers.origin, caller, config.baseUrl);
    const now = config.now();
    const { act, body } = await readRequest(ctx, endpoint, services, now);
    const key = endpoint.idempotent ? readIdempotencyKey(ctx.req.headers['idempotency-key']) : undefined;
    if (key === undefined || !caller) return answer(ctx, endpoint, await act(store).catch(refuseDeleted));
    const request = { account: caller.account, endpoint: `${ctx.method} ${ctx.path}`, key, body };
    const { answer: outcome, replayed } = await once(store, request, now, act).catch(refuseDeleted);
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    await answer(ctx, endpoint, outcome);
  };
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Throws a Problem if an insert failed because its account has just been deleted. Rethrows other errors. */
function refuseDeleted(error: unknown): never {
  throw error instanceof StatementError && error.sqlState === FOREIGN_KEY_VIOLATION ? accountDeleted() : error;
}

async function readRequest(ctx: Context, endpoint: ActionEndpoint, services: Sources, now: Date) {
  const { config, datasets, networks, threads, quotas } = services;
  const { reference } = datasets;
  const context = { reference, networks, now };
  const given = { path: ctx.params ?? {}, query: readQuery(ctx.querystring) };
  const parameters = readParameters(parametersOf(endpoint), given, context);
  const body = endpoint.body === undefined ? NO_BODY : await readJsonBody(ctx.req, bodyLimit(endpoint));
  const value = endpoint.body === undefined ? {} : parseBody(body);
  const unknown = endpoint.body === undefined ? [] : unknownMembers(endpoint.body, value);
  setIgnoredHeader(ctx, truncatedNames([...parameters.ignored, ...unknown]));
  if (endpoint.body !== undefined) requireValidBody(endpoint.body, value);
  const chargeRows = rowCharge(quotas, ctx);
  const act = (store: Transactions) =>
    endpoint.act({
      caller: ctx.state.caller,
      parameters,
      query: ctx.querystring,
      ifMatch: ctx.req.headers['if-match'],
      body: value,
      browser: {
        session: ctx.state.session,
        visits: readVisits(ctx.req.headers.cookie),
        userAgent: ctx.req.headers['user-agent'],
      },
      store,
      reference,
      lease: () => datasets.lease(),
      fitDecisions: (given, address, dataset) =>
        threads.fitDecisions({ given, address }, dataset, { chargeRows }, senderOf(ctx)),
      config,
      now,
    });
  return { act, body };
}

const NO_BODY = Buffer.alloc(0);

/** Program version in ETags. Another version may serialize the same content differently. */
const PROGRAM = dataTag(VERSION);

export async function answer(ctx: Context, endpoint: ActionEndpoint, outcome: Outcome): Promise<void> {
  const { json, etag, browser, location } = outcome;
  ctx.set('Cache-Control', CACHE_CONTROL.private);
  if (browser) ctx.append('Set-Cookie', browserCookies(browser));
  if (location !== undefined) ctx.set('Location', location);
  if (json === undefined) {
    ctx.body = null;
  } else {
    const text = toJson(json);
    if (endpoint.method === 'GET' && isUnchanged(ctx, etag ?? weakETag(PROGRAM, text))) return;
    if (etag !== undefined) ctx.compress = false; // not compressed, because each content coding would need its own strong ETag
    respond(ctx, whole(JSON_TYPE, text));
  }
  ctx.status = successOf(endpoint);
}

/** Prevents cross-site request forgery: refuses requests with a session from other sites (decision U2). */
function requireSameOrigin(origin: string | undefined, caller: Caller | undefined, baseUrl: string): void {
  if (caller?.by === 'key' || (origin === undefined && !caller)) return;
  if (origin === new URL(baseUrl).origin) return;
  throw new Problem('forbidden', 'requests with a session must come from this site: the header Origin must match it');
}
