/** Web pages as the build leaves them in dist/web, and the rules under which a browser shows them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';

/** Folder of the built pages; `assets/` in it holds what they load, under names that change with the content. */
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

/** Content-Security-Policy of pages: they load and ask nothing but this origin, run no inline script, and stand in no frame. */
export const PAGE_POLICY = policy("'none'");

/** The same for a page whose form goes to this origin. */
export const FORM_POLICY = policy("'self'");

/** Reads a built page. @param name file name below dist/web */
export const readPage = (name: string): string => readFileSync(join(WEB_FOLDER, name), 'utf8');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML, also within a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);

/** Fills the `{{name}}` places of a page with texts. */
export const fillPage = (page: string, texts: Readonly<Record<string, string>>): string =>
  page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(texts[name] ?? ''));

/** Tells whether a request is a browser's for a page, so that a refusal is shown as one; programs always get a problem. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept !== undefined && /(?:^|[ ,])text\/html(?:[ ;,]|$)/.test(accept);
