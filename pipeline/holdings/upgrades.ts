/**
 * Upgrades of the chain. A handler runs before the first event of its block and tells next to nothing: what it changes is reviewed
 * data, and the height comes from the chain's own plan.
 */
import type { Upgrade } from '../../schemas/types.generated.js';
import type { ChainEventRecord } from '../chain/block.js';
import { expectEqual } from './holdings-error.js';
import { addressPrefix, isAddress, moduleAccount } from './modules/addresses.js';
import { attributeOrNone } from './rules/event-walk.js';
import type { BlockContext, HoldingsState, UpgradePlan } from './state.js';
import { applyChange } from './state-changes.js';

/** The plan whose handler runs before the block of this height (x/upgrade PreBlocker); undefined for nearly all blocks. */
const duePlan = ({ upgradePlan }: HoldingsState, height: number): UpgradePlan | undefined =>
  upgradePlan && upgradePlan.height <= height ? upgradePlan : undefined;

/** The plan of an upgrade that nobody has reviewed; undefined when there is none to come, or it is known. */
export function unknownUpgrade(
  { upgradePlan }: Pick<HoldingsState, 'upgradePlan'>,
  upgrades: readonly Upgrade[],
): UpgradePlan | undefined {
  return upgradePlan && !upgrades.some(({ name }) => name === upgradePlan.name) ? upgradePlan : undefined;
}

/** Says of an unknown upgrade what is to be done about it before its height. */
export const unknownUpgradeNote = ({ name, height }: UpgradePlan): string =>
  `upgrade ${name} at height ${height} is not reviewed: add it to data/reference/upgrades.json, or upgrade hubledger`;

/**
 * Runs the handler of the upgrade that is due, if one is. One that is not known changes nothing here: the figures of its block
 * tell whether that was right.
 * @param events of the block; those before the first one with a mode are the handler's
 * @throws Mismatch when a known handler moved coins of a module's account that its entry does not name
 */
export function runUpgrade(
  context: BlockContext,
  events: readonly ChainEventRecord[],
  upgrades: readonly Upgrade[],
): void {
  const plan = duePlan(context.state, context.height);
  if (!plan) return;
  context.state.upgradePlan = null;
  context.state.upgrades.push({ name: plan.name, height: context.height });
  const upgrade = upgrades.find(({ name }) => name === plan.name);
  if (!upgrade) return;
  for (const change of upgrade.changes) applyChange(context, change);
  expectNamedMoves(context.state, events, upgrade);
}

function expectNamedMoves(state: HoldingsState, events: readonly ChainEventRecord[], { changes }: Upgrade): void {
  const [someAccount = ''] = state.moduleAccounts.keys();
  const address = (name: string) =>
    isAddress(name) ? name : moduleAccount(name, addressPrefix(someAccount), state.sha256);
  const named = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'move_coins') named.add(`${address(change.from)} → ${address(change.to)}`);
  }
  for (const event of events) {
    if (attributeOrNone(event, 'mode') !== undefined) return;
    if (event.type !== 'transfer') continue;
    const parties = [attributeOrNone(event, 'sender'), attributeOrNone(event, 'recipient')];
    const move = parties.join(' → ');
    // The fold has balances of these modules only; rows explain what other accounts gain and lose.
    if (!parties.some((account) => state.moduleAccounts.has(account ?? ''))) continue;
    if (!named.has(move)) expectEqual(move, '', { what: 'coins that the upgrade moves' });
  }
}
