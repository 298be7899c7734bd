/**
 * Cases as text that a bookkeeper can read and write (test/books/ledger/*.test, docs/how-lots-work.md):
 *
 *   case <title>
 *   price <day> <symbol or denom> <USD>          a price of that UTC day
 *   opening <coin>                                coins held before the index
 *   tag <transaction> <tag>                       transactions are named t1, t2, …
 *   value <transaction> <USD>                     the owner states the value of the transaction's rows
 *   return <transaction>                          the owner had sent the coins to an own place before
 *   <day> <transaction> <category> [in <coin>] [out <coin>] [fee <coin>] [with <counterparty>] [link <word>] [own-key]
 *   entries                                       the journal: day | debit | credit | USD | quantity | memo
 *   positions <day>                               open lots: symbol quantity [opening <quantity>] cost <USD> unknown <quantity>
 *                                                 lots <n> oldest <day>; - is empty
 *   year <year>                                   the summary: income, disposals, gains by term
 *   form <year>                                   rows of Form 8949: quantity | acquired | sold | proceeds | cost | box
 *
 * Events are in chain order. Blank lines and lines that begin with # are ignored.
 */

import { formatCents, formatDecimal, parseDecimal } from '../../../pipeline/base/values/amount.js';
import { UTC } from '../../../pipeline/base/values/zones.js';
import type { AssetDecision, Decisions } from '../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../pipeline/books/ledger/entry.js';
import { refundsOf } from '../../../pipeline/books/ledger/refunds.js';
import { FORM_COLUMNS, formRows } from '../../../pipeline/books/reports/form8949/form-rows.js';
import { positionsOf } from '../../../pipeline/books/reports/positions.js';
import { Sheet } from '../../../pipeline/books/reports/summary/sheet.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { hash, makeEvent, replay, rules, tagsOf } from './wallets.js';

export interface TextCase {
  readonly title: string;
  readonly prices: Map<string, bigint>;
  /** Undefined: without a starting state. */
  opening: Map<string, bigint> | undefined;
  readonly tags: Record<string, string>;
  /** Stated value in cents, by transaction hash. */
  readonly values: Map<string, bigint>;
  /** Hashes of transactions whose coins come home. */
  readonly returns: Set<string>;
  readonly events: PricedEvent[];
  readonly entries: string[];
  readonly positions: { readonly day: string; readonly rows: string[] }[];
  readonly years: { readonly year: string; readonly rows: string[] }[];
  readonly forms: { readonly year: string; readonly rows: string[] }[];
}

