/**
 * Handles requests to dataset endpoints. The answer comes from the response cache, from this thread or from a worker
 * thread.
 */
import { LRUCache } from 'lru-cache';
import { dayOf } from '../../pipeline/base/values/day.js';
import { readsNode } from '../../pipeline/config.js';
import { CACHE_CONTROL, isKnown } from '../http/etag.js';
import { LIMITS, type Limit } from '../http/limits.js';
import { readJsonBody } from '../http/request-input.js';
import { hasSavedEntries } from '../people/saved-entries.js';
import type { CachedQueries } from '../people/store/store.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import {
  type Body,
  isUnchanged,
  recode,
  respond,
  respondFrom,
  type Spooled,
  senderOf,
  setIgnoredHeader,
  setUnusedTagsHeader,
  wholeOf,
} from './answer.js';
import type { AnswerThreads } from './answer-threads.js';
import { bodyLimit } from './body-limit.js';
import type { Coding, Context, Middleware, Services } from './context.js';
import type { Caller, Endpoint } from './endpoint.js';
import {
  type AnswerNotes,
  type DatasetRequest,
  makeAnswer,
  type ReadQuery,
  readRequest,
  rowsOf,
} from './make-answer.js';
import { type Quotas, rowCharge } from './quotas/quotas.js';
import type { Spools } from './spools.js';

export function datasetReader(services: Sources): (endpoint: Endpoint) => Middleware {
  const shared = { ...services, responses: new ResponseCache() };
  return (endpoint) => {
    const sources = { ...shared, endpoint, bodyMax: bodyLimit(endpoint), vary: varyOf(endpoint) };
    return async (ctx) => {
      const lease = services.datasets.requireLease();
      try {
        await answerFrom(lease.dataset, ctx, sources);
      } finally {
        lease.release();
      }
    };
  };
}

interface Sources extends Services {
  readonly quotas: Quotas | undefined;
  readonly spools: Spools;
  readonly threads: AnswerThreads;
}

interface EndpointSources extends Sources {
  readonly endpoint: Endpoint;
  readonly bodyMax: Limit;
  readonly vary: string | undefined;
  readonly responses: ResponseCache;
}

/**
 * Returns the header Vary, if a response depends on more than the content coding. With saved entries, it depends on the
 * account.
 */
function varyOf({ access, decisions }: Endpoint): string | undefined {
  const others = [...(decisions ? ['Authorization', 'Cookie'] : []), ...(access ? ['Origin'] : [])];
  return others.length > 0 ? ['Accept-Encoding', ...others].join(', ') : undefined;
}

/** Matches queries that may name a time zone, also percent-encoded. */
const MAY_NAME_ZONE = /zone|%/i;

/** Returns a text that changes at midnight in UTC, or, if the query may name a zone, at every midnight of any zone. */
function todayIn(query: string, now: Date): string {
  if (!MAY_NAME_ZONE.test(query)) return dayOf(now.getTime());
  return String(Math.floor(now.getTime() / QUARTER_HOUR_MS));
}

/** Offsets of zones are whole quarters of an hour. */
const QUARTER_HOUR_MS = 15 * 60_000;

async function answerFrom(dataset: Dataset, ctx: Context, sources: EndpointSources): Promise<void> {
  const { endpoint, config, vary, responses, store } = sources;
  const { caller, coding } = ctx.state;
  const { res } = ctx;
  res.setHeader('X-Dataset', dataset.said);
  if (endpoint.replayed) res.setHeader('X-Methodology-Version', dataset.manifest.methodology_version);
  if (vary !== undefined) res.setHeader('Vary', vary);
  const now = config.now();
  const today = dayOf(now.getTime());
  const name = `${dataset.tag} ${todayIn(ctx.querystring, now)} ${endpoint.path}?${ctx.querystring}`;
  const account = endpoint.decisions && caller ? await savingAccount(caller, store) : undefined;
  const known = ctx.method === 'POST' ? undefined : responses.find(name);
  const kept = account === undefined ? known?.bodies?.[coding] : undefined;
  const ifNoneMatch = ctx.req.headers['if-none-match'];
  if (kept || (known && hasUnchanged({ ifNoneMatch, account }, known))) {
    // The endpoint's check `admit` is not repeated for a cached response, because its result does not change.
    ctx.state.isKept = true;
    setIgnoredHeader(ctx, known!.parameters.ignored);
    if (!isUnchanged(ctx, known!.etag!)) respond(ctx, kept!);
    return;
  }
  const request: DatasetRequest = {
    ...{ path: endpoint.path, name, query: ctx.querystring, today, now, account, coding },
    body: ctx.method === 'POST' ? await readJsonBody(ctx.req, sources.bodyMax) : undefined,
    seriesEnd: readsNode(config) || today < dataset.indexEnd ? today : dataset.indexEnd,
    widget: ctx.state.widget,
    isEnding: sources.lifecycle.isEnding,
    ifNoneMatch,
  };
  await answerAnew(ctx, dataset, request, known, sources);
}

