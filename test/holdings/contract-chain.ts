/** A chain with guesses: a contract undelegates at a slashed validator. */
import type { FullBlock } from '../../pipeline/chain/block.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { account, block, event, message, openSmallChain, operator, poolEvents, withdrawn } from './small-chain.js';

export const ONE = 10n ** 18n;
export const TOKENS = 990_500_000n;
export const SHARES = 1_000_000_000n;
const [alice, contract, bob] = [account(1), account(2), account(3)];
const FIRST = operator(1);

/** Opens a chain with equal validators. */
export const openContractChain = (validators = 1) =>
  openSmallChain(
    Array.from({ length: validators }, () => ({
      tokens: TOKENS,
      delegations: [
        [alice, SHARES / 2n],
        [contract, SHARES / 2n],
      ],
    })),
  );

/** Shares removed for a requested amount (SharesFromTokens). */
export const cost = (asked: bigint, tokens = TOKENS, shares = SHARES * ONE) => (shares * asked) / tokens;

/** Tokens paid for a requested amount (TokensFromShares, truncated). */
function paidFor(asked: bigint, tokens: bigint, shares: bigint): bigint {
  const exact = (cost(asked, tokens, shares) * tokens * ONE * ONE) / shares; // 36 decimals
  const [quotient, rest] = [exact / ONE, exact % ONE];
  const up = rest * 2n > ONE || (rest * 2n === ONE && quotient % 2n === 1n);
  return (quotient + (up ? 1n : 0n)) / ONE;
}

/** Returns the possible requests: the paid amount, one more, or both. */
const fitting = (paid: bigint, tokens: bigint, shares: bigint) =>
  [paid, paid + 1n].filter((asked) => paidFor(asked, tokens, shares) === paid);

/**
 * Finds a payment with two possible requests for each of these total shares.
 * @param certain total shares with only one possible request
 */
export function ambiguousPayment(tokens = TOKENS, possible = [SHARES * ONE], certain: readonly bigint[] = []): bigint {
  for (let paid = 1000n; ; paid++) {
    const isAmbiguous = possible.every((shares) => fitting(paid, tokens, shares).length === 2);
    if (isAmbiguous && certain.every((shares) => String(fitting(paid, tokens, shares)) === String(paid))) return paid;
  }
}

export const PAID = ambiguousPayment();

export function unbondBlock(height: number, paid = PAID, validator = FIRST): FullBlock {
  const events = [
    withdrawn(contract, validator),
    ...poolEvents(-paid, paid),
    event('unbond', { validator, delegator: contract, amount: `${paid}uatom`, msg_index: '0' }),
  ];
  const messages = [message('/cosmwasm.wasm.v1.MsgExecuteContract', {})];
  return block(height, { transaction: { messages, events } });
}

const format = (shares: bigint) => `${shares / ONE}.${(shares % ONE).toString().padStart(18, '0')}`;

/** Bob delegates 5000 uatom. @param shares of the validator before it */
export function delegateBlock(height: number, tokens: bigint, shares: bigint, validator = FIRST): FullBlock {
  const new_shares = format((shares * 5000n) / tokens);
  const amount = '5000uatom';
  const events = [...poolEvents(5000n, 0n), event('delegate', { validator, delegator: bob, amount, new_shares })];
  return block(height, { transaction: { events } });
}

export const contractShares = (state: HoldingsState, validator = FIRST) =>
  state.validators.get(validator)!.delegations.get(contract)!.shares;

/** Alice claims: two rows, her old interval and her new ratio. */
export const claimBlock = (height: number): FullBlock =>
  block(height, { transaction: { events: [withdrawn(alice, FIRST)] } });
