/** Requests of dataset endpoints: query to parameters, ETag, response cache, then the endpoint. */
import type { Readable } from 'node:stream';
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Datasets, Lease } from '../dataset/dataset-holder.js';
import { requireReplayed } from '../dataset/require-current-versions.js';
import { withKnownDecisions } from '../decisions/flagged-receipts.js';
import { withSavedDecisions } from '../decisions/saved-decisions.js';
import type { Endpoint, EndpointRequest } from '../endpoint.js';
import { negotiateCoding } from '../http/content-coding.js';
import { CACHE_CONTROL, weakETag } from '../http/etag.js';
import { readJsonBody, readQuery } from '../http/request-input.js';
import { canonical, type Given, readParameters } from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import type { Store } from '../store/store.js';
import { bodyOf, recode, setBody } from './answer-body.js';
import { isUnchanged } from './is-unchanged.js';
import type { ReadQuery, ResponseCache, SharedResponse } from './response-cache.js';

export interface DatasetSources {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly responses: ResponseCache;
}

/** @throws Problem */
export function readDataset(endpoint: Endpoint, sources: DatasetSources): Middleware {
  return async (ctx) => {
    const lease = sources.datasets.lease();
    if (!lease) throw new Problem('unavailable', 'no dataset that can be served is published yet');
    try {
      await answerFrom(lease.dataset, ctx, endpoint, sources);
    } catch (error) {
      lease.release();
      throw error;
    }
    releaseAfter(ctx.body, lease);
  };
}

/** A body that is made while it goes out reads the dataset until it is closed. */
function releaseAfter(body: unknown, lease: Lease): void {
  const isStream = typeof body === 'object' && body !== null && 'pipe' in body;
  if (isStream) (body as Readable).once('close', () => lease.release());
  else lease.release();
}

async function answerFrom(dataset: Dataset, ctx: Context, endpoint: Endpoint, sources: DatasetSources): Promise<void> {
  const now = sources.config.now();
  const today = now.toISOString().slice(0, 10);
  const { parameters: asked, shared } = await queryOf(ctx, endpoint, dataset, today, sources.responses);
  if (endpoint.replayed) requireReplayed(dataset);
  const { caller, widget } = ctx.state;
  const parameters =
    endpoint.savedDecisions && caller
      ? await withSavedDecisions(asked, { dataset, store: sources.store, account: caller.account })
      : asked;
  const request = { parameters, dataset, today, now, widget };
  if (shared && !parameters.personal) return answerShared(ctx, endpoint, request, shared, sources.responses);
  endpoint.admit?.(request);
  const body = await bodyOf(await endpoint.handle(request));
  ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
  setBody(ctx, body);
}

/** The parameters of a request, and which response it shares with equal ones. */
async function queryOf(
  ctx: Context,
  { path, parameters: names, volatile }: Endpoint,
  dataset: Dataset,
  today: string,
  responses: ResponseCache,
): Promise<ReadQuery> {
  const read = (given: Given): ReadQuery => {
    const checked = readParameters(names, given, { reference: dataset.reference, today });
    const parameters = withKnownDecisions(checked, dataset);
    if (volatile || parameters.personal) return { parameters, shared: undefined };
    const asked = `${path}\n${canonical(parameters)}`;
    return { parameters, shared: { name: `${dataset.tag} ${asked}`, etag: weakETag(dataset.tag, asked) } };
  };
  if (ctx.method === 'POST') return { ...read(await readJsonBody(ctx.req)), shared: undefined };
  return responses.query(`${dataset.tag} ${today}`, path, ctx.querystring, () => read(readQuery(ctx.querystring)));
}

/** A response that is a pure function of generation, path and parameters, also where somebody who signed in gets it. */
async function answerShared(
  ctx: Context,
  endpoint: Endpoint,
  request: EndpointRequest,
  { name, etag }: SharedResponse,
  responses: ResponseCache,
): Promise<void> {
  const coding = negotiateCoding(ctx.req);
  const kept = responses.body(name, coding);
  if (!kept) endpoint.admit?.(request); // what is kept was admitted, and nothing that decides it has changed
  if (isUnchanged(ctx, etag)) return;
  if (kept) return setBody(ctx, kept);
  const made = await bodyOf(await endpoint.handle(request));
  const body = 'bytes' in made ? await recode(made, coding) : made;
  if ('bytes' in body) responses.keep(name, coding, body);
  setBody(ctx, body);
}