/** @throws Error that names the faulty line */
export function readCases(text: string): TextCase[] {
  const cases: TextCase[] = [];
  let expected: string[] | undefined;
  for (const [i, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [word, ...rest] = line.split(/\s+/) as [string, ...string[]];
    const one = cases.at(-1);
    if (word === 'case') {
      const title = rest.join(' ');
      cases.push({
        title,
        prices: new Map(),
        opening: undefined,
        tags: {},
        values: new Map(),
        returns: new Set(),
        events: [],
        entries: [],
        positions: [],
        years: [],
        forms: [],
      });
      expected = undefined;
    } else if (!one) throw new Error(`line ${i + 1}: before the first case`);
    else if (word === 'entries') expected = one.entries;
    else if (word === 'positions') {
      expected = [];
      one.positions.push({ day: rest[0]!, rows: expected });
    } else if (word === 'year' || word === 'form') {
      expected = [];
      one[`${word}s`].push({ year: rest[0]!, rows: expected });
    } else if (expected) expected.push(columns(line));
    else if (word === 'price') one.prices.set(`${rest[0]} ${denomOf(rest[1]!)}`, parseDecimal(rest[2]!, 6));
    else if (word === 'opening') {
      const [quantity, denom] = [rest[0]!, denomOf(rest[1]!)];
      one.opening ??= new Map();
      one.opening.set(denom, parseDecimal(quantity, rules.denomination(denom).decimals));
    } else if (word === 'tag') one.tags[hashOf(rest[0]!)] = rest[1]!;
    else if (word === 'return') one.returns.add(hashOf(rest[0]!));
    else if (word === 'value') one.values.set(hashOf(rest[0]!), parseDecimal(rest[1]!, 2));
    else if (/^\d{4}-/.test(word)) one.events.push(readEvent(one, line));
    else throw new Error(`line ${i + 1}: unknown word ${word}`);
  }
  return cases;
}

/** Removes the alignment of columns between bars. */
const columns = (line: string) => {
  const cells = line.split('|').map((cell) => cell.trim().replace(/\s+/g, ' '));
  while (cells.at(-1) === '') cells.pop();
  return cells.join(' | ');
};

const denomOf = (name: string) => rules.denomOf(name) ?? name;
const hashOf = (name: string) => hash(Number(name.slice(1)));

function readEvent({ prices, events }: TextCase, line: string): PricedEvent {
  const [day, transaction, category, ...words] = line.split(/\s+/) as [string, string, string, ...string[]];
  const event = makeEvent(events.length + 1, day, category, { tx_hash: hashOf(transaction) });
  while (words.length > 0) {
    const word = words.shift()!;
    if (word === 'with') event.counterparty = words.shift()!;
    else if (word === 'link') event.link = words.shift()!;
    else if (word === 'own-key') event.to_own_key = true;
    else {
      const side = ({ in: 'received', out: 'sent', fee: 'fee' } as const)[word];
      if (!side) throw new Error(`unknown word ${word} in "${line}"`);
      const [quantity, name] = words.splice(0, 2) as [string, string];
      const denom = denomOf(name);
      event[`${side}_amount`] = parseDecimal(quantity, rules.denomination(denom).decimals);
      event[`${side}_denom`] = denom;
      event[`${side}_price`] = prices.get(`${day} ${denom}`) ?? null;
    }
  }
  return event;
}

export function decisionsOf({ tags, values, returns, events }: TextCase): Decisions {
  const assets = new Map<string, AssetDecision>();
  for (const { id, tx_hash } of events) {
    const value = values.get(tx_hash);
    if (returns.has(tx_hash)) assets.set(id, { mode: 'return' });
    else if (value !== undefined) assets.set(id, { mode: 'override', keepsTreatment: true, value });
  }
  return { tags: tagsOf(events, tags), assets };
}

const shownQuantity = (quantity: bigint | null, denom: string) =>
  quantity === null ? '' : `${formatDecimal(quantity, rules.denomination(denom).decimals)} `;

function shownEntry(entry: Entry): string {
  const credited =
    entry.credit_denom === null
      ? ''
      : ` for ${shownQuantity(entry.credit_quantity, entry.credit_denom)}${entry.credit_asset}`;
  const quantity = `${shownQuantity(entry.quantity, entry.denom)}${entry.quantity === null ? '' : entry.asset}${credited}`;
  const { debit_account, credit_account, amount, memo } = entry;
  const cells = [entry.time.slice(0, 10), debit_account, credit_account, formatCents(amount), quantity, memo];
  return columns(cells.join('|'));
}

/** Returns the replay's entries as lines of the text. */
export function entriesOf(one: TextCase): string[] {
  return replay(one.events, decisionsOf(one), undefined, one.opening).entries.map(shownEntry);
}

/** Returns the positions at the end of a day as lines of the text. */
export function positionsAt(one: TextCase, day: string): string[] {
  const { wallet } = replay(one.events, decisionsOf(one), day, one.opening);
  return positionsOf(wallet, () => null).map((p) => {
    const opening = p.opening_quantity === '0' ? '' : ` opening ${p.opening_quantity}`;
    const basis = `cost ${p.cost_basis_usd || '-'} unknown ${p.basis_unknown_quantity}`;
    return `${p.asset} ${p.quantity}${opening} ${basis} lots ${p.lots} oldest ${p.oldest_lot || '-'}`;
  });
}

/** Returns a year's figures as lines of the text. */
export function yearOf(one: TextCase, year: string): string[] {
  const sheet = new Sheet(rules, UTC);
  const refunds = refundsOf(one.events, decisionsOf(one), rules);
  for (const entry of replay(one.events, decisionsOf(one), `${year}-12-31`, one.opening).entries) {
    if (entry.time < year) sheet.remember(entry, refunds);
    else sheet.add(entry, refunds);
  }
  const scope = { addresses: ['A'], days: [`${year}-01-01`, `${year}-12-31`], closingDay: `${year}-12-31` } as const;
  const { income_usd, disposed, reliefs, refunds_across } = sheet.lines(scope);
  return [
    `income ${income_usd}`,
    `proceeds ${disposed.proceeds_usd} of unknown basis ${disposed.proceeds_basis_unknown_usd} cost ${disposed.cost_usd}`,
    `gain short ${disposed.gain_short_usd || 'unknown'} long ${disposed.gain_long_usd || 'unknown'} total ${disposed.gain_usd || 'unknown'}`,
    ...reliefs.map(({ kind, quantity, asset, cost_usd }) => `${kind} ${quantity} ${asset} cost ${cost_usd}`),
    ...refunds_across.map(({ kind, quantity, asset, proceeds_usd, gain_usd }) =>
      `${kind} ${quantity} ${asset} proceeds ${proceeds_usd || '-'} gain ${gain_usd || '-'}`.replaceAll('_', ' '),
    ),
  ];
}

/** Returns a year's rows of Form 8949 as lines of the text. */
export function formOf(one: TextCase, year: string): string[] {
  const refunds = refundsOf(one.events, decisionsOf(one), rules);
  const { entries } = replay(one.events, decisionsOf(one), undefined, one.opening);
  const rows = entries.filter(({ time }) => time.startsWith(year)).flatMap((entry) => formRows(entry, refunds, rules));
  return rows.map((row) => {
    const [description, , , proceeds, cost] = FORM_COLUMNS.map(({ of }) => of(row) || '-');
    return [description, row.acquired || '-', row.sold, proceeds, cost, row.box].join(' | ');
  });
}
