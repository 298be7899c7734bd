/** From a routed request to what an endpoint did for an account, and the answer to that. */
import { requireSameOrigin } from '../accounts/caller.js';
import type { Context } from '../context.js';
import type { Networks } from '../contracts/networks.js';
import type { Datasets } from '../dataset/dataset-holder.js';
import type { ActionEndpoint, ActionRequest, Outcome } from '../endpoint.js';
import { readCookies } from '../http/cookies.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { readQuery, readRawJson } from '../http/request-input.js';
import { requireValidBody } from '../parameters/body-schemas.js';
import { parametersOf, readParameters } from '../parameters/parameters.js';
import { reply } from '../reply.js';
import { pathValues } from '../routes.js';
import { packWhole, sendPacked } from '../send.js';
import type { Store, Transactions } from '../store/store.js';
import { once, readIdempotencyKey } from './idempotency.js';

interface Sources extends Pick<ActionRequest, 'config'> {
  readonly store: Store;
  readonly datasets: Datasets;
  readonly networks: Networks;
}

/** Lets the endpoint act, and answers with what came of it. */
export async function performAction(
  ctx: Context,
  endpoint: ActionEndpoint,
  { config, store, datasets, networks }: Sources,
): Promise<void> {
  const { req, state } = ctx;
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (!isRead) requireSameOrigin(req.headers.origin, state.caller, config.baseUrl);
  const now = config.now();
  const { reference } = datasets;
  const today = now.toISOString().slice(0, 10);
  const given = { path: pathValues(endpoint.path, state.path) ?? {}, query: readQuery(state.query) };
  const parameters = readParameters(parametersOf(endpoint), given, { reference, networks, today });
  const key = endpoint.idempotent ? readIdempotencyKey(req.headers['idempotency-key']) : undefined;
  const { body, value } = endpoint.body === undefined ? NO_BODY : await readRawJson(req);
  if (endpoint.body !== undefined) requireValidBody(endpoint.body, value);
  const act = (transactions: Transactions) =>
    endpoint.act({
      caller: state.caller,
      parameters,
      query: state.query,
      body: value,
      cookies: readCookies(req.headers.cookie),
      store: transactions,
      chain: reference.chain,
      lease: () => datasets.lease(),
      config,
      now,
    });
  const status = endpoint.status ?? 200;
  if (key === undefined || !state.caller) return answer(ctx, status, await act(store));
  const request = { account: state.caller.account, endpoint: `${req.method} ${state.path}`, key, body };
  const { answer: outcome, replayed } = await once(store, request, now, act);
  if (replayed) state.headers.push('Idempotent-Replayed', 'true');
  await answer(ctx, status, outcome);
}

const NO_BODY = { body: Buffer.alloc(0), value: undefined };

async function answer(ctx: Context, status: number, { json, cookies = [], location }: Outcome): Promise<void> {
  const headers = ['Cache-Control', CACHE_CONTROL.private, ...cookies.flatMap((line) => ['Set-Cookie', line])];
  if (location !== undefined) headers.push('Location', location);
  if (json !== undefined) {
    return sendPacked(ctx, await packWhole({ json }, ctx.req.headers['accept-encoding']), headers, status);
  }
  reply(ctx, status, status === 204 ? headers : [...headers, 'Content-Length', '0']);
}
