/** Requests of dataset endpoints: query to parameters and ETag, response cache, then decisions and the endpoint. */
import { Readable } from 'node:stream';
import { readsNode } from '../../pipeline/config.js';
import { DAY_MS, dayOf } from '../../pipeline/ledger/day.js';
import type { Caller } from '../accounts/caller.js';
import type { WidgetKey } from '../accounts/widget-keys.js';
import type { Context, Middleware, Services } from '../context.js';
import type { Dataset } from '../dataset/dataset.js';
import { withResolvedDecisions } from '../decisions/resolve-decisions.js';
import { hasSavedEntries } from '../decisions/saved-entries.js';
import type { Endpoint } from '../endpoint.js';
import { acceptsJson } from '../http/accept.js';
import { CACHE_CONTROL, weakETag } from '../http/etag.js';
import { leaveTurn } from '../http/event-loop.js';
import { readJsonBody, readQuery } from '../http/request-input.js';
import { LIMITS, type Limit } from '../limits.js';
import {
  canonical,
  type Given,
  type ParameterName,
  parametersOf,
  readParameters,
  readParametersInTurns,
  type ValidParameters,
} from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import type { LongAnswers } from '../quotas/long-answers.js';
import { clientOf, type Quotas } from '../quotas/quotas.js';
import type { CachedQueries } from '../store/store.js';
import {
  type Body,
  bodyOf,
  isLong,
  isUnchanged,
  recode,
  respond,
  type StreamedBody,
  tellIgnored,
  whenSent,
  withResponseExtras,
} from './answer.js';
import { bodyLimit } from './body-limit.js';
import { type ReadQuery, ResponseCache } from './response-cache.js';

/** Makes the middleware of each dataset endpoint; all of them share a response cache. */
export function datasetReader(services: AnswerSources): (endpoint: Endpoint) => Middleware {
  const shared = { ...services, responses: new ResponseCache(), todayOf: rememberingDay() };
  return (endpoint) => {
    const own = {
      ...shared,
      endpoint,
      names: parametersOf(endpoint),
      bodyMax: bodyLimit(endpoint),
      vary: varyOf(endpoint),
    };
    return async (ctx) => {
      const lease = services.datasets.requireLease();
      const places: Places = [];
      try {
        await answerFrom(lease.dataset, ctx, own, places);
      } catch (error) {
        lease.release();
        throw error;
      } finally {
        for (const leave of places) whenSent(ctx, leave);
      }
      // A body that is made while it goes out reads the dataset until it is closed; one of known length has been read.
      if (ctx.body instanceof Readable && ctx.length === undefined) ctx.body.once('close', () => lease.release());
      else lease.release();
    };
  };
}

/** Leaves the place that a request has among the long answers; empty where it has none. */
type Places = (() => void)[];

/** The ETag of a response that follows from its parameters, whatever personal is among them, and the key of the page that asks. */
const etagOf = ({ path }: Endpoint, tag: string, parameters: ValidParameters, widget?: WidgetKey) =>
  weakETag(tag, [path, canonical(parameters), widget?.validator].join('\n'));

/** The services that answers are made from, and what bounds them. */
interface AnswerSources extends Services {
  readonly quotas: Quotas | undefined;
  readonly longAnswers: LongAnswers;
}

interface EndpointSources extends AnswerSources {
  readonly endpoint: Endpoint;
  readonly names: readonly ParameterName[];
  readonly bodyMax: Limit;
  readonly vary: string | undefined;
  readonly responses: ResponseCache;
  readonly todayOf: (now: Date) => string;
}

/** One request of a dataset endpoint. */
interface DatasetRequest {
  readonly ctx: Context;
  readonly dataset: Dataset;
  readonly now: Date;
  readonly today: string;
  readonly accepted: Pick<Given, 'acceptsJson'>;
  /** The query as sent, with everything that decides what it means and what is answered. */
  readonly name: string;
  /** Takes a place among the long answers, once it turns out to be one. @throws Problem unavailable */
  readonly takePlace: () => Promise<void>;
}

