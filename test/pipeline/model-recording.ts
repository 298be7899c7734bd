/** A model chain as its node would tell it: its states, and records of its blocks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { parseCoins } from '../../pipeline/base/values/amount.js';
import type { ChainEventRecord, FullBlock, Message, Transaction } from '../../pipeline/chain/block.js';
import { messageTypes } from '../../pipeline/chain/messages.js';
import { sequenceEvent } from '../chain/seal.js';
import { account as contract, chain as facts } from '../classify/events.js';
import { openChain, playBlock } from '../holdings/model/play.js';
import type { Scenario } from '../holdings/model/scenario.js';
import { stateFile } from '../holdings/model/starting-state.js';
import { event } from '../holdings/small-chain.js';
import { CUT, NightCase } from './night-case.js';

const CHAIN_ID = 'localhub-1';

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

/** Adds the event of each message that baseapp emits, and of each contract that runs; the model lacks both. */
function withCalls({ events, messages }: Transaction): ChainEventRecord[] {
  const calls = messages.flatMap(({ typeUrl }, i) => {
    const started = event('message', { action: typeUrl, msg_index: String(i) });
    if (typeUrl !== '/cosmwasm.wasm.v1.MsgExecuteContract') return [started];
    return [started, event('execute', { _contract_address: contract('contract'), msg_index: String(i) })];
  });
  return [...events, ...calls];
}

/**
 * Returns the bank's events of coins that came from nowhere and went nowhere, which the model lacks. x/mint mints in every
 * block.
 */
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
  const inflation = event('coinbase', { minter: mint, amount: '', mode: 'BeginBlock' });
  const changes = [...nets].flatMap(([denom, net]) => {
    if (net > 0n) return [event('coinbase', { minter: mint, amount: `${net}${denom}`, mode: 'BeginBlock' })];
    return net < 0n ? [event('burn', { burner: mint, amount: `${-net}${denom}`, mode: 'BeginBlock' })] : [];
  });
  return [inflation, ...changes];
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

/** Upgrades are left out: the model has less of what their handlers move than the bank would tell. */
const withoutUpgrades = (blocks: Scenario['blocks']): Scenario['blocks'] =>
  blocks.map((block) => ({
    ...block,
    transactions: block.transactions.map(({ depth, actions }) => {
      return { depth, actions: actions.filter(({ kind }) => kind !== 'proposeUpgrade') };
    }),
  }));

/**
 * The chain as a recording, of which the index begins with one of its first days; nights know its genesis.
 * @param exported height of which the file export.json has the state
 */
export function recordedChain(scenario: Scenario, exported = 0): NightCase {
  const plans = withoutUpgrades(scenario.blocks);
  const chain = openChain(scenario);
  const states = { 'genesis.json': stateFile(chain, CHAIN_ID), 'export.json': {} };
  const blocks = plans.map((plan) => {
    const { block } = playBlock(chain, plan);
    if (block.height === exported) states['export.json'] = stateFile(chain, CHAIN_ID);
    return block;
  });
  const days = [...new Set(blocks.map(({ time }) => time.slice(0, 10)))];
  const firstDay = days[Math.min(days.length - 1, blocks.length % 3)]!;
  const night = new NightCase({ ...CUT, from: 1, last: blocks.length, firstDay });
  night.record(blocks.map(recordOf));
  const status = JSON.parse(readFileSync(night.path('recording/status.json'), 'utf8'));
  const { height, time } = blocks.at(-1)!;
  Object.assign(status.sync_info, { latest_block_height: String(height), latest_block_time: time });
  writeFileSync(night.path('recording/status.json'), JSON.stringify(status));
  for (const [name, state] of Object.entries(states)) writeFileSync(night.path(name), JSON.stringify(state));
  night.variables = { HUBLEDGER_GENESIS: night.path('genesis.json') };
  return night;
}
