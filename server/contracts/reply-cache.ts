import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Problem } from '../http/problem.js';
import type { Network } from './network.js';
import type { NodeQuery, Refusal } from './node-query.js';

const BYTES_MAX = 64 * 1024 * 1024;
/** How long answers are cached. Answers to smart queries about the latest state also expire with the next block. */
const LIFETIME_MS = { block: 6000, minute: 60_000 };
/** Errors that the query may have caused. These errors are cached, so that repeated queries do not keep nodes busy. */
const CAUSED_BY_QUERY: ReadonlySet<string> = new Set(['upstream_error', 'upstream_timeout']);
/** Estimated memory of a cache entry in addition to its texts. */
const OVERHEAD_BYTES = 1024;
const COPIES = 3;

const weigh = (key: string, words: string, body?: Buffer) =>
  OVERHEAD_BYTES + 2 * (key.length + words.length) + COPIES * (body?.length ?? 0);

export class ContractReply {
  readonly etag: string;

  constructor(
    readonly body: Buffer,
    readonly refusal: Refusal | undefined,
    readonly height: number,
    /** Newest block that the server or the node had seen when the node answered. */
    readonly seen: number,
  ) {
    this.etag = `W/"${height}.${hash('sha256', body, 'hex').slice(0, 16)}"`;
  }
}

type AcquireSlot = (work: () => Promise<ContractReply>) => Promise<ContractReply>;

const keyOf = ({ name }: Network, { path, height }: NodeQuery) => `${name} ${height ?? ''} ${path}`;

export class ReplyCache {
  private readonly kept = new LRUCache<string, ContractReply | Problem>({ maxSize: BYTES_MAX });
  private readonly asking = new Map<string, Promise<ContractReply>>();

  /** Returns a cached answer, or queries a node. Concurrent equal queries share one request. */
  get(network: Network, query: NodeQuery, withSlot: AcquireSlot): Promise<ContractReply> | ContractReply {
    // Starts health checks without awaiting them. They detect new blocks, which make cached answers stale.
    void network.checkHealth();
    return (
      this.known(network, query) ?? withSlot(async () => this.known(network, query) ?? this.askOnce(network, query))
    );
  }

  private known(network: Network, query: NodeQuery): ContractReply | undefined {
    const kept = this.kept.get(keyOf(network, query));
    if (kept instanceof Problem) throw kept;
    const isGood = query.kind !== 'smart' || query.height !== undefined || network.height <= (kept?.seen ?? 0);
    return isGood ? kept : undefined;
  }

  private askOnce(network: Network, query: NodeQuery): Promise<ContractReply> {
    const key = keyOf(network, query);
    let pending = this.asking.get(key);
    if (!pending) {
      pending = this.ask(network, query, key)
        .catch((error) => this.fail(key, error))
        .finally(() => this.asking.delete(key));
      this.asking.set(key, pending);
    }
    return pending;
  }

  private fail(key: string, error: unknown): never {
    if (error instanceof Problem && CAUSED_BY_QUERY.has(error.code)) {
      this.kept.set(key, error, { ttl: LIFETIME_MS.block, size: weigh(key, error.detail) });
    }
    throw error;
  }

  private async ask(network: Network, query: NodeQuery, key: string): Promise<ContractReply> {
    const { kind, height } = query;
    const before = network.height;
    const { body = Buffer.alloc(0), refusal, height: heightOfReply } = await network.ask(query);
    // If the node does not report its height, the reply may be older than the newest block. A reported height may be
    // at most one above our latest block; a higher one is not trusted.
    const seen = Math.max(before, Math.min(heightOfReply ?? network.height, network.height + 1));
    const answer = new ContractReply(body, refusal, heightOfReply ?? network.height, seen);
    const ttl = kind === 'smart' && height === undefined ? LIFETIME_MS.block : LIFETIME_MS.minute;
    const size = weigh(key, refusal?.detail ?? '', body);
    if (!refusal?.elsewhere) this.kept.set(key, answer, { ttl: refusal ? LIFETIME_MS.block : ttl, size });
    return answer;
  }
}
