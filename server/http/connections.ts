/** Limits connections, requests of a connection, and slow clients. */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressOfSocket, forwardedAddress } from './client-address.js';
import { type Client, Limiter } from './limiter.js';
import { LIMITS } from './limits.js';

const { waits, answers } = LIMITS;

export interface ReadingPace {
  readonly everyMs: number;
  /** Bytes that a client must read in this time, unless nothing is left to read. */
  readonly bytes: number;
}

const PACE: ReadingPace = { everyMs: waits.slowReader.max, bytes: answers.read.max };

/** Tracks a server's open connections. Includes connections that used CONNECT, which Node.js does not list. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}

/** Ends connections whose clients read their answers too slowly, because unread answers occupy memory or disk. */
export function endSlowReaders(server: Server, open: ReadonlySet<Socket>, { everyMs, bytes } = PACE): void {
  const taken = new WeakMap<Socket, number>();
  const timer = setInterval(() => {
    for (const socket of open) {
      const { bytesWritten, writableLength } = socket;
      const before = taken.get(socket);
      const now = bytesWritten - writableLength;
      if (writableLength === 0) taken.delete(socket);
      else if (before !== undefined && now - before < bytes) socket.destroy();
      else taken.set(socket, now);
    }
  }, everyMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Limits the number of connections. Without a proxy, also limits the connections of each IPv4 address or IPv6 /56
 * network.
 */
export function boundConnections(server: Server, { trustedHops }: { readonly trustedHops: number }): void {
  server.maxConnections = answers.connections.max;
  if (trustedHops > 0) return;
  const { max: runningOfAddress } = answers.connectionsOfAddress;
  const bounds = { running: server.maxConnections, runningOfAddress, runningOfClient: 1 };
  const limiter = new Limiter({ ...bounds, waiting: 0, waitingOfClient: 0, waitMs: 0 });
  server.on('connection', (socket) => {
    const client = { id: socket, address: addressOfSocket(socket) };
    const begin = () => socket.once('close', () => limiter.leave(client));
    limiter.enter(client, begin, () => socket.destroy());
  });
}

/** Requests of a connection that are not answered yet. Clients may send some without waiting for answers. */
interface Pipeline {
  newest: ServerResponse;
  unanswered: number;
  readonly client: Client;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/** Keys of the clients of requests. */
const addresses = new WeakMap<IncomingMessage, string>();

/**
 * Returns the key of a request's client, which is an IPv4 address or an IPv6 /56 network. The request must have passed
 * `inTurn`.
 */
export const addressOf = (request: IncomingMessage): string => addresses.get(request)!;

export const newestResponse = (socket: Duplex): ServerResponse | undefined => pipelines.get(socket)?.newest;

const ALWAYS_ANSWERED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Returns a listener that lets each connection have one request at work (RFC 9112, 9.3.2), and each address a few.
 * @param refuse answers a request that waited too long, or that too many requests wait for
 */
export const inTurn =
  (limiter: Limiter, hops: number, answer: RequestListener, refuse: RequestListener): RequestListener =>
  (request, response) => {
    const { socket } = request;
    const known = pipelines.get(socket);
    // A proxy sends requests of several clients on one connection.
    const client = known && hops === 0 ? known.client : { id: socket, address: forwardedAddress(request, hops) };
    addresses.set(request, client.address);
    const pipeline = known ?? { newest: response, unanswered: 0, client };
    if (!known) pipelines.set(socket, pipeline);
    pipeline.newest = response;
    pipeline.unanswered++;
    let hasBegun = false;
    response.once('close', () => {
      pipeline.unanswered--;
      if (hasBegun) limiter.leave(client);
    });
    const begin = () => {
      if (socket.destroyed) return limiter.leave(client);
      hasBegun = true;
      answer(request, response);
    };
    // Supervisors must get an answer also from an overloaded server.
    if (ALWAYS_ANSWERED.has(request.url!) && pipeline.unanswered === 1) answer(request, response);
    else limiter.enter(client, begin, () => refuse(request, response));
  };

/**
 * Closes a connection on which too many requests wait. Otherwise Node.js would parse all 3,600 requests of a packet,
 * which keeps the event loop busy for seconds (attack "pipelined flood"). A pretended protocol upgrade is the only way
 * to stop the parser.
 */
export class CountedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    if ((pipelines.get(socket)?.unanswered ?? 0) <= answers.pipelined.max) return;
    socket.destroy();
    Object.defineProperty(this, 'upgrade', { get: () => true, set() {} });
  }
}
