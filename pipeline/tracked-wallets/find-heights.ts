/**
 * Finds the heights at which something happened to a wallet, with the search index of nodes. Stores the heights in
 * `own-wallets/<chain id>/found`, so that the next run searches only new blocks.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, replaceFile } from '../base/disk/atomic-files.js';
import { type ChainEventRecord, type FullBlock, modeOf } from '../chain/block.js';
import type { Found, Reach, SearchClient } from '../chain/nodes/search-client.js';
import type { Search } from '../chain/nodes/search-node.js';

/** Maximum number of heights for one wallet. */
export const HEIGHTS_MAX = 20_000;

const IN_BOTH = ['coin_spent.spender', 'coin_received.receiver', 'withdraw_rewards.delegator'];
/**
 * Searches for the wallet's own transactions. Other searches would not find transactions that failed or moved none of
 * its coins.
 */
const IN_TRANSACTIONS = [
  'message.sender',
  'delegate.delegator',
  'unbond.delegator',
  'redelegate.delegator',
  'cancel_unbonding_delegation.delegator',
  'tokenize_shares.delegator',
  'redeem_shares.delegator',
  // The value is `<address>/<sequence>`. A search with only the address finds all sequences.
  'tx.acc_seq',
];
const IN_BLOCKS = ['complete_unbonding.delegator'];

/** Attributes of events, such as `message.sender`, for which a wallet's address is searched. */
const SEARCHED_KEYS = {
  tx_search: [...IN_BOTH, ...IN_TRANSACTIONS],
  block_search: [...IN_BOTH, ...IN_BLOCKS],
} as const;

export const searchesOf = (address: string): Search[] =>
  (['tx_search', 'block_search'] as const).flatMap((method) =>
    SEARCHED_KEYS[method].map((key): Search => ({ method, query: `${key}='${address}'` })),
  );

/**
 * Returns the searches that find a block, for each of the given addresses. Leaves out events of PreBlock, which nodes
 * do not index.
 */
export function searchesFinding({ transactions, events }: FullBlock, addresses: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const note = (method: Search['method'], { type, attributes }: ChainEventRecord) => {
    for (const { key, value } of attributes) {
      const address = value.split('/', 1)[0]!;
      const name = `${type}.${key}`;
      if (addresses.has(address) && (SEARCHED_KEYS[method] as readonly string[]).includes(name)) {
        found.add(`${method} ${name}='${address}'`);
      }
    }
  };
  for (const event of transactions.flatMap((transaction) => transaction.events)) note('tx_search', event);
  for (const event of events) if (modeOf(event) !== undefined) note('block_search', event);
  return [...found];
}

/** A validator that was slashed is jailed, and signs again for many blocks before the next slash. */
const SLASHES_MIN = 100;
const BLOCKS_PER_SLASH = 500;
const SLASHES: readonly Search[] = [
  {
    method: 'block_search',
    query: 'slash.address EXISTS',
    possible: (blocks) => SLASHES_MIN + Math.ceil(blocks / BLOCKS_PER_SLASH),
  },
];

/** Returns searches for all deposits for a proposal, and for the proposal's end, which may burn the deposits. */
const searchesOfProposal = (proposal: string): Search[] => [
  { method: 'tx_search', query: `proposal_deposit.proposal_id='${proposal}'` },
  { method: 'block_search', query: `active_proposal.proposal_id='${proposal}'` },
  { method: 'block_search', query: `inactive_proposal.proposal_id='${proposal}'` },
];

/** Result of searches for one wallet, proposal or validator between two heights. */
export interface Finding {
  readonly from: number;
  readonly until: number;
  /** Ids of the nodes whose indexes were searched from `from` to `until`. */
  readonly nodes: readonly string[];
  /** First block of the nodes at the time of the search. */
  readonly earliest: number;
  readonly heights: readonly number[];
  /** Number of found blocks that are below the first height, or that all nodes have pruned. */
  readonly pruned: number;
  /** True if more than HEIGHTS_MAX heights were found. The result then contains only the heights of earlier runs. */
  readonly isTooLarge: boolean;
}

/** Heights that each search of this run found in the range that it searched. */
export interface Searched {
  readonly from: number;
  readonly until: number;
  readonly heights: ReadonlyMap<string, ReadonlySet<number>>;
  /** Names of the nodes whose indexes were searched. */
  readonly nodes: readonly string[];
}

/** The last blocks of a search are searched again by the next run, because indexes are written after the blocks. */
const SEARCHED_AGAIN = 300;

export interface SearchRange {
  /** First height to search. It is 1 if no node has the index's first day, so that earlier events are noticed. */
  readonly from: number;
  readonly last: number;
  /** First block that a node has. */
  readonly earliest: number;
}

/** Returns the folder with the heights that a run over single wallets has found. */
export const foundFolder = (folder: string): string => join(folder, 'found');

export class HeightFinder {
  private readonly searched = new Map<string, Searched>();
  private known: Promise<Reach> | undefined;

  constructor(
    private readonly folder: string,
    private readonly client: SearchClient,
    private readonly range: SearchRange,
    private readonly onSearched: () => void,
  ) {
    mkdirSync(folder, { recursive: true });
  }

  /** Number of searches for each wallet. */
  static readonly SEARCHES = searchesOf('').length;

  ofWallet(address: string): Promise<Finding> {
    return this.find(address, searchesOf(address), HEIGHTS_MAX);
  }

