/** Builds the Koa application from its middlewares. */
import Koa from 'koa';
import type { Logger } from 'pino';
import type { AnswerThreads } from './api/answer-threads.js';
import type { Middleware, RequestState, Services } from './api/context.js';
import type { AnyEndpoint } from './api/endpoint.js';
import { localMetricsPage } from './api/metrics-page.js';
import { compress } from './api/middleware/compress.js';
import { publicAccess } from './api/middleware/cors.js';
import { endBrokenAnswers, everyRequest } from './api/middleware/every-request.js';
import { httpsOnly } from './api/middleware/https-only.js';
import type { Metrics } from './api/middleware/metrics.js';
import { performAction } from './api/perform-action.js';
import { queryContract, queryLimiter } from './api/query-contract.js';
import { type Quotas, rateLimit } from './api/quotas/quotas.js';
import { datasetReader } from './api/read-dataset.js';
import { mountEndpoints, type Routing, refusePath } from './api/routers.js';
import { ASSETS, readReference, serve, staticFiles } from './api/serve.js';
import type { Spools } from './api/spools.js';
import { followExamples } from './docs/site/examples.js';
import { DATASETS, datasetFiles } from './endpoints/datasets.js';
import { pageEndpoints } from './endpoints/pages.js';

export interface AppOptions extends Services {
  readonly endpoints: readonly AnyEndpoint[];
  readonly log: Logger;
  readonly quotas: Quotas | undefined;
  readonly spools: Spools;
  readonly threads: AnswerThreads;
  readonly metrics: Metrics;
}

export interface App {
  readonly koa: Koa<RequestState>;
  readonly routing: Routing;
}

export function createApp(options: AppOptions): App {
  const { config, log } = options;
  const koa = new Koa<RequestState>({ proxy: config.trustedHops > 0, maxIpsCount: config.trustedHops });
  const endpoints = [
    ...options.endpoints,
    ...pageEndpoints({
      config,
      reference: options.datasets.reference,
      routes: options.endpoints,
      examples: followExamples(options.datasets, config.sample),
    }),
  ];
  const routing = mountEndpoints({ ...options, endpoints, others: [ASSETS, DATASETS] }, answers(options));
  endBrokenAnswers(koa, log);
  koa.use(everyRequest(config, log, options.metrics));
  koa.use(compress());
  for (const middleware of routing.middlewares) koa.use(middleware);
  if (config.metricsPort === undefined) koa.use(localMetricsPage(options.metrics));
  koa.use(publicAccess);
  if (config.trustedHops > 0) koa.use(httpsOnly(config));
  koa.use(staticFiles);
  koa.use(datasetFiles({ ...options, charge: rateLimit('datasets', options.quotas) }));
  koa.use(rateLimit('unknown-path', options.quotas));
  koa.use(refusePath(routing));
  return { koa, routing };
}

function answers(options: AppOptions): (endpoint: AnyEndpoint) => Middleware {
  const readDataset = datasetReader(options);
  const queries = queryLimiter();
  return (endpoint) => {
    switch (endpoint.kind) {
      case 'dataset':
        return readDataset(endpoint);
      case 'reference':
        return readReference(endpoint, options);
      case 'service':
        return serve(endpoint, options.datasets.reviewed);
      case 'action':
        return performAction(endpoint, options);
      case 'contract':
        return queryContract(endpoint, { ...options, queries });
    }
  };
}
