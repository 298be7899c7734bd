/**
 * Two servers in containers and commands share one PostgreSQL and one data folder: every process sees what another has acknowledged, also
 * after a kill. `node dist/test/scripts/shared-store.test.js --full` runs more rounds.
 */
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { posting, Seeded, signedIn } from '../attack/visitor.js';
import { NightCase } from '../pipeline/night-case.js';
import { programs } from '../requirements.js';
import { type PostgresServer, startPostgres } from '../server/people/store/postgres-server.js';
import { WALLETS } from '../server/published.js';
import { canStartApart } from './apart.js';
import { Container, killContainers } from './container.js';

const isFull = process.argv.includes('--full');
/** Accounts per server, and keys per account; the limit is fifty. */
const ACCOUNTS = isFull ? 3 : 1;
const KEYS = 40;
const ROUNDS = isFull ? 20 : 2;
const READERS = 4;

const origin = 'http://localhost';
const random = new Seeded(1);
const chain = new NightCase();
afterEach(killContainers);
after(() => chain.remove());

interface Serving {
  readonly server: Container;
  readonly base: string;
}

async function serve(): Promise<Serving> {
  const server = new Container(chain, 'data', 'serve');
  return { server, base: await server.base() };
}

/** Creates keys for new accounts until the server ends. @returns the acknowledged keys */
async function makeKeys({ base }: Serving, accounts: number): Promise<string[]> {
  const keys: string[] = [];
  try {
    for (let i = 0; i < accounts; i++) {
      const headers = await signedIn({ base, origin }, random);
      for (let n = 0; n < KEYS; n++) {
        const made = await fetch(
          `${base}/api/account/v1/keys`,
          posting({ name: `${n}`, scopes: ['tax:read'] }, headers),
        );
        const { key } = (await made.json()) as { key: string };
        assert.equal(made.status, 201);
        keys.push(key);
      }
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error; // else the connection is lost
  }
  return keys;
}

/** Reads public data until stopped. @returns statuses other than 200 */
function readUntil(base: string, isOver: () => boolean): Promise<number[][]> {
  const read = async () => {
    const odd: number[] = [];
    while (!isOver()) {
      const { status, body } = await fetch(`${base}/api/tax/v1/events?address=${WALLETS.short}`);
      await body?.cancel();
      if (status !== 200) odd.push(status);
    }
    return odd;
  };
  return Promise.all(Array.from({ length: READERS }, read));
}

/** Uses every key at a server, again while it has no database. @returns statuses other than 200 */
async function refusals({ base }: Serving, keys: readonly string[]): Promise<number[]> {
  const refused: number[] = [];
  for (const key of keys) {
    let status = 503;
    for (let i = 0; status === 503; i++) {
      assert.ok(i < 300, 'the database does not come back');
      const answer = await fetch(`${base}/api/account/v1/me`, { headers: { authorization: `Bearer ${key}` } });
      await answer.body?.cancel();
      status = answer.status;
      if (status === 503) await wait(200);
    }
    if (status !== 200) refused.push(status);
  }
  return refused;
}

for (const folder of canStartApart ? programs('postgres') : []) {
  describe('two servers on one PostgreSQL', () => {
    let postgres: PostgresServer;
    after(() => postgres.stop());

    test('share a folder and every key, with the command line beside', async () => {
      postgres = await startPostgres(folder);
      await chain.published('data');
      chain.variables = {
        HUBLEDGER_DATABASE_URL: postgres.url,
        HUBLEDGER_BASE_URL: origin,
        HUBLEDGER_RATE_LIMIT: '0',
      };
      const servers = await Promise.all([serve(), serve()]);
      let isOver = false;
      const reading = servers.map(({ base }) => readUntil(base, () => isOver));
      const making = servers.map((serving) => makeKeys(serving, ACCOUNTS));
      const command = new Container(chain, 'data', 'keys', 'create', '--account', 'carol', '--scopes', 'tax:read');
      assert.equal(await command.ended, 0, command.error);
      const keys = (await Promise.all(making)).flat();
      isOver = true;
      assert.deepEqual((await Promise.all(reading)).flat(2), []);
      assert.equal(keys.length, servers.length * ACCOUNTS * KEYS);
      keys.push(/hl_[\w-]+/.exec(command.out)![0]);
      for (const serving of servers) assert.deepEqual(await refusals(serving, keys), []);
      for (const { server } of servers) assert.equal(server.error, '');
    });

    test('lose no acknowledged key when one or the other is killed', async () => {
      const servers = await Promise.all([serve(), serve()]);
      const keys: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const making = servers.map((serving) => makeKeys(serving, 1));
        const victim = round % 2;
        const killed = wait(50 + random.below(400)).then(() => servers[victim]!.server.kill());
        keys.push(...(await Promise.all(making)).flat());
        await killed;
        servers[victim] = await serve();
        for (const serving of servers) assert.deepEqual(await refusals(serving, keys), [], `round ${round}`);
      }
      assert.ok(keys.length >= ROUNDS * KEYS);
    });
  });
}
