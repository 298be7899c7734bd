/** The server under attack: a process of its own on a loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from './place.js';

/** Destination of the log: to nobody, to the attack, into a pipe that nobody reads, or to a disk that is full. */
export type Log = 'nobody' | 'kept' | 'unread' | 'full';

/** Time that a server has to listen, and to end. */
const START_MS_MAX = 30_000;
const END_MS_MAX = 20_000;

/** Module by which the server tells how long its turns of the event loop are. */
const TURNS = join(import.meta.dirname, 'turns.js');

export interface Memory {
  readonly nowMb: number;
  readonly peakMb: number;
  /** Set when the process is there no more. */
  readonly isGone: boolean;
}

export class Victim {
  /** The origin of its own pages. */
  readonly origin = 'http://localhost';
  /** The longest turn of the event loop that was told so far, in milliseconds. */
  worstTurnMs = 0;
  private out = '';
  private lastSeen: Memory = { nowMb: 0, peakMb: 0, isGone: true };

  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
  ) {}

  /** Starts the program and waits until it accepts connections. @throws Error when it ends or does not listen */
  static async start({ program, dataDir }: Place, environment: Readonly<Record<string, string>>, log: Log = 'nobody') {
    const port = await freePort();
    const out = log === 'full' ? openSync('/dev/full', 'w') : log === 'nobody' ? 'ignore' : 'pipe';
    const child = spawn(
      'env',
      [...assignments({ dataDir, port, ...environment }), process.execPath, '--import', TURNS, program, 'serve'],
      { stdio: ['ignore', out, log === 'kept' ? 'pipe' : 'ignore', 'ipc'] },
    );
    const victim = new Victim(child, port);
    if (log === 'kept') {
      const keep = (text: string) => {
        victim.out += text;
      };
      for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', keep);
    }
    for (const began = performance.now(); !(await victim.accepts()); await wait(20)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('the server ends at its start');
      if (performance.now() - began > START_MS_MAX) throw new Error('the server does not listen');
    }
    return victim;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Lines of a kept log, and of what else the program says. */
  linesWith(words: string): string[] {
    return this.out.split('\n').filter((line) => line.includes(words));
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Memory of the process as Linux tells it. */
  memory(): Memory {
    try {
      const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
      const megabytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
      this.lastSeen = { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM'), isGone: !this.isRunning };
      return this.lastSeen;
    } catch {
      return { ...this.lastSeen, isGone: true };
    }
  }

  /** The processor time of the longest turn of the event loop since the last question, in milliseconds; 0 when the process is gone. */
  async longestTurn(): Promise<number> {
    if (!this.isRunning || !this.process.connected) return 0;
    const over = new AbortController();
    const { signal } = over;
    this.process.send('longest turn');
    const gone = once(this.process, 'exit', { signal }).then(() => [0]);
    gone.catch(() => undefined);
    const [ms] = await Promise.race([once(this.process, 'message', { signal }), gone]);
    over.abort();
    this.worstTurnMs = Math.max(this.worstTurnMs, ms);
    return ms as number;
  }

  /** Leaves out the turns so far, which belong to the start. */
  async forgetTurns(): Promise<void> {
    await this.longestTurn();
    this.worstTurnMs = 0;
  }

  /** Sends SIGTERM without waiting. */
  terminate(): void {
    this.process.kill('SIGTERM');
  }

  /** Ends it by SIGTERM, or by SIGKILL if that does nothing. @returns milliseconds that it took */
  async end(): Promise<number> {
    const began = performance.now();
    if (!this.isRunning) return 0;
    const ended = once(this.process, 'exit');
    this.terminate();
    const late = setTimeout(() => this.process.kill('SIGKILL'), END_MS_MAX);
    await ended;
    clearTimeout(late);
    return performance.now() - began;
  }

  private accepts(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.on('connect', () => socket.destroy()).on('close', (failed) => resolve(!failed));
      socket.on('error', () => undefined);
    });
  }
}

/** Variables of the server as `env` takes them; the rest of this environment stays as it is. */
export function assignments({ dataDir, port, ...more }: Readonly<Record<string, string | number>>): string[] {
  const variables = {
    HUBLEDGER_DATA_DIR: dataDir,
    HUBLEDGER_PORT: port ?? 0,
    HUBLEDGER_BASE_URL: 'http://localhost',
    HUBLEDGER_RATE_LIMIT: 0,
    ...more,
  };
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
