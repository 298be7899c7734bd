/**
 * A recorded case of classification: one transaction, or some of a block's own events, with the correct rows. Events keep
 * their index, so the rows have the same ids as on the chain.
 */
import type { Block, ChainEventRecord, Message, Transaction } from '../../pipeline/chain/block.js';
import { decodeMessage } from '../../pipeline/chain/messages.js';
import type { ChainEvent } from '../../schemas/types.generated.js';

export type CaseEvent = readonly [index: number, type: string, ...attributes: string[]];

type CaseRow = Readonly<Record<string, string | number | boolean>>;

export interface RecordedCase {
  readonly title: string;
  /** Name of the recording, or id of the chain. */
  readonly recording: string;
  readonly height: number;
  readonly time: string;
  /** Undefined for events of the block itself. */
  readonly transaction?: {
    readonly index: number;
    readonly hash: string;
    readonly code: number;
    readonly memo: string;
    /** `bytes` are base64. */
    readonly messages: readonly (readonly [typeUrl: string, bytes: string])[];
  };
  readonly events: readonly CaseEvent[];
  readonly rows: readonly CaseRow[];
}

const LEFT_OUT = new Set(['tx', 'commission', 'liveness', 'mint', 'message', 'transfer']);
/** Replaces each omitted event, so that later events keep their index. */
const NOTHING: ChainEventRecord = { type: 'message', attributes: [] };

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

/**
 * Converts a row to its form in a case. Omits `unsolicited`, because it depends on signatures, which cases do not
 * contain.
 */
export function compactRow(row: ChainEvent): CaseRow {
  const isKept = (name: string, value: unknown) =>
    name !== 'unsolicited' && value !== null && value !== '' && value !== false;
  const members = Object.entries(row).filter(([name, value]) => isKept(name, value));
  return Object.fromEntries(members.map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]));
}

export function caseOfTransaction(transaction: Transaction): Pick<RecordedCase, 'transaction' | 'events'> {
  const { index, hash, code, memo, messages, events } = transaction;
  const encode = ({ typeUrl, bytes }: Message) => [typeUrl, Buffer.from(bytes).toString('base64')] as const;
  return {
    transaction: { index, hash, code, memo, messages: messages.map(encode) },
    events: caseEvents(events, 0, events.length),
  };
}

export function caseEvents(events: readonly ChainEventRecord[], first: number, last: number): CaseEvent[] {
  return events.flatMap(({ type, attributes }, index): CaseEvent[] => {
    if (index < first || index > last || LEFT_OUT.has(type)) return [];
    return [[index, type, ...attributes.flatMap(({ key, value }) => [key, value])]];
  });
}

/** Formats a case with one line for each event and row, so that diffs are readable. */
export function formatCase({ events, rows, ...head }: RecordedCase): string {
  const lines = (list: readonly unknown[]) => list.map((item) => `\n    ${JSON.stringify(item)}`).join(',');
  const [start] = JSON.stringify(head, null, 2).split(/\n\}$/);
  return `${start},\n  "events": [${lines(events)}\n  ],\n  "rows": [${lines(rows)}\n  ]\n}\n`;
}
