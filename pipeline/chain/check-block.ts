/**
 * Checks every block before it is stored. The block's hash proves its transactions and evidence. The next block's
 * header proves code, data and gas of the results, and whether the validator set changed. No hash covers events and
 * logs.
 */
import type { RawBlock } from '../../schemas/types.generated.js';
import { withoutMember } from '../base/json/exact-json.js';
import { type FullBlock, modeOf } from './block.js';
import { BlockError } from './block-error.js';
import { dataHash, evidenceHash, headerHash, isTime, resultsHash } from './block-hashes.js';
import { type BlockRecord, checksumOf, parseRecord, type RecordedHeader } from './block-record.js';
import { outlineBlock } from './read-blocks.js';

export interface Expectation {
  readonly height: number;
  readonly chainId: string;
  /** Milliseconds since the epoch. A block with a later time is rejected. */
  readonly now: number;
}

export interface Link {
  readonly height: number;
  readonly hash: string;
  readonly time: string;
  readonly resultsHash: string;
  readonly nextValidators: string | undefined;
  readonly updatesValidators: boolean;
}

export interface CheckedBlock {
  readonly row: RawBlock;
  readonly block: FullBlock;
  readonly record: BlockRecord;
  readonly link: Link;
}

const HASH = /^[0-9A-F]{64}$/;
const NO_EVENTS =
  'the results have no finalize_block_events, as before CometBFT 0.38: name another node, or set HUBLEDGER_INDEX_START to a later day';

/** How far a block time may be ahead of the local clock. */
export const AHEAD_MAX_MS = 600_000;

function misfit(record: Partial<BlockRecord> | null, expected: Expectation): string | undefined {
  const header = record?.block?.block?.header;
  if (!header) return 'the record contains no block';
  if (header.height !== String(expected.height)) return `the header has height ${header.height}`;
  if (header.chain_id !== expected.chainId) return `its chain is ${header.chain_id}, expected ${expected.chainId}`;
  if (!HASH.test(record?.block?.block_id?.hash ?? '')) return 'the block has no hash';
  if (!isTime(header.time)) return `its time is ${JSON.stringify(header.time)}`;
  if (Date.parse(header.time) > expected.now + AHEAD_MAX_MS) {
    return `its time is ${header.time}, but now is ${new Date(expected.now).toISOString().slice(0, 16)}Z`;
  }
  const results = record?.block_results;
  if (results?.height !== String(expected.height)) return `the results have height ${results?.height}`;
  if (results.finalize_block_events === undefined) return NO_EVENTS;
  const [transactions, outcomes] = [record?.block?.block?.data?.txs?.length ?? 0, results.txs_results?.length ?? 0];
  if (transactions !== outcomes) return `it has ${transactions} transactions, but ${outcomes} results`;
  return resultsFault(record) ?? hashFault(record as BlockRecord);
}

function hashFault({ block: { block_id, block } }: BlockRecord): string | undefined {
  const { header, data, evidence } = block;
  const differs = (name: string, stated: string | undefined, computed: string | undefined) =>
    stated === computed ? undefined : `its ${name} is ${stated}, but its content has ${computed}`;
  const proof = evidenceHash(evidence?.evidence);
  const isUnproved = proof === undefined && header.evidence_hash !== evidenceHash([]);
  return (
    differs('hash', block_id.hash, headerHash(header)) ??
    differs('data_hash', header.data_hash, dataHash(data?.txs ?? null)) ??
    (isUnproved ? undefined : differs('evidence_hash', header.evidence_hash, proof))
  );
}

/**
 * Path of the signatures for the previous block. They are not stored, because nothing reads them and they are often
 * half of a record.
 */
const UNREAD = ['block', 'block', 'last_commit'];

export function checkBlock(text: string, expected: Expectation): CheckedBlock {
  const { height } = expected;
  const record = parseRecord(height, text);
  const fault = (reason: string) => new BlockError(height, record?.block?.block_id?.hash || undefined, reason);
  let [reason, resultsProof]: [string | undefined, string] = [undefined, ''];
  try {
    reason = misfit(record, expected);
    if (!reason) resultsProof = resultsHash(record.block_results.txs_results);
  } catch (error) {
    reason = `it cannot be hashed: ${(error as Error).message}`;
  }
  if (reason) throw fault(reason);
  const { hash } = record.block.block_id;
  const { header } = record.block.block;
  const time = secondsOf(header.time);
  const stored = { height, time, hash, record: withoutMember(text, UNREAD) };
  const link = {
    height,
    hash,
    time,
    resultsHash: resultsProof,
    nextValidators: header.next_validators_hash,
    updatesValidators: (record.block_results.validator_updates ?? []).length > 0,
  };
  const block = outlineBlock(height, hash, record);
  const gap = eventGap(block);
  if (gap !== undefined) throw fault(gap);
  return { row: { ...stored, checksum: checksumOf(stored) }, block, record, link };
}

