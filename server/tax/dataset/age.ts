/** The age of a dataset, and the limit after which nights have probably stopped publishing. */

/** A night a day keeps the age below a day plus the night's duration. */
export const OLD_AFTER_SECONDS = 36 * 3600;

/** Returns the seconds since the last block; 0 if the clock is behind it. */
export const ageOf = ({ time }: { readonly time: string }, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));

/** Returns a warning for a dataset of this age in seconds; undefined if it is recent. */
export const ageWarning = (seconds: number): string | undefined =>
  seconds > OLD_AFTER_SECONDS
    ? `the last block is ${Math.floor(seconds / 3600)} hours old, more than ${OLD_AFTER_SECONDS / 3600}: nights do not publish newer ones`
    : undefined;
