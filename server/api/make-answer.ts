/**
 * Answers a request to a dataset endpoint. Short answers are made in the main thread, and long answers in a worker
 * thread.
 */

import { isRecord } from '../../pipeline/base/json/exact-json.js';
import type { Answer, ArchivedFile } from '../http/answer.js';
import { isKnown, weakETag } from '../http/etag.js';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { parseBody, readQuery } from '../http/request-input.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import { withResolvedDecisions } from '../people/decisions.js';
import type { Queries } from '../people/store/store.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { CSV_TYPE, withMark } from '../tax/formats/csv.js';
import { responseExtras } from '../tax/formats/json.js';
import { parametersOf } from '../tax/parameters/parameter-schemas.js';
import { canonical, readParameters, type ValidParameters } from '../tax/parameters/parameters.js';
import type { Coding } from './context.js';
import type { Endpoint } from './endpoint.js';

/** A request as plain data, so that it can be sent to a worker thread. */
export interface DatasetRequest {
  readonly path: string;
  /** Cache key: the query and everything else on which the answer depends. */
  readonly name: string;
  readonly query: string;
  readonly body?: Uint8Array | undefined;
  readonly today: string;
  readonly now: Date;
  readonly seriesEnd: string;
  /** The caller's account if it has saved entries, otherwise undefined. */
  readonly account: string | undefined;
  readonly widget: WidgetKey | undefined;
  readonly isEnding: boolean;
  readonly coding: Coding;
  readonly ifNoneMatch: string | undefined;
}

export interface AnswerNotes {
  ignored: readonly string[];
  savedLots?: number;
  /** Keys of tags that reached none of their rows. */
  unusedTags?: readonly string[];
  etag?: string;
  /** True if the response must not be cached for other callers. */
  isPersonal: boolean;
}

export interface AnswerSources {
  readonly endpoint: Endpoint;
  readonly dataset: Dataset;
  readonly store: Queries;
  readonly chargeRows: (rows: number) => Promise<void>;
}

export interface ReadQuery {
  readonly parameters: ValidParameters;
  readonly etag: string | undefined;
}

const NO_NETWORKS = { names: [], get: () => undefined };

export function readRequest(
  request: DatasetRequest,
  { endpoint, dataset }: Pick<AnswerSources, 'endpoint' | 'dataset'>,
): ReadQuery {
  const { query, body, now, seriesEnd } = request;
  const rates = dataset.exchangeRates();
  const context = { reference: dataset.reference, networks: NO_NETWORKS, now, seriesEnd, rates };
  const given = { query: readQuery(query), ...(body && { body: parseBody(body) }) };
  const parameters = readParameters(parametersOf(endpoint), given, context);
  // Responses to POST have no ETag (RFC 9110, 13.1.2).
  const isShared = body === undefined && !endpoint.volatile && !parameters.personal;
  return { parameters, etag: isShared ? etagOf(request, parameters, { endpoint, dataset }) : undefined };
}

function etagOf(
  { today }: DatasetRequest,
  parameters: ValidParameters,
  { endpoint, dataset }: Pick<AnswerSources, 'endpoint' | 'dataset'>,
  widget?: WidgetKey,
): string {
  const day = endpoint.daily ? [today] : [];
  return weakETag(dataset.tag, [endpoint.path, canonical(parameters), widget?.validator, ...day].join('\n'));
}

/**
 * Makes an answer. @param notes receives facts about the answer, even if the request is refused
 * @returns undefined if the caller already has the response
 */
