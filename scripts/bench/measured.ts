import { type ChildProcess, fork } from 'node:child_process';

export interface Work {
  readonly milliseconds: number;
  /** CPU time of the process and its threads since its start. */
  readonly cpuMilliseconds: number;
  /** Peak of resident memory in MiB since the start of the process. */
  readonly peakMiB: number;
  readonly count: number;
}

export interface StepCost {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** Peak of resident memory in MiB during the step. */
  readonly peakMiB: number;
  /** Megabytes passed to the system in write calls. Hard links write nothing. */
  readonly writtenMB: number;
}

export interface NightCost {
  readonly height: number;
  readonly steps: Readonly<Record<string, StepCost>>;
}

export interface Usage {
  readonly cpuMicroseconds: number;
  readonly residentMiB: number;
}

/** Runs the work in a measured process, and sends its duration to the parent process. */
export async function reportWork(work: () => Promise<number>): Promise<void> {
  const start = performance.now();
  const count = await work();
  report(performance.now() - start, count);
}

/** Sends the means of work, done `passes` times, to the parent process, if a process measures the duration itself. */
export function report(milliseconds: number, count: number, passes = 1): void {
  const { user, system } = process.cpuUsage();
  const cpuMilliseconds = (user + system) / 1000 / passes;
  const work: Work = {
    milliseconds: milliseconds / passes,
    cpuMilliseconds,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    count,
  };
  process.send!(work);
}

/**
 * Answers each message to a server process with the CPU time since the last message. Ends the process if its parent
 * ends.
 */
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

/** Starts a module as a process. Shows its errors, but hides its output. */
export function start(module: URL, ...parameters: string[]): ChildProcess {
  return fork(module, parameters, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

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

/** Returns the median. For an even number of values, this is the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
