/** An account that is deleted, and accounts that nobody uses: what is left of them in the tables of the database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../../../pipeline/config.js';
import { once } from '../../../../server/api/idempotency.js';
import {
  addAccount,
  ensureAccount,
  ensureNamedAccount,
  makeLink,
  removeAccount,
} from '../../../../server/people/accounts/accounts.js';
import { createKey, revokeKey } from '../../../../server/people/accounts/keys.js';
import { checkSession, closeSessions, openSession } from '../../../../server/people/accounts/sessions.js';
import { makeChallenge } from '../../../../server/people/accounts/wallet-sign-in.js';
import { savedDecisions, savedOpeningLots } from '../../../../server/people/saved-entries.js';
import { openEmbedded } from '../../../../server/people/store/embedded.js';
import { openPostgres } from '../../../../server/people/store/postgres.js';
import { deleteExpiredRows, Store } from '../../../../server/people/store/store.js';
import { addWebhook, testWebhook } from '../../../../server/people/webhooks/webhooks.js';
import { WALLETS } from '../../harness.js';
import { NOW } from '../accounts/signed-in.js';
import { onBothStores, type StoreVariables } from './stores.js';

const DAY_MS = 86_400_000;
const { light } = WALLETS;

/** Tables of which nothing is an account's, nor anybody's who is known. */
const NOBODYS = ['announcements', 'disclosures', 'oidc_visits', 'scheduled_jobs', 'schema_migrations', 'widget_keys'];

/** Reads every table as it lies in the database. @returns its rows as text, by its name */
async function readTables({ HUBLEDGER_DATABASE_URL: url, HUBLEDGER_DATA_DIR: dataDir }: StoreVariables) {
  const backend = url ? openPostgres(url) : await openEmbedded(dataDir, () => undefined);
  const session = await backend.acquire();
  const tables = await session.run("select tablename as name from pg_tables where schemaname = 'public'", []);
  const rows = new Map<string, string>();
  for (const { name } of tables) {
    const found = await session.run(`select one::text as text from ${name} one order by 1`, []);
    rows.set(String(name), found.map(({ text }) => text).join('\n'));
  }
  session.release();
  await backend.close();
  return rows;
}

onBothStores('forgetting', (variables) => {
  let store: Store;
  const open = () => {
    store = new Store(readConfig({ ...variables() }));
  };
  before(open);
  after(() => store.close());

  /** Reads the tables while the store is closed: the embedded one is open once. */
  const readAll = async () => {
    await store.close();
    const tables = await readTables(variables());
    open();
    return tables;
  };
  const submission = (account: string) => ({
    ...{ id: '6f1c9a52-7d0f-4c39-9d0b-0f6f3b0b5a51', account, kind: 'contract_label', address: 'cosmos1contract' },
    ...{ note: 'https://dex.example says so', now: NOW, max: 20 },
  });
  const saveAll = async (account: string) => {
    await savedDecisions.replace(store, { account, address: light }, { '*': { mode: 'exclude' } }, NOW);
    const lot = { denom: 'uatom', quantity: '1', acquired_date: '2024-03-01', cost_basis_usd: '1.00' };
    await savedOpeningLots.replace(store, { account, address: light }, [lot], NOW);
  };

  test('of a deleted account no row is left in any table', async () => {
    await store.open();
    const empty = await readAll();
    const account = await ensureAccount(store, 'cosmos', light, NOW);
    await openSession(store, account, NOW);
    await createKey(store, { account, name: 'key', scopes: ['tax:read'], expires: undefined }, NOW);
    await makeLink(store, account, NOW);
    await makeChallenge(store, light, 'https://tax.example', NOW);
    await store.query('submissions/add', submission(account));
    await saveAll(account);
    const { id } = await addWebhook(store, account, { url: 'https://ops.example/', events: ['webhook.test'] }, NOW);
    await testWebhook(store, { account, id }, NOW);
    await once(store, { account, endpoint: 'POST /', key: 'k', body: Buffer.alloc(0) }, NOW, async () => 'answer');
    const full = await readAll();
    const changed = [...full.keys()].filter((name) => full.get(name) !== empty.get(name));
    const others = [...full.keys()].filter((name) => !NOBODYS.includes(name));
    assert.deepEqual(changed.sort(), others.sort(), 'the account has a row in each table that can have one');
    await removeAccount(store, account);
    assert.deepEqual(await readAll(), empty);
  });

  /** Whether accounts are still there ninety days and some after an instant. */
  const survivors = async (accounts: readonly string[], days: number) => {
    await deleteExpiredRows(store, new Date(NOW.getTime() + days * DAY_MS));
    const found = await Promise.all(accounts.map((id) => store.query('accounts/find', { id })));
    return found.map((rows) => rows.length > 0);
  };

  test('an account that owns nothing is forgotten ninety days after its last use, and no sooner', async () => {
    const [idle, used, named] = [
      await addAccount(store, NOW),
      await addAccount(store, NOW),
      await ensureNamedAccount(store, 'idle', NOW),
    ];
    const later = new Date(NOW.getTime() + 20 * DAY_MS);
    const token = await openSession(store, used, NOW);
    assert.ok(await checkSession(store, token, later));
    await closeSessions(store, used);
    const all = [idle, used, named];
    assert.deepEqual(await survivors(all, 89), [true, true, true]);
    assert.deepEqual(await survivors(all, 91), [false, true, false]);
    assert.deepEqual(await survivors(all, 111), [false, false, false]);
  });

  test('an account that owns anything stays', async () => {
    const add = () => addAccount(store, NOW);
    const [keyed, hooked, proposing, saving, revoked, expired, empty] = await Promise.all(
      Array.from({ length: 7 }, add),
    );
    const key = (account: string, expires?: Date) =>
      createKey(store, { account, name: 'key', scopes: ['tax:read'], expires }, NOW);
    await key(keyed!);
    await addWebhook(store, hooked!, { url: 'https://ops.example/', events: ['webhook.test'] }, NOW);
    await store.query('submissions/add', submission(proposing!));
    await saveAll(saving!);
    const { id } = await key(revoked!);
    await revokeKey(store, revoked!, id, new Date(NOW.getTime() + 30 * DAY_MS));
    await key(expired!, new Date(NOW.getTime() + 30 * DAY_MS));
    await savedDecisions.replace(store, { account: empty!, address: light }, {}, NOW);
    const all = [keyed!, hooked!, proposing!, saving!, revoked!, expired!, empty!];
    assert.deepEqual(await survivors(all, 100), [true, true, true, true, true, true, false]);
    assert.deepEqual(await survivors(all, 121), [true, true, true, true, false, false, false]);
    assert.deepEqual(await survivors([keyed!], 4000), [true], 'a key in force is used by a program');
  });
});
