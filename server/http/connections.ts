/**
 * Connections, bounded: how many there are, how many of one address, how many requests wait on one, and how long an answer waits for its
 * reader. What is not read stays in memory, and with it the dataset that it is made from.
 */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../limits.js';
import { addressKey } from './client-address.js';

const { waits, answers } = LIMITS;

export interface ReadingDeadlines {
  /** Milliseconds in which a reader must take something of the answer that waits for it. */
  readonly silenceMs: number;
  /** Milliseconds for which a reader may be slower than the slowest line. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

const DEADLINES: ReadingDeadlines = {
  silenceMs: waits.silentReader.max,
  graceMs: waits.slowReader.max,
  bytesPerSecond: answers.bytesPerSecond.max,
};

/** Returns the open connections of a server. Node.js itself lists none that has left HTTP, as after CONNECT. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Ends connections whose reader takes nothing of an answer for a while, or less of it than the slowest line would. */
export function endSlowReaders(server: Server, open: ReadonlySet<Socket>, deadlines = DEADLINES): void {
  const { silenceMs } = deadlines;
  server.setTimeout(silenceMs, (socket) => {
    // An idle connection has the longer time of keep-alive; an answer that is still being made has nothing to be read yet.
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

/** The part of an answer that its reader has not taken yet: when it was first seen, and the bytes that had been taken by then. */
interface Backlog {
  readonly time: number;
  readonly taken: number;
}

/** Ends the connection of a reader that would need longer than the slowest line for all that it was handed since. */
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

/** Reads nothing of the socket until the answer is taken: what comes in would begin the time of the silent reader anew. */
function hearNothing(socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  socket.once('drain', () => socket.resume());
}

/** Makes the error that ends the work on a request whose client has left. */
export const clientLeft = () => Object.assign(new Error('the client has left'), { code: 'ECONNABORTED' });

/** Bounds the number of connections, and without a proxy those of one address: of IPv6 its /56, as for quotas. */
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

/** The newest response of a connection, and the number of requests there that wait for an earlier answer. */
interface Pipeline {
  newest: ServerResponse;
  waiting: number;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Requests that begin in a round of the event loop as they are read. */
const BEGUN_MAX = 200;
let begun = 0;

/** Whether a request may begin as it is read. Further ones begin at the end of the round: clients that ask again at once never let it end. */
function beginsAtOnce(): boolean {
  if (begun === 0) {
    setImmediate(() => {
      begun = 0;
    });
  }
  return ++begun <= BEGUN_MAX;
}

/**
 * Begins a request when Node.js gives its response the connection (pipelining: RFC 9112, 9.3.2), each in an iteration of the event loop of
 * its own. A request that waits holds nothing that the end of its connection would have to free.
 */
export const oneByOne =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request;
    const pipeline = pipelines.get(socket) ?? { newest: response, waiting: 0 };
    pipelines.set(socket, pipeline);
    pipeline.newest = response;
    const answerSoon = () =>
      setImmediate(() => {
        if (!socket.destroyed) answer(request, response);
      });
    if (response.socket) return beginsAtOnce() ? answer(request, response) : void answerSoon();
    pipeline.waiting++;
    response.once('socket', () => {
      pipeline.waiting--;
      answerSoon();
    });
  };

/**
 * A request; one too many that waits ends its connection. Node.js would parse the rest of the packet, up to 3,600 requests, whose objects all
 * live until its end: 100 connections cost three seconds and 400 MB so. It stops in the midst of a packet for an upgrade alone.
 */
export class CountedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if ((pipelines.get(socket)?.waiting ?? 0) < answers.pipelined.max) return;
    socket.destroy();
    Object.defineProperty(this, 'upgrade', { get: () => true, set() {} });
  }
}

/** Connections that end with a refusal. */
const refused = new WeakSet<Duplex>();

/**
 * Ends a connection with a refusal of what came last, after the answers to the requests before it. Its sender has a moment to read it, and
 * what it sends meanwhile is ignored. @param refusal makes the bytes
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
  // The request that is broken has its answer, and a second one would be taken for the next request's.
  else if (newest.headersSent) socket.destroy();
  else if (newest.socket) end();
  else newest.once('socket', end);
}
