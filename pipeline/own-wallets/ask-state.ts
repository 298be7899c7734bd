/** Asks nodes for the state of wallets: over RPC, or over REST if no node answers state queries over RPC. */
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

export class AskedState implements StateSource {
  private readonly rest: StateSource | undefined;
  private rpc: StateSource | undefined;
  private unanswered = 0;

  /** @param native denom whose unclaimed rewards are read */
  constructor(
    nodes: StateNodes,
    native: string,
    private readonly signal: AbortSignal,
    private readonly say: (text: string) => void,
  ) {
    this.rpc = new AbciState(new AbciClient(nodes.rpc, signal), native);
    this.rest = nodes.rest.length > 0 ? new NodeState(new LcdClient(nodes.rest), native) : undefined;
  }

  wallet(address: string, height: number): Promise<WalletState | undefined> {
    return this.ask((source) => source.wallet(address, height));
  }

  validators(height: number): Promise<NodeValidator[] | undefined> {
    return this.ask((source) => source.validators(height));
  }

  slashFractions(height: number): Promise<SlashFractions | undefined> {
    return this.ask((source) => source.slashFractions(height));
  }

  private async ask<Answer>(question: (source: StateSource) => Promise<Answer>): Promise<Answer | undefined> {
    const found = await this.askRpc(question);
    return found ?? this.askRest(question);
  }

  private async askRpc<Answer>(question: (source: StateSource) => Promise<Answer>): Promise<Answer | undefined> {
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

  private async askRest<Answer>(question: (source: StateSource) => Promise<Answer>): Promise<Answer | undefined> {
    if (!this.rest || this.unanswered === UNANSWERED_MAX) return undefined;
    try {
      const answer = await question(this.rest);
      this.unanswered = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.say(error.message);
      if (++this.unanswered === UNANSWERED_MAX) this.say('no node of HUBLEDGER_LCD_URLS is asked again in this run');
      return undefined;
    }
  }
}
