/**
 * The size of a generated chain, and everything about its beginning that follows from a number: names, delegations, ratios. So neither
 * the chain nor its export has to keep a million of them.
 */
import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { divideTruncated, fromWhole } from '../../../pipeline/holdings/values/decimal18.js';

export interface Size {
  /** Number of accounts with a balance; delegators are among them. */
  readonly accounts: number;
  readonly delegations: number;
  readonly validators: number;
  /** Number of the validators that are bonded: the first ones. */
  readonly bonded: number;
  /** Number of denoms in which rewards were ever paid. */
  readonly denoms: number;
  /** Number of claims in each block, a transaction each. */
  readonly claims: number;
  /** Blocks from one undelegation by a contract, whose amount no message tells, to the next. */
  readonly undelegationEvery: number;
}

/** The size that the program is planned for: that of the Hub. */
export const REAL_SIZE: Size = {
  accounts: 3_000_000,
  delegations: 1_100_000,
  validators: 531,
  bonded: 180,
  denoms: 20,
  claims: 20,
  undelegationEvery: 100,
};
export const BLOCKS_A_DAY = 15_000;

/** Height of the last block before the first that is generated. */
export const FIRST_HEIGHT = 20_000_000;

/** Denoms that paid rewards once and pay no more: every ratio still has them, unchanged. */
const OLD_DENOMS = 4;

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function numberBytes(number: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(length, 7);
  bytes.writeUInt32BE(Math.imul(number, 0x9e3779b1) >>> 0);
  return bytes;
}

export const account = (number: number) => bech32.encodeFromBytes('cosmos', numberBytes(number, 20));
export const operator = (number: number) => bech32.encodeFromBytes('cosmosvaloper', numberBytes(number, 20));
export const publicKey = (number: number) => Buffer.from(numberBytes(number, 32)).toString('base64');

/** Names of the denoms: the native one, and vouchers of others. */
export const denomNames = ({ denoms }: Size): string[] =>
  Array.from({ length: denoms }, (_, i) => (i === 0 ? 'uatom' : `ibc/${sha256(numberBytes(i, 4)).toString('hex')}`));

/** Denoms that still pay, as their numbers. */
export const payingDenoms = ({ denoms }: Size): number[] => [...Array(Math.max(1, denoms - OLD_DENOMS)).keys()];

/** The native coin's ratio of some years × 10^18, and those of denoms of six to eighteen decimals. */
const oldRatio = (denom: number) =>
  denom === 0 ? 876_543_210_987_654_321n : 7_654_321n * 10n ** BigInt(5 + (denom % 12));

/** A validator's ratios × 10^18 after so many periods, before the first block. */
export function ratiosAfter(periods: number, validator: number, size: Size): bigint[] {
  const paying = payingDenoms(size).length;
  return Array.from({ length: size.denoms }, (_, denom) => {
    const old = (oldRatio(denom) * BigInt(1000 + validator)) / 1007n;
    const growth = denom < paying ? old / 1_000_003n + 1n : 0n;
    return old + growth * BigInt(periods);
  });
}

/** Base units of an account's balance, and of a delegation to a bonded validator. */
export const held = (number: number) => 1_000_000n + BigInt(Math.imul(number, 0x85ebca6b) >>> 0);

/** Base units that a delegation began with. Those who are not bonded have little. */
export function delegated(number: number, { validators, bonded }: Size): bigint {
  return number % validators < bonded ? held(number) : held(number) / 1000n;
}

/** The period whose end a delegation began at: one after the other at each validator. */
export const startPeriod = (delegation: number, { validators }: Size) => 1 + Math.floor(delegation / validators);
/** Periods of each validator that have ended before the first block. */
export const endedPeriods = ({ delegations, validators }: Size) => 1 + Math.floor(delegations / validators);

/** Base units of a validator and its shares × 10^18. */
export interface Stake {
  readonly tokens: bigint;
  readonly shares: bigint;
}

/** The stake of each validator. Every other one was slashed once: its shares are worth less than a base unit. */
export function stakes(size: Size): Stake[] {
  const sums = Array.from({ length: size.validators }, () => 0n);
  for (let i = 0; i < size.delegations; i++) sums[i % size.validators]! += delegated(i, size);
  return sums.map((sum, i) => ({ shares: fromWhole(sum), tokens: i % 2 === 0 ? sum : (sum * 9995n) / 10_000n }));
}

/** Tokens × 10^18 that shares stand for when a delegation begins. */
export const stakeOf = (shares: bigint, of: Stake) => divideTruncated(shares * of.tokens, of.shares);
