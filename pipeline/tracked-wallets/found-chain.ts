/** Types of the step that finds and fetches the wallets' blocks, for the steps after it. */
import type { Artifacts } from '../night/artifacts.js';
import type { EdgeStates } from './edge-states.js';
import type { NodeValidator, SlashFractions, WalletState } from './node-facts.js';
import type { SlashedCoins } from './slashed-coins.js';

/** Information from nodes about one wallet, and what the search could not find. */
export interface FoundWallet {
  readonly address: string;
  /** Heights of the wallet's blocks, from the first block of the index on. */
  readonly heights: readonly number[];
  /** State before the index if a node has it, else an earlier state if the nodes have all blocks since then. */
  readonly opening: WalletState | undefined;
  readonly closing: WalletState | undefined;
  /** True if two hosts report the closing state. */
  readonly isConfirmed: boolean;
  /** Sequence numbers of the wallet's own transactions that were found, ascending. */
  readonly sequences: readonly number[];
  /** Sentences for the user, each about something that could not be found. */
  readonly missing: readonly string[];
  /** Sentences for the user, each about what only one node confirms, or about signatures that are not checked. */
  readonly unconfirmed: readonly string[];
}

export interface StoredBlock {
  readonly height: number;
  /** Hash of the block with its events. */
  readonly content: string;
  readonly file: string;
}

export interface FoundChain {
  /** Folder with all data for these wallets. */
  readonly folder: string;
  /** States of the wallets at edges. */
  readonly edgeStates: EdgeStates;
  readonly wallets: readonly FoundWallet[];
  /** All blocks in ascending order of height, each with its file. */
  readonly blocks: readonly StoredBlock[];
  /** Blocks between `opening` and the index, if `opening` is an earlier state. */
  readonly earlier: readonly StoredBlock[];
  readonly slashes: readonly number[];
  readonly slashedCoins: SlashedCoins;
  readonly validators: readonly NodeValidator[];
  /** Validators at the same height as the wallets' `opening` states. */
  readonly openingValidators: readonly NodeValidator[] | undefined;
  /** Undefined if no node responds. */
  readonly slashFractions: SlashFractions | undefined;
}

/** Values that only the steps of a run over single wallets pass to each other. */
export interface WalletArtifacts extends Artifacts {
  readonly found: FoundChain;
}
