/**
 * Limits connections, pipelined requests and slow clients, because answers that a client has not read yet occupy
 * memory.
 */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressKey } from './client-address.js';
import { LIMITS } from './limits.js';

const { waits, answers } = LIMITS;

export interface ReadingDeadlines {
  readonly silenceMs: number;
  /** Time during which a client may read more slowly than bytesPerSecond. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

const DEADLINES: ReadingDeadlines = {
  silenceMs: waits.silentReader.max,
  graceMs: waits.slowReader.max,
  bytesPerSecond: answers.bytesPerSecond.max,
};

/** Tracks a server's open connections. Includes connections that used CONNECT, which Node.js does not list. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

export function endSlowReaders(server: Server, open: ReadonlySet<Socket>, deadlines = DEADLINES): void {
  const { silenceMs } = deadlines;
  server.setTimeout(silenceMs, (socket) => {
    // The connection is idle, or the answer is not ready yet, so the client has nothing to read. Restart the timeout.
    if (socket.timeout === silenceMs && socket.writableLength === 0) socket.setTimeout(silenceMs);
    else socket.destroy();
  });
  const backlogs = new WeakMap<Socket, Backlog | undefined>();
  const timer = setInterval(() => {
    for (const socket of open) backlogs.set(socket, checkBacklog(socket, backlogs.get(socket), deadlines));
  }, silenceMs / 4);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * An answer that a client has not fully read: the start time of the measurement, and the bytes read before this time.
 */
interface Backlog {
  readonly time: number;
  readonly taken: number;
}

function checkBacklog(
  socket: Socket,
  since: Backlog | undefined,
  { graceMs, bytesPerSecond }: ReadingDeadlines,
): Backlog | undefined {
  const { bytesWritten, writableLength, writableNeedDrain } = socket;
  if (writableLength === 0) return undefined;
  if (writableNeedDrain) hearNothing(socket);
  const time = performance.now();
  const backlog = since ?? { time, taken: bytesWritten - writableLength };
  const handed = bytesWritten - backlog.taken;
  if (time - backlog.time > graceMs + (handed / bytesPerSecond) * 1000) socket.destroy();
  return backlog;
}

/**
 * Stops receiving until the client has read its answer. Otherwise each byte from the client would restart the timeout.
 */
function hearNothing(socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  socket.once('drain', () => socket.resume());
}

export const clientLeft = () => Object.assign(new Error('the client has left'), { code: 'ECONNABORTED' });

/**
 * Limits the number of connections. Without a proxy, also limits the connections of each IPv4 address or IPv6 /56
 * network.
 */
export function boundConnections(server: Server, { trustedHops }: { readonly trustedHops: number }): void {
  server.maxConnections = answers.connections.max;
  if (trustedHops > 0) return;
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = addressKey(remoteAddress) ?? remoteAddress;
    const count = (counts.get(address) ?? 0) + 1;
    if (count > answers.connectionsOfAddress.max) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once('close', () => {
      const rest = counts.get(address)! - 1;
      if (rest > 0) counts.set(address, rest);
      else counts.delete(address);
    });
  });
}

/** State of a connection on which a client sends requests without waiting for the answers. */
interface Pipeline {
  newest: ServerResponse;
  waiting: number;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Maximum time in one iteration of the event loop for starting requests. */
const BURST_MS = 20;
/** Maximum number of new connections that are accepted before waiting requests start. */
const ACCEPTED_MAX = 50;

/**
 * Starts requests in short bursts and accepts new connections in between. Node.js accepts one connection in each
 * iteration of the event loop. Without bursts, thousands of busy clients would delay new connections, for example of a
 * load balancer.
 */
export class RequestQueue {
  private readonly waiting: { readonly begin: () => void; readonly since: number }[] = [];
  private burst: number | undefined;
  private isAccepting = false;
  private accepted = 0;
  private isScheduled = false;

  constructor(private readonly bounds = { crowd: answers.crowd.max, delayMs: waits.eventLoop.max }) {}

  /** True if many requests are waiting and the oldest has waited too long. New requests are refused then. */
  get isOverloaded(): boolean {
    const [oldest] = this.waiting;
    return this.waiting.length > this.bounds.crowd && performance.now() - oldest!.since > this.bounds.delayMs;
  }

  /** Must be called for each new connection. Other waiting connections are then accepted before requests start. */
  readonly connected = (): void => {
    this.isAccepting = true;
    this.schedule();
  };

  /**
   * Starts a request now or later. If the queue is overloaded, starts the request now, because the application will
   * refuse it.
   */
  begin(begin: () => void): void {
    if (this.isOverloaded || (!this.isScheduled && this.hasTime())) begin();
    else {
      this.waiting.push({ begin, since: performance.now() });
      this.schedule();
    }
  }

  private hasTime(): boolean {
    const now = performance.now();
    if (this.burst === undefined) {
      this.burst = now;
      setImmediate(() => {
        this.burst = undefined;
      });
    }
    return now - this.burst < BURST_MS;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.continue());
  }

  private continue(): void {
    this.isScheduled = false;
    if (this.isAccepting && this.accepted++ < ACCEPTED_MAX) {
      this.isAccepting = false;
      this.schedule();
      return;
    }
    this.accepted = 0;
    for (const end = performance.now() + BURST_MS; this.waiting.length > 0 && performance.now() < end; ) {
      this.waiting.shift()!.begin();
    }
    if (this.waiting.length > 0) this.schedule();
  }
}

/**
 * Returns a listener that starts a pipelined request only after the previous answer has been sent (RFC 9112, 9.3.2).
 */
export const oneByOne =
  (answer: RequestListener, queue: RequestQueue): RequestListener =>
  (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? { newest: response, waiting: 0 };
    pipelines.set(socket, pipeline);
    pipeline.newest = response;
    const begin = () => {
      if (!socket.destroyed) answer(request, response);
    };
    if (response.socket) return queue.begin(begin);
    pipeline.waiting++;
    response.once('socket', () => {
      pipeline.waiting--;
      setImmediate(() => queue.begin(begin));
    });
  };

/**
 * Closes a connection on which too many requests wait. Otherwise Node.js would parse all requests of a packet, up to
 * 3,600. With 100 connections, this took 3 s and 400 MB. A pretended protocol upgrade is the only way to stop the
 * parser.
 */
export class CountedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if ((pipelines.get(socket)?.waiting ?? 0) < answers.pipelined.max) return;
    socket.destroy();
    Object.defineProperty(this, 'upgrade', { get: () => true, set() {} });
  }
}

const refused = new WeakSet<Duplex>();

/**
 * Sends a refusal after the earlier answers on the connection, then closes the connection. Ignores further input.
 * @param refusal returns the complete HTTP response
 */
export function refuseRest(socket: Duplex, refusal: () => string): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  const end = () => {
    if (!socket.writable) return;
    socket.end(refusal());
    setTimeout(() => socket.destroy(), waits.refusal.max).unref();
  };
  const newest = pipelines.get(socket)?.newest;
  if (!newest) end();
  else if (newest.req.complete) newest.writableFinished ? end() : newest.once('finish', end);
  // An earlier answer is partly sent, so the client would read the refusal as a part of it.
  else if (newest.headersSent) socket.destroy();
  else if (newest.socket) end();
  else newest.once('socket', end);
}
