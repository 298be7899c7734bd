/**
 * A generated chain of real size, whose blocks are made up as they are needed: they pay rewards and claims. All delegations are worth
 * what was delegated, so that the amount of a claim is known without keeping them: everything about a delegation follows from its
 * number, but for when it was last claimed.
 */
import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { ChainEventRecord, FullBlock, Transaction } from '../../../pipeline/chain/block.js';
import { moduleAccount } from '../../../pipeline/holdings/modules/addresses.js';
import { formatDecimal18, ONE } from '../../../pipeline/holdings/values/decimal18.js';

export interface Size {
  /** Number of accounts with a balance; delegators are among them. */
  readonly accounts: number;
  readonly delegations: number;
  readonly validators: number;
  /** Number of claims in each block, a transaction each. */
  readonly claims: number;
}

/** The size that the program is planned for: that of the Hub. */
export const REAL_SIZE: Size = { accounts: 3_000_000, delegations: 1_000_000, validators: 200, claims: 20 };
export const BLOCKS_A_DAY = 15_000;

/** Height of the last block before the first that is generated. */
export const FIRST_HEIGHT = 20_000_000;
const FIRST_TIME = Date.UTC(2026, 0, 1);
const BLOCK_MILLISECONDS = 5760;
/** Growth of a ratio in one period before the first block, × 10^18. */
const OLD_GROWTH = 10n ** 12n;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
function numberBytes(number: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length, 7);
  bytes.writeUInt32BE(Math.imul(number, 0x9e3779b1) >>> 0);
  return bytes;
}

export const account = (number: number) => bech32.encodeFromBytes('cosmos', numberBytes(number, 20));
export const operator = (number: number) => bech32.encodeFromBytes('cosmosvaloper', numberBytes(number, 20));
export const publicKey = (number: number) => Buffer.from(numberBytes(number, 32)).toString('base64');

/** Base units of a delegation, and of an account's balance. */
export const delegated = (number: number) => 1_000_000n + BigInt(Math.imul(number, 0x85ebca6b) >>> 0);
/** A validator's ratio × 10^18 after so many periods, before the first block. */
export const ratioOf = (periods: number) => OLD_GROWTH * BigInt(periods);

/** The period whose end a delegation began at: one after the other at each validator. */
export const startPeriod = (delegation: number, { validators }: Size) => 1 + Math.floor(delegation / validators);
/** Periods of each validator that have ended before the first block. */
export const endedPeriods = ({ delegations, validators }: Size) => 1 + Math.floor(delegations / validators);

/** Base units of each validator. */
export function validatorTokens({ delegations, validators }: Size): bigint[] {
  const tokens = Array.from({ length: validators }, () => 0n);
  for (let i = 0; i < delegations; i++) tokens[i % validators]! += delegated(i);
  return tokens;
}

function event(type: string, attributes: Readonly<Record<string, string>>): ChainEventRecord {
  return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })) };
}

interface Validator {
  readonly operator: string;
  readonly tokens: bigint;
  /** Ratio of the native denom × 10^18 at the end of the last period; `current` is what came since. */
  ratio: bigint;
  current: bigint;
}

/** A generated chain, which makes one block after the other. */
export class GeneratedChain {
  private readonly validators: Validator[] = [];
  /** Ratio at which a delegation that was claimed began anew. */
  private readonly claimed = new Map<number, bigint>();
  private readonly distribution = moduleAccount('distribution', 'cosmos', sha256);
  private height = FIRST_HEIGHT;
  private claims = 0;

  constructor(private readonly size: Size) {
    for (const [i, tokens] of validatorTokens(size).entries()) {
      this.validators.push({ operator: operator(i), tokens, ratio: ratioOf(endedPeriods(size)), current: 0n });
    }
  }

  /** Makes the next block: an allocation to each validator, then claims. */
  nextBlock(): FullBlock {
    this.height += 1;
    const mode = { mode: 'BeginBlock' };
    const begin = this.validators.flatMap((validator, i) => {
      const tokens = (BigInt(1000 + i) * ONE + BigInt(this.height) * 987_654_321n) * 10n;
      const commission = tokens / 20n;
      validator.current += tokens - commission;
      const amount = (value: bigint) => ({ amount: `${formatDecimal18(value)}uatom`, validator: validator.operator });
      return [
        event('commission', { ...amount(commission), ...mode }),
        event('rewards', { ...amount(tokens), ...mode }),
      ];
    });
    const minted = event('coin_received', { receiver: this.distribution, amount: '5000000uatom', ...mode });
    const time = new Date(FIRST_TIME + (this.height - FIRST_HEIGHT) * BLOCK_MILLISECONDS).toISOString();
    return {
      height: this.height,
      time,
      hash: '',
      chainId: 'generated-1',
      transactions: Array.from({ length: this.size.claims }, (_, index) => this.claim(index)),
      events: [minted, ...begin],
      validatorUpdates: [],
      doubleSigns: [],
    };
  }

  private claim(index: number): Transaction {
    const delegation = (this.claims++ * 7919) % this.size.delegations;
    const validator = this.validators[delegation % this.size.validators]!;
    validator.ratio += validator.current / validator.tokens;
    validator.current = 0n;
    const since = this.claimed.get(delegation) ?? ratioOf(startPeriod(delegation, this.size));
    this.claimed.set(delegation, validator.ratio);
    const paid = ((validator.ratio - since) * delegated(delegation)) / ONE;
    const delegator = account(delegation);
    const amount = paid > 0n ? `${paid}uatom` : '';
    const at = { msg_index: '0' };
    const moved = paid > 0n ? coinsMoved(this.distribution, delegator, amount) : [];
    return {
      index,
      hash: `${this.height}/${index}`,
      code: 0,
      memo: '',
      messages: [
        {
          typeUrl: '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
          value: {},
          bytes: new Uint8Array(),
          inner: [],
        },
      ],
      events: [
        event('tx', { fee: '1000uatom', fee_payer: delegator }),
        event('message', {
          action: '/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward',
          sender: delegator,
          ...at,
        }),
        ...moved,
        event('withdraw_rewards', { amount: amount || '0uatom', validator: validator.operator, delegator, ...at }),
      ],
    };
  }
}

function coinsMoved(from: string, to: string, amount: string): ChainEventRecord[] {
  const at = { msg_index: '0' };
  return [
    event('coin_spent', { spender: from, amount, ...at }),
    event('coin_received', { receiver: to, amount, ...at }),
    event('transfer', { recipient: to, sender: from, amount, ...at }),
  ];
}
