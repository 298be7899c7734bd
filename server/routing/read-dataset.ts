/** Requests of dataset endpoints: query to parameters and ETag, response cache, then decisions and the endpoint. */
import { Readable } from 'node:stream';
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { Networks } from '../contracts/networks.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Datasets, Lease } from '../dataset/dataset-holder.js';
import { replayInProgress } from '../dataset/replay-in-progress.js';
import { withResolvedDecisions } from '../decisions/resolve-decisions.js';
import type { Endpoint, EndpointRequest } from '../endpoint.js';
import { negotiateCoding } from '../http/content-coding.js';
import { CACHE_CONTROL, weakETag } from '../http/etag.js';
import { readJsonBody, readQuery } from '../http/request-input.js';
import { canonical, type Given, parametersOf, readParameters, type ValidParameters } from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import type { Store } from '../store/store.js';
import { bodyOf, recode } from './answer-body.js';
import { isUnchanged, respond } from './respond.js';
import type { ReadQuery, ResponseCache, SharedResponse } from './response-cache.js';

export interface DatasetSources {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
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
  if (body instanceof Readable) body.once('close', () => lease.release());
  else lease.release();
}

async function answerFrom(dataset: Dataset, ctx: Context, endpoint: Endpoint, sources: DatasetSources): Promise<void> {
  const { config, responses } = sources;
  const now = config.now();
  const today = now.toISOString().slice(0, 10);
  const query = await readRequest(ctx, endpoint, dataset, { ...sources, today });
  if (endpoint.replayed && dataset.otherVersions.length > 0) throw replayInProgress(dataset);
  const coding = negotiateCoding(ctx.req);
  const kept = query.shared && !hasSavedDecisions(ctx, endpoint) && responses.body(query.shared.name, coding);
  if (query.shared && kept) {
    // It was admitted when it was made, and what could refuse it has not changed since.
    if (!isUnchanged(ctx, query.shared.etag)) respond(ctx, kept);
    return;
  }
  const parameters = await withDecisions(query.parameters, ctx, endpoint, { dataset, store: sources.store });
  const request = { parameters, dataset, today, now, widget: ctx.state.widget };
  endpoint.admit?.(request);
  if (query.shared && !parameters.personal) await answerShared(ctx, endpoint, request, query.shared, responses);
  else await answerPrivately(ctx, endpoint, request);
}

/** The parameters of a request, and the response that it shares with equal ones. */
async function readRequest(
  ctx: Context,
  { path, parameters: listed, volatile }: Endpoint,
  dataset: Dataset,
  { networks, responses, today }: Pick<DatasetSources, 'networks' | 'responses'> & { readonly today: string },
): Promise<ReadQuery> {
  const read = (given: Given): ReadQuery => {
    const names = parametersOf({ path, parameters: listed });
    const parameters = readParameters(names, given, { reference: dataset.reference, networks, today });
    if (volatile || parameters.personal) return { parameters, shared: undefined };
    const asked = `${path}\n${canonical(parameters)}`;
    return { parameters, shared: { name: `${dataset.tag} ${asked}`, etag: weakETag(dataset.tag, asked) } };
  };
  if (ctx.method === 'POST') return { ...read({ body: await readJsonBody(ctx.req) }), shared: undefined };
  const { querystring } = ctx;
  return responses.query(`${dataset.tag} ${today}`, path, querystring, () => read({ query: readQuery(querystring) }));
}

/** Whether the caller's account may have saved decisions that count. */
const hasSavedDecisions = ({ state }: Context, { decisions }: Endpoint) =>
  decisions?.saved === true && state.caller !== undefined;

async function withDecisions(
  parameters: ValidParameters,
  { state: { caller } }: Context,
  { decisions }: Endpoint,
  sources: { readonly dataset: Dataset; readonly store: Store },
): Promise<ValidParameters> {
  if (!decisions) return parameters;
  return withResolvedDecisions(parameters, decisions, { ...sources, account: caller?.account });
}

/** A response that is a pure function of generation, path and parameters, also where somebody who signed in gets it. */
async function answerShared(
  ctx: Context,
  endpoint: Endpoint,
  request: EndpointRequest,
  { name, etag }: SharedResponse,
  responses: ResponseCache,
): Promise<void> {
  if (isUnchanged(ctx, etag)) return;
  const coding = negotiateCoding(ctx.req);
  const made = await bodyOf(await endpoint.handle(request));
  const body = 'bytes' in made ? await recode(made, coding) : made;
  if ('bytes' in body) responses.keep(name, coding, body);
  respond(ctx, body);
}

async function answerPrivately(ctx: Context, endpoint: Endpoint, request: EndpointRequest): Promise<void> {
  ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
  respond(ctx, await bodyOf(await endpoint.handle(request)));
}
