import { toJson } from '../../pipeline/base/json/exact-json.js';
import { VERSION } from '../../pipeline/base/project.js';
import { CACHE_CONTROL, dataTag, weakETag } from '../http/etag.js';
import { parseBody, readJsonBody, readQuery } from '../http/request-input.js';
import { accountDeleted } from '../people/accounts/accounts.js';
import { requireSameOrigin } from '../people/accounts/caller.js';
import { browserCookies, readVisits } from '../people/accounts/sessions.js';
import { StatementError } from '../people/store/session.js';
import type { Transactions } from '../people/store/store.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import { requireValidBody, unknownMembers } from '../tax/parameters/body-schemas.js';
import { parametersOf, readParameters } from '../tax/parameters/parameters.js';
import { truncatedNames } from '../tax/parameters/reading.js';
import { isUnchanged, respond, tellIgnored, whole } from './answer.js';
import type { AnswerThreads } from './answer-threads.js';
import { bodyLimit } from './body-limit.js';
import type { Context, Middleware, Services } from './context.js';
import { type ActionEndpoint, type Outcome, successOf } from './endpoint.js';
import { once, readIdempotencyKey } from './idempotency.js';

interface Sources extends Services {
  readonly threads: AnswerThreads;
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

/** Replaces the database error of an insert for an account that was just deleted. */
function refuseDeleted(error: unknown): never {
  throw error instanceof StatementError && error.sqlState === FOREIGN_KEY_VIOLATION ? accountDeleted() : error;
}

async function readRequest(ctx: Context, endpoint: ActionEndpoint, services: Sources, now: Date) {
  const { config, datasets, networks, threads } = services;
  const { reference } = datasets;
  const context = { reference, networks, today: now.toISOString().slice(0, 10) };
  const given = { path: ctx.params ?? {}, query: readQuery(ctx.querystring) };
  const parameters = readParameters(parametersOf(endpoint), given, context);
  const body = endpoint.body === undefined ? NO_BODY : await readJsonBody(ctx.req, bodyLimit(endpoint));
  const value = endpoint.body === undefined ? {} : parseBody(body);
  const unknown = endpoint.body === undefined ? [] : unknownMembers(endpoint.body, value);
  tellIgnored(ctx, truncatedNames([...parameters.ignored, ...unknown]));
  if (endpoint.body !== undefined) requireValidBody(endpoint.body, value);
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
      fitDecisions: (...task) => threads.fitDecisions(...task),
      config,
      now,
    });
  return { act, body };
}

const NO_BODY = Buffer.alloc(0);

/** Part of ETags, because another program version may serialize the same content differently. */
const PROGRAM = dataTag(VERSION);

async function answer(ctx: Context, endpoint: ActionEndpoint, outcome: Outcome): Promise<void> {
  const { json, etag, browser, location } = outcome;
  ctx.set('Cache-Control', CACHE_CONTROL.private);
  if (browser) ctx.append('Set-Cookie', browserCookies(browser));
  if (location !== undefined) ctx.set('Location', location);
  if (json === undefined) {
    ctx.body = null;
  } else {
    const text = toJson(json);
    if (endpoint.method === 'GET' && isUnchanged(ctx, etag ?? weakETag(PROGRAM, text))) return;
    if (etag !== undefined) ctx.compress = false; // a strong ETag must differ for each content coding, so the body is sent uncompressed
    respond(ctx, whole(JSON_TYPE, text));
  }
  ctx.status = successOf(endpoint);
}
