/** Measured processes and their messages to the process that started them. */
import { type ChildProcess, fork } from 'node:child_process';

export interface Work {
  readonly milliseconds: number;
  /** Largest resident size of the process so far. */
  readonly peakMiB: number;
  /** Number of blocks or events. */
  readonly count: number;
}

/** Resources that a step of a night used. */
export interface StepCost {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Largest resident size of the process during the step. */
  readonly peakMiB: number;
  /** Passed to the system in write calls; hard links cost nothing. */
  readonly writtenMB: number;
}

/** Sent by a measured night. */
export interface NightCost {
  /** Last height of the night. */
  readonly height: number;
  readonly steps: Readonly<Record<string, StepCost>>;
}

export interface Usage {
  readonly cpuMicroseconds: number;
  readonly residentMiB: number;
}

/** Called in the measured process: does the work and reports its time. */
export async function reportWork(work: () => Promise<number>): Promise<void> {
  const start = performance.now();
  const count = await work();
  report(performance.now() - start, count);
}

/** Called in the measured process: reports work that it has timed itself. */
export function report(milliseconds: number, count: number): void {
  const work: Work = { milliseconds, peakMiB: process.resourceUsage().maxRSS / 1024, count };
  process.send!(work);
}

/** Called in a server process: answers every message with the usage since the last one. The process ends with its parent. */
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

/** Starts a module in its own process. Shows its errors, not its output. */
export function start(module: URL, ...parameters: string[]): ChildProcess {
  return fork(module, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** @throws Error if the process ends without a message */
function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

export function usageOf(server: ChildProcess): Promise<Usage> {
  const usage = nextMessage<Usage>(server);
  server.send('usage');
  return usage;
}

export async function workOf<Report = Work>(module: URL, ...parameters: string[]): Promise<Report> {
  const child = start(module, ...parameters);
  const work = await nextMessage<Report>(child);
  await stop(child);
  return work;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  child.kill();
  await ended;
}

/** Returns the median; for an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
