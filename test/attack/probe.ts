/** Probe: sends one request after another during an attack, on its own thread, so that the attacker's work does not count. */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const EVERY_MS = 20;
/** Timeout of a request. */
const ANSWER_MS_MAX = 120_000;

export interface Waits {
  readonly stallMs: number;
  readonly p99Ms: number;
  readonly p90Ms: number;
  readonly answers: number;
  /** Answers with another status than 200, and requests without an answer. */
  readonly failures: number;
}

interface Asked {
  readonly ms: number;
  /** 0 without an answer. */
  readonly status: number;
}

export interface Probe {
  stop(): Promise<Waits>;
}

/** @param path with a query if each request must differ from the others, so that its answer is never cached */
export function startProbe(base: string, path = '/healthz'): Probe {
  const worker = new Worker(import.meta.filename, { workerData: base + path });
  return {
    async stop() {
      worker.postMessage('stop');
      const [asked] = (await once(worker, 'message')) as [Asked[]];
      await worker.terminate();
      return waitsOf(asked);
    },
  };
}

function waitsOf(asked: readonly Asked[]): Waits {
  const sorted = asked.map(({ ms }) => ms).sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const failures = asked.filter(({ status }) => status !== 200).length;
  return {
    ...{ stallMs: sorted.at(-1) ?? 0, p99Ms: quantile(0.99), p90Ms: quantile(0.9) },
    ...{ answers: asked.length - failures, failures },
  };
}

/** Number of client addresses that a probe uses in turn, so that it never exceeds a quota. */
const ADDRESSES = 250;

function ask(url: string, number: number): Promise<Asked> {
  const began = performance.now();
  const headers = { 'x-forwarded-for': `198.51.100.${(number % ADDRESSES) + 1}` };
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ ms: performance.now() - began, status });
    const path = url.includes('?') ? `${url}&attempt=${number}` : url;
    const asking = request(path, { agent: false, timeout: ANSWER_MS_MAX, headers }, (response) =>
      response.resume().on('close', () => done(response.complete ? response.statusCode! : 0)),
    );
    asking
      .on('timeout', () => asking.destroy())
      .on('error', () => done(0))
      .end();
  });
}

async function probe(url: string): Promise<Asked[]> {
  const asked: Asked[] = [];
  let isAsked = true;
  parentPort!.once('message', () => {
    isAsked = false;
  });
  while (isAsked || asked.length === 0) {
    asked.push(await ask(url, asked.length));
    await wait(EVERY_MS);
  }
  return asked;
}

if (!isMainThread) parentPort!.postMessage(await probe(workerData));
