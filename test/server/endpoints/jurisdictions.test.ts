import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import type { Journal, JurisdictionRegistry } from '../../../schemas/types.generated.js';
import { OPERATORS, sharedServer, startServer, WALLETS } from '../harness.js';
import { recordedEvents } from '../published.js';

const PATH = '/api/tax/v1/validators/jurisdictions';
const { basis, jurisdictions } = loadReference().jurisdictions;

const server = sharedServer();

test('every disclosure with its source, joined with the validators on chain', async () => {
  const registry = (await server.ask(PATH)).json<JurisdictionRegistry>();
  assert.deepEqual(
    [registry.basis, registry.validators_on_chain, registry.validators_disclosed, registry.undisclosed_label],
    [basis, 3, 1, 'undisclosed'],
  );
  const isKnown = (operators: readonly string[] | null) => (operators ?? []).includes(OPERATORS.disclosed);
  assert.deepEqual(
    registry.jurisdictions,
    jurisdictions.map((entry) =>
      isKnown(entry.operator_addresses)
        ? { ...entry, moniker: '01node | now', on_chain: true }
        : { ...entry, on_chain: false },
    ),
  );
  assert.equal(registry.jurisdictions.filter((entry) => isKnown(entry.operator_addresses)).length, 1);
});

test('the journal names the country of each validator, or that it is undisclosed', async () => {
  const rows = recordedEvents(WALLETS.busy);
  const first = rows.find(({ validator }) => validator !== null)?.validator;
  const events = rows.map((row) => (row.validator === first ? { ...row, validator: OPERATORS.disclosed } : row));
  const content = { wallets: { [WALLETS.busy]: events }, flagged: [], prices: {} };
  const other = await startServer({ content });
  try {
    const answer = await other.ask(`/api/tax/v1/journal?address=${WALLETS.busy}&format=json`);
    const { lines } = answer.json<Journal>();
    const told = (operator: string) => (operator === OPERATORS.disclosed ? 'RO' : operator === '' ? '' : 'undisclosed');
    for (const { validator, validator_country } of lines) assert.equal(validator_country, told(validator));
    assert.equal(new Set(lines.map(({ validator_country }) => validator_country)).size, 3);
    const registry = (await other.ask(PATH)).json<JurisdictionRegistry>(); // without a starting state
    assert.deepEqual([registry.validators_on_chain, registry.jurisdictions[0]!.on_chain], [null, null]);
  } finally {
    await other.close();
  }
});
