import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';

export const WEB_FOLDER = join(projectRoot(), 'dist/web');

export const HTML_TYPE = 'text/html; charset=utf-8';

const policy = (formAction: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ');

/**
 * Content-Security-Policy of pages. It allows content from this origin only, and no inline scripts, frames or forms.
 */
export const PAGE_POLICY = policy("'none'");

export const FORM_POLICY = policy("'self'");

export const readPage = (name: string): string => readFileSync(join(WEB_FOLDER, name), 'utf8');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, also for use inside quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);

export const fillPage = (page: string, texts: Readonly<Record<string, string>>): string =>
  page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(texts[name] ?? ''));

/** Returns true if a browser requests a page. Other clients get JSON. */
export const acceptsPage = (accept: string | undefined): boolean =>
  accept !== undefined && /(?:^|[ ,])text\/html(?:[ ;,]|$)/.test(accept);
