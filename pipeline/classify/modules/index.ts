import type { EventClassifier, MessageClassifier, ModuleClassifiers, PhaseClassifier } from '../classifier.js';
import { bank } from './bank.js';
import { distribution } from './distribution.js';
import { gov } from './gov.js';
import { ibc } from './ibc.js';
import { MOVES_NOTHING } from './moves-nothing.js';
import { staking } from './staking.js';
import { wasm } from './wasm.js';

/**
 * Classifiers in the order in which they run. distribution runs before staking, because staking actions also pay
 * rewards and commission. wasm runs before ibc and bank, which classify the payments that wasm skips.
 */
const MODULES: readonly ModuleClassifiers[] = [distribution, staking, gov, wasm, ibc, bank];

const eventClassifiers: readonly EventClassifier[] = MODULES.flatMap(({ events = [] }) => events);
export const messageClassifiers: readonly MessageClassifier[] = MODULES.flatMap(({ messages = [] }) => messages);
export const phaseClassifiers: readonly PhaseClassifier[] = MODULES.flatMap(({ phases = [] }) => phases);

export const classifiersOfEvent: ReadonlyMap<string, readonly EventClassifier[]> = groupByType(eventClassifiers);
export const classifierOfMessage: ReadonlyMap<string, MessageClassifier> = new Map(
  messageClassifiers.map((classifier) => [classifier.typeUrl, classifier]),
);

function groupByType(classifiers: readonly EventClassifier[]): Map<string, EventClassifier[]> {
  const groups = new Map<string, EventClassifier[]>();
  for (const classifier of classifiers) {
    groups.set(classifier.eventType, [...(groups.get(classifier.eventType) ?? []), classifier]);
  }
  return groups;
}

export const knownTypes: ReadonlySet<string> = new Set(
  [...classifierOfMessage.keys(), ...Object.keys(MOVES_NOTHING)].sort(),
);
