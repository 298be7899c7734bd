/** Saved entries that two devices change: who names the entry that it knew replaces no other one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer, WALLETS } from '../../harness.js';
import { posting, signedIn } from '../../people/accounts/signed-in.js';
import { onBothStores } from '../../people/store/stores.js';

const lot = (denom: string) => ({ denom, quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' });

/** Each kind with two contents of it, as two devices send them. */
const KINDS = [
  ['decisions', { '*': { mode: 'exclude' } }, { '*:suspected_spam': { mode: 'exclude' } }],
  ['opening-lots', [lot('uatom')], [lot('uosmo')]],
] as const;

onBothStores('If-Match', (variables) => {
  let server: TestServer;
  let alice: Record<string, string>;
  before(async () => {
    const { HUBLEDGER_DATABASE_URL } = variables();
    server = await startServer({ published: false, environment: { HUBLEDGER_DATABASE_URL } });
    alice = await signedIn(server, 'alice');
  });
  after(() => server.close());

  for (const [kind, one, other] of KINDS) {
    const path = `/api/tax/v1/saved-${kind}?address=${WALLETS.light}`;
    const member = kind.replace('-', '_');
    const put = (content: unknown, headers: Record<string, string> = {}) =>
      server.ask(path, { ...posting({ [member]: content }, { ...alice, ...headers }), method: 'PUT' });
    const get = (headers: Record<string, string> = {}) => server.ask(path, { headers: { ...alice, ...headers } });
    const forget = (headers: Record<string, string> = {}) =>
      server.ask(path, { method: 'DELETE', headers: { ...alice, ...headers } });
    const saved = async () => (await get()).json()[member];

    test(`${kind}: an entry that was changed since it was read is not replaced or forgotten`, async () => {
      const known = (await get()).headers.get('etag')!;
      const first = await put(one, { 'if-match': known });
      assert.equal(first.status, 200, first.text);
      for (const change of [
        put(other, { 'if-match': known }),
        put({ decisions: {}, 'opening-lots': [] }[kind], { 'if-match': known }),
        forget({ 'if-match': known }),
      ]) {
        const late = await change;
        assert.deepEqual([late.status, late.json().code], [412, 'precondition_failed']);
      }
      assert.deepEqual(await saved(), one);
      for (const weak of [`W/${first.json().etag}`, first.json().etag.slice(1, -1), '']) {
        assert.equal((await put(other, { 'if-match': weak })).status, 412, weak);
      }
      const named = await put(other, { 'if-match': `"another", ${first.json().etag}` });
      assert.deepEqual([named.status, await saved()], [200, other]);
      assert.equal((await forget({ 'if-match': named.json().etag })).status, 204);
      assert.equal((await get()).headers.get('etag'), known, 'as before anything was saved');
    });

    test(`${kind}: without If-Match, and with any entry meant, the later one counts`, async () => {
      for (const headers of [{}, { 'if-match': '*' }] as const) {
        for (const content of [one, other]) assert.equal((await put(content, headers)).status, 200);
        assert.deepEqual(await saved(), other);
        assert.equal((await forget(headers)).status, 204);
      }
    });

    test(`${kind}: of two that come at once with the same ETag one is carried out`, async () => {
      const known = { 'if-match': (await get()).headers.get('etag')! };
      const answers = await Promise.all([put(one, known), put(other, known)]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
      const [winner] = answers.filter(({ status }) => status === 200);
      assert.deepEqual(await saved(), winner!.json()[member]);
      await forget();
    });

    test(`${kind}: the ETag is that of one coding, however long the entry is`, async () => {
      const long = Array.from({ length: 60 }, (_, n) => [`*:${n}`.padEnd(40, 'x'), { mode: 'exclude' }]);
      const content = kind === 'decisions' ? Object.fromEntries(long) : Array.from({ length: 60 }, () => lot('uatom'));
      await put(content);
      const answer = await get({ 'accept-encoding': 'gzip' });
      assert.deepEqual(
        [answer.headers.get('content-encoding'), answer.headers.get('etag')],
        [null, answer.json().etag],
      );
      await forget();
    });
  }
});
