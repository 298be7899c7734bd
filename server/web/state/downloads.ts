/** Says which closed months have changed since the user downloaded files of these wallets in this browser. */
import { signal } from '@preact/signals';
import { post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { dataset } from './dataset.js';

const KEY = 'hubledger-downloads';

interface Download {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly generation: string;
}

interface Restatements {
  readonly count: number;
  readonly months: readonly { readonly month: string; readonly figures: number }[];
}

/** Download of the shown wallets and what has changed since; undefined if nothing has. */
export const changedSince = signal<(Restatements & Pick<Download, 'day'>) | undefined>(undefined);

const nameOf = (addresses: readonly string[]) => [...addresses].sort().join(',');

function stored(): Record<string, Download> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, Download>;
  } catch {
    return {}; // the browser stores nothing, or another program has written there
  }
}

export function noteDownload(addresses: readonly string[]): void {
  const generation = dataset.peek()?.generation;
  if (generation === undefined) return;
  const download: Download = { day: new Date().toISOString().slice(0, 10), generation };
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...stored(), [nameOf(addresses)]: download }));
  } catch {} // without storage there is no notice
}

export async function findChanges(addresses: readonly string[]): Promise<void> {
  changedSince.value = undefined;
  const download = stored()[nameOf(addresses)];
  if (download === undefined || download.generation === dataset.peek()?.generation) return;
  const found = await post<Restatements>(PATHS.restatements, {
    address: addresses.join(','),
    since: download.generation,
  });
  if (found.count > 0) changedSince.value = { ...found, day: download.day };
}
