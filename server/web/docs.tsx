/** The script of the documentation: its search, and the line that says which data the service answers from. */
import { render } from 'preact';
import type { Readiness } from '../../schemas/types.generated.js';
import { get } from './api/client.js';
import { Search } from './docs/search.js';

const place = document.getElementById('search')!;
place.replaceChildren(); // the field that keeps its place until it works
render(<Search />, place);

const DAY_SECONDS = 86_400;

/** '3 hours', '2 days': as much as a reader wants to know. */
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
