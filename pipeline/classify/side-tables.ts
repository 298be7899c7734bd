import type { MsgCreateValidator, MsgEditValidator } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type {
  DenomMetadata,
  IndexedTransaction,
  OversizedToken,
  ProposalEnd,
  ShareReward,
  SupplyChange,
  ValidatorName,
} from '../../schemas/types.generated.js';
import { parseCoins, TOO_LARGE } from '../base/values/amount.js';
import type { Block, ChainEventRecord, Message, Transaction } from '../chain/block.js';
import type { ChainFacts, RowDraft, ScopedEvent } from './classifier.js';
import { type Place, signedBy } from './scopes.js';

export interface SideTables {
  readonly transactions: readonly IndexedTransaction[];
  readonly supplyChanges: readonly SupplyChange[];
  readonly proposalEnds: readonly ProposalEnd[];
  readonly shareRewards: readonly ShareReward[];
  readonly validatorNames: readonly ValidatorName[];
  readonly denomMetadata: readonly DenomMetadata[];
  readonly voucherTraces: readonly string[];
  readonly oversized: readonly OversizedToken[];
}

export function sideTables(
  block: Block,
  places: readonly Place[],
  rowsOf: ReadonlyMap<number, readonly RowDraft[]>,
): SideTables {
  const { height, transactions } = block;
  const shareRewardRows: ShareReward[] = [];
  const denomMetadata: DenomMetadata[] = [];
  const traces: string[] = [];
  for (const place of places) {
    for (const { events } of place.parts) {
      traces.push(...voucherTraces(events));
      for (const event of events) {
        if (event.type === METADATA_EVENT) {
          const claimed = claimedIdentity(event);
          if (claimed) denomMetadata.push({ ...claimed, height, tx_hash: place.txHash });
        } else if (event.type === REWARD_EVENT) {
          shareRewardRows.push(...shareRewards(event, { block, place: place.index, chain: place.chain }));
        }
      }
    }
  }
  return {
    transactions: transactions.map((one) => indexedTransaction(height, one, rowsOf.get(one.index) ?? [])),
    supplyChanges: supplyChanges(places),
    proposalEnds: proposalEnds(block),
    shareRewards: shareRewardRows,
    validatorNames: validatorNames(block),
    denomMetadata,
    voucherTraces: traces,
    oversized: places.flatMap(({ oversized, txHash: tx_hash }) =>
      [...oversized].map(([denom, addresses]) => ({ height, tx_hash, denom, addresses })),
    ),
  };
}

/** @param rows rows of this transaction. If its fee has several coins, only the first coin is stored. */
function indexedTransaction(
  height: number,
  { hash, index, code, messages, memo, events }: Transaction,
  rows: readonly RowDraft[],
): IndexedTransaction {
  const paid = rows.find(({ fee }) => fee);
  return {
    hash,
    height,
    index,
    code,
    payer: paid?.address ?? null,
    fee_amount: paid?.fee?.amount ?? null,
    fee_denom: paid?.fee?.denom ?? null,
    message_types: messages.map(({ typeUrl }) => typeUrl),
    inner_message_types: messages.flatMap(typesWithin),
    signers: [...signedBy(events)],
    memo,
  };
}

const typesWithin = ({ inner }: Message): string[] =>
  inner.flatMap((message) => [message.typeUrl, ...typesWithin(message)]);

/** Sums minted and burned coins by denom. A sum too large for a column is replaced by the column's maximum. */
function supplyChanges(places: readonly Place[]): SupplyChange[] {
  const changes = new Map<string, SupplyChange>();
  for (const { height, parts } of places) {
    for (const { type, coins } of parts.flatMap(({ bank }) => bank)) {
      if (type !== 'coinbase' && type !== 'burn') continue;
      for (const { denom, amount } of coins) {
        const change = changes.get(denom) ?? { height, denom, minted: 0n, burned: 0n };
        changes.set(denom, change);
        change[type === 'coinbase' ? 'minted' : 'burned'] += amount;
      }
    }
  }
  return [...changes.values()].map(({ minted, burned, ...rest }) => {
    return { ...rest, minted: storable(minted), burned: storable(burned) };
  });
}

