/** The benchmark of others' longest wait, while the server sends an answer that takes it long and while it does nothing else. */
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { askFor } from './load.js';
import type { Running } from './servers.js';

const PAUSE_MS = 2;
/** Time that others may wait at the most. */
const WAIT_MS_MAX = 20;

/** Measures the milliseconds of the slowest of many requests that are made, one by one, until the work is done. */
async function slowestDuring(work: Promise<unknown>, url: string): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let slowest = 0;
  while (!isDone) {
    const began = performance.now();
    await askFor(200, url, {}, agent);
    slowest = Math.max(slowest, performance.now() - began);
    await wait(PAUSE_MS);
  }
  agent.destroy();
  await done;
  return slowest;
}

/**
 * Measures the longest wait.
 * @param others path of what the others ask for
 * @param path of the long answer when it is asked for the nth time
 */
export async function measureLongestWait(
  settings: Settings,
  { url }: Running,
  what: string,
  others: string,
  path: (n: number) => string,
): Promise<Measure> {
  const waits: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    const began = performance.now();
    waits.push(await slowestDuring(askFor(200, url + path(round)), url + others));
    idle.push(await slowestDuring(wait(performance.now() - began), url + others));
  }
  const against = [{ what: 'as long without it', figure: median(idle) }];
  return { what, figure: median(waits), unit: 'ms', against, target: { atMost: WAIT_MS_MAX } };
}
