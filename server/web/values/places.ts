/** Groups coins that went to own places, and receipts that may have come home, by place. */
import { type Movement, mayReturn, probableReturns } from '../../../pipeline/books/ledger/homecoming.js';
import type { TransferredLot } from '../../../schemas/types.generated.js';
import { chainOf, haveSameBytes } from './addresses.js';
import type { ByRow, StatedRow } from './by-row.js';
import { dayBefore } from './dates.js';
import { sumOf, textOf, unitsOf } from './decimal.js';

/** The members of a row that its place follows from. */
export interface PlaceRow extends StatedRow {
  /** 'YYYY-MM-DD HH:MM:SS' in UTC. */
  readonly date: string;
  readonly height: number;
  readonly category: string;
  readonly counterparty: string;
  readonly detail: string;
  readonly receivedAmount: string;
  readonly receivedCurrency: string;
  readonly receivedDenom: string;
}

export type ReturnAnswer = 'yes' | 'no' | undefined;

export interface PlaceReceipt<Row extends PlaceRow = PlaceRow> {
  readonly row: Row;
  readonly answer: ReturnAnswer;
  /** True if the page proposes that the coins came home. */
  readonly isProbable: boolean;
}

/** A coin that went to a place, or came from it. Amounts are displayed units. */
export interface PlaceCoin {
  readonly symbol: string;
  readonly sent: string;
  /** What came from there, without receipts that are no returns by the user's answer. */
  readonly came: string;
  /** What was sent there and has not come back by the user's answers; below zero if more came back. */
  readonly away: string;
}

export interface Place<Row extends PlaceRow = PlaceRow> {
  /** The name that the user gave, or else the address. */
  readonly key: string;
  readonly name: string;
  /** Name of the chain if this is an address of the wallet's own key. */
  readonly chain: string | undefined;
  /** Wallets with addresses of the place as ids. */
  readonly addresses: readonly StatedRow[];
  readonly lots: readonly TransferredLot[];
  /** Receipts that the page proposes come first. */
  readonly receipts: readonly PlaceReceipt<Row>[];
  readonly coins: readonly PlaceCoin[];
}

interface Known<Row extends PlaceRow> {
  /** Lots of all sends to own places, in chain order for each wallet. */
  readonly lots: readonly TransferredLot[];
  /** Rows since the first of these sends, with the sends themselves. */
  readonly rows: readonly Row[];
  readonly names: ByRow<string>;
  /** True if the wallets have one account of coins that are away. */
  readonly isCarried: boolean;
  readonly answerTo: (row: Row) => ReturnAnswer;
  /** True for receipts that the user has answered in another way. */
  readonly isSettled: (row: Row) => boolean;
  /** True for receipts that the user says came from an own place, whatever their sender is. */
  readonly isOwn: (row: Row) => boolean;
}

/** Receivers of a payment to several receivers have no address in the row. */
const SEVERAL = 'several receivers';

/** Matches the channel in the detail of a row (pipeline/classify/modules/ibc.ts). */
const CHANNEL = /^Over ([\w-]+)/;

export function placesOf<Row extends PlaceRow>(known: Known<Row>): Place<Row>[] {
  const { lots, names } = known;
  const keyOf = (wallet: string, address: string) => names[wallet]?.[address] ?? address;
  const receivers = new Set(lots.map((lot) => keyOf(lot.address, lot.receiver ?? SEVERAL)));
  const couldReturn = returnTest(known);
  const isOfPlace = (row: Row) =>
    known.answerTo(row) === 'yes' ||
    (!known.isSettled(row) && couldReturn(row) && (isKnownSender(row) || known.isOwn(row)));
  const isKnownSender = ({ address, counterparty }: Row) =>
    counterparty !== '' &&
    (receivers.has(keyOf(address, counterparty)) ||
      (haveSameBytes(address, counterparty) && chainOf(counterparty) !== undefined));
  const receipts = known.rows
    .filter((row) => mayReturn(received(row)) && isOfPlace(row))
    .sort((a, b) => a.height - b.height);
  const probable = probableOf(known, receipts);
  const groups = new Map<string, { addresses: StatedRow[]; lots: TransferredLot[]; rows: Row[] }>();
  const groupOf = (wallet: string, address: string) => {
    const key = keyOf(wallet, address);
    const group = groups.get(key) ?? { addresses: [], lots: [], rows: [] };
    groups.set(key, group);
    if (!group.addresses.some((one) => one.address === wallet && one.id === address))
      group.addresses.push({ address: wallet, id: address });
    return group;
  };
  for (const lot of lots) groupOf(lot.address, lot.receiver ?? SEVERAL).lots.push(lot);
  for (const row of receipts) groupOf(row.address, row.counterparty || 'an unknown sender').rows.push(row);
  return [...groups]
    .map(([key, group]): Place<Row> => {
      const its = group.rows.map((row) => ({ row, answer: known.answerTo(row), isProbable: probable.has(row.id) }));
      const [{ address, id }] = group.addresses as [StatedRow];
      const chain = haveSameBytes(address, id) ? (chainOf(id) ?? 'another chain') : undefined;
      const name = key === id && chain !== undefined ? `Your address on ${chain}` : key;
      return {
        ...{ key, name, chain, addresses: group.addresses, lots: group.lots },
        receipts: its.sort((a, b) => Number(b.isProbable) - Number(a.isProbable) || a.row.height - b.row.height),
        coins: coinsOf(group.lots, its),
      };
    })
    .sort((a, b) => openIn(b) - openIn(a) || b.receipts.length - a.receipts.length);
}

