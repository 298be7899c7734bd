/** DATEV, format EXTF 700 (Buchungsstapel): a header, column headings, then one line per entry. */
import { formatCents } from '../../../../../pipeline/base/values/amount.js';
import { assetAccount } from '../../../../../pipeline/ledger/wallet.js';
import type { LedgerEntry } from '../../../../../schemas/types.generated.js';
import { codedAccount, describe } from './tables.js';

/** DATEV accepts only file names with this prefix. */
export const DATEV_NAME = 'EXTF_';

export const DATEV_DESCRIPTION =
  'DATEV Buchungsstapel (EXTF 700): one line an entry in US dollars, without a rate; semicolons, comma decimals, account numbers; ' +
  'one calendar year a file.';

const HEADINGS = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
];

const TEXT_MAX = { document: 36, posting: 60 };

/** Marks the file as UTF-8. Otherwise DATEV reads code page 1252 (developer.datev.de, Zeichensatz). */
const BYTE_ORDER_MARK = '\uFEFF';

const quoted = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replaceAll('"', '""')}"`;
const compact = (day: string) => day.replaceAll('-', '');
const line = (cells: readonly string[]) => `${cells.join(';')}\r\n`;

export interface Chart {
  readonly mapped: ReadonlyMap<string, string>;
  /** Length of a general ledger account number. Customer and supplier accounts have one digit more. */
  readonly digits: number;
}

/** The native coin's account determines the length of all general ledger accounts. */
export const chartOf = (mapped: ReadonlyMap<string, string>, symbol: string): Chart => ({
  mapped,
  digits: codedAccount(assetAccount(symbol), mapped).length,
});

const numberOf = (account: string, { mapped, digits }: Chart) =>
  mapped.get(account) ?? codedAccount(account, mapped).padEnd(digits, '0');

export function datevHead(first: string, last: string, made: string, { digits }: Chart): string {
  const header = [
    ...['"EXTF"', '700', '21', '"Buchungsstapel"', '13', `${made.replace(/\D/g, '').slice(0, 14).padEnd(17, '0')}`],
    // Empty: origin, exporter, importer. 1001 and 1: consultant and client number, which the importing office replaces.
    ...['', '""', '""', '""', '1001', '1', `${first.slice(0, 4)}0101`, `${digits}`, compact(first), compact(last)],
    ...['"hubledger"', '""', '1', '0', '0', '"USD"', '', '""', '', '', '""', '', '', '""', '""'],
  ];
  return BYTE_ORDER_MARK + line(header) + line(HEADINGS);
}

/** Returns no line if the amount is 0.00, which DATEV rejects, or if both accounts are equal. */
export function datevLine(entry: LedgerEntry, chart: Chart): string {
  const [debit, credit] = [numberOf(entry.debit_account, chart), numberOf(entry.credit_account, chart)];
  if (entry.amount_usd === 0n || debit === credit) return '';
  const [, month, day] = entry.time.slice(0, 10).split('-') as [string, string, string];
  return line([
    ...[formatCents(entry.amount_usd).replace('.', ','), '"S"', '"USD"', '', '', '""'],
    ...[debit, credit, '""', day + month],
    ...[
      quoted(entry.entry_id.slice(-TEXT_MAX.document)),
      '""',
      '',
      quoted(describe(entry).replaceAll(';', ',').slice(0, TEXT_MAX.posting)),
    ],
  ]);
}
