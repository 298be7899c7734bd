/** Disclosures: validators' countries that people proposed and the operator accepted, on their way into the registry that is served. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withDisclosures } from '../../pipeline/reference.js';
import type { Disclosure, Submission } from '../../schemas/types.generated.js';
import type { Datasets } from '../dataset/dataset-holder.js';
import type { Queries, Store } from '../store/store.js';
import { countriesIn } from './countries.js';
import { sourcesIn } from './submissions.js';

/** Time between two looks at the store, and the longest that a start waits for the first one. */
const READ_EVERY_MS = 5000;
const FIRST_READ_MS_MAX = 5000;

/** The operator's words on a disclosure besides its submission. */
export interface Reading {
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  readonly source?: string;
  /** Name of the entity that disclosed it. */
  readonly entity?: string;
  /** The disclosure's own words. */
  readonly statement?: string;
}

/**
 * Makes the registry's entry of a submission. A member that the note says in one way only need not be said again; nothing is guessed.
 * @returns the entry, or the name of the member that has to be said, where the note leaves it open
 */
export function disclosureOf(
  { contract_address, note }: Submission,
  { country, source, entity, statement }: Reading,
  now: Date,
): Disclosure | { readonly open: 'country' | 'source'; readonly choices: readonly string[] } {
  const countries = country === undefined ? countriesIn(note) : [country];
  const sources = source === undefined ? sourcesIn(note) : [source];
  if (countries.length !== 1) return { open: 'country', choices: countries };
  if (sources.length !== 1) return { open: 'source', choices: sources };
  const name = entity ?? contract_address;
  return {
    moniker: name,
    country: countries[0]!,
    entity: name,
    statement: statement ?? note,
    source: sources[0]!,
    reviewed: now.toISOString().slice(0, 10),
    operator_addresses: [contract_address],
  };
}

/** Takes the disclosures that are accepted by now, in the order of their reviews, into the registry that is served. */
export async function takeDisclosures(store: Queries, datasets: Datasets): Promise<void> {
  const rows = await store.query<{ disclosure: Disclosure }>('submissions/disclosures');
  const accepted = rows.map(({ disclosure }) => disclosure);
  datasets.revise(withDisclosures(datasets.reviewed, accepted));
}

/**
 * Takes accepted disclosures from now on; while the store is out of reach the registry stays as it is. A store that is still to be made
 * has none, and nobody waits for it.
 * @returns a function that ends it, once they were taken for the first time, or could not be within a few seconds: an answer before that
 *   would call a disclosed country undisclosed
 */
export async function followDisclosures(
  store: Queries & Pick<Store, 'exists'>,
  datasets: Datasets,
  log: Logger,
): Promise<() => void> {
  const mayHaveSome = store.exists();
  const take = () =>
    takeDisclosures(store, datasets).catch((err) => log.debug({ err }, 'accepted submissions cannot be read'));
  const timer = setInterval(take, READ_EVERY_MS).unref();
  const end = () => clearInterval(timer);
  const taken = take();
  if (!mayHaveSome) return end;
  const patience = new AbortController();
  const late = wait(FIRST_READ_MS_MAX, true, { signal: patience.signal }).catch(() => false);
  if (await Promise.race([taken, late])) log.warn('accepted submissions are not read yet: the store is slow');
  patience.abort();
  return end;
}
