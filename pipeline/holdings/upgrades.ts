/**
 * Chain upgrades. A handler runs before the first event of its block and emits few events. Its changes are reviewed
 * data; the height comes from the chain's plan.
 */
import type { Upgrade } from '../../schemas/types.generated.js';
import type { ChainEventRecord } from '../chain/block.js';
import { expectEqual } from './holdings-error.js';
import { addressPrefix, isAddress, moduleAccount } from './modules/addresses.js';
import { attributeOrNone } from './rules/event-walk.js';
import type { BlockContext, HoldingsState, UpgradePlan } from './state.js';
import { applyChange } from './state-changes.js';

/** Returns the plan due at this height (x/upgrade PreBlocker). */
const duePlan = ({ upgradePlan }: HoldingsState, height: number): UpgradePlan | undefined =>
  upgradePlan && upgradePlan.height <= height ? upgradePlan : undefined;

/** Returns the planned upgrade if it is not reviewed. */
export function unknownUpgrade(
  { upgradePlan }: Pick<HoldingsState, 'upgradePlan'>,
  upgrades: readonly Upgrade[],
): UpgradePlan | undefined {
  return upgradePlan && !upgrades.some(({ name }) => name === upgradePlan.name) ? upgradePlan : undefined;
}

/** Describes how to handle an unreviewed upgrade. */
export const unknownUpgradeNote = ({ name, height }: UpgradePlan): string =>
  `upgrade ${name} at height ${height} is not reviewed: add it to data/reference/upgrades.json, or upgrade hubledger`;

/**
 * Applies the upgrade due at this block. An unknown upgrade changes nothing; the block's figures show if that is
 * right.
 * @param events of the block; events before the first `mode` belong to the handler
 * @throws Mismatch if a known handler moved module coins that its entry does not list
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
    // The fold tracks only these modules; rows cover other accounts.
    if (!parties.some((account) => state.moduleAccounts.has(account ?? ''))) continue;
    if (!named.has(move)) expectEqual(move, '', { what: 'coins that the upgrade moves' });
  }
}
