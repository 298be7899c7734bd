/**
 * A generated chain of real size, whose blocks are made up as they are needed: they pay rewards, claims, and what contracts undelegate.
 * Wallets that claim do so again and again, so that little has to be kept of them.
 */
import type { ChainEventRecord, FullBlock, Transaction } from '../../../pipeline/chain/block.js';
import { powerOf } from '../../../pipeline/holdings/modules/validator.js';
import { Denoms, formatCoins, formatDecCoins } from '../../../pipeline/holdings/values/dec-coins.js';
import {
  divide,
  formatDecimal18,
  fromWhole,
  multiplyTruncated,
  ONE,
  wholePart,
} from '../../../pipeline/holdings/values/decimal18.js';
import {
  BONDED_POOL,
  coinsMoved,
  DISTRIBUTION,
  event,
  NOT_BONDED_POOL,
  ofMessage,
  transactionOf,
} from './generated-events.js';
import {
  account,
  delegated,
  denomNames,
  endedPeriods,
  FIRST_HEIGHT,
  operator,
  payingDenoms,
  publicKey,
  ratiosAfter,
  type Size,
  type Stake,
  stakeOf,
  stakes,
  startPeriod,
} from './generated-size.js';

const FIRST_TIME = Date.UTC(2026, 0, 1);
const BLOCK_MILLISECONDS = 5760;
/** Blocks from one payment of the denoms that are not native to the next. */
const VOUCHERS_EVERY = 40;
/** Delegations that are claimed, at the most: of few delegations half, so that contracts have their own. */
const CLAIMED_MAX = 20_000;
/** Blocks after which somebody delegates where a contract undelegated, which tells what the contract had asked for. */
const SETTLED_AFTER = 50;
const SETTLING_AMOUNT = 5_000_000n;

interface Validator {
  readonly number: number;
  readonly operator: string;
  /** The stake before the first block, and now. */
  readonly first: Stake;
  stake: Stake;
  /** Ratios × 10^18 at the end of the last period; `current` is what came since. */
  ratio: readonly bigint[];
  readonly current: bigint[];
}

/** The stake and the ratios at which a delegation began. */
interface Begun {
  readonly stake: bigint;
  readonly ratio: readonly bigint[];
}

/** A generated chain, which makes one block after the other. */
export class GeneratedChain {
  private readonly validators: Validator[];
  private readonly claimed = new Map<number, Begun>();
  private readonly denoms = new Denoms();
  private height = FIRST_HEIGHT;
  private claims = 0;
  /** Number of the delegation that a contract takes from next: from the last one on. */
  private contract: number;
  /** The validator at which a contract undelegated last. */
  private unsettled: Validator | undefined;

  constructor(private readonly size: Size) {
    for (const name of denomNames(size)) this.denoms.number(name);
    this.contract = size.delegations;
    this.validators = stakes(size).map((stake, number) => ({
      number,
      operator: operator(number),
      first: stake,
      stake,
      ratio: ratiosAfter(endedPeriods(size), number, size),
      current: Array.from({ length: size.denoms }, () => 0n),
    }));
  }

  /** Makes the next block: an allocation to each bonded validator, claims, and now and then what a contract does. */
  nextBlock(): FullBlock {
    this.height += 1;
    const before = new Map(this.validators.map((validator) => [validator, powerOf(validator.stake.tokens)]));
    const begin = this.allocations();
    const transactions = Array.from({ length: this.size.claims }, (_, index) => this.claim(index));
    const age = this.height % this.size.undelegationEvery;
    if (age === 0) transactions.push(this.undelegate(transactions.length));
    else if (age === SETTLED_AFTER && this.unsettled)
      transactions.push(this.settle(transactions.length, this.unsettled));
    const changed = this.validators.filter((validator) => powerOf(validator.stake.tokens) !== before.get(validator));
    return {
      height: this.height,
      time: new Date(FIRST_TIME + (this.height - FIRST_HEIGHT) * BLOCK_MILLISECONDS).toISOString(),
      hash: '',
      chainId: 'generated-1',
      transactions,
      events: begin,
      validatorUpdates: changed.map(({ number, stake }) => {
        return { publicKey: publicKey(number), power: powerOf(stake.tokens) };
      }),
      doubleSigns: [],
    };
  }

