/** Formats the explanation of a row as paragraphs with titles, from the block to the journal entries and lots. */

import { harmless } from '../../pipeline/base/json/quoted.js';
import { formatCents, formatDecimal, PRICE_DECIMALS } from '../../pipeline/base/values/amount.js';
import type { Entry } from '../../pipeline/books/ledger/entry.js';
import { isOpening } from '../../pipeline/books/ledger/opening-coins.js';
import type { Rules } from '../../pipeline/books/ledger/rules.js';
import { readSlices } from '../../pipeline/books/ledger/slices.js';
import { type EventRow, NO_PRICE, UNREACHED } from '../../pipeline/books/reports/event-row.js';
import { USUAL } from '../../pipeline/books/terms.js';
import type { Price, PricedEvent } from '../../schemas/types.generated.js';
import { type Books, denomsOf, type NewLot, type OpenLots } from './books.js';
import { type Origin, restsOnState } from './dataset.js';
import { quoted, SHOWN_MAX } from './words.js';

const coins = (units: bigint, denom: string, rules: Rules): string => {
  const { decimals, symbol } = rules.denomination(denom);
  return `${formatDecimal(units, decimals)} ${symbol}`;
};

const dollars = (cents: bigint | null): string =>
  cents === null ? 'unknown' : `${formatCents(cents)} ${USUAL.currency.code}`;
const unitPrice = (price: bigint): string => `${formatDecimal(price, PRICE_DECIMALS)} ${USUAL.currency.code}`;

/** Formats a decoded message as JSON, with large numbers as text and bytes as base64. */
export function messageJson(value: unknown): string {
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'bigint') return String(member);
    return member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member;
  });
  return harmless(json.length > SHOWN_MAX ? `${json.slice(0, SHOWN_MAX)}…` : json);
}

export interface Explanation {
  readonly row: PricedEvent;
  /** Undefined if the row has no event, or if its block is not stored. */
  readonly origin: Origin | undefined;
  /** Published prices of the row's denoms on the day of the row. */
  readonly prices: readonly Price[];
  /** Denoms for whose price no market could be reached on that day. */
  readonly unreached: readonly string[];
  readonly books: Books;
}

const NAME_WIDTH = 13;

const paragraph = (name: string, lines: readonly string[]): string =>
  lines.map((line, i) => `${(i === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`).join('\n');

/** Formats the amounts of a row: sent (−), received (+) and fee. */
export function movement(row: PricedEvent, rules: Rules): string {
  const parts = [
    row.fee_amount === null ? [] : [`-${coins(row.fee_amount, row.fee_denom!, rules)} fee`],
    row.sent_amount === null ? [] : [`-${coins(row.sent_amount, row.sent_denom!, rules)}`],
    row.received_amount === null ? [] : [`+${coins(row.received_amount, row.received_denom!, rules)}`],
  ];
  return parts.flat().join(', ') || 'moves nothing';
}

export function describe(explanation: Explanation, rules: Rules): string {
  const { row, origin, books } = explanation;
  return [
    paragraph('row', rowLines(books.shown, rules)),
    ...(origin
      ? [
          paragraph('block', blockLines(origin)),
          paragraph('transaction', transactionLines(origin)),
          paragraph('event', eventLines(origin)),
          paragraph('payments', paymentLines(origin, row.address, rules)),
        ]
      : [paragraph('block', [`${row.height}, ${row.time} UTC; ${missingOrigin(row)}`])]),
    paragraph('price', priceLines(explanation, rules)),
    paragraph('lots', lotLines(books, rules)),
    paragraph('journal', journalLines(books.entries, rules)),
  ].join('\n\n');
}

const missingOrigin = (row: PricedEvent): string =>
  restsOnState(row) ? 'the row follows from the starting state' : 'the raw block is not stored here';

function rowLines({ event: row, category, taxable, value, priceMissing }: EventRow, rules: Rules): string[] {
  const worth = priceMissing ? 'worth unknown: no price' : `worth ${dollars(value)}`;
  const lines = [
    row.counterparty && `counterparty ${row.counterparty}`,
    row.validator && `validator ${row.validator}`,
    row.reward_trigger && `trigger ${row.reward_trigger}`,
    row.detail && `detail ${quoted(row.detail)}`,
    row.link && `linked with other rows by ${row.link}`,
    row.unsolicited && 'the receiver signed nothing for it',
  ];
  return [
    `${row.id} of ${row.address}`,
    `${row.category}, ${taxable ? 'taxable' : 'a record only'}: ${category.description}`,
    `${movement(row, rules)}; ${worth}`,
    ...lines.flatMap((line) => line || []),
  ];
}

function blockLines({ block }: Origin): string[] {
  return [`${block.height} of ${block.chainId}, ${block.time}`, `hash ${block.hash}`];
}

