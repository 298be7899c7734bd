/** Groups sends by their receivers. A transaction that pays several receivers is one payment. */
import { type ByRow, changed, type StatedRow } from './by-row.js';
import { PLACES, sumOf, textOf, unitsOf } from './decimal.js';

/** The members of a row that name its receivers. */
export interface Send extends StatedRow {
  readonly txHash: string;
  readonly counterparty: string;
  readonly detail: string;
  readonly sentAmount: string;
  readonly sentCurrency: string;
}

export interface Paid {
  readonly address: string;
  /** Displayed units; '' if unknown. */
  readonly amount: string;
}

interface Receivers {
  readonly listed: readonly Paid[];
  /** Number of receivers that the row does not name. */
  readonly others: number;
}

/** Matches the detail of a row that pays several receivers (pipeline/classify/modules/bank.ts). */
const SEVERAL = /^To (\d+) receivers, in base units: (.*)$/;
const ADDRESS = /^[a-z]+1\w+$/;

/** Returns the receivers of a row. A row of MsgMultiSend has no counterparty, but its detail lists them. */
function receiversOf({ counterparty, detail, sentAmount }: Send): Receivers {
  const [, count, list = ''] = SEVERAL.exec(detail) ?? [];
  if (counterparty !== '') return { listed: [{ address: counterparty, amount: sentAmount }], others: 0 };
  if (count === undefined) return { listed: [], others: 0 };
  const parts = list.split(', ').map((part) => /^(.*) (\d+)$/.exec(part)!);
  const decimals = decimalsOf(
    parts.reduce((sum, [, , units]) => sum + BigInt(units!), 0n),
    sentAmount,
  );
  const listed = parts
    .filter(([, name]) => ADDRESS.test(name!))
    .map(([, address, units]) => ({ address: address!, amount: shown(BigInt(units!), decimals) }));
  return { listed, others: Number(count) - listed.length };
}

/** Returns the decimals with which a sum of base units is the displayed amount; undefined if there are none. */
function decimalsOf(units: bigint, amount: string): number | undefined {
  const candidates = Array.from({ length: PLACES + 1 }, (_, decimals) => decimals);
  return candidates.find((decimals) => units * 10n ** BigInt(PLACES - decimals) === unitsOf(amount));
}

const shown = (units: bigint, decimals: number | undefined): string =>
  decimals === undefined ? '' : textOf(units * 10n ** BigInt(PLACES - decimals));

/** Sends to the same receivers. */
export interface Payment<Row extends Send> {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly transactions: number;
  readonly receivers: readonly Receiver<Row>[];
  /** Number of receivers that the rows do not name. */
  readonly others: number;
}

export interface Receiver<Row extends Send> {
  readonly address: string;
  /** Rows that pay only this receiver. */
  readonly rows: readonly Row[];
  /** Sums of all payments to it, also of rows that pay several receivers. */
  readonly sums: Sums;
}

/** Amounts by symbol. An amount is '' if a part of it is unknown. */
export type Sums = ReadonlyMap<string, string>;

/** Returns the number of receivers, or 0 if no row names one. */
export const receiverCount = ({ receivers, others }: Payment<Send>): number => receivers.length + others;

export const sumsOf = (rows: readonly Send[]): Sums =>
  sumsBySymbol(rows.map((row) => ({ symbol: row.sentCurrency, amount: row.sentAmount })));

const sumsBySymbol = (parts: readonly { readonly symbol: string; readonly amount: string }[]): Sums =>
  new Map(
    [...groupBy(parts, ({ symbol }) => symbol)].map(([symbol, ofSymbol]) => {
      const amounts = ofSymbol.map(({ amount }) => amount);
      return [symbol, amounts.includes('') ? '' : sumOf(amounts)];
    }),
  );

/**
 * Returns one payment for each set of receivers, the payments with most rows first. Transactions belong to the same
 * payment if they pay the same receivers.
 */
export function paymentsOf<Row extends Send>(rows: readonly Row[]): Payment<Row>[] {
  const transactions = groupBy(rows, ({ address, txHash }) => `${address} ${txHash}`);
  const payments = groupBy([...transactions.values()], (sends) => {
    const all = sends.map(receiversOf);
    const addresses = new Set(all.flatMap(({ listed }) => listed.map(({ address }) => address)));
    const isWhole = all.every(({ others }) => others === 0);
    return [...[...addresses].sort(), ...(isWhole ? [] : [`others of ${sends[0]!.id}`])].join(' ');
  });
  return [...payments]
    .map(([key, sends]) => paymentOf(key, sends))
    .sort((one, other) => other.rows.length - one.rows.length);
}

function paymentOf<Row extends Send>(key: string, transactions: readonly (readonly Row[])[]): Payment<Row> {
  const rows = transactions.flat();
  const paid = rows.flatMap((row) => receiversOf(row).listed.map((one) => ({ ...one, row })));
  const receivers = [...groupBy(paid, ({ address }) => address)].map(([address, parts]) => ({
    address,
    rows: parts.filter(({ row }) => row.counterparty !== '').map(({ row }) => row),
    sums: sumsBySymbol(parts.map(({ row, amount }) => ({ symbol: row.sentCurrency, amount }))),
  }));
  const others = Math.max(...rows.map((row) => receiversOf(row).others));
  return { key, rows, transactions: transactions.length, receivers, others };
}

interface SendDecisions {
  readonly tags: ByRow<string>;
  /** Tags by wallet and receiver. */
  readonly receivers: ByRow<string>;
}

/** Returns the answers after sends got a tag, which is remembered for their receivers. @param name '' removes the tag */
export function taggedSends({ tags, receivers }: SendDecisions, sends: readonly Send[], name: string): SendDecisions {
  const value = name === '' ? undefined : name;
  const paid = sends.flatMap((send) =>
    receiversOf(send).listed.map(({ address: id }) => ({ address: send.address, id })),
  );
  return { tags: changed(tags, sends, value), receivers: changed(receivers, paid, value) };
}

/** Returns the tags after remembered tags were applied to sends; the same object if there are none. */
export function withRemembered({ tags, receivers }: SendDecisions, sends: readonly Send[]): ByRow<string> {
  const bySend = groupBy(sends, (send) => rememberedTag(receivers, send));
  bySend.delete('');
  return [...bySend].reduce((all, [name, remembered]) => changed(all, remembered, name), tags);
}

/** Returns the tag that all receivers of a send have; '' if there is none. */
function rememberedTag(receivers: ByRow<string>, send: Send): string {
  const { listed, others } = receiversOf(send);
  const tags = new Set(listed.map(({ address }) => receivers[send.address]?.[address] ?? ''));
  return tags.size === 1 && others === 0 ? [...tags][0]! : '';
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
