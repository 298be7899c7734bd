/** With a nightly run every day, the age stays below a day plus the duration of the run. */
export const OLD_AFTER_SECONDS = 36 * 3600;

/** Returns the seconds since the dataset's last block; 0 if the clock is behind. */
export const ageOf = ({ time }: { readonly time: string }, now: Date): number =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));

export const ageWarning = (seconds: number): string | undefined =>
  seconds > OLD_AFTER_SECONDS
    ? `the last block is ${Math.floor(seconds / 3600)} hours old, more than ${OLD_AFTER_SECONDS / 3600}: nights do not publish newer ones`
    : undefined;
