/** Asks nodes for the state of wallets: over RPC, or over REST if no node answers state queries over RPC. */
import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../base/config-error.js';
import { AbciClient, AbciRefusal } from '../chain/nodes/abci-client.js';
import type { Endpoint } from '../chain/nodes/endpoint.js';
import { LcdClient } from '../chain/nodes/lcd-client.js';
import { AbciState } from './abci-state.js';
import {
  NodeState,
  type NodeValidator,
  type SlashFractions,
  type StateSource,
  type WalletState,
} from './node-facts.js';

/** After this many unanswered requests in a row, the nodes count as away for the rest of the run. */
const UNANSWERED_MAX = 3;

export interface StateNodes {
  readonly rpc: readonly Endpoint[];
  readonly rest: readonly Endpoint[];
}

/** Comparison of a wallet's state with the replies of other hosts. */
export interface StateCheck {
  /** True if two hosts report the state. */
  readonly isConfirmed: boolean;
  /** Hosts that report another state. */
  readonly differing: readonly string[];
}

/** Number of hosts that confirm a state. */
const CONFIRMING = 2;

interface SingleNode {
  readonly endpoint: Endpoint;
  readonly source: StateSource;
}

export class NodeStates implements StateSource {
  private readonly rest: StateSource | undefined;
  private rpc: StateSource | undefined;
  private failures = 0;
  /** Each node alone, for comparisons. */
  private readonly singles: { readonly rpc: readonly SingleNode[]; readonly rest: readonly SingleNode[] };
  /** Nodes that failed during a comparison. They get no further comparisons. */
  private readonly failed = new Set<SingleNode>();

  /** @param native denom whose unclaimed rewards are read */
  constructor(
    nodes: StateNodes,
    native: string,
    private readonly signal: AbortSignal,
    private readonly say: (text: string) => void,
  ) {
    this.rpc = new AbciState(new AbciClient(nodes.rpc, signal), native);
    this.rest = nodes.rest.length > 0 ? new NodeState(new LcdClient(nodes.rest), native) : undefined;
    this.singles = {
      rpc: nodes.rpc.map((endpoint) => ({
        endpoint,
        source: new AbciState(new AbciClient([endpoint], signal), native),
      })),
      rest: nodes.rest.map((endpoint) => ({ endpoint, source: new NodeState(new LcdClient([endpoint]), native) })),
    };
  }

  wallet(address: string, height: number): Promise<WalletState | undefined> {
    return this.ask((source) => source.wallet(address, height));
  }

  /**
   * Asks single hosts for a wallet's state until two report `state`. RPC and REST hosts are counted apart, because both
   * may belong to one provider.
   */
  async check(address: string, height: number, state: WalletState): Promise<StateCheck> {
    const differing: string[] = [];
    for (const nodes of [this.rpc ? this.singles.rpc : [], this.singles.rest]) {
      const same = new Set<string>();
      for (const node of this.hostsOf(nodes)) {
        const found = await this.askOne(node, (source) => source.wallet(address, height));
        if (!found) continue;
        if (isDeepStrictEqual(found, state)) same.add(node.endpoint.name);
        else differing.push(node.endpoint.name);
        if (same.size === CONFIRMING) return { isConfirmed: true, differing };
      }
    }
    return { isConfirmed: false, differing };
  }

  /** Returns the nodes that are worth a question; none if all are on one host, which cannot confirm itself. */
  private hostsOf(nodes: readonly SingleNode[]): readonly SingleNode[] {
    const awake = nodes.filter((node) => !node.endpoint.isSilent && !this.failed.has(node));
    return new Set(awake.map(({ endpoint }) => endpoint.name)).size < CONFIRMING ? [] : awake;
  }

  private async askOne<Reply>(
    node: SingleNode,
    question: (source: StateSource) => Promise<Reply>,
  ): Promise<Reply | undefined> {
    try {
      return await question(node.source);
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof AbciRefusal)) throw error;
      this.signal.throwIfAborted();
      this.failed.add(node);
      return undefined;
    }
  }

  validators(height: number): Promise<NodeValidator[] | undefined> {
    return this.ask((source) => source.validators(height));
  }

  slashFractions(height: number): Promise<SlashFractions | undefined> {
    return this.ask((source) => source.slashFractions(height));
  }

  private async ask<Reply>(question: (source: StateSource) => Promise<Reply>): Promise<Reply | undefined> {
    const found = await this.askRpc(question);
    return found ?? this.askRest(question);
  }

  private async askRpc<Reply>(question: (source: StateSource) => Promise<Reply>): Promise<Reply | undefined> {
    if (!this.rpc) return undefined;
    try {
      return await question(this.rpc);
    } catch (error) {
      if (!(error instanceof AbciRefusal)) throw error;
      this.signal.throwIfAborted();
      this.rpc = undefined;
      const other = this.rest ? 'HUBLEDGER_LCD_URLS is asked' : 'HUBLEDGER_LCD_URLS is not set';
      this.say(`no node answers state queries over RPC (${error.message}): ${other}`);
      return undefined;
    }
  }

  private async askRest<Reply>(question: (source: StateSource) => Promise<Reply>): Promise<Reply | undefined> {
    if (!this.rest || this.failures === UNANSWERED_MAX) return undefined;
    try {
      const reply = await question(this.rest);
      this.failures = 0;
      return reply;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.say(error.message);
      if (++this.failures === UNANSWERED_MAX) this.say('no node of HUBLEDGER_LCD_URLS is asked again in this run');
      return undefined;
    }
  }
}
