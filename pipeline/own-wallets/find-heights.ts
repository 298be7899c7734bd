/**
 * Finds the heights at which something happened to a wallet, with the search index of nodes. Stores the heights in
 * `own-wallets/<chain id>/found`, so that the next run searches only new blocks.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../base/disk/atomic-files.js';
import type { Search, SearchClient } from '../chain/nodes/search-client.js';

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

export const searchesOf = (address: string): Search[] => [
  ...[...IN_BOTH, ...IN_TRANSACTIONS].map((key): Search => ({ method: 'tx_search', query: `${key}='${address}'` })),
  ...[...IN_BOTH, ...IN_BLOCKS].map((key): Search => ({ method: 'block_search', query: `${key}='${address}'` })),
];

const SLASHES: readonly Search[] = [{ method: 'block_search', query: 'slash.address EXISTS' }];

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

export interface SearchRange {
  /** First height to search. It is 1 if no node has the index's first day, so that earlier events are noticed. */
  readonly from: number;
  readonly last: number;
  /** First block that a node has. */
  readonly earliest: number;
}

export class HeightFinder {
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

  private async find(name: string, searches: readonly Search[], most = Number.POSITIVE_INFINITY): Promise<Finding> {
    const { from, last, earliest } = this.range;
    const stored = this.read(name);
    const before = stored !== undefined && this.isUsable(stored) ? stored : undefined;
    const isAsked = (height: number) => height >= from && height <= last;
    const start = before === undefined ? from : before.until + 1;
    /** Nodes that were added or did not answer. Their indexes may contain more of the searched heights. */
    const late = before ? this.client.nodeIds.filter((id) => !before.nodes?.includes(id)) : [];
    const ranges = await Promise.all(
      searches.map(async (search) => {
        const older = late.length > 0 && this.client.heightsOfNodes(late, search, before!.from, start - 1, most);
        const newer = start <= last && this.client.heights(search, start, last, most);
        const found = { older: await older, newer: await newer };
        this.onSearched();
        return found;
      }),
    );
    const found = ranges.flatMap(({ older, newer }) => [older, newer].flatMap((one) => one || []));
    if (before && found.every(({ nodes }) => nodes.length === 0)) {
      return { ...before, heights: before.heights.filter(isAsked) };
    }
    const heights = united(before?.heights ?? [], ...found.map((one) => one.heights));
    const nodes = this.client.nodeIds.filter((id) =>
      ranges.every(
        ({ older, newer }) =>
          (!older || !late.includes(id) || older.nodes.includes(id)) && (!newer || newer.nodes.includes(id)),
      ),
    );
    if (found.some(({ isCut }) => isCut) || heights.length > most) {
      const kept = { nodes: before?.nodes ?? [], heights: before?.heights ?? [] };
      return { from, until: start - 1, ...kept, earliest, pruned: 0, isTooLarge: true };
    }
    const newer = ranges.flatMap((range) => range.newer || []);
    const pruned = newer.reduce((sum, one) => sum + one.pruned, before?.pruned ?? 0);
    const until = Math.max(start - 1, last);
    const finding = { from: before?.from ?? from, until, nodes, earliest, heights, pruned, isTooLarge: false };
    this.write(name, finding);
    return { ...finding, heights: heights.filter(isAsked) };
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

const united = (...lists: readonly (readonly number[])[]): number[] => [...new Set(lists.flat())].sort((a, b) => a - b);
