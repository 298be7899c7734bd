/**
 * Refuses a nightly run on a data folder that has another dataset. A folder belongs to one chain, and either to the
 * whole chain or to single wallets. The check runs before any block is fetched.
 */
import { VariableError } from '../base/config-error.js';
import { currentOfAnyProgram } from './generation.js';

interface Wanted {
  readonly dataDir: string;
  readonly nodeChainId: string;
  /** Addresses of single wallets; undefined for the whole chain. */
  readonly wallets: readonly string[] | undefined;
  /** File or URL of the starting state. */
  readonly genesis: string | undefined;
}

/** @throws VariableError that names the variable to change */
export function expectSameDataset({ dataDir, nodeChainId, wallets, genesis }: Wanted): void {
  const made = currentOfAnyProgram(dataDir)?.manifest;
  if (made === undefined) return;
  const other = 'set HUBLEDGER_DATA_DIR to another folder';
  const { node_chain_id: chain = nodeChainId, own_wallets, coverage } = made;
  if (chain !== nodeChainId)
    throw new VariableError(`${dataDir} has a dataset of ${chain}, but this run reads ${nodeChainId}: ${other}`);
  if (wallets && !own_wallets)
    throw new VariableError(`${dataDir} has a dataset of the whole chain, but HUBLEDGER_WALLETS is set: ${other}`);
  if (own_wallets && !wallets)
    throw new VariableError(
      `${dataDir} has a dataset of single wallets, but HUBLEDGER_WALLETS is not set: set it again, or ${other}`,
    );
  const height = coverage?.starting_height ?? null;
  if (height !== null && !wallets && genesis === undefined)
    throw new VariableError(
      `the dataset in ${dataDir} rests on the starting state of height ${height}, but HUBLEDGER_GENESIS is not set: ` +
        'set it again, or use --allow-loss',
    );
}
