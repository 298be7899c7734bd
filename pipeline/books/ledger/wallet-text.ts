/**
 * Writes a wallet's state as one line of JSON, and reads it again. A replay by months continues from these lines. Equal
 * states give equal lines.
 */

import { IN_PRICES } from '../currencies/valuer.js';
import { USUAL } from '../terms.js';
import { IncomeTotals } from './income-totals.js';
import { type Lot, type LotQueue, type Slice, type Taken, whole } from './lots.js';
import type { OpeningHoldings } from './opening-coins.js';
import type { Rules } from './rules.js';
import { type Relief, WalletState } from './wallet.js';

/** Amounts are decimal texts. Only converted lots have `origin`. Lots have no day of their own, because nights use UTC. */
type LotText = [acquired: string, arrival: number, quantity: string, basis: string | null, origin?: string[]];

/** A part of a lot, by the lot's index in the wallet's list of lots. The index alone is the whole lot. */
type SliceText = number | [lot: number, from: string, to: string];

interface ReliefText extends Pick<Relief, 'eventId' | 'account'> {
  readonly quantity: string;
  readonly slices: readonly SliceText[];
  readonly short: string;
  readonly basis: string;
  readonly gain: string;
  readonly unknownProceeds: string;
}

interface WalletText {
  readonly address: string;
  readonly opening: readonly [denom: string, units: string][] | null;
  readonly arrivals: number;
  /** See Remainder in income-totals.ts. */
  readonly income: readonly [account: string, denom: string, part: string][];
  readonly lots: readonly LotText[];
  readonly holdings: readonly [denom: string, unmatched: string, decidedAway: string, slices: SliceText[]][];
  readonly escrows: readonly [key: string, slices: SliceText[]][];
  readonly made: readonly [key: string, lots: number[]][];
  readonly relieved: readonly [key: string, relief: ReliefText][];
}

export function walletToText(wallet: WalletState): string {
  const lots = new LotList();
  const holdings = [...wallet.holdings.values()].map(
    ({ denom, unmatched, decidedAway, lots: queue }): WalletText['holdings'][number] => [
      denom,
      String(unmatched),
      String(decidedAway),
      lots.slicesOf(queue),
    ],
  );
  const escrows = [...wallet.escrows].map(([key, queue]): [string, SliceText[]] => [key, lots.slicesOf(queue)]);
  const made = [...wallet.made].map(([key, list]): [string, number[]] => [key, list.map((lot) => lots.placeOf(lot))]);
  const relieved = [...wallet.relieved].map(([key, relief]): [string, ReliefText] => [key, reliefText(relief, lots)]);
  const text: WalletText = {
    address: wallet.address,
    opening: wallet.opening ? [...wallet.opening].map(([denom, units]) => [denom, String(units)]) : null,
    arrivals: wallet.arrivals,
    income: wallet.income.remainders().map(([account, denom, part]) => [account, denom, String(part)]),
    lots: lots.texts,
    holdings,
    escrows: escrows.filter(([, slices]) => slices.length > 0),
    made,
    relieved,
  };
  return JSON.stringify(text);
}

const START = '{"address":"';

/** Returns the address of a line without parsing the rest. */
export const walletAddress = (line: string): string => line.slice(START.length, line.indexOf('"', START.length));

/** @throws TypeError if the line is no state of a wallet */
export function walletFromText(line: string, rules: Rules): WalletState {
  const text = JSON.parse(line) as WalletText;
  const opening: OpeningHoldings = text.opening
    ? new Map(text.opening.map(([denom, units]) => [denom, BigInt(units)]))
    : undefined;
  const income = new IncomeTotals(
    IN_PRICES,
    text.income.map(([account, denom, part]) => [account, denom, BigInt(part)]),
  );
  const wallet = WalletState.restored(
    { ...USUAL, rules, address: text.address },
    { opening, arrivals: text.arrivals, income },
  );
  const lots = text.lots.map(
    ([acquired, arrival, quantity, basis, origin]): Lot => ({
      acquired,
      day: acquired,
      arrival,
      ...(origin && { origin: origin.map(BigInt) }),
      quantity: BigInt(quantity),
      basis: basis === null ? null : BigInt(basis),
    }),
  );
  const slices = (texts: readonly SliceText[]): Slice[] =>
    texts.map((text) => {
      if (typeof text === 'number') return whole(lots[text]!);
      const [lot, from, to] = text;
      return { lot: lots[lot]!, from: BigInt(from), to: BigInt(to) };
    });
  const fill = (queue: LotQueue, texts: readonly SliceText[]) => {
    for (const slice of slices(texts)) queue.append(slice);
  };
  for (const [denom, unmatched, decidedAway, parts] of text.holdings) {
    const holding = wallet.holding(denom);
    holding.unmatched = BigInt(unmatched);
    holding.decidedAway = BigInt(decidedAway);
    fill(holding.lots, parts);
  }
  for (const [key, parts] of text.escrows) fill(wallet.escrowOf(key), parts);
  for (const [key, places] of text.made)
    wallet.made.set(
      key,
      places.map((place) => lots[place]!),
    );
  for (const [key, relief] of text.relieved) {
    const { eventId, account, quantity, short, basis, gain, unknownProceeds } = relief;
    const taken: Taken = { slices: slices(relief.slices), short: BigInt(short) };
    wallet.relieved.set(key, {
      eventId,
      account,
      quantity: BigInt(quantity),
      taken,
      basis: BigInt(basis),
      gain: BigInt(gain),
      unknownProceeds: BigInt(unknownProceeds),
    });
  }
  return wallet;
}

/** Numbers lots in the order of their first slice. Slices that share a lot must still share it after reading. */
class LotList {
  readonly texts: LotText[] = [];
  private readonly places = new Map<Lot, number>();

  placeOf(lot: Lot): number {
    const known = this.places.get(lot);
    if (known !== undefined) return known;
    const { acquired, arrival, quantity, basis, origin } = lot;
    const text: LotText = [acquired, arrival, String(quantity), basis === null ? null : String(basis)];
    if (origin) text.push(origin.map(String));
    this.places.set(lot, this.texts.length);
    return this.texts.push(text) - 1;
  }

  slicesOf = (slices: Iterable<Slice>): SliceText[] =>
    Array.from(slices, ({ lot, from, to }): SliceText => {
      const place = this.placeOf(lot);
      return from === 0n && to === lot.quantity ? place : [place, String(from), String(to)];
    });
}

function reliefText(relief: Relief, lots: LotList): ReliefText {
  const { eventId, account, quantity, taken, basis, gain, unknownProceeds } = relief;
  return {
    eventId,
    account,
    quantity: String(quantity),
    slices: lots.slicesOf(taken.slices),
    short: String(taken.short),
    basis: String(basis),
    gain: String(gain),
    unknownProceeds: String(unknownProceeds),
  };
}
