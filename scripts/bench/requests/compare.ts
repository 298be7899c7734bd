/** Measures of requests: comparison with stand-ins, and the wait of other requests beside a long answer. */
import type { ChildProcess } from 'node:child_process';
import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { median, stop, usageOf } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { askFor, type Headers, load } from './load.js';
import { type Running, STAND_IN_NAMES, startStandIn } from './servers.js';

/** A request of the benchmarks. */
export interface ComparedRequest {
  readonly what: string;
  /** Path and query of the nth request. All answers have equal length. */
  readonly path: (n: number) => string;
  readonly headers?: Headers;
  /** Sends the ETag of the answer and expects 304. */
  readonly conditional?: true;
  /** Smallest acceptable ratio to the ordinary stack. */
  readonly wanted?: number;
}

/** Answers of a round and the CPU time of the server process. */
class Work {
  private answers = 0;
  private microseconds = 0;

  async add(server: ChildProcess, answers: () => Promise<number>): Promise<void> {
    await usageOf(server);
    this.answers += await answers();
    this.microseconds += (await usageOf(server)).cpuMicroseconds;
  }

  /** Answers per second of CPU time. */
  get speed(): number {
    return (this.answers / this.microseconds) * 1e6;
  }
}

/** Turns of each process in a round, forwards and backwards, so that other load on the machine slows all of them alike. */
const TURNS = 10;

/** Length of the warm-up in rounds: V8 needs some thousand requests to compile their code. */
const WARM_UP = 3;

/**
 * Compares one request to the server with the same bytes from an ordinary Koa stack and from bare Koa. Counts answers per second of the
 * server's CPU time: by the clock, the client on the same machine may be the limit.
 */
export async function compareRequest(
  settings: Settings,
  server: Running,
  { what, path, headers = {}, conditional, wanted }: ComparedRequest,
): Promise<Measure> {
  let asked = 0;
  const first = path(asked++);
  const { etag } = (await askFor(200, server.url + first, headers)).headers;
  const sent = conditional ? { ...headers, 'if-none-match': etag! } : headers;
  const standIns: Running[] = [];
  try {
    for (const name of STAND_IN_NAMES) standIns.push(await startStandIn(settings, name, server, first, headers));
    const all = [server, ...standIns];
    const speeds = all.map((): number[] => []);
    for (let round = -1; round < settings.rounds; round++) {
      const works = all.map(() => new Work());
      const milliseconds = ((round < 0 ? WARM_UP : 1) * settings.milliseconds) / TURNS;
      for (let turn = 0; turn < TURNS; turn++) {
        const inTurn = [...all.entries()];
        for (const [i, { process, url }] of turn % 2 === 0 ? inTurn : inTurn.reverse()) {
          const urls = during(milliseconds, () => url + path(asked++));
          await works[i]!.add(process, () => load(urls, sent, conditional ? 304 : 200));
        }
      }
      if (round >= 0) works.forEach((work, i) => void speeds[i]!.push(work.speed));
    }
    const [figure, ...others] = speeds.map(median) as [number, ...number[]];
    const against = STAND_IN_NAMES.map((name, i) => ({ what: name, figure: others[i]! }));
    return {
      what,
      figure,
      unit: 'answers/s of a core',
      against,
      ...(wanted && { target: { ratio: wanted } }),
    };
  } finally {
    await Promise.all(standIns.map(({ process }) => stop(process)));
  }
}

/** Yields URLs for a number of milliseconds. */
function* during(milliseconds: number, nextUrl: () => string): Generator<string> {
  for (const end = performance.now() + milliseconds; performance.now() < end; ) yield nextUrl();
}

const PAUSE_MS = 2;
const WAIT_MS_MAX = 20;

/** Returns the milliseconds of the slowest request while the work runs; requests are sent one after another. */
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
 * Measures the longest wait of other requests while the server sends a long answer, and while it is idle.
 * @param others path of the other requests
 * @param path path of the nth long answer
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
  const against = [{ what: 'idle server', figure: median(idle) }];
  return { what, figure: median(waits), unit: 'ms', against, target: { atMost: WAIT_MS_MAX } };
}
