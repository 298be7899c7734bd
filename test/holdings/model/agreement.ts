/** Folds the blocks of a model chain. Compares the state after each block, and the rows at each day's close. */
import assert from 'node:assert/strict';
import { deserializeState, serializeState } from '../../../pipeline/holdings/checkpoint.js';
import { foldBlock, foldBlocks } from '../../../pipeline/holdings/fold-blocks.js';
import { openRows, startingRows } from '../../../pipeline/holdings/modules/stake-rows.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import type { Emit, HoldingsState, HoldingsTables } from '../../../pipeline/holdings/state.js';
import { loadReference } from '../../../pipeline/reference.js';
import { type Facts, HoldingsRows, stateFacts } from '../holdings-facts.js';
import type { Chain } from './chain.js';
import { modelFacts } from './facts.js';
import { openChain, type Played, playBlock } from './play.js';
import type { BlockPlan, Scenario } from './scenario.js';
import { openFold } from './starting-state.js';

const { upgrades } = loadReference();

/** Numbers of comparisons. */
export interface Agreed {
  blocks: number;
  figures: number;
  days: number;
  /** Blocks in which a handler unbonded validators; consumer slashes with burned coins. */
  upgrades: number;
  consumerSlashes: number;
}

const known = (facts: Facts) => [...facts].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Without jailing and unknown rates: a contract's unjailing shows only when it affects the bonded set, and its edit only
 * in the next commission.
 */
const withoutHidden = (facts: Facts, found: Facts) =>
  known(facts)
    .filter(([name]) => !name.startsWith('rate ') || found.has(name))
    .map(([name, value]) => [name, value.replace(/(BOND_STATUS_\w+) (?:true|false)$/, '$1')]);

/** Expected holdings of a delegator at a day's close. */
function dayFacts(facts: Facts): Facts {
  const sums = new Map<string, bigint>();
  const add = (name: string, amount: string) => sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));
  const rewards: Facts = new Map();
  for (const [name, value] of facts) {
    const [kind, delegator] = name.split(' ');
    const [first, second] = value.split(' ');
    if (kind === 'delegation') add(`staked ${delegator}`, second!);
    else if (kind === 'unbonding') add(`unbonding ${delegator}`, second!);
    else if (kind === 'reward') rewards.set(name, first!);
  }
  return new Map([...rewards, ...[...sums].map(([name, sum]) => [name, sum ? String(sum) : ''] as const)]);
}

function rowFacts(rows: HoldingsRows, delegators: Iterable<string>, height: number): Facts {
  const facts: Facts = new Map();
  for (const delegator of delegators) {
    const { staked, unbonding, rewardsByValidator } = rows.holdings(delegator, height);
    facts.set(`staked ${delegator}`, staked ? String(staked) : '');
    facts.set(`unbonding ${delegator}`, unbonding ? String(unbonding) : '');
    for (const [name, value] of rewardsByValidator) facts.set(name, value);
  }
  return facts;
}

/** One run of the fold and its rows. */
class Run {
  private readonly rows = new HoldingsRows();
  /** Losses in the current block, as text. */
  private losses: string[] = [];
  private readonly closes = new Map<string, { readonly height: number; readonly facts: Facts }>();

  constructor(public state: HoldingsState) {
    startingRows(state, this.rows.emit);
  }

  private readonly emit: Emit = (table, row) => {
    this.rows.emit(table, row);
    if (table === 'slash_losses') this.losses.push(lossText(row as HoldingsTables['slash_losses']));
  };

  fold(chain: Chain, { block, slashed }: Played): number {
    this.losses = [];
    foldBlock(this.state, block, this.emit, { upgrades });
    assert.deepEqual(this.losses.sort(), modelLosses(slashed).sort(), `losses in block ${block.height}`);
    const facts = modelFacts(chain);
    assert.deepEqual(known(stateFacts(this.state)), known(facts), `after block ${block.height}`);
    this.closes.set(block.time.slice(0, 10), { height: block.height, facts: dayFacts(facts) });
    return facts.size;
  }

  /** @returns the number of days compared */
  end(): number {
    openRows(this.state, this.rows.emit);
    const delegators = new Set([...this.closes.values()].flatMap(({ facts }) => namesIn(facts)));
    for (const [day, { height, facts }] of this.closes) {
      assert.deepEqual(known(rowFacts(this.rows, delegators, height)), known(facts), `rows of ${day}`);
    }
    return this.closes.size;
  }
}