export async function makeAnswer(
  request: DatasetRequest,
  read: ReadQuery,
  sources: AnswerSources,
  notes: AnswerNotes,
): Promise<Answer | undefined> {
  const { endpoint, dataset, store } = sources;
  const { account, widget, today, now, isEnding } = request;
  const { decisions } = endpoint;
  notes.ignored = read.parameters.ignored;
  requireTracked(read.parameters, dataset);
  if (endpoint.replayed && dataset.otherVersions.length > 0) throw replayInProgress(dataset);
  const parameters = decisions
    ? await withResolvedDecisions(read.parameters, decisions, { dataset, store, account })
    : read.parameters;
  if (parameters.savedLots !== undefined) notes.savedLots = parameters.savedLots;
  notes.unusedTags = parameters.tagged.filter(({ reason }) => reason !== undefined).map(({ key }) => key);
  const endpointRequest = { parameters, dataset, today, now, widget, isEnding };
  endpoint.admit?.(endpointRequest);
  // Signed-in callers without saved entries get the same shared response as everybody.
  notes.isPersonal = parameters.personal;
  const etag = parameters.personal ? personalETag(request, parameters, sources) : read.etag;
  if (etag !== undefined) notes.etag = etag;
  if (etag !== undefined && isKnown(request.ifNoneMatch, etag)) return undefined;
  const rows = rowsOf(parameters, dataset);
  if (rows > LIMITS.answers.longRows.max) await sources.chargeRows(rows * replaysOf(parameters));
  return marked(withResponseExtras(await endpoint.handle(endpointRequest), parameters), parameters);
}

/**
 * Throws a Problem if a wallet is not in the dataset of single wallets. Its answer would be empty, which would be
 * wrong.
 */
function requireTracked({ addresses }: ValidParameters, { manifest: { own_wallets } }: Dataset): void {
  const other = own_wallets && addresses.find((address) => !own_wallets.some((wallet) => wallet.address === address));
  if (other === undefined) return;
  const trackedWallets = own_wallets!.map(({ address }) => address).join(', ');
  throw new Problem(
    'not_found',
    `this dataset has only the wallets ${trackedWallets} (HUBLEDGER_WALLETS), not ${other}`,
  );
}

/** Adds members about the request to a JSON object. Lists already contain these members. */
const withResponseExtras = (answer: Answer, parameters: ValidParameters): Answer =>
  'json' in answer && isRecord(answer.json) ? { json: { ...answer.json, ...responseExtras(parameters) } } : answer;

/** Adds a byte order mark to each CSV file if requested, unless the file already begins with one. */
function marked(answer: Answer, { bom }: ValidParameters): Answer {
  if (!bom) return answer;
  if ('files' in answer) return { ...answer, files: withMarks(answer.files) };
  if (!('chunks' in answer) || answer.type !== CSV_TYPE) return answer;
  return { ...answer, chunks: withMark(answer.chunks) };
}

function* withMarks(files: Iterable<ArchivedFile>): Generator<ArchivedFile, void, undefined> {
  for (const { name, chunks } of files) yield { name, chunks: withMark(chunks) };
}

function personalETag(
  request: DatasetRequest,
  parameters: ValidParameters,
  { endpoint, dataset }: AnswerSources,
): string | undefined {
  const { account, name, widget, body } = request;
  if (endpoint.volatile || body) return undefined;
  // Without saved entries, the response depends only on the raw query. Hashing the query is faster than parsing it.
  if (account === undefined) return weakETag(dataset.tag, `${name}\n${widget?.validator}`);
  return etagOf(request, parameters, { endpoint, dataset }, widget);
}

export const rowsOf = ({ addresses }: ValidParameters, dataset: Dataset): number =>
  addresses.reduce((sum, address) => sum + dataset.rows(address), 0);

/** Carried lots need a joint replay of all wallets before the wallets' own replays. */
const replaysOf = ({ addresses, own_wallets: ownWallets }: ValidParameters): number =>
  ownWallets === 'carry' && addresses.length > 1 ? 2 : 1;

const RETRY_AFTER_SECONDS = 300;

/**
 * Returns a problem if another program version computed the amounts, because the next nightly run may change them
 * (specification, "States and transitions"; decision A12).
 */
const replayInProgress = ({ otherVersions }: Dataset) =>
  new Problem(
    'replay_in_progress',
    `wallets are being replayed, because the published dataset was made under ${otherVersions.join(' and ')}; ask ` +
      'again when the next one is published',
    { retryAfter: RETRY_AFTER_SECONDS },
  );
