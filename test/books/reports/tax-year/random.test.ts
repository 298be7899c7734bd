/** Rules that hold for every method and random wallets with shares, escrows, refunds and coins that come home. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../../../pipeline/base/values/day.js';
import { UTC } from '../../../../pipeline/base/values/zones.js';
import { IN_PRICES } from '../../../../pipeline/books/currencies/valuer.js';
import type { AssetDecision, Decisions } from '../../../../pipeline/books/ledger/decisions.js';
import { findOwnTransfers } from '../../../../pipeline/books/ledger/replay.js';
import { methodNamed } from '../../../../pipeline/books/methods/index.js';
import { poolMethodNamed } from '../../../../pipeline/books/pools/index.js';
import { rowsOfPerson } from '../../../../pipeline/books/reports/tax-year/person.js';
import { type OwnerYear, type TaxTerms, yearOfOwner } from '../../../../pipeline/books/reports/tax-year/tax-year.js';
import type { PricedEvent } from '../../../../schemas/types.generated.js';
import { makeEvent, rules, tagsOf } from '../../ledger/wallets.js';

const LOTS = ['fifo', 'lifo', 'hifo'];
const POOLS = ['moving_average', 'total_average', 'same_day_30_days_pool', 'moving_average_superficial'];
const EVER = { first: '2025-01-01', last: '2099-12-31', indexStart: '2025-01-01' };
const SHARES = 'cosmosvaloper1q/7';

interface Life {
  readonly events: readonly PricedEvent[];
  readonly decisions: Decisions;
}

const termsOf = (method: string, unitRounding: TaxTerms['unitRounding'] = 'none'): TaxTerms => ({
  ...{ valuer: IN_PRICES, zone: UTC, yearStart: '04-06', unitRounding, revalued: null },
  method: LOTS.includes(method) ? { lots: methodNamed(method) } : { pool: poolMethodNamed(method)! },
  ...{ free: null, freeMeans: 'long_term' },
});

const yearOf = ({ events, decisions }: Life, terms: TaxTerms, address = 'A'): OwnerYear =>
  yearOfOwner({ address, events, decisions, opening: new Map(), stated: [] }, EVER, terms, rules);

/** Writes the rows of a wallet. Coins are only sent if they are held; in the end everything is sold. */
class Wallet {
  private readonly held = { liquid: 0n, shares: 0n, escrow: 0n, away: 0n };
  private readonly rows: PricedEvent[] = [];
  private readonly tags: Record<string, string> = {};
  private readonly assets = new Map<string, AssetDecision>();
  private day = '2025-01-01';

  step(days: number, kind: Kind, units: bigint, price: bigint): void {
    this.day = addDays(this.day, days);
    const upTo = (max: bigint) => (units < max ? units : max);
    const { liquid, shares, escrow, away } = this.held;
    const sent = (amount: bigint, denom = 'uatom') => ({
      ...{ sent_amount: amount, sent_denom: denom, sent_price: price },
    });
    const received = (amount: bigint, denom = 'uatom') => ({
      ...{ received_amount: amount, received_denom: denom, received_price: price },
    });
    const move = (from: keyof typeof this.held, to: keyof typeof this.held, amount: bigint) => {
      this.held[from] -= amount;
      this.held[to] += amount;
    };
    const coins = upTo({ buy: units, home: away, redeem: shares, unlock: escrow }[kind as string] ?? liquid);
    if (coins === 0n) return;
    if (kind === 'buy') {
      this.held.liquid += coins;
      this.row('staking_reward', received(coins));
    } else if (kind === 'sell') {
      this.held.liquid -= coins;
      this.row('transfer_out', sent(coins));
    } else if (kind === 'tokenize') {
      move('liquid', 'shares', coins);
      this.row('tokenize_shares', { ...sent(coins), ...received(coins, SHARES) });
    } else if (kind === 'redeem') {
      move('shares', 'liquid', coins);
      this.row('redeem_shares', { ...sent(coins, SHARES), ...received(coins) });
    } else if (kind === 'lock') {
      move('liquid', 'escrow', coins);
      this.row('gov_deposit', { ...sent(coins), counterparty: 'gov' });
    } else if (kind === 'unlock') {
      move('escrow', 'liquid', coins);
      this.row('gov_refund', { ...received(coins), counterparty: 'gov' });
    } else if (kind === 'leave') {
      move('liquid', 'away', coins);
      this.tags[this.row('transfer_out', sent(coins)).tx_hash] = 'own_transfer';
    } else if (kind === 'home') {
      move('away', 'liquid', coins);
      this.assets.set(this.row('transfer_in', received(coins)).id, { mode: 'return' });
    } else {
      const link = `packet ${this.rows.length}`;
      this.row('ibc_out', { ...sent(coins), link });
      this.row('ibc_refund', { ...received(coins), link });
    }
  }

