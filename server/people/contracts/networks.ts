/** Networks of the contract API by name: configured (HUBLEDGER_NETWORKS) or known. */

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KnownNetwork } from '../../../schemas/types.generated.js';
import { Problem } from '../../http/problem.js';
import { Network } from './network.js';
import type { NodeQuery, Refusal } from './node-query.js';
import { AnswerReader } from './upstream.js';

export class Networks {
  readonly answers = new AnswerCache();
  private readonly byName = new Map<string, Network>();

  constructor(
    configured: Readonly<Record<string, readonly string[]>> | undefined,
    private readonly known: readonly KnownNetwork[],
  ) {
    const reader = new AnswerReader();
    const endpoints = configured ?? Object.fromEntries(known.map((network) => [network.name, network.endpoints]));
    for (const [name, urls] of Object.entries(endpoints)) {
      const itsData = known.find((network) => network.name === name || network.aliases.includes(name));
      this.byName.set(name, new Network(name, urls, itsData, reader));
    }
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  get(name: string): Network | undefined {
    const network = this.byName.get(name);
    if (network) return network;
    const known = this.known.find(({ aliases, ...its }) => its.name === name || aliases.includes(name));
    return [known?.name, ...(known?.aliases ?? [])].map((other) => this.byName.get(other ?? '')).find(Boolean);
  }

  states(): { readonly name: string; readonly nodes: number; readonly usable: number }[] {
    return [...this.byName.values()].map((network) => ({ name: network.name, ...network.state }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.byName.values()].map((network) => network.close()));
  }
}

const BYTES_MAX = 64 * 1024 * 1024;
/** Cache lifetimes. Answers to smart queries about the latest state also expire with the next block. */
const LIFETIME_MS = { block: 6000, minute: 60_000 };
/** Failures that the query may have caused. They are cached, so that retries do not keep nodes busy. */
const CAUSED_BY_QUERY: ReadonlySet<string> = new Set(['upstream_error', 'upstream_timeout']);
/** Estimated memory of a cache entry without its texts. */
const OVERHEAD_BYTES = 1024;
/** Plain, gzip and brotli copy of a body. */
const COPIES = 3;

/** A character may take two bytes. */
const weigh = (key: string, words: string, body?: Buffer) =>
  OVERHEAD_BYTES + 2 * (key.length + words.length) + COPIES * (body?.length ?? 0);

export class ContractAnswer {
  readonly etag: string;

  constructor(
    readonly body: Buffer,
    readonly refusal: Refusal | undefined,
    readonly height: number,
    /** Latest block that the server or the node knew when the query was answered. */
    readonly seen: number,
  ) {
    this.etag = `W/"${height}.${hash('sha256', body, 'hex').slice(0, 16)}"`;
  }
}

type AcquireSlot = (work: () => Promise<ContractAnswer>) => Promise<ContractAnswer>;

const keyOf = ({ name }: Network, { path, height }: NodeQuery) => `${name} ${height ?? ''} ${path}`;

export class AnswerCache {
  private readonly kept = new LRUCache<string, ContractAnswer | Problem>({ maxSize: BYTES_MAX });
  private readonly asking = new Map<string, Promise<ContractAnswer>>();

  /** Returns the cached answer or asks a node. Concurrent equal queries are sent once. */
  get(network: Network, query: NodeQuery, withSlot: AcquireSlot): Promise<ContractAnswer> | ContractAnswer {
    // Not awaited: detects new blocks, which make cached answers stale.
    void network.checkHealth();
    return (
      this.known(network, query) ?? withSlot(async () => this.known(network, query) ?? this.askOnce(network, query))
    );
  }

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

  private fail(key: string, error: unknown): never {
    if (error instanceof Problem && CAUSED_BY_QUERY.has(error.code)) {
      this.kept.set(key, error, { ttl: LIFETIME_MS.block, size: weigh(key, error.detail) });
    }
    throw error;
  }

  private async ask(network: Network, query: NodeQuery, key: string): Promise<ContractAnswer> {
    const { kind, height } = query;
    const before = network.height;
    const { body = Buffer.alloc(0), refusal, height: answered } = await network.ask(query);
    // If the node does not report its height, the answer may be older than a block that appeared meanwhile. A reported
    // height may exceed our latest block by one; more is not trusted.
    const seen = Math.max(before, Math.min(answered ?? network.height, network.height + 1));
    const answer = new ContractAnswer(body, refusal, answered ?? network.height, seen);
    const ttl = kind === 'smart' && height === undefined ? LIFETIME_MS.block : LIFETIME_MS.minute;
    const size = weigh(key, refusal?.detail ?? '', body);
    if (!refusal?.elsewhere) this.kept.set(key, answer, { ttl: refusal ? LIFETIME_MS.block : ttl, size });
    return answer;
  }
}
