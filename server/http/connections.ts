/**
 * Connections, bounded: how many there are, how many of one address, and how long an answer waits for its reader. What is not read stays
 * in memory, and with it the dataset that it is made from.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
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

/** Ends connections whose reader takes nothing of an answer for a while, or less of it than the slowest line would. */
export function endSlowReaders(server: Server, deadlines = DEADLINES): void {
  const { silenceMs } = deadlines;
  server.setTimeout(silenceMs, (socket) => {
    // An idle connection has the longer time of keep-alive; an answer that is still being made has nothing to be read yet.
    if (socket.timeout === silenceMs && socket.writableLength === 0) socket.setTimeout(silenceMs);
    else socket.destroy();
  });
  const backlogs = new Map<Socket, Backlog | undefined>();
  server.on('connection', (socket) => {
    backlogs.set(socket, undefined);
    socket.once('close', () => backlogs.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, since] of backlogs) backlogs.set(socket, checkBacklog(socket, since, deadlines));
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

const LOOPBACK = /^(?:::1|(?:::ffff:)?127\..*)$/;

/**
 * Bounds the number of connections, and of those of one address where clients come without a proxy: of IPv6 its /56, as for quotas. The
 * machine itself is not bounded: there may be a proxy on it.
 */
export function boundConnections(server: Server, { trustedHops }: { readonly trustedHops: number }): void {
  server.maxConnections = answers.connections.max;
  if (trustedHops > 0) return;
  const counts = new Map<string, number>();
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    if (LOOPBACK.test(remoteAddress)) return;
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