const storable = (amount: bigint) => (amount < TOO_LARGE ? amount : TOO_LARGE - 1n);

const ENDS = new Set(['active_proposal', 'inactive_proposal', 'cancel_proposal']);

/** Result of a proposal that continues. A rejected expedited proposal becomes a regular proposal (x/gov EndBlocker). */
const GOES_ON = 'expedited_proposal_rejected';

const attributeOf = ({ attributes }: ChainEventRecord, key: string) =>
  attributes.find((attribute) => attribute.key === key)?.value;

/**
 * Returns the proposals that ended. No event names the depositors whose deposits are burned. They are found later from
 * deposits, refunds and ends.
 */
function proposalEnds({ height, time, transactions, events }: Block): ProposalEnd[] {
  const second = time.slice(0, 19).replace('T', ' ');
  const ends: ProposalEnd[] = [];
  const addEnds = (list: readonly ChainEventRecord[], where: Pick<ProposalEnd, 'place' | 'tx_hash' | 'memo'>) => {
    for (const [index, event] of list.entries()) {
      const proposal = ENDS.has(event.type) ? attributeOf(event, 'proposal_id') : undefined;
      if (proposal === undefined || attributeOf(event, 'proposal_result') === GOES_ON) continue;
      ends.push({ height, time: second, ...where, event: index, proposal });
    }
  };
  for (const { code, index, hash, memo, events: eventsOfTransaction } of transactions) {
    if (code === 0) addEnds(eventsOfTransaction, { place: index, tx_hash: hash, memo });
  }
  addEnds(events, { place: -1, tx_hash: `block:${height}`, memo: '' });
  return ends;
}

const REWARD_EVENT = 'withdraw_rewards';

/**
 * Returns rewards paid to a share record. The record's owner receives them later, in one sum.
 * @param place index of the transaction, or -1
 */
function shareRewards(
  event: ScopedEvent,
  { block, place, chain }: { block: Pick<Block, 'height' | 'time'>; place: number; chain: ChainFacts },
): ShareReward[] {
  const delegator = event.address('delegator');
  const validator = event.address('validator');
  if (!delegator || !validator || chain.isWallet(delegator)) return [];
  const time = block.time.slice(0, 19).replace('T', ' ');
  const where = { height: block.height, place, event: event.index, time };
  const coins = parseCoins(event.get('amount') ?? '').filter(({ amount }) => amount < TOO_LARGE);
  return coins.map((coin) => ({ ...where, validator, delegator, ...coin }));
}

const NAMING_MESSAGES = new Set([
  '/cosmos.staking.v1beta1.MsgCreateValidator',
  '/cosmos.staking.v1beta1.MsgEditValidator',
]);

/** With this moniker in MsgEditValidator, the name stays the same (x/staking DoNotModifyDesc). */
const UNCHANGED = '[do-not-modify]';

function validatorNames({ height, transactions }: Block): ValidatorName[] {
  return transactions
    .filter(({ code }) => code === 0)
    .flatMap(({ messages }) => messages.flatMap(namesIn))
    .map((name, position) => ({ height, position, ...name }));
}

function namesIn({ typeUrl, value, inner }: Message): Pick<ValidatorName, 'validator' | 'moniker'>[] {
  if (inner.length > 0) return inner.flatMap(namesIn);
  if (!NAMING_MESSAGES.has(typeUrl) || value === undefined) return [];
  const { validatorAddress, description } = value as Partial<MsgCreateValidator | MsgEditValidator>;
  const moniker = description?.moniker ?? UNCHANGED;
  return !validatorAddress || moniker === UNCHANGED ? [] : [{ validator: validatorAddress.toLowerCase(), moniker }];
}

