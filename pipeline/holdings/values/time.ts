/** Block times in nanoseconds since 1970. The class Date has only milliseconds. */

const NANOSECONDS = 1_000_000_000n;

export function parseTime(time: string): bigint {
  const fraction = /\.(\d{1,9})Z$/.exec(time)?.[1] ?? '';
  const seconds = Date.parse(`${time.slice(0, 19)}Z`) / 1000;
  return BigInt(seconds) * NANOSECONDS + BigInt(fraction.padEnd(9, '0'));
}

/** Formats a time as YYYY-MM-DD HH:MM:SS, as in tables. */
export const secondOf = (time: bigint): string =>
  new Date(Number(time / NANOSECONDS) * 1000).toISOString().slice(0, 19).replace('T', ' ');

/** Returns the nanoseconds after the whole second. */
export const nanosOf = (time: bigint): number => Number(time % NANOSECONDS);

/** Formats a time as RFC 3339 in UTC, without zeros at the end of the fraction. */
export function instantText(time: bigint): string {
  const fraction = String(time % NANOSECONDS)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${secondOf(time).replace(' ', 'T')}${fraction && '.'}${fraction}Z`;
}
