/**
 * The form of a node's /block_results and evidence. The block's hash says nothing of events: what a node, or a proxy before it,
 * garbled would be stored for good and stop every night after it.
 */

/** A JSON value of which nothing is known yet. */
type Unknown =
  | { readonly [member: string]: Unknown }
  | readonly Unknown[]
  | string
  | number
  | boolean
  | null
  | undefined;

/** Lists of coins as the chain writes them: '5uatom,7ibc/AB', or nothing. @param number of base units */
const coinsOf = (number: string) => new RegExp(`^(?:${number}[a-zA-Z][^,\\s]*(?:,${number}[a-zA-Z][^,\\s]*)*)?$`);

/** Digits of the chain's largest number, which has 256 bits (cosmossdk.io/math). */
const DIGITS = '\\d{1,78}';
const COINS = coinsOf(DIGITS);
const DECIMAL_COINS = coinsOf(`${DIGITS}(?:\\.\\d{1,18})?`);
const DECIMAL = new RegExp(`^${DIGITS}(?:\\.\\d{1,18})?$`);
const WHOLE = new RegExp(`^${DIGITS}$`);

type Forms = Readonly<Record<string, RegExp>>;

/** Numbers that classification and fold read, by type of event and key. An attribute that is not there is none of the door's. */
const NUMBERS: ReadonlyMap<string, Forms> = new Map(
  Object.entries({
    coin_spent: { amount: COINS },
    coin_received: { amount: COINS },
    coinbase: { amount: COINS },
    burn: { amount: COINS },
    rewards: { amount: DECIMAL_COINS },
    commission: { amount: DECIMAL_COINS },
    withdraw_rewards: { amount: COINS },
    withdraw_commission: { amount: COINS },
    withdraw_tokenize_share_reward: { amount: COINS },
    delegate: { amount: COINS, new_shares: DECIMAL },
    create_validator: { amount: COINS },
    unbond: { amount: COINS },
    redelegate: { amount: COINS },
    cancel_unbonding_delegation: { amount: COINS, creation_height: WHOLE },
    complete_unbonding: { amount: COINS },
    slash: { power: WHOLE, burned_coins: WHOLE },
    execute_consumer_chain_slash: { infraction_height: WHOLE },
    tokenize_shares: { amount: COINS, tokenized_shares: COINS },
    redeem_shares: { amount: COINS },
    proposal_deposit: { amount: COINS },
    tf_mint: { amount: COINS },
    tf_burn: { amount: COINS },
  } satisfies Readonly<Record<string, Forms>>),
);

/**
 * Says which part is not as nodes write it; undefined when all is. null stands for an empty list or text.
 * @param record parsed, with a result for each transaction
 */
export function resultsFault(record: unknown): string | undefined {
  const part = (name: string) => member(record, 'block_results', name);
  const evidence = member(record, 'block', 'block', 'evidence', 'evidence');
  return (
    eventsFault(part('finalize_block_events'), 'finalize_block_events') ??
    firstFault(part('txs_results'), (outcome, i) => outcomeFault(outcome, `txs_results/${i}`)) ??
    listFault(part('validator_updates'), 'validator_updates', (one) =>
      isObject(member(one, 'pub_key', 'Sum', 'value')),
    ) ??
    listFault(evidence, 'evidence', (one) => isObject(member(one, 'value')))
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The member at a path; undefined where there is none. */
function member(value: unknown, ...path: readonly string[]): Unknown {
  let at = value as Unknown;
  for (const name of path) at = isObject(at) ? (at as { readonly [name: string]: Unknown })[name] : undefined;
  return at;
}

/** @returns the first fault of the items; a list that is null has none */
function firstFault(list: unknown, faultOf: (item: unknown, index: number) => string | undefined): string | undefined {
  for (const [i, item] of ((list as readonly unknown[] | null | undefined) ?? []).entries()) {
    const fault = faultOf(item, i);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function listFault(list: unknown, place: string, isSound: (item: unknown) => boolean): string | undefined {
  if (list !== null && list !== undefined && !Array.isArray(list)) return `${place} is no list`;
  return firstFault(list, (item, i) => (isSound(item) ? undefined : `${place}/${i} is not of its form`));
}

function outcomeFault(outcome: unknown, place: string): string | undefined {
  if (!isObject(outcome)) return `${place} is no result`;
  const code = member(outcome, 'code');
  if (code !== undefined && !Number.isSafeInteger(code)) return `${place}/code is ${JSON.stringify(code)}`;
  const events = member(outcome, 'events');
  const fault = eventsFault(events, `${place}/events`);
  if (fault !== undefined || (code !== undefined && code !== 0)) return fault;
  const isPaid = (events as unknown as readonly RecordedEvent[] | null | undefined)?.some(isOfAnte);
  return isPaid ? undefined : `${place} succeeded, but has no event of its sequence or fee`;
}

/** Recognizes what the ante handler emits for every transaction (SDK x/auth/ante: sigverify.go, fee.go). Older nodes write keys in base64. */
const isOfAnte = ({ type, attributes }: RecordedEvent) =>
  type === 'tx' && (attributes ?? []).some(({ key }) => key === 'acc_seq' || key === 'fee');

interface Attribute {
  readonly key: string;
  readonly value?: string | null;
}

/** An event as a node writes it, once its form is known. */
interface RecordedEvent {
  readonly type: string;
  readonly attributes?: readonly Attribute[] | null;
}

function eventsFault(events: unknown, place: string): string | undefined {
  return (
    listFault(events, place, isEvent) ??
    firstFault(events, (event, i) => numberFault(event as RecordedEvent, `${place}/${i}`))
  );
}

function isEvent(event: unknown): event is RecordedEvent {
  const attributes = member(event, 'attributes') ?? [];
  return typeof member(event, 'type') === 'string' && Array.isArray(attributes) && attributes.every(isAttribute);
}

function isAttribute(attribute: unknown): boolean {
  const value = member(attribute, 'value') ?? '';
  return typeof member(attribute, 'key') === 'string' && typeof value === 'string';
}

/** Contracts choose keys and values of events that are named for them alone: no type above is theirs. */
function numberFault({ type, attributes }: RecordedEvent, place: string): string | undefined {
  const forms = NUMBERS.get(type);
  if (!forms) return undefined;
  return firstFault(attributes, (attribute) => {
    const { key, value } = attribute as Attribute;
    const text = value ?? '';
    if (forms[key]?.test(text) ?? true) return undefined;
    return `${place}: the ${key} of ${type} is ${JSON.stringify(text.slice(0, 100))}`;
  });
}
