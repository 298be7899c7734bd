/** The age of a dataset, and from which on it is a sign that nights do not publish. */

/** Age from which on a dataset is old: nights a day apart keep it below a day and the time that one takes. */
export const OLD_AFTER_SECONDS = 36 * 3600;

/** Seconds since a dataset's last block; 0 where the clock is behind that block. */
export const ageOf = ({ time }: { readonly time: string }, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));

/** The warning about a dataset of this age, in seconds; undefined while it is not old. */
export const ageWarning = (seconds: number): string | undefined =>
  seconds > OLD_AFTER_SECONDS
    ? `the last block is ${Math.floor(seconds / 3600)} hours old, more than ${OLD_AFTER_SECONDS / 3600}: nights do not publish newer ones`
    : undefined;
