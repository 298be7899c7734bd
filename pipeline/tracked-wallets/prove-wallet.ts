/**
 * Proves that no row of a wallet is missing. The rows must explain every change of a balance or stake that nodes
 * report. The blocks must contain every transaction that the account has signed.
 */
import type { OwnWallet } from '../../schemas/types.generated.js';
import { ADD_NODE } from './advice.js';
import { lackingSequences } from './complete-wallet.js';
import type { FoundWallet } from './found-chain.js';
import type { FollowedStakes } from './stakes.js';

/** Sum of the changes of one balance in one block, in base units. */
export interface Movement {
  readonly denom: string;
  readonly height: number;
  readonly amount: bigint;
}

export interface FollowedWallet {
  readonly wallet: FoundWallet;
  readonly stakes: FollowedStakes;
  /** Movements since the wallet's `opening` state, ordered by denom and height. */
  readonly movements: readonly Movement[];
  /** First height of the index. */
  readonly first: number;
}

interface Opening {
  readonly liquid: ReadonlyMap<string, bigint>;
  readonly delegated: ReadonlyMap<string, bigint>;
  readonly unbonding: ReadonlyMap<string, bigint>;
}

/** Formats coins for sentences. */
export interface CoinNames {
  readonly native: string;
  /** Formats base units, for example `13.330969 ATOM`. */
  readonly shown: (denom: string, amount: bigint) => string;
}

export interface Proved {
  readonly proof: OwnWallet;
  readonly opening: Opening;
}

export function proveWallet(followed: FollowedWallet, names: CoinNames): Proved {
  const { wallet, stakes } = followed;
  const { address, opening, closing, sequences, unconfirmed } = wallet;
  const { balances, liquid, gaps } = proveBalances(followed, names);
  const lacking = closing ? lackingSequences(sequences, opening?.sequence, closing.sequence) : [];
  const missing = missingOf(wallet, [...gaps, ...stakeGaps(stakes, names), ...sequenceGaps(lacking)]);
  const starts = opening ? 'node' : closing ? (isEmpty(balances, stakes) ? 'zero' : 'computed') : null;
  const proof: OwnWallet = {
    address,
    state: stateOf(missing, starts, unconfirmed),
    heights: wallet.heights.length,
    opening: starts,
    balances,
    sequences: closing
      ? {
          from: opening?.sequence ?? sequences[0] ?? closing.sequence,
          until: closing.sequence,
          missing: lacking,
        }
      : null,
    stakes: {
      holds: closing !== undefined && stakes.differences.length === 0,
      differences: stakes.differences.map(({ validator, kind, rows, node }) => ({
        validator,
        kind,
        rows: String(rows),
        node: String(node),
      })),
    },
    reward: closing ? String(closing.reward) : null,
    missing,
    unconfirmed: [...unconfirmed],
  };
  const positive = (amounts: ReadonlyMap<string, bigint>) => new Map([...amounts].filter(([, amount]) => amount > 0n));
  const { delegated, unbonding } = stakes.opening;
  return { proof, opening: { liquid, delegated: positive(delegated), unbonding: positive(unbonding) } };
}

/** Balances of one wallet, compared with the node's. */
interface ProvedBalances {
  readonly balances: OwnWallet['balances'];
  /** Positive balances before the index. */
  readonly liquid: ReadonlyMap<string, bigint>;
  /** Names of the coins that the rows lack. */
  readonly gaps: readonly string[];
}

function proveBalances(
  { wallet: { opening, closing }, movements, first }: FollowedWallet,
  { native, shown }: CoinNames,
): ProvedBalances {
  const [earlier, sums] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const { denom, height, amount } of movements) {
    const its = height < first ? earlier : sums;
    its.set(denom, (its.get(denom) ?? 0n) + amount);
  }
  const known = [opening?.balances, earlier, sums, closing?.balances];
  const denoms = [...new Set(known.flatMap((amounts) => [...(amounts?.keys() ?? [])]))];
  denoms.sort();
  const balances: OwnWallet['balances'] = [];
  const liquid = new Map<string, bigint>();
  const gaps: string[] = [];
  for (const denom of denoms) {
    const rows = sums.get(denom) ?? 0n;
    const node = closing ? (closing.balances.get(denom) ?? 0n) : undefined;
    const moved = earlier.get(denom) ?? 0n;
    const start = opening ? (opening.balances.get(denom) ?? 0n) : node === undefined ? undefined : node - rows - moved;
    const before = start === undefined ? undefined : start + moved;
    const least = lowest(movements, denom, start ?? 0n);
    const holds = node !== undefined && before !== undefined && before >= 0n && before + rows === node && least >= 0n;
    balances.push({
      denom,
      opening: before === undefined ? null : String(before),
      rows: String(rows),
      node: node === undefined ? null : String(node),
      holds,
    });
    if (before !== undefined && before > 0n && least >= 0n) liquid.set(denom, before);
    if (holds || node === undefined || start === undefined || before === undefined) continue;
    const surplus = opening ? node - before - rows : start < 0n ? start : 0n;
    const lacking = balanceGaps({
      surplus,
      least: lowest(movements, denom, start < 0n ? 0n : start),
      isExact: opening !== undefined,
      shown: (amount) => shown(denom, amount),
    });
    if (denom === native) gaps.unshift(...lacking);
    else gaps.push(...lacking);
  }
  return { balances, liquid, gaps };
}

