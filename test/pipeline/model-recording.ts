/** A model chain as its node would tell it: a genesis, and records of its blocks. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import type { ChainEventRecord, FullBlock, Message, Transaction } from '../../pipeline/chain/block.js';
import { messageTypes } from '../../pipeline/chain/message-types.js';
import { parseCoins } from '../../pipeline/ledger/amount.js';
import { sequenceEvent } from '../chain/seal.js';
import { account as contract, chain as facts } from '../classify/events.js';
import { BOND_DENOM, type Chain } from '../holdings/model/chain.js';
import { decimalText } from '../holdings/model/decimal.js';
import { event } from '../holdings/small-chain.js';

const CHAIN_ID = 'localhub-1';

/** The genesis of a chain that has had no block. */
export function genesisOf({ parameters, validators, delegations, balances }: Chain): object {
  const { unbondingTime, maxValidators, downtime, doubleSign, providerLimit } = parameters;
  const unbonding_time = `${unbondingTime / 1_000_000_000n}s`;
  const fractions = {
    slash_fraction_downtime: decimalText(downtime),
    slash_fraction_double_sign: decimalText(doubleSign),
  };
  const provider = { params: { max_provider_consensus_validators: String(providerLimit) } };
  const staking = {
    exported: false,
    params: { unbonding_time, max_validators: maxValidators, bond_denom: BOND_DENOM },
    validators: [...validators.values()].map((validator) => ({
      operator_address: validator.operator,
      description: { moniker: 'a validator' },
      consensus_pubkey: { key: validator.publicKey },
      jailed: validator.jailed,
      status: validator.status,
      tokens: String(validator.tokens),
      delegator_shares: decimalText(validator.shares),
      unbonding_height: '0',
      unbonding_time: '1970-01-01T00:00:00Z',
      min_self_delegation: String(validator.minSelfDelegation),
    })),
    delegations: [...delegations.values()].map(({ delegator, operator, shares }) => {
      return { delegator_address: delegator, validator_address: operator, shares: decimalText(shares) };
    }),
  };
  const held = [...balances].map(([address, coins]) => {
    return { address, coins: [...coins].map(([denom, amount]) => ({ denom, amount: String(amount) })) };
  });
  const app_state = { staking, slashing: { params: fractions }, bank: { balances: held } };
  return {
    chain_id: CHAIN_ID,
    initial_height: 1,
    app_state: providerLimit > 0 ? { ...app_state, provider } : app_state,
  };
}

/** Types of cosmjs-types, which can be written as well as read. */
interface Writer {
  fromPartial?(value: unknown): unknown;
  encode?(value: unknown): { finish(): Uint8Array };
}

/** A message as bytes; one of a type that only events tell of is empty. */
function encoded({ typeUrl, value, inner }: Message): Any {
  const { fromPartial, encode } = (messageTypes.get(typeUrl) ?? {}) as Writer;
  const content = typeUrl === MsgExec.typeUrl ? { msgs: inner.map(encoded) } : value;
  return Any.fromPartial({
    typeUrl,
    value: fromPartial && encode ? encode(fromPartial(content)).finish() : new Uint8Array(),
  });
}

/** Base64, with a memo of its own: relayers write some. */
function encodedTransaction({ messages, hash }: Transaction): string {
  const body = TxBody.fromPartial({ messages: messages.map(encoded), memo: hash });
  const raw = TxRaw.fromPartial({ bodyBytes: TxBody.encode(body).finish() });
  return Buffer.from(TxRaw.encode(raw).finish()).toString('base64');
}

/** A contract that runs says so; the model has only what it does. */
function withCalls({ events, messages }: Transaction): ChainEventRecord[] {
  const calls = messages.flatMap(({ typeUrl }, i) => {
    if (typeUrl !== '/cosmwasm.wasm.v1.MsgExecuteContract') return [];
    return [event('execute', { _contract_address: contract('contract'), msg_index: String(i) })];
  });
  return [...events, ...calls];
}

/** What the bank would say of coins that came from nowhere and went nowhere, which the model does not say. */
function supplyEvents(block: FullBlock): ChainEventRecord[] {
  const SIGNS: Readonly<Record<string, bigint>> = { coin_received: 1n, coin_spent: -1n, burn: 1n };
  const nets = new Map<string, bigint>();
  for (const { type, attributes } of [block, ...block.transactions].flatMap(({ events }) => events)) {
    const sign = SIGNS[type];
    const amount = attributes.find(({ key }) => key === 'amount')?.value ?? '';
    if (sign)
      for (const coin of parseCoins(amount)) nets.set(coin.denom, (nets.get(coin.denom) ?? 0n) + sign * coin.amount);
  }
  const mint = facts.module('mint');
  return [...nets].flatMap(([denom, net]) => {
    if (net > 0n) return [event('coinbase', { minter: mint, amount: `${net}${denom}`, mode: 'BeginBlock' })];
    return net < 0n ? [event('burn', { burner: mint, amount: `${-net}${denom}`, mode: 'BeginBlock' })] : [];
  });
}

/** The record of a block, as a line; its hashes are still to be made. */
export function recordOf(block: FullBlock): string {
  const { height, time, transactions, validatorUpdates, doubleSigns } = block;
  const end = block.events.findIndex(({ attributes }) => attributes.at(-1)?.value === 'EndBlock');
  const events = block.events.toSpliced(end < 0 ? block.events.length : end, 0, ...supplyEvents(block));
  const evidence = doubleSigns.map((one) => {
    const vote_a = { height: String(one.height), validator_address: one.validatorAddress };
    return { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a } };
  });
  const header = { chain_id: CHAIN_ID, height: String(height), time, last_block_id: { hash: '' } };
  const content = { header, data: { txs: transactions.map(encodedTransaction) }, evidence: { evidence } };
  const block_results = {
    height: String(height),
    txs_results: transactions.map((transaction) => ({ code: 0, events: [sequenceEvent, ...withCalls(transaction)] })),
    finalize_block_events: events,
    validator_updates: validatorUpdates.map(({ publicKey, power }) => {
      return { pub_key: { Sum: { value: { ed25519: publicKey } } }, power: String(power) };
    }),
  };
  return JSON.stringify({ height, block: { block_id: { hash: '' }, block: content }, block_results });
}
