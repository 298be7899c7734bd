/** From a routed request to its answer: method, parameters, ETag, then the endpoint. The innermost middleware. */
import type { Config } from '../pipeline/config.js';
import { requireCaller } from './accounts/caller.js';
import type { Context, Middleware } from './context.js';
import type { Networks } from './contracts/networks.js';
import type { Dataset } from './dataset/dataset.js';
import type { Datasets } from './dataset/dataset-holder.js';
import { requireReplayed } from './dataset/require-current-versions.js';
import { withResolvedDecisions } from './decisions/resolve-decisions.js';
import type { AnyEndpoint, Endpoint, EndpointRequest, ServiceEndpoint } from './endpoint.js';
import { requireNotGone } from './http/deprecation.js';
import { CACHE_CONTROL, matches, weakETag } from './http/etag.js';
import { readJsonBody, readQuery } from './http/request-input.js';
import { canonical, type Given, parametersOf, readParameters } from './parameters/parameters.js';
import { Problem } from './problem.js';
import { RecentAnswers } from './recent-answers.js';
import { type HeaderList, reply } from './reply.js';
import { type ReadRequest, RequestMemory, type SharedAnswer } from './request-memory.js';
import { methodNotAllowed, notFound } from './routes.js';
import { performAction } from './routing/perform-action.js';
import { type QuestionMemory, readFromContract } from './routing/query-contract.js';
import { send, sendSingle } from './send.js';
import { SingleBodies } from './single-bodies.js';
import type { Store } from './store/store.js';

interface Options {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
}

export function dispatch({ config, datasets, store, networks }: Options): Middleware {
  const bodies = new SingleBodies();
  const answers = new RecentAnswers();
  const memory = new RequestMemory();
  const questions: QuestionMemory = new RequestMemory();
  return async (ctx) => {
    const now = config.now();
    const endpoint = resolve(ctx, now);
    if (ctx.state.refusal) throw ctx.state.refusal;
    requireCaller(endpoint.caller, ctx.state.caller);
    if ('act' in endpoint) return performAction(ctx, endpoint, { config, store, datasets, networks });
    if ('ask' in endpoint) {
      return readFromContract(ctx, endpoint, { networks, reference: datasets.reference, memory: questions });
    }
    if ('serve' in endpoint) return answerForService(ctx, endpoint, bodies);
    const lease = datasets.lease();
    if (!lease) throw new Problem('unavailable', 'no dataset that can be served is published yet');
    try {
      const { dataset } = lease;
      const today = now.toISOString().slice(0, 10);
      const { parameters: asked, shared } = await readRequest(ctx, endpoint, { dataset, networks, today }, memory);
      if (endpoint.replayed) requireReplayed(dataset);
      const account = ctx.state.caller?.account;
      const parameters = endpoint.decisions
        ? await withResolvedDecisions(asked, endpoint.decisions, { dataset, store, account })
        : asked;
      const request = { parameters, dataset, today, now, widget: ctx.state.widget };
      await answerFromDataset(ctx, endpoint, request, shared, { bodies, answers });
    } finally {
      lease.release();
    }
  };
}

/** What the caller asks for, and the tag that a shared answer to it has: known before any work is done. */
async function readRequest(
  { req, state }: Context,
  endpoint: Endpoint,
  { dataset, networks, today }: { dataset: Dataset; networks: Networks; today: string },
  memory: RequestMemory,
): Promise<ReadRequest> {
  const read = (given: Given): ReadRequest => {
    const { reference } = dataset;
    const parameters = readParameters(parametersOf(endpoint), given, { reference, networks, today });
    if (parameters.personal) return { parameters, shared: undefined };
    const text = canonical(parameters);
    return { parameters, shared: { canonical: text, etag: weakETag(dataset.tag, `${endpoint.path}\n${text}`) } };
  };
  if (req.method === 'POST') return read({ body: await readJsonBody(req) });
  return memory.recall(`${dataset.tag} ${today}`, endpoint.path, state.query, () =>
    read({ query: readQuery(state.query) }),
  );
}

/** @throws Problem when no endpoint is there, not any more, or not for this method */
function resolve({ state, req }: Context, now: Date): AnyEndpoint {
  const { route, path } = state;
  if (!route)
    throw isDecodable(path) ? notFound(path) : new Problem('bad_request', 'malformed percent-encoding in path');
  if (route.endpoint.retirement) requireNotGone(route.endpoint.retirement, now);
  const endpoint = route.endpoints.get(req.method ?? '');
  if (!endpoint) throw methodNotAllowed(req.method ?? '', route);
  return endpoint;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Answers that do not need a dataset: the same until the process ends, or never kept. */
async function answerForService(ctx: Context, endpoint: ServiceEndpoint, bodies: SingleBodies): Promise<void> {
  if (endpoint.volatile) return send(ctx, endpoint.serve(), ['Cache-Control', CACHE_CONTROL.none]);
  if (ctx.state.caller) return send(ctx, endpoint.serve(), ['Cache-Control', CACHE_CONTROL.private]);
  const single = await bodies.get(endpoint.path, 'this process', () => endpoint.serve());
  if (!answerNotModified(ctx, single.etag)) sendSingle(ctx, single, validators(single.etag));
}

async function answerFromDataset(
  ctx: Context,
  endpoint: Endpoint,
  request: EndpointRequest,
  shared: SharedAnswer | undefined,
  { bodies, answers }: { bodies: SingleBodies; answers: RecentAnswers },
): Promise<void> {
  const { req, state } = ctx;
  endpoint.admit?.(request);
  if (endpoint.volatile || req.method === 'POST' || !shared || request.parameters.personal) {
    const cacheControl = endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private;
    return send(ctx, await endpoint.handle(request), ['Cache-Control', cacheControl]);
  }
  // The answer is a pure function of generation, path and parameters, also where somebody who signed in gets it.
  const { etag } = shared;
  if (!state.caller && answerNotModified(ctx, etag)) return;
  const headers = state.caller ? ['Cache-Control', CACHE_CONTROL.private] : validators(etag);
  const make = () => endpoint.handle(request);
  if (!state.route?.single)
    return answers.send(ctx, `${request.dataset.tag} ${state.path} ${shared.canonical}`, make, headers);
  sendSingle(ctx, await bodies.get(state.path, etag, make), headers);
}

const validators = (etag: string): HeaderList => ['ETag', etag, 'Cache-Control', CACHE_CONTROL.public];

/** Answers 304 when the caller has the answer already. */
function answerNotModified(ctx: Context, etag: string): boolean {
  if (!matches(ctx.req.headers['if-none-match'], etag)) return false;
  reply(ctx, 304, validators(etag));
  return true;
}