interface BalanceDifference {
  /** The node's balance minus the balance by the rows. */
  readonly surplus: bigint;
  /** Lowest balance by the rows. */
  readonly least: bigint;
  /** False if the balance before the rows is unknown. */
  readonly isExact: boolean;
  readonly shown: (amount: bigint) => string;
}

/**
 * Names the coins of one denom that the rows lack. Example: the node has 5 coins more than the rows, and the rows fall
 * to -7. Then receipts of at least 7 and payments of at least 2 are missing.
 */
function balanceGaps({ surplus, least, isExact, shown }: BalanceDifference): string[] {
  const [needed, more] = [least < 0n ? -least : 0n, surplus > 0n ? surplus : 0n];
  const received = more > needed ? more : needed;
  const paid = received - surplus;
  const bound = isExact && received === more ? '' : 'at least ';
  return [
    ...(received > 0n ? [`${bound}${shown(received)} of receipts`] : []),
    ...(paid > 0n ? [`${bound}${shown(paid)} of payments`] : []),
  ];
}

/** Stake changes that the rows lack: [if the node has more than the rows, if it has less]. */
const STAKE_CHANGES = {
  delegated: ['delegations to', 'undelegations, redelegations or slashes at'],
  unbonding: ['begun unbondings from', 'completed unbondings from'],
} as const;

function stakeGaps({ differences, opening }: FollowedStakes, { native, shown }: CoinNames): string[] {
  const ofNode = differences.map(({ kind, validator, rows, node }) => {
    const [more, less] = STAKE_CHANGES[kind];
    return node > rows
      ? `${shown(native, node - rows)} of ${more} ${validator}`
      : `${shown(native, rows - node)} of ${less} ${validator}`;
  });
  const before = (['delegated', 'unbonding'] as const).flatMap((kind) =>
    [...opening[kind]]
      .filter(([, amount]) => amount < 0n)
      .map(([validator, amount]) => `${shown(native, -amount)} of ${STAKE_CHANGES[kind][0]} ${validator}`),
  );
  return [...ofNode, ...before];
}

const sequenceGaps = (lacking: readonly number[]): string[] =>
  lacking.length === 0 ? [] : [`own transactions with the sequence ${shortened(lacking.map(String))}`];

const SHOWN = 5;

const shortened = (texts: readonly string[]) =>
  texts.length > SHOWN ? `${texts.slice(0, SHOWN).join(', ')} and ${texts.length - SHOWN} more` : texts.join(', ');

/**
 * Returns sentences about what is missing of a wallet and what to do. If the search has found the cause, its sentence
 * already contains the advice.
 */
function missingOf({ closing, missing }: FoundWallet, gaps: readonly string[]): string[] {
  const cause = missing.length === 0 ? `: no search index of your nodes has them. ${ADD_NODE}` : '';
  return [
    ...(gaps.length === 0 ? [] : [`${shortened(gaps)} are missing${cause}`]),
    ...missing,
    ...(closing
      ? []
      : [
          'no node reports its balances, so no proof shows that its rows are complete. Add a node that does to HUBLEDGER_RPC_URLS or HUBLEDGER_LCD_URLS and run again',
        ]),
  ];
}

function stateOf(
  missing: readonly string[],
  starts: OwnWallet['opening'],
  unconfirmed: readonly string[],
): OwnWallet['state'] {
  if (missing.length > 0) return 'incomplete';
  if (starts === 'computed') return 'derived';
  return unconfirmed.length > 0 ? 'complete' : 'proved';
}

const isEmpty = (balances: OwnWallet['balances'], { opening: { delegated, unbonding } }: FollowedStakes): boolean =>
  balances.every(({ opening }) => opening === '0') && delegated.size + unbonding.size === 0;

/** Returns the lowest balance after any movement. */
function lowest(movements: readonly Movement[], denom: string, opening: bigint): bigint {
  let [balance, least] = [opening, opening];
  for (const movement of movements) {
    if (movement.denom !== denom) continue;
    balance += movement.amount;
    if (balance < least) least = balance;
  }
  return least;
}
