import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTags } from '../../pipeline/ledger/decisions.js';
import { basisOf } from '../../pipeline/ledger/lots.js';
import type { WalletState } from '../../pipeline/ledger/replay.js';
import { openLots } from '../../pipeline/reports/positions.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { DENOMS, stories } from './random-wallets.js';
import { balances, carriedBetween, hash, incomeOf, makeEvent, replay, rules } from './wallets.js';

const OWN = 'Equity: Own-Wallet Transfers';
const NAMES = ['A', 'B', 'C'];
type Wallets = Record<string, PricedEvent[]>;

/** The two rows of a transfer. */
function transfer(n: number, from: string, to: string, amount: bigint, denom: string, day: string): PricedEvent[] {
  const common = { tx_hash: hash(0x10000 + n), position: n };
  const half = (address: string, counterparty: string, side: 'sent' | 'received', end: string, category: string) =>
    makeEvent(500 + n, day, category, {
      ...common,
      address,
      counterparty,
      id: `${500 + n}-${n}-0-${end}`,
      [`${side}_amount`]: amount,
      [`${side}_denom`]: denom,
      [`${side}_price`]: 3_000_000n,
    });
  return [half(from, to, 'sent', 'out', 'transfer_out'), half(to, from, 'received', 'in', 'transfer_in')];
}

const move = fc.record({
  from: fc.nat(2),
  to: fc.nat(1),
  amount: fc.bigInt(1n, 12_000_000n),
  denom: fc.constantFrom(...DENOMS),
});

/** Three wallets, each with its own story, and then transfers between them. */
const groups = fc
  .record({ told: fc.tuple(stories(true), stories(true), stories(true)), moves: fc.array(move, { maxLength: 12 }) })
  .map(({ told, moves }) => {
    const wallets: Wallets = Object.fromEntries(
      NAMES.map((address, i) => [address, told[i]!.events.map((e) => ({ ...e, address, id: `${e.id}-${address}` }))]),
    );
    for (const [n, { from, to, amount, denom }] of moves.entries()) {
      const [sender, receiver] = [NAMES[from]!, NAMES[(from + 1 + to) % 3]!];
      const [sent, received] = transfer(n, sender, receiver, amount, denom, '2026-05-01');
      wallets[sender]!.push(sent!);
      wallets[receiver]!.push(received!);
    }
    return wallets;
  });

const OPENING = new Map([['uatom', 2_000_000n]]);
const states = (wallets: Wallets, carry: boolean) => {
  const own = carry ? carriedBetween(wallets, undefined, OPENING) : undefined;
  return NAMES.map((address) => replay(wallets[address]!, undefined, undefined, OPENING, [], own, address));
};
const quantityOf = (denom: string, wallets: readonly { wallet: WalletState }[]) =>
  wallets
    .map(({ wallet }) => openLots(wallet.holding(denom)))
    .reduce((sum, { quantity, opening }) => sum + quantity + opening, 0n);
const costOf = (wallets: readonly { wallet: WalletState }[]) =>
  wallets
    .flatMap(({ wallet }) => [...wallet.holdings.values()].map(({ lots }) => lots))
    .concat(wallets.flatMap(({ wallet }) => [...wallet.escrows.values()]))
    .flatMap((lots) => [...lots])
    .reduce((sum, slice) => sum + (basisOf(slice) ?? 0n), 0n);

test('carrying changes no quantity of the group and creates no basis; own transfers net to zero', () => {
  fc.assert(
    fc.property(groups, (wallets) => {
      const [separate, carried] = [states(wallets, false), states(wallets, true)];
      for (const denom of DENOMS) assert.equal(quantityOf(denom, carried), quantityOf(denom, separate), denom);
      const entries = carried.flatMap((one) => one.entries);
      assert.equal(incomeOf(entries), incomeOf(separate.flatMap((one) => one.entries)));
      const cents = (acts: string[]) =>
        entries.filter(({ act }) => acts.includes(act)).reduce((sum, { amount_usd }) => sum + amount_usd, 0n);
      const gone = cents(['dispose', 'relieve', 'burn-deposit']) - cents(['restore']);
      assert.equal(cents(['acquire']), gone + costOf(carried));
      const through = entries.filter(({ act }) => act === 'carry');
      assert.equal(balances(through).get(OWN) ?? 0n, 0n);
      const moved = through.reduce((sum, e) => sum + (e.debit_account === OWN ? 1n : -1n) * (e.quantity ?? 0n), 0n);
      const short = entries.filter(({ act, event_id }) => act === 'acquire' && /^5\d\d-\d+-0-in$/.test(event_id));
      assert.equal(
        moved,
        short.reduce((sum, { quantity }) => sum + quantity!, 0n),
      );
    }),
    { numRuns: 150, seed: 20260105 },
  );
});

test('lots return unchanged, and a wallet named later is replayed first if needed', () => {
  const reward = { received_amount: 10n, received_denom: 'uatom', received_price: 1_000_000_000_000n };
  const [there, arrived] = transfer(1, 'B', 'A', 10n, 'uatom', '2026-02-01');
  const [back, returned] = transfer(2, 'A', 'B', 6n, 'uatom', '2026-02-02');
  const wallets: Wallets = {
    A: [arrived!, back!],
    B: [makeEvent(1, '2026-01-05', 'staking_reward', { ...reward, address: 'B' }), there!, returned!],
  };
  const own = carriedBetween(wallets);
  const [a, b] = ['A', 'B'].map((name) => replay(wallets[name]!, undefined, undefined, undefined, [], own, name));
  const shown = ({ wallet }: typeof a & object) => openLots(wallet.holding('uatom'));
  assert.deepEqual([shown(a!).quantity, shown(a!).cost, shown(a!).oldest], [4n, 400n, '2026-01-05']);
  assert.deepEqual([shown(b!).quantity, shown(b!).cost, shown(b!).oldest], [6n, 600n, '2026-01-05']);
});

test('other tags, decisions, and rows of different payments carry nothing', () => {
  const rows = transfer(1, 'A', 'B', 5n, 'uatom', '2026-02-01');
  const override = { mode: 'override', keepsTreatment: true, value_usd: 1n } as const;
  const account = (tag: string | undefined, more: Partial<PricedEvent> = {}, ...decided: PricedEvent[]) => {
    const read = parseTags(tag === undefined ? {} : { [rows[0]!.tx_hash]: tag }, rules);
    assert.ok('value' in read);
    const decisions = { tags: read.value, assets: new Map(decided.map(({ id }) => [id, override])) };
    const wallets = { A: [rows[0]!], B: [{ ...rows[1]!, ...more }] };
    const own = carriedBetween(wallets, decisions);
    return replay(wallets.A, decisions, undefined, undefined, [], own).entries.map(({ act }) => act)[0];
  };
  assert.equal(account(undefined), 'carry');
  assert.equal(account('own_transfer'), 'carry');
  assert.equal(account('gift'), 'relieve');
  assert.equal(account(undefined, { received_amount: 6n }), 'dispose');
  assert.equal(account(undefined, { counterparty: 'C' }), 'dispose');
  assert.equal(account(undefined, { category: 'airdrop' }), 'dispose');
  for (const row of rows) assert.equal(account(undefined, {}, row), 'dispose');
});
