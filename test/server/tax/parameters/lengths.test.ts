/** Lengths: every text and list that a request brings has a limit, which is checked before anything of it is compared or decoded. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { ExchangeRates } from '../../../../pipeline/books/currencies/exchange-rates.js';
import { ISSUES_MAX, parseAssetDecisions, parseTags } from '../../../../pipeline/books/ledger/decisions.js';
import { parseOpeningLots } from '../../../../pipeline/books/ledger/opening-lots.js';
import { loadReference } from '../../../../pipeline/reference.js';
import { requireValidBody } from '../../../../server/api/body-schemas.js';
import { Networks } from '../../../../server/contracts/networks.js';
import { Problem } from '../../../../server/http/problem.js';
import { parseAccountMap } from '../../../../server/tax/parameters/account-map.js';
import { lengthFault, PARAMETERS } from '../../../../server/tax/parameters/parameter-schemas.js';
import { readParameters } from '../../../../server/tax/parameters/parameters.js';

const rates = new ExchangeRates();

interface Schema {
  readonly [member: string]: unknown;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-body'?: Schema;
}

const schemas = join(projectRoot(), 'schemas');
const read = (path: string): Schema => JSON.parse(readFileSync(join(schemas, path), 'utf8'));

/** A pattern that bounds the length of what it matches. */
const isBounded = (pattern: unknown) =>
  typeof pattern === 'string' &&
  /^\^.*\$$/.test(pattern) &&
  !/[*+]|\{\d+,\}/.test(pattern.replaceAll(/\[[^\]]*\]/g, ''));

/** Members that a schema leaves without a limit, by their place. */
function unlimited(schema: Schema, place: string): string[] {
  const types = [schema.type ?? []].flat();
  const { enum: listed, $ref, maxLength, pattern, items, additionalProperties: others } = schema;
  const found: string[] = [];
  if (types.includes('string') && !listed && !$ref && maxLength === undefined && !isBounded(pattern)) found.push(place);
  if (types.includes('array') && schema.maxItems === undefined) found.push(place);
  if (schema.uniqueItems && typeof items?.type !== 'string') found.push(`${place}: items are compared one by one`);
  if (typeof others === 'object') {
    if (schema.maxProperties === undefined) found.push(place);
    found.push(...unlimited(others, `${place}{}`));
  }
  if (items) found.push(...unlimited(items, `${place}[]`));
  const inner = Object.entries({ ...schema.properties, ...(schema['x-body'] && { 'x-body': schema['x-body'] }) });
  return [...found, ...inner.flatMap(([name, one]) => unlimited(one, `${place}/${name}`))];
}

test('every text and list of requests and parameters has a limit', () => {
  const files = ['parameters.json', ...readdirSync(join(schemas, 'requests')).map((file) => `requests/${file}`)];
  assert.deepEqual(
    files.flatMap((file) => unlimited(read(file), file)),
    [],
  );
  assert.deepEqual(unlimited({ type: 'array', items: { type: 'string', pattern: '^a+$' } }, 'x'), ['x', 'x[]']);
});

test('a length is told by the schema alone', () => {
  assert.equal(lengthFault({ maxLength: 2 }, 'abc'), 'is longer than 2 characters');
  assert.equal(lengthFault({ maxLength: 3, maxItems: 0 }, 'abc'), undefined);
  assert.equal(lengthFault({ maxItems: 1 }, [1, 2]), 'has more than 1 items');
  assert.equal(lengthFault({ maxProperties: 1 }, { a: 1, b: 2 }), 'has more than 1 members');
  for (const value of [null, 7, true, {}, [], '']) assert.equal(lengthFault({}, value), undefined);
});

test('a list that is too long is refused before its items are compared', () => {
  const texts = Array.from({ length: 16_000 }, (_, i) => i.toString(36));
  for (const [name, body, path] of [
    ['api-key', { name: 'x', scopes: texts }, 'scopes'],
    ['webhook', { url: 'https://a.example/', events: texts }, 'events'],
    ['webhook-change', { events: texts }, 'events'],
  ] as const) {
    assert.throws(
      () => requireValidBody(name, body),
      (problem) =>
        problem instanceof Problem &&
        problem.extras.errors?.length === 1 &&
        problem.extras.errors[0]!.path === path &&
        /^has more than \d items$/.test(problem.extras.errors[0]!.message),
    );
  }
});

test('addresses are counted before they are decoded', () => {
  const reference = loadReference();
  const context = { reference, networks: new Networks(undefined, reference.networks), now: new Date('2026-06-01') };
  const readAddress = (address: unknown) => readParameters(['address'], { body: { address } }, context).addresses;
  const fault = (address: unknown) => {
    try {
      return readAddress(address);
    } catch (problem) {
      return (problem as Problem).extras.errors;
    }
  };
  const tooLong = [{ path: 'address', message: 'is longer than 4549 characters' }];
  assert.deepEqual(fault('a,'.repeat(520_000)), tooLong);
  const many = Array.from({ length: 51 }, (_, i) => `a${i}`);
  for (const list of [many, many.join(',')]) {
    assert.deepEqual(fault(list), [{ path: 'address', message: 'at most 50 addresses per request, not 51' }]);
  }
  assert.equal(fault('a,'.repeat(2000))?.length, 2, 'a fault is told once: the one address, and the blank one');
  assert.deepEqual(fault(new Array(260_000).fill('a')), [{ path: 'address', message: 'has more than 100 items' }]);
  const { example } = PARAMETERS.address;
  assert.deepEqual(readAddress(new Array(50).fill(example)), [example]);
});

test('an account of the caller is short, since each line of a journal may name it', () => {
  const { rules } = loadReference();
  for (const profile of ['hledger', 'beancount', 'quickbooks']) {
    const named = (length: number) =>
      parseAccountMap({ 'Income: Airdrops': `Income:${'A'.repeat(length - 7)}` }, profile, rules);
    assert.deepEqual(named(1_000_000), {
      errors: [{ path: '/Income: Airdrops', message: 'is longer than 200 characters' }],
    });
    assert.ok('value' in named(100), profile);
  }
  const wrong = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`no account ${i}`, '']));
  const read = parseAccountMap(wrong, 'hledger', rules);
  assert.equal('errors' in read && read.errors.length, 50);
});

test('a token of the caller has a name as short as a denom, since each row of an answer may say it', () => {
  const { rules } = loadReference();
  const lot = { quantity: '1', acquired_date: '2020-01-01', cost_basis_usd: '1' };
  for (const [length, isTaken] of [
    [128, true],
    [129, false],
  ] as const) {
    const name = 'n'.repeat(length);
    assert.equal('value' in parseAssetDecisions({ id: { mode: 'override', token: name } }, rates), isTaken);
    assert.equal('value' in parseOpeningLots([{ ...lot, denom: name }], rules, rates), isTaken);
  }
});

test('reading stops after the first faults', () => {
  const { rules } = loadReference();
  const many = <Value>(value: Value) => Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, value]));
  const counts = [
    parseTags(many('gift'), rules),
    parseAssetDecisions(many({}), rates),
    parseAssetDecisions({ one: { mode: 'override', ...many('1') } }, rates),
    parseOpeningLots(Object.values(many({})), rules, rates),
    parseOpeningLots([many('1')], rules, rates),
  ].map((result) => ('errors' in result ? result.errors.length : 0));
  for (const count of counts) assert.ok(count >= ISSUES_MAX && count < ISSUES_MAX + 10, String(count));
});
