import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigError } from '../pipeline/base/config-error.js';
import { QueueMonitor } from '../pipeline/night/queue/night-queue.js';
import { AnswerThreads } from './api/answer-threads.js';
import type { Lifecycle } from './api/context.js';
import { metricsApp } from './api/metrics-page.js';
import { Metrics } from './api/middleware/metrics.js';
import { answerParserErrors, refuseOverloaded, refuseTunnels } from './api/parser-errors.js';
import { Quotas } from './api/quotas/quotas.js';
import { Spools } from './api/spools.js';
import { type AppOptions, createApp } from './app.js';
import { Networks } from './contracts/networks.js';
import { endpoints } from './endpoints/index.js';
import {
  boundConnections,
  CountedRequest,
  endSlowReaders,
  inTurn,
  openConnections,
  type ReadingPace,
} from './http/connections.js';
import { type Bounds, Limiter } from './http/limiter.js';
import { LIMITS } from './http/limits.js';
import { portHolder } from './http/port-holder.js';
import { expectContinue } from './http/request-input.js';

const { input, waits, answers } = LIMITS;

/** Limits requests by connection and address. */
const REQUESTS: Bounds = {
  running: answers.connections.max,
  runningOfAddress: answers.running.max,
  runningOfClient: 1, // a connection answers one request after another
  waiting: answers.waiting.max,
  waitingOfClient: answers.pipelined.max,
  begunInTurn: answers.begun.max,
  waitMs: waits.place.max,
};

const TIMEOUTS = {
  /** For the first request on a connection, Node.js counts this time from the start of the connection. */
  headersTimeout: waits.head.max,
  requestTimeout: waits.request.max,
  keepAliveTimeout: waits.nextRequest.max,
  connectionsCheckingInterval: 5000,
};

export interface ServerOptions
  extends Omit<AppOptions, 'networks' | 'quotas' | 'spools' | 'threads' | 'lifecycle' | 'metrics'> {
  readonly timeouts?: Partial<typeof TIMEOUTS>;
  readonly reading?: ReadingPace;
  readonly requests?: Partial<Bounds>;
  /** Time in which a thread must have made an answer, in milliseconds. */
  readonly threadMs?: number;
  /** The queue that metrics report. By default, the queue at HUBLEDGER_QUEUE_URL. */
  readonly jobQueue?: Pick<QueueMonitor, 'state' | 'close'> | undefined;
}

export interface RunningServer {
  /** The actual port. It differs from the configured port if that is 0. */
  readonly port: number;
  warm(): void;
  /**
   * Shuts the server down. Reports the shutdown on /readyz and in each response, and still answers requests until
   * `handOver` resolves. Then waits up to 6 s for requests in progress, and closes threads, dataset and store.
   */
  close(ending?: Ending): Promise<void>;
}

export interface Ending {
  /** Resolves when load balancers have switched to other servers. If undefined, the server shuts down at once. */
  readonly handOver?: Promise<unknown> | undefined;
  /** Work that must finish before the store is closed. */
  readonly others?: Promise<unknown> | undefined;
}

/** Starts the server. @throws ConfigError if the port is in use or cannot be opened */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const { config, datasets, store, log } = options;
  const { host, metricsPort } = config;
  const quotas = await Quotas.open(config, log);
  const networks = new Networks(config.networks, datasets.reference.networks);
  const lifecycle: Lifecycle = { isEnding: false };
  const jobQueue = options.jobQueue ?? new QueueMonitor(config);
  const metrics = new Metrics({ config, datasets, networks, jobQueue });
  const module = new URL('./answer-thread.js', import.meta.url);
  const spools = new Spools(log);
  const { dataDir } = config;
  const threads = new AnswerThreads({ module, endpoints, dataDir, log, spools, taskMs: options.threadMs });
  const services = { networks, quotas, spools, threads, lifecycle, metrics };
  const { koa, routing } = createApp({ ...options, ...services });
  const answer = koa.callback();
  // Koa handles its own errors. Any other error affects only this request.
  const answerSafely: RequestListener = async (request, response) => {
    try {
      await answer(request, response);
    } catch (err) {
      response.destroy();
      log.error({ err }, 'request failed');
    }
  };
  const requests = new Limiter({ ...REQUESTS, ...options.requests });
  const handle = inTurn(requests, config.trustedHops, answerSafely, refuseOverloaded({ config, log, metrics }));
  const server = httpServer(handle, options.timeouts);
  server.on('clientError', answerParserErrors({ config, log, routing }));
  server.on('connect', refuseTunnels({ config, log, routing }));
  const open = openConnections(server);
  endSlowReaders(server, open, options.reading);
  boundConnections(server, config);
  server.on('connection', () => requests.putOff());
  await datasets.start();
  const listeners = [{ server, open, port: config.port, variable: 'HUBLEDGER_PORT' }];
  if (metricsPort !== undefined) {
    const metricsServer = createServer(metricsApp(metrics).callback());
    listeners.push({
      server: metricsServer,
      open: openConnections(metricsServer),
      port: metricsPort,
      variable: 'HUBLEDGER_METRICS_PORT',
    });
  }
  const bound = Promise.all(listeners.map((one) => bind(one, host)));
  const [port] = await bound.catch(async (error) => {
    for (const one of listeners) one.server.close();
    quotas?.close();
    await datasets.close();
    throw error;
  });
  return {
    port: port!,
    warm: () => threads.warm(),
    async close({ handOver, others } = {}) {
      lifecycle.isEnding = true;
      // The header prevents further requests on a connection that is about to close.
      server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
      if (handOver) await handOver;
      await Promise.all([...listeners.map(drain), others]);
      quotas?.close();
      await Promise.all([threads.close(), datasets.close(), store.close(), networks.close(), jobQueue.close()]);
    },
  };
}

/** Creates a server that passes all requests to `handle`, also requests with the header Expect. */
function httpServer(handle: RequestListener, timeouts: ServerOptions['timeouts']): Server<typeof CountedRequest> {
  const server = createServer(
    {
      ...TIMEOUTS,
      ...timeouts,
      maxHeaderSize: input.head.max,
      requireHostHeader: false, // the application checks the header Host and responds with a problem
      IncomingMessage: CountedRequest,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on(
    'checkContinue',
    expectContinue((request, response) => server.emit('request', request, response)),
  );
  return server;
}

interface Listener {
  readonly server: Server;
  readonly open: ReadonlySet<Socket>;
  readonly port: number;
  readonly variable: string;
}

function bind({ server, port, variable }: Listener, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isInUse = error.code === 'EADDRINUSE';
      const reason = isInUse
        ? `is in use by ${portHolder(port) ?? 'another process'}`
        : `cannot be opened: ${error.message}`;
      reject(new ConfigError(`port ${port} of ${host} ${reason}; set HUBLEDGER_HOST and ${variable}`));
    });
    server.listen({ host, port, backlog: LIMITS.answers.connections.max }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

function drain({ server, open }: Listener): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, waits.drain.max);
    // Repeated, because connections become idle at different times. An idle connection would stay open until the
    // keep-alive timeout.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(force);
      clearInterval(idle);
      resolve();
    });
  });
}
