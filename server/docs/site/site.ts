/** The documentation pages as Markdown; HTML, the search index and the .md files are made from them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../pipeline/config.js';
import { projectRoot } from '../../../pipeline/project.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { CatalogFormat } from '../../../schemas/types.generated.js';
import type { AnyEndpoint } from '../../endpoint.js';
import { escapeHtml, readPage } from '../../http/web-pages.js';
import { CONVENTIONS_PATH } from '../../problem.js';
import { conventionsMarkdown } from '../conventions.js';
import { categoriesMarkdown } from './categories.js';
import type { Examples } from './examples.js';
import { filesMarkdown } from './files.js';
import { methodologyMarkdown } from './methodology.js';
import { referenceMarkdown } from './reference.js';
import { renderMarkdown } from './render.js';

export interface DocPage {
  readonly path: string;
  readonly title: string;
  markdown(): string;
}

export interface PageSources {
  readonly config: Config;
  readonly reference: Reference;
  readonly routes: readonly AnyEndpoint[];
  readonly examples: () => Examples;
}

interface SiteSources extends PageSources {
  readonly formats: readonly CatalogFormat[];
}

const DOCS_PATH = '/docs';

const GUIDES = [
  [DOCS_PATH, 'Start here', 'start'],
  ['/docs/tax-year', 'Your tax year', 'tax-year'],
  ['/docs/accountant', 'For accountants', 'accountant'],
  ['/docs/validator', 'For validators', 'validator'],
  ['/docs/program', 'For developers', 'program'],
  ['/docs/analyst', 'For analysts', 'analyst'],
] as const;

/** In the order of the menu. */
export function docPages({ config, reference, routes, formats, examples }: SiteSources): DocPage[] {
  const guides = GUIDES.map(([path, title, file]) => ({
    path,
    title,
    markdown: () => guide(file, config, examples()),
  }));
  return [
    ...guides,
    { path: '/docs/webhooks', title: 'Webhooks', markdown: () => textOf('docs/webhooks.md') },
    { path: '/docs/reference', title: 'Reference', markdown: () => referenceMarkdown(config, routes) },
    { path: CONVENTIONS_PATH, title: 'Conventions', markdown: () => conventionsMarkdown(config) },
    { path: '/docs/files', title: 'Files', markdown: () => filesMarkdown(formats) },
    { path: '/docs/methodology', title: 'Methodology', markdown: () => methodologyMarkdown(reference) },
    { path: '/docs/categories', title: 'Categories and tags', markdown: () => categoriesMarkdown(reference) },
    { path: '/docs/changelog', title: 'Changelog', markdown: () => withoutFileLinks(textOf('CHANGELOG.md')) },
  ];
}

const textOf = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

/** Replaces links to files of the repository by their text. */
const withoutFileLinks = (markdown: string) => markdown.replace(/\[([^\]]+)\]\((?!https?:|\/|#)[^)]+\)/g, '$1');

/** Inserts the service's own URL and working examples. */
function guide(name: string, { baseUrl }: Config, examples: Examples): string {
  const texts: Readonly<Record<string, string>> = { base: baseUrl, ...examples };
  return textOf(`server/docs/site/guides/${name}.md`).replace(/\{\{(\w+)\}\}/g, (_, word: string) => texts[word]!);
}

const DOCS_PAGE = readPage('docs.html');

export function docHtml(page: DocPage, pages: readonly DocPage[]): string {
  const links = pages.map(({ path, title }) => {
    const current = path === page.path ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${current}>${escapeHtml(title)}</a></li>`;
  });
  const parts: Readonly<Record<string, string>> = {
    title: escapeHtml(page.title),
    menu: `<ul>${links.join('')}</ul>`,
    source: `${page.path}.md`,
    content: renderMarkdown(page.markdown()),
  };
  return DOCS_PAGE.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name]!);
}

/** A section in the search index. */
interface FoundSection {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const SEARCHED_MAX = 1500;

/** Splits all pages at their headings. */
export const searchIndex = (pages: readonly DocPage[]): FoundSection[] =>
  pages.flatMap((page) => {
    const sections = renderMarkdown(page.markdown()).split(/(?=<h[1-3] )/);
    return sections.flatMap((html) => {
      const [, anchor, title] = /^<h[1-3] id="([^"]*)"><a[^>]*>(.*?)<\/a>/.exec(html) ?? [];
      if (anchor === undefined || title === undefined) return [];
      const text = plainText(html.replace(/^<h[1-3].*?<\/h[1-3]>/, ''));
      return [
        {
          path: `${page.path}#${anchor}`,
          page: page.title,
          title: plainText(title),
          text: text.slice(0, SEARCHED_MAX),
        },
      ];
    });
  });

const SIGNS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

const plainText = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => SIGNS[sign]!)
    .replace(/\s+/g, ' ')
    .trim();
