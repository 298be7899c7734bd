export const DAY_MS = 86_400_000;

/** Returns true for a valid YYYY-MM-DD. The calendar has no year 0000. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const start = startOf(text);
  return !Number.isNaN(start) && dayOf(start) === text;
}

export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

let [latest, latestText] = [NaN, ''];

/** Formats a day. Reuses the last result for the same day, because formatting takes a microsecond. */
export function dayOf(time: number): string {
  const day = Math.floor(time / DAY_MS);
  if (day !== latest) [latest, latestText] = [day, new Date(time).toISOString().slice(0, 10)];
  return latestText;
}

export const addDays = (day: string, days: number): string => dayOf(startOf(day) + days * DAY_MS);

export const lastOfMonth = (day: string): string => {
  const next = addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7);
  return addDays(`${next}-01`, -1);
};

export const daysBetween = (from: string, to: string): number => (startOf(to) - startOf(from)) / DAY_MS;

export const daysThrough = (first: string, last: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, i) => addDays(first, i));
