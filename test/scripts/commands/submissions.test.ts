import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../../pipeline/config.js';
import { loadReference } from '../../../pipeline/reference.js';
import { submit } from '../../../server/endpoints/submissions.js';
import { addAccount } from '../../../server/people/accounts/accounts.js';
import { OPERATORS } from '../../server/harness.js';
import { LaidStore } from '../../server/people/store/made-store.js';
import { ServingProcess } from '../../server/processes/serving.js';
import { publish } from '../../server/published.js';
import { run, runBeside } from '../run-program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-submissions-'));
after(() => rmSync(dataDir, { recursive: true }));
const OPERATOR = OPERATORS.alpha;
const note = 'Italy \u202e\u009b31m, https://validator.example/imprint or https://good.example@evil.example/';

/** Submits a country for the operator. @returns the ids of the submissions */
async function propose(variables: Record<string, string>, times = 2): Promise<string[]> {
  const now = new Date('2026-06-01T12:30:00Z');
  const { chain } = loadReference();
  const store = new LaidStore(readConfig(variables));
  const account = await addAccount(store, now);
  const ids: string[] = [];
  for (let i = 0; i < times; i++) {
    const submission = { kind: 'validator_jurisdiction' as const, contract_address: OPERATOR, note };
    ids.push((await submit(store, submission, { account, chain, now })).id);
  }
  await store.close();
  return ids;
}

const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_NOW: '2026-06-01T12:30:00Z' };

test('beside a server with the embedded store, a review goes through the server and takes effect at once', async (t) => {
  const served = { HUBLEDGER_DATA_DIR: mkdtempSync(join(tmpdir(), 'hubledger-reviews-')) };
  t.after(() => rmSync(served.HUBLEDGER_DATA_DIR, { recursive: true }));
  await publish(served.HUBLEDGER_DATA_DIR);
  const ids = await propose(served);
  const serving = await ServingProcess.start(served);
  t.after(() => serving.process.kill('SIGKILL'));
  const submissions = (...words: string[]) => runBeside(['submissions', ...words], served);
  const country = async ({ base } = serving) => {
    const answer = await fetch(`${base}/api/tax/v1/validator-statement?validator=${OPERATOR}`);
    return ((await answer.json()) as { jurisdiction: string }).jurisdiction;
  };
  const listed = await submissions('list');
  assert.deepEqual([listed.error, listed.out.split('\n').length], ['', 3]);
  assert.equal(await country(), 'undisclosed');
  const accepted = await submissions('accept', ids[0]!);
  assert.deepEqual([accepted.code, accepted.error], [0, '']);
  assert.equal(await country(), 'IT', 'without a wait');
  assert.equal((await submissions('reject', ids[1]!)).out, `submission ${ids[1]} is rejected\n`);
  const again = await submissions('reject', ids[0]!);
  assert.deepEqual([again.code, again.error], [1, `hubledger: no submission ${ids[0]} is pending\n`]);
  assert.equal((await submissions('list')).out, '');

  const keys = (...words: string[]) => runBeside(['keys', ...words], served);
  const made = await keys('create', '--account', 'alice', '--scopes', 'tax:read', '--expires', '2999-01-01');
  assert.deepEqual([made.code, made.error], [0, '']);
  const key = made.out.trimEnd().split('\n').at(-1)!;
  const id = key.slice(3, 19);
  const account = async () => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${serving.base}/api/account/v1/keys`, { headers })).status;
  };
  const known = await account();
  assert.notEqual(known, 401, 'the server knows the key at once');
  assert.match((await keys('list')).out, new RegExp(`^${id}\talice\tcommand line\ttax:read\tin force\t`));
  const policy = async () => {
    const answer = await fetch(`${serving.base}/api/tax/v1/tags`, { headers: { Authorization: `Bearer ${key}` } });
    return answer.headers.get('ratelimit-policy');
  };
  assert.equal(await policy(), '"tax";q=60;w=60');
  const limited = await keys('limit', id, '7');
  assert.deepEqual([limited.code, limited.out], [0, `key ${id} has the limit: 7 requests a minute\n`]);
  assert.equal(await policy(), '"tax";q=7;w=60', 'at once');
  assert.equal((await keys('revoke', id)).out, `key ${id} is revoked\n`);
  assert.equal(await account(), 401, 'and refuses it at once');
  const unknown = await keys('revoke', '0'.repeat(16));
  assert.deepEqual([unknown.code, unknown.error], [1, `hubledger: no key with id ${'0'.repeat(16)}\n`]);
  const desk = join(served.HUBLEDGER_DATA_DIR, 'review-desk');
  assert.equal(statSync(desk).mode & 0o777, 0o700, 'nobody else may enter');
  await serving.end('SIGINT');
  assert.deepEqual(readdirSync(desk), []);
  const next = await ServingProcess.start(served);
  t.after(() => next.process.kill('SIGKILL'));
  // On a busy machine the store may take longer than a start waits for it, which the log then says.
  const isLate = next.log.some(({ msg }) => String(msg).startsWith('accepted submissions are not read yet'));
  while (isLate && (await country(next)) !== 'IT') await wait(200);
  assert.equal(await country(next), 'IT', 'by the first answer after a start');
});

test('the queue is listed; an accepted submission becomes a registry entry', async () => {
  const contract_address = OPERATOR;
  const [id] = (await propose(environment, 1)) as [string];
  const submissions = (...words: string[]) => run(['submissions', ...words], environment);
  const quotedNote = String.raw`"Italy \u{202e}\u{9b}31m, https://validator.example/imprint or https://good.example@evil.example/"`;
  const row = [id, '2026-06-01T12:30:00.000Z', 'validator_jurisdiction', contract_address, quotedNote];
  assert.equal(submissions('list').out, `${row.join('\t')}\n`);
  const wrong = submissions('accept', id, '--country', 'Italy');
  assert.match(wrong.error, /^hubledger: --country 'Italy' is invalid: it must be an ISO 3166-1/);
  const accepted = submissions('accept', id);
  const entry = JSON.parse(accepted.out.slice(accepted.out.indexOf('{')));
  assert.deepEqual(
    [entry.country, entry.source, entry.reviewed, entry.operator_addresses],
    ['IT', 'https://validator.example/imprint', '2026-06-01', [contract_address]],
  );
  assert.equal(submissions('list').out, '');
  const again = submissions('reject', id);
  assert.deepEqual([again.code, again.error], [1, `hubledger: no submission ${id} is pending\n`]);
});
