/** Finds out what an RPC endpoint can do. Each question has a deadline, so that a node that hangs ends in bounded time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ByteAllowance, NodeFailure } from '../../pipeline/chain/nodes/ask-node.js';
import type { Asking, CallParameters, Endpoint } from '../../pipeline/chain/nodes/endpoint.js';
import { SearchClient } from '../../pipeline/chain/nodes/search-client.js';
import { BURST, DISTANCES, type NodeReport } from './report.js';

const ASK_MS = 10_000;
const SEARCH_MAX_MS = 5_000;
const FIRST_SEARCH_MAX_MS = 15_000;
const MIB = 64;
const WIDTHS = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const BATCHES = [20, 10, 3, 2];
/** Newest blocks among which the end of the index is looked for. */
const INDEX_LAG_MAX = 1_000;
const PER_PAGE = 100;
/** The state of this module is small, and every node has it. */
const STATE_PATH = '/cosmos.bank.v1beta1.Query/Params';
const PROOF_PATH = '/store/bank/key';

/** Longest pause that a node may ask for, and number of attempts. */
const PAUSE_MAX_MS = 10_000;
const ROUNDS = 3;

/** Repeats a question that the node refuses because of its rate limit. */
export async function patiently<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  for (let round = 1; ; round++) {
    try {
      return await ask();
    } catch (error) {
      const isLimit = error instanceof NodeFailure && error.kind === 'limit' && error.retryAfter <= PAUSE_MAX_MS;
      if (!isLimit || round === ROUNDS) throw error;
      await sleep(Math.max(error.retryAfter, 1_000));
    }
  }
}

export const asking = (timeoutMs = ASK_MS): Asking => ({ timeoutMs, allowance: new ByteAllowance(MIB) });

export interface RpcStatus {
  readonly chain: string;
  readonly earliest: number;
  readonly latest: number;
  readonly latestTime: number;
  readonly index: string;
}

export class RpcCheck {
  constructor(
    private readonly endpoint: Endpoint,
    /** Address whose transactions are searched. The fee collector is in every transaction, so its search is expensive. */
    private readonly searched: string,
  ) {}

  /** @throws NodeFailure if the endpoint is not the RPC endpoint of a node */
  async status(): Promise<RpcStatus> {
    const { node_info, sync_info } = await this.result('status', {});
    const heights = [sync_info?.earliest_block_height, sync_info?.latest_block_height].map(Number);
    const [earliest, latest] = heights as [number, number];
    if (typeof node_info?.network !== 'string' || !heights.every(Number.isSafeInteger)) {
      throw new NodeFailure('its status has no network or no heights');
    }
    const index = node_info.other?.tx_index === 'off' ? 'off' : 'on';
    return {
      chain: node_info.network,
      earliest,
      latest,
      latestTime: Date.parse(sync_info?.latest_block_time ?? ''),
      index,
    };
  }

  async check(status: RpcStatus): Promise<Partial<NodeReport>> {
    const transport = await this.transport();
    const index = status.index === 'off' ? { index: 'off' } : await this.searches(status);
    const state = await this.states(status);
    return { ...transport, ...index, ...state, limit: await burst(() => this.health()) };
  }

  private async transport(): Promise<Partial<NodeReport>> {
    const health = { jsonrpc: '2.0', id: 0, method: 'health', params: {} };
    const get = await this.replies('/status');
    const post = await this.replies('', JSON.stringify(health));
    for (const size of post ? BATCHES : []) {
      const calls = Array.from({ length: size }, () => ({ method: 'health', params: {} }));
      const replies = await patiently(() => this.endpoint.batch(calls, asking())).catch(() => undefined);
      if (replies?.size === size) return { get, post, batch: size };
    }
    return { get, post, batch: 0 };
  }

  private async replies(path: string, body?: string): Promise<boolean> {
    try {
      const { status } = await patiently(() => this.send(path, body));
      return status === 200;
    } catch {
      return false;
    }
  }

  private async health(): Promise<{ readonly status: number }> {
    await this.endpoint.call('health', {}, asking());
    return { status: 200 };
  }

  private send(path: string, body?: string) {
    return this.endpoint.send(path, asking(), body === undefined ? {} : { body });
  }

  /** Searches ever wider ranges that end at the newest block, until one takes longer than five seconds. */
  private async searches({ earliest, latest }: RpcStatus): Promise<Partial<NodeReport>> {
    const all = latest - earliest + 1;
    const widths = [...WIDTHS.filter((one) => one < all), all];
    // The first search may have to load the index.
    const fault = await this.searchFault(latest, widths[0]!, FIRST_SEARCH_MAX_MS);
    if (fault !== undefined) return { index: fault, search_blocks: 0, index_behind: null };
    let search_blocks = 0;
    for (const width of widths) {
      if ((await this.searchFault(latest, width, SEARCH_MAX_MS)) !== undefined) break;
      search_blocks = width;
    }
    return { index: 'on', search_blocks, index_behind: await this.indexBehind(earliest, latest) };
  }

