/**
 * Multiplies a recording to measure nightly runs on long chains. Usage:
 * `node dist/scripts/recordings/grow.js <recording> <folder> --times 20`.
 *
 * Copies follow each other in height and time. The first copy is the recording itself. Each later copy has its own user
 * addresses, transaction hashes, proposal ids and block hashes. Its prices are the recording's prices, day by day.
 *
 * All copies share the addresses of modules, escrows, share records and validators, and all addresses in
 * data/reference. Parts that no classifier reads stay as recorded and contradict the rest: signatures, public keys,
 * part sets, app hashes, and heights, times and proposal ids within messages. A grown chain has no starting state,
 * because the stakes at the end of a copy differ from the stakes at its beginning. So runs on it produce rows,
 * balances, lots and audits, but no holdings.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { bech32 } from '@scure/base';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { ConfigError, VariableError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { addDays, daysBetween } from '../../pipeline/base/values/day.js';
import { dataHash, headerHash, resultsHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord, RecordedBlockId, RecordedEvent } from '../../pipeline/chain/block-record.js';
import { Recording } from '../../pipeline/chain/nodes/open-source.js';
import { lastHeightOfRange } from '../../pipeline/chain/raw-files.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { loadReference } from '../../pipeline/reference.js';

interface GrowOptions {
  readonly times: number;
  readonly priceDir: string;
}

interface WholeRecord extends BlockRecord {
  block: BlockRecord['block'] & {
    block_id: RecordedBlockId;
    block: { last_commit?: { height: string; block_id: RecordedBlockId } };
  };
}

interface Facts {
  readonly first: number;
  readonly last: number;
  /** Number of blocks and days by which each copy is later than the previous one. */
  readonly blocks: number;
  readonly days: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly proposals: number;
  /** Addresses that are the same in all copies, in hex. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Writes the grown recording. Equal input gives equal files.
 * @throws ConfigError if the recording cannot be grown, or if the folder already contains a recording
 */
export async function growRecording(folder: string, target: string, options: GrowOptions): Promise<Facts> {
  if (existsSync(join(target, 'blocks')))
    throw new ConfigError(`${target} already contains a recording: choose another folder`);
  const source = new Recording(pathToFileURL(resolve(folder)).href);
  const facts = await readFacts(source);
  const { first, blocks } = facts;
  mkdirSync(join(target, 'blocks'), { recursive: true });
  const lines = grownLines(source, facts, options.times);
  const last = first + blocks * options.times - 1;
  for (let from = first; from <= last; from = lastHeightOfRange(from) + 1) {
    const to = Math.min(lastHeightOfRange(from), last);
    const file = createWriteStream(join(target, `blocks/${from}-${to}.jsonl.gz`));
    await pipeline(Readable.from(take(lines, to - from + 1)), createGzip({ level: 1 }), file);
  }
  const { value: tip } = (await lines.next()) as { value: WholeRecord };
  writeFileSync(join(target, 'status.json'), grownStatus(folder, tip));
  growPrices(options, join(target, 'prices'), facts);
  return facts;
}

async function* take<Value>(values: AsyncIterator<Value>, count: number): AsyncGenerator<Value> {
  for (let i = 0; i < count; i++) yield (await values.next()).value;
}

/**
 * Yields the records of all copies, one line each.
 * @returns the last record
 */
async function* grownLines(source: Recording, facts: Facts, times: number): AsyncGenerator<string, WholeRecord> {
  let before: WholeRecord | undefined;
  for (let index = 0; index < times; index++) {
    const copy = new Copy(facts, index);
    for await (const { height, record } of source.records(facts.first, facts.last)) {
      const copied = index === 0 ? JSON.parse(record) : copy.record(record, before!);
      // Removes changes of the validator set in the last block of a copy, because the next copy begins with the
      // original validators.
      if (height === facts.last && index < times - 1) copied.block_results.validator_updates = null;
      yield `${JSON.stringify(copied)}\n`;
      before = copied;
    }
  }
  return before!;
}

const BECH32 = '[02-9ac-hj-np-z]';

/**
 * Reads the facts that all copies need. @throws ConfigError if validators change in the first block, because this block
 * could then not follow another copy
 */
