/** What is missing of a wallet, in coins, and what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '../../pipeline/base/values/amount.js';
import type { FoundWallet } from '../../pipeline/tracked-wallets/found-chain.js';
import type { WalletState } from '../../pipeline/tracked-wallets/node-facts.js';
import { type FollowedWallet, proveWallet } from '../../pipeline/tracked-wallets/prove-wallet.js';

const names = {
  native: 'uatom',
  shown: (denom: string, amount: bigint) =>
    denom === 'uatom' ? `${formatDecimal(amount, 6)} ATOM` : `${amount} ${denom}`,
};

const state = (balances: Readonly<Record<string, bigint>>, sequence = 0): WalletState => ({
  balances: new Map(Object.entries(balances)),
  delegations: new Map(),
  entries: [],
  reward: 0n,
  claims: new Map(),
  sequence,
});

type Moved = readonly [denom: string, height: number, amount: bigint];

interface Case {
  readonly opening?: WalletState;
  readonly closing?: WalletState;
  readonly moved?: readonly Moved[];
  readonly stakes?: Partial<FollowedWallet['stakes']>;
  readonly found?: Partial<FoundWallet>;
}

function missingOf({ opening, closing, moved = [], stakes = {}, found = {} }: Case): readonly string[] {
  const lists = { heights: [], sequences: [], missing: [], unconfirmed: [] };
  const wallet = { address: 'cosmos1a', opening, closing, isConfirmed: false, ...lists };
  const { proof } = proveWallet(
    {
      wallet: { ...wallet, ...found },
      stakes: {
        opening: { delegated: new Map(), unbonding: new Map() },
        losses: [],
        differences: [],
        points: [],
        ...stakes,
      },
      movements: moved.map(([denom, height, amount]) => ({ denom, height, amount })),
      first: 1,
    },
    names,
  );
  assert.equal(proof.state, proof.missing.length > 0 ? 'incomplete' : opening ? 'proved' : 'derived');
  return proof.missing;
}

const ADVICE = 'Add another node to HUBLEDGER_RPC_URLS and run again';
const unfound = (coins: string) => `${coins} are missing: no search index of your nodes has them. ${ADVICE}`;

test('it names the coins that rows lack, in displayed units', () => {
  const held = state({ uatom: 5_000_000n });
  const cases: readonly (readonly [Case, string])[] = [
    [{ opening: held, closing: state({ uatom: 18_330_969n }) }, '13.330969 ATOM of receipts'],
    [{ opening: held, closing: state({ uatom: 1n }) }, '4.999999 ATOM of payments'],
    [{ opening: held, closing: state({ uatom: 6_000_000n, dust: 7n }) }, '1 ATOM of receipts, 7 dust of receipts'],
    // The sum is right, but the rows fall to -2: as many coins came before and left after.
    [
      {
        opening: held,
        closing: held,
        moved: [
          ['uatom', 3, -7_000_000n],
          ['uatom', 4, 7_000_000n],
        ],
      },
      'at least 2 ATOM of receipts, at least 2 ATOM of payments',
    ],
    [
      {
        opening: held,
        closing: state({ uatom: 10_000_000n }),
        moved: [
          ['uatom', 3, -12_000_000n],
          ['uatom', 4, 12_000_000n],
        ],
      },
      'at least 7 ATOM of receipts, at least 2 ATOM of payments',
    ],
    // The holdings before the first block are unknown: 10 came, but only 4 are there.
    [{ closing: state({ uatom: 4_000_000n }), moved: [['uatom', 3, 10_000_000n]] }, 'at least 6 ATOM of payments'],
  ];
  for (const [given, coins] of cases) assert.deepEqual(missingOf(given), [unfound(coins)]);
});

test('it names stakes and transactions', () => {
  const closing = state({}, 4);
  const opening = state({}, 1);
  const difference = { validator: 'v', rows: 2_000_000n, node: 3_500_000n };
  const cases: readonly (readonly [Case, string])[] = [
    [{ stakes: { differences: [{ ...difference, kind: 'delegated' }] } }, '1.5 ATOM of delegations to v'],
    [
      { stakes: { differences: [{ ...difference, kind: 'delegated', node: 0n }] } },
      '2 ATOM of undelegations, redelegations or slashes at v',
    ],
    [{ stakes: { differences: [{ ...difference, kind: 'unbonding' }] } }, '1.5 ATOM of begun unbondings from v'],
    [
      { stakes: { differences: [{ ...difference, kind: 'unbonding', node: 0n }] } },
      '2 ATOM of completed unbondings from v',
    ],
    [
      { stakes: { opening: { delegated: new Map([['v', -1n]]), unbonding: new Map() } } },
      '0.000001 ATOM of delegations to v',
    ],
    [{ found: { sequences: [2] } }, 'own transactions with the sequence 1, 3'],
  ];
  for (const [given, text] of cases) {
    const found = { sequences: [1, 2, 3], ...given.found };
    assert.deepEqual(missingOf({ opening, closing, ...given, found }), [unfound(text)]);
  }
});

test('a cause that the search has found is told instead, after the coins', () => {
  const cause = 'no node returns the blocks 5. Add another node to HUBLEDGER_RPC_URLS and run again';
  const given = { opening: state({}), closing: state({ uatom: 1_000_000n }) };
  assert.deepEqual(missingOf({ ...given, found: { missing: [cause] } }), ['1 ATOM of receipts are missing', cause]);
  assert.deepEqual(missingOf({ ...given, closing: state({}) }), []);
});

test('without a state of a node, it says which variables need another node', () => {
  const [text] = missingOf({ moved: [['uatom', 3, 1n]] });
  assert.match(text!, /^no node reports its balances, .* HUBLEDGER_RPC_URLS or HUBLEDGER_LCD_URLS and run again$/);
});
