/** Tables in documents that are made from the code's own figures, each in a place of its page that two comments mark. */
import { limitsTables } from './limits-table.js';
import { metricsTable } from './metrics-table.js';

export interface DocumentTable {
  /** Path from the project's root. */
  readonly page: string;
  /** The word by which the page marks their place. */
  readonly name: string;
  /** Makes them as Markdown. */
  make(): string;
}

export const DOCUMENT_TABLES: readonly DocumentTable[] = [
  { page: 'docs/security.md', name: 'limits', make: limitsTables },
  { page: 'docs/operations/monitoring.md', name: 'metrics', make: metricsTable },
];

/** Puts today's tables in place of those of a document. @throws Error when it has no place for them */
export function withTables(document: string, { name, make }: DocumentTable): string {
  const begin = `<!-- ${name}: made by npm run generate -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the document has no place for the ${name}`);
  return [before, begin, '\n', make(), '\n', end, after].join('');
}
