/**
 * Limits connections: their number, the number of an address, the requests that wait on one, and the time that an
 * answer waits for its reader. An unread answer stays in memory.
 */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressKey } from './client-address.js';
import { LIMITS } from './limits.js';

const { waits, answers } = LIMITS;

export interface ReadingDeadlines {
  /** Milliseconds in which a reader must read something. */
  readonly silenceMs: number;
  /** Milliseconds for which a reader may be slower than the minimum speed. */
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

const DEADLINES: ReadingDeadlines = {
  silenceMs: waits.silentReader.max,
  graceMs: waits.slowReader.max,
  bytesPerSecond: answers.bytesPerSecond.max,
};

/** Returns the open connections of a server. Node.js does not list connections that left HTTP, as after CONNECT. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Ends connections whose reader reads nothing for a while, or reads too slowly. */
export function endSlowReaders(server: Server, open: ReadonlySet<Socket>, deadlines = DEADLINES): void {
  const { silenceMs } = deadlines;
  server.setTimeout(silenceMs, (socket) => {
    // An idle connection has the longer keep-alive timeout; an unfinished answer has nothing to read yet.
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

/** Unread bytes: when they were first seen, and the bytes that had been read by then. */
interface Backlog {
  readonly time: number;
  readonly taken: number;
}

/** Ends the connection of a reader that is slower than the minimum speed. */
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

/** Pauses reading until the answer is read: further input would restart the silence timeout. */
function hearNothing(socket: Socket): void {
  if (socket.isPaused()) return;
  socket.pause();
  socket.once('drain', () => socket.resume());
}

/** Returns the error for a request whose client has left. */
export const clientLeft = () => Object.assign(new Error('the client has left'), { code: 'ECONNABORTED' });

/** Limits the number of connections, and without a proxy the number per address (IPv6: per /56, as for quotas). */
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

/** The newest response of a connection, and its requests that wait for an earlier answer. */
interface Pipeline {
  newest: ServerResponse;
  waiting: number;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Requests that begin immediately in a round of the event loop. */
const BEGUN_MAX = 200;
let begun = 0;

/** Returns whether a request may begin immediately. Others begin after the round, because fast clients could keep it from ending. */
function beginsAtOnce(): boolean {
  if (begun === 0) {
    setImmediate(() => {
      begun = 0;
    });
  }
  return ++begun <= BEGUN_MAX;
}

/**
 * Begins a pipelined request after the response before it (RFC 9112, 9.3.2). A waiting request holds nothing that must
 * be freed when its connection ends.
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
 * A request that ends its connection if too many wait there. Node.js would parse the whole packet, up to 3,600
 * requests: with 100 connections 3 s and 400 MB. Only an upgrade stops its parser within a packet.
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
 * Refuses the last request of a connection after the answers before it, and ends the connection. Further input is
 * ignored. @param refusal returns the bytes
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
  // The broken request already has an answer; the client would take a second one for the next request's.
  else if (newest.headersSent) socket.destroy();
  else if (newest.socket) end();
  else newest.once('socket', end);
}
