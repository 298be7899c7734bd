/** The registry against the reviewed data. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import {
  classifiersOfEvent,
  knownTypes,
  messageClassifiers,
  phaseClassifiers,
} from '../../../pipeline/classify/modules/index.js';
import { MOVES_NOTHING } from '../../../pipeline/classify/modules/moves-nothing.js';
import { loadReference } from '../../../pipeline/reference.js';

const reference = loadReference();
const eventClassifiers = [...classifiersOfEvent.values()].flat();

test('classifiers name categories and triggers that exist', () => {
  const categories = new Set(reference.categories.map(({ category }) => category));
  const triggers = new Set(reference.triggers.map(({ trigger }) => trigger));
  const all = [...eventClassifiers, ...messageClassifiers, ...phaseClassifiers];
  for (const name of all.flatMap((classifier) => classifier.categories)) assert.ok(categories.has(name), name);
  for (const { trigger } of messageClassifiers) assert.ok(trigger === undefined || triggers.has(trigger), trigger);
});

/** Rows that need state over blocks, and what nothing explains. */
const WITHOUT_CLASSIFIER = ['slash', 'gov_deposit_burned', 'unclassified'];
/** Triggers that are no message, and acts of the chain itself. */
const WITHOUT_MESSAGE = ['authz', 'interchain_account', 'contract', 'slash', 'validator_removed', 'other'];

test('what the reviewed data lists is what the program can yield, no more and no less', () => {
  const all = [...eventClassifiers, ...messageClassifiers, ...phaseClassifiers];
  const yielded = new Set([...all.flatMap(({ categories }) => categories), ...WITHOUT_CLASSIFIER]);
  assert.deepEqual([...yielded].sort(), reference.categories.map(({ category }) => category).sort());
  const causes = new Set([...messageClassifiers.flatMap(({ trigger }) => trigger ?? []), ...WITHOUT_MESSAGE]);
  assert.deepEqual([...causes].sort(), reference.triggers.map(({ trigger }) => trigger).sort());
  const rewards = reference.categories
    .filter(({ groups }) => groups.includes('rewards'))
    .map(({ category }) => category);
  for (const { categories, trigger } of reference.triggers) {
    assert.ok(categories.length > 0 && categories.every((category) => rewards.includes(category)), trigger);
  }
});

test('every type that is stated is listed, and nothing else', () => {
  const stated = new Set([...messageClassifiers.map(({ typeUrl }) => typeUrl), ...Object.keys(MOVES_NOTHING)]);
  assert.deepEqual([...knownTypes], [...stated].sort());
});

test('what has a classifier of its own is in a case or a test', () => {
  const folder = join(projectRoot(), 'test/classify');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(json|ts)$/.test(path));
  const shown = paths.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
  const names = [
    ...messageClassifiers.flatMap(({ classify, typeUrl }) => (classify ? [typeUrl] : [])),
    ...eventClassifiers.map(({ eventType }) => eventType),
  ];
  assert.deepEqual(
    names.filter((name) => !shown.includes(`"${name}"`) && !shown.includes(`'${name}'`)),
    [],
  );
});

test('a message type is stated once', () => {
  const types = [...messageClassifiers.map(({ typeUrl }) => typeUrl), ...Object.keys(MOVES_NOTHING)];
  assert.equal(new Set(types).size, types.length);
  for (const type of types) assert.match(type, /^\/[a-z0-9._]+\.Msg\w+$/);
});

test('types that only governance can run, and what the Hub refuses, are stated too', () => {
  const types = [
    '/ibc.core.client.v1.MsgDeleteClientCreator',
    '/osmosis.tokenfactory.v1beta1.MsgForceTransfer',
    '/cosmwasm.wasm.v1.MsgStoreAndInstantiateContract',
    '/cosmwasm.wasm.v1.MsgStoreAndMigrateContract',
    '/cosmwasm.wasm.v1.MsgSudoContract',
    '/cosmos.distribution.v1beta1.MsgCommunityPoolSpend',
    '/feemarket.feemarket.v1.MsgParams',
    '/interchain_security.ccv.provider.v1.MsgUpdateParams',
    ...['Add', 'Update', 'Remove', 'Reset'].map((act) => `/ratelimit.v1.Msg${act}RateLimit`),
  ];
  assert.deepEqual(
    types.filter((type) => !knownTypes.has(type)),
    [],
  );
});

test('a type that nobody states is unknown, whatever its name', () => {
  assert.ok(knownTypes.has('/cosmos.gov.v1.MsgVote'));
  assert.ok(!knownTypes.has('/strange.v1.MsgStrange'));
  assert.ok(!knownTypes.has('constructor'));
});
