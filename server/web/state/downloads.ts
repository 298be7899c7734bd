/** Remembers downloads in this browser: which files the user chose, and which closed months have changed since then. */
import { signal } from '@preact/signals';
import { post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { dataset } from './dataset.js';

const KEY = 'hubledger-downloads';
const FILES_KEY = 'hubledger-files';

interface Download {
  /** Day of the download, YYYY-MM-DD. */
  readonly day: string;
  readonly generation: string;
}

interface Restatements {
  readonly count: number;
  readonly months: readonly { readonly month: string; readonly figures: number }[];
}

/** The last download of the shown wallets, with the changes since then; undefined if nothing has changed. */
export const changedSince = signal<(Restatements & Pick<Download, 'day'>) | undefined>(undefined);

const nameOf = (addresses: readonly string[]) => [...addresses].sort().join(',');

function stored(key: string): object {
  try {
    return Object(JSON.parse(localStorage.getItem(key) ?? '{}'));
  } catch {
    return {}; // the browser stores nothing, or another program has written to its storage
  }
}

/** Returns the keys of the files that the user downloaded, the most recent file first. */
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
  } catch {} // without storage, the page cannot show changes since the download
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