  /** Searches the newest blocks. @returns why there is no answer in time, or undefined */
  private async searchFault(latest: number, width: number, timeoutMs: number): Promise<string | undefined> {
    const query = `coin_received.receiver='${this.searched}' AND tx.height>=${latest - width + 1} AND tx.height<=${latest}`;
    const params = { query, page: 1, per_page: PER_PAGE, order_by: 'asc' };
    try {
      const { result, error } = await patiently(() => this.endpoint.call('tx_search', params, asking(timeoutMs)));
      if (result === undefined) return faultOf(error?.text ?? 'no result');
      const { txs, total_count }: SearchResult = JSON.parse(result);
      return Number(total_count) > 0 && !txs?.length ? 'counts matches, but returns none' : undefined;
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      if (error.kind === 'limit') return 'refuses searches';
      return error.kind === 'slow' ? 'slow' : error.message;
    }
  }

  private async indexBehind(earliest: number, latest: number): Promise<number | null> {
    const client = new SearchClient([this.endpoint], { signal: AbortSignal.timeout(6 * ASK_MS), say() {} });
    try {
      const { until } = await client.reach(Math.max(earliest, latest - INDEX_LAG_MAX), latest);
      return until === undefined ? INDEX_LAG_MAX : latest - until;
    } catch {
      return null;
    }
  }

  private async states({ earliest, latest }: RpcStatus): Promise<Partial<NodeReport>> {
    let found: Partial<NodeReport> = { states: null, height_honoured: null, proofs: false };
    for (const distance of DISTANCES.filter((one) => latest - one >= earliest)) {
      const height = latest - distance;
      const response = await this.state(height);
      if (response === undefined) continue;
      const isHonoured = Number(response.height) === height;
      if (!isHonoured) return { ...found, states: 0, height_honoured: false };
      found = { ...found, states: distance, height_honoured: distance > 0 || null };
    }
    return { ...found, proofs: found.states !== null && (await this.proves(latest - 1)) };
  }

  private async state(height: number): Promise<AbciResponse | undefined> {
    try {
      const { response } = await this.result('abci_query', { path: STATE_PATH, data: new Uint8Array(), height });
      return response?.code ? undefined : response;
    } catch (error) {
      if (error instanceof NodeFailure) return undefined;
      throw error;
    }
  }

  private async proves(height: number): Promise<boolean> {
    const params = { path: PROOF_PATH, data: '00', height: String(height), prove: true };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'abci_query', params });
    const path = `/abci_query?path="${PROOF_PATH}"&data=0x00&height=${height}&prove=true`;
    for (const send of [() => this.send('', body), () => this.send(path)]) {
      try {
        const { result }: { readonly result?: RpcResult } = JSON.parse((await patiently(send)).text);
        return (result?.response?.proofOps?.ops?.length ?? 0) > 0;
      } catch {
        // The node refuses this way to ask, or answers with something other than JSON.
      }
    }
    return false;
  }

  private async result(method: string, params: CallParameters): Promise<RpcResult> {
    const { result, error } = await patiently(() => this.endpoint.call(method, params, asking()));
    if (result === undefined) throw new NodeFailure(error?.text ?? 'it answers without a result');
    return JSON.parse(result);
  }
}

/** Texts of CometBFT without an index, and with an index that it cannot search. */
function faultOf(text: string): string {
  if (/indexing is disabled/i.test(text)) return 'off';
  return /not supported/i.test(text) ? 'cannot search' : text;
}

interface SearchResult {
  readonly txs?: readonly unknown[] | null;
  readonly total_count?: string;
}

interface AbciResponse {
  readonly code?: number;
  readonly height?: string;
  readonly proofOps?: { readonly ops?: readonly unknown[] };
}

/** Members that are read of results of `status` and `abci_query`. */
interface RpcResult {
  readonly node_info?: { readonly network?: string; readonly other?: { readonly tx_index?: string } };
  readonly sync_info?: Readonly<Record<'earliest_block_height' | 'latest_block_height' | 'latest_block_time', string>>;
  readonly response?: AbciResponse;
}

/** Sends many requests at once. @returns the number of accepted requests and the first error, such as `17 of 20: HTTP 429` */
export async function burst(send: () => Promise<{ readonly status: number }>): Promise<string> {
  const outcomes = await Promise.all(
    Array.from({ length: BURST }, () =>
      send().then(
        ({ status }) => (status < 400 ? undefined : `HTTP ${status}`),
        (error: Error) => error.message,
      ),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome !== undefined);
  return refused.length === 0 ? `none at ${BURST}` : `${BURST - refused.length} of ${BURST}: ${refused[0]}`;
}
