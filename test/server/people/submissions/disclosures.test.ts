import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from 'pino';
import { loadReference, withDisclosures } from '../../../../pipeline/reference.js';
import type { Disclosure, JurisdictionRegistry, Submission } from '../../../../schemas/types.generated.js';
import { submit } from '../../../../server/endpoints/submissions.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import {
  applyDisclosures,
  countriesIn,
  disclosureOf,
  syncDisclosures,
} from '../../../../server/people/submissions/disclosures.js';
import { storeDesk } from '../../../../server/people/submissions/review-desk.js';
import type { Datasets } from '../../../../server/tax/dataset/dataset-holder.js';
import { OPERATORS, sharedServer } from '../../harness.js';
import { onBothStores } from '../store/stores.js';

const now = new Date('2026-12-01T12:00:00Z');
const note = 'We are in Switzerland: https://validator.example/imprint';
const reference = loadReference();

const disclosure = (more: Partial<Disclosure>): Disclosure => ({
  moniker: 'A',
  country: 'CH',
  entity: 'A',
  statement: 'Switzerland',
  source: 'https://validator.example/imprint',
  reviewed: '2026-12-01',
  operator_addresses: [OPERATORS.alpha],
  ...more,
});

onBothStores('accepted submissions', (variables) => {
  const server = sharedServer(() => ({ environment: { HUBLEDGER_DATABASE_URL: variables().HUBLEDGER_DATABASE_URL } }));
  const desk = () => storeDesk(server.store, { now: () => now, tiers: new Map() });
  const registry = async () => {
    const { headers, json } = await server.ask('/api/tax/v1/validators/jurisdictions');
    return { etag: headers.get('etag'), ...json<JurisdictionRegistry>() };
  };
  const statement = async () =>
    (await server.ask(`/api/tax/v1/validator-statement?validator=${OPERATORS.alpha}`)).json();

  test('are in the registry with source and day of review, and in statements', async () => {
    const account = await addAccount(server.store, now);
    const proposed = await submit(
      server.store,
      { kind: 'validator_jurisdiction', contract_address: OPERATORS.alpha, note },
      { account, chain: reference.chain, now },
    );
    await applyDisclosures(server.store, server.datasets);
    const before = await registry();
    assert.equal((await statement()).jurisdiction, 'undisclosed');
    const entry = disclosureOf(proposed, {}, now);
    assert.ok(!('open' in entry));
    await desk().settle(proposed.id, 'accepted', entry);
    await applyDisclosures(server.store, server.datasets);
    const after = await registry();
    assert.deepEqual(after.jurisdictions.slice(0, -1), before.jurisdictions);
    assert.deepEqual(after.jurisdictions.at(-1), {
      moniker: 'Alpha Node',
      country: 'CH',
      entity: OPERATORS.alpha,
      statement: note,
      source: 'https://validator.example/imprint',
      reviewed: '2026-12-01',
      operator_addresses: [OPERATORS.alpha],
      on_chain: true,
    });
    assert.equal(after.validators_disclosed, before.validators_disclosed! + 1);
    assert.notEqual(after.etag, before.etag);
    assert.equal((await statement()).jurisdiction, 'CH');
    await server.publish(1001);
    assert.equal((await statement()).jurisdiction, 'CH', 'also by the next generation');
  });

  test('are not, when rejected', async () => {
    const account = await addAccount(server.store, now);
    const submission = { kind: 'validator_jurisdiction' as const, contract_address: OPERATORS.bravo, note };
    const { id } = await submit(server.store, submission, { account, chain: reference.chain, now });
    const before = await registry();
    await desk().settle(id, 'rejected', null);
    await applyDisclosures(server.store, server.datasets);
    assert.deepEqual(await registry(), before);
  });
});

test('a start waits for a store that may have some, and never for one that is still being made', async () => {
  const said: string[] = [];
  const log = { warn: (text: string) => said.push(text), debug: () => {} } as unknown as Logger;
  const datasets = {} as Datasets;
  for (const [exists, lines] of [
    [false, []],
    [true, ['accepted submissions are not read yet: the store is slow']],
  ] as const) {
    const store = { query: () => new Promise<never>(() => {}), exists: () => exists };
    const end = await syncDisclosures(store, datasets, log);
    end();
    assert.deepEqual(said, lines);
  }
});

test('of several disclosures of a validator the last review counts, and its others keep theirs', () => {
  const { countryOf } = reference;
  const [alpha, bravo] = [OPERATORS.alpha, OPERATORS.bravo];
  const countries = (...further: Disclosure[]) => {
    const registry = withDisclosures(reference, further);
    return [alpha, bravo, OPERATORS.disclosed].map(registry.countryOf);
  };
  const known = countryOf(OPERATORS.disclosed);
  assert.deepEqual(withDisclosures(reference, []).jurisdictions, reference.jurisdictions);
  const both = disclosure({ operator_addresses: [alpha, bravo] });
  assert.deepEqual(countries(both), ['CH', 'CH', known]);
  assert.deepEqual(countries(both, disclosure({ country: 'DE' })), ['DE', 'CH', known]);
  assert.deepEqual(countries(both, disclosure({ country: 'DE', reviewed: '2026-11-30' })), ['CH', 'CH', known]);
  const moved = disclosure({ country: 'FR', operator_addresses: [OPERATORS.disclosed] });
  assert.deepEqual(countries(moved), ['undisclosed', 'undisclosed', 'FR']);
  assert.deepEqual(countries({ ...moved, reviewed: '2020-01-01' }), ['undisclosed', 'undisclosed', known]);
});

test('what a note leaves open is not guessed', () => {
  const submission = (text: string): Submission => ({
    ...{ id: '', kind: 'validator_jurisdiction', status: 'received', submitted_at: '', reviewed_at: null },
    ...{ contract_address: OPERATORS.alpha, note: text },
  });
  const moved = submission('From Germany to France: https://a.example https://b.example');
  assert.deepEqual(disclosureOf(moved, {}, now), { open: 'country', choices: ['DE', 'FR'] });
  assert.deepEqual(disclosureOf(moved, { country: 'FR' }, now), {
    open: 'source',
    choices: ['https://a.example', 'https://b.example'],
  });
  const said = { country: 'FR', source: 'https://b.example', entity: 'Alpha SAS', statement: 'Siège : Paris' };
  assert.deepEqual(disclosureOf(moved, said, now), disclosure({ ...said, moniker: 'Alpha SAS' }));
});

test('countries are known by their names and codes, and by nothing else', () => {
  const cases: [string, string[]][] = [
    ['We are a company in Germany.', ['DE']],
    ['based in switzerland, see https://example.org/FR/about', ['CH']],
    ['country: KR', ['KR']],
    ['Somewhere in the EU, it is nice', []],
    ['Germanyland, DEx, xDE', []],
    ['GUINEA-BISSAU or papua new guinea', ['GN', 'GW', 'PG']],
    ['Côte d’Ivoire, Åland Islands', ['AX', 'CI']],
    ['\u{1d400}Germany, Germany\u{1d400}, xGermany Germany', ['DE']],
    ['', []],
  ];
  for (const [text, codes] of cases) assert.deepEqual(countriesIn(text), codes, text);
});

test('no pattern is made for a text: five hundred of them take a quarter of a second', () => {
  const { RegExp: own } = globalThis;
  let made = 0;
  globalThis.RegExp = class extends own {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      made++;
    }
  } as RegExpConstructor;
  try {
    countriesIn('Germany');
  } finally {
    globalThis.RegExp = own;
  }
  assert.equal(made, 0);
});
