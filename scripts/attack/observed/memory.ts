/**
 * Memory of a server under attack, beside the bytes that it serves at that moment. Those of an answer that is made whole are held until it
 * has gone out; of one that is made while it goes out, what waits for its reader. Caches do not count as served.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';

const EVERY_MS = 20;
const MEGABYTE = 1024 * 1024;

export interface MemoryTold {
  /** Resident megabytes at the most, of those beyond what was served at the same moment. */
  readonly ownMb: number;
  /** Megabytes that were served at that moment. */
  readonly servedMb: number;
}

const NOTHING: MemoryTold = { ownMb: 0, servedMb: 0 };

/** Bytes of an answer that are held for it. */
function bytesOf(response: ServerResponse): number {
  const whole = response.headersSent ? Number(response.getHeader('content-length') ?? 0) : 0;
  return Math.max(whole, response.writableLength);
}

/** Measures memory from now on. @returns gives the most since the last question */
export function watchMemory(): () => MemoryTold {
  const underWay = new Set<ServerResponse>();
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { response: ServerResponse };
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  let most = NOTHING;
  setInterval(() => {
    let served = 0;
    for (const response of underWay) served += bytesOf(response);
    const own = process.memoryUsage.rss() - served;
    if (own / MEGABYTE > most.ownMb) most = { ownMb: own / MEGABYTE, servedMb: served / MEGABYTE };
  }, EVERY_MS).unref();
  return () => {
    const told = most;
    most = NOTHING;
    return told;
  };
}
