import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsFor } from '../../pipeline/nightly.js';

type Steps = ReturnType<typeof stepsFor>;

/** Names of the steps that are over before the step begins. */
function before(steps: Steps, name: string): Set<string> {
  const step = steps.find((one) => one.name === name)!;
  const makers = step.inputs.map(
    (input) => steps.find(({ outputs }) => outputs.some((output) => output === input))!.name,
  );
  return new Set([...makers, ...makers.flatMap((maker) => [...before(steps, maker)])]);
}

function expectSealedLast(steps: Steps): void {
  const earlier = before(steps, 'seal generation');
  const tables = ['priced_events', 'event_lines', 'other_tables', 'flagged_receipts', 'ledger_entries'];
  const using = steps.filter(({ inputs, outputs }) => [...inputs, ...outputs].some((value) => tables.includes(value)));
  const names = using.map(({ name }) => name).filter((name) => name !== 'seal generation');
  assert.deepEqual(
    names.filter((name) => !earlier.has(name)),
    [],
  );
  assert.ok(names.includes('build wallet index'));
}

const TITLE =
  'a generation is sealed, which moves its folder, when every step that reads or writes tables there is over';
test(TITLE, () => expectSealedLast(stepsFor({ wallets: undefined })));
test(`${TITLE}, also in a night of single wallets`, () => expectSealedLast(stepsFor({ wallets: [] })));