  private allocations(): ChainEventRecord[] {
    const mode = { mode: 'BeginBlock' };
    const paying = this.height % VOUCHERS_EVERY === 0 ? payingDenoms(this.size) : [0];
    const events = this.validators.slice(0, this.size.bonded).flatMap((validator) => {
      const tokens = paying.map((denom) => this.rewardOf(validator, denom));
      const commission = tokens.map((amount) => amount / 20n);
      tokens.forEach((amount, denom) => {
        validator.current[denom]! += amount - commission[denom]!;
      });
      const attributes = { validator: validator.operator, ...mode };
      return [
        event('commission', { amount: formatDecCoins(commission, this.denoms), ...attributes }),
        event('rewards', { amount: formatDecCoins(tokens, this.denoms), ...attributes }),
      ];
    });
    return [event('coin_received', { receiver: DISTRIBUTION, amount: '5000000uatom', ...mode }), ...events];
  }

  /** An amount × 10^18 with digits up to the last. */
  private rewardOf({ number }: Validator, denom: number): bigint {
    const units = denom === 0 ? BigInt(1000 + number) : 40_000_000n + BigInt(7919 * (number + denom));
    return (units * ONE + BigInt(this.height) * 987_654_321n) * 10n;
  }

  private claim(index: number): Transaction {
    const delegation = (this.claims++ * 7919) % Math.min(Math.ceil(this.size.delegations / 2), CLAIMED_MAX);
    const validator = this.validatorOf(delegation);
    const withdrawn = this.withdraw(delegation, validator);
    const shares = fromWhole(delegated(delegation, this.size));
    this.claimed.set(delegation, { stake: stakeOf(shares, validator.stake), ratio: validator.ratio });
    const typeUrl = '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward';
    return transactionOf({ height: this.height, index }, account(delegation), typeUrl, withdrawn);
  }

  private validatorOf(delegation: number): Validator {
    return this.validators[delegation % this.size.validators]!;
  }

  /** Ends the validator's period, and pays what a delegation has earned. */
  private withdraw(delegation: number, validator: Validator): ChainEventRecord[] {
    this.endPeriod(validator);
    const begun = this.claimed.get(delegation) ?? this.begunAtFirst(delegation);
    const earned = validator.ratio.map((ratio, denom) =>
      wholePart(multiplyTruncated(ratio - begun.ratio[denom]!, begun.stake)),
    );
    const amount = formatCoins(earned, this.denoms);
    const delegator = account(delegation);
    return [
      ...coinsMoved(DISTRIBUTION, delegator, amount),
      ofMessage('withdraw_rewards', { amount: amount || '0uatom', validator: validator.operator, delegator }),
    ];
  }

  private begunAtFirst(delegation: number): Begun {
    const shares = fromWhole(delegated(delegation, this.size));
    const { first, number } = this.validatorOf(delegation);
    return { stake: stakeOf(shares, first), ratio: ratiosAfter(startPeriod(delegation, this.size), number, this.size) };
  }

  private endPeriod(validator: Validator): void {
    const { stake, ratio, current } = validator;
    validator.ratio = ratio.map((sum, denom) => sum + current[denom]! / stake.tokens);
    current.fill(0n);
  }

  /** A contract takes a third of a delegation back: neither the message nor an event tells how much it asked for. */
  private undelegate(index: number): Transaction {
    do this.contract -= 1;
    while (this.contract % this.size.validators >= this.size.bonded);
    const delegation = this.contract;
    const validator = this.validatorOf(delegation);
    const delegator = account(delegation);
    const withdrawn = this.withdraw(delegation, validator);
    const { tokens, shares } = validator.stake;
    const removed = (shares * (delegated(delegation, this.size) / 3n)) / tokens;
    const paid = wholePart(divide(removed * tokens, shares));
    validator.stake = { tokens: tokens - paid, shares: shares - removed };
    this.unsettled = validator;
    const amount = `${paid}uatom`;
    return transactionOf({ height: this.height, index }, delegator, '/cosmwasm.wasm.v1.MsgExecuteContract', [
      ...withdrawn,
      ...coinsMoved(BONDED_POOL, NOT_BONDED_POOL, amount),
      ofMessage('unbond', { validator: validator.operator, delegator, amount }),
    ]);
  }

  /** Somebody who has not delegated there delegates. */
  private settle(index: number, validator: Validator): Transaction {
    this.endPeriod(validator);
    const { tokens, shares } = validator.stake;
    const issued = (shares * SETTLING_AMOUNT) / tokens;
    validator.stake = { tokens: tokens + SETTLING_AMOUNT, shares: shares + issued };
    const delegator = account(this.size.accounts + this.height);
    const amount = `${SETTLING_AMOUNT}uatom`;
    return transactionOf({ height: this.height, index }, delegator, '/cosmos.staking.v1beta1.MsgDelegate', [
      ...coinsMoved(delegator, BONDED_POOL, amount),
      ofMessage('delegate', { validator: validator.operator, delegator, amount, new_shares: formatDecimal18(issued) }),
    ]);
  }
}
