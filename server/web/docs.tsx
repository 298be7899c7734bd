/**
 * Script of the documentation: shows the age of the data, and searches. The search index loads on the first keystroke.
 */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Readiness } from '../../schemas/types.generated.js';
import { get } from './api/client.js';

interface Section {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const FOUND_MAX = 8;

let index: Promise<readonly Section[]> | undefined;

function Search() {
  const [found, setFound] = useState<readonly Section[]>();
  const search = async (text: string) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    index ??= get<readonly Section[]>('/docs/search.json');
    const sections = await index.catch(() => []);
    setFound(words.length === 0 ? undefined : best(sections, words));
  };
  return (
    <search class="docs-search">
      <label for="docs-search">Search</label>
      <input
        id="docs-search"
        type="search"
        autocomplete="off"
        onInput={(event) => void search(event.currentTarget.value)}
      />
      {found && (
        <ul class="found" aria-live="polite">
          {found.map(({ path, page, title }) => (
            <li key={path}>
              <a href={path}>{title}</a>
              <span class="fine"> {page}</span>
            </li>
          ))}
          {found.length === 0 && <li class="fine">No results.</li>}
        </ul>
      )}
    </search>
  );
}

function best(sections: readonly Section[], words: readonly string[]): Section[] {
  const score = ({ title, text }: Section) => {
    const has = (place: string) => words.filter((word) => place.toLowerCase().includes(word)).length;
    return has(`${title} ${text}`) < words.length ? 0 : 1 + 3 * has(title);
  };
  return sections
    .map((section) => ({ section, points: score(section) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, FOUND_MAX)
    .map(({ section }) => section);
}

const place = document.getElementById('search')!;
place.replaceChildren(); // Removes the disabled search field.
render(<Search />, place);

const DAY_SECONDS = 86_400;

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
