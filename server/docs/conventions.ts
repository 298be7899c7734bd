/** The page that every problem's `type` leads to: what the answers of all endpoints have in common, for people. */
import { hash } from 'node:crypto';
import { escapeHtml } from '../http/web-pages.js';
import { PROBLEM_KINDS, PROBLEM_MEMBERS } from '../problem.js';
import { DESCRIBED_HEADERS } from './openapi-headers.js';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; }
h3 { margin: 1.5rem 0 0; }
h3 a { color: inherit; text-decoration: none; }
p { margin: .25rem 0 1rem; }
:target { background: Mark; color: MarkText; }
dt { margin-top: .5rem; }
dd { margin-left: 1.5rem; }
`;

/** The page brings its style along and loads nothing. */
export const CONVENTIONS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the page. @param rateLimit requests of the tax API that a client may make in a minute; 0: any number @returns HTML */
export function conventionsPage({ baseUrl, rateLimit }: { baseUrl: string; rateLimit: number }): string {
  const limit = rateLimit === 0 ? 'Requests are not limited.' : `At most ${rateLimit} requests a minute and client.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hubledger: conventions</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Conventions</h1>
<p>What all answers have in common. Each endpoint by itself is described in the
<a href="${html(baseUrl)}/api/tax/v1/openapi.json">OpenAPI document</a>; <a href="${html(baseUrl)}/llms.txt">llms.txt</a> is the short form.</p>
<h2 id="problems">Problems</h2>
<p>Every error is an <a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a> problem with the content type
<code>application/problem+json</code>. Programs branch on <code>code</code>: <code>detail</code> is prose and may change.
Where <code>retry_after</code> is given, wait that long, and a little longer at random, before asking again.</p>
${definitions(Object.entries(PROBLEM_MEMBERS).map(([name, { description }]) => [name, description]))}
<h2 id="codes">Codes</h2>
${Object.entries(PROBLEM_KINDS).map(describeCode).join('\n')}
<h2 id="headers">Headers</h2>
<p>${limit}</p>
${definitions(Object.entries(DESCRIBED_HEADERS).map(([name, { description }]) => [name, description]))}
</body>
</html>
`;
}

function describeCode([code, { status, title, description }]: [
  string,
  { status: number; title: string; description: string },
]) {
  return `<h3 id="${code}"><a href="#${code}">${status} ${html(title)}</a></h3>
<p><code>${code}</code>: ${html(description)}</p>`;
}

function definitions(entries: readonly (readonly [name: string, meaning: string])[]): string {
  const lines = entries.map(([name, meaning]) => `<dt><code>${name}</code></dt><dd>${html(meaning)}</dd>`);
  return `<dl>\n${lines.join('\n')}\n</dl>`;
}

/** Text as HTML; \`code\` becomes a code element. */
function html(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
