/** Observer in the process of a server under attack, loaded before the program. It answers messages with figures. */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { isMainThread } from 'node:worker_threads';

const MEMORY_EVERY_MS = 20;
const MEGABYTE = 1024 * 1024;

interface Memory {
  /** Peak of resident megabytes without the bytes that were served at that moment. */
  readonly ownMb: number;
  /** Megabytes served at that moment. */
  readonly servedMb: number;
}

const NOTHING: Memory = { ownMb: 0, servedMb: 0 };

/** Returns the bytes that an answer holds in memory: all of a complete answer, the unsent part of a stream. Caches do not count. */
function bytesOf(response: ServerResponse): number {
  const whole = response.headersSent ? Number(response.getHeader('content-length') ?? 0) : 0;
  return Math.max(whole, response.writableLength);
}

/** Starts measuring. @returns a function that returns the peak since its last call */
function watchMemory(): () => Memory {
  const underWay = new Set<ServerResponse>();
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { response: ServerResponse };
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  let max = NOTHING;
  setInterval(() => {
    let served = 0;
    for (const response of underWay) served += bytesOf(response);
    const own = process.memoryUsage.rss() - served;
    if (own / MEGABYTE > max.ownMb) max = { ownMb: own / MEGABYTE, servedMb: served / MEGABYTE };
  }, MEMORY_EVERY_MS).unref();
  return () => {
    const peak = max;
    max = NOTHING;
    return peak;
  };
}

const TURN_EVERY_MS = 1;

const MAIN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

/** Returns the CPU time of the main thread in milliseconds (Linux). */
const usedMs = () => Number(readFileSync(MAIN_THREAD, 'latin1').split(' ')[0]) / 1e6;

/**
 * Starts measuring turns by CPU time, since other programs use the machine too.
 * @returns a function that returns the longest turn since its last call, in milliseconds
 */
function watchTurns(): () => number {
  let longestMs = 0;
  let began = performance.now();
  let used = usedMs();
  setInterval(() => {
    const now = performance.now();
    const usedNow = usedMs();
    // Linux counts CPU time in ticks, so a short turn may look longer than it was.
    longestMs = Math.max(longestMs, Math.min(now - began, usedNow - used));
    began = now;
    used = usedNow;
  }, TURN_EVERY_MS).unref();
  return () => {
    const longest = longestMs;
    longestMs = 0;
    return longest;
  };
}

/** Figures since the last request for them. */
export interface Observed {
  /** CPU time of the longest turn of the event loop. */
  readonly turnMs: number;
  readonly memory: Memory;
}

function observe(): void {
  const turnMs = watchTurns();
  const memory = watchMemory();
  process.on('message', () => process.send!({ turnMs: turnMs(), memory: memory() } satisfies Observed));
  process.channel!.unref(); // must not keep the program alive
}

if (isMainThread && process.send) observe();
