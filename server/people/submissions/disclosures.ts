import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withDisclosures } from '../../../pipeline/reference.js';
import type { Disclosure, Submission } from '../../../schemas/types.generated.js';
import type { Datasets } from '../../tax/dataset/dataset-holder.js';
import type { Queries, Store } from '../store/store.js';

/** Interval at which accepted submissions are read from the store. */
const READ_EVERY_MS = 5000;
const FIRST_READ_MS_MAX = 5000;

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Region codes in Unicode CLDR that are not countries of ISO 3166-1. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '));

const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const COUNTRIES = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => regionNames.of(code) !== undefined && isCurrent(code) && !NO_COUNTRIES.has(code))
  .map((code) => ({ code, name: regionNames.of(code)! }));

const CODE = /(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu;
const ENDS_IN_LETTER = /\p{L}$/u;
const BEGINS_WITH_LETTER = /^\p{L}/u;

/** Finds countries that a text mentions by English name or ISO 3166-1 code. Ignores URLs. */
export function countriesIn(text: string): string[] {
  const words = text.replace(/https?:\/\/\S+/g, ' ');
  const codes = new Set(words.match(CODE));
  const lower = words.toLowerCase();
  return COUNTRIES.filter(({ code, name }) => codes.has(code) || containsWord(lower, name.toLowerCase())).map(
    ({ code }) => code,
  );
}

/**
 * Returns true if the text contains the name as whole words. Regular expressions for all countries would take long to
 * compile.
 */
function containsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const end = at + name.length;
    const isWord =
      !ENDS_IN_LETTER.test(text.slice(Math.max(0, at - 2), at)) && !BEGINS_WITH_LETTER.test(text.slice(end, end + 2));
    if (isWord) return true;
  }
  return false;
}

/**
 * Returns the https URLs in a note that can be sources. Excludes URLs with a user name or password, because these can
 * disguise the real host.
 */
export const sourcesIn = (note: string): string[] => (note.match(/https:\/\/[^\s<>"']+/g) ?? []).filter(isSource);

function isSource(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  return hostname.includes('.') && username === '' && password === '';
}

export interface Reading {
  readonly country?: string;
  readonly source?: string;
  readonly entity?: string;
  readonly statement?: string;
}

/**
 * Creates the registry entry for an accepted submission. The operator may omit country and source if the note contains
 * exactly one of each.
 * @returns the entry, or which of the two is missing, with the candidates in the note
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

export async function applyDisclosures(store: Queries, datasets: Datasets): Promise<void> {
  const rows = await store.query<{ disclosure: Disclosure }>('submissions/disclosures');
  const accepted = rows.map(({ disclosure }) => disclosure);
  datasets.revise(withDisclosures(datasets.reviewed, accepted));
}

/**
 * Keeps the registry of validators' countries in sync with accepted submissions. While the store is unreachable, the
 * last known registry stays in use. Resolves after the first read, or after five seconds.
 * @returns a function that stops the sync
 */
export async function syncDisclosures(
  store: Queries & Pick<Store, 'exists'>,
  datasets: Datasets,
  log: Logger,
): Promise<() => void> {
  const storeExists = store.exists();
  const take = () =>
    applyDisclosures(store, datasets).catch((err) => log.debug({ err }, 'accepted submissions cannot be read'));
  const timer = setInterval(take, READ_EVERY_MS).unref();
  const end = () => clearInterval(timer);
  const taken = take();
  if (!storeExists) return end;
  const firstRead = new AbortController();
  const late = wait(FIRST_READ_MS_MAX, true, { signal: firstRead.signal }).catch(() => false);
  if (await Promise.race([taken, late])) log.warn('accepted submissions are not read yet: the store is slow');
  firstRead.abort();
  return end;
}
