/**
 * The comparison of one request, asked of the server and of stand-ins that send the same bytes: an ordinary Koa stack and bare Koa. It
 * counts answers a second of the server process's time on a core: by the clock, the client on the same machine may be the bound.
 */
import type { ChildProcess } from 'node:child_process';
import { median, stop, usageOf } from '../measured.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { askFor, during, type Headers, load } from './load.js';
import { type Running, STAND_IN_NAMES, startStandIn } from './servers.js';

/** A request of the benchmarks. */
export interface ComparedRequest {
  readonly what: string;
  /** Path and query of the nth time that it is asked; all have the same answer but for words of equal length. */
  readonly path: (n: number) => string;
  readonly headers?: Headers;
  /** Set when it is asked with the ETag of the answer, and answered 304. */
  readonly conditional?: true;
  /** The least ratio to the ordinary stack. */
  readonly wanted?: number;
}

/** The answers of a round, and the processor time that they took. */
class Work {
  private answers = 0;
  private microseconds = 0;

  async add(server: ChildProcess, answers: () => Promise<number>): Promise<void> {
    await usageOf(server);
    this.answers += await answers();
    this.microseconds += (await usageOf(server)).cpuMicroseconds;
  }

  /** Answers for a second of processor time. */
  get speed(): number {
    return (this.answers / this.microseconds) * 1e6;
  }
}

/** Turns of each process in a round, forwards and backwards: what the machine does beside for a second slows all of them alike. */
const TURNS = 10;

/** Length of the round that warms up, in rounds: V8 compiles what a request of half a millisecond passes within some thousands of them. */
const WARM_UP = 3;

/** Measures in rounds, after one that warms all of them up. */
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
