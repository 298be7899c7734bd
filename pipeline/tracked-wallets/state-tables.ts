/**
 * Makes the tables of the states that nodes reported: at edges, and after the last block. A state at an edge that the
 * rows of a whole wallet contradict is left out, and the next run asks for it again.
 */
import type { WalletCoin, WalletStake } from '../../schemas/types.generated.js';
import type { Database } from '../base/duckdb/database.js';
import type { StepContext } from '../night/night.js';
import { type EdgeState, heldState } from './edge-states.js';
import type { FoundChain } from './found-chain.js';
import type { CoinNames, FollowedWallet, Proved } from './prove-wallet.js';

export interface ProvedWallet extends Proved {
  readonly followed: FollowedWallet;
}

export interface StateParts {
  readonly last: number;
  readonly names: CoinNames;
  readonly progress: Pick<StepContext['progress'], 'say'>;
}

export async function addStates(
  database: Database,
  proved: readonly ProvedWallet[],
  { edgeStates, blocks }: Pick<FoundChain, 'edgeStates' | 'blocks'>,
  { last, names, progress }: StateParts,
): Promise<void> {
  const coins: WalletCoin[] = [];
  const heights = new Set(blocks.map(({ height }) => height));
  for (const { height, edges, wallets } of edgeStates.list()) {
    if (!heights.has(height) || !heights.has(height + 1)) continue;
    const doubted = new Map<string, EdgeState>();
    for (const wallet of proved) {
      const { address } = wallet.proof;
      const state = wallets.get(address);
      if (!state) continue;
      const difference = wallet.proof.state === 'incomplete' ? undefined : differenceAt(height, state, wallet, names);
      if (difference === undefined) coins.push(...coinsOf(address, height, state, names.native));
      else {
        doubted.set(address, { ...state, isDoubted: true });
        const text = `${address}: its state before ${edges.join(', ')} is not used: ${difference}`;
        progress.say(text, { address, height });
      }
    }
    if (doubted.size > 0) edgeStates.saveWallets(height, doubted);
  }
  for (const { followed, proof } of proved) {
    const { closing, isConfirmed } = followed.wallet;
    const state = closing && { ...heldState(closing), isConfirmed };
    if (state) coins.push(...coinsOf(proof.address, last, state, names.native));
  }
  await database.create('wallet_states');
  await database.append<WalletCoin>('wallet_states', coins);
  await database.create('wallet_stakes');
  await database.append<WalletStake>('wallet_stakes', proved.flatMap(stakesOf));
}

const stakesOf = ({ proof: { address, state }, followed }: ProvedWallet): WalletStake[] =>
  state === 'incomplete' ? [] : followed.stakes.points.map((point) => ({ address, ...point }));

/** Largest amount of a column. */
const AMOUNT_MAX = 10n ** 38n - 1n;

function coinsOf(
  address: string,
  height: number,
  { balances, staked, unbonding, claims, isConfirmed }: Omit<EdgeState, 'isDoubted'>,
  native: string,
): WalletCoin[] {
  const denoms = new Set([native, ...balances.keys(), ...claims.keys()]);
  return [...denoms].flatMap((denom) => {
    const [liquid, unclaimed] = [balances.get(denom) ?? 0n, claims.get(denom) ?? 0n];
    const stakes = denom === native ? { staked, unbonding } : { staked: 0n, unbonding: 0n };
    const coin = { address, height, denom, liquid, ...stakes, confirmed: isConfirmed };
    return liquid > AMOUNT_MAX ? [] : [{ ...coin, unclaimed: unclaimed > AMOUNT_MAX ? null : unclaimed }];
  });
}

/** Returns how a state differs from the rows; undefined if it does not. */
function differenceAt(
  height: number,
  state: EdgeState,
  { proof, followed: { movements, stakes, first } }: ProvedWallet,
  { native, shown }: CoinNames,
): string | undefined {
  const liquid = new Map(proof.balances.map(({ denom, opening }) => [denom, BigInt(opening ?? 0)]));
  for (const { denom, height: at, amount } of movements) {
    if (at >= first && at <= height) liquid.set(denom, (liquid.get(denom) ?? 0n) + amount);
  }
  const differ = (what: string, denom: string, node: bigint, rows: bigint | null | undefined) =>
    rows === null || rows === undefined || rows === node
      ? []
      : [`${what} are ${shown(denom, node)} by the node, ${shown(denom, rows)} by the rows`];
  const point = stakes.points.findLast((one) => one.height <= height);
  const differences = [
    ...[...new Set([...liquid.keys(), ...state.balances.keys()])].flatMap((denom) =>
      differ('liquid coins', denom, state.balances.get(denom) ?? 0n, liquid.get(denom) ?? 0n),
    ),
    ...differ('staked coins', native, state.staked, point?.staked),
    ...differ('unbonding coins', native, state.unbonding, point?.unbonding),
  ];
  return differences[0];
}
