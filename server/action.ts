/** From a routed request to what an endpoint did for an account, and the answer to that. */
import { requireSameOrigin } from './accounts/caller.js';
import { CACHE_CONTROL } from './conditional.js';
import type { Context } from './context.js';
import { readCookies } from './cookies.js';
import type { ActionEndpoint, ActionRequest, Outcome } from './endpoint.js';
import { Problem } from './problem.js';
import { reply } from './reply.js';
import { readJsonBody, readQuery } from './request-input.js';
import { requireValidBody } from './request-schemas.js';
import { pathValues } from './routes.js';
import { pack, sendPacked } from './send.js';

/** Lets the endpoint act, and answers with what came of it. */
export async function performAction(
  ctx: Context,
  endpoint: ActionEndpoint,
  { config, store, chain }: Pick<ActionRequest, 'config' | 'store' | 'chain'>,
): Promise<void> {
  const { req, state } = ctx;
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (!isRead) requireSameOrigin(req.headers.origin, state.caller, config.baseUrl);
  const given = { ...readNamed(state.query, endpoint), ...pathValues(endpoint.path, state.path) };
  const body = endpoint.body === undefined ? undefined : await readJsonBody(req);
  if (endpoint.body !== undefined) requireValidBody(endpoint.body, body);
  const outcome = await endpoint.act({
    caller: state.caller,
    given: given as ActionRequest['given'],
    query: state.query,
    body,
    cookies: readCookies(req.headers.cookie),
    store,
    chain,
    config,
    now: config.now(),
  });
  await answer(ctx, endpoint.status ?? 200, outcome);
}

/** The listed query parameters; those that are not given are ''. @throws Problem bad_request for one given twice */
function readNamed(query: string, { query: names = [] }: ActionEndpoint): Record<string, string> {
  if (names.length === 0) return {};
  const values = readQuery(query);
  return Object.fromEntries(
    names.map((name) => {
      const [value = '', ...more] = values.get(name) ?? [];
      if (more.length === 0) return [name, value];
      const message = `is given ${more.length + 1} times`;
      throw new Problem('bad_request', `${name} ${message}`, { errors: [{ path: name, message }] });
    }),
  );
}

async function answer(ctx: Context, status: number, { json, cookies = [], location }: Outcome): Promise<void> {
  const headers = ['Cache-Control', CACHE_CONTROL.private, ...cookies.flatMap((line) => ['Set-Cookie', line])];
  if (location !== undefined) headers.push('Location', location);
  if (json !== undefined) {
    return sendPacked(ctx, await pack({ json }, ctx.req.headers['accept-encoding']), headers, status);
  }
  reply(ctx, status, status === 204 ? headers : [...headers, 'Content-Length', '0']);
}
