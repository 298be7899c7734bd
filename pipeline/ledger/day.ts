/** UTC days as texts, YYYY-MM-DD. */

export const DAY_MS = 86_400_000;

/** Tells whether a text is a day of the calendar; there is no year 0000. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const start = startOf(text);
  return !Number.isNaN(start) && dayOf(start) === text;
}

/** Milliseconds since 1970 of a day's first instant. */
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The day of an instant. @param time milliseconds since 1970 */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The day `days` later (earlier when negative). */
export const addDays = (day: string, days: number): string => dayOf(startOf(day) + days * DAY_MS);

/** Whole days from one day to another; negative when the second is earlier. */
export const daysBetween = (from: string, to: string): number => (startOf(to) - startOf(from)) / DAY_MS;

/** Every day from the first to the last; none when the last is earlier. */
export const daysThrough = (first: string, last: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, i) => addDays(first, i));
