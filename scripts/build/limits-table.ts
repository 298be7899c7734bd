/** The tables of limits in the documents, made from the code's own figures. */
import { LIMITS, type Limit } from '../../server/limits.js';

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

const UNITS: Readonly<Record<string, string>> = { items: '', milliseconds: 'ms' };

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

export const limitsTables = (): string => Object.entries(LIMITS).map(table).join('\n\n');
