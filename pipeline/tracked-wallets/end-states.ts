/**
 * Asks nodes for the states of the wallets and validators at both ends of the index. If no node has the state before
 * the index, an earlier state can replace it: HUBLEDGER_GENESIS or the genesis of a node.
 */
import { isDeepStrictEqual } from 'node:util';
import { BlockError } from '../chain/block-error.js';
import type { CheckedSource } from '../chain/cross-check.js';
import type { NodeHeaders } from '../chain/light/node-headers.js';
import type { ChainStatus } from '../chain/nodes/chain-source.js';
import type { SearchClient } from '../chain/nodes/search-client.js';
import { openChunks } from '../holdings/start/load-starting-state.js';
import type { StepContext } from '../night/night.js';
import type { NodeStates, StateCheck } from './ask-state.js';
import type { BlockStore } from './block-store.js';
import type { SearchRange } from './find-heights.js';
import { type GenesisState, readGenesis } from './genesis.js';
import type { NodeValidator, SlashFractions, WalletState } from './node-facts.js';

/** Nodes of a run, each with the client for one kind of question. */
export interface Nodes {
  /** True if a second node can confirm a block. */
  readonly hasSecond: boolean;
  readonly source: CheckedSource;
  readonly client: SearchClient;
  readonly headers: readonly NodeHeaders[];
  readonly state: NodeStates;
}

/** States after the last block. */
interface LatestStates {
  readonly closings: ReadonlyMap<string, WalletState | undefined>;
  /** Comparisons of the closing states with other hosts. */
  readonly checks: ReadonlyMap<string, StateCheck>;
  readonly validators: readonly NodeValidator[];
  readonly slashFractions: SlashFractions | undefined;
}

/** States of the wallets and validators at both ends of the index. */
export interface States extends LatestStates {
  readonly openings: ReadonlyMap<string, WalletState | undefined>;
  /** An earlier state, if no node has the state before the index but the nodes have all blocks since then. */
  readonly genesis: EarlierState | undefined;
}

interface EarlierState extends GenesisState {
  /** Returns true if the user or a second host confirms the state. */
  readonly isConfirmed: () => Promise<boolean>;
}

/** @param last height of the states, which is the same for all wallets */
export async function askLatest({ state }: Nodes, last: number, { config }: StepContext): Promise<LatestStates> {
  const closings = new Map<string, WalletState | undefined>();
  for (const address of config.wallets!) closings.set(address, await state.wallet(address, last));
  const checks = new Map<string, StateCheck>();
  for (const [address, closing] of closings) {
    if (closing) checks.set(address, await state.check(address, last, closing));
  }
  const validators = (await state.validators(last)) ?? [];
  return { closings, checks, validators, slashFractions: await state.slashFractions(last) };
}

export async function askOpenings(
  nodes: Nodes,
  store: BlockStore,
  ends: Ends,
  tip: ChainStatus,
  context: StepContext,
): Promise<Pick<States, 'openings' | 'genesis'>> {
  const openings = new Map<string, WalletState | undefined>();
  let pending: Promise<EarlierState | undefined> | undefined;
  for (const address of context.config.wallets!) {
    const known = await nodes.state.wallet(address, ends.first - 1);
    openings.set(address, known);
    if (known) continue;
    pending ??= stateBefore(ends, nodes, store, tip, context);
    if (await pending) break;
  }
  const genesis = await pending;
  return { openings: genesis?.wallets ?? openings, genesis };
}

/**
 * Reads the state of HUBLEDGER_GENESIS or, if it does not help, the genesis of the nodes.
 * @returns undefined if the nodes lack readable blocks between each state and the index
 */
async function stateBefore(
  { first }: Ends,
  { client, source }: Nodes,
  store: BlockStore,
  { earliest, chainId }: ChainStatus,
  { config: { genesis, wallets }, progress }: StepContext,
): Promise<EarlierState | undefined> {
  const lowest = Math.min(earliest, first);
  const read = async (chunks: AsyncIterable<Uint8Array>, name: string) => {
    try {
      return await readGenesis(chunks, wallets!, { chainId, heights: [lowest, first] });
    } catch (error) {
      progress.say(`${name} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };
  if (genesis !== undefined) {
    const state = await read(openChunks(genesis), 'HUBLEDGER_GENESIS');
    if (state) return { ...state, isConfirmed: async () => true };
    progress.say(`HUBLEDGER_GENESIS is not used: it is not the state before a block from ${lowest} to ${first}`);
  }
  if (earliest > first) return undefined;
  const geneses = client.geneses();
  for (const [i, { name, chunks }] of geneses.entries()) {
    const state = await read(chunks, `the genesis of ${name}`);
    if (!state) continue;
    const fault = store.has(state.firstHeight) ? undefined : await blockFault(source, state.firstHeight);
    if (fault !== undefined) {
      progress.say(`the genesis of ${name} is not used: block ${state.firstHeight} cannot be read (${fault})`);
      return undefined;
    }
    let confirmed: Promise<boolean> | undefined;
    const others = geneses.slice(i + 1).filter((other) => other.name !== name);
    const isSame = async () => {
      for (const other of others) {
        if (isDeepStrictEqual(await read(other.chunks, `the genesis of ${other.name}`), state)) return true;
      }
      return false;
    };
    return { ...state, isConfirmed: () => (confirmed ??= isSame()) };
  }
  return undefined;
}

/** Blocks of an archive may be older than CometBFT 0.38, whose form of results is the only one that is read. */
async function blockFault(source: CheckedSource, height: number): Promise<string | undefined> {
  try {
    for await (const _ of source.blocksAt([height])) return undefined;
    return 'no node returns it';
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    return error.reason;
  }
}

export interface Ends {
  readonly first: number;
  readonly last: number;
  readonly search: Omit<SearchRange, 'earliest'>;
}
