import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { cutBlock, cutTransaction, type Part } from '../../pipeline/classify/scopes.js';
import { event, message, transaction } from './events.js';

/** An event of a message; the path as the chain writes it, the innermost first. */
const at = (type: string, ...innermostFirst: number[]): ChainEventRecord => ({
  type,
  attributes: innermostFirst.map((value, i) => ({
    key: i === innermostFirst.length - 1 ? 'msg_index' : 'authz_msg_index',
    value: String(value),
  })),
});

const described = (parts: readonly Part[]) =>
  parts.map(({ phase, message: of, via, events }) => [of?.typeUrl ?? phase, via, ...events.map(({ index }) => index)]);

describe('cutTransaction', () => {
  test('what has no msg_index is before or after the messages', () => {
    const events = [event('use_feegrant', {}), at('delegate', 0), at('delegate', 1), event('other', {})];
    assert.deepEqual(described(cutTransaction(transaction([message('/A'), message('/B')], events))), [
      ['ante', undefined, 0],
      ['/A', undefined, 1],
      ['/B', undefined, 2],
      ['post', undefined, 3],
    ]);
  });

  test('a message that emits nothing but its action still ends what is before it', () => {
    const events = [at('message', 0), event('other', {})];
    assert.deepEqual(described(cutTransaction(transaction([message('/A')], events))), [['post', undefined, 1]]);
  });

  test('nested MsgExec repeats its key: the last is the outermost', () => {
    const exec = '/cosmos.authz.v1beta1.MsgExec';
    const inner = [message('/Deep0'), message('/Deep1')];
    const messages = [message('/First'), message(exec, {}, [message('/X'), message('/Y'), message(exec, {}, inner)])];
    const events = [at('delegate', 1, 2, 1), at('delegate', 0, 2, 1), at('delegate', 1, 1), at('delegate', 0)];
    assert.deepEqual(described(cutTransaction(transaction(messages, events))), [
      ['/Deep1', 'authz', 0],
      ['/Deep0', 'authz', 1],
      ['/Y', 'authz', 2],
      ['/First', undefined, 3],
    ]);
  });

  test("a contract's own MsgExec belongs to the contract's message", () => {
    const events = [at('execute', 0), at('delegate', 0, 0)];
    const parts = cutTransaction(transaction([message('/cosmwasm.wasm.v1.MsgExecuteContract')], events));
    assert.deepEqual(described(parts), [['/cosmwasm.wasm.v1.MsgExecuteContract', 'contract', 0, 1]]);
  });

  test('the outermost way in wins', () => {
    const exec = message('/Exec', {}, [message('/Call')]);
    assert.equal(cutTransaction(transaction([exec], [at('execute', 0, 0)]))[0]!.via, 'authz');
    const packet = [at('execute', 0), at('ics27_packet', 0)];
    assert.equal(cutTransaction(transaction([message('/Recv')], packet))[0]!.via, 'interchain_account');
  });

  test('an event of a message that is not there is refused', () => {
    assert.throws(
      () => cutTransaction(transaction([], [at('delegate', 0)])),
      /names message 0 of a transaction with 0/,
    );
  });
});

test('a block is cut by mode; other modes and none are tolerated', () => {
  const events = ['PreBlock', 'BeginBlock', 'EndBlock'].map((mode) => event('slash', {}, { mode }));
  assert.deepEqual(described(cutBlock([...events, event('slash', {})])), [
    ['PreBlock', undefined, 0],
    ['BeginBlock', undefined, 1],
    ['EndBlock', undefined, 2, 3],
  ]);
});

test('the mode of an event stands behind what a contract calls so, and before what later programs add', () => {
  const { type, attributes } = event('wasm', { mode: 'BeginBlock' });
  const added = ['mode', 'event_index'].map((key) => ({ key, value: key === 'mode' ? 'EndBlock' : '7' }));
  const parts = cutBlock([event('slash', {}, { mode: 'BeginBlock' }), { type, attributes: [...attributes, ...added] }]);
  assert.deepEqual(described(parts), [
    ['BeginBlock', undefined, 0],
    ['EndBlock', 'contract', 1],
  ]);
});

test("events of a fork or an upgrade's handler have no mode, and come before the first event that has one", () => {
  const [first, begin, end] = [{}, { mode: 'BeginBlock' }, { mode: 'EndBlock' }];
  const events = [first, begin, end].map((attributes) => event('slash', {}, attributes));
  assert.deepEqual(described(cutBlock(events)), [
    ['PreBlock', undefined, 0],
    ['BeginBlock', undefined, 1],
    ['EndBlock', undefined, 2],
  ]);
});