const openIn = ({ receipts }: Place) => receipts.filter(({ answer }) => answer === undefined).length;

const received = ({ category, receivedDenom }: PlaceRow) => ({ category, received_denom: receivedDenom || null });

interface Sent {
  readonly lots: readonly TransferredLot[];
  readonly isCarried: boolean;
}

/** Returns a test whether coins of a row's denom had been sent to an own place before, by its wallet or a joint account. */
export function returnTest({ lots, isCarried }: Sent): (row: PlaceRow) => boolean {
  const keyOf = (address: string, denom: string) => (isCarried ? denom : `${address} ${denom}`);
  const first = new Map<string, string>();
  for (const { address, denom, date } of lots) {
    const key = keyOf(address, denom);
    if (date < (first.get(key) ?? '~')) first.set(key, date);
  }
  return (row) => {
    const day = first.get(keyOf(row.address, row.receivedDenom));
    // A day of the user's zone may be later than the UTC day.
    return day !== undefined && mayReturn(received(row)) && dayBefore(day) <= row.date.slice(0, 10);
  };
}

function probableOf<Row extends PlaceRow>(
  { rows, lots, isCarried, answerTo }: Known<Row>,
  receipts: readonly Row[],
): ReadonlySet<string> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ofAll = isCarried ? 'all' : undefined;
  const sends = lots.flatMap((lot): Movement[] => {
    const row = byId.get(lot.row);
    if (!row || !haveSameBytes(lot.address, lot.receiver ?? '')) return [];
    const { denom, quantity } = lot;
    return [{ ...placed(row, ofAll), denom, quantity: unitsOf(quantity) }];
  });
  const arrived = receipts
    .filter((row) => answerTo(row) !== 'no' && haveSameBytes(row.address, row.counterparty))
    .map((row) => ({ ...placed(row, ofAll), denom: row.receivedDenom, quantity: unitsOf(row.receivedAmount) }));
  return probableReturns(sends, arrived);
}

const placed = ({ id, address, date, detail }: PlaceRow, owner = address) => ({
  ...{ id, owner, day: date.slice(0, 10) },
  channel: CHANNEL.exec(detail)?.[1] ?? '',
});

function coinsOf(lots: readonly TransferredLot[], receipts: readonly PlaceReceipt[]): PlaceCoin[] {
  const symbols = new Map<string, string>([
    ...lots.map(({ denom, symbol }) => [denom, symbol] as const),
    ...receipts.map(({ row }) => [row.receivedDenom, row.receivedCurrency] as const),
  ]);
  return [...symbols].map(([denom, symbol]) => {
    const sent = sumOf(lots.filter((lot) => lot.denom === denom).map(({ quantity }) => quantity));
    const cameWith = (...answers: ReturnAnswer[]) =>
      sumOf(
        receipts
          .filter(({ row, answer }) => row.receivedDenom === denom && answers.includes(answer))
          .map(({ row }) => row.receivedAmount),
      );
    const away = textOf(unitsOf(sent) - unitsOf(cameWith('yes')));
    return { symbol, sent, came: cameWith('yes', undefined), away };
  });
}