  end(): Life {
    for (const kind of ['home', 'redeem', 'unlock', 'sell'] as const) this.step(40, kind, 10n ** 18n, 2_000_000n);
    return { events: this.rows, decisions: { tags: tagsOf(this.rows, this.tags), assets: this.assets } };
  }

  private row(category: string, more: Partial<PricedEvent>): PricedEvent {
    const row = makeEvent(this.rows.length + 1, this.day, category, more);
    this.rows.push(row);
    return row;
  }
}

const KINDS = ['buy', 'buy', 'sell', 'tokenize', 'redeem', 'lock', 'unlock', 'leave', 'home', 'refund'] as const;
type Kind = (typeof KINDS)[number];

const lives = fc
  .array(fc.tuple(fc.nat(60), fc.constantFrom(...KINDS), fc.bigInt(1n, 10n ** 9n), fc.bigInt(0n, 9n * 10n ** 6n)), {
    minLength: 3,
    maxLength: 30,
  })
  .map((steps): Life => {
    const wallet = new Wallet();
    for (const step of steps) wallet.step(...step);
    return wallet.end();
  });

test('over a whole life, the gains of all methods are equal', () => {
  fc.assert(
    fc.property(lives, fc.constantFrom('none', 'up'), (life, unitRounding) => {
      const { income } = yearOf(life, termsOf('fifo'));
      const paid = income.reduce((sum, { amount }) => sum + amount, 0n);
      for (const method of [...LOTS, ...POOLS]) {
        const { lines } = yearOf(life, termsOf(method, unitRounding));
        const proceeds = lines.reduce((sum, line) => sum + line.proceeds!, 0n);
        const gains = lines.reduce((sum, { gain }) => sum + gain!, 0n);
        assert.equal(gains, proceeds - paid, method);
        for (const { rule, cost } of lines) assert.ok(rule !== 'no_lot' && cost !== null && cost >= 0n, method);
      }
    }),
  );
});

test('no method sells more than was acquired by then, and all sell the same', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const bought = new Map<string, bigint>();
      for (const { category, time, received_amount: units } of life.events)
        if (category === 'staking_reward')
          bought.set(time.slice(0, 10), (bought.get(time.slice(0, 10)) ?? 0n) + units!);
      for (const method of [...LOTS, ...POOLS]) {
        const sold = new Map<string, bigint>();
        for (const { entry, units } of yearOf(life, termsOf(method)).lines)
          sold.set(entry.day, (sold.get(entry.day) ?? 0n) + units);
        let held = 0n;
        for (const day of [...new Set([...bought.keys(), ...sold.keys()])].sort()) {
          held += (bought.get(day) ?? 0n) - (sold.get(day) ?? 0n);
          assert.ok(held >= 0n, `${method} ${day}`);
        }
        assert.equal(held, 0n, method);
      }
    }),
  );
});

test('a person with one wallet has the year of its address', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const own = findOwnTransfers([], life.decisions, rules);
      const events = rowsOfPerson(new Map([['A', life.events]]), own, 'person');
      for (const method of [...LOTS, ...POOLS]) {
        const view = ({ lines, costs, income, disposed }: OwnerYear) => [
          lines.map(({ entry, ...line }) => ({ ...line, id: entry.event_id })),
          [...costs],
          [...income, ...disposed].map(({ event_id, amount }) => [event_id, amount]),
        ];
        const terms = termsOf(method);
        assert.deepEqual(view(yearOf({ ...life, events }, terms, 'person')), view(yearOf(life, terms)));
      }
    }),
  );
});
