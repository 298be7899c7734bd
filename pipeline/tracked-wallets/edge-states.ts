/**
 * Stores what the wallets had after the last block before an edge, such as the first instant of a tax year. Nodes prune
 * these states within minutes or days, so the files `edge-states/<network>/<height>.json` are the only copy.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, makeFolder, removeUnfinished, replaceFile } from '../base/disk/atomic-files.js';
import { rawFolder } from '../chain/raw-files.js';
import { instantText, parseTime } from '../holdings/values/time.js';
import type { WalletState } from './node-facts.js';

/** Amounts are base units. */
export interface HeldState {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly staked: bigint;
  readonly unbonding: bigint;
  /** What claims would pay by denom. */
  readonly claims: ReadonlyMap<string, bigint>;
}

export interface EdgeState extends HeldState {
  /** True if two hosts report this state. */
  readonly isConfirmed: boolean;
  /** True if the wallet's rows contradict this state. The next run asks for it again. */
  readonly isDoubted: boolean;
}

/** The last block before an edge. Times are RFC 3339 in UTC. */
export interface EdgeBlock {
  readonly height: number;
  readonly time: string;
  /** Time of the next block, which is at or after the edge. */
  readonly nextTime: string;
  /** Edges between the two blocks, ascending. */
  readonly edges: readonly string[];
}

export interface EdgeRecord extends EdgeBlock {
  readonly wallets: ReadonlyMap<string, EdgeState>;
}

const total = (amounts: Iterable<bigint>) => [...amounts].reduce((sum, amount) => sum + amount, 0n);

export const heldState = ({ balances, delegations, entries, claims }: WalletState): HeldState => ({
  balances,
  staked: total(delegations.values()),
  unbonding: total(entries.map(({ balance }) => balance)),
  claims,
});

type Amounts = Readonly<Record<string, string>>;

interface StoredState {
  readonly balances: Amounts;
  readonly staked: string;
  readonly unbonding: string;
  readonly claims: Amounts;
  readonly confirmed: boolean;
  readonly doubted: boolean;
}

interface StoredRecord extends EdgeBlock {
  readonly wallets: Readonly<Record<string, StoredState>>;
}

export class EdgeStates {
  private constructor(
    private readonly folder: string,
    private readonly records: Map<number, EdgeRecord>,
  ) {}

  /** Opens the folder. Renames damaged files, so that the run asks nodes again. */
  static open(dataDir: string, nodeChainId: string, onDamaged: (path: string) => void): EdgeStates {
    const folder = edgeStatesFolder(dataDir, nodeChainId);
    removeUnfinished(folder);
    const records = new Map<number, EdgeRecord>();
    for (const { path, record } of readRecords(folder)) {
      if (record) records.set(record.height, record);
      else {
        renameSync(path, `${path}.damaged`);
        onDamaged(path);
      }
    }
    return new EdgeStates(folder, records);
  }

  /** Records that a block is the last one before an edge. */
  addEdge({ height, time, nextTime }: Omit<EdgeBlock, 'edges'>, edge: bigint): EdgeRecord {
    const { edges, wallets }: Pick<EdgeRecord, 'edges' | 'wallets'> = this.records.get(height) ?? {
      edges: [],
      wallets: new Map(),
    };
    const all = [...new Set([...edges.map(parseTime), edge])].sort((a, b) => (a < b ? -1 : 1));
    if (all.length > edges.length) this.save({ height, time, nextTime, edges: all.map(instantText), wallets });
    return this.records.get(height)!;
  }

  /** Returns the stored record of the last block before an instant. */
  before(instant: bigint): EdgeRecord | undefined {
    return this.list().find(({ time, nextTime }) => parseTime(time) < instant && instant <= parseTime(nextTime));
  }

  list(): EdgeRecord[] {
    return [...this.records.values()].sort((a, b) => a.height - b.height);
  }

  private save(record: EdgeRecord): void {
    makeFolder(this.folder);
    replaceFile(join(this.folder, `${record.height}.json`), recordText(record));
    this.records.set(record.height, record);
  }

  /** Forgets the state of a wallet. */
  drop(height: number, address: string): void {
    const { wallets, ...block } = this.records.get(height)!;
    this.save({ ...block, wallets: new Map([...wallets].filter(([one]) => one !== address)) });
  }

  /** Replaces the states of single wallets. */
  saveWallets(height: number, states: ReadonlyMap<string, EdgeState>): void {
    const record = this.records.get(height)!;
    this.save({ ...record, wallets: new Map([...record.wallets, ...states]) });
  }
}

const edgeStatesFolder = (dataDir: string, nodeChainId: string): string =>
  join(dataDir, 'edge-states', rawFolder('', nodeChainId).replace(/^raw./, ''));

/** Yields the files of a folder. The record of a damaged file is undefined. */
function* readRecords(folder: string): Generator<{ readonly path: string; readonly record: EdgeRecord | undefined }> {
  for (const name of listFolder(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const path = join(folder, name);
    yield { path, record: parseRecord(readFileSync(path, 'utf8')) };
  }
}

/** Returns the edges for which a run has looked, with or without success. */
export const recordedEdges = (dataDir: string, nodeChainId: string): bigint[] =>
  [...readRecords(edgeStatesFolder(dataDir, nodeChainId))].flatMap(({ record }) =>
    (record?.edges ?? []).map(parseTime),
  );

const amountsOf = (amounts: ReadonlyMap<string, bigint>): Amounts =>
  Object.fromEntries([...amounts].map(([denom, amount]) => [denom, String(amount)]));

const parseAmounts = (amounts: Amounts) =>
  new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));

const checksumOf = (content: string) => createHash('sha256').update(content).digest('hex');

/** Writes the checksum on the first line, and the record on the second. */
function recordText({ wallets, ...block }: EdgeRecord): string {
  const stored: StoredRecord = {
    ...block,
    wallets: Object.fromEntries(
      [...wallets].map(([address, state]) => [
        address,
        {
          balances: amountsOf(state.balances),
          staked: String(state.staked),
          unbonding: String(state.unbonding),
          claims: amountsOf(state.claims),
          confirmed: state.isConfirmed,
          doubted: state.isDoubted,
        },
      ]),
    ),
  };
  const content = JSON.stringify(stored);
  return `${checksumOf(content)}\n${content}\n`;
}

/** Returns undefined if the file is damaged. */
function parseRecord(text: string): EdgeRecord | undefined {
  const [checksum, content] = text.split('\n');
  if (content === undefined || checksum !== checksumOf(content)) return undefined;
  const { wallets, ...block }: StoredRecord = JSON.parse(content);
  const states = Object.entries(wallets).map(([address, state]): [string, EdgeState] => [
    address,
    {
      balances: parseAmounts(state.balances),
      staked: BigInt(state.staked),
      unbonding: BigInt(state.unbonding),
      claims: parseAmounts(state.claims),
      isConfirmed: state.confirmed,
      isDoubted: state.doubted,
    },
  ]);
  return { ...block, wallets: new Map(states) };
}
