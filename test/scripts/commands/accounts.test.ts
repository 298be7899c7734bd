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
const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_NOW: '2026-06-01T12:30:00Z' };
const now = new Date(environment.HUBLEDGER_NOW);
const keys = (...words: string[]) => run(['keys', ...words], environment);

test('keys are created, listed and revoked; the secret is printed once, in the last line', async (t) => {
  assert.deepEqual(keys('list'), { code: 0, out: '', error: 'no keys\n' });
  const made = keys('create', '--account', 'alice', '--scopes', 'tax:read,wasm:read', '--expires', '2026-12-31');
  assert.equal(made.error, '');
  const key = made.out.trimEnd().split('\n').at(-1)!;
  const id = key.slice(3, 19);
  assert.equal(keys('list').out, `${id}\talice\tcommand line\ttax:read,wasm:read\tin force\tnever used\n`);
  assert.equal(keys('revoke', id).code, 0);
  assert.match(keys('list').out, /\trevoked\tnever used\n$/);
  const store = new Store(readConfig(environment));
  t.after(() => store.close());
  assert.equal(await checkKey(store, key, now), undefined);
  const busy = keys('list');
  assert.equal(busy.code, 5);
  assert.match(busy.error, /^hubledger: the embedded store is open already; stop the server that uses it, [^\n]+\n$/);
});

test("a key's name cannot change the direction of a line", () => {
  keys('create', '--account', 'mallory', '--scopes', 'tax:read', '--name', 'mine\u202e\u200b');
  assert.match(keys('list').out, /\tmallory\tmine\\u\{202e\}\\u\{200b\}\ttax:read\tin force\tnever used\n/);
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