async function answerAnew(
  ctx: Context,
  dataset: Dataset,
  request: DatasetRequest,
  known: ReadQuery | undefined,
  { endpoint, store, responses, quotas, spools, threads }: EndpointSources,
): Promise<void> {
  const { name, coding, body } = request;
  const target = { endpoint, dataset };
  const hasLargeBody = body !== undefined && body.length > LIMITS.answers.longBody.max;
  // Large bodies are parsed in a worker thread.
  const read = hasLargeBody && threads.canMake(endpoint) ? undefined : (known ?? readRequest(request, target));
  if (read && body === undefined) responses.add(name, read);
  const sources = { store, chargeRows: rowCharge(quotas, ctx) };
  const notes: AnswerNotes = { ignored: read?.parameters.ignored ?? [], isPersonal: false };
  try {
    let made: Body | Spooled | undefined;
    const isLong = !read || hasLargeBody || isExpensive(read, request, target);
    if (isLong && read && hasUnchanged(request, read)) {
      notes.etag = read.etag!; // the endpoint's check `admit` passed when the caller received this ETag
    } else if (isLong && threads.canMake(endpoint)) {
      made = await threads.make(request, dataset, sources, notes, senderOf(ctx));
    } else {
      const answer = await makeAnswer(request, read!, { ...target, ...sources }, notes);
      made = answer && (await recode(wholeOf(answer), coding));
    }
    const { etag, isPersonal } = notes;
    if (etag === undefined) ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
    else if (isUnchanged(ctx, etag, isPersonal ? CACHE_CONTROL.private : CACHE_CONTROL.public)) return;
    if (!isPersonal && etag !== undefined && 'bytes' in made!) responses.keep(name, coding, made);
    if ('bytes' in made!) await respondFrom(ctx, made, spools);
    else respond(ctx, made!);
  } finally {
    setIgnoredHeader(ctx, notes.ignored);
    setUnusedTagsHeader(ctx, notes.unusedTags);
    if (notes.savedLots !== undefined) ctx.set('X-Saved-Opening-Lots', String(notes.savedLots));
  }
}

/**
 * Returns true if the caller already has the response. `If-None-Match: *` does not count, because it does not prove
 * this.
 */
const hasUnchanged = (
  { ifNoneMatch, account }: Pick<DatasetRequest, 'ifNoneMatch' | 'account'>,
  { etag }: ReadQuery,
): boolean => account === undefined && etag !== undefined && ifNoneMatch !== '*' && isKnown(ifNoneMatch, etag);

/** Requests with more wallets are handled in a worker thread, because their saved entries may be large. */
const SAVED_WALLETS_MAX = 2;

function isExpensive(
  { parameters }: ReadQuery,
  { account }: DatasetRequest,
  { endpoint, dataset }: { readonly endpoint: Endpoint; readonly dataset: Dataset },
): boolean {
  if (account !== undefined && parameters.addresses.length > SAVED_WALLETS_MAX) return true;
  return rowsOf(parameters, dataset) > LIMITS.answers.longRows.max || endpoint.isExpensive?.(parameters) === true;
}

/** Returns the caller's account if it has saved entries that affect the response. */
async function savingAccount({ scopes, account }: Caller, store: CachedQueries): Promise<string | undefined> {
  return scopes.includes('tax:read') && (await hasSavedEntries(store, account)) ? account : undefined;
}

interface CachedQuery extends ReadQuery {
  readonly bodies?: Partial<Readonly<Record<Coding, Body>>>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const BODY_MAX_BYTES = 512 * 1024;
const NAME_MAX_CHARACTERS = 4096;
/** Estimated memory of a cache entry in addition to its texts. */
const OVERHEAD_BYTES = 1024;
/** Maximum number of remembered queries that were requested only once. */
const ONCE_MAX = 10_000;

/**
 * Caches public responses, because reading, validating and serializing take 90 % of the time. A query is cached only
 * when it is requested a second time, so that unique queries do not evict repeated ones.
 */
export class ResponseCache {
  /** ETags of queries that were requested once. ETags are short. Long names would fill V8's old heap with garbage. */
  private readonly once = new LRUCache<string, true>({ max: ONCE_MAX });
  private readonly queries = new LRUCache<string, CachedQuery>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });

  find(name: string): CachedQuery | undefined {
    return this.queries.get(name);
  }

  add(name: string, query: ReadQuery): void {
    if (query.etag === undefined || name.length > NAME_MAX_CHARACTERS || this.queries.has(name)) return;
    if (this.once.has(query.etag)) this.queries.set(name, query);
    else this.once.set(query.etag, true);
  }

  keep(name: string, coding: Coding, body: Body): void {
    const query = this.queries.get(name);
    if (!query || body.bytes.length > BODY_MAX_BYTES) return;
    this.queries.set(name, { ...query, bodies: { ...query.bodies, [coding]: body } });
  }
}

function sizeOf({ bodies = {} }: CachedQuery, name: string): number {
  const bytes = Object.values(bodies).map((body) => body.bytes.length);
  return bytes.reduce((sum, length) => sum + length, OVERHEAD_BYTES + 2 * name.length);
}
