/** Random wallets for property tests: every treatment, odd amounts, days without a price, tags and overrides. */
import fc from 'fast-check';
import { type Decisions, parseAssetDecisions } from '../../../pipeline/books/ledger/decisions.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { bankRates } from '../bank-rates.js';
import { hash, makeEvent, rules, tagsOf } from './wallets.js';

const SHARE = 'cosmosvaloper1q/7';
const OSMO = rules.denomOf('OSMO')!;
export const DENOMS = ['uatom', OSMO, SHARE] as const;

/** A story lasts fewer days. */
const FIRST_DAY = Date.UTC(2026, 0, 1);
export const dayOf = (n: number): string => new Date(FIRST_DAY + n * 86_400_000).toISOString().slice(0, 10);

const KINDS = {
  reward: ['staking_reward', 'validator_commission', 'airdrop'],
  receive: ['transfer_in', 'ibc_in', 'unclassified', 'token_mint', 'redirected_reward_in'],
  send: ['transfer_out', 'unclassified', 'community_pool_deposit'],
  lose: ['slash', 'token_burn'],
  fee: ['fee'],
  stay: ['delegate', 'undelegate', 'redelegate', 'unbonding_complete'],
  deposit: ['gov_deposit', 'contract_deposit'],
  withdraw: ['gov_refund', 'contract_withdrawal'],
  burn: ['gov_deposit_burned'],
  tokenize: ['tokenize_shares'],
  redeem: ['redeem_shares'],
  swap: ['swap'],
  leave: ['ibc_out'],
  refund: ['ibc_refund'],
  redirect: ['staking_reward'],
} as const;

type Kind = keyof typeof KINDS;

const step = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[]), 'reward', 'reward', 'send', 'send', 'receive', 'fee'),
  choice: fc.nat(99),
  days: fc.constantFrom(0, 0, 1, 1, 3),
  amount: fc.oneof(fc.bigInt(1n, 5n), fc.bigInt(1n, 9_000_000n)),
  /** Quantity after a conversion, in thousandths; 1000 is unchanged. */
  ratio: fc.constantFrom(1000n, 1000n, 900n, 1234n),
  osmo: fc.boolean(),
  tag: fc.option(fc.constantFrom('gift', 'own_transfer', 'payment', 'ignore', 'loan'), { freq: 4 }),
  cost: fc.option(fc.bigInt(0n, 10_000n), { freq: 3 }),
});

/** Micro-USD on a day, or no price. */
const price = fc.option(fc.bigInt(1n, 20_000_000n), { freq: 5 });

export interface Story {
  readonly events: readonly PricedEvent[];
  /** Tags by transaction hash, which `decisions` contain for their rows. */
  readonly tags: Readonly<Record<string, string>>;
  readonly decisions: Decisions;
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** @param even conversions one to one only */
export const stories = (even = false): fc.Arbitrary<Story> =>
  fc
    .record({ steps: fc.array(step, { maxLength: 40 }), prices: fc.array(price, { minLength: 7, maxLength: 23 }) })
    .map(({ steps, prices }) => tell(even ? steps.map((one) => ({ ...one, ratio: 1000n })) : steps, prices));

type Coin = readonly [amount: bigint, denom: string];
interface Row {
  sent?: Coin;
  received?: Coin;
  fee?: Coin;
  counterparty?: string;
  link?: string;
  to_own_key?: boolean;
}

function tell(steps: readonly Step[], prices: readonly (bigint | null)[]): Story {
  const events: PricedEvent[] = [];
  const tags: Record<string, string> = {};
  const overrides: Record<string, object> = {};
  const packets: { link: string; coin: Coin }[] = [];
  let day = 0;
  const priceOf = (denom: string) => prices[(day * 5 + DENOMS.indexOf(denom as 'uatom') * 3) % prices.length] ?? null;
  const add = (category: string, row: Row, transaction = events.length + 1) => {
    const { sent, received, fee, ...rest } = row;
    const sides = Object.entries({ sent, received, fee }).flatMap(([side, coin]) =>
      coin
        ? [
            [`${side}_amount`, coin[0]],
            [`${side}_denom`, coin[1]],
            [`${side}_price`, priceOf(coin[1])],
          ]
        : [],
    );
    const made = { ...Object.fromEntries(sides), ...rest, tx_hash: hash(transaction) };
    events.push(makeEvent(events.length + 1, dayOf(day), category, made));
  };
  for (const { kind, choice, days, amount, ratio, osmo, tag, cost } of steps) {
    day += days;
    const category = KINDS[kind][choice % KINDS[kind].length]!;
    const coin: Coin = [amount, osmo ? OSMO : 'uatom'];
    const converted = (amount * ratio) / 1000n + (ratio === 1000n ? 0n : 1n);
    const counterparty = choice % 2 === 0 ? 'gov' : 'contract';
    const link = `link-${events.length}`;
    const transaction = events.length + 1;
    if (kind === 'reward') add(category, { received: [amount, 'uatom'] });
    else if (kind === 'receive') add(category, { received: coin });
    else if (kind === 'send' || kind === 'lose') add(category, { sent: coin });
    else if (kind === 'fee') add(category, { fee: [amount / 1000n + 1n, 'uatom'] });
    else if (kind === 'stay') add(category, { sent: [amount, 'uatom'], received: [amount, 'uatom'] });
    else if (kind === 'deposit') add(category, { sent: coin, counterparty });
    else if (kind === 'withdraw') add(category, { received: coin, counterparty });
    else if (kind === 'burn') add(category, { sent: coin, counterparty });
    else if (kind === 'tokenize') add(category, { sent: [amount, 'uatom'], received: [converted, SHARE] });
    else if (kind === 'redeem') add(category, { sent: [amount, SHARE], received: [converted, 'uatom'] });
    else if (kind === 'swap' && choice % 2 === 0)
      add(category, { sent: [amount, 'uatom'], received: [converted, OSMO] });
    else if (kind === 'swap') {
      add(category, { sent: [amount, 'uatom'], link }, transaction);
      add(category, { received: [converted, OSMO], link }, transaction);
    } else if (kind === 'leave') {
      add(category, { sent: coin, link, to_own_key: choice % 3 === 0 });
      packets.push({ link, coin });
    } else if (kind === 'refund') {
      const [packet] = packets.splice(choice % Math.max(1, packets.length), 1);
      add(category, packet ? { received: packet.coin, link: packet.link } : { received: coin });
    } else {
      add(category, { received: [amount, 'uatom'], link }, transaction);
      add('reward_redirected', { sent: [amount, 'uatom'], link }, transaction);
    }
    const last = events.at(-1)!;
    if (tag !== null && (kind === 'send' || kind === 'receive')) tags[last.tx_hash] = tag;
    if (cost !== null && kind === 'receive')
      overrides[last.id] = {
        mode: 'override',
        cost_basis_usd: `${cost}.37`,
        acquired_date: dayOf(day - (choice % 50)),
      };
  }
  const assets = parseAssetDecisions(overrides, bankRates);
  if ('errors' in assets) throw new Error('a story with bad decisions');
  return { events, tags, decisions: { tags: tagsOf(events, tags), assets: assets.value } };
}
