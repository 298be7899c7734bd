/**
 * Script of the documentation pages: search, copy buttons for code, and a note on the age of the data. The search index
 * loads at the first keystroke.
 */
import MiniSearch from 'minisearch';
import { render } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Readiness } from '../../schemas/types.generated.js';
import { get } from './api/client.js';
import { LOCALE } from './values/language.js';

interface Section {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

type Found = Pick<Section, 'path' | 'page' | 'title'>;

const FOUND_MAX = 8;

/** Matches reference pages. They rank lower, because they contain almost every word but explain less than guides. */
const REFERENCE = /^\/docs\/(?:reference|conventions|changelog)\b/;

let index: Promise<MiniSearch<Section>> | undefined;

async function loadIndex(): Promise<MiniSearch<Section>> {
  const search = new MiniSearch<Section>({
    idField: 'path',
    fields: ['title', 'text'],
    storeFields: ['page', 'title'],
    searchOptions: {
      boost: { title: 3 },
      boostDocument: (path) => (REFERENCE.test(String(path)) ? 0.4 : 1),
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { prefix: 0.4, fuzzy: 0.1 },
    },
  });
  search.addAll(await get<readonly Section[]>('/docs/search.json'));
  return search;
}

/** Finds the sections that contain all words. If there are none, finds the sections that contain some of the words. */
function best(search: MiniSearch<Section>, text: string): Found[] {
  const all = search.search(text, { combineWith: 'AND' });
  const found = all.length > 0 ? all : search.search(text);
  return found.slice(0, FOUND_MAX).map(({ id, page, title }) => ({ path: id, page, title }));
}

function Search() {
  const [found, setFound] = useState<readonly Found[]>();
  const typed = useRef('');
  const search = async (text: string) => {
    typed.current = text;
    index ??= loadIndex();
    const loaded = await index.catch(() => {
      index = undefined;
    });
    if (text === typed.current) setFound(text.trim() === '' || !loaded ? undefined : best(loaded, text));
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

const place = document.getElementById('search')!;
place.replaceChildren(); // Replaces the disabled search field of the static page.
render(<Search />, place);

for (const code of document.querySelectorAll<HTMLElement>('.code')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.className = 'link';
  const source = code.querySelector('code')!;
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(source.textContent ?? '').then(
      () => {
        button.textContent = 'Copied';
      },
      // If the browser denies access to the clipboard, selects the text, so that the user can copy it.
      () => getSelection()?.selectAllChildren(source),
    );
  });
  code.querySelector('figcaption')!.append(button);
}

const LANGUAGE = 'hubledger.docs.language';
const tabs = [...document.querySelectorAll<HTMLInputElement>('.codes > input')];

/** Switches every code example to a language, if the example exists in this language. */
const choose = (language: string | null) => {
  for (const tab of tabs) if (tab.value === language) tab.checked = true;
};
for (const tab of tabs) {
  tab.addEventListener('change', () => {
    choose(tab.value);
    localStorage.setItem(LANGUAGE, tab.value);
  });
}
choose(localStorage.getItem(LANGUAGE));

const DAY_SECONDS = 86_400;

function ageOf(seconds: number): string {
  const [count, unit] = seconds < DAY_SECONDS ? [seconds / 3600, 'hour'] : [seconds / DAY_SECONDS, 'day'];
  const whole = Math.floor(count);
  return whole < 1 ? 'less than an hour' : `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}

get<Readiness>('/readyz').then(
  ({ generation, height, age_seconds }) => {
    const line = `Dataset ${generation}, up to block ${height.toLocaleString(LOCALE)}, ${ageOf(age_seconds)} old.`;
    document.getElementById('status')!.textContent = line;
  },
  () => undefined,
);
