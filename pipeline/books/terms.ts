/** How the books of a request are kept, and the sentences about it. */

import { UTC, type Zone, zoneNamed } from '../base/values/zones.js';
import type { Currency } from './currencies/currency.js';
import { usd } from './currencies/usd.js';
import { fifo } from './methods/fifo.js';
import { methodNamed } from './methods/index.js';
import type { LotMethod } from './methods/method.js';

export interface Terms {
  readonly currency: Currency;
  readonly method: LotMethod;
  /** Decides on which day an instant is. */
  readonly zone: Zone;
  /** True if transfers between the wallets carry their lots along (docs/decisions/requests.md, R11). */
  readonly carriesLots: boolean;
}

interface WalletsOfBooks {
  readonly addresses: readonly string[];
  readonly own_wallets: 'separate' | 'carry';
}

/** Reports whether transfers between the wallets of a request carry their lots along. */
export const carriesLots = ({ addresses, own_wallets: ownWallets }: WalletsOfBooks): boolean =>
  ownWallets === 'carry' && addresses.length > 1;

/** The terms of a nightly run, and of a request that names none. */
export const USUAL: Terms = { currency: usd, method: fifo, zone: UTC, carriesLots: false };

/**
 * Returns the terms for values of parameters.
 * @param method a name in methods/index.ts
 * @param timezone a name in the runtime's database; by default UTC
 */
export const termsOf = ({
  method,
  timezone,
  addresses = [],
  own_wallets = 'separate',
}: {
  readonly method: string;
  readonly timezone?: string | undefined;
} & Partial<WalletsOfBooks>): Terms => ({
  ...USUAL,
  method: methodNamed(method),
  zone: zoneNamed(timezone),
  carriesLots: carriesLots({ addresses, own_wallets }),
});

/** Returns the sentences that answers, papers and pages print about the terms. */
export const sentences = ({ method, zone, carriesLots: isCarried }: Terms) => ({
  lots: isCarried
    ? `Transfers between these wallets carry their lots along. In each wallet ${method.rule} (${method.term}).`
    : `Every wallet keeps its own lots, and ${method.rule} (${method.term}).`,
  /** '' for the usual terms. */
  days: zone === USUAL.zone ? '' : `Days are those of ${zone.name}; every price is that of a ${USUAL.zone.name} day.`,
  /** '' for the usual terms. */
  whatIf: method === USUAL.method ? '' : `This is a what-if calculation: the usual method is ${USUAL.method.term}.`,
});
