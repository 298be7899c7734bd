/** Signed manifests: what signing leaves as it is, where signatures travel, and what followers with a key refuse. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { currentGeneration, generationDir, manifestFile, SIGNATURE } from '../../pipeline/publish/generation.js';
import { isSignedBy, publicKeyOf, readSignature, signManifest } from '../../pipeline/publish/signature.js';
import { NightCase } from '../pipeline/night-case.js';
import { startServer } from '../server/harness.js';
import { until } from '../until.js';

const newKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [key, otherKey] = [newKey(), newKey()];
const [publicKey, otherPublicKey] = [publicKeyOf(key), publicKeyOf(otherKey)];

const chain = new NightCase();
after(() => chain.remove());
let generation = '';

const folderOf = (dataDir: string) => generationDir(chain.path(dataDir), generation);

async function night(dataDir: string, variables: Record<string, string> = {}): Promise<void> {
  chain.variables = variables;
  ({ generation } = await chain.night(dataDir));
  chain.variables = {};
}

async function serve(t: TestContext, dataDir: string, variables: Record<string, string> = {}) {
  const environment = { HUBLEDGER_DATA_DIR: chain.path(dataDir), ...variables };
  const server = await startServer({ published: false, environment });
  await server.datasets.refresh();
  t.after(() => server.close());
  return server;
}

async function command(dataDir: string, variables: Record<string, string>, ...words: string[]) {
  chain.variables = variables;
  const ended = await chain.command(dataDir, ...words);
  chain.variables = {};
  return ended;
}

before(async () => {
  await night('unsigned');
  const before = generation;
  cpSync(chain.path('unsigned'), chain.path('signed'), { recursive: true });
  await night('signed', { HUBLEDGER_SIGNING_KEY: key });
  assert.equal(generation, before);
});

test('a night signs the manifest as it is, also when nothing is new', () => {
  const text = readFileSync(manifestFile(folderOf('signed')), 'utf8');
  assert.equal(text, readFileSync(manifestFile(folderOf('unsigned')), 'utf8'));
  assert.equal(readSignature(folderOf('unsigned')), undefined);
  const signature = readSignature(folderOf('signed'))!;
  assert.match(signature, /^[A-Za-z0-9+/]{86}==\n$/);
  assert.ok(isSignedBy([otherPublicKey, publicKey], text, signature));
  assert.ok(!isSignedBy([otherPublicKey], text, signature));
  assert.ok(!isSignedBy([publicKey], `${text} `, signature));
  assert.ok(!isSignedBy([publicKey], text, signature.slice(4)));
  signManifest(folderOf('signed'), key);
  assert.equal(readSignature(folderOf('signed')), signature);
});

test('a server passes signatures on, also one that follows without a key', async (t) => {
  const server = await serve(t, 'signed');
  const between = await serve(t, 'between', { HUBLEDGER_FOLLOW_URL: server.base });
  await until(async () => (await between.ask('/readyz')).status === 200, 'follows');
  const signature = readSignature(folderOf('signed'))!;
  for (const one of [server, between]) {
    const answer = await fetch(`${one.base}/datasets/cosmoshub/${generation}/${SIGNATURE}`);
    assert.deepEqual([answer.status, await answer.text()], [200, signature]);
    assert.match(answer.headers.get('content-type')!, /^text\/plain/);
    assert.doesNotMatch(answer.headers.get('cache-control')!, /immutable/);
  }
  const last = await command('last', { HUBLEDGER_FOLLOW_KEY: publicKey }, 'pull', between.base);
  assert.deepEqual([last.code, last.error], [0, '']);
  assert.equal(readSignature(folderOf('last')), signature);
});

test('a follower with a key refuses what is unsigned, wrongly signed or signed for other bytes, and then follows', async (t) => {
  cpSync(chain.path('unsigned'), chain.path('source'), { recursive: true });
  const server = await serve(t, 'source');
  const follower = await serve(t, 'follower', { HUBLEDGER_FOLLOW_URL: server.base, HUBLEDGER_FOLLOW_KEY: publicKey });
  const errorOf = async () => (await follower.ask('/readyz')).json().detail ?? '';
  const advice = /: check the URL, that key, and HUBLEDGER_SIGNING_KEY of its nightly runs$/;
  const refused = async (fault: RegExp) => {
    await until(async () => fault.test(await errorOf()), String(fault));
    assert.match(await errorOf(), advice);
    const pulled = await command('pulled', { HUBLEDGER_FOLLOW_KEY: publicKey }, 'pull', server.base);
    assert.equal(pulled.code, 1);
    assert.match(pulled.error, /^hubledger: [^\n]+\n$/);
    assert.match(pulled.error, fault);
    for (const dataDir of ['follower', 'pulled']) assert.equal(existsSync(folderOf(dataDir)), false);
  };
  await refused(/ is not signed:/);
  signManifest(folderOf('source'), otherKey);
  await refused(/ is not signed by a key of HUBLEDGER_FOLLOW_KEY:/);
  const other = chain.path('other-bytes');
  mkdirSync(other);
  writeFileSync(manifestFile(other), '{}');
  signManifest(other, key);
  cpSync(join(other, SIGNATURE), join(folderOf('source'), SIGNATURE));
  await refused(/ is not signed by a key of HUBLEDGER_FOLLOW_KEY:/);
  signManifest(folderOf('source'), key);
  await until(() => currentGeneration(chain.path('follower')) === generation, 'the signed generation');
});

test('a key that is set later counts for the generation that is there already', async (t) => {
  cpSync(chain.path('unsigned'), chain.path('later-source'), { recursive: true });
  const server = await serve(t, 'later-source');
  const pull = (variables: Record<string, string>) => command('later', variables, 'pull', server.base);
  assert.equal((await pull({})).code, 0);
  assert.match((await pull({ HUBLEDGER_FOLLOW_KEY: publicKey })).error, / is not signed:/);
  signManifest(folderOf('later-source'), otherKey);
  const both = `${publicKey}${otherPublicKey}`;
  assert.equal((await pull({ HUBLEDGER_FOLLOW_KEY: both })).code, 0);
  assert.equal(readSignature(folderOf('later')), readSignature(folderOf('later-source')));
});

test('an object store carries the signature, and a server with a key takes no other generation from it', async (t) => {
  mkdirSync(chain.path('store'));
  const variables = { HUBLEDGER_STORE_URL: pathToFileURL(chain.path('store')).href };
  await night('publisher', { ...variables, HUBLEDGER_SIGNING_KEY: key });
  const stored = chain.path('store/generations', generation, SIGNATURE);
  const signature = readSignature(folderOf('publisher'))!;
  assert.equal(readFileSync(stored, 'utf8'), signature);
  rmSync(stored);
  const server = await serve(t, 'of-store', { ...variables, HUBLEDGER_FOLLOW_KEY: publicKey });
  await until(async () => / is not signed:/.test((await server.ask('/readyz')).json().detail ?? ''), 'refused');
  await night('publisher', { ...variables, HUBLEDGER_SIGNING_KEY: key });
  await until(() => currentGeneration(chain.path('of-store')) === generation, 'taken');
  assert.equal(readSignature(folderOf('of-store')), signature);
  await night('second-coordinator', variables);
  assert.equal(readSignature(folderOf('second-coordinator')), signature);
});

test('verify checks the signature if a key is set', async () => {
  const signatureLine = (out: string) => out.split('\n').find((line) => line.includes('signature'));
  for (const [dataDir, variables, code, line] of [
    ['signed', {}, 0, undefined],
    ['signed', { HUBLEDGER_FOLLOW_KEY: publicKey }, 0, 'ok   signature: fits the manifest'],
    ['signed', { HUBLEDGER_SIGNING_KEY: key }, 0, 'ok   signature: fits the manifest'],
    ['signed', { HUBLEDGER_FOLLOW_KEY: otherPublicKey }, 3, `FAIL signature: ${SIGNATURE} is missing or fits no key`],
    ['unsigned', { HUBLEDGER_FOLLOW_KEY: publicKey }, 3, `FAIL signature: ${SIGNATURE} is missing or fits no key`],
  ] as const) {
    const ended = await command(dataDir, variables, 'verify');
    assert.deepEqual([ended.code, signatureLine(ended.out)], [code, line], ended.error);
  }
});
