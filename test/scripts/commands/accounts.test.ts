import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { checkKey } from '../../../server/people/accounts/keys.js';
import { Store } from '../../../server/people/store/store.js';
import { run } from '../run-program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-commands-'));
after(() => rmSync(dataDir, { recursive: true }));
const environment = {
  HUBLEDGER_DATA_DIR: dataDir,
  HUBLEDGER_NOW: '2026-06-01T12:30:00Z',
  HUBLEDGER_TIERS: 'silver=120,gold=600',
};
const now = new Date(environment.HUBLEDGER_NOW);
const keys = (...words: string[]) => run(['keys', ...words], environment);

test('keys are created, listed and revoked; the secret is printed once, in the last line', async (t) => {
  assert.deepEqual(keys('list'), { code: 0, out: '', error: 'no keys\n' });
  const made = keys('create', '--account', 'alice', '--scopes', 'tax:read,wasm:read', '--expires', '2026-12-31');
  assert.equal(made.error, '');
  const key = made.out.trimEnd().split('\n').at(-1)!;
  const id = key.slice(3, 19);
  assert.equal(
    keys('list').out,
    `${id}\talice\tcommand line\ttax:read,wasm:read\tin force\tnever used\tdefault limit\n`,
  );
  assert.equal(keys('revoke', id).code, 0);
  assert.match(keys('list').out, /\trevoked\tnever used\tdefault limit\n$/);
  const store = new Store(readConfig(environment));
  t.after(() => store.close());
  assert.equal(await checkKey(store, key, now, new Map()), undefined);
  const busy = keys('list');
  assert.equal(busy.code, 5);
  assert.match(busy.error, /^hubledger: the embedded store is open already; stop the server that uses it, [^\n]+\n$/);
});

test("a key's name cannot change the direction of a line", () => {
  keys('create', '--account', 'mallory', '--scopes', 'tax:read', '--name', 'mine\u202e\u200b');
  assert.match(
    keys('list').out,
    /\tmallory\tmine\\u\{202e\}\\u\{200b\}\ttax:read\tin force\tnever used\tdefault limit\n/,
  );
});

test('the limit of a key is a number or a tier, is listed, and is taken back', () => {
  const made = keys('create', '--account', 'limited', '--scopes', 'tax:read', '--json');
  const { id } = JSON.parse(made.out) as { id: string };
  const limit = (...words: string[]) => keys('limit', id, ...words);
  const listed = (variables: Record<string, string>) =>
    run(['keys', 'list'], variables)
      .out.split('\n')
      .find((line) => line.startsWith(id))!
      .split('\t')
      .at(-1);
  assert.deepEqual(limit('5'), { code: 0, out: `key ${id} has the limit: 5 requests a minute\n`, error: '' });
  assert.equal(limit('gold').out, `key ${id} has the limit: gold: 600 requests a minute\n`);
  assert.equal(listed({ ...environment, HUBLEDGER_TIERS: 'gold=700' }), 'gold: 700 requests a minute');
  const removed = { ...environment, HUBLEDGER_TIERS: 'silver=120' };
  assert.equal(listed(removed), 'default limit, because HUBLEDGER_TIERS has no tier gold');
  assert.equal(limit('default', '--json').out, `${JSON.stringify({ id, rate_limit: null, tier: null })}\n`);
  for (const wrong of ['0', '-1', '1e9', '1000001', 'abc']) {
    const { code, out, error } = limit(wrong);
    assert.deepEqual([code, out], [2, ''], wrong);
    assert.equal(
      error,
      `hubledger: <limit> '${wrong}' is invalid: it must be a whole number from 1 to 1000000, default, ` +
        'or a tier of HUBLEDGER_TIERS (silver, gold)\n',
    );
  }
  const unknown = keys('limit', '0'.repeat(16), '5');
  assert.deepEqual(unknown, { code: 1, out: '', error: `hubledger: no key with id ${'0'.repeat(16)}\n` });
  const misspelt = run(['keys', 'limit', id, 'gold'], { ...environment, HUBLEDGER_TIERS: 'gold' });
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.error, /^hubledger: HUBLEDGER_TIERS must be different names [^\n]+\n$/);
});

test('wrong arguments print one line and create no account', () => {
  const cases: [string[], RegExp][] = [
    [
      ['create', '--account', 'bob', '--scopes', 'tax:delete'],
      /^hubledger: --scopes 'tax:delete' is invalid: scopes are snapshots:read, /,
    ],
    [['create', '--account', 'bob', '--scopes', 'tax:read', '--expires', 'soon'], /must be a UTC day or instant/],
    [['create', '--account', 'bob', '--scopes', 'tax:read', '--expires', '2027-02-30'], /must be a UTC day or instant/],
    [
      ['create', '--account', 'bob', '--scopes', 'tax:read', '--expires', environment.HUBLEDGER_NOW],
      /^hubledger: --expires must be in the future\n$/,
    ],
    [['create', '--account', '', '--scopes', 'tax:read'], /must be one line of 1 to 100 characters/],
    [['create', '--account', 'bob\tx', '--scopes', 'tax:read'], /must be one line of 1 to 100 characters/],
    [
      ['create', '--account', 'bob', '--name', 'a\nb', '--scopes', 'tax:read'],
      /must be one line of 1 to 100 characters/,
    ],
    [['create', '--scopes', 'tax:read'], /required option '--account <name>' not specified/],
    [['revoke', '0'.repeat(16)], /^hubledger: no key with id 0{16}\n$/],
  ];
  for (const [words, message] of cases) {
    const { code, error } = keys(...words);
    assert.equal(code, words[0] === 'revoke' ? 1 : 2, words.join(' '));
    assert.match(error, message);
  }
  assert.doesNotMatch(keys('list').out, /bob/);
});
