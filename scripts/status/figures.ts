/** Formats figures for a terminal. */

/** Formats a count with thousands separators. */
export const whole = (count: number) => count.toLocaleString('en');
/** Formats a time to the second. */
export const instant = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

const SPANS: readonly (readonly [seconds: number, unit: string, from: number])[] = [
  [86_400, 'days', 172_800],
  [3600, 'hours', 7200],
  [60, 'minutes', 120],
  [1, 'seconds', 0],
];

/**
 * Formats a duration in the largest unit of which there are at least two.
 * @param seconds not below 0
 */
export function span(seconds: number): string {
  const [size, unit] = SPANS.find(([, , from]) => seconds >= from)!;
  return `${whole(Math.floor(seconds / size))} ${unit}`;
}

const BYTES = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size in the largest unit of which there is at least one. */
export function size(bytes: number): string {
  const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** step).toFixed(step > 2 ? 1 : 0)} ${BYTES[step]}`;
}