/**
 * The header Vary of an endpoint where more than the coding counts, such as what an account has saved: no cache gives its caller what it
 * keeps for everybody. It is set whole, since each ctx.vary() takes a fiftieth of the time of an answer that is kept.
 */
function varyOf({ decisions, parameters }: Endpoint): string | undefined {
  const others = [
    ...(decisions ? ['Authorization', 'Cookie'] : []),
    ...(parameters.includes('format_csv_first') ? ['Accept'] : []),
  ];
  return others.length > 0 ? ['Accept-Encoding', ...others].join(', ') : undefined;
}

/** Makes what gives the UTC day of an instant as text, written once a day: each time it takes a fiftieth of an answer that is kept. */
function rememberingDay(): (now: Date) => string {
  let [known, text] = [Number.NaN, ''];
  return (now) => {
    const day = Math.floor(now.getTime() / DAY_MS);
    if (day !== known) [known, text] = [day, dayOf(now.getTime())];
    return text;
  };
}

/** @throws Problem */
async function answerFrom(dataset: Dataset, ctx: Context, sources: EndpointSources, places: Places): Promise<void> {
  const { endpoint, config, store, vary, todayOf, responses, longAnswers } = sources;
  const { caller, coding } = ctx.state;
  ctx.set('X-Dataset', dataset.said);
  if (vary !== undefined) ctx.set('Vary', vary);
  const now = config.now();
  const today = todayOf(now);
  const accepted = acceptedForm(ctx, endpoint);
  const name = `${dataset.tag} ${today} ${accepted.acceptsJson ?? ''} ${endpoint.path}?${ctx.querystring}`;
  const takePlace = placeTaker(longAnswers, ctx, places);
  const request = { ctx, dataset, now, today, accepted, name, takePlace };
  const query =
    ctx.method === 'POST'
      ? await readPosted(request, sources)
      : (responses.find(name) ?? responses.add(name, readSent(request, sources)));
  tellIgnored(ctx, query.parameters);
  if (endpoint.replayed && dataset.otherVersions.length > 0) throw replayInProgress(dataset);
  const account = endpoint.decisions && caller ? await savingAccount(caller, store) : undefined;
  const kept = account === undefined ? query.bodies?.[coding] : undefined;
  if (!kept) return answerAnew(request, query, account, sources);
  // It was admitted when it was made, and what could refuse it has not changed.
  ctx.state.isKept = true;
  if (!isUnchanged(ctx, query.etag!)) respond(ctx, kept);
}

/** Reads a query. @throws Problem bad_request */
function readSent(
  { ctx, dataset, today, accepted }: DatasetRequest,
  { endpoint, names, networks, config }: EndpointSources,
): ReadQuery {
  const seriesEnd = readsNode(config) || today < dataset.indexEnd ? today : dataset.indexEnd;
  const context = { reference: dataset.reference, networks, today, seriesEnd };
  const parameters = readParameters(names, { query: readQuery(ctx.querystring), ...accepted }, context);
  const isShared = !endpoint.volatile && !parameters.personal;
  return { parameters, etag: isShared ? etagOf(endpoint, dataset.tag, parameters) : undefined };
}

/** Reads a body, which has no ETag (RFC 9110, 13.1.2), and is too long to name a response by. @throws Problem */
async function readPosted(
  { ctx, dataset, today, accepted, takePlace }: DatasetRequest,
  { names, networks, bodyMax }: EndpointSources,
): Promise<ReadQuery> {
  const context = { reference: dataset.reference, networks, today };
  const inURL = { query: readQuery(ctx.querystring), ...accepted };
  const { value: body } = await readJsonBody(ctx.req, bodyMax, async (bytes) => {
    if (bytes > LIMITS.answers.longBody.max) await takePlace();
  });
  return { parameters: await readParametersInTurns(names, { ...inURL, body }, context), etag: undefined };
}

