/**
 * Turns of the event loop of a server under attack: this module is loaded into its process before the program. A turn counts as long as
 * the processor was busy with it, since others use the machine as well.
 */
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 1;

/** Measures turns, and tells the longest since the last question to who asks over the channel of the process. */
function tellLongestTurn(): void {
  let longestMs = 0;
  let began = performance.now();
  let used = process.cpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    // Other threads use the processor as well, and other processes take it away: each figure alone may be too large.
    longestMs = Math.max(longestMs, Math.min(now - began, (user + system) / 1000));
    began = now;
    used = process.cpuUsage();
  }, EVERY_MS).unref();
  process.on('message', () => {
    process.send!(longestMs);
    longestMs = 0;
  });
  process.channel!.unref(); // the program ends as it does without being asked
}

if (isMainThread && process.send) tellLongestTurn();
