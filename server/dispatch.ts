/** From a routed request to its answer: method, parameters, ETag, then the endpoint. The innermost middleware. */
import type { Config } from '../pipeline/config.js';
import { CACHE_CONTROL, matches, weakETag } from './conditional.js';
import type { Context, Middleware } from './context.js';
import type { Dataset } from './dataset.js';
import type { Datasets } from './datasets.js';
import type { Endpoint, EndpointRequest, ServiceEndpoint } from './endpoint.js';
import { withKnownDecisions } from './flagged-receipts.js';
import { readParameters } from './parameters.js';
import { Problem } from './problem.js';
import { readJsonBody, readQuery } from './request-input.js';
import { type MountedRoute, methodNotAllowed, notFound } from './routes.js';
import { send, sendPrecompressed } from './send.js';
import { SingleBodies } from './single-bodies.js';

export function dispatch({ config, datasets }: { config: Config; datasets: Datasets }): Middleware {
  const bodies = new SingleBodies();
  return async (ctx) => {
    const { endpoint } = resolve(ctx);
    if ('serve' in endpoint) return answerForService(ctx, endpoint, bodies);
    const lease = datasets.lease();
    if (!lease) throw new Problem('unavailable', 'no dataset is published yet');
    try {
      const request = await readRequest(ctx, endpoint, lease.dataset, config.now());
      await answerFromDataset(ctx, endpoint, request, bodies);
    } finally {
      lease.release();
    }
  };
}

async function readRequest(
  ctx: Context,
  { parameters: names }: Endpoint,
  dataset: Dataset,
  now: Date,
): Promise<EndpointRequest> {
  const today = now.toISOString().slice(0, 10);
  const given = ctx.req.method === 'POST' ? await readJsonBody(ctx.req) : readQuery(ctx.state.query);
  const read = readParameters(names, given, { reference: dataset.reference, today });
  const parameters = withKnownDecisions(read, dataset);
  return { parameters, dataset, today, now };
}

/** @throws Problem when no endpoint is there, or not for this method */
function resolve({ state, req }: Context): MountedRoute {
  const { route, path } = state;
  if (!route)
    throw isDecodable(path) ? notFound(path) : new Problem('bad_request', 'malformed percent-encoding in path');
  if (req.method === 'GET' || req.method === 'HEAD' || (req.method === 'POST' && route.endpoint.post)) return route;
  throw methodNotAllowed(req.method ?? '', route);
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
  if (endpoint.volatile) {
    ctx.res.setHeader('Cache-Control', CACHE_CONTROL.none);
    return send(ctx, endpoint.serve());
  }
  const single = await bodies.get(endpoint.path, 'this process', () => endpoint.serve());
  if (!answerNotModified(ctx, single.etag)) sendPrecompressed(ctx, single.type, single.body);
}

async function answerFromDataset(ctx: Context, endpoint: Endpoint, request: EndpointRequest, bodies: SingleBodies) {
  const { req, res, state } = ctx;
  const { parameters, dataset } = request;
  endpoint.admit?.(request);
  if (endpoint.volatile || req.method === 'POST' || parameters.personal) {
    res.setHeader('Cache-Control', endpoint.volatile ? CACHE_CONTROL.none : CACHE_CONTROL.private);
    return send(ctx, await endpoint.handle(request));
  }
  // Known before any work: the answer is a pure function of generation, path and parameters.
  const etag = weakETag(dataset.tag, `${state.path}\n${parameters.canonical}`);
  if (answerNotModified(ctx, etag)) return;
  if (!state.route?.single) return send(ctx, await endpoint.handle(request));
  const single = await bodies.get(state.path, etag, () => endpoint.handle(request));
  sendPrecompressed(ctx, single.type, single.body);
}

/** Sets the validators of a cacheable answer; ends it with 304 when the caller has it already. */
function answerNotModified({ req, res }: Context, etag: string): boolean {
  res.setHeader('ETag', etag);
  res.setHeader('Cache-Control', CACHE_CONTROL.public);
  if (!matches(req.headers['if-none-match'], etag)) return false;
  res.statusCode = 304;
  res.end();
  return true;
}
