import type { NodeQuery } from '../contracts/node-query.js';
import type { ContractReply } from '../contracts/reply-cache.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { Limiter } from '../http/limiter.js';
import { LIMITS, type Limit } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { parseBody, readJsonBody, readQuery } from '../http/request-input.js';
import { JSON_TYPE } from '../tax/formats/json.js';
import { refusal } from '../tax/parameters/faults.js';
import type { Source } from '../tax/parameters/parameter-schemas.js';
import { parametersOf } from '../tax/parameters/parameter-schemas.js';
import { type Given, readParameters } from '../tax/parameters/parameters.js';
import { CodedBody, gzipQuickly, isUnchanged, respondFrom, senderOf, setIgnoredHeader } from './answer.js';
import { bodyLimit } from './body-limit.js';
import type { Context, Middleware, Services } from './context.js';
import type { ContractEndpoint } from './endpoint.js';
import type { Spools } from './spools.js';

const { nodes, waits } = LIMITS;
const RETRY_AFTER_SECONDS = 5;

interface Sources extends Services {
  readonly spools: Spools;
  readonly queries: Limiter;
}

/** Limits the queries to nodes. A rate limit is not enough, because a few slow queries could occupy all connections. */
export const queryLimiter = () =>
  new Limiter({
    running: nodes.queries.max,
    runningOfAddress: nodes.ofAddress.max,
    runningOfClient: nodes.ofAddress.max,
    waiting: nodes.waiting.max,
    waitingOfClient: nodes.waiting.max,
    waitMs: waits.place.max,
  });

const TOO_MANY = new Problem(
  'unavailable',
  `more than ${nodes.ofAddress.max} queries of your address are in progress: retry later`,
  { retryAfter: RETRY_AFTER_SECONDS },
);

export function queryContract(
  endpoint: ContractEndpoint,
  { networks, datasets, spools, queries }: Sources,
): Middleware {
  const names = parametersOf(endpoint);
  const bodyMax = bodyLimit(endpoint);
  const bodies = new WeakMap<ContractReply, CodedBody>();
  return async (ctx) => {
    const given = await givenIn(ctx, bodyMax);
    const parameters = readParameters(names, given, { reference: datasets.reference, networks, now: new Date() });
    setIgnoredHeader(ctx, parameters.ignored);
    const query = endpoint.ask(parameters);
    const network = networks.get(parameters.network)!;
    const answer = await networks.answers.get(network, query, (ask) => queries.run(senderOf(ctx), TOO_MANY, ask));
    ctx.set('X-Block-Height', String(answer.height));
    if (answer.refusal) throw problemOf(answer, parameters.source);
    if (given.body) ctx.set('Cache-Control', CACHE_CONTROL.private);
    else if (isUnchanged(ctx, answer.etag, cacheControl(query))) return;
    const { body: bytes } = answer;
    const body = bodies.get(answer) ?? new CodedBody({ type: JSON_TYPE, coding: 'identity', bytes }, gzipQuickly);
    bodies.set(answer, body);
    await respondFrom(ctx, await body.in(ctx.state.coding), spools);
  };
}

async function givenIn(ctx: Context, most: Limit): Promise<Given> {
  if (ctx.method !== 'POST') return { path: ctx.params ?? {}, query: readQuery(ctx.querystring) };
  const body = await readJsonBody(ctx.req, most);
  return { query: readQuery(ctx.querystring), body: parseBody(body), bodyText: body.toString() };
}

/**
 * Returns Cache-Control. A response about a fixed block never changes. Clients must revalidate responses about the
 * latest block.
 */
const cacheControl = ({ height }: NodeQuery) =>
  height === undefined ? CACHE_CONTROL.revalidated : CACHE_CONTROL.public;

function problemOf({ refusal: refused }: ContractReply, source: Source): Problem {
  const { code, detail, parameter } = refused!;
  if (parameter) return refusal(source, [{ name: parameter, path: '', message: detail }]);
  return new Problem(
    code,
    detail,
    code === 'validation_failed' ? { errors: [{ path: 'query', message: detail }] } : {},
  );
}
