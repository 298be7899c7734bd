/** Measured processes: their messages to the process that started them, and how that one asks for them. */
import { type ChildProcess, fork } from 'node:child_process';

/** The measures of a piece of work that was done once. */
export interface Work {
  readonly milliseconds: number;
  /** Largest resident size of the process so far. */
  readonly peakMiB: number;
  /** Number of the things that the work counted: blocks, events. */
  readonly count: number;
}

/** Resources that a server process used since it was last asked. */
export interface Usage {
  readonly cpuMicroseconds: number;
  /** Resident memory that it has by now. */
  readonly residentMiB: number;
}

/** Does the work in the measured process, times it and reports it. */
export async function reportWork(work: () => Promise<number>): Promise<void> {
  const start = performance.now();
  const count = await work();
  report(performance.now() - start, count);
}

/**
 * Milliseconds of processor time that this process has used on all cores: unlike the clock's, they hardly change when other
 * processes use the machine as well.
 */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A clock of processor time: it adds up the work done with some values, between other work that is not measured. */
export class ProcessorClock {
  milliseconds = 0;

  /** Runs from the first value until the last is done with. */
  *running<Value>(values: Iterable<Value>): Generator<Value> {
    const start = processorTime();
    try {
      yield* values;
    } finally {
      this.milliseconds += processorTime() - start;
    }
  }
}

/** Reports from the measured process work that was timed in parts, or by processor time. */
export function report(milliseconds: number, count: number): void {
  const work: Work = { milliseconds, peakMiB: process.resourceUsage().maxRSS / 1024, count };
  process.send!(work);
}

/** Answers, in a server's process, every message with the usage since the last one, and ends when nobody can ask any more. */
export function reportUsage(): void {
  process.once('disconnect', () => process.exit());
  let since = process.cpuUsage();
  process.on('message', () => {
    const { user, system } = process.cpuUsage(since);
    const usage: Usage = { cpuMicroseconds: user + system, residentMiB: process.memoryUsage.rss() / 2 ** 20 };
    since = process.cpuUsage();
    process.send!(usage);
  });
}

/** Starts a module of this folder in a process of its own; its output is not shown, its errors are. */
export function start(module: URL, ...parameters: string[]): ChildProcess {
  return fork(module, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** Waits for the next message of a process. @throws Error when it ends without one */
export function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

/** Sends a message to a process, and waits for the answer. */
export function answerTo<T>(child: ChildProcess, message: string | object): Promise<T> {
  const answer = nextMessage<T>(child);
  child.send(message);
  return answer;
}

/** Asks a server process for its usage since it was last asked. */
export const usageOf = (server: ChildProcess): Promise<Usage> => answerTo(server, 'usage');

/** Runs a module that reports its work, and waits for its end. */
export function workOf(module: URL, ...parameters: string[]): Promise<Work> {
  return workBy(start(module, ...parameters));
}

async function workBy(child: ChildProcess): Promise<Work> {
  const work = await nextMessage<Work>(child);
  await stop(child);
  return work;
}

/** Ends a process, and waits for its end. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  child.kill();
  await ended;
}

/** The median of some values: of an even number of them, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** A percentile: the smallest of the values that so large a part of them (0 to 1) does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1]!;
}