async function readFacts(source: Recording): Promise<Facts> {
  const reference = loadReference();
  const { bech32_prefix: prefix } = reference.chain;
  const facts = chainFacts(reference.chain, reference.contracts);
  const { earliest: first, latest: last } = await source.status();
  const operators = new RegExp(`${prefix}valoper1${BECH32}{38}(?:/\\d+)?`, 'g');
  const kept = new Set([...facts.moduleAccounts, ...addressesIn(JSON.stringify(reference), prefix)].map(hexOf));
  let proposals = 0;
  const headers: BlockRecord['block']['block']['header'][] = [];
  for await (const { height, record: text } of source.records(first, last)) {
    for (const [found] of text.matchAll(operators)) {
      const [operator, share] = found.split('/') as [string, string?];
      kept.add(hexOf(operator));
      if (share) kept.add(hexOf(facts.shareRecordAccount(share)));
    }
    const record: BlockRecord = JSON.parse(text);
    for (const value of proposalIds(record)) proposals = Math.max(proposals, Number(value.value));
    if (height === first || height === last) headers.push(record.block.block.header);
  }
  const [begin, end] = [headers[0]!, headers.at(-1)!];
  if (begin.validators_hash !== begin.next_validators_hash)
    throw new ConfigError(`validators change at block ${first}: a recording to grow must begin at another block`);
  const [firstDay, lastDay] = [begin.time.slice(0, 10), end.time.slice(0, 10)];
  const days = daysBetween(firstDay, lastDay) + 1;
  return { first, last, blocks: last - first + 1, days, firstDay, lastDay, proposals, kept };
}

const addressesIn = (text: string, prefix: string): string[] =>
  (text.match(new RegExp(`${prefix}1${BECH32}{38,58}`, 'g')) ?? []).filter((found) =>
    bech32.decodeUnsafe(found as `${string}1`),
  );

const hexOf = (address: string): string => Buffer.from(bech32.decodeToBytes(address).bytes).toString('hex');

function* eventsOf({ block_results: results }: BlockRecord): Generator<RecordedEvent> {
  yield* results.finalize_block_events ?? [];
  for (const { events } of results.txs_results ?? []) yield* events ?? [];
}

function* proposalIds(record: BlockRecord) {
  for (const { type, attributes } of eventsOf(record)) {
    if (!/^[a-z_]*proposal[a-z_]*$/.test(type)) continue;
    for (const attribute of attributes ?? [])
      if (/^\d+$/.test(attribute.value ?? '') && attribute.key === 'proposal_id') yield attribute;
  }
}

const CACHED = 100_000;

/** Converts recorded blocks to blocks of a later copy. */
class Copy {
  private readonly mask: Buffer;
  private readonly addresses: RegExp;
  private readonly renamed = new Map<string, string>();
  /**
   * XOR of a validator set's recorded hash and its hash in this copy. All hashes are changed by the same value, so
   * equal sets keep equal hashes.
   */
  private validators: Buffer | undefined;

  constructor(
    private readonly facts: Facts,
    private readonly index: number,
  ) {
    this.mask = createHash('sha256').update(`copy ${index}`).digest().subarray(0, 8);
    const { bech32_prefix: chainPrefix } = loadReference().chain;
    // Addresses inside denoms of other chains are not replaced, because a voucher's denom is a hash of them.
    const others = `(?<!factory/|[a-z])[a-z]{2,20}(?<!${chainPrefix}|valoper|valcons)`;
    this.addresses = new RegExp(`(?:${chainPrefix}|${others})1${BECH32}{38}(?:${BECH32}{20})?`, 'g');
  }

  record(text: string, before: WholeRecord): WholeRecord {
    const { blocks, days, proposals } = this.facts;
    const record: WholeRecord = JSON.parse(this.rename(text));
    const { block, block_results: results } = record;
    const { header, data, last_commit: commit } = block.block;
    const height = record.height + this.index * blocks;
    const signatures = new Map<string, string>();
    data.txs = data.txs?.map((transaction) => this.encode(transaction, signatures)) ?? null;
    for (const { type, attributes } of eventsOf(record)) {
      for (const attribute of (type === 'tx' && attributes) || [])
        if (attribute.key === 'signature') attribute.value = signatures.get(attribute.value ?? '') ?? attribute.value;
    }
    for (const id of proposalIds(record)) id.value = String(Number(id.value) + this.index * proposals);
    header.height = String(height);
    header.time = `${addDays(header.time.slice(0, 10), this.index * days)}${header.time.slice(10)}`;
    header.last_block_id = before.block.block_id;
    header.last_results_hash = resultsHash(before.block_results.txs_results);
    header.data_hash = dataHash(data.txs);
    this.validators ??= xor(fromHex(before.block.block.header.next_validators_hash), fromHex(header.validators_hash));
    header.validators_hash = toHex(xor(fromHex(header.validators_hash), this.validators));
    header.next_validators_hash = toHex(xor(fromHex(header.next_validators_hash), this.validators));
    if (commit) [commit.height, commit.block_id] = [String(height - 1), header.last_block_id];
    block.block_id.hash = headerHash(header);
    results.height = String(height);
    record.height = height;
    return record;
  }