/** Checks that a block follows `before`. Returns an error that names the wrong block, or undefined. */
export const linkFault = (before: Link, { link, record }: CheckedBlock): BlockError | undefined =>
  headerFault(before, link.hash, record.block.block.header);

/**
 * Returns the first part of a block whose events are missing. x/mint mints coins at the beginning of every block, and
 * baseapp adds the index of a message to each event of the message.
 */
function eventGap({ events, transactions }: FullBlock): string | undefined {
  if (!events.some((event) => event.type === 'coinbase' && modeOf(event) === 'BeginBlock')) {
    return 'it has no coinbase event of its BeginBlock, so its finalize_block_events are not complete';
  }
  for (const { index, code, messages, events: eventsOfTransaction } of transactions) {
    if (code !== 0) continue;
    const found = new Set(
      eventsOfTransaction.flatMap(({ attributes }) => attributes.filter(isMessageIndex).map(({ value }) => value)),
    );
    const lacking = messages.findIndex((_, i) => !found.has(String(i)));
    if (lacking >= 0) return `txs_results/${index} succeeded, but has no event of its message ${lacking}`;
  }
  return undefined;
}

const isMessageIndex = ({ key }: { readonly key: string }) => key === 'msg_index';

/**
 * Compares a block with the header of the next block, which confirms the block's hash, results and validator updates.
 * @param hash hash of the next header
 * @returns an error that names the wrong block, or undefined
 */
export function headerFault(before: Link, hash: string, header: RecordedHeader): BlockError | undefined {
  const [height, time] = [Number(header.height), secondsOf(header.time)];
  const parent = header.last_block_id?.hash;
  if (parent !== before.hash) {
    return new BlockError(height, hash, `it follows block ${parent}, but block ${before.height} is ${before.hash}`);
  }
  if (time < before.time) {
    return new BlockError(height, hash, `its time is ${time}, but block ${before.height} is of ${before.time}`);
  }
  const refuted = (reason: string) => new BlockError(before.height, before.hash, `${reason} by block ${height}`);
  if (header.last_results_hash !== before.resultsHash) {
    return refuted(`its results have the hash ${before.resultsHash}, but ${header.last_results_hash}`);
  }
  if (header.validators_hash !== before.nextValidators) {
    return refuted(`its next_validators_hash is ${before.nextValidators}, but ${header.validators_hash}`);
  }
  if (before.updatesValidators === (header.next_validators_hash === header.validators_hash)) {
    const [has, set] = before.updatesValidators ? ['has', 'is the same'] : ['has no', 'is another one'];
    return refuted(`it ${has} validator_updates, but the validator set ${set}`);
  }
  return undefined;
}

const secondsOf = (time: string) => time.slice(0, 19).replace('T', ' ');

type Unknown =
  | { readonly [member: string]: Unknown }
  | readonly Unknown[]
  | string
  | number
  | boolean
  | null
  | undefined;

const coinsOf = (number: string) => new RegExp(`^(?:${number}[a-zA-Z][^,\\s]*(?:,${number}[a-zA-Z][^,\\s]*)*)?$`);

/** Matches a number of the chain, which has at most 256 bits (cosmossdk.io/math). */
const DIGITS = '\\d{1,78}';
const COINS = coinsOf(DIGITS);
const DECIMAL_COINS = coinsOf(`${DIGITS}(?:\\.\\d{1,18})?`);
const DECIMAL = new RegExp(`^${DIGITS}(?:\\.\\d{1,18})?$`);
const WHOLE = new RegExp(`^${DIGITS}$`);

type Forms = Readonly<Record<string, RegExp>>;

/**
 * The format of numbers, by event type and attribute. Classification and the fold parse these numbers. An attribute may
 * be missing.
 */
const NUMBERS: ReadonlyMap<string, Forms> = new Map(
  Object.entries({
    coin_spent: { amount: COINS },
    coin_received: { amount: COINS },
    coinbase: { amount: COINS },
    burn: { amount: COINS },
    rewards: { amount: DECIMAL_COINS },
    commission: { amount: DECIMAL_COINS },
    withdraw_rewards: { amount: COINS },
    withdraw_commission: { amount: COINS },
    withdraw_tokenize_share_reward: { amount: COINS },
    delegate: { amount: COINS, new_shares: DECIMAL },
    create_validator: { amount: COINS },
    unbond: { amount: COINS },
    redelegate: { amount: COINS },
    cancel_unbonding_delegation: { amount: COINS, creation_height: WHOLE },
    complete_unbonding: { amount: COINS },
    slash: { power: WHOLE, burned_coins: WHOLE },
    execute_consumer_chain_slash: { infraction_height: WHOLE },
    tokenize_shares: { amount: COINS, tokenized_shares: COINS },
    redeem_shares: { amount: COINS },
    proposal_deposit: { amount: COINS },
    tf_mint: { amount: COINS },
    tf_burn: { amount: COINS },
  } satisfies Readonly<Record<string, Forms>>),
);

