/**
 * Proves that no row of a wallet is missing. The rows must explain every change of a balance or stake that nodes
 * report. The blocks must contain every transaction that the account has signed.
 */
import type { OwnWallet } from '../../schemas/types.generated.js';
import type { FoundWallet } from './find-and-fetch.js';
import { lackingSequences } from './find-and-fetch.js';
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

const SHOWN = 5;

const shortened = (texts: readonly string[]) =>
  texts.length > SHOWN ? `${texts.slice(0, SHOWN).join(', ')} and ${texts.length - SHOWN} more` : texts.join(', ');

/** Balances of one wallet, compared with the node's. */
interface ProvedBalances {
  readonly balances: OwnWallet['balances'];
  /** Positive balances before the index. */
  readonly liquid: ReadonlyMap<string, bigint>;
  readonly faults: readonly string[];
}

export function proveWallet(followed: FollowedWallet): { readonly proof: OwnWallet; readonly opening: Opening } {
  const { wallet, stakes } = followed;
  const { address, opening, closing, sequences } = wallet;
  const { balances, liquid, faults } = proveBalances(followed);
  const lacking = closing ? lackingSequences(sequences, opening?.sequence, closing.sequence) : [];
  const missing = [...wallet.missing, ...(closing ? [] : [NO_STATE]), ...faults, ...stakeFaults(stakes)];
  if (lacking.length > 0) {
    missing.push(`own transactions with the sequence ${shortened(lacking.map(String))} are not found`);
  }
  const starts = opening ? 'node' : closing ? (isEmpty(balances, stakes) ? 'zero' : 'computed') : null;
  const proof: OwnWallet = {
    address,
    state: stateOf(missing, starts, wallet.unconfirmed),
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
    unconfirmed: [...wallet.unconfirmed],
  };
  const positive = (amounts: ReadonlyMap<string, bigint>) => new Map([...amounts].filter(([, amount]) => amount > 0n));
  const { delegated, unbonding } = stakes.opening;
  return { proof, opening: { liquid, delegated: positive(delegated), unbonding: positive(unbonding) } };
}

const NO_STATE =
  'no node reports its balances (HUBLEDGER_RPC_URLS, HUBLEDGER_LCD_URLS), so no proof shows that its rows are complete';

function proveBalances({ wallet: { opening, closing }, movements, first }: FollowedWallet): ProvedBalances {
  const [earlier, sums] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const { denom, height, amount } of movements) {
    const its = height < first ? earlier : sums;
    its.set(denom, (its.get(denom) ?? 0n) + amount);
  }
  const known = [opening?.balances, earlier, sums, closing?.balances];
  const denoms = [...new Set(known.flatMap((amounts) => [...(amounts?.keys() ?? [])]))];
  denoms.sort();
  const [balances, liquid, faults]: [OwnWallet['balances'], Map<string, bigint>, string[]] = [[], new Map(), []];
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
    if (holds || node === undefined) continue;
    faults.push(
      opening
        ? `${denom}: ${before} before the first block plus ${rows} in rows differ from the node's ${node}`
        : `${denom}: the rows' ${rows} and the node's ${node} would need a balance below zero`,
    );
  }
  return { balances, liquid, faults };
}

function stakeFaults({ differences, opening }: FollowedStakes): string[] {
  const negative = Object.entries(opening).flatMap(([kind, amounts]) =>
    [...amounts].flatMap(([validator, amount]) =>
      amount < 0n ? [`${kind} at ${validator}: the rows and the node's stake need ${amount} before them`] : [],
    ),
  );
  return [
    ...differences.map(
      ({ validator, kind, rows, node }) => `${kind} at ${validator}: ${rows} by the rows, ${node} by the node`,
    ),
    ...negative,
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
