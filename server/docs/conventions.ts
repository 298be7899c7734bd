/** The page about rules that all endpoints share. The `type` of each problem links to it. */

import { PROBLEM_KINDS, PROBLEM_MEMBERS, type ProblemKind } from '../http/problem.js';
import { escapeHtml } from '../http/web-pages.js';
import { DESCRIBED_HEADERS } from './openapi.js';

/**
 * @param rateLimit requests per minute and client of the tax API; 0 means unlimited
 * @returns Markdown
 */
export function conventionsMarkdown({ rateLimit }: { rateLimit: number }): string {
  const limit = rateLimit === 0 ? 'Requests are not limited.' : `At most ${rateLimit} requests per minute and client.`;
  return `# Conventions

Rules that all responses share. The [reference](/docs/reference) describes each endpoint; [llms.txt](/llms.txt) is a short version.

## Problems

Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem with the content type \`application/problem+json\`.
Programs branch on \`code\`: \`detail\` is prose and may change. If \`retry_after\` is present, wait that many seconds plus a short
random delay before you retry.

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

/** Escapes text for HTML and replaces backticks with code elements. */
function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
