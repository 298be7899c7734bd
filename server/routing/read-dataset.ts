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
import type { Coding } from '../http/content-coding.js';
import { CACHE_CONTROL, weakETag } from '../http/etag.js';
import { readJsonBody, readQuery } from '../http/request-input.js';
import { canonical, type Given, parametersOf, readParameters, type ValidParameters } from '../parameters/parameters.js';
import { Problem } from '../problem.js';
import type { Store } from '../store/store.js';
import { bodyOf, recode, type StreamedBody } from './answer-body.js';
import { isUnchanged, respond } from './respond.js';
import {
  type Body,
  type ReadQuery,
  type ResponseCache,
  type SharedResponse,
  sharedResponse,
} from './response-cache.js';

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
  const now = sources.config.now();
  const asked: Asked = { endpoint, dataset, today: now.toISOString().slice(0, 10) };
  const query = ctx.method === 'POST' ? await readBody(ctx, asked, sources) : readUrl(ctx, asked, sources);
  if (endpoint.replayed && dataset.otherVersions.length > 0) throw replayInProgress(dataset);
  if (query.shared && !hasSavedDecisions(ctx, endpoint) && answerKept(ctx, query.shared, sources.responses)) return;
  const parameters = await withDecisions(query.parameters, ctx, endpoint, { dataset, store: sources.store });
  const request = { parameters, dataset, today: asked.today, now, widget: ctx.state.widget };
  endpoint.admit?.(request);
  if (query.shared && !parameters.personal) {
    await answerShared(ctx, endpoint, request, query.shared, sources.responses);
  } else await answerPrivately(ctx, endpoint, request);
}

/** An endpoint that is asked on a day about a dataset. */
interface Asked {
  readonly endpoint: Endpoint;
  readonly dataset: Dataset;
  /** UTC day. */
  readonly today: string;
}

function readUrl({ querystring }: Context, asked: Asked, sources: DatasetSources): ReadQuery {
  const { dataset, endpoint, today } = asked;
  const version = `${dataset.tag} ${today}`;
  const read = () => parse({ query: readQuery(querystring) }, asked, sources.networks);
  return sources.responses.query(version, endpoint.path, querystring, read);
}

/** A body is too long to name a response by. */
async function readBody(ctx: Context, asked: Asked, { networks }: DatasetSources): Promise<ReadQuery> {
  return { ...parse({ body: await readJsonBody(ctx.req) }, asked, networks), shared: undefined };
}

/** The parameters of a request, and the response that it shares with equal ones. */
function parse(given: Given, { endpoint, dataset, today }: Asked, networks: Networks): ReadQuery {
  const { reference, tag } = dataset;
  const parameters = readParameters(parametersOf(endpoint), given, { reference, networks, today });
  if (endpoint.volatile || parameters.personal) return { parameters, shared: undefined };
  const text = `${endpoint.path}\n${canonical(parameters)}`;
  return { parameters, shared: sharedResponse(`${tag} ${text}`, weakETag(tag, text)) };
}

/** Answers with a response that was made before. It was admitted then, and what could refuse it has not changed. */
function answerKept(ctx: Context, { names, etag }: SharedResponse, responses: ResponseCache): boolean {
  const body = responses.body(names[ctx.state.coding]);
  if (body && !isUnchanged(ctx, etag)) respond(ctx, body);
  return body !== undefined;
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
  { names, etag }: SharedResponse,
  responses: ResponseCache,
): Promise<void> {
  if (isUnchanged(ctx, etag)) return;
  const body = await makeBody(endpoint, request, ctx.state.coding);
  if ('bytes' in body) responses.keep(names[ctx.state.coding], body);
  respond(ctx, body);
}

async function answerPrivately(ctx: Context, endpoint: Endpoint, request: EndpointRequest): Promise<void> {
  ctx.set('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
  respond(ctx, await makeBody(endpoint, request, ctx.state.coding));
}

/** A whole body is compressed here, so that its length is known; a stream of its own would cost four times the rest of a small one. */
async function makeBody(endpoint: Endpoint, request: EndpointRequest, coding: Coding): Promise<Body | StreamedBody> {
  const made = await bodyOf(await endpoint.handle(request));
  return 'bytes' in made ? recode(made, coding) : made;
}
