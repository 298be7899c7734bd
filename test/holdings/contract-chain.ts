/** A chain whose contract undelegates at a slashed validator, where two amounts may have been asked for. */
import type { FullBlock } from '../../pipeline/chain/block.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { account, block, event, message, openSmallChain, operator, poolEvents, withdrawn } from './small-chain.js';

export const ONE = 10n ** 18n;
export const TOKENS = 990_500_000n;
export const SHARES = 1_000_000_000n;
const [alice, contract, bob] = [account(1), account(2), account(3)];
const validator = operator(1);

export const openContractChain = () =>
  openSmallChain([
    {
      tokens: TOKENS,
      delegations: [
        [alice, SHARES / 2n],
        [contract, SHARES / 2n],
      ],
    },
  ]);

/** Shares that an amount asked for costs, by the chain's formula. */
export const cost = (asked: bigint, tokens = TOKENS, shares = SHARES * ONE) => (shares * asked) / tokens;

/** Tokens paid for an amount asked for, by the chain's formula. */
function paidFor(asked: bigint, tokens: bigint, shares: bigint): bigint {
  const exact = (cost(asked, tokens, shares) * tokens * ONE * ONE) / shares; // 36 decimals
  const [quotient, rest] = [exact / ONE, exact % ONE];
  const up = rest * 2n > ONE || (rest * 2n === ONE && quotient % 2n === 1n);
  return (quotient + (up ? 1n : 0n)) / ONE;
}

/** Finds a paid amount that both it and one more may have been asked for, with any of these shares. */
export function ambiguousPayment(tokens = TOKENS, possible = [SHARES * ONE]): bigint {
  const isBoth = (paid: bigint) =>
    possible.every((shares) => [paid, paid + 1n].every((asked) => paidFor(asked, tokens, shares) === paid));
  let paid = 1000n;
  while (!isBoth(paid)) paid++;
  return paid;
}

export const PAID = ambiguousPayment();

/** The contract undelegates. */
export function unbondBlock(height: number, paid = PAID): FullBlock {
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
export function delegateBlock(height: number, tokens: bigint, shares: bigint): FullBlock {
  const new_shares = format((shares * 5000n) / tokens);
  const amount = '5000uatom';
  const events = [...poolEvents(5000n, 0n), event('delegate', { validator, delegator: bob, amount, new_shares })];
  return block(height, { transaction: { events } });
}

export const contractShares = (state: HoldingsState) =>
  state.validators.get(validator)!.delegations.get(contract)!.shares;

/** Alice claims, which is two rows: what she had before, and the ratio at which she begins anew. */
export const claimBlock = (height: number): FullBlock =>
  block(height, { transaction: { events: [withdrawn(alice, validator)] } });
