/** Web pages built to dist/web, and their security policies. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';

/** `assets/` contains files with a content hash in the name. */
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

/** Pages load from this origin only, without inline scripts or frames. */
export const PAGE_POLICY = policy("'none'");

/** For pages with a form to this origin. */
export const FORM_POLICY = policy("'self'");

/** @param name file below dist/web */
export const readPage = (name: string): string => readFileSync(join(WEB_FOLDER, name), 'utf8');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Also safe in quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);

/** Replaces `{{name}}` by escaped text. */
export const fillPage = (page: string, texts: Readonly<Record<string, string>>): string =>
  page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(texts[name] ?? ''));

/** Returns whether a browser requests a page; programs get problems as JSON. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept !== undefined && /(?:^|[ ,])text\/html(?:[ ;,]|$)/.test(accept);
