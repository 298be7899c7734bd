/**
 * Recorded cases: one transaction, or one part of a block's own events, as a chain made it, with the rows that are right for it.
 * The events keep their place, so that the ids of the rows are those of the real chain; what no classifier reads is left out.
 */
import type { Block, ChainEventRecord, Message, Transaction } from '../../pipeline/chain/block.js';
import { decodeMessage } from '../../pipeline/chain/read-blocks.js';
import type { ChainEvent } from '../../schemas/types.generated.js';

/** An event of a case: [index, type, key, value, key, value, …]. */
export type CaseEvent = readonly [index: number, type: string, ...attributes: string[]];

/** A row without members that are null, false or empty; amounts as text. */
export type CaseRow = Readonly<Record<string, string | number | boolean>>;

export interface RecordedCase {
  readonly title: string;
  /** Name of the recording, or id of the chain, that it was cut from. */
  readonly recording: string;
  readonly height: number;
  readonly time: string;
  /** Transaction of the case; absent for the block's own events. */
  readonly transaction?: {
    readonly index: number;
    readonly hash: string;
    readonly code: number;
    readonly memo: string;
    /** Messages: [type URL, base64 of the message]. */
    readonly messages: readonly (readonly [typeUrl: string, bytes: string])[];
  };
  readonly events: readonly CaseEvent[];
  readonly rows: readonly CaseRow[];
}

/** Types of events that a case leaves out: those of signatures and of accruals in every block say nothing here. */
const LEFT_OUT = new Set(['tx', 'commission', 'liveness', 'mint', 'message', 'transfer']);
/** Stands for an event that was left out: no classifier sees one of this type, so that none lies between two others. */
const NOTHING: ChainEventRecord = { type: 'message', attributes: [] };

/** The block that holds nothing but the case. */
export function toBlock({ height, time, transaction, events }: RecordedCase): Block {
  const records: ChainEventRecord[] = [];
  for (const [index, type, ...pairs] of events) {
    while (records.length < index) records.push(NOTHING);
    const keys = pairs.filter((_, i) => i % 2 === 0);
    records.push({ type, attributes: keys.map((key, i) => ({ key, value: pairs[2 * i + 1]! })) });
  }
  const shell = { height, time, hash: '', chainId: '' };
  if (!transaction) return { ...shell, transactions: [], events: records };
  const messages = transaction.messages.map(([typeUrl, bytes]) =>
    decodeMessage({ typeUrl, value: Buffer.from(bytes, 'base64') }),
  );
  return { ...shell, transactions: [{ ...transaction, messages, events: records }], events: [] };
}

/** Makes a row of a case. Cases hold no signatures, so that the member that rests on them, `unsolicited`, is left out. */
export function compactRow(row: ChainEvent): CaseRow {
  const says = (name: string, value: unknown) =>
    name !== 'unsolicited' && value !== null && value !== '' && value !== false;
  const members = Object.entries(row).filter(([name, value]) => says(name, value));
  return Object.fromEntries(members.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]));
}

/** A transaction's case, its rows still missing. */
export function caseOfTransaction(transaction: Transaction): Pick<RecordedCase, 'transaction' | 'events'> {
  const { index, hash, code, memo, messages, events } = transaction;
  const encode = ({ typeUrl, bytes }: Message) => [typeUrl, Buffer.from(bytes).toString('base64')] as const;
  return {
    transaction: { index, hash, code, memo, messages: messages.map(encode) },
    events: caseEvents(events, 0, events.length),
  };
}

/** The events from one index to another, both included. */
export function caseEvents(events: readonly ChainEventRecord[], first: number, last: number): CaseEvent[] {
  return events.flatMap(({ type, attributes }, index): CaseEvent[] => {
    if (index < first || index > last || LEFT_OUT.has(type)) return [];
    return [[index, type, ...attributes.flatMap(({ key, value }) => [key, value])]];
  });
}

/** The text of a case's file: one line an event and a row, so that a change shows as what it is. */
export function formatCase({ events, rows, ...head }: RecordedCase): string {
  const lines = (list: readonly unknown[]) => list.map((item) => `\n    ${JSON.stringify(item)}`).join(',');
  const [start] = JSON.stringify(head, null, 2).split(/\n\}$/);
  return `${start},\n  "events": [${lines(events)}\n  ],\n  "rows": [${lines(rows)}\n  ]\n}\n`;
}
