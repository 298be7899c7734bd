/** The server under attack: a process of its own on a loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Observed } from './observed/observe.js';
import type { Place } from './place.js';

/** Destination of the log: to nobody, to the attack, into a pipe that nobody reads, or to a disk that is full. */
export type Log = 'nobody' | 'kept' | 'unread' | 'full';

/** Time that a server has to listen, and to end. */
const START_MS_MAX = 120_000;
const END_MS_MAX = 20_000;

/** Module by which the server tells how long its turns of the event loop are, and what memory it takes. */
const OBSERVER = join(import.meta.dirname, 'observed/observe.js');

const NOTHING_SEEN: Observed = { turnMs: 0, memory: { ownMb: 0, servedMb: 0 } };

export class Victim {
  /** The origin of its own pages. */
  readonly origin = 'http://localhost';
  /** The worst figures that were told so far. */
  private worst = NOTHING_SEEN;
  private out = '';

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
      [...assignments({ dataDir, port, ...environment }), process.execPath, '--import', OBSERVER, program, 'serve'],
      { stdio: ['ignore', out, log === 'kept' ? 'pipe' : 'ignore', 'ipc'] },
    );
    const victim = new Victim(child, port);
    if (log === 'kept') {
      const keep = (text: string) => {
        victim.out += text;
      };
      for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', keep);
    }
    await victim.listens().catch(async (error) => {
      await victim.end(); // its folder is removed next
      throw error;
    });
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

  /** Resident megabytes of the process as Linux tells them; 0 when it is gone. */
  residentMb(): number {
    if (!this.isRunning) return 0;
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Asks for the figures since the last question, which are nothing when the process is gone. */
  async observed(): Promise<Observed> {
    if (!this.isRunning || !this.process.connected) return NOTHING_SEEN;
    const over = new AbortController();
    const { signal } = over;
    this.process.send('observed');
    const gone = once(this.process, 'exit', { signal }).then(() => [NOTHING_SEEN]);
    gone.catch(() => undefined);
    const [told] = (await Promise.race([once(this.process, 'message', { signal }), gone])) as [Observed];
    over.abort();
    const { turnMs, memory } = this.worst;
    this.worst = {
      turnMs: Math.max(turnMs, told.turnMs),
      memory: told.memory.ownMb > memory.ownMb ? told.memory : memory,
    };
    return told;
  }

  /** The processor time of the longest turn of the event loop since the last question, in milliseconds. */
  async longestTurn(): Promise<number> {
    return (await this.observed()).turnMs;
  }

  /** The worst figures since those before were left out. */
  async worstObserved(): Promise<Observed> {
    await this.observed();
    return this.worst;
  }

  /** Leaves out the figures so far, which belong to the start. */
  async forgetObserved(): Promise<void> {
    await this.observed();
    this.worst = NOTHING_SEEN;
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

  /** Waits until it accepts connections. @throws Error when it ends or does not */
  private async listens(): Promise<void> {
    for (const began = performance.now(); !(await this.accepts()); await wait(20)) {
      if (!this.isRunning) throw new Error('the server ends at its start');
      if (performance.now() - began > START_MS_MAX) throw new Error('the server does not listen');
    }
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
    HUBLEDGER_TRUSTED_HOPS: 1, // the machine has more connections than an address
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
