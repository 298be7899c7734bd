/** Recorded holdings: a node's answers as facts that can be compared one by one, a name and the chain's own text for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { formatTime, parseTime } from '../../pipeline/holdings/values/time.js';

export type Facts = Map<string, string>;

/** Names of facts whose kind a record has in full; of rewards and redelegations it has some wallets'. */
const COMPLETE = /^(validator|delegation|unbonding|outstanding|commission|slash|share record) /;

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

interface Entry {
  readonly creation_height: string | number;
  readonly completion_time: string;
  readonly initial_balance: string;
  readonly balance: string;
  readonly shares_dst: string;
}

/** The members of REST answers that are compared. Which ones an answer has depends on what was asked. */
interface Answer {
  readonly validators?: {
    operator_address: string;
    tokens: string;
    delegator_shares: string;
    status: string;
    jailed: boolean;
  }[];
  readonly delegation_responses?: {
    delegation: { delegator_address: string; validator_address: string; shares: string };
    balance: Coin;
  }[];
  readonly unbonding_responses?: { delegator_address: string; validator_address: string; entries: Entry[] }[];
  readonly redelegation_responses?: {
    redelegation: { delegator_address: string; validator_src_address: string; validator_dst_address: string };
    entries: { redelegation_entry: Entry }[];
  }[];
  readonly rewards?: { validator_address: string; reward: Coin[] }[] | { rewards: Coin[] };
  readonly total?: Coin[];
  readonly commission?: { commission: Coin[] };
  readonly slashes?: { validator_period: string; fraction: string }[];
  readonly records?: { id: string; owner: string; validator: string }[];
  readonly pool?: Coin[] | { bonded_tokens: string; not_bonded_tokens: string };
}

const coins = (list: readonly Coin[]) =>
  [...list]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

const inNanoseconds = (time: string) => formatTime(parseTime(time));

/** Heights of which a recording has the node's state, ascending. */
export function recordedHeights(folder: string): number[] {
  return readdirSync(join(folder, 'state'))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

const unpack = (path: string) => gunzipSync(readFileSync(path)).toString('utf8');
const readLines = <Line>(path: string): Line[] =>
  unpack(path)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Reads the node's facts of a height. */
export function recordedFacts(folder: string, height: number): Facts {
  const facts: Facts = new Map();
  const place = join(folder, 'state', String(height));
  const chain: { answers: { request: { path: string }; status: number; body: Answer }[] } = JSON.parse(
    unpack(join(place, 'chain.json.gz')),
  );
  for (const { request, status, body } of chain.answers) if (status === 200) addAnswer(facts, body, request.path);
  const wallets = readLines<{ address: string; answers: Record<string, Answer> }>(join(place, 'wallets.jsonl.gz'));
  for (const { address, answers } of wallets) {
    for (const answer of Object.values(answers)) addAnswer(facts, answer, address);
  }
  return facts;
}

/** Adds the facts of an answer. @param about path of the request, or the wallet that was asked about */
function addAnswer(facts: Facts, answer: Answer, about: string): void {
  const operator = /validators\/(\w+)/.exec(about)?.[1];
  for (const { operator_address, tokens, delegator_shares, status, jailed } of answer.validators ?? []) {
    facts.set(`validator ${operator_address}`, `${tokens} ${delegator_shares} ${status} ${jailed}`);
  }
  for (const { delegation, balance } of answer.delegation_responses ?? []) {
    const { delegator_address, validator_address, shares } = delegation;
    facts.set(`delegation ${delegator_address} ${validator_address}`, `${shares} ${balance.amount}`);
  }
  for (const { delegator_address, validator_address, entries } of answer.unbonding_responses ?? []) {
    for (const entry of entries) {
      const name = `unbonding ${delegator_address} ${validator_address} ${entry.creation_height}`;
      facts.set(`${name} ${inNanoseconds(entry.completion_time)}`, `${entry.initial_balance} ${entry.balance}`);
    }
  }
  for (const { redelegation, entries } of answer.redelegation_responses ?? []) {
    const { delegator_address, validator_src_address, validator_dst_address } = redelegation;
    entries.forEach(({ redelegation_entry: entry }, i) => {
      facts.set(
        `redelegation ${delegator_address} ${validator_src_address} ${validator_dst_address} ${i}`,
        [entry.creation_height, inNanoseconds(entry.completion_time), entry.initial_balance, entry.shares_dst].join(
          ' ',
        ),
      );
    });
  }
  if (Array.isArray(answer.rewards)) {
    for (const { validator_address, reward } of answer.rewards) {
      facts.set(`reward ${about} ${validator_address}`, coins(reward));
    }
  } else if (answer.rewards && operator) facts.set(`outstanding ${operator}`, coins(answer.rewards.rewards));
  if (answer.total) facts.set(`total ${about}`, coins(answer.total));
  if (answer.commission?.commission && about.endsWith('/commission')) {
    facts.set(`commission ${operator}`, coins(answer.commission.commission));
  }
  for (const { validator_period, fraction } of answer.slashes ?? []) {
    facts.set(`slash ${operator} ${validator_period}`, fraction);
  }
  for (const { id, owner, validator } of answer.records ?? []) facts.set(`share record ${id}`, `${owner} ${validator}`);
  if (Array.isArray(answer.pool)) facts.set('community pool', coins(answer.pool));
  else if (answer.pool) facts.set('pool', `${answer.pool.bonded_tokens} ${answer.pool.not_bonded_tokens}`);
}

/** A wallet at a day's close. Unclaimed rewards are those in uatom, with 18 decimals. */
export interface RecordedDay {
  readonly day: string;
  readonly height: number;
  readonly address: string;
  readonly staked_uatom: string;
  readonly unbonding_uatom: string;
  readonly rewards_uatom: string;
}

/** Reads the node's holdings of some wallets at the close of each day. */
export function recordedDays(folder: string): RecordedDay[] {
  return readLines(join(folder, 'state', 'daily.jsonl.gz'));
}

/** Compares recorded facts with found ones, as far as the record goes. @returns a line for each difference */
export function compareFacts(recorded: Facts, found: Facts): string[] {
  const differences: string[] = [];
  for (const [name, value] of recorded) {
    const other = found.get(name) ?? '';
    if (other !== value) differences.push(`${name}: recorded ${value}, found ${other || 'nothing'}`);
  }
  for (const [name, value] of found) {
    if (value !== '' && COMPLETE.test(name) && !recorded.has(name))
      differences.push(`${name}: found ${value}, not recorded`);
  }
  return differences;
}