/**
 * Checks the structure of /block_results and evidence, because a stored malformed event would stop every later run.
 * Accepts null instead of an empty list or text.
 * @param record must have as many results as transactions
 * @returns a description of the first malformed part; undefined if there is none
 */
export function resultsFault(record: unknown): string | undefined {
  const part = (name: string) => member(record, 'block_results', name);
  const evidence = member(record, 'block', 'block', 'evidence', 'evidence');
  return (
    eventsFault(part('finalize_block_events'), 'finalize_block_events') ??
    firstFault(part('txs_results'), (outcome, i) => outcomeFault(outcome, `txs_results/${i}`)) ??
    listFault(part('validator_updates'), 'validator_updates', (one) =>
      isObject(member(one, 'pub_key', 'Sum', 'value')),
    ) ??
    listFault(evidence, 'evidence', (one) => isObject(member(one, 'value')))
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function member(value: unknown, ...path: readonly string[]): Unknown {
  let at = value as Unknown;
  for (const name of path) at = isObject(at) ? (at as { readonly [name: string]: Unknown })[name] : undefined;
  return at;
}

function firstFault(list: unknown, faultOf: (item: unknown, index: number) => string | undefined): string | undefined {
  for (const [i, item] of ((list as readonly unknown[] | null | undefined) ?? []).entries()) {
    const fault = faultOf(item, i);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function listFault(list: unknown, place: string, isSound: (item: unknown) => boolean): string | undefined {
  if (list !== null && list !== undefined && !Array.isArray(list)) return `${place} is not a list`;
  return firstFault(list, (item, i) => (isSound(item) ? undefined : `${place}/${i} is malformed`));
}

function outcomeFault(outcome: unknown, place: string): string | undefined {
  if (!isObject(outcome)) return `${place} is not a result`;
  const code = member(outcome, 'code');
  if (code !== undefined && !Number.isSafeInteger(code)) return `${place}/code is ${JSON.stringify(code)}`;
  const events = member(outcome, 'events');
  const fault = eventsFault(events, `${place}/events`);
  if (fault !== undefined || (code !== undefined && code !== 0)) return fault;
  const isPaid = (events as unknown as readonly AnyEvent[] | null | undefined)?.some(isOfAnte);
  return isPaid ? undefined : `${place} succeeded, but has no event of its sequence or fee`;
}

/** Returns true for an event that every successful transaction has (SDK x/auth/ante: sigverify.go, fee.go). */
const isOfAnte = ({ type, attributes }: AnyEvent) =>
  type === 'tx' && (attributes ?? []).some(({ key }) => key === 'acc_seq' || key === 'fee');

interface Attribute {
  readonly key: string;
  readonly value?: string | null;
}

interface AnyEvent {
  readonly type: string;
  readonly attributes?: readonly Attribute[] | null;
}

function eventsFault(events: unknown, place: string): string | undefined {
  return (
    listFault(events, place, isEvent) ??
    firstFault(events, (event, i) => numberFault(event as AnyEvent, `${place}/${i}`))
  );
}

function isEvent(event: unknown): event is AnyEvent {
  const attributes = member(event, 'attributes') ?? [];
  return typeof member(event, 'type') === 'string' && Array.isArray(attributes) && attributes.every(isAttribute);
}

function isAttribute(attribute: unknown): boolean {
  const value = member(attribute, 'value') ?? '';
  return typeof member(attribute, 'key') === 'string' && typeof value === 'string';
}

/**
 * Returns an error for an attribute that is not a number. Contracts cannot make a block fail this check. They emit only
 * `wasm` and `wasm-*` events, which NUMBERS does not contain.
 */
function numberFault({ type, attributes }: AnyEvent, place: string): string | undefined {
  const forms = NUMBERS.get(type);
  if (!forms) return undefined;
  return firstFault(attributes, (attribute) => {
    const { key, value } = attribute as Attribute;
    const text = value ?? '';
    if (forms[key]?.test(text) ?? true) return undefined;
    return `${place}: the ${key} of ${type} is ${JSON.stringify(text.slice(0, 100))}`;
  });
}
