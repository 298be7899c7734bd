import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noDecisions } from '../../../../pipeline/books/ledger/decisions.js';
import { basisOf } from '../../../../pipeline/books/ledger/lots.js';
import { eventsUntil, replayWallet, WalletState } from '../../../../pipeline/books/ledger/replay.js';
import { USUAL } from '../../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { openBooks, walletReplay, walletsAt } from '../../../../server/tax/dataset/wallet-ledger.js';
import { DENOMS, stories } from '../../../books/ledger/random-wallets.js';
import { hash, makeEvent, rules } from '../../../books/ledger/wallets.js';
import { memoryDataset } from '../../memory-dataset.js';

const reward = (n: number): PricedEvent =>
  makeEvent(n + 1, n < 1000 ? '2026-02-01' : '2026-02-02', 'staking_reward', {
    received_amount: BigInt(n + 1),
    received_denom: 'uatom',
    received_price: 2_000_000n,
  });
const EVENTS = Array.from({ length: 1600 }, (_, n) => reward(n));

const NOTHING = { decisions: noDecisions, openingLots: [], method: 'fifo' };

test('the entries of a wallet in several segments are those of one replay', () => {
  const entries = [...walletReplay(memoryDataset({ A: EVENTS }), 'A', NOTHING)];
  assert.deepEqual(entries, [...replayWallet(EVENTS, noDecisions, new WalletState({ ...USUAL, rules }))]);
});

test('the books at the end of a day are read no further than they must', () => {
  const read: number[] = [];
  const dataset = memoryDataset({ A: [...EVENTS, ...EVENTS.slice(1000)] }, (_, segment) => read.push(segment));
  const asked = { ...NOTHING, addresses: ['A'], own_wallets: 'separate' } as const;
  const [wallet] = walletsAt(asked, dataset, '2026-02-01 23:59:59');
  assert.equal([...wallet!.holding('uatom').lots].length, 1000);
  assert.deepEqual(read, [0, 1]);
});

/** A replay from the first row, with what a state contains beside its lots. */
function replayedAt(events: readonly PricedEvent[], asked: Asked, to: string) {
  const dataset = memoryDataset({ A: events }, undefined, OPENING);
  const { wallet } = openBooks(dataset, 'A', asked);
  for (const _ of replayWallet(eventsUntil(events, to), asked.decisions, wallet));
  return contentOf(wallet);
}

type Asked = Parameters<typeof walletsAt>[0];

const OPENING = { A: new Map(DENOMS.map((denom, n) => [denom, BigInt(n) * 1_000n])) };

const contentOf = ({ address, arrivals, holdings, escrows, made, relieved, income }: WalletState) => ({
  ...{ address, arrivals, made: [...made], relieved: [...relieved], income: income.remainders() },
  holdings: [...holdings.values()].map(({ lots, ...holding }) => ({ ...holding, lots: [...lots] })),
  escrows: [...escrows].map(([key, lots]) => [key, [...lots]]),
});

const asks = fc.record({
  isPlain: fc.boolean(),
  /** Rows before this part of the wallet have no decision. */
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true }),
  method: fc.constantFrom('fifo', 'lifo', 'hifo'),
  timezone: fc.constantFrom(undefined, 'America/Los_Angeles', 'Pacific/Apia'),
  lots: fc.boolean(),
});

test('a replay that continues before the first decision is one from the beginning, whatever was asked before', () => {
  fc.assert(
    fc.property(stories(), fc.array(asks, { minLength: 1, maxLength: 6 }), ({ events, decisions }, all) => {
      const dataset = memoryDataset({ A: events }, undefined, OPENING);
      for (const { isPlain, from, to, method, timezone, lots } of all) {
        const isLate = (id: string) => events.findIndex((event) => event.id === id) >= from * events.length;
        const late = <Value>(map: ReadonlyMap<string, Value>) => new Map([...map].filter(([id]) => isLate(id)));
        const own = { tags: late(decisions.tags), assets: late(decisions.assets) };
        const lot = { address: undefined, denom: DENOMS[1], quantity: 500n, acquired: '2025-03-01', basis: 77n };
        const asked = {
          ...{ addresses: ['A'], method, timezone },
          own_wallets: 'separate',
          decisions: isPlain ? noDecisions : own,
          openingLots: lots ? [lot] : [],
        } as const;
        const time = events[Math.floor(to * events.length)]?.time ?? '9999-12-31 23:59:59';
        const [wallet] = walletsAt(asked, dataset, time);
        assert.deepEqual(contentOf(wallet!), replayedAt(events, asked, time));
      }
    }),
  );
});

test('a wallet without rows has no entries', () => {
  assert.deepEqual([...walletReplay(memoryDataset({}), 'A', NOTHING)], []);
});

const carried = (day: string, from: string, to: string, n: number): [sent: PricedEvent, received: PricedEvent] => {
  const common = { tx_hash: hash(n), position: 1 };
  const coins = (side: string) => ({ [`${side}_amount`]: 4n, [`${side}_denom`]: 'uatom', [`${side}_price`]: null });
  const half = (category: string, id: string, address: string, counterparty: string, side: string) =>
    makeEvent(n, day, category, { ...common, id: `${n}-1-0-${id}`, address, counterparty, ...coins(side) });
  return [half('transfer_out', 'out', from, to, 'sent'), half('transfer_in', 'in', to, from, 'received')];
};

test('carried lots at the end of a day follow the transfers until that day', () => {
  const [there, arrived] = carried('2026-02-02', 'A', 'B', 2001);
  const [back, returned] = carried('2026-02-03', 'B', 'A', 2002);
  const coins = { received_amount: 10n, received_denom: 'uatom', received_price: 1_000_000_000_000n };
  const own = makeEvent(1, '2026-02-01', 'staking_reward', coins);
  const dataset = memoryDataset({ B: [arrived, back], A: [own, there, returned] });
  const asked = { ...NOTHING, addresses: ['B', 'A'], own_wallets: 'carry' } as const;
  const bases = (day: string) =>
    Array.from(walletsAt(asked, dataset, `${day} 23:59:59`), (wallet) =>
      [...wallet.holding('uatom').lots].map(basisOf),
    );
  assert.deepEqual(bases('2026-02-01'), [[], [1000n]]);
  assert.deepEqual(bases('2026-02-02'), [[400n], [600n]]);
  assert.deepEqual(bases('2026-02-03'), [[], [600n, 400n]]);
});