  /** Encodes a transaction with changed signatures, so that its hash changes even if it contains no user address. */
  private encode(transaction: string, signatures: Map<string, string>): string {
    let raw: TxRaw;
    try {
      raw = TxRaw.decode(Buffer.from(transaction, 'base64'));
    } catch {
      return transaction;
    }
    const newSignatures = raw.signatures.map((signature) => {
      const changed = this.change(signature);
      signatures.set(toBase64(signature), toBase64(changed));
      return changed;
    });
    return toBase64(TxRaw.encode({ ...raw, signatures: newSignatures }).finish());
  }

  /**
   * Replaces addresses in a text, also inside base64 and hex. New addresses have the same length, so the protobuf
   * messages that contain them stay valid.
   */
  private rename(text: string): string {
    const renamed = text.replace(this.addresses, (found) => this.renamedAddress(found));
    return renamed.replace(/[A-Za-z0-9+/]{60,}={0,2}/g, (run) => {
      const coding = /^(?:[0-9a-f]{2})+$/.test(run) ? 'hex' : 'base64';
      const bytes = Buffer.from(run, coding);
      if (bytes.toString(coding) !== run) return run;
      const inner = bytes.toString('latin1');
      const changed = this.rename(inner);
      return changed === inner ? run : Buffer.from(changed, 'latin1').toString(coding);
    });
  }

  /** @param found address of 20 or 32 bytes, or an address of 20 bytes followed by text */
  private renamedAddress(found: string): string {
    const cached = this.renamed.get(found);
    if (cached !== undefined) return cached;
    const decode = (text: string) => bech32.decodeUnsafe(text as `${string}1`, false);
    const whole = decode(found);
    const rest = whole ? '' : found.slice(-20);
    const address = whole ?? decode(found.slice(0, -20));
    const bytes = address && bech32.fromWordsUnsafe(address.words);
    const isUser = bytes && !this.facts.kept.has(Buffer.from(bytes).toString('hex'));
    const renamed = isUser ? bech32.encode(address.prefix, bech32.toWords(this.change(bytes)), false) + rest : found;
    if (this.renamed.size >= CACHED) this.renamed.clear();
    this.renamed.set(found, renamed);
    return renamed;
  }

  /** Changes an address. Changes only its last bytes, because some events are ordered by address. */
  private change(bytes: Uint8Array): Buffer {
    const changed = Buffer.from(bytes);
    for (let i = 1; i <= Math.min(this.mask.length, bytes.length); i++) changed[bytes.length - i]! ^= this.mask.at(-i)!;
    return changed;
  }
}

const xor = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, i) => byte ^ other[i]!));
const fromHex = (text: string | undefined) => Buffer.from(text ?? '', 'hex');
const toHex = (bytes: Buffer) => bytes.toString('hex').toUpperCase();
const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function grownStatus(folder: string, { block: { block_id, block } }: WholeRecord): string {
  const status = JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'));
  status.sync_info.latest_block_hash = block_id.hash;
  status.sync_info.latest_block_height = block.header.height;
  status.sync_info.latest_block_time = block.header.time;
  return `${JSON.stringify(status, null, 1)}\n`;
}

/** Writes price files in which the days of every copy have the prices of the first copy. */
function growPrices({ times, priceDir }: GrowOptions, target: string, { firstDay, days }: Facts): void {
  const end = addDays(firstDay, days);
  for (const file of readdirSync(priceDir, { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.csv'),
  )) {
    const [header, ...lines] = readFileSync(join(priceDir, file), 'utf8').trim().split(/\r?\n/);
    const quotes = lines.map((line) => line.split(',') as [string, string]);
    const quotesOfSpan = quotes.filter(([day]) => day >= firstDay && day < end);
    const grown = Array.from({ length: times }, (_, copy) =>
      quotesOfSpan.map(([day, usd]) => `${addDays(day, copy * days)},${usd}`),
    );
    const earlier = quotes.filter(([day]) => day < firstDay).map((quote) => quote.join());
    mkdirSync(join(target, file, '..'), { recursive: true });
    writeFileSync(join(target, file), `${[header, ...earlier, ...grown.flat()].join('\n')}\n`);
  }
}

async function main(): Promise<void> {
  const options = { times: { type: 'string', default: '2' }, prices: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const [folder, target] = positionals;
  const times = Number(values.times);
  if (!folder || !target || !Number.isInteger(times) || times < 1)
    throw new VariableError('usage: grow.js <recording> <folder> [--times 2] [--prices <folder>]');
  await growRecording(folder, target, { times, priceDir: values.prices ?? join(projectRoot(), 'data/sample/prices') });
}

if (process.argv[1] === import.meta.filename) {
  await main().catch((error) => {
    console.error(`grow: ${error.message}`);
    process.exitCode = error instanceof VariableError ? 2 : 1;
  });
}
