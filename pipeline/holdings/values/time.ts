/** Block times: the chain compares nanoseconds, which a Date does not have. */

const NANOSECONDS = 1_000_000_000n;

/** Nanoseconds since 1970. @param time RFC 3339 in UTC with up to nine decimals, from year 1 on */
export function parseTime(time: string): bigint {
  const fraction = /\.(\d{1,9})Z$/.exec(time)?.[1] ?? '';
  const seconds = Date.parse(`${time.slice(0, 19)}Z`) / 1000;
  return BigInt(seconds) * NANOSECONDS + BigInt(fraction.padEnd(9, '0'));
}

/** The reverse, always with nine decimals. @param time not before 1970 */
export function formatTime(time: bigint): string {
  const seconds = new Date(Number(time / NANOSECONDS) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${(time % NANOSECONDS).toString().padStart(9, '0')}Z`;
}

/** The second in which a time lies, as tables have it: YYYY-MM-DD HH:MM:SS. @param time not before 1970 */
export const secondOf = (time: bigint): string => formatTime(time).slice(0, 19).replace('T', ' ');
