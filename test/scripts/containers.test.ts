/** Programs in containers that share a data folder: each has process ids of its own, and is process 1 there. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '../../pipeline/disk/lock.js';
import { NightCase } from '../pipeline/night-case.js';
import { posting } from '../server/accounts/signed-in.js';
import { WALLETS } from '../server/published.js';
import { canStartApart, signalInside, startApart } from './apart.js';
import { loaders, program } from './run-program.js';

const LOCK_HOLDER = join(import.meta.dirname, `../disk/lock-child${extname(import.meta.filename)}`);

const chain = new NightCase();
const running = new Set<Container>();
after(() => chain.remove());
afterEach(() => Promise.all([...running].map((container) => container.kill())));

/** A command of the program in a container of its own, on a data folder of the case. */
class Container {
  out = '';
  error = '';
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(dataDir: string, ...words: string[]) {
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

  /** Asks a server. */
  async ask(path: string, request?: RequestInit): Promise<Response> {
    const [line] = await this.logged('"listening"');
    return fetch(`http://127.0.0.1:${line!.port}${path}`, request);
  }
}

const untilTaken = async (dataDir: string, lock: string) => {
  while (!existsSync(chain.path(dataDir, 'locks', lock))) await wait(20);
};

/** Asks for a sign-in, whose status tells whether the server has its store. */
const signIn = async (server: Container) =>
  (await server.ask('/api/account/v1/sign-in/challenge', posting({ address: WALLETS.silent }))).status;

/** Declares a suite that is left out where the system allows no namespace. */
const describeApart = (name: string, suite: () => void) => canStartApart && describe(name, suite);

describeApart('nights', () => {
  test('two nights: one is refused in one line, the other publishes', async () => {
    const first = new Container('nights', 'nightly');
    await untilTaken('nights', 'night');
    first.signal('SIGSTOP');
    const second = new Container('nights', 'nightly');
    assert.equal(await second.ended, 1);
    assert.match(second.error, /^hubledger: a night is running already: process 1 on [^\n]+locks\/night\)\n$/);
    first.signal('SIGCONT');
    assert.equal(await first.ended, 0);
    assert.ok(existsSync(chain.path('nights/CURRENT')));
  });

  test('nights that are killed give way to the next at once, and leave nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      const night = new Container('killed', 'nightly');
      await untilTaken('killed', 'night');
      await wait(round * 300);
      await night.kill();
    }
    const last = new Container('killed', 'nightly');
    assert.equal(await last.ended, 0, last.error);
    const left = readdirSync(chain.path('killed'), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      left.filter((name) => /unfinished|\.tmp$|^locks\//.test(name)),
      [],
    );
  });

  test('a container that is killed gives its lock back at once, twenty times', async () => {
    const folder = chain.path('twenty');
    for (let round = 0; round < 20; round++) {
      const holder = startApart([...loaders, LOCK_HOLDER, folder], {});
      await once(holder.stdout!, 'data');
      await assert.rejects(takeLock(folder, 'night', 'it is taken'), /it is taken: process 1 on /);
      const gone = once(holder, 'exit');
      signalInside(holder, 'SIGKILL');
      await gone;
      (await takeLock(folder, 'night', 'it is taken'))();
    }
  });
});

describeApart('the embedded store', () => {
  test('beside a server the command line is refused in one line, and works when the server has ended', async () => {
    const server = new Container('store', 'serve');
    assert.equal(await signIn(server), 200);
    const words = ['keys', 'create', '--account', 'carol', '--scopes', 'tax:read'];
    const refused = new Container('store', ...words);
    assert.equal(await refused.ended, 1);
    assert.equal(refused.out, '');
    assert.match(refused.error, /^hubledger: the embedded store is open already; [^\n]+: process 1 on [^\n]+\n$/);
    await server.kill();
    const made = new Container('store', ...words);
    assert.equal(await made.ended, 0, made.error);
    const listed = new Container('store', 'keys', 'list');
    assert.equal(await listed.ended, 0);
    assert.equal(listed.out.split('\n').filter((line) => line.includes('\tcarol\t')).length, 1);
  });

  test('of two servers one has it; the other says so in one line, and takes it over when the first is killed', async () => {
    const first = new Container('servers', 'serve');
    assert.equal(await signIn(first), 200);
    const second = new Container('servers', 'serve');
    const lines = await second.logged('no store');
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]!.reason), /the embedded store is open already; .*: process 1 on /);
    assert.equal((await second.ask('/healthz')).status, 200);
    assert.deepEqual([await signIn(first), await signIn(second)], [200, 503]);
    await first.kill();
    for (let i = 0; (await signIn(second)) !== 200; i++) {
      assert.ok(i < 50, 'it looks again each second');
      await wait(200);
    }
    assert.equal(second.error, '');
  });
});

describeApart('a published dataset', () => {
  let generation: string;
  before(async () => {
    ({ generation } = await chain.night('data'));
  });

  const served = async (server: Container) => {
    const answer = await server.ask('/readyz');
    return [answer.status, ((await answer.json()) as { generation?: string }).generation];
  };

  test('is served by two servers beside a night', async () => {
    const servers = [new Container('data', 'serve'), new Container('data', 'serve')];
    for (const server of servers) assert.deepEqual(await served(server), [200, generation]);
    const night = new Container('data', 'nightly');
    assert.equal(await night.ended, 0, night.error);
    for (const server of servers) assert.deepEqual(await served(server), [200, generation]);
    for (const server of servers) assert.equal(server.error, '');
  });

  test('servers whose wallet index another one builds say so in one line, and wait', async () => {
    rmSync(chain.path('data/stores'), { recursive: true });
    const release = await takeLock(chain.path('data'), 'wallet-index', 'it is built');
    const servers = [new Container('data', 'serve'), new Container('data', 'serve')];
    const isWaiting = ({ error }: Container) => error.includes('\n');
    while (!servers.every(isWaiting)) await wait(20);
    release();
    for (const server of servers) assert.deepEqual(await served(server), [200, generation]);
    for (const { error } of servers) {
      assert.match(
        error.split('\n')[0]!,
        /^hubledger: another process builds a wallet index, waiting for it: process \d+ /,
      );
    }
    assert.deepEqual(readdirSync(chain.path('data/stores')), [generation]);
  });

  test('what a living server is making stays, and what a killed one made goes with the next night', async () => {
    const making = chain.path('data/stores/.unfinished-wallet-index-0a1b2c3d-h540');
    mkdirSync(making);
    const release = await takeLock(chain.path('data'), 'wallet-index', 'it is built');
    const night = new Container('data', 'nightly');
    while (night.error === '') await wait(20);
    assert.match(
      night.error,
      /^hubledger: another process builds a wallet index, waiting for it: process \d+ [^\n]+\n$/,
    );
    release();
    assert.equal(await night.ended, 0);
    assert.ok(existsSync(making));
    assert.equal(await new Container('data', 'nightly').ended, 0);
    assert.equal(existsSync(making), false);
    assert.equal(readFileSync(chain.path('data/CURRENT'), 'utf8').trim(), generation);
  });
});
