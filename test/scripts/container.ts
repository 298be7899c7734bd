/** Commands in their own containers, which end with their test. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { NightCase } from '../pipeline/night-case.js';
import { signalInside, startApart } from './apart.js';
import { loaders, program } from './run-program.js';

const running = new Set<Container>();

/** Kills the containers that a test has left running. */
export const killContainers = () => Promise.all([...running].map((container) => container.kill()));

/** A command in its own container, on a data folder of the case. */
export class Container {
  out = '';
  error = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(chain: NightCase, dataDir: string, ...words: string[]) {
    this.child = startApart([...loaders, program, ...words], { ...chain.environment(dataDir), HUBLEDGER_PORT: '0' });
    this.child.stdout!.on('data', (text) => {
      this.out += text;
    });
    this.child.stderr!.on('data', (text) => {
      this.error += text;
    });
    running.add(this);
    this.ended = once(this.child, 'close').then(([code]) => {
      running.delete(this);
      return code;
    });
  }

  signal(signal: NodeJS.Signals): void {
    signalInside(this.child, signal);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Waits for lines of its log with a word, as soon as there is one. */
  async logged(word: string): Promise<Record<string, unknown>[]> {
    const found = () => this.out.split('\n').filter((line) => line.includes(word));
    while (found().length === 0) {
      if (!running.has(this)) assert.fail(`it has ended: ${this.error}`);
      await wait(20);
    }
    return found().map((line) => JSON.parse(line));
  }

  /** The URL of a server, once it listens. */
  async base(): Promise<string> {
    const [line] = await this.logged('"listening"');
    return `http://127.0.0.1:${line!.port}`;
  }

  /** Asks a server. */
  async ask(path: string, request?: RequestInit): Promise<Response> {
    return fetch((await this.base()) + path, request);
  }
}
