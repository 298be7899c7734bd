import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bech32 } from '@scure/base';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { loadReference, readReference } from '../../pipeline/reference.js';
import { countriesIn } from '../../server/people/submissions/disclosures.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-reference-'));
after(() => rmSync(folder, { recursive: true }));

/** A copy of the reviewed data with the text of one file changed. */
function changed(name: string, file: string, change: (text: string) => string): string {
  const copy = join(folder, name);
  cpSync(join(projectRoot(), 'data/reference'), copy, { recursive: true });
  const text = readFileSync(join(copy, file), 'utf8');
  const other = change(text);
  assert.notEqual(other, text, `${name} changes nothing`);
  writeFileSync(join(copy, file), other);
  return copy;
}

test('the reviewed data loads, frozen, and its rules know every category by name', () => {
  const reference = loadReference();
  assert.ok(Object.isFrozen(reference.categories[0]));
  assert.ok(Object.isFrozen(reference.chain.module_accounts));
  assert.equal(reference.chain.native_denom, 'uatom');
  assert.deepEqual(reference.rules.denomination('uatom').decimals, 6);
  for (const { category } of reference.categories) assert.equal(reference.rules.category(category).category, category);
});

test('addresses of the reviewed data have right checksums, and disclosures name operators and countries that there are', () => {
  const { contracts, jurisdictions } = loadReference();
  const entries = jurisdictions.jurisdictions;
  const operators = entries.flatMap((entry) => entry.operator_addresses ?? []);
  assert.deepEqual(
    operators.filter((one) => !one.startsWith('cosmosvaloper1')),
    [],
  );
  const addresses = JSON.stringify([contracts, operators]).match(/\bcosmos(valoper)?1\w+/g) ?? [];
  assert.ok(addresses.length > operators.length);
  assert.deepEqual(
    addresses.filter((one) => !bech32.decodeUnsafe(one, false)),
    [],
  );
  assert.deepEqual(
    entries.filter(({ country }) => countriesIn(country)[0] !== country),
    [],
  );
});

test('the methodology in force is the one with the latest effective date', () => {
  const copy = join(folder, 'newer');
  cpSync(join(projectRoot(), 'data/reference'), copy, { recursive: true });
  const now = readReference(copy).methodology;
  const later = { ...now, version: '0.9.9', effective_date: '2099-01-01' };
  mkdirSync(join(copy, 'methodology'), { recursive: true });
  writeFileSync(join(copy, 'methodology/0.9.9.json'), JSON.stringify(later));
  assert.equal(readReference(copy).methodology.version, '0.9.9');
});

test('a fault stops with the file and the JSON pointer', () => {
  const cases: [string, string, (text: string) => string, RegExp][] = [
    [
      'type',
      'assets.json',
      (text) => text.replace(/"decimals": \d+/, '"decimals": "6"'),
      /assets\.json: \/assets\/0\/decimals must be integer/,
    ],
    [
      'member',
      'tags.json',
      (text) => text.replace('{', '{"more":1,'),
      /tags\.json: \/ must NOT have additional properties: more/,
    ],
    ['json', 'triggers.json', () => '{', /triggers\.json: not JSON/],
    [
      'act',
      'categories.json',
      (text) => text.replace('"act": "acquire"', '"act": "eat"'),
      /categories\.json: \/categories\/0\/in\/act must be equal to one of the allowed values: acquire, dispose, /,
    ],
    [
      'twice',
      'tags.json',
      (text) => text.replace('"reward"', '"income"'),
      /tags\.json: \/tags\/1\/tag income is a duplicate of \/tags\/0/,
    ],
    [
      'kind',
      'contracts.json',
      (text) => text.replace(/("contracts": \[[^\]]*?"kind": )"[^"]+"/, '$1"casino"'),
      /contracts\.json: \/contracts\/0\/kind casino is not among \/kinds/,
    ],
  ];
  for (const [name, file, change, message] of cases) {
    assert.throws(
      () => readReference(changed(name, file, change)),
      (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes('\n'),
      name,
    );
  }
});
