import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from './atomic-files.js';

export interface LastNight {
  readonly outcome: 'published' | 'nothing-new' | 'failed';
  readonly began: string;
  readonly ended: string;
  readonly generation: string | null;
  readonly durations: Readonly<Record<string, number>>;
  /** Number of monthly pieces that the run made, and number of pieces that it took from earlier runs. */
  readonly pieces?: { readonly made: number; readonly taken: number };
  readonly error: string | null;
}

export interface LastVerify {
  readonly outcome: 'agrees' | 'differs' | 'failed';
  readonly ended: string;
  readonly generation: string;
  /** The first failed check, or the reason why nothing could be compared. Null if all checks passed. */
  readonly error: string | null;
}

/** Results of price sources in the nightly runs so far. */
export interface PriceSources {
  readonly ended: string;
  readonly sources: Readonly<Record<string, PriceSourceRecord>>;
}

export interface PriceSourceRecord {
  /** UTC days of the runs since the last quote, in which the source gave no quote. */
  readonly silent_nights: readonly string[];
  /** UTC day of the last run in which the source gave a quote; null if there is none. */
  readonly last_quote: string | null;
  /** Why the last run got no quotes; null if it had no failure. */
  readonly failure: string | null;
  /** Markets that the source does not list. */
  readonly unlisted: readonly string[];
}

/** Results of the sources of exchange rates that the last nightly run read, by name. */
export interface RateSources {
  readonly ended: string;
  readonly sources: Readonly<Record<string, RateSourceRecord>>;
}

export interface RateSourceRecord {
  /** UTC days of the latest consecutive runs that could use nothing of the source. */
  readonly failed_nights: readonly string[];
  /** Why the last run could use nothing of it; null if it could. */
  readonly failure: string | null;
}

const pricesFile = (dataDir: string) => join(dataDir, 'price-sources.json');
const ratesFile = (dataDir: string) => join(dataDir, 'rate-sources.json');
const nightFile = (dataDir: string) => join(dataDir, 'last-night.json');
const verifyFile = (dataDir: string) => join(dataDir, 'last-verify.json');
const scheduleFile = (dataDir: string) => join(dataDir, 'schedule-nightly.next');

export const lastNight = {
  write: (dataDir: string, night: LastNight): void => writeRecord(nightFile(dataDir), night),
  read: (dataDir: string) => readRecord<LastNight>(nightFile(dataDir)),
};

export const lastVerify = {
  /** Writes the record. Ignores disk errors, because `verify` must also work in a read-only data folder. */
  write(dataDir: string, verify: LastVerify): void {
    try {
      writeRecord(verifyFile(dataDir), verify);
    } catch {}
  },
  read: (dataDir: string) => readRecord<LastVerify>(verifyFile(dataDir)),
};

export const priceSources = {
  write: (dataDir: string, record: PriceSources): void => writeRecord(pricesFile(dataDir), record),
  read: (dataDir: string) => readRecord<PriceSources>(pricesFile(dataDir)),
};

export const rateSources = {
  write: (dataDir: string, record: RateSources): void => writeRecord(ratesFile(dataDir), record),
  read: (dataDir: string) => readRecord<RateSources>(ratesFile(dataDir)),
};

const writeRecord = (file: string, record: object) => replaceFile(file, `${JSON.stringify(record, null, 1)}\n`);

function readRecord<R extends { readonly ended: string }>(file: string): R | undefined {
  try {
    const record: R = JSON.parse(readFileSync(file, 'utf8'));
    return Number.isNaN(Date.parse(record.ended)) ? undefined : record;
  } catch {
    return undefined;
  }
}

export const nextNight = {
  write(dataDir: string, time: Date | null): void {
    try {
      rmSync(scheduleFile(dataDir), { force: true });
      if (time === null) return;
      makeFolder(dataDir);
      writeFileSync(scheduleFile(dataDir), time.toISOString());
    } catch {}
  },
  /** Returns the time of the next nightly run. A past time means that the scheduler was killed or hangs. */
  read(dataDir: string): Date | undefined {
    try {
      const time = new Date(readFileSync(scheduleFile(dataDir), 'utf8'));
      return Number.isNaN(time.getTime()) ? undefined : time;
    } catch {
      return undefined;
    }
  },
};
