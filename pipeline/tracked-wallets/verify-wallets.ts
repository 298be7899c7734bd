/**
 * Repeats the proofs of a dataset of single wallets. For a dataset of the whole chain, compares its heights with the
 * search results of nodes.
 */
import { dirname } from 'node:path';
import type { OwnWallet } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { scratchFolder } from '../base/disk/lock.js';
import { Database, readSql } from '../base/duckdb/database.js';
import type { NodeAddress } from '../chain/nodes/endpoint.js';
import { SearchClient } from '../chain/nodes/search-client.js';
import { readManifest, tableFiles } from '../publish/generation.js';
import type { Check } from '../publish/verify/verify.js';
import { NodeStates, type StateNodes } from './ask-state.js';
import { searchesOf } from './find-heights.js';
import type { WalletState } from './node-facts.js';

/**
 * Yields one check for each wallet. Reads its rows from the published files, and queries a node for its state after the
 * last block.
 */
export async function* verifyWallets(folder: string, nodes: StateNodes, native: string): AsyncGenerator<Check> {
  const { own_wallets = [], height, tables } = readManifest(folder);
  const database = await Database.open(await scratchFolder(dirname(folder), 'verify-spill'), { threads: 1 });
  try {
    for (const name of ['coin_movements', 'opening_balances', 'native_holdings', 'priced_events']) {
      await database.attach(name, tableFiles(folder, { tables }, name));
    }
    const rows = await database.all<{ address: string; denom: string; amount: string }>(readSql('tables/tracked_sums'));
    const stakes = await database.all<Stake>(readSql('tables/tracked_stakes'), { native });
    const lines: string[] = [];
    const states = new NodeStates(nodes, native, new AbortController().signal, (text) => lines.push(text));
    for (const wallet of own_wallets) {
      const state = await states.wallet(wallet.address, height);
      if (!state) {
        yield {
          ok: false,
          text: [`${wallet.address}: no node has the state after block ${height}`, ...lines].join('\n  '),
        };
        continue;
      }
      const held = new Map(
        rows.filter(({ address }) => address === wallet.address).map((row) => [row.denom, row.amount]),
      );
      const faults = [
        ...wallet.missing,
        ...[...new Set([...held.keys(), ...state.balances.keys()])]
          .filter((denom) => (held.get(denom) ?? '0') !== String(state.balances.get(denom) ?? 0n))
          .map(
            (denom) => `${denom}: ${held.get(denom) ?? 0} by the rows, the node has ${state.balances.get(denom) ?? 0}`,
          ),
        ...sequenceFaults(wallet, state.sequence),
        ...stakeFaults(
          stakes.find(({ address }) => address === wallet.address),
          state,
        ),
      ];
      const reasons = wallet.state === 'complete' ? `, not proved (${wallet.unconfirmed.join('; ')})` : '';
      const text = `${wallet.address} is ${wallet.state}${reasons}, and agrees with the node after block ${height}`;
      yield {
        ok: faults.length === 0,
        text: faults.length === 0 ? text : [`${wallet.address}:`, ...faults].join('\n  '),
      };
    }
  } finally {
    database.close();
  }
}

interface Stake {
  readonly address: string;
  readonly amount: string;
  readonly acts: number;
  readonly most: string;
}

/**
 * Compares a computed stake with a node's state. The chain truncates a stake at each change, and a computed slash loss
 * is exact to a few base units for each 1,000 coins.
 */
function stakeFaults(stake: Stake | undefined, { delegations, entries }: WalletState): string[] {
  const all = [...delegations.values(), ...entries.map(({ balance }) => balance)];
  const node = all.reduce((sum, amount) => sum + amount, 0n);
  const rows = BigInt(stake?.amount ?? 0);
  const rounding = 2n + 3n * BigInt(stake?.acts ?? 0) + (5n * BigInt(stake?.most ?? 0)) / 1_000_000_000n;
  const difference = rows > node ? rows - node : node - rows;
  return difference > rounding ? [`staked and unbonding: ${rows} by the rows, the node has ${node}`] : [];
}

const sequenceFaults = ({ sequences }: OwnWallet, sequence: number): string[] =>
  sequences && sequences.until !== sequence
    ? [`its sequence is ${sequences.until} by the dataset, ${sequence} by the node`]
    : [];

/**
 * Checks that the nodes' search finds every height at which the dataset has rows of a wallet. Heights of slashes and
 * burned deposits come from separate searches.
 */
export async function* verifyAgainstIndex(
  folder: string,
  rpcUrls: readonly NodeAddress[],
  address: string,
): AsyncGenerator<Check> {
  const manifest = readManifest(folder);
  const { first_height: first, last_height: last } = manifest.coverage;
  const lines: string[] = [];
  const client = new SearchClient(rpcUrls, { signal: new AbortController().signal, say: (text) => lines.push(text) });
  const found = new Set<number>();
  for (const search of searchesOf(address)) {
    for (const height of (await client.heights(search, first, last)).heights) found.add(height);
  }
  client.logDifferences();
  const database = await Database.open(await scratchFolder(dirname(folder), 'verify-spill'), { threads: 1 });
  try {
    await database.attach('priced_events', tableFiles(folder, manifest, 'priced_events'));
    const rows = await database.all<{ height: number; is_searchable: boolean }>(readSql('tables/heights_of_wallet'), {
      address,
    });
    if (rows.length === 0 && found.size === 0) throw new ConfigError(`${address} has no rows, and no search finds it`);
    const lost = rows
      .filter(({ height, is_searchable }) => is_searchable && !found.has(height))
      .map(({ height }) => height);
    yield* lines.map((text) => ({ ok: true, text }));
    yield {
      ok: lost.length === 0,
      text: `${address}: rows at ${rows.length} heights, the search finds ${found.size}, it lacks ${lost.length}${lost.length > 0 ? `: ${lost.slice(0, 20).join(', ')}` : ''}`,
    };
  } finally {
    database.close();
  }
}
