/** Containers that share a data folder. Each has its own process ids, and its program is process 1. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '../../pipeline/base/disk/lock.js';
import { NightCase } from '../pipeline/night-case.js';
import { posting } from '../server/people/accounts/signed-in.js';
import { WALLETS } from '../server/published.js';
import { canStartApart, signalInside, startApart } from './apart.js';
import { Container, killContainers } from './container.js';
import { loaders } from './run-program.js';

const LOCK_HOLDER = join(import.meta.dirname, `../base/disk/lock-child${extname(import.meta.filename)}`);

const chain = new NightCase();
after(() => chain.remove());
afterEach(killContainers);

/** Returns the signs of life in a lock: one while it is held, or after a kill until the next process takes it. */
const signsIn = (dataDir: string, lock: string) => {
  const folder = chain.path(dataDir, 'locks', lock);
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** Waits until a lock has a sign of life that no killed process has left. */
const untilTaken = async (dataDir: string, lock: string, left: readonly string[] = []) => {
  while (signsIn(dataDir, lock).every((sign) => left.includes(sign))) await wait(20);
};

/** Requests a sign-in; the status shows whether the server has its store. */
const signIn = async (server: Container) =>
  (await server.ask('/api/account/v1/sign-in/challenge', posting({ address: WALLETS.silent }))).status;

/** Declares a suite that is left out if the system allows no namespace. */
const describeApart = (name: string, suite: () => void) => canStartApart && describe(name, suite);

describeApart('nights', () => {
  test('of two nights one is refused in one line and the other publishes', async () => {
    const first = new Container(chain, 'nights', 'nightly');
    await untilTaken('nights', 'night');
    first.signal('SIGSTOP');
    const second = new Container(chain, 'nights', 'nightly');
    assert.equal(await second.ended, 5);
    assert.match(
      second.error,
      /^hubledger: a nightly run is already in progress: process 1 on [^\n]+locks\/night\)\n$/,
    );
    first.signal('SIGCONT');
    assert.equal(await first.ended, 0);
    assert.ok(existsSync(chain.path('nights/CURRENT')));
  });

  test('after killed nights the next night starts at once and leaves nothing behind', async () => {
    for (let round = 0; round < 5; round++) {
      const left = signsIn('killed', 'night');
      const night = new Container(chain, 'killed', 'nightly');
      await untilTaken('killed', 'night', left);
      await wait(round * 300);
      await night.kill();
    }
    const last = new Container(chain, 'killed', 'nightly');
    assert.equal(await last.ended, 0, last.error);
    const left = readdirSync(chain.path('killed'), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      left.filter((name) => /unfinished|\.tmp$|^locks\//.test(name)),
      [],
    );
  });

  test('the lock of a killed container is free at once, twenty times', async () => {
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
  test('a command beside a server is refused in one line, and works after the server has ended', async () => {
    const server = new Container(chain, 'store', 'serve');
    assert.equal(await signIn(server), 200);
    const refused = new Container(chain, 'store', 'accounts', 'invite');
    assert.equal(await refused.ended, 5);
    assert.equal(refused.out, '');
    assert.match(refused.error, /^hubledger: the embedded store is open already; [^\n]+: process 1 on [^\n]+\n$/);
    await server.kill();
    const words = ['keys', 'create', '--account', 'carol', '--scopes', 'tax:read'];
    const made = new Container(chain, 'store', ...words);
    assert.equal(await made.ended, 0, made.error);
    const listed = new Container(chain, 'store', 'keys', 'list');
    assert.equal(await listed.ended, 0);
    assert.equal(listed.out.split('\n').filter((line) => line.includes('\tcarol\t')).length, 1);
  });

  test('one of two servers has it; the other logs one line and takes it over after a kill', async () => {
    const first = new Container(chain, 'servers', 'serve');
    assert.equal(await signIn(first), 200);
    const second = new Container(chain, 'servers', 'serve');
    const lines = await second.logged('the store is unavailable');
    assert.equal(lines.length, 1);
    assert.match(String(lines[0]!.reason), /the embedded store is open already; .*: process 1 on /);
    assert.equal((await second.ask('/healthz')).status, 200);
    assert.deepEqual([await signIn(first), await signIn(second)], [200, 503]);
    await first.kill();
    for (let i = 0; (await signIn(second)) !== 200; i++) {
      assert.ok(i < 300, 'it looks again each second');
      await wait(200);
    }
    assert.equal(second.error, '');
  });
});

describeApart('a published dataset', () => {
  let generation: string;
  before(async () => {
    ({ generation } = await chain.published('data'));
  });

  const served = async (server: Container) => {
    const answer = await server.ask('/readyz');
    return [answer.status, ((await answer.json()) as { generation?: string }).generation];
  };

  test('is served by two servers beside a night', async () => {
    const servers = [new Container(chain, 'data', 'serve'), new Container(chain, 'data', 'serve')];
    for (const server of servers) assert.deepEqual(await served(server), [200, generation]);
    const night = new Container(chain, 'data', 'nightly');
    assert.equal(await night.ended, 0, night.error);
    for (const server of servers) assert.deepEqual(await served(server), [200, generation]);
    for (const server of servers) assert.equal(server.error, '');
  });

  test('servers wait, with one line, while another process builds the wallet index', async () => {
    rmSync(chain.path('data/stores'), { recursive: true });
    const release = await takeLock(chain.path('data'), 'wallet-index', 'it is built');
    const servers = [new Container(chain, 'data', 'serve'), new Container(chain, 'data', 'serve')];
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
    const [base, index, ...more] = readdirSync(chain.path('data/stores'));
    assert.match(base!, /^base-/);
    assert.deepEqual([index, ...more], [generation]);
  });

  test('the next night removes the unfinished index of a killed server, not that of a running one', async () => {
    const making = chain.path('data/stores/.unfinished-wallet-index-0a1b2c3d-h540');
    mkdirSync(making);
    const release = await takeLock(chain.path('data'), 'wallet-index', 'it is built');
    const night = new Container(chain, 'data', 'nightly');
    while (night.error === '') await wait(20);
    assert.match(
      night.error,
      /^hubledger: another process builds a wallet index, waiting for it: process \d+ [^\n]+\n$/,
    );
    release();
    assert.equal(await night.ended, 0);
    assert.ok(existsSync(making));
    assert.equal(await new Container(chain, 'data', 'nightly').ended, 0);
    assert.equal(existsSync(making), false);
    assert.equal(readFileSync(chain.path('data/CURRENT'), 'utf8').trim(), generation);
  });
});
