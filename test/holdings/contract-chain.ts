/** A chain whose contract undelegates at a slashed validator, where two amounts may have been asked for. */
import type { FullBlock } from '../../pipeline/chain/block.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { account, block, event, message, openSmallChain, operator, poolEvents, withdrawn } from './small-chain.js';

export const ONE = 10n ** 18n;
export const TOKENS = 990_500_000n;
export const SHARES = 1_000_000_000n;
const [alice, contract, bob] = [account(1), account(2), account(3)];
const FIRST = operator(1);

/** Validators, which are all alike. */
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

/** Shares that an amount asked for costs, by the chain's formula. */
export const cost = (asked: bigint, tokens = TOKENS, shares = SHARES * ONE) => (shares * asked) / tokens;

/** Tokens paid for an amount asked for, by the chain's formula. */
function paidFor(asked: bigint, tokens: bigint, shares: bigint): bigint {
  const exact = (cost(asked, tokens, shares) * tokens * ONE * ONE) / shares; // 36 decimals
  const [quotient, rest] = [exact / ONE, exact % ONE];
  const up = rest * 2n > ONE || (rest * 2n === ONE && quotient % 2n === 1n);
  return (quotient + (up ? 1n : 0n)) / ONE;
}

/** Tells which of the paid amount and one more may have been asked for. */
const fitting = (paid: bigint, tokens: bigint, shares: bigint) =>
  [paid, paid + 1n].filter((asked) => paidFor(asked, tokens, shares) === paid);

/**
 * Finds a paid amount that both it and one more may have been asked for, with any of these shares.
 * @param certain shares with which it cannot have been one more
 */
export function ambiguousPayment(tokens = TOKENS, possible = [SHARES * ONE], certain: readonly bigint[] = []): bigint {
  for (let paid = 1000n; ; paid++) {
    const isAmbiguous = possible.every((shares) => fitting(paid, tokens, shares).length === 2);
    if (isAmbiguous && certain.every((shares) => String(fitting(paid, tokens, shares)) === String(paid))) return paid;
  }
}

export const PAID = ambiguousPayment();

/** The contract undelegates. */
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

/** Alice claims, which is two rows: what she had before, and the ratio at which she begins anew. */
export const claimBlock = (height: number): FullBlock =>
  block(height, { transaction: { events: [withdrawn(alice, FIRST)] } });
