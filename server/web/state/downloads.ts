/** Remembers downloads in this browser: which files the user takes, and which closed months have changed since. */
import { signal } from '@preact/signals';
import { post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { dataset } from './dataset.js';

const KEY = 'hubledger-downloads';
const FILES_KEY = 'hubledger-files';

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

function stored(key: string): object {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? '{}'));
  } catch {
    return {}; // the browser stores nothing, or another program has written there
  }
}

/** Returns keys of the files that the user downloaded, the last one first. */
export const filesUsed = (): string[] => Object.values(stored(FILES_KEY)).map(String);

/** @param file key of the file */
export function noteDownload(addresses: readonly string[], file: string): void {
  const generation = dataset.peek()?.generation;
  if (generation === undefined) return;
  const download: Download = { day: new Date().toISOString().slice(0, 10), generation };
  const files = [file, ...filesUsed().filter((other) => other !== file)];
  try {
    localStorage.setItem(FILES_KEY, JSON.stringify(files));
    localStorage.setItem(KEY, JSON.stringify({ ...stored(KEY), [nameOf(addresses)]: download }));
  } catch {} // without storage there is no notice
}

export async function findChanges(addresses: readonly string[]): Promise<void> {
  changedSince.value = undefined;
  const download = (stored(KEY) as Record<string, Download>)[nameOf(addresses)];
  if (download === undefined || download.generation === dataset.peek()?.generation) return;
  const found = await post<Restatements>(PATHS.restatements, {
    address: addresses.join(','),
    since: download.generation,
  });
  if (found.count > 0) changedSince.value = { ...found, day: download.day };
}
