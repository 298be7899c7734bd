/**
 * The wallets, instant and currency of the page of holdings, and the API's answer. They are in the URL's fragment,
 * because browsers do not send the fragment to servers.
 */
import { effect, signal } from '@preact/signals';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { HoldingsAt } from '../../../schemas/types.generated.js';
import type { GivenAddresses } from '../address-form.js';
import { isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { readAddresses } from '../values/addresses.js';
import { fragmentOf, type HoldingsQuery, type Instant, instantIn } from '../values/holdings-query.js';
import { UTC } from './zone.js';

interface Fields extends GivenAddresses {
  readonly instant: Instant | undefined;
  readonly currency: string;
}

/** What the URL contains. `instant` is undefined if the URL names neither a day nor an instant nor the last block. */
export const fields = signal<Fields>({ text: '', faults: [], instant: undefined, currency: USUAL.currency.code });
export const asked = signal<HoldingsQuery | undefined>(undefined);
export const held = signal<{ readonly query: HoldingsQuery; readonly answer: HoldingsAt } | undefined>(undefined);
export const failure = signal('');

/** Reads '#addresses=a,b&date=2026-12-31&currency=EUR', with `at=` or `latest` in place of `date=`. */
function readFragment(): void {
  const given = new URLSearchParams(location.hash.slice(1));
  const text = given.get('addresses') ?? '';
  const { addresses, faults } = readAddresses(text);
  const currency = /^[A-Z]{3}$/.exec(given.get('currency') ?? '')?.[0] ?? USUAL.currency.code;
  const instant = instantIn(given);
  fields.value = { text: text.replaceAll(',', '\n'), faults, instant, currency };
  const isAsked = instant !== undefined && addresses.length > 0 && faults.length === 0;
  asked.value = isAsked ? { addresses, currency, ...instant } : undefined;
}

/** Adds a query to the browser's history and loads its answer. */
export function ask(query: HoldingsQuery): void {
  const fragment = fragmentOf(query);
  if (fragment !== location.hash) history.pushState(null, '', fragment);
  readFragment();
}

export const bodyOf = ({ addresses, date, at, timezone, currency }: HoldingsQuery): object => ({
  address: addresses,
  currency,
  ...(date !== '' && { date }),
  ...(date !== '' && timezone !== UTC && { timezone }),
  ...(at !== '' && { at }),
});

let current: AbortController | undefined;

effect(() => {
  const query = asked.value;
  current?.abort();
  held.value = undefined;
  failure.value = '';
  if (!query) return;
  current = new AbortController();
  void load(query, current.signal);
});

async function load(query: HoldingsQuery, abort: AbortSignal): Promise<void> {
  try {
    const answer = await post<HoldingsAt>(PATHS.holdings, bodyOf(query), abort);
    held.value = { query, answer };
  } catch (error) {
    if (!isAbort(error)) failure.value = messageOf(error);
  }
}

readFragment();
addEventListener('popstate', readFragment);
