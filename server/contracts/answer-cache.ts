/** Answer cache: answers of nodes to contract queries, kept as long as they cannot be older than a block, and queries that failed. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Problem } from '../problem.js';
import type { Network } from './network.js';
import type { NodeQuery, Refusal } from './node-query.js';

const BYTES_MAX = 64 * 1024 * 1024;
/** Milliseconds that an answer is kept at most. The answer to a smart query goes as soon as a later block is seen. */
const LIFETIME_MS = { block: 6000, minute: 60_000 };
/** Failures of the query and not of the nodes: asked again at once, it would only keep them busy again. */
const OF_THE_QUERY: ReadonlySet<string> = new Set(['upstream_error', 'upstream_timeout']);
/** Memory that an entry takes beside its body and its texts, roughly. */
const OVERHEAD_BYTES = 1024;
/** Copies of a body: as it came, and in two codings. */
const COPIES = 3;

/** Estimates the memory that an entry takes. A character may take two bytes. */
const weigh = (key: string, words: string, body?: Buffer) =>
  OVERHEAD_BYTES + 2 * (key.length + words.length) + COPIES * (body?.length ?? 0);

/** The answer to a query: a node's body, or its refusal. */
export class ContractAnswer {
  /** Weak entity tag, made from the height and the body. */
  readonly etag: string;

  constructor(
    readonly body: Buffer,
    readonly refusal: Refusal | undefined,
    /** Height of the block whose state answered; 0 when no node has said. */
    readonly height: number,
    /** Height of the latest block that was known when it answered, to the server or to the node. */
    readonly seen: number,
  ) {
    this.etag = `W/"${height}.${hash('sha256', body, 'hex').slice(0, 16)}"`;
  }
}

/** Does work, at once or later. */
type InTurn = (work: () => Promise<ContractAnswer>) => Promise<ContractAnswer>;

const keyOf = ({ name }: Network, { path, height }: NodeQuery) => `${name} ${height ?? ''} ${path}`;

/** The cache of a server's answers to contract queries. */
export class AnswerCache {
  private readonly kept = new LRUCache<string, ContractAnswer | Problem>({ maxSize: BYTES_MAX });
  private readonly asking = new Map<string, Promise<ContractAnswer>>();

  /**
   * Gives the answer that is known, or the one that a node gives now; equal queries at one time are asked once, and one that failed
   * by itself is not asked again for as long as a block.
   * @param inTurn does what asks a node when it is the caller's turn
   * @throws Problem
   */
  get(network: Network, query: NodeQuery, inTurn: InTurn): Promise<ContractAnswer> | ContractAnswer {
    // Nobody waits for this health check: it is how the next block comes to be seen.
    void network.checkHealth();
    return this.known(network, query) ?? inTurn(async () => this.known(network, query) ?? this.askOnce(network, query));
  }

  /** The answer that is known and good. @throws Problem that the query met within the last block */
  private known(network: Network, query: NodeQuery): ContractAnswer | undefined {
    const kept = this.kept.get(keyOf(network, query));
    if (kept instanceof Problem) throw kept;
    const isGood = query.kind !== 'smart' || query.height !== undefined || network.height <= (kept?.seen ?? 0);
    return isGood ? kept : undefined;
  }

  private askOnce(network: Network, query: NodeQuery): Promise<ContractAnswer> {
    const key = keyOf(network, query);
    let asked = this.asking.get(key);
    if (!asked) {
      asked = this.ask(network, query, key)
        .catch((error) => this.fail(key, error))
        .finally(() => this.asking.delete(key));
      this.asking.set(key, asked);
    }
    return asked;
  }

  /** Remembers a failure of the query. @throws the error itself */
  private fail(key: string, error: unknown): never {
    if (error instanceof Problem && OF_THE_QUERY.has(error.code)) {
      this.kept.set(key, error, { ttl: LIFETIME_MS.block, size: weigh(key, error.detail) });
    }
    throw error;
  }

  private async ask(network: Network, query: NodeQuery, key: string): Promise<ContractAnswer> {
    const { kind, height } = query;
    const before = network.height;
    const { body = Buffer.alloc(0), refusal, height: answered } = await network.ask(query);
    // A block that was seen meanwhile is later than the answer, unless that says otherwise. Its node may know the next block before
    // that is seen; one that tells of later blocks still is not believed.
    const seen = Math.max(before, Math.min(answered ?? network.height, network.height + 1));
    const answer = new ContractAnswer(body, refusal, answered ?? network.height, seen);
    const ttl = kind === 'smart' && height === undefined ? LIFETIME_MS.block : LIFETIME_MS.minute;
    const size = weigh(key, refusal?.detail ?? '', body);
    if (!refusal?.elsewhere) this.kept.set(key, answer, { ttl: refusal ? LIFETIME_MS.block : ttl, size });
    return answer;
  }
}