/** Makes an answer that the response cache does not have. @param account that has saved what it may rest on */
async function answerAnew(
  { ctx, dataset, now, today, name, takePlace }: DatasetRequest,
  query: ReadQuery,
  account: string | undefined,
  { endpoint, store, responses, quotas, lifecycle }: EndpointSources,
): Promise<void> {
  const { coding, widget } = ctx.state;
  const { decisions } = endpoint;
  const parameters = decisions
    ? await withResolvedDecisions(query.parameters, decisions, { dataset, store, account })
    : query.parameters;
  const { savedLots } = parameters;
  if (savedLots !== undefined) ctx.set('X-Saved-Opening-Lots', String(savedLots));
  const hasLeft = () => ctx.req.socket.destroyed;
  const request = { parameters, dataset, today, now, widget, isEnding: lifecycle.isEnding, hasLeft };
  endpoint.admit?.(request);
  // Also somebody who signed in gets the response that everybody gets, unless it rests on what the account has saved.
  const { personal } = parameters;
  const isTagged = !endpoint.volatile && ctx.method !== 'POST';
  // Where nothing saved counts, a personal response follows from the request as it is written, which is quicker to tell apart.
  const personalETag = () =>
    account === undefined
      ? weakETag(dataset.tag, `${name}\n${widget?.validator}`)
      : etagOf(endpoint, dataset.tag, parameters, widget);
  const etag = personal && isTagged ? personalETag() : query.etag;
  if (etag === undefined) ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
  else if (isUnchanged(ctx, etag, personal ? CACHE_CONTROL.private : CACHE_CONTROL.public)) return;
  const rows = parameters.addresses.reduce((sum, address) => sum + dataset.rows(address), 0);
  const isLargeWallet = rows > LIMITS.answers.longRows.max;
  if (isLargeWallet) await quotas?.chargeRows(clientOf(ctx), rows);
  if (isLargeWallet || endpoint.isExpensive?.(parameters)) await takePlace();
  const found = await endpoint.handle(request);
  await leaveTurn();
  const answer = withResponseExtras(found, parameters);
  await leaveTurn();
  const body = await recode(await bodyOf(answer), coding);
  if (isLong(body)) await takePlace().catch(closing(body));
  if (!personal && etag !== undefined && 'bytes' in body) responses.keep(name, coding, body);
  respond(ctx, body);
}

/** Closes the body of an answer that does not go out. */
const closing = (body: Body | StreamedBody) => (error: unknown) => {
  if ('close' in body) body.close();
  throw error;
};

function placeTaker(longAnswers: LongAnswers, ctx: Context, places: Places): () => Promise<void> {
  let taken: Promise<unknown> | undefined;
  return async () => {
    taken ??= longAnswers.enter(clientOf(ctx), ctx.req.socket).then((leave) => places.push(leave));
    await taken;
  };
}

/** The caller's account, where it may read tax data and has saved anything that answers rest on. */
async function savingAccount({ scopes, account }: Caller, store: CachedQueries): Promise<string | undefined> {
  return scopes.includes('tax:read') && (await hasSavedEntries(store, account)) ? account : undefined;
}

/** Format that the header Accept asks for where an answer's usual form is CSV. */
function acceptedForm(ctx: Context, { parameters }: Endpoint): Pick<Given, 'acceptsJson'> {
  return parameters.includes('format_csv_first') ? { acceptsJson: acceptsJson(ctx.req) } : {};
}

/** Seconds after which a caller may try again: a night replays in minutes to an hour. */
const RETRY_AFTER_SECONDS = 300;

/**
 * Refuses figures that the program would make otherwise today, until a replay under its own versions is published
 * (specification, "States and transitions"; decision A12): none is better than one that changes by tomorrow.
 */
const replayInProgress = ({ otherVersions }: Dataset) =>
  new Problem(
    'replay_in_progress',
    `wallets are being replayed, because the published dataset was made under ${otherVersions.join(' and ')}; ask ` +
      'again when the next one is published',
    { retryAfter: RETRY_AFTER_SECONDS },
  );