type Loss = Pick<
  HoldingsTables['slash_losses'],
  'delegator' | 'validator' | 'reason' | 'delegated' | 'unbonding' | 'redelegated'
>;

const lossText = ({ delegator, validator, reason, delegated, unbonding, redelegated }: Loss) =>
  [delegator, validator, reason, delegated, unbonding, redelegated].join(' ');

const modelLosses = (slashed: Played['slashed']): string[] =>
  slashed.flatMap(({ operator, reason, losses }) =>
    [...losses].map(([delegator, loss]) => lossText({ delegator, validator: operator, reason, ...loss })),
  );

const namesIn = (facts: Facts) => [...facts.keys()].map((name) => name.split(' ')[1]!);

/** Lines of a state without values missing in exports: the time, executed upgrades, `since` of unbonding entries. */
function exportedLines(state: HoldingsState): string[] {
  const [header, ...lines] = serializeState(state);
  const text = JSON.stringify(JSON.parse(header!), (name, value) =>
    ['time', 'day', 'since', 'upgrades'].includes(name) ? undefined : value,
  );
  return [text, ...lines];
}

/** Exports lack denoms that paid rewards only to removed validators. */
function numberDenoms(exported: HoldingsState, { denoms }: HoldingsState): void {
  for (const number of denoms.sorted()) exported.denoms.number(denoms.name(number));
}

/** Continues from the model's export. @throws AssertionError for the first difference */
export function expectToFollow(chain: Chain, plans: readonly BlockPlan[]): void {
  const run = new Run(openFold(chain));
  for (const plan of plans) run.fold(chain, playBlock(chain, plan));
  run.end();
}

/**
 * Folds a chain whose contracts undelegate and unjail without messages. Compares at the last settled height; later state
 * may depend on guesses.
 * @returns open guesses
 * @throws AssertionError for a difference
 */
export async function expectAgreementAtEnd(scenario: Scenario): Promise<number> {
  const chain = openChain(scenario);
  const opened = openFold(chain);
  const facts = [modelFacts(chain)];
  const blocks = scenario.blocks.map((plan) => {
    const { block } = playBlock(chain, plan);
    facts.push(modelFacts(chain));
    return block;
  });
  const { state, settled, checkpoint } = await foldBlocks(
    opened,
    (height) => blocks.slice(height - 1),
    () => {},
    { reviewed: { upgrades, corrections: [] } },
  );
  const open = state.guesses.length;
  assert.equal(open === 0, settled === blocks.length);
  const found = stateFacts(deserializeState(checkpoint(), sha256));
  assert.deepEqual(withoutHidden(found, found), withoutHidden(facts[settled]!, found), `after block ${settled}`);
  return open;
}

/** True if the export cannot look like the start of a new chain: someone earned, lost or delegated something. */
const hasHistory = ({ startingInfos, rewards }: Chain): boolean =>
  [...startingInfos.values()].some(({ height }) => height > 0) ||
  [...rewards.values()].some(({ outstanding, slashes }) => outstanding.size > 0 || slashes.length > 0);

/** @throws AssertionError for the first difference */
export function expectAgreement(scenario: Scenario): Agreed {
  const chain = openChain(scenario);
  let run = new Run(openFold(chain));
  const agreed = { blocks: 0, figures: 0, days: 0, upgrades: 0, consumerSlashes: 0 };
  for (const plan of scenario.blocks) {
    const played = playBlock(chain, plan);
    agreed.figures += run.fold(chain, played);
    agreed.upgrades += played.block.events[0]?.type === 'coin_spent' ? 1 : 0;
    agreed.consumerSlashes += played.slashed.filter(({ reason }) => reason.startsWith('consumer_')).length;
    agreed.blocks += 1;
    if (chain.height !== scenario.cut.block) continue;
    if (scenario.cut.from === 'checkpoint') run.state = deserializeState([...serializeState(run.state)], sha256);
    else if (hasHistory(chain)) {
      const exported = openFold(chain);
      numberDenoms(exported, run.state);
      assert.deepEqual(exportedLines(run.state), exportedLines(exported), `export after block ${chain.height}`);
      agreed.days += run.end();
      run = new Run(exported);
    }
  }
  agreed.days += run.end();
  return agreed;
}
