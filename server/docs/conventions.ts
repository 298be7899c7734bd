/** The page that every problem's `type` leads to: what the answers of all endpoints have in common, for people. */
import { escapeHtml } from '../http/web-pages.js';
import { PROBLEM_KINDS, PROBLEM_MEMBERS, type ProblemKind } from '../problem.js';
import { DESCRIBED_HEADERS } from './openapi-headers.js';

/** Makes the page. @param rateLimit requests of the tax API that a client may make in a minute; 0: any number @returns Markdown */
export function conventionsMarkdown({ rateLimit }: { rateLimit: number }): string {
  const limit = rateLimit === 0 ? 'Requests are not limited.' : `At most ${rateLimit} requests a minute and client.`;
  return `# Conventions

What all answers have in common. Each endpoint by itself is in the [reference](/docs/reference); [llms.txt](/llms.txt) is the short
form.

## Problems

Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem with the content type \`application/problem+json\`.
Programs branch on \`code\`: \`detail\` is prose and may change. Where \`retry_after\` is given, wait that long, and a little longer at
random, before asking again.

${definitions(Object.entries(PROBLEM_MEMBERS).map(([name, { description }]) => [name, description]))}

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

/** Text as HTML; \`code\` becomes a code element. */
function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
