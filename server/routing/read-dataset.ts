/** Requests of dataset endpoints: query to parameters, ETag, response cache, then the endpoint. */
import type { Readable } from 'node:stream';
import type { Config } from '../../pipeline/config.js';
import type { Context, Middleware } from '../context.js';
import type { Networks } from '../contracts/networks.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Datasets, Lease } from '../dataset/dataset-holder.js';
import { requireReplayed } from '../dataset/require-current-versions.js';
import { withResolvedDecisions } from '../decisions/resolve-decisions.js';
import type { Endpoint } from '../endpoint.js';
import { negotiateCoding } from '../http/content-coding.js';
import { CACHE_CONTROL, weakETag } from '../http/etag.js';
import { readJsonBody, readQuery } from '../http/request-input.js';
import { canonical, type Given, parametersOf, readParameters } from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import type { Store } from '../store/store.js';
import { bodyOf, recode, setBody } from './answer-body.js';
import { isUnchanged } from './is-unchanged.js';
import type { ReadQuery, ResponseCache } from './response-cache.js';

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
  const isStream = typeof body === 'object' && body !== null && 'pipe' in body;
  if (isStream) (body as Readable).once('close', () => lease.release());
  else lease.release();
}

async function answerFrom(dataset: Dataset, ctx: Context, endpoint: Endpoint, sources: DatasetSources): Promise<void> {
  const { config, store, responses } = sources;
  const { caller, widget } = ctx.state;
  const now = config.now();
  const today = now.toISOString().slice(0, 10);
  const { parameters: asked, shared } = await queryOf(ctx, endpoint, { ...sources, dataset, today });
  if (endpoint.replayed) requireReplayed(dataset);
  // What is kept was admitted once, and nothing has changed since that could refuse it; but an account may have decided something.
  const coding = negotiateCoding(ctx.req);
  const kept = shared && !(endpoint.decisions?.saved && caller) ? responses.body(shared.name, coding) : undefined;
  if (shared && kept) return isUnchanged(ctx, shared.etag) ? undefined : setBody(ctx, kept);
  const parameters = endpoint.decisions
    ? await withResolvedDecisions(asked, endpoint.decisions, { dataset, store, account: caller?.account })
    : asked;
  const request = { parameters, dataset, today, now, widget };
  endpoint.admit?.(request);
  if (shared && !parameters.personal) {
    if (isUnchanged(ctx, shared.etag)) return;
    const made = await bodyOf(await endpoint.handle(request));
    const body = 'bytes' in made ? await recode(made, coding) : made;
    if ('bytes' in body) responses.keep(shared.name, coding, body);
    return setBody(ctx, body);
  }
  ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
  setBody(ctx, await bodyOf(await endpoint.handle(request)));
}

/** The parameters of a request, and which response it shares with equal ones. */
async function queryOf(
  ctx: Context,
  endpoint: Endpoint,
  { dataset, networks, responses, today }: DatasetSources & { readonly dataset: Dataset; readonly today: string },
): Promise<ReadQuery> {
  const { path, volatile } = endpoint;
  const read = (given: Given): ReadQuery => {
    const { reference } = dataset;
    const parameters = readParameters(parametersOf(endpoint), given, { reference, networks, today });
    if (volatile || parameters.personal) return { parameters, shared: undefined };
    const asked = `${path}\n${canonical(parameters)}`;
    return { parameters, shared: { name: `${dataset.tag} ${asked}`, etag: weakETag(dataset.tag, asked) } };
  };
  if (ctx.method === 'POST') return { ...read({ body: await readJsonBody(ctx.req) }), shared: undefined };
  const { querystring } = ctx;
  return responses.query(`${dataset.tag} ${today}`, path, querystring, () => read({ query: readQuery(querystring) }));
}
