import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigError } from '../../../../pipeline/base/config-error.js';
import { readConfig } from '../../../../pipeline/config.js';
import { startServer, type TestAnswer, type TestServer } from '../../harness.js';
import { CLIENT, type RunningProvider, signInAt, startProvider } from '../../people/accounts/openid-provider.js';

const callback = '/api/account/v1/oidc/callback';
const me = '/api/account/v1/me';

const variables = (issuer: string, secret = CLIENT.secret) => ({
  HUBLEDGER_OIDC_ISSUER: issuer,
  HUBLEDGER_OIDC_CLIENT_ID: CLIENT.id,
  HUBLEDGER_OIDC_CLIENT_SECRET: secret,
});

let provider: RunningProvider;
let server: TestServer;
before(async () => {
  provider = await startProvider(`https://tax.example${callback}`);
  server = await startServer({ environment: variables(provider.issuer) });
});
after(async () => {
  await provider.stop();
  await server.close();
});

/** The cookies that an answer sets, as a browser sends them back. */
const cookiesOf = (answer: TestAnswer) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

const begin = async (at = server) => {
  const started = await at.ask('/api/account/v1/oidc/start');
  assert.equal(started.status, 303, started.text);
  return { location: started.headers.get('location')!, cookie: cookiesOf(started) };
};
const comeBack = (url: URL, cookie: string, at = server) => at.ask(callback + url.search, { headers: { cookie } });
const signIn = async (person: string) => {
  const { location, cookie } = await begin();
  return comeBack(await signInAt(location, person), cookie);
};
const isRefused = (answer: TestAnswer) => {
  assert.deepEqual([answer.status, answer.json().code], [401, 'unauthorized']);
  assert.equal(answer.headers.get('set-cookie'), null);
};

test('who signs in at the provider is signed in here, and is the same account every time', async () => {
  const back = await signIn('erin');
  assert.deepEqual(
    [back.status, back.headers.get('location')],
    [303, 'https://tax.example/account#signed-in'],
    back.text,
  );
  const account = (await server.ask(me, { headers: { cookie: cookiesOf(back) } })).json();
  assert.deepEqual(account.identities, [{ provider: provider.issuer, subject: 'erin' }]);
  const again = await server.ask(me, { headers: { cookie: cookiesOf(await signIn('erin')) } });
  assert.equal(again.json().id, account.id);
  const other = await server.ask(me, { headers: { cookie: cookiesOf(await signIn('frank')) } });
  assert.notEqual(other.json().id, account.id);
});

test('a visit asks with state, nonce and PKCE, and keeps its state in a cookie of its own', async () => {
  const { location, cookie } = await begin();
  const asked = new URL(location).searchParams;
  for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked.get(name) ?? '', /^[\w-]{43}$/, name);
  assert.equal(asked.get('code_challenge_method'), 'S256');
  assert.equal(cookie, `__Secure-hubledger.oidc-state=${asked.get('state')}`);
});

test('coming back twice, in another browser, or without having left is refused', async () => {
  const { location, cookie } = await begin();
  const url = await signInAt(location, 'erin');
  const other = await begin();
  isRefused(await comeBack(url, ''));
  isRefused(await comeBack(url, other.cookie));
  assert.equal((await comeBack(url, cookie)).status, 303);
  isRefused(await comeBack(url, cookie));
  isRefused(await server.ask(callback));
});

test("a code of another visit, and the provider's own refusal, sign nobody in", async () => {
  const [one, two] = [await begin(), await begin()];
  const stolen = await signInAt(one.location, 'erin');
  stolen.searchParams.set('state', two.cookie.split('=')[1]!);
  isRefused(await comeBack(stolen, two.cookie));
  const three = await begin();
  const state = three.cookie.split('=')[1]!;
  const denied = new URL(`https://tax.example${callback}?error=access_denied&state=${state}&iss=${provider.issuer}`);
  isRefused(await comeBack(denied, three.cookie));
});

test('a provider that is not there, or does not know us, is told apart', async (t) => {
  const nowhere = await startServer({ environment: variables('http://127.0.0.1:1') });
  t.after(() => nowhere.close());
  const answer = await nowhere.ask('/api/account/v1/oidc/start');
  assert.deepEqual([answer.status, answer.json().code], [502, 'upstream_error']);
  const stranger = await startServer({ environment: variables(provider.issuer, 'another-secret') });
  t.after(() => stranger.close());
  const { location, cookie } = await begin(stranger);
  isRefused(await comeBack(await signInAt(location, 'erin'), cookie, stranger));
});

test('without a provider there are no such paths; its variables belong together', async (t) => {
  const plain = await startServer();
  t.after(() => plain.close());
  assert.equal((await plain.ask('/api/account/v1/oidc/start')).json().code, 'route_not_found');
  assert.throws(() => readConfig({ HUBLEDGER_OIDC_ISSUER: provider.issuer }), ConfigError);
});

test('no code, state or secret is ever logged', async () => {
  const { location, cookie } = await begin();
  const url = await signInAt(location, 'erin');
  const back = await comeBack(url, cookie);
  const log = JSON.stringify(server.log);
  for (const secret of [
    url.searchParams.get('code')!,
    cookie.split('=')[1]!,
    cookiesOf(back).slice(40, 70),
    CLIENT.secret,
  ]) {
    assert.ok(!log.includes(secret));
  }
});
