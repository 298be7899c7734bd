import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGenesis } from '../../pipeline/tracked-wallets/genesis.js';

const WALLET = 'cosmos1l64h4yr73pf8pdgj4rh9v7rdcerugkma6x2eel';
const OPERATOR = 'cosmosvaloper1l64h4yr73pf8pdgj4rh9v7rdcerugkmalj7v4v';
const OTHER = 'cosmosvaloper12gslteh8u4ey2selcfjqs7cgjmyhrcxe5g37pv';
const validator = {
  operator_address: OTHER,
  consensus_pubkey: { key: 'AA==' },
  description: { moniker: 'Other' },
  tokens: '900',
  delegator_shares: '1000.000000000000000000',
};
const base = { address: WALLET, account_number: '1', sequence: '4' };
const entry = { creation_height: '0', completion_time: '2026-01-01T00:00:00Z', initial_balance: '9', balance: '8' };
const genesis = {
  chain_id: 'test-1',
  initial_height: '7',
  app_state: {
    auth: { accounts: [{ '@type': 'vesting', base_vesting_account: { base_account: base } }] },
    bank: { balances: [{ address: WALLET, coins: [{ denom: 'uatom', amount: '100' }] }] },
    genutil: {
      gen_txs: [
        {
          body: {
            messages: [
              {
                '@type': '/cosmos.staking.v1beta1.MsgCreateValidator',
                validator_address: OPERATOR,
                description: { moniker: 'Own' },
                pubkey: { key: 'BB==' },
                value: { denom: 'uatom', amount: '60' },
              },
            ],
          },
        },
      ],
    },
    staking: {
      delegations: [{ delegator_address: WALLET, validator_address: OTHER, shares: '10.000000000000000000' }],
      unbonding_delegations: [{ delegator_address: WALLET, validator_address: OTHER, entries: [entry] }],
      validators: [validator],
    },
  },
};

async function* inChunks(document: object, size = 50) {
  const bytes = Buffer.from(JSON.stringify(document));
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

test('a wallet has its balance, stakes and sequence after the genesis transactions', async () => {
  const found = await readGenesis(inChunks(genesis), [WALLET], { chainId: 'test-1', heights: [5, 7] });
  const { balances, delegations, entries, sequence } = found!.wallets.get(WALLET)!;
  assert.deepEqual([...balances], [['uatom', 40n]]);
  assert.deepEqual(
    new Map(delegations),
    new Map([
      [OTHER, 9n],
      [OPERATOR, 60n],
    ]),
  );
  assert.deepEqual([entries.map(({ balance }) => balance), sequence], [[8n], 5]);
  assert.deepEqual(found!.validators.map(({ moniker, tokens }) => [moniker, tokens]).sort(), [
    ['Other', 900n],
    ['Own', 60n],
  ]);
});

test('a chain that began at another height is read up to the header, and another chain is refused', async () => {
  let chunks = 0;
  async function* counted() {
    for await (const chunk of inChunks(genesis)) {
      chunks++;
      yield chunk;
    }
  }
  assert.equal(await readGenesis(counted(), [WALLET], { chainId: 'test-1', heights: [8, 9] }), undefined);
  assert.equal(chunks, 1);
  const other = readGenesis(inChunks(genesis), [WALLET], { chainId: 'test-2', heights: [7, 7] });
  await assert.rejects(other, /it is the genesis of test-1, expected test-2/);
});
