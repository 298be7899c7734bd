/** The middlewares that a request passes on its way to an endpoint, in order. */
import type { Config } from '../../pipeline/config.js';
import { requireCaller } from '../accounts/caller.js';
import type { Middleware } from '../context.js';
import type { AnyEndpoint } from '../endpoint.js';
import { deprecationHeaders, requireNotGone, requireNotice } from '../http/deprecation.js';
import { requireWellFormed } from '../http/request-input.js';
import { authenticate } from '../middleware/authenticate.js';
import { cors, isPreflight, PUBLIC_ACCESS, preflightHeaders } from '../middleware/cors.js';
import { httpsOnly } from '../middleware/https-only.js';
import { type Quotas, rateLimit } from '../quotas/quotas.js';
import type { Store } from '../store/store.js';
import { type MountedPath, methodNotAllowed, type Stacks } from './routers.js';

interface Sources {
  readonly config: Config;
  readonly store: Store;
  /** Undefined where requests are not limited. */
  readonly quotas: Quotas | undefined;
}

/**
 * Says which endpoint it is, who may read it and by which protocol; then who calls, and charges them; then refuses what is refused
 * whatever it asks for. A refused key or path is charged, a preflight is not.
 * @param answer makes the last middleware of an endpoint
 * @throws Error when an endpoint goes sooner than was promised
 */
export function requestStacks(
  { config, store, quotas }: Sources,
  answer: (endpoint: AnyEndpoint) => Middleware,
): Stacks {
  const open = (endpoint: AnyEndpoint) => [
    endpointHeaders(endpoint, config),
    ...(endpoint.access ? [cors(endpoint.access, config, store)] : []),
    ...(config.trustedHops > 0 ? [httpsOnly(config)] : []),
  ];
  const charge = (endpoint: AnyEndpoint) => [
    authenticate(config, store),
    ...(endpoint.policy === 'none' ? [] : [rateLimit(endpoint.policy, quotas)]),
  ];
  return {
    endpoint: (endpoint) => [...open(endpoint), ...charge(endpoint), admit(endpoint, config), answer(endpoint)],
    otherMethods: (mounted) => [
      ...open(mounted.endpoint),
      answerOptions(mounted),
      ...charge(mounted.endpoint),
      refuseMethod(mounted, config),
    ],
  };
}

/** Headers of all answers of an endpoint's path. */
function endpointHeaders(endpoint: AnyEndpoint, { baseUrl }: Config): Middleware {
  const { path, access, contentSecurityPolicy, retirement } = endpoint;
  if (retirement) requireNotice(path, retirement);
  const headers = {
    ...(access === undefined && PUBLIC_ACCESS),
    ...(contentSecurityPolicy !== undefined && { 'Content-Security-Policy': contentSecurityPolicy }),
    ...(retirement && deprecationHeaders(retirement, baseUrl)),
  };
  return (ctx, next) => {
    ctx.state.endpoint = endpoint;
    ctx.set(headers);
    return next();
  };
}

/** A bad key is refused everywhere, a missing one where the endpoint asks for it. */
const admit =
  ({ caller, retirement }: AnyEndpoint, { now }: Config): Middleware =>
  ({ req, state }, next) => {
    requireWellFormed(req);
    if (retirement) requireNotGone(retirement, now());
    if (state.refusal) throw state.refusal;
    if (caller) requireCaller(caller, state.caller);
    return next();
  };

const refuseMethod =
  (mounted: MountedPath, { now }: Config): Middleware =>
  ({ req, method }) => {
    requireWellFormed(req);
    const { retirement } = mounted.endpoint;
    if (retirement) requireNotGone(retirement, now());
    throw methodNotAllowed(method, mounted);
  };

const answerOptions =
  ({ allow }: MountedPath): Middleware =>
  (ctx, next) => {
    if (ctx.method !== 'OPTIONS') return next();
    ctx.set('Allow', allow);
    if (isPreflight(ctx)) ctx.set(preflightHeaders(allow));
    ctx.status = 204;
    return Promise.resolve();
  };
