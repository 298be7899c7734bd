/** Builds the Koa application: middlewares in order. */
import Koa from 'koa';
import type { Logger } from 'pino';
import type { Middleware, RequestState, Services } from './context.js';
import { followExamples } from './docs/site/examples.js';
import type { AnyEndpoint } from './endpoint.js';
import { pageEndpoints } from './endpoints/pages/index.js';
import { compress } from './middleware/compress.js';
import { publicAccess } from './middleware/cors.js';
import { endBrokenAnswers, everyRequest } from './middleware/every-request.js';
import { httpsOnly } from './middleware/https-only.js';
import type { Metrics } from './middleware/metrics.js';
import type { LongAnswers } from './quotas/long-answers.js';
import { type Quotas, rateLimit } from './quotas/quotas.js';
import { Shares } from './quotas/shares.js';
import type { AnswerThreads } from './routing/answer-threads.js';
import { ownMetricsPage } from './routing/metrics-page.js';
import { performAction } from './routing/perform-action.js';
import { DATASETS, datasetFiles } from './routing/published/dataset-files.js';
import { queryContract } from './routing/query-contract.js';
import { datasetReader } from './routing/read-dataset.js';
import { mountEndpoints, type Routing, refusePath } from './routing/routers.js';
import { serve } from './routing/serve.js';
import { ASSETS, staticFiles } from './routing/static-files.js';

export interface AppOptions extends Services {
  readonly endpoints: readonly AnyEndpoint[];
  readonly log: Logger;
  /** Undefined if rate limits are off. */
  readonly quotas: Quotas | undefined;
  readonly longAnswers: LongAnswers;
  readonly threads: AnswerThreads;
  readonly metrics: Metrics;
}

export interface App {
  readonly koa: Koa<RequestState>;
  readonly routing: Routing;
}

/** @throws Error if two endpoints have the same method and path, or an endpoint ends too early */
export function createApp(options: AppOptions): App {
  const { config, log } = options;
  // The outermost trusted proxy saw the client's address. Entries further left in X-Forwarded-For can be forged.
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
  if (config.metricsPort === undefined) koa.use(ownMetricsPage(options.metrics));
  koa.use(publicAccess);
  if (config.trustedHops > 0) koa.use(httpsOnly(config));
  koa.use(staticFiles);
  koa.use(datasetFiles({ ...options, charge: rateLimit('datasets', options.quotas) }));
  koa.use(rateLimit('unknown-path', options.quotas));
  koa.use(refusePath(routing));
  return { koa, routing };
}

/** Returns the middleware for an endpoint's kind. */
function answers(options: AppOptions): (endpoint: AnyEndpoint) => Middleware {
  const readDataset = datasetReader(options);
  const shares = new Shares();
  return (endpoint) => {
    switch (endpoint.kind) {
      case 'dataset':
        return readDataset(endpoint);
      case 'service':
        return serve(endpoint, options.datasets.reviewed);
      case 'action':
        return performAction(endpoint, options);
      case 'contract':
        return queryContract(endpoint, { ...options, shares });
    }
  };
}
