/**
 * Builds the documentation pages as Markdown. HTML pages, the search index and .md files are generated from the
 * Markdown.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { projectRoot } from '../../../pipeline/base/project.js';
import { dayOf } from '../../../pipeline/base/values/day.js';
import type { Config } from '../../../pipeline/config.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { CatalogFormat } from '../../../schemas/types.generated.js';
import type { AnyEndpoint } from '../../api/endpoint.js';
import { CONVENTIONS_PATH, PROBLEM_KINDS, type ProblemKind, problemMembers } from '../../http/problem.js';
import { escapeHtml, readPage } from '../../http/web-pages.js';
import { PARAMETERS, type ParameterName, parametersOf } from '../../tax/parameters/parameter-schemas.js';
import { CONTRACT_API, TAX_API } from '../apis.js';
import { DESCRIBED_HEADERS } from '../openapi.js';
import { conditionsOf, formatsOf, importerWords, valuesOf } from '../words.js';
import type { Examples } from './examples.js';

interface MarkdownPage {
  readonly path: string;
  readonly title: string;
  markdown(): string;
}

type DocPage = MarkdownPage & { html(): string };

export interface PageSources {
  readonly config: Config;
  readonly reference: Reference;
  readonly routes: readonly AnyEndpoint[];
  readonly examples: () => Examples;
}

const DOCS_PATH = '/docs';

const GUIDES = [
  [DOCS_PATH, 'Start here', 'start'],
  ['/docs/tax-year', 'Your tax year', 'tax-year'],
  ['/docs/accountant', 'For accountants', 'accountant'],
  ['/docs/treasurer', 'For treasurers', 'treasurer'],
  ['/docs/validator', 'For validators', 'validator'],
  ['/docs/program', 'For developers', 'program'],
  ['/docs/analyst', 'For analysts', 'analyst'],
  ['/docs/sheets', 'For spreadsheets', 'sheets'],
  ['/docs/operator', 'For operators', 'operator'],
] as const;

export function docPages({ config, reference, routes, examples }: PageSources): DocPage[] {
  const guides = GUIDES.map(([path, title, file]) => ({
    path,
    title,
    markdown: () => guide(file, config, examples()),
  }));
  const pages = [
    ...guides,
    { path: '/docs/webhooks', title: 'Webhooks', markdown: () => withoutFileLinks(textOf('docs/webhooks.md')) },
    { path: '/docs/reference', title: 'Reference', markdown: () => referenceMarkdown(config, routes) },
    { path: CONVENTIONS_PATH, title: 'Conventions', markdown: () => conventionsMarkdown(config) },
    { path: '/docs/files', title: 'Files', markdown: () => filesMarkdown(formatsOf(routes)) },
    { path: '/docs/methodology', title: 'Methodology', markdown: () => methodologyMarkdown(reference) },
    { path: '/docs/categories', title: 'Categories and tags', markdown: () => categoriesMarkdown(reference) },
    { path: '/docs/changelog', title: 'Changelog', markdown: () => withoutFileLinks(textOf('CHANGELOG.md')) },
  ];
  return pages.map((page) => ({ ...page, html: () => docHtml(page, pages) }));
}

const textOf = (path: string) => readFileSync(join(projectRoot(), path), 'utf8');

/** Replaces links to files of the repository by their text, because the site does not contain these files. */
const withoutFileLinks = (markdown: string) => markdown.replace(/\[([^\]]+)\]\((?!https?:|\/|#)[^)]+\)/g, '$1');

/** Reads a guide and replaces placeholders such as {{base}} by this server's URL and by working examples. */
function guide(name: string, { baseUrl }: Config, examples: Examples): string {
  const texts: Readonly<Record<string, string>> = { base: baseUrl, ...examples };
  return textOf(`server/docs/site/guides/${name}.md`).replace(/\{\{(\w+)\}\}/g, (_, word: string) => texts[word]!);
}

const DOCS_PAGE = readPage('docs.html');

function docHtml(page: MarkdownPage, pages: readonly MarkdownPage[]): string {
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

interface FoundSection {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const SEARCHED_MAX = 1500;

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

/**
 * Returns the page about rules that all endpoints share, as Markdown. The member `type` of each problem links to this
 * page.
 */
function conventionsMarkdown({ rateLimit, now }: Pick<Config, 'rateLimit' | 'now'>): string {
  const limit =
    rateLimit === 0
      ? 'Requests are not limited.'
      : `At most ${rateLimit} requests per minute and client. An API key may have another limit.`;
  return `# Conventions

Rules that all responses share. The [reference](/docs/reference) describes each endpoint; [llms.txt](/llms.txt) is a short version.

## Problems

Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem with the content type \`application/problem+json\`.
Programs branch on \`code\`: \`detail\` is prose and may change. If \`retry_after\` is present, wait that many seconds plus a short
random delay before you retry.

${definitions(problemMembers(dayOf(now().getTime())).map(([name, { description }]) => [name, description]))}

## Codes

${Object.entries(PROBLEM_KINDS).map(describeCode).join('\n\n')}

## Headers

${limit}

${definitions(Object.entries(DESCRIBED_HEADERS).map(([name, { description }]) => [name, description]))}
`;
}

const describeCode = ([code, { status, title, description }]: [string, ProblemKind]): string =>
  `### ${status} ${title} {#${code}}\n\n\`${code}\`: ${description}`;

function definitions(entries: readonly (readonly [name: string, meaning: string])[]): string {
  const lines = entries.map(([name, meaning]) => `<dt><code>${name}</code></dt><dd>${html(meaning)}</dd>`);
  return `<dl>\n${lines.join('\n')}\n</dl>`;
}

/** Escapes text for HTML, and converts text in backticks to code elements. */
function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function categoriesMarkdown({ categories, triggers, tags }: Reference): string {
  const rows = categories.map(
    ({ category, groups, label, taxable, description }) =>
      `| \`${category}\` | ${label} | ${groups.join(', ') || 'all'} | ${taxable ? 'yes' : 'no, record only'} | ${description} |`,
  );
  return `# Categories and tags

Each row of \`/events\` has one category: what happened. The category determines the tax treatment, unless you tag the row or
decide otherwise.

## Categories

| Category | Label | Type | Taxable | Meaning |
|---|---|---|---|---|
${rows.join('\n')}

## Why a reward was paid {#triggers}

| Trigger | Meaning |
|---|---|
${triggers.map(({ trigger, description }) => `| \`${trigger}\` | ${description} |`).join('\n')}

## Tags

You can tag a row's \`id\`, a transaction, or one coin of a transaction. Tags are part of the request and never stored.

| Tag | Label | Fits | What it does |
|---|---|---|---|
${tags.map((tag) => `| \`${tag.tag}\` | ${tag.label} | ${sidesOf(tag)} | ${tag.treatment} |`).join('\n')}
`;
}

const sidesOf = (tag: { readonly in?: object; readonly out?: object }): string =>
  [...(tag.in ? ['received'] : []), ...(tag.out ? ['sent'] : [])].join(', ');

function filesMarkdown(formats: readonly CatalogFormat[]): string {
  const layouts = (path: string) => formats.filter(({ profile, paths }) => profile !== '' && paths.includes(path));
  return [
    '# Files',
    'The [report](/) offers these files under “Download”. API requests get them from `/api/tax/v1/events` or ' +
      '`/api/tax/v1/journal` with the name of the format as `profile`.',
    '## For tax programs',
    'Each section ends with the words for tags and kinds of rows: one word, or one for received and one for sent coins. ' +
      'A dash means that the program finds the kind itself, or reads such rows as a plain deposit or withdrawal.',
    'Most programs assign all rows of a file to one wallet. So several wallets are a ZIP archive: make one wallet in the program for each file.',
    ...layouts('/api/tax/v1/events').map((format) => `${section(format)}\n\n${importerWords(format.profile)}`),
    '## For tax returns and bookkeeping programs',
    ...layouts('/api/tax/v1/journal').map(section),
  ].join('\n\n');
}

/** Descriptions begin with the common name: 'TurboTax, universal CSV: times in UTC'. */
function section({ profile, paths, description, how_to_import }: CatalogFormat): string {
  const [name = description] = description.split(/[,:]/, 1);
  return `### ${name}\n\n\`${paths.join('`, `')}\` with \`profile=${profile}\`. ${description}\n\n${how_to_import}`;
}

function methodologyMarkdown({ methodology, recognitionPolicy }: Reference): string {
  const { version, effective_date, sources, fallback_order, exchange_rates, change_log } = methodology;
  return `# Methodology

Version ${version}, in force since ${effective_date}. As JSON: [/api/tax/v1/methodology](/api/tax/v1/methodology).

## What a price stands for

${methodology.timestamp_granularity}

## How it is computed

${methodology.aggregation_rule}

In this order:

${fallback_order.map((one, i) => `${i + 1}. ${one}`).join('\n')}

## Days without a price

${methodology.missing_price_handling}

## Rounding

${methodology.rounding}

## Other currencies

${exchange_rates}

## Sources

${sources.map((source) => `- ${source}`).join('\n')}

## When a reward is income

${recognitionPolicy.explanation}

## Versions

| Version | Since | Change |
|---|---|---|
${change_log.map((one) => `| ${one.version} | ${one.date} | ${one.change} |`).join('\n')}
`;
}

function referenceMarkdown(config: Config, routes: readonly AnyEndpoint[]): string {
  const parts = [TAX_API, CONTRACT_API].map((api) => {
    const covered = routes.filter(api.covers);
    return `## ${api.info.title}

${api.info.summary} As OpenAPI 3.1: [${api.document}](${api.document}) at \`${api.origin(config)}\`.

${covered.map(indexed).join('\n')}

${covered.map(describe).join('\n')}`;
  });
  return `# Reference

All paths with their parameters. Parameters in **bold** are required. If POST is listed, you can send the same parameters as a JSON
body, which has room for long values. The body also accepts \`userTags\`, \`assetDecisions\`, \`openingLots\` and \`ownWallets\`.

${parts.join('\n\n')}`;
}

function indexed({ method, path, summary }: AnyEndpoint): string {
  const title = titleOf(method, path);
  return `- [\`${title}\`](#${slugOf(title)}): ${asWritten(summary)}`;
}

const titleOf = (method: string, path: string) => `${method} ${path}`;

function describe(route: AnyEndpoint): string {
  const { method, path, summary, description, post } = route;
  const names = parametersOf(route);
  const parts = [
    `### ${titleOf(method, path)}`,
    description ? `${summary} ${description}` : summary,
    [...(post ? ['Also as POST.'] : []), ...conditionsOf(route)].join(' '),
    names.length === 0 ? '' : table(names),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

const table = (names: readonly ParameterName[]): string => `| Parameter | Meaning | Example |
|---|---|---|
${names.map((key) => line(PARAMETERS[key])).join('\n')}`;

function line(parameter: (typeof PARAMETERS)[ParameterName]): string {
  const { name, required, description, example } = parameter;
  const values = valuesOf(parameter).map((value) => ` ${value[0]!.toUpperCase()}${value.slice(1)}.`);
  return `| ${required ? `**\`${name}\`**` : `\`${name}\``} | ${asWritten(description + values.join(''))} | ${exampleOf(example)} |`;
}

/** Escapes placeholders such as <denom>. */
const asWritten = (text: string) => text.replaceAll('<', '\\<');

const exampleOf = (example: string) => (example ? `\`${example.replaceAll('|', '\\|')}\`` : '');

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  sql: 'SQL',
  json: 'JSON',
  html: 'HTML',
};

const ANCHOR = /^(.*?)(?: \{#([\w-]+)\})?$/;

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const marked = new Marked({
  renderer: {
    heading({ text, depth }: Tokens.Heading) {
      const [, title = text, anchor = slugOf(title)] = ANCHOR.exec(text) ?? [];
      return `<h${depth} id="${anchor}"><a href="#${anchor}">${escapeHtml(title)}</a></h${depth}>\n`;
    },
    code({ text, lang = '' }: Tokens.Code) {
      const title = LANGUAGES[lang] ?? lang;
      const label = title === '' ? 'Example' : title;
      return `<figure class="code"><figcaption><span>${label}</span></figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`;
    },
  },
});

/** Converts Markdown to HTML. Neighboring code blocks become tabs, for example one request in several languages. */
function renderMarkdown(markdown: string): string {
  let [tables, groups] = [0, 0];
  const html = marked.parse(markdown, { async: false });
  return html
    .replace(/(?:<figure class="code">(?:(?!<\/figure>)[\s\S])*<\/figure>\s*){2,}/g, (several) =>
      tabbed(several, ++groups),
    )
    .replaceAll(
      '<table>',
      () => `<section class="scroller" tabindex="0" aria-label="Table ${++tables}"><table class="figures">`,
    )
    .replaceAll('</table>', '</table></section>');
}

/** Returns code blocks as tabs. The tabs are radio buttons, which need no script. */
function tabbed(figures: string, group: number): string {
  const labels = [...figures.matchAll(/<figcaption><span>(.*?)<\/span>/g)].map(([, label]) => label!);
  const tabs = labels.map((label, i) => {
    const id = `code-${group}-${i + 1}`;
    const checked = i === 0 ? ' checked' : '';
    return `<input type="radio" name="code-${group}" id="${id}" value="${label}"${checked}><label for="${id}">${label}</label>`;
  });
  return `<fieldset class="codes"><legend class="whole">Language of the example</legend>${tabs.join('')}${figures}</fieldset>`;
}
