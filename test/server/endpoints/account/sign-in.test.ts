import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { addAccount, makeLink } from '../../../../server/people/accounts/accounts.js';
import { redeemChallenge } from '../../../../server/people/accounts/wallet-sign-in.js';
import { requireFaults, sharedServer, type TestAnswer } from '../../harness.js';
import { NOW, OWN_ORIGIN, posting } from '../../people/accounts/signed-in.js';
import { makeWallet, type TestWallet } from '../../people/accounts/wallet.js';
import { onBothStores } from '../../people/store/stores.js';

const path = '/api/account/v1/sign-in';
const me = '/api/account/v1/me';

/** The cookie that an answer sets, as a browser sends it back. */
const cookieOf = (answer: TestAnswer) => ({ cookie: answer.headers.get('set-cookie')!.split(';')[0]! });

onBothStores('signing in', (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  let wallet: TestWallet;
  before(async () => {
    wallet = await makeWallet();
  });

  const ask = async (address = wallet.address) => {
    const answer = await server.ask(`${path}/challenge`, posting({ address }));
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as { challenge: string; expires_at: string };
  };
  const attempt = (body: object) => server.ask(path, posting(body));
  const signed = async (challenge: string, by = wallet) => ({
    address: by.address,
    challenge,
    ...(await by.sign(challenge)),
  });
  const isRefused = (answer: TestAnswer, why: string) => {
    assert.deepEqual([answer.status, answer.json().code], [401, 'unauthorized'], why);
    assert.equal(answer.headers.get('set-cookie'), null);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="api"');
  };

  test('a challenge names the site, the account and a nonce of its own', async () => {
    const [one, two] = [await ask(), await ask()];
    assert.equal(one.expires_at, '2026-06-01T00:05:00.000Z');
    assert.match(one.challenge, /^tax\.example wants you to sign in/);
    assert.ok(
      one.challenge.includes(`\n${wallet.address}\n`) && one.challenge.includes('\nURI: https://tax.example\n'),
    );
    assert.notEqual(one.challenge, two.challenge);
  });

  test('who signs it is signed in, and is the same account every time', async () => {
    const first = await attempt(await signed((await ask()).challenge));
    assert.equal(first.status, 200, first.text);
    assert.match(
      first.headers.get('set-cookie') ?? '',
      /^__Secure-hubledger\.session-token=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.deepEqual(first.json().identities, [{ provider: 'cosmos', subject: wallet.address }]);
    const again = await attempt(await signed((await ask(wallet.address.toUpperCase())).challenge));
    assert.equal(again.json().id, first.json().id);
    const mine = await server.ask(me, { headers: cookieOf(first) });
    assert.deepEqual(mine.json(), first.json());
  });

  test('many first sign-ins at once make one account', async () => {
    const fresh = await makeWallet();
    const bodies = [];
    for (let i = 0; i < 5; i++) bodies.push(await signed((await ask(fresh.address)).challenge, fresh));
    const answers = await Promise.all(bodies.map((body) => attempt(body)));
    assert.equal(new Set(answers.map((answer) => answer.json().id)).size, 1);
  });

  test('a challenge is of use once, also to two at the same time', async () => {
    const body = await signed((await ask()).challenge);
    const statuses = (await Promise.all([attempt(body), attempt(body)])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 401]);
    isRefused(await attempt(body), 'replayed');
    const spoilt = (await ask()).challenge;
    isRefused(await attempt({ ...(await signed(spoilt)), ...(await wallet.sign('other')) }), 'wrong signature');
    isRefused(await attempt(await signed(spoilt)), 'tried before');
  });

  test('a text that this site did not give is refused: other nonce, other site, altered, other account', async () => {
    const { challenge } = await ask();
    const changes: [string, (text: string) => string][] = [
      ['nonce', (text) => text.replace(/Nonce: ./, 'Nonce: ~')],
      ['site', (text) => text.replaceAll('tax.example', 'evil.example')],
      ['expiry', (text) => text.replace(/00:05:00/, '23:05:00')],
      ['end', (text) => `${text}\n`],
      ['nothing of it', () => 'sign me in'],
    ];
    for (const [what, change] of changes) isRefused(await attempt(await signed(change(challenge))), what);
    const stranger = await makeWallet();
    const theirs = await signed(challenge, stranger);
    isRefused(await attempt(theirs), "another account's challenge");
    isRefused(
      await attempt({ ...(await signed((await ask()).challenge)), ...theirs, address: wallet.address }),
      'foreign key',
    );
  });

  test('a challenge is of no use to another site on the same store, nor after five minutes', async () => {
    const redeem = async (baseUrl: string, seconds: number) => {
      const { challenge: text, pub_key: publicKey, signature } = await signed((await ask()).challenge);
      const now = new Date(NOW.getTime() + seconds * 1000);
      return redeemChallenge(server.store, { address: wallet.address, text, publicKey, signature }, baseUrl, now);
    };
    assert.equal(await redeem(OWN_ORIGIN, 299), true);
    assert.equal(await redeem(OWN_ORIGIN, 300), false);
    assert.equal(await redeem('https://other.example', 0), false);
  });

  test('what is malformed is told by its member', async () => {
    const good = await signed((await ask()).challenge);
    const cases: [object, string][] = [
      [{ ...good, address: 'cosmos1wrong' }, 'address'],
      [{ ...good, address: (await makeWallet('osmo')).address }, 'address'],
      [{ ...good, pub_key: 'AAAA' }, 'pub_key'],
      [{ ...good, signature: `${good.signature}A` }, 'signature'],
      [{ ...good, challenge: 7 }, 'challenge'],
    ];
    for (const [body, member] of cases) {
      requireFaults(await attempt(body), 422, [member]);
    }
    assert.equal((await server.ask(`${path}/challenge`, posting({ address: '' }))).status, 422);
    assert.equal((await attempt(good)).status, 200);
  });

  test('signing out ends the session and takes the cookie away', async () => {
    const cookie = cookieOf(await attempt(await signed((await ask()).challenge)));
    const signOut = (headers: Record<string, string>) =>
      server.ask('/api/account/v1/sign-out', { method: 'POST', headers });
    assert.equal((await signOut(cookie)).json().code, 'forbidden');
    const out = await signOut({ ...cookie, origin: OWN_ORIGIN });
    assert.equal(out.status, 204);
    assert.match(out.headers.get('set-cookie') ?? '', /^__Secure-hubledger\.session-token=; Max-Age=0; Path=\/; /);
    assert.equal((await server.ask(me, { headers: cookie })).status, 401);
  });

  test('pages of other sites cannot sign a visitor in', async () => {
    const body = await signed((await ask()).challenge);
    const foreign = await server.ask(path, posting(body, { origin: 'https://evil.example' }));
    assert.deepEqual([foreign.status, foreign.json().code], [403, 'forbidden']);
    assert.equal(foreign.headers.get('access-control-allow-origin'), null);
    assert.equal((await server.ask(path, posting(body, { origin: OWN_ORIGIN }))).status, 200);
  });

  test('a link signs in once and is never logged', async () => {
    const path = `/api/account/v1/link/${await makeLink(server.store, await addAccount(server.store, NOW), NOW)}`;
    const opened = await server.ask(path, { method: 'POST', headers: { origin: OWN_ORIGIN } });
    assert.deepEqual([opened.status, opened.headers.get('location')], [303, 'https://tax.example/account#signed-in']);
    assert.deepEqual((await server.ask(me, { headers: cookieOf(opened) })).json().identities, []);
    isRefused(await server.ask(path, { method: 'POST' }), 'used');
    isRefused(await server.ask(`/api/account/v1/link/${'A'.repeat(43)}`, { method: 'POST' }), 'unknown');
    assert.ok(!JSON.stringify(server.log).includes(path));
  });

  test('the page of what is no whole link is not found', async () => {
    for (const token of ['A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}.`, 'x']) {
      const answer = await server.ask(`/api/account/v1/link/${token}`);
      assert.deepEqual([answer.status, answer.json().code], [404, 'not_found'], token);
    }
  });

  test('who only looks at a link, or sends another site’s visitor there, does not spend it', async () => {
    const path = `/api/account/v1/link/${await makeLink(server.store, await addAccount(server.store, NOW), NOW)}`;
    for (const method of ['HEAD', 'GET', 'HEAD', 'GET']) {
      const { status, headers, text } = await server.ask(path, { method });
      assert.deepEqual([status, headers.get('set-cookie'), headers.get('cache-control')], [200, null, 'no-store']);
      assert.equal(text.includes('<form method="post"><button'), method === 'GET');
    }
    for (const origin of ['https://evil.example', 'null']) {
      const foreign = await server.ask(path, { method: 'POST', headers: { origin } });
      assert.deepEqual([foreign.status, foreign.headers.get('set-cookie')], [403, null]);
    }
    assert.equal((await server.ask(path, { method: 'POST', headers: { origin: OWN_ORIGIN } })).status, 303);
  });

  test('a link is over after a day', async () => {
    const old = new Date(NOW.getTime() - 24 * 3_600_000);
    const token = await makeLink(server.store, await addAccount(server.store, old), old);
    isRefused(await server.ask(`/api/account/v1/link/${token}`, { method: 'POST' }), 'a day old');
  });
});
