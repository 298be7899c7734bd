/** The server under attack, in its own process on a loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Observed } from './observe.js';

/** Destination of the log: nowhere, the attack, a pipe that is never read, or a full disk. */
export type Log = 'none' | 'kept' | 'unread' | 'full';

/** Time limits until a server listens, and until it ends. */
const START_MS_MAX = 120_000;
const END_MS_MAX = 20_000;

/** Measures turns of the event loop and memory in the server's process. */
const OBSERVER = join(import.meta.dirname, 'observe.js');

const DESCRIPTORS_EVERY_MS = 100;

/** Numbers of open file descriptors. `others` are pipes, devices and event queues. */
export interface Descriptors {
  readonly files: number;
  readonly sockets: number;
  readonly others: number;
}

const NOTHING_SEEN: Observed = { turnMs: 0, memory: { ownMb: 0, servedMb: 0 } };

export class Victim {
  readonly origin = 'http://localhost';
  private worst = NOTHING_SEEN;
  private out = '';

  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
    /** Beginning of the paths of the embedded store's files. */
    private readonly store: string,
  ) {}

  /** Starts the program and waits until it accepts connections. @throws Error if it ends or does not listen */
  static async start(
    { program, dataDir }: { readonly program: string; readonly dataDir: string },
    environment: Readonly<Record<string, string>>,
    log: Log = 'none',
  ) {
    const port = await freePort();
    const out = log === 'full' ? openSync('/dev/full', 'w') : log === 'none' ? 'ignore' : 'pipe';
    const child = spawn(process.execPath, ['--import', OBSERVER, program, 'serve'], {
      env: environmentOf({ dataDir, port, ...environment }),
      stdio: ['ignore', out, log === 'kept' ? 'pipe' : 'ignore', 'ipc'],
    });
    const victim = new Victim(child, port, join(dataDir, 'store/'));
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

  /** Returns the lines of the kept output with a text. */
  linesWith(words: string): string[] {
    return this.out.split('\n').filter((line) => line.includes(words));
  }

  get isRunning(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Returns the resident megabytes of the process (Linux); 0 if it has ended. */
  residentMb(): number {
    return this.statusMb('VmRSS');
  }

  /** Returns the peak of the resident megabytes since the start (Linux); 0 if the process has ended. */
  peakMb(): number {
    return this.statusMb('VmHWM');
  }

  private statusMb(name: 'VmRSS' | 'VmHWM'): number {
    if (!this.isRunning) return 0;
    const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  }

  /**
   * Counts the open file descriptors of the process by kind (Linux); zeros if it has ended. Files of the embedded store
   * do not count: the store opens more of its files with every query of another table, such as the cleanup each minute.
   */
  descriptors(): Descriptors {
    const counts = { files: 0, sockets: 0, others: 0 };
    if (!this.isRunning) return counts;
    const folder = `/proc/${this.process.pid}/fd`;
    for (const name of readdirSync(folder)) {
      const target = targetOf(join(folder, name));
      if (target === undefined) continue; // closed in the meantime
      if (target.startsWith(this.store)) continue;
      if (target.startsWith('/') && !target.startsWith('/dev/')) counts.files++;
      else if (target.startsWith('socket:')) counts.sockets++;
      else counts.others++;
    }
    return counts;
  }

  /**
   * Waits until the process has at most as many open descriptors as before.
   * @returns what is still open after `ms`, such as "3 files"; an empty text for nothing
   */
  async leftOpen(before: Descriptors, ms: number): Promise<string> {
    for (const began = performance.now(); ; await wait(DESCRIPTORS_EVERY_MS)) {
      const now = this.descriptors();
      const kinds = (['files', 'sockets', 'others'] as const).filter((kind) => now[kind] > before[kind]);
      if (kinds.length === 0 || performance.now() - began > ms) {
        return kinds.map((kind) => `${now[kind] - before[kind]} ${kind}`).join(', ');
      }
    }
  }

  /** Returns the figures since the last call; zeros if the process has ended. */
  async observed(): Promise<Observed> {
    if (!this.isRunning || !this.process.connected) return NOTHING_SEEN;
    const over = new AbortController();
    const { signal } = over;
    this.process.send('observed');
    const gone = once(this.process, 'exit', { signal }).then(() => [NOTHING_SEEN]);
    gone.catch(() => undefined);
    const [figures] = (await Promise.race([once(this.process, 'message', { signal }), gone])) as [Observed];
    over.abort();
    const { turnMs, memory } = this.worst;
    this.worst = {
      turnMs: Math.max(turnMs, figures.turnMs),
      memory: figures.memory.ownMb > memory.ownMb ? figures.memory : memory,
    };
    return figures;
  }

  /** Returns the CPU time of the longest turn since the last call, in milliseconds. */
  async longestTurn(): Promise<number> {
    return (await this.observed()).turnMs;
  }

  /** Returns the worst figures since `forgetObserved`. */
  async worstObserved(): Promise<Observed> {
    await this.observed();
    return this.worst;
  }

  /** Drops the figures so far, which belong to the start. */
  async forgetObserved(): Promise<void> {
    await this.observed();
    this.worst = NOTHING_SEEN;
  }

  /** Sends SIGTERM without waiting. */
  terminate(): void {
    this.process.kill('SIGTERM');
  }

  /** Ends it by SIGINT, which does not wait for load balancers, or else by SIGKILL. @returns the milliseconds until the end */
  async end(): Promise<number> {
    const began = performance.now();
    if (!this.isRunning) return 0;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGINT');
    const late = setTimeout(() => this.process.kill('SIGKILL'), END_MS_MAX);
    await ended;
    clearTimeout(late);
    return performance.now() - began;
  }

  /** @throws Error if it ends or does not accept connections */
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

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** Returns the environment of a program under attack: this process's environment and the given variables. */
export function environmentOf({ dataDir, port = 0, ...more }: Readonly<Record<string, string | number>>) {
  return {
    ...process.env,
    HUBLEDGER_DATA_DIR: String(dataDir),
    HUBLEDGER_PORT: String(port),
    HUBLEDGER_BASE_URL: 'http://localhost',
    HUBLEDGER_RATE_LIMIT: '0',
    HUBLEDGER_TRUSTED_HOPS: '1', // the attacker has more connections than one address may have
    ...more,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
