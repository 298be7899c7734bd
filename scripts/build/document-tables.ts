/** Writes tables from the code into the documentation (`npm run generate`). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/base/project.js';
import { LIMITS, type Limit } from '../../server/http/limits.js';

const TITLES: Readonly<Record<string, string>> = {
  input: 'Requests',
  waits: 'Time limits',
  saved: 'Saved entries',
  accounts: 'Accounts',
  answers: 'Running answers',
  quotas: 'Quotas',
  webhooks: 'Webhooks',
  nodes: 'Nodes of the contract API',
};

const UNITS: Readonly<Record<string, string>> = { items: '', milliseconds: 'ms' };

/** Formats a limit: 65,536 bytes as 64 KiB, 20,000 ms as 20 s. */
function figure({ max, unit }: Limit): string {
  if (unit === 'bytes' && max % 1024 ** 2 === 0) return `${max / 1024 ** 2} MiB`;
  if (unit === 'bytes' && max % 1024 === 0) return `${max / 1024} KiB`;
  if (unit === 'milliseconds' && max % 1000 === 0) return `${max / 1000} s`;
  return `${max.toLocaleString('en')} ${UNITS[unit] ?? unit}`.trim();
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function limitsTable([group, limits]: [string, Readonly<Record<string, Limit>>]): string {
  const rows = Object.values(limits).map((one) => `| ${one.of} | ${figure(one)} |`);
  return [`| ${TITLES[group] ?? capital(group)} | Limit |`, '|---|---|', ...rows].join('\n');
}

const limitsTables = (): string => Object.entries(LIMITS).map(limitsTable).join('\n\n');

interface DocumentTable {
  readonly page: string;
  /** Name in the two HTML comments that enclose the table in the document. */
  readonly name: string;
  make(): string;
}

export const DOCUMENT_TABLES: readonly DocumentTable[] = [
  { page: 'docs/security.md', name: 'limits', make: limitsTables },
];

/** Replaces the table between its two comments. @throws Error if the document lacks these comments */
export function withTables(document: string, { name, make }: DocumentTable): string {
  const begin = `<!-- ${name}: made by npm run generate -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`the document has no place for the ${name}`);
  return [before, begin, '\n', make(), '\n', end, after].join('');
}

if (process.argv[1] === import.meta.filename) {
  for (const table of DOCUMENT_TABLES) {
    const page = join(projectRoot(), table.page);
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), table));
  }
}
