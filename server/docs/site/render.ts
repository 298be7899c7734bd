/** Renders the Markdown of the documentation. It is our own text, so HTML in it is kept. */
import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../http/web-pages.js';

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'curl',
  ts: 'TypeScript',
  python: 'Python',
  sql: 'SQL',
  json: 'JSON',
  html: 'HTML',
};

const ANCHOR = /^(.*?)(?: \{#([\w-]+)\})?$/;

/** The default anchor of a heading. */
export const slugOf = (title: string): string =>
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
      return `<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>\n`;
    },
  },
});

/** Adjacent code blocks in several languages are shown side by side. */
export function renderMarkdown(markdown: string): string {
  let tables = 0;
  const html = marked.parse(markdown, { async: false });
  return html
    .replace(/(?:<figure class="code">[\s\S]*?<\/figure>\s*){2,}/g, (several) => `<div class="codes">${several}</div>`)
    .replaceAll(
      '<table>',
      () => `<section class="scroller" tabindex="0" aria-label="Table ${++tables}"><table class="figures">`,
    )
    .replaceAll('</table>', '</table></section>');
}
