/** The registry against the reviewed data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventClassifiers, isKnownType, messageClassifiers, phaseClassifiers } from '../../pipeline/classify/index.js';
import { MOVES_NOTHING } from '../../pipeline/classify/moves-nothing.js';
import { loadReference } from '../../pipeline/reference.js';

const reference = loadReference();

test('classifiers name categories and triggers that exist', () => {
  const categories = new Set(reference.categories.map(({ category }) => category));
  const triggers = new Set(reference.triggers.map(({ trigger }) => trigger));
  const all = [...eventClassifiers, ...messageClassifiers, ...phaseClassifiers];
  for (const name of all.flatMap((classifier) => classifier.categories)) assert.ok(categories.has(name), name);
  for (const { trigger } of messageClassifiers) assert.ok(trigger === undefined || triggers.has(trigger), trigger);
});

test('a message type is stated once', () => {
  const types = [...messageClassifiers.map(({ typeUrl }) => typeUrl), ...Object.keys(MOVES_NOTHING)];
  assert.equal(new Set(types).size, types.length);
  for (const type of types) assert.match(type, /^\/[a-z0-9._]+\.Msg\w+$/);
});

test('a type that nobody states is unknown, whatever its name', () => {
  assert.ok(isKnownType('/cosmos.gov.v1.MsgVote'));
  assert.ok(!isKnownType('/strange.v1.MsgStrange'));
  assert.ok(!isKnownType('constructor'));
});
