/** Recorded payouts of validators, added up from the events of recorded blocks alone: no row, no table, no note of the program. */
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';

interface RecordedEvent {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
}

interface RecordedBlock {
  readonly height: number;
  readonly block: { readonly block: { header: { time: string }; data: { txs: readonly string[] } } };
  readonly block_results: {
    readonly txs_results: readonly { code?: number; events: readonly RecordedEvent[] }[] | null;
    readonly finalize_block_events: readonly RecordedEvent[];
  };
}

export interface RecordedPayout {
  readonly validator: string;
  readonly day: string;
  /** The delegator, or undefined for commission. */
  readonly delegator: string | undefined;
  /** Base units of the native coin. */
  readonly amount: bigint;
  /** Base units of other denoms. */
  readonly others: readonly (readonly [denom: string, amount: bigint])[];
}

/** The module account of x/distribution. */
const DISTRIBUTION = 'cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl';

const attribute = ({ attributes }: RecordedEvent, key: string) =>
  attributes.find((one) => one.key === key)?.value ?? '';

function amounts(text: string): Pick<RecordedPayout, 'amount' | 'others'> {
  const coins = text.split(',').flatMap((coin) => {
    const [, amount, denom] = /^(\d+)(.+)$/.exec(coin) ?? [];
    return denom === undefined ? [] : [[denom, BigInt(amount!)] as const];
  });
  const isNative = ([denom]: readonly [string, bigint]) => denom === 'uatom';
  return { amount: coins.find(isNative)?.[1] ?? 0n, others: coins.filter((coin) => !isNative(coin)) };
}

const isAny = ({ amount, others }: RecordedPayout) => amount > 0n || others.length > 0;

/** The payouts of a recorded line. @param operators account → operator address, for what is paid without an event of its own */
export function payoutsOf(line: string, operators: ReadonlyMap<string, string>): RecordedPayout[] {
  const { block, block_results: results } = JSON.parse(line) as RecordedBlock;
  const day = block.block.header.time.slice(0, 10);
  const found: RecordedPayout[] = [];
  const rewards = (events: readonly RecordedEvent[]) => {
    for (const event of events.filter(({ type }) => type === 'withdraw_rewards')) {
      const [validator, delegator] = [attribute(event, 'validator'), attribute(event, 'delegator')];
      found.push({ validator, day, delegator, ...amounts(attribute(event, 'amount')) });
    }
  };
  results.txs_results?.forEach(({ code, events }, i) => {
    if (code) return;
    rewards(events);
    const withdrawn = events.filter(({ type }) => type === 'withdraw_commission');
    const messages = commissionMessages(block.block.data.txs[i]!);
    withdrawn.forEach((event, n) => {
      found.push({ validator: messages[n]!, day, delegator: undefined, ...amounts(attribute(event, 'amount')) });
    });
  });
  const own = results.finalize_block_events;
  rewards(own);
  if (own.some(({ type }) => type === 'active_proposal')) return found.filter(isAny);
  for (const event of own.filter((one) => one.type === 'transfer' && attribute(one, 'sender') === DISTRIBUTION)) {
    const validator = operators.get(attribute(event, 'recipient'));
    if (validator) found.push({ validator, day, delegator: undefined, ...amounts(attribute(event, 'amount')) });
  }
  return found.filter(isAny);
}

/** Operators whose commission the transaction's messages withdraw, in order. */
function commissionMessages(base64: string): string[] {
  const { messages } = TxBody.decode(TxRaw.decode(Buffer.from(base64, 'base64')).bodyBytes);
  const within = ({ typeUrl, value }: Any): string[] => {
    if (typeUrl === MsgExec.typeUrl) return MsgExec.decode(value).msgs.flatMap(within);
    return typeUrl === MsgWithdrawValidatorCommission.typeUrl
      ? [MsgWithdrawValidatorCommission.decode(value).validatorAddress]
      : [];
  };
  return messages.flatMap(within);
}