  ofSlashes(): Promise<Finding> {
    return this.find('slashes', SLASHES);
  }

  ofProposal(proposal: string): Promise<Finding> {
    return this.find(`proposal-${proposal}`, searchesOfProposal(proposal));
  }

  /** Returns what the searches of this run found for a wallet. */
  searchedFor(address: string): Searched | undefined {
    return this.searched.get(address);
  }

  /** Searches for single transactions of an account, and adds the found heights to the wallet's heights. */
  async ofSequences(address: string, sequences: readonly number[]): Promise<Finding> {
    const { from, last } = this.range;
    const queries = sequences.map((sequence) => `tx.acc_seq='${address}/${sequence}'`);
    const found = await Promise.all(
      queries.map((query) => this.client.heights({ method: 'tx_search', query }, from, last)),
    );
    const before = this.read(address)!;
    const heights = united(before.heights, ...found.map(({ heights }) => heights));
    this.write(address, { ...before, heights });
    return { ...before, heights: heights.filter((height) => height >= from && height <= last) };
  }

  /** Returns how far the indexes reach. */
  reach(): Promise<Reach> {
    this.known ??= this.client.reach(this.range.from, this.range.last);
    return this.known;
  }

  private async find(name: string, searches: readonly Search[], most = Number.POSITIVE_INFINITY): Promise<Finding> {
    const { from, last, earliest } = this.range;
    const reach = await this.reach();
    const stored = this.read(name);
    const before = stored !== undefined && this.isUsable(stored) ? stored : undefined;
    const isInRange = (height: number) => height >= from && height <= last;
    const start = before === undefined ? from : Math.max(before.from, before.until + 1 - SEARCHED_AGAIN);
    /** Nodes that were added or did not answer. Their indexes may contain more of the searched heights. */
    const late = before ? this.client.nodeIds.filter((id) => !before.nodes?.includes(id)) : [];
    const ranges = await Promise.all(
      searches.map(async (search) => {
        const older =
          before && late.length > 0 && start > before.from
            ? this.client.heightsOfNodes(late, search, before.from, start - 1, most)
            : undefined;
        const newer = this.client.heights(search, start, last, most);
        const found = { older: await older, newer: await newer };
        this.onSearched();
        return found;
      }),
    );
    const found = ranges.flatMap(({ older, newer }) => (older ? [older, newer] : [newer]));
    this.note(name, searches, { start, ranges });
    const heights = united(before?.heights ?? [], ...found.map((one) => one.heights));
    if (found.some(({ isCut }) => isCut) || heights.length > most) {
      const kept = { nodes: before?.nodes ?? [], heights: before?.heights ?? [] };
      return { from, until: before?.until ?? start - 1, ...kept, earliest, pruned: 0, isTooLarge: true };
    }
    const until = Math.max(before?.until ?? start - 1, Math.min(last, reach.until ?? 0));
    const reaching = reach.nodes.filter((node) => (node.until ?? 0) > until - SEARCHED_AGAIN).map(({ id }) => id);
    const nodes = reaching.filter((id) =>
      ranges.every(
        ({ older, newer }) => (!older || !late.includes(id) || older.nodes.includes(id)) && newer.nodes.includes(id),
      ),
    );
    const pruned = ranges.reduce((sum, { newer }) => sum + newer.pruned, start > from ? (before?.pruned ?? 0) : 0);
    const finding = { from: before?.from ?? from, until, nodes, earliest, heights, pruned, isTooLarge: false };
    this.write(name, finding);
    return { ...finding, heights: heights.filter(isInRange) };
  }

  private note(
    name: string,
    searches: readonly Search[],
    { start, ranges }: { readonly start: number; readonly ranges: readonly { readonly newer: Found }[] },
  ): void {
    const heights = searches.map(({ method, query }, i): [string, ReadonlySet<number>] => [
      `${method} ${query}`,
      new Set(ranges[i]!.newer.heights),
    ]);
    const nodes = this.client.namesOf(ranges.flatMap(({ newer }) => newer.nodes));
    this.searched.set(name, { from: start, until: this.range.last, heights: new Map(heights), nodes });
  }

  /** Returns false if nodes now have blocks that were pruned at the time of the search. */
  private isUsable({ from, pruned, earliest }: Finding): boolean {
    return from <= this.range.from && (pruned === 0 || earliest <= this.range.earliest);
  }

  private read(name: string): Finding | undefined {
    const path = this.pathOf(name);
    if (!existsSync(path)) return undefined;
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return undefined; // the stored result is damaged, so the search is repeated
    }
  }

  private write(name: string, finding: Finding): void {
    replaceFile(this.pathOf(name), `${JSON.stringify(finding)}\n`);
  }

  private readonly pathOf = (name: string) => join(this.folder, `${name}.json`);
}

/**
 * Makes the next run search for everything again, because a proof has failed. The heights that were found stay.
 * @param folder the folder of a HeightFinder
 */
export function searchAgain(folder: string, address: string): void {
  const isAffected = (name: string) => name === `${address}.json` || !/^[a-z]+1/.test(name);
  for (const name of listFolder(folder).filter(isAffected)) {
    const path = join(folder, name);
    const stored: Finding = JSON.parse(readFileSync(path, 'utf8'));
    replaceFile(path, `${JSON.stringify({ ...stored, until: stored.from - 1 })}\n`);
  }
}

const united = (...lists: readonly (readonly number[])[]): number[] => [...new Set(lists.flat())].sort((a, b) => a - b);
