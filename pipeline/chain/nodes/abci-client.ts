/**
 * Queries the state of the chain over RPC: the method abci_query with the gRPC paths of the SDK's modules. The reply
 * contains the height of the state. It contains no proof, so a node can lie about the state.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PageResponse } from 'cosmjs-types/cosmos/base/query/v1beta1/pagination';
import { isRecord } from '../../base/json/exact-json.js';
import { NodeFailure } from './ask-node.js';
import type { Endpoint, RpcReply } from './endpoint.js';
import { NO_STATE, NOT_YET } from './lcd-client.js';
import { RpcQuestions } from './rpc-questions.js';

/** Thrown if no node answers state queries over RPC. */
export class AbciRefusal extends Error {}

export interface AbciQuestion<Page> {
  /** Path of the query, such as `/cosmos.bank.v1beta1.Query/AllBalances`. */
  readonly path: string;
  readonly height: number;
  /** @param key key of the page; empty for the first page */
  readonly request: (key: Uint8Array) => Uint8Array;
  readonly read: (value: Uint8Array) => { readonly page: Page; readonly pagination?: PageResponse | undefined };
  /** Matches the error text for something that does not exist at this height; the result then has no pages. */
  readonly absent?: RegExp;
}

const PAGES_MAX = 1_000;
const BYTES_MAX = 32 * 1024 * 1024;
const PATIENCE_MS = 60_000;
/** A node may be a few blocks behind the node that reported the newest height. */
const NOT_YET_ROUNDS = 3;
const NOT_YET_MS = 2_000;

type Absence = 'gone' | 'not yet';

export class AbciClient {
  private readonly refusals = new Map<RpcQuestions, string>();
  private nodes: readonly RpcQuestions[];

  constructor(endpoints: readonly Endpoint[], signal: AbortSignal) {
    this.nodes = endpoints.map((endpoint) => new RpcQuestions(endpoint, signal));
  }

  /**
   * Returns all pages, from the first node that has the state; undefined if no node has the state at this height.
   * @throws AbciRefusal if no node answers such queries
   */
  async pages<Page>(question: AbciQuestion<Page>): Promise<Page[] | undefined> {
    let isGone = false;
    for (const node of this.nodes) {
      if (this.refusals.has(node)) continue;
      try {
        const pages = await this.pagesOf(node, question);
        if (pages !== 'gone' && pages !== 'not yet') {
          this.nodes = [node, ...this.nodes.filter((one) => one !== node)];
          return pages;
        }
        isGone = true;
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        this.refusals.set(node, `${node.name}: ${error.message}`);
      }
    }
    if (isGone) return undefined;
    throw new AbciRefusal([...this.refusals.values()].join('; '));
  }

  private async pagesOf<Page>(node: RpcQuestions, question: AbciQuestion<Page>): Promise<Page[] | Absence> {
    const { path, height, request, read, absent } = question;
    const [pages, keys, began]: [Page[], Set<string>, number] = [[], new Set(), performance.now()];
    let [key, bytes]: [Uint8Array, number] = [new Uint8Array(), 0];
    for (let waits = 0; ; ) {
      const [reply] = await node.ask([{ method: 'abci_query', params: { path, data: request(key), height } }]);
      const value = valueIn(reply!, height, absent);
      if (value === 'not yet' && ++waits < NOT_YET_ROUNDS) {
        await sleep(NOT_YET_MS);
        continue;
      }
      if (typeof value === 'string') return value;
      if (value === undefined) return [];
      const { page, pagination } = decoded(() => read(value));
      pages.push(page);
      bytes += value.length;
      key = pagination?.nextKey ?? new Uint8Array();
      if (key.length === 0) return pages;
      const text = Buffer.from(key).toString('hex');
      if (keys.has(text)) throw new NodeFailure('it answers with the same page twice');
      if (keys.add(text).size >= PAGES_MAX || bytes > BYTES_MAX) throw new NodeFailure('its answer has too many pages');
      if (performance.now() - began > PATIENCE_MS) throw new NodeFailure('its pages take too long');
    }
  }
}

/** @returns undefined if what was asked for does not exist */
function valueIn({ result, error }: RpcReply, height: number, absent?: RegExp): Uint8Array | Absence | undefined {
  if (error && NO_STATE.test(error.text)) return 'gone';
  if (error) throw new NodeFailure(error.text);
  const reply = decoded((): unknown => JSON.parse(result ?? ''));
  const response = isRecord(reply) ? reply.response : undefined;
  if (!isRecord(response)) throw new NodeFailure('it answers abci_query without a response');
  const { code = 0, log = '', value, height: stated } = response;
  if (code !== 0) {
    const text = String(log).slice(0, 500);
    if (NO_STATE.test(text)) return 'gone';
    if (NOT_YET.test(text)) return 'not yet';
    if (absent?.test(text)) return undefined;
    throw new NodeFailure(`abci_query fails: ${text.slice(0, 200)}`);
  }
  if (String(stated) !== String(height))
    throw new NodeFailure(`it answers with the state of height ${stated}, not ${height}`);
  return Buffer.from(typeof value === 'string' ? value : '', 'base64');
}

function decoded<Value>(decode: () => Value): Value {
  try {
    return decode();
  } catch (error) {
    throw error instanceof NodeFailure
      ? error
      : new NodeFailure(`its answer cannot be decoded: ${(error as Error).message}`);
  }
}
