/** The listening server: it answers what Node's parser refuses, too, and ends in good order. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ConfigError } from '../pipeline/config-error.js';
import { type AppOptions, createApp } from './app.js';
import type { Lifecycle } from './context.js';
import { Networks } from './contracts/networks.js';
import { endpoints } from './endpoints/index.js';
import {
  boundConnections,
  CountedRequest,
  endSlowReaders,
  oneByOne,
  openConnections,
  type ReadingDeadlines,
} from './http/connections.js';
import { expectContinue } from './http/request-input.js';
import { LIMITS } from './limits.js';
import { Metrics } from './middleware/metrics.js';
import { Overload, type OverloadBounds } from './overload.js';
import { answerParserErrors, refuseTunnels } from './parser-errors.js';
import { LongAnswers } from './quotas/long-answers.js';
import { Quotas } from './quotas/quotas.js';
import { AnswerThreads } from './routing/answer-threads.js';
import { metricsApp } from './routing/metrics-page.js';

const { input, waits } = LIMITS;
/** Timeouts of a connection in milliseconds. */
const TIMEOUTS = {
  /** Time to send the headers, counted from the connection for the first request. */
  headersTimeout: waits.head.max,
  requestTimeout: waits.request.max,
  keepAliveTimeout: waits.nextRequest.max,
  /** Time between two checks of all that. */
  connectionsCheckingInterval: 5000,
};

export interface ServerOptions
  extends Omit<AppOptions, 'networks' | 'quotas' | 'longAnswers' | 'threads' | 'lifecycle' | 'metrics'> {
  readonly timeouts?: Partial<typeof TIMEOUTS>;
  readonly reading?: ReadingDeadlines;
  readonly overload?: OverloadBounds;
}

export interface RunningServer {
  /** The port that was given, where the configuration says 0. */
  readonly port: number;
  /** Starts the threads of long answers before a request needs them. */
  warm(): void;
  /**
   * Says on /readyz and with each answer that it ends, and goes on answering for a while, so that clients go elsewhere. Then it stops
   * accepting, lets requests under way end (6 s at the most), and closes dataset and store.
   */
  close(ending?: Ending): Promise<void>;
}

export interface Ending {
  /** Ends that while; there is none when not given. */
  readonly handOver?: Promise<unknown> | undefined;
  /** Work that needs the store until it ends. */
  readonly others?: Promise<void> | undefined;
}

/**
 * Starts the application on the configured port. The dataset is looked for by then.
 * @throws ConfigError when the port is in use or may not be opened
 */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const { config, datasets, store, log } = options;
  const { host, metricsPort } = config;
  const quotas = await Quotas.open(config, log);
  const networks = new Networks(config.networks, datasets.reference.networks);
  const lifecycle: Lifecycle = { isEnding: false };
  const metrics = new Metrics({ config, datasets, networks });
  const overload = new Overload({ config, log, metrics }, options.overload);
  const module = new URL('./answer-thread.js', import.meta.url);
  const threads = new AnswerThreads({ module, endpoints, dataDir: config.dataDir, log });
  const own = { networks, quotas, longAnswers: new LongAnswers(), threads, lifecycle, metrics };
  const { koa, routing } = createApp({ ...options, ...own });
  const answer = koa.callback();
  // Koa answers its own faults, so that one here is a fault of that: it ends this request alone.
  const answerSafely: RequestListener = async (request, response) => {
    try {
      await answer(request, response);
    } catch (err) {
      response.destroy();
      log.error({ err }, 'request failed');
    }
  };
  const handle = oneByOne(overload.before(answerSafely));
  // The application itself checks for a host, so that its absence is answered with a problem.
  const server = createServer(
    {
      ...TIMEOUTS,
      ...options.timeouts,
      maxHeaderSize: input.head.max,
      requireHostHeader: false,
      IncomingMessage: CountedRequest,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on(
    'checkContinue',
    expectContinue((request, response) => server.emit('request', request, response)),
  );
  server.on('clientError', answerParserErrors({ config, log, routing }));
  server.on('connect', refuseTunnels({ config, log, routing }));
  const open = openConnections(server);
  endSlowReaders(server, open, options.reading);
  boundConnections(server, config);
  await datasets.start();
  const listeners = [{ server, open, port: config.port, variable: 'HUBLEDGER_PORT' }];
  if (metricsPort !== undefined) {
    const own = createServer(metricsApp(metrics).callback());
    listeners.push({ server: own, open: openConnections(own), port: metricsPort, variable: 'HUBLEDGER_METRICS_PORT' });
  }
  const bound = Promise.all(listeners.map((one) => bind(one, host)));
  const [port] = await bound.catch(async (error) => {
    for (const one of listeners) one.server.close();
    quotas?.close();
    overload.close();
    await datasets.close();
    throw error;
  });
  return {
    port: port!,
    warm: () => threads.warm(),
    async close({ handOver, others } = {}) {
      lifecycle.isEnding = true;
      // A client that is told so opens another connection for its next request; one that is not loses that with this one.
      server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
      if (handOver) await handOver;
      await Promise.all([...listeners.map(drain), others]);
      quotas?.close();
      overload.close();
      await Promise.all([threads.close(), datasets.close(), store.close(), networks.close()]);
    },
  };
}

interface Listener {
  readonly server: Server;
  readonly open: ReadonlySet<Socket>;
  readonly port: number;
  /** Name of the variable that sets the port. */
  readonly variable: string;
}

function bind({ server, port, variable }: Listener, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened: ${error.message}`;
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
    // A connection that falls idle after its last answer would else stay open until its keep-alive time is over.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(force);
      clearInterval(idle);
      resolve();
    });
  });
}