const METADATA_EVENT = 'set_denom_metadata';

export interface ClaimedIdentity {
  readonly denom: string;
  readonly symbol: string;
  readonly name: string;
}

/** Matches `field:"value"`. Quotes inside a value are escaped, so a value cannot contain another match. */
const FIELD = /([a-z_]+):"((?:[^"\\]|\\.)*)"/g;

/** Reads symbol and name from the Metadata in the event, which is in protobuf's text format. */
function claimedIdentity(event: ScopedEvent): ClaimedIdentity | undefined {
  const denom = event.get('denom');
  if (!denom) return undefined;
  const claimed = { denom, symbol: '', name: '' };
  for (const [, field, value] of (event.get('denom_metadata') ?? '').matchAll(FIELD)) {
    if (field === 'symbol' || field === 'name') claimed[field] = unescaped(value!);
  }
  return claimed;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(value: string): string {
  return value.replace(/(?:\\[0-7]{3})+|\\./gs, (escaped) => {
    const octets = escaped.slice(1).split('\\');
    if (octets[0]!.length === 3) return Buffer.from(octets.map((octet) => Number.parseInt(octet, 8))).toString();
    return ESCAPES[escaped[1]!] ?? escaped[1]!;
  });
}

/**
 * A voucher's trace, such as `transfer/channel-141/uosmo`, lists the hops of a coin, latest hop first, and then its
 * base denom. The voucher's denom is a hash of the trace, so only packets contain the trace.
 */

/** Events of the transfer module that contain a denom. */
const NAMING_EVENTS = new Set(['denomination', 'fungible_token_packet', 'ibc_transfer']);
/** Packet events. They show whether a `fungible_token_packet` event is about a received or a sent packet. */
const PACKETS = new Set(['recv_packet', 'acknowledge_packet', 'timeout_packet', 'timeout_on_close_packet']);

function voucherTraces(events: readonly ScopedEvent[]): string[] {
  const traces: string[] = [];
  let packet: ScopedEvent | undefined;
  for (const event of events) {
    if (PACKETS.has(event.type)) packet = event;
    const trace = traceOf(event, packet);
    if (trace?.includes('/')) traces.push(trace);
  }
  return traces;
}

function traceOf(event: ScopedEvent, packet: ScopedEvent | undefined): string | undefined {
  if (!NAMING_EVENTS.has(event.type)) return undefined;
  const denom = event.get('denom');
  if (denom === undefined || event.type === 'ibc_transfer') return denom;
  if (event.type === 'denomination') return readDenomination(denom);
  return packet?.type === 'recv_packet' ? traceHere(denom, packet) : denom;
}

/**
 * Converts the sender's trace to the receiver's trace. Adds a hop, or removes one if the coin returns to its earlier
 * chain.
 */
function traceHere(denom: string, packet: ScopedEvent): string {
  const sourceHop = `${hopOf(packet, 'src', 'source')}/`;
  return denom.startsWith(sourceHop) ? denom.slice(sourceHop.length) : `${hopOf(packet, 'dst', 'dest')}/${denom}`;
}

/**
 * Returns port and channel of a packet. Packets of IBC v2 have a light client instead of a channel, and always the port
 * `transfer`.
 */
function hopOf(packet: ScopedEvent, end: string, endOfClient: string): string {
  const client = packet.get(`packet_${endOfClient}_client`);
  if (client !== undefined) return `transfer/${client}`;
  return `${packet.get(`packet_${end}_port`) ?? ''}/${packet.get(`packet_${end}_channel`) ?? ''}`;
}

function readDenomination(text: string): string | undefined {
  try {
    const { base, trace } = JSON.parse(text) as Denomination;
    return [...trace.map(({ port_id, channel_id }) => `${port_id}/${channel_id}`), base].join('/');
  } catch {
    return undefined;
  }
}

interface Denomination {
  readonly base: string;
  readonly trace: readonly { readonly port_id: string; readonly channel_id: string }[];
}
