/** The documentation's script: search, and a line about the age of the data. */
import { render } from 'preact';
import type { Readiness } from '../../schemas/types.generated.js';
import { get } from './api/client.js';
import { Search } from './docs/search.js';

const place = document.getElementById('search')!;
place.replaceChildren(); // Replaces the disabled placeholder.
render(<Search />, place);

const DAY_SECONDS = 86_400;

/** Rounds an age to one unit: '3 hours', '2 days'. */
function ageOf(seconds: number): string {
  const [count, unit] = seconds < DAY_SECONDS ? [seconds / 3600, 'hour'] : [seconds / DAY_SECONDS, 'day'];
  const whole = Math.floor(count);
  return whole < 1 ? 'less than an hour' : `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}

get<Readiness>('/readyz').then(
  ({ generation, height, age_seconds }) => {
    const line = `Dataset ${generation}, up to block ${height.toLocaleString('en-US')}, ${ageOf(age_seconds)} old.`;
    document.getElementById('status')!.textContent = line;
  },
  () => undefined,
);
