import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { QueryAccountInfoResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { QueryAllBalancesResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { AbciClient, AbciRefusal } from '../../pipeline/chain/nodes/abci-client.js';
import { endpointsOf } from '../../pipeline/chain/nodes/endpoint.js';
import { LcdClient } from '../../pipeline/chain/nodes/lcd-client.js';
import { AbciState } from '../../pipeline/tracked-wallets/abci-state.js';
import { NodeState } from '../../pipeline/tracked-wallets/node-facts.js';
import { answerAbci } from './abci-node.js';
import { KNOWN, type SearchNode, type SearchNodeOptions, startSearchNode } from './search-node.js';
import { WalletCase } from './wallet-night.js';

const own = new WalletCase({ HUBLEDGER_INDEX_START: '2026-01-06' });
const nodes: SearchNode[] = [];
after(async () => {
  for (const node of nodes) await node.close();
  own.remove();
});

async function start(abci?: SearchNodeOptions['abci']): Promise<SearchNode> {
  const node = await startSearchNode(abci ? { abci } : {});
  nodes.push(node);
  return node;
}

const stateOf = (...answering: readonly SearchNode[]) => {
  const client = new AbciClient(endpointsOf(answering.map(({ url }) => url)), new AbortController().signal);
  return new AbciState(client, 'uatom');
};

test('the state over RPC is the state over REST', async () => {
  const node = await start(answerAbci);
  const rest = new NodeState(new LcdClient([node.url]), 'uatom');
  const rpc = stateOf(node);
  for (const height of [43, 1000]) {
    for (const address of Object.values(KNOWN)) {
      const state = await rest.wallet(address, height);
      assert.deepEqual(await rpc.wallet(address, height), state, address);
    }
    assert.deepEqual(await rpc.validators(height), await rest.validators(height));
    assert.deepEqual(await rpc.slashFractions(height), await rest.slashFractions(height));
  }
});

test('a height without state has none, and another node is asked if one refuses or lies', async () => {
  const sound = await start(answerAbci);
  assert.equal(await stateOf(sound).wallet(KNOWN.small, 500), undefined);
  assert.equal(await stateOf(sound).wallet(KNOWN.small, 0), undefined);
  const lies: readonly ((response: object) => object)[] = [
    (response) => ({ ...response, height: '999' }),
    (response) => ({ ...response, value: 'AAAA' }),
    () => ({ code: 1, log: 'internal' }),
  ];
  const refusing = [await start(), ...(await Promise.all(lies.map((lie) => start((all) => answerAbci(all, lie)))))];
  const expected = await stateOf(sound).wallet(KNOWN.small, 1000);
  for (const node of refusing) {
    await assert.rejects(stateOf(node).wallet(KNOWN.small, 1000), AbciRefusal);
    assert.deepEqual(await stateOf(node, sound).wallet(KNOWN.small, 1000), expected);
  }
});

/** Answers the query for balances with these pages, and other queries truthfully. */
const withBalances = (pageOf: (asked: number) => { amount: string; denom?: string; nextKey?: Uint8Array }) => {
  let asked = 0;
  return start((parameters) => {
    if (!parameters.get('path')!.includes('AllBalances')) return answerAbci(parameters);
    const { amount, denom = 'uatom', nextKey = new Uint8Array() } = pageOf(asked++);
    const answer = { balances: [{ denom, amount }], pagination: { nextKey, total: 0n } };
    const value = Buffer.from(QueryAllBalancesResponse.encode(answer).finish()).toString('base64');
    return { code: 0, log: '', height: parameters.get('height')!, value };
  });
};

const MANY = 5_000_000;

test('balances that no chain can have, or whose pages never end, are not used', async () => {
  const sound = await start(answerAbci);
  const expected = await stateOf(sound).wallet(KNOWN.small, 1000);
  const lies = [
    () => ({ amount: '1.5' }),
    () => ({ amount: '-1' }),
    () => ({ amount: '9'.repeat(MANY) }),
    () => ({ amount: '1', nextKey: Buffer.from('k') }),
    (asked: number) => ({ amount: '1', denom: 'd'.repeat(MANY), nextKey: Buffer.from(String(asked)) }),
  ];
  for (const lie of lies) {
    const liar = await withBalances(lie);
    await assert.rejects(stateOf(liar).wallet(KNOWN.small, 1000), AbciRefusal);
    assert.deepEqual(await stateOf(liar, sound).wallet(KNOWN.small, 1000), expected);
  }
});

test('a sequence that no account can have is not used, and the next node is asked', async () => {
  const sound = await start(answerAbci);
  const liar = await start((parameters) => {
    if (!parameters.get('path')!.includes('AccountInfo')) return answerAbci(parameters);
    const info = { address: KNOWN.small, accountNumber: 1n, sequence: 500_000_000n };
    const value = Buffer.from(QueryAccountInfoResponse.encode({ info }).finish()).toString('base64');
    return { code: 0, log: '', height: parameters.get('height')!, value };
  });
  await assert.rejects(stateOf(liar).wallet(KNOWN.small, 1000), AbciRefusal);
  assert.deepEqual(
    await stateOf(liar, sound).wallet(KNOWN.small, 1000),
    await stateOf(sound).wallet(KNOWN.small, 1000),
  );
});

test('a wallet is proved without a REST endpoint', async () => {
  const both = [await start(answerAbci), await start(answerAbci)];
  const night = await own.night('abci', [KNOWN.small], both, { lcd: [] });
  assert.deepEqual([night.wallets[0]!.state, night.wallets[0]!.missing], ['proved', []]);
});
