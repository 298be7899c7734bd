/** The application: middlewares in the order in which a request meets them. It does not listen. */
import Koa from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../pipeline/config.js';
import type { RequestState } from './context.js';
import type { Networks } from './contracts/networks.js';
import type { Datasets } from './dataset/dataset-holder.js';
import { dispatch } from './dispatch.js';
import { authentication } from './middleware/authenticate.js';
import { boundary, isClientGone } from './middleware/boundary.js';
import { cors } from './middleware/cors.js';
import { httpsOnly } from './middleware/https-only.js';
import { rateLimit } from './middleware/rate-limit.js';
import { transport } from './middleware/transport.js';
import type { Quotas } from './quotas/quotas.js';
import type { Routes } from './routes.js';
import type { Store } from './store/store.js';

export interface AppOptions {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
  readonly routes: Routes;
  readonly log: Logger;
  /** Undefined where requests are not limited. */
  readonly quotas: Quotas | undefined;
}

export function createApp(options: AppOptions): Koa<RequestState> {
  const { config, store, log, quotas } = options;
  const app = new Koa<RequestState>();
  app.use(boundary(options));
  app.use(cors(config, store));
  app.use(httpsOnly(config));
  app.use(authentication(config, store));
  app.use(rateLimit(config, quotas));
  app.use(transport);
  app.use(dispatch(options));
  // Only what happens to a socket after its answer comes here.
  app.on('error', (error) => (isClientGone(error) ? log.debug({ err: error }) : log.error({ err: error })));
  return app;
}
