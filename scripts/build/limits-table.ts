/** The tables of limits in the documents, made from the code's own figures. */
import { LIMITS, type Limit } from '../../server/limits.js';

const BEGIN = '<!-- limits: made by npm run generate -->';
const END = '<!-- end of limits -->';

const TITLES: Readonly<Record<string, string>> = {
  input: 'A request',
  waits: 'Waits',
  saved: 'What accounts save',
  accounts: 'An account',
  answers: 'Answers under way',
  quotas: 'Quotas',
  webhooks: 'Webhooks',
  nodes: 'Nodes of the contract API',
};

const UNITS: Readonly<Record<string, string>> = { items: '', milliseconds: 'ms', times: 'times the' };

/** A figure as people read it: 65,536 bytes → 64 KiB, 20,000 ms → 20 s. */
function figure({ max, unit }: Limit): string {
  if (unit === 'bytes' && max % 1024 ** 2 === 0) return `${max / 1024 ** 2} MiB`;
  if (unit === 'bytes' && max % 1024 === 0) return `${max / 1024} KiB`;
  if (unit === 'milliseconds' && max % 1000 === 0) return `${max / 1000} s`;
  return `${max.toLocaleString('en')} ${UNITS[unit] ?? unit}`.trim();
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function table([group, limits]: [string, Readonly<Record<string, Limit>>]): string {
  const rows = Object.values(limits).map((one) => `| ${one.of} | ${figure(one)} | ${one.reason} |`);
  return [`| ${TITLES[group] ?? capital(group)} | At most | Why |`, '|---|---|---|', ...rows].join('\n');
}

/** Puts the tables of today's figures in place of those of a document. @throws Error when it has no place for them */
export function withLimits(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('the document has no place for the limits');
  return [before, BEGIN, '\n', Object.entries(LIMITS).map(table).join('\n\n'), '\n', END, after].join('');
}
