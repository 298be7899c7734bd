/**
 * Searches the blocks in which an event occurred. Indexes of live nodes have gaps, so all nodes are queried and their
 * results are combined.
 */
import { setMaxListeners } from 'node:events';
import { ConfigError } from '../../base/config-error.js';
import { endpointsOf, type NodeAddress } from './endpoint.js';
import { type Search, SearchNode, type SearchOptions, type SearchRange } from './search-node.js';

export interface Found {
  readonly heights: readonly number[];
  /** Number of found blocks that no node returns, because all nodes have pruned them. */
  readonly pruned: number;
  /** True if the search ended early because there were too many heights. */
  readonly isCut: boolean;
  /** Ids of the nodes that answered. */
  readonly nodes: readonly string[];
}

/** How far the indexes of the nodes reach. */
export interface Reach {
  /** Highest block that an index contains. Undefined if no node shows it. */
  readonly until: number | undefined;
  readonly nodes: readonly { readonly id: string; readonly name: string; readonly until: number | undefined }[];
}

const DIFFERENCES_SHOWN = 5;

export class SearchClient {
  private readonly nodes: readonly SearchNode[];
  private readonly differing = new Map<string, Set<number>>();

  constructor(
    addresses: readonly NodeAddress[],
    private readonly options: SearchOptions,
  ) {
    setMaxListeners(0, options.signal);
    this.nodes = endpointsOf(addresses).map((endpoint) => new SearchNode(endpoint, options, () => this.nodes));
  }

  get nodeIds(): readonly string[] {
    return this.nodes.map(({ endpoint }) => endpoint.id);
  }

  namesOf(ids: readonly string[]): string[] {
    return this.nodes.flatMap(({ endpoint }) => (ids.includes(endpoint.id) ? [endpoint.name] : []));
  }

  /**
   * Returns the found heights from `from` to `to`, ascending.
   * @param most number of heights after which the search ends
   * @throws ConfigError if no node has a search index, or if no node responds
   */
  async heights(search: Search, from: number, to: number, most = Number.POSITIVE_INFINITY): Promise<Found> {
    const { found, failures } = await this.search(this.awake(), search, { from, to, most });
    if (found.nodes.length === 0) throw noSearch(failures);
    return found;
  }

  /** Searches only the nodes with these ids. The result is empty if none of them answers. */
  async heightsOfNodes(ids: readonly string[], search: Search, from: number, to: number, most: number): Promise<Found> {
    const nodes = this.awake().filter(({ endpoint }) => ids.includes(endpoint.id));
    return (await this.search(nodes, search, { from, to, most })).found;
  }

  /**
   * Returns how far the indexes reach from `from` up to `to`. An index is written after its block, so the newest blocks
   * may be missing.
   * @throws ConfigError if no node has a search index, or if no node responds
   */
  async reach(from: number, to: number): Promise<Reach> {
    const nodes = this.awake();
    const found = await Promise.allSettled(nodes.map((node) => node.reach(from, to)));
    this.options.signal.throwIfAborted();
    const reached = found.flatMap((one, i) =>
      one.status === 'fulfilled' && nodes[i]!.hasIndex
        ? [{ id: nodes[i]!.endpoint.id, name: nodes[i]!.endpoint.name, until: one.value }]
        : [],
    );
    if (reached.length === 0) throw noSearch(failuresOf(found));
    const heights = reached.flatMap(({ until }) => until ?? []);
    return { until: heights.length > 0 ? Math.max(...heights) : undefined, nodes: reached };
  }

  private awake(): readonly SearchNode[] {
    const awake = this.nodes.filter(({ endpoint }) => !endpoint.isSilent);
    return awake.length > 0 ? awake : this.nodes;
  }

  private async search(
    nodes: readonly SearchNode[],
    search: Search,
    range: SearchRange,
  ): Promise<{ found: Found; failures: string[] }> {
    const replies = await Promise.allSettled(nodes.map((node) => node.search(search, range)));
    this.options.signal.throwIfAborted();
    const found = replies.flatMap((reply, i) =>
      reply.status === 'fulfilled' && reply.value ? [{ ...reply.value, endpoint: nodes[i]!.endpoint }] : [],
    );
    const united = new Set(found.flatMap(({ heights }) => [...heights]));
    for (const { heights, endpoint, isCut } of found) if (!isCut) this.noteDifference(endpoint.name, united, heights);
    return {
      found: {
        heights: [...united].sort((a, b) => a - b),
        pruned: Math.min(...found.map(({ pruned }) => pruned)),
        isCut: found.some(({ isCut }) => isCut),
        nodes: found.map(({ endpoint }) => endpoint.id),
      },
      failures: failuresOf(replies),
    };
  }

  /** Logs the heights that are missing in the index of a node, and the nodes that stopped answering. */
  logDifferences(): void {
    for (const { endpoint, failure } of this.nodes) {
      if (failure !== undefined) {
        const text = `a node no longer answers searches, so the next run searches it: ${failure}`;
        this.options.say(text, { node: endpoint.name });
      }
    }
    for (const [name, heights] of this.differing) {
      const lacking = [...heights].sort((a, b) => a - b);
      const shown = lacking.slice(0, DIFFERENCES_SHOWN).join(', ');
      const more = lacking.length > DIFFERENCES_SHOWN ? ` and ${lacking.length - DIFFERENCES_SHOWN} more` : '';
      this.options.say(`the search index of ${name} lacks heights that another node has: ${shown}${more}`, {
        node: name,
        heights: lacking,
      });
    }
    this.differing.clear();
  }

  private noteDifference(name: string, united: ReadonlySet<number>, heights: ReadonlySet<number>): void {
    for (const height of united) {
      if (heights.has(height)) continue;
      const lacking = this.differing.get(name) ?? new Set();
      this.differing.set(name, lacking.add(height));
    }
  }

  /** Returns the genesis of each node in chunks. The chunks end with an error if the node fails. */
  geneses(): { readonly name: string; readonly chunks: AsyncGenerator<Uint8Array> }[] {
    return this.awake().map((node) => ({ name: node.endpoint.name, chunks: node.genesis() }));
  }
}
const failuresOf = (replies: readonly PromiseSettledResult<unknown>[]): string[] =>
  replies.flatMap((reply) => (reply.status === 'rejected' ? [(reply.reason as Error).message] : []));

function noSearch(failures: readonly string[]): ConfigError {
  if (failures.length > 0) {
    const reasons = [...new Set(failures)].join('; ');
    return new ConfigError(`no node answers searches, so name another one in HUBLEDGER_RPC_URLS: ${reasons}`);
  }
  return new ConfigError(
    'no node of HUBLEDGER_RPC_URLS has a search index (its status says tx_index "off"): name one that has',
  );
}
