import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { checkWidgetKey } from '../../../server/people/accounts/widget-keys.js';
import { Store } from '../../../server/people/store/store.js';
import { run } from '../run-program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-widgets-'));
after(() => rmSync(dataDir, { recursive: true }));
const environment = { HUBLEDGER_DATA_DIR: dataDir };
const keys = (...words: string[]) => run(['widget-keys', ...words], environment);
const validator = 'cosmosvaloper17mggn4znyeyg25wd7498qxl7r2jhgue8u4qjcq';
const origins = ['https://validator.example', 'http://localhost:3000'];

test('a widget key for one validator and several origins is created, listed and revoked', async () => {
  const made = keys('create', '--validator', validator, '--origin', origins[0]!, '--origin', origins[1]!);
  assert.equal(made.error, '');
  const key = made.out.trimEnd().split('\n').at(-1)!;
  assert.match(key, /^hlw_[0-9a-f]{16}[\w-]{43}$/);
  const check = async () => {
    const store = new Store(readConfig(environment));
    return checkWidgetKey(store, key, new Date('2026-06-01T08:30:00Z')).finally(() => store.close());
  };
  assert.deepEqual(await check(), { validator, origins });
  const id = key.slice(4, 20);
  assert.equal(
    keys('list').out,
    `${id}\t${validator}\t${origins.join(',')}\tin force\tlast used 2026-06-01T08:00:00.000Z\n`,
  );
  assert.equal(keys('revoke', id).code, 0);
  assert.equal(await check(), undefined);
  assert.match(keys('list').out, /\trevoked\tlast used \S+\n$/);
});

test('wrong arguments print one line', () => {
  const create = (operator: string, origin: string) => ['create', '--validator', operator, '--origin', origin];
  const cases: [string[], RegExp][] = [
    [create(`${validator.slice(0, -1)}x`, origins[0]!), /must be an operator address: .*checksum is wrong/],
    [
      create('cosmos1jhhykys9xmfd03sad53zdq9jvmyzm2gn42qy4q', origins[0]!),
      /begins with cosmos1 instead of cosmosvaloper1/,
    ],
    ...['null', '*', 'validator.example', `${origins[0]}/`, 'https://Validator.example', 'ftp://validator.example'].map(
      (origin): [string[], RegExp] => [create(validator, origin), /an origin is scheme, host and port/],
    ),
    [['create', '--validator', validator], /required option '--origin <origin>' not specified/],
    [['revoke', '0'.repeat(16)], /^hubledger: no widget key with id 0{16}\n$/],
  ];
  for (const [words, message] of cases) {
    const { code, error } = keys(...words);
    assert.equal(code, words[0] === 'revoke' ? 1 : 2, words.join(' '));
    assert.match(error, message);
  }
});

test('keys print JSON for programs', () => {
  const personal = (...words: string[]) => JSON.parse(run(['keys', ...words, '--json'], environment).out);
  const { id, account, key } = personal('create', '--account', 'ann', '--scopes', 'tax:read');
  assert.deepEqual([account, key.startsWith(`hl_${id}`)], ['ann', true]);
  const shown = () => personal('list').map((one: { id: string; state: string }) => [one.id, one.state]);
  assert.deepEqual(shown(), [[id, 'in force']]);
  assert.deepEqual(personal('revoke', id), { id, state: 'revoked' });
  assert.deepEqual(shown(), [[id, 'revoked']]);
});
