/** ETags of an account's own things: a program that keeps an answer is not sent it again until it has changed. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { OPERATORS, sharedServer, WALLETS } from '../../harness.js';
import { posting, signedIn } from '../../people/accounts/signed-in.js';

const SAVED_DECISIONS = `/api/tax/v1/saved-decisions?address=${WALLETS.light}`;
const webhook = { url: 'https://ops.example/', events: ['release.published'] };
const submission = {
  kind: 'validator_jurisdiction',
  contract_address: OPERATORS.alpha,
  note: 'Country DE: https://example.com/imprint names the seat in Berlin.',
};
const decisions = { decisions: { '*': { mode: 'exclude' } } };

/** Each list, with a request that changes it. */
const LISTS: readonly (readonly [path: string, method: string, at: string, body: object])[] = [
  ['/api/account/v1/keys', 'POST', '', { name: 'key', scopes: ['tax:read'] }],
  ['/api/upgrades/v1/webhooks', 'POST', '', webhook],
  ['/api/tax/v1/wasm/submissions', 'POST', '', submission],
  [SAVED_DECISIONS, 'PUT', '', decisions],
  ['/api/account/v1/saved', 'DELETE', '', {}],
  ['/api/account/v1/sessions', 'POST', '/end-others', {}],
];

describe('own lists', () => {
  const server = sharedServer();
  let headers: Record<string, string>;
  before(async () => {
    headers = await signedIn(server, 'alice');
    await signedIn(server, 'alice');
  });

  for (const [path, method, at, body] of LISTS) {
    test(`${path} is sent once, and again when it has changed`, async () => {
      const ask = (etag = '') => server.ask(path, { headers: { ...headers, 'if-none-match': etag } });
      const first = await ask();
      const etag = first.headers.get('etag')!;
      assert.match(etag, path === SAVED_DECISIONS ? /^"[0-9a-f]{32}"$/ : /^W\/"[0-9a-f]{8}\.[0-9a-f]{16}"$/);
      const again = await ask(etag);
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
      for (const answer of [first, again]) assert.equal(answer.headers.get('cache-control'), 'private, no-store');
      const head = await server.ask(path, { method: 'HEAD', headers: { ...headers, 'if-none-match': etag } });
      assert.equal(head.status, 304);
      const changed = await server.ask(path + at, { ...posting(body, headers), method });
      assert.ok(changed.status < 300, changed.text);
      assert.equal(changed.headers.get('etag'), null, 'a change has none');
      const anew = await ask(etag);
      assert.equal(anew.status, 200);
      assert.notEqual(anew.headers.get('etag'), etag);
      assert.notEqual(anew.text, first.text);
    });
  }

  test('nobody else is told that nothing has changed', async () => {
    const { headers: of } = await server.ask('/api/account/v1/keys', { headers });
    const etag = of.get('etag')!;
    const bob = await signedIn(server, 'bob');
    const other = await server.ask('/api/account/v1/keys', { headers: { ...bob, 'if-none-match': etag } });
    assert.deepEqual([other.status, other.json().keys], [200, []]);
    assert.equal((await server.ask('/api/account/v1/keys', { headers: { 'if-none-match': etag } })).status, 401);
  });
});
