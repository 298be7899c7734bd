/** Probe: requests /healthz every 20 ms during an attack, on its own thread, so that the attacker's work does not count. */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 20;
/** Timeout of a request. */
const ANSWER_MS_MAX = 30_000;

interface Waits {
  readonly stallMs: number;
  readonly p99Ms: number;
}

export function startProbe(base: string): { stop(): Promise<Waits> } {
  const worker = new Worker(import.meta.filename, { workerData: base });
  return {
    async stop() {
      worker.postMessage('stop');
      const [waits] = (await once(worker, 'message')) as [number[]];
      await worker.terminate();
      const sorted = waits.sort((a, b) => a - b);
      return { stallMs: sorted.at(-1) ?? 0, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
    },
  };
}

/** Sends one request. @returns milliseconds until the answer or the refused connection */
function ask(base: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = () => resolve(performance.now() - began);
    const asking = request(`${base}/healthz`, { agent: false, timeout: ANSWER_MS_MAX }, (response) =>
      response.resume().on('close', done),
    );
    asking
      .on('timeout', () => asking.destroy())
      .on('error', done)
      .end();
  });
}

async function probe(base: string): Promise<number[]> {
  const waits: number[] = [];
  let isAsked = true;
  parentPort!.once('message', () => {
    isAsked = false;
  });
  while (isAsked) {
    waits.push(await ask(base));
    await wait(EVERY_MS);
  }
  return waits;
}

if (!isMainThread) parentPort!.postMessage(await probe(workerData));
