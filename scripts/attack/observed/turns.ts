/** Turns of the event loop of a server under attack. A turn counts as long as the processor was busy with it, since others use the machine as well. */
import { readFileSync } from 'node:fs';

const EVERY_MS = 1;

const MAIN_THREAD = `/proc/self/task/${process.pid}/schedstat`;

/** Milliseconds that the processor has spent on the main thread, as Linux tells them. */
const usedMs = () => Number(readFileSync(MAIN_THREAD, 'latin1').split(' ')[0]) / 1e6;

/** Measures turns from now on. @returns gives the longest since the last question, in milliseconds */
export function watchTurns(): () => number {
  let longestMs = 0;
  let began = performance.now();
  let used = usedMs();
  setInterval(() => {
    const now = performance.now();
    const usedNow = usedMs();
    // Linux counts by the tick, so that a short turn may be told as a longer one.
    longestMs = Math.max(longestMs, Math.min(now - began, usedNow - used));
    began = now;
    used = usedNow;
  }, EVERY_MS).unref();
  return () => {
    const told = longestMs;
    longestMs = 0;
    return told;
  };
}