function transactionLines({ transaction, part }: Origin): string[] {
  if (!transaction) return [`none: the chain acted itself, in ${part?.phase ?? 'the block'}`];
  const { index, hash, code, memo } = transaction;
  const outcome = code === 0 ? 'succeeded' : `failed with code ${code}`;
  const message = part?.message;
  return [
    `${hash}, number ${index} of the block, ${outcome}`,
    ...(memo === '' ? [] : [`memo ${quoted(memo)}`]),
    ...(message ? [`message ${message.typeUrl}${part.via ? ` by way of ${part.via}` : ''}`] : []),
    ...(message?.value === undefined ? [] : [`  ${messageJson(message.value)}`]),
    ...(message ? [] : [`${part?.phase ?? 'no'} handler: outside the messages`]),
  ];
}

function eventLines({ event, index, transaction }: Origin): string[] {
  const place = transaction ? 'of the transaction' : "of the block's own";
  return [
    `${event.type}, number ${index} ${place}`,
    ...event.attributes.map(({ key, value }) => `  ${key} = ${quoted(value)}`),
  ];
}

function paymentLines({ payments }: Origin, address: string, rules: Rules): string[] {
  if (payments.length === 0) return ['none to or from the wallet'];
  const name = (party: string | null, nobody: string) => (party === address ? 'the wallet' : (party ?? nobody));
  return payments.map(
    ({ index, from, to, denom, amount }) =>
      `event ${index}: ${coins(amount, denom, rules)} from ${name(from, 'nobody (minted)')} to ${name(to, 'nobody (burned)')}`,
  );
}

function priceLines({ row, prices, unreached }: Explanation, rules: Rules): string[] {
  const day = row.time.slice(0, 10);
  const lines = denomsOf(row).map((denom) => {
    const { symbol } = rules.denomination(denom);
    const price = prices.find((other) => other.denom === denom);
    if (!price) return `${symbol} on ${day}: ${unreached.includes(denom) ? UNREACHED : NO_PRICE}`;
    const without = price.rejected === '' ? '' : `, without the outliers ${price.rejected}`;
    const from = `${price.sources.includes(',') ? 'median of' : 'the quote of'} ${price.sources.replaceAll(',', ', ')}${without}`;
    return `${symbol} on ${day}: ${unitPrice(price.usd)}, ${from}; methodology ${price.methodology_version}`;
  });
  return lines.length > 0 ? lines : ['none: the row moves no coins with a price'];
}

function lotLines({ entries, before, after, arrived }: Books, rules: Rules): string[] {
  const lines = [
    ...entries.flatMap((entry) => sliceLines(entry, rules)),
    ...arrived.map((lot) => arrivedLine(lot, rules)),
    ...before.flatMap((lots, i) => heldLines(lots, after[i]!, rules)),
  ];
  return lines.length > 0 ? lines : ['none: the row moves nothing'];
}

function sliceLines({ act, slices, denom }: Entry, rules: Rules): string[] {
  return readSlices(slices).map(({ acquired, quantity, basis, proceeds }) => {
    const lot = lotWords(acquired, basis);
    const sold = proceeds === null ? '' : `, proceeds ${dollars(proceeds)}`;
    return `${act}: ${coins(quantity, denom, rules)} of ${lot}${sold}`;
  });
}

function lotWords(acquired: string | null, basis: bigint | null): string {
  if (acquired === null) return `no lot, basis ${dollars(basis)}`;
  const lot = isOpening({ acquired }) ? 'coins held before the index' : `the lot of ${acquired}`;
  return `${lot}, basis ${dollars(basis)}`;
}

function arrivedLine({ denom, lot, left }: NewLot, rules: Rules): string {
  const made = `arrived in its transaction: ${coins(lot.quantity, denom, rules)} acquired ${lot.acquired}, basis ${dollars(lot.basis)}`;
  return `${made}; ${coins(left, denom, rules)} of it open after the wallet's last row`;
}

function heldLines(before: OpenLots, after: OpenLots, rules: Rules): string[] {
  const described = ({ denom, lots, quantity, opening, unknown, basis }: OpenLots) => {
    const older = opening === 0n ? '' : `, and ${coins(opening, denom, rules)} held before the index`;
    // For coins of unknown basis, 0.00 would look like a known basis.
    const known = unknown > 0n && unknown === quantity ? 'unknown' : dollars(basis);
    const rest = unknown > 0n && unknown < quantity ? ` and unknown for ${coins(unknown, denom, rules)}` : '';
    return `${coins(quantity, denom, rules)} in ${lots} ${lots === 1 ? 'lot' : 'lots'}, basis ${known}${rest}${older}`;
  };
  return [`before its transaction: ${described(before)}`, `after it: ${described(after)}`];
}

function journalLines(entries: readonly Entry[], rules: Rules): string[] {
  if (entries.length === 0) return ['no entry'];
  return entries.flatMap(({ entry_id, debit_account, credit_account, amount, quantity, denom, memo }) => {
    const { symbol, decimals } = rules.denomination(denom);
    const moved = quantity === null ? '' : ` (${formatDecimal(quantity, decimals)} ${symbol})`;
    return [
      `${entry_id}${memo === '' ? '' : `: ${quoted(memo)}`}`,
      `  debit   ${formatCents(amount)} ${USUAL.currency.code}  ${debit_account}${moved}`,
      `  credit  ${formatCents(amount)} ${USUAL.currency.code}  ${credit_account}`,
    ];
  });
}
