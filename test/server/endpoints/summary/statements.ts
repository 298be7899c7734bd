/** Statements about every row and every opening coin of wallets that take one, so that all that they change is tried at once. */
import assert from 'node:assert/strict';
import { noDecisions } from '../../../../pipeline/books/ledger/decisions.js';
import { RETURNING } from '../../../../pipeline/books/ledger/homecoming.js';
import { parseOpeningLots } from '../../../../pipeline/books/ledger/opening-lots.js';
import { positionsOf } from '../../../../pipeline/books/reports/positions.js';
import type { EventList } from '../../../../schemas/types.generated.js';
import { openBooks } from '../../../../server/tax/dataset/wallet-ledger.js';
import type { TestServer } from '../../harness.js';
import { posting } from '../../people/accounts/signed-in.js';
import type { Ask, Held } from './ties.js';

const IN = ['income', 'purchase', 'gift', 'loan', 'ignore', 'airdrop', 'own_transfer'];
const OUT = ['sale', 'donation', 'gift', 'lost', 'expense', 'own_transfer', 'payment'];
const TAGGED = ['transfer_in', 'transfer_out', 'ibc_in', 'ibc_out'];

/** Excludes every flagged receipt. */
export const EXCLUDED = { asset_decisions: JSON.stringify({ '*': { mode: 'exclude' } }) };

/** Groups wallets, as many together as a request may have. */
export const inRequests = (wallets: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(wallets.length / 50) }, (_, i) => wallets.slice(i * 50, (i + 1) * 50));

/** Members of a body whose value is JSON in a query, and others that a body names in another way. */
const MEMBERS: Record<string, string> = {
  tags: 'userTags',
  asset_decisions: 'assetDecisions',
  opening_lots: 'openingLots',
};
const NAMES: Record<string, string> = { own_wallets: 'ownWallets' };

/** The body that says the same as a query. */
export const bodyOf = (query: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) =>
      MEMBERS[name] ? [MEMBERS[name], JSON.parse(value)] : [NAMES[name] ?? name, value],
    ),
  );

/** Asks by POST, so that statements about every row have room. @param base of the server, once it runs */
export const askByPost =
  (base: () => string): Ask =>
  async (path, query) => {
    const answer = await fetch(`${base()}/api/tax/v1/${path}`, posting(bodyOf(query)));
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };

/** The positions before the index, where opening lots of a query are lots already. */
export function heldBefore(server: TestServer, { address, opening_lots = '[]' }: Record<string, string>): Held[] {
  const lease = server.datasets.lease()!;
  const { dataset } = lease;
  const openingLots = parseOpeningLots(JSON.parse(opening_lots), dataset.reference.rules, dataset.exchangeRates());
  assert.ok('value' in openingLots);
  const statements = { decisions: noDecisions, openingLots: openingLots.value, method: 'fifo' };
  const books = address!.split(',').map((wallet) => openBooks(dataset, wallet, statements));
  lease.release();
  return books.flatMap(({ wallet }) => positionsOf(wallet, () => null));
}

/**
 * Makes a tag for each transfer, in turn, an opening lot of a half of each wallet's native coins before the index, and a
 * return of every third receipt that may come home.
 * @param held what the wallets held before the index
 * @returns the parameters `tags`, `opening_lots` and `asset_decisions`
 */
export async function statementsOf(ask: Ask, addresses: readonly string[], held: readonly Held[]) {
  const query = { address: addresses.join(','), ...EXCLUDED };
  const { events } = await ask<EventList>('events', query);
  const transfers = events.filter(({ category }) => TAGGED.includes(category));
  const tags = transfers.map(({ id, sentAmount }, i) => [id, (sentAmount === '' ? IN : OUT)[i % IN.length]]);
  const lots = held
    .filter(({ denom }) => denom === 'uatom')
    .map(({ address, denom, opening_quantity }, i) => ({
      ...{ address, denom, quantity: halfOf(opening_quantity) },
      acquired_date: i % 2 === 0 ? '2021-05-05' : '2025-11-11',
      cost_basis_usd: `${i}23.45`,
    }));
  const home = events.filter((event) => RETURNING.includes(event.category) && event.receivedAmount !== '');
  const returns = home
    .filter(({ valueStatus }, i) => i % 3 === 0 && valueStatus !== 'excluded')
    .map(({ id }) => [id, { mode: 'return' }]);
  return {
    asset_decisions: JSON.stringify({ ...JSON.parse(EXCLUDED.asset_decisions), ...Object.fromEntries(returns) }),
    tags: JSON.stringify(Object.fromEntries(tags)),
    opening_lots: JSON.stringify(lots.filter(({ quantity }) => quantity !== '0')),
  };
}

/** A half of the displayed units, cut to whole ones; all where there is less than two. */
function halfOf(quantity: string): string {
  const [whole = '0'] = quantity.split('.');
  return BigInt(whole) < 2n ? quantity : String(BigInt(whole) / 2n);
}
