/**
 * Makes the answer of a dataset endpoint from plain data: reads parameters, resolves decisions, and runs the endpoint.
 * Short answers are made where the request arrived, long ones in a worker thread (server/answer-thread.ts).
 */

import { isKnown, weakETag } from '../http/etag.js';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { parseBody, readQuery } from '../http/request-input.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import { withResolvedDecisions } from '../people/saved/resolve-decisions.js';
import type { Queries } from '../people/store/store.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { canonical, parametersOf, readParameters, type ValidParameters } from '../tax/parameters/parameters.js';
import { type Body, bodyOf, recode, type Spooled, spool, wholeOf, withResponseExtras } from './answer.js';
import type { Coding } from './context.js';
import type { Endpoint } from './endpoint.js';

/** A request as plain data. */
export interface Asked {
  /** Path of the endpoint. */
  readonly path: string;
  /** The query as sent, with everything that determines its meaning and answer. */
  readonly name: string;
  readonly query: string;
  /** Body of a POST. */
  readonly body?: Uint8Array | undefined;
  readonly acceptsJson?: boolean;
  /** UTC day, YYYY-MM-DD. */
  readonly today: string;
  readonly now: Date;
  /** Default last day of a price series. */
  readonly seriesEnd: string;
  /** Account with saved entries; undefined if none apply. */
  readonly account: string | undefined;
  readonly widget: WidgetKey | undefined;
  readonly isEnding: boolean;
  readonly coding: Coding;
  readonly ifNoneMatch: string | undefined;
}

/** Facts for headers. They are known even if the request is refused. */
export interface Told {
  ignored: readonly string[];
  savedLots?: number;
  /** ETag of the response; undefined if it has none. */
  etag?: string;
  /** Whether the response must not be shared. */
  isPersonal: boolean;
}

export interface AnswerSources {
  readonly endpoint: Endpoint;
  readonly dataset: Dataset;
  readonly store: Queries;
  /** Charges the rows of a long answer to the client. @throws Problem rate_limited */
  readonly chargeRows: (rows: number) => Promise<void>;
  /** Whether a long list becomes a file instead of a buffer. */
  readonly spools: boolean;
  readonly signal?: AbortSignal;
}

export interface ReadQuery {
  readonly parameters: ValidParameters;
  /** ETag of the response; undefined if the response is private. */
  readonly etag: string | undefined;
}

/** Dataset endpoints have no parameter that names a network. */
const NO_NETWORKS = { names: [], get: () => undefined };

/** Reads a request's parameters. @throws Problem bad_request for a query, validation_failed for a body */
export function readAsked(asked: Asked, { endpoint, dataset }: Pick<AnswerSources, 'endpoint' | 'dataset'>): ReadQuery {
  const { query, body, acceptsJson, today, seriesEnd } = asked;
  const context = { reference: dataset.reference, networks: NO_NETWORKS, today, seriesEnd };
  const given = {
    query: readQuery(query),
    ...(acceptsJson !== undefined && { acceptsJson }),
    ...(body && { body: parseBody(body) }),
  };
  const parameters = readParameters(parametersOf(endpoint), given, context);
  // A response to a body has no ETag (RFC 9110, 13.1.2).
  const isShared = body === undefined && !endpoint.volatile && !parameters.personal;
  return { parameters, etag: isShared ? etagOf(endpoint, dataset.tag, parameters) : undefined };
}

/** Derives the ETag from all parameters, including personal ones, and the widget key. */
const etagOf = ({ path }: Endpoint, tag: string, parameters: ValidParameters, widget?: WidgetKey) =>
  weakETag(tag, [path, canonical(parameters), widget?.validator].join('\n'));

/**
 * Makes the answer.
 * @param told is filled in as facts become known
 * @returns undefined if the caller already has the response
 * @throws Problem
 */
export async function makeAnswer(
  asked: Asked,
  read: ReadQuery,
  sources: AnswerSources,
  told: Told,
): Promise<Body | Spooled | undefined> {
  const { endpoint, dataset, store } = sources;
  const { account, widget, coding, today, now, isEnding } = asked;
  const { decisions } = endpoint;
  told.ignored = read.parameters.ignored;
  if (endpoint.replayed && dataset.otherVersions.length > 0) throw replayInProgress(dataset);
  const parameters = decisions
    ? await withResolvedDecisions(read.parameters, decisions, { dataset, store, account })
    : read.parameters;
  if (parameters.savedLots !== undefined) told.savedLots = parameters.savedLots;
  const request = { parameters, dataset, today, now, widget, isEnding };
  endpoint.admit?.(request);
  // A signed-in caller gets the shared response, unless saved entries apply.
  told.isPersonal = parameters.personal;
  const etag = parameters.personal ? personalETag(asked, parameters, sources) : read.etag;
  if (etag !== undefined) told.etag = etag;
  if (etag !== undefined && isKnown(asked.ifNoneMatch, etag)) return undefined;
  const rows = rowsOf(parameters, dataset);
  if (rows > LIMITS.answers.longRows.max) await sources.chargeRows(rows);
  const answer = withResponseExtras(await endpoint.handle(request), parameters);
  const body = sources.spools ? bodyOf(answer) : wholeOf(answer);
  return 'texts' in body ? spool(body, coding, sources.signal) : recode(body, coding);
}

function personalETag(
  { account, name, widget, body }: Asked,
  parameters: ValidParameters,
  { endpoint, dataset }: AnswerSources,
): string | undefined {
  if (endpoint.volatile || body) return undefined;
  // Without saved entries the response follows from the request as written, which is quicker to compare.
  if (account === undefined) return weakETag(dataset.tag, `${name}\n${widget?.validator}`);
  return etagOf(endpoint, dataset.tag, parameters, widget);
}

/** Returns how many rows the wallets of a request have. */
export const rowsOf = ({ addresses }: ValidParameters, dataset: Dataset): number =>
  addresses.reduce((sum, address) => sum + dataset.rows(address), 0);

/** A night replays in minutes to an hour. */
const RETRY_AFTER_SECONDS = 300;

/**
 * Refuses figures of other program versions until a replay under this one is published: no figure is better than one
 * that changes tomorrow (specification, "States and transitions"; decision A12).
 */
const replayInProgress = ({ otherVersions }: Dataset) =>
  new Problem(
    'replay_in_progress',
    `wallets are being replayed, because the published dataset was made under ${otherVersions.join(' and ')}; ask ` +
      'again when the next one is published',
    { retryAfter: RETRY_AFTER_SECONDS },
  );
