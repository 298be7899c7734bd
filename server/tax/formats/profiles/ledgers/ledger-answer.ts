/**
 * Formats /journal for a bookkeeping program: a CSV table, DATEV, or a plain-text accounting file. In a table, an entry
 * becomes one or two lines. Entries of 0.00 are omitted, because the programs reject them.
 */

import { createHash } from 'node:crypto';
import { formatCents } from '../../../../../pipeline/base/values/amount.js';
import type { Entry } from '../../../../../pipeline/books/ledger/entry.js';
import { assetAccount } from '../../../../../pipeline/books/ledger/wallet.js';
import { type Field, fieldsOf } from '../../../../../pipeline/books/reports/field.js';
import { USUAL } from '../../../../../pipeline/books/terms.js';
import type { Answer } from '../../../../http/answer.js';
import type { Dataset } from '../../../dataset/dataset.js';
import { entriesOfRange, type Stated } from '../../../dataset/wallet-ledger.js';
import { refusal } from '../../../parameters/faults.js';
import { daysOf } from '../../../parameters/time-range.js';
import { ARCHIVE_TYPE } from '../../archive.js';
import { BYTE_ORDER_MARK, CSV_TYPE, csvChunks, fileNameOf } from '../../csv.js';
import { NOTATIONS, plainText } from './plain-text.js';

interface Side {
  readonly entry: Entry;
  readonly account: string;
  readonly isDebit: boolean;
  readonly mapped: ReadonlyMap<string, string>;
  readonly taxRate: string;
}

interface Table {
  readonly description: string;
  /** Instructions for importing the file into the program. */
  readonly howTo: string;
  readonly columns: readonly Field<Side>[];
  /**
   * Maximum number of lines per file that the program reads, including the heading. Longer journals are split into
   * several files.
   */
  readonly linesMax: number;
}

function sidesOf(entry: Entry, { accounts: mapped, taxRate }: Stated): Side[] {
  if (entry.amount === 0n) return [];
  const { debit_account, credit_account } = entry;
  return [
    { entry, mapped, taxRate, account: debit_account, isDebit: true },
    { entry, mapped, taxRate, account: credit_account, isDebit: false },
  ];
}

const { text, decimal } = fieldsOf<Side>();

const amountOf = ({ entry }: Side): string => formatCents(entry.amount);

function codedAccount(account: string, mapped: Side['mapped']): string {
  const code = mapped.get(account) ?? codeOf(account);
  if (code === undefined) throw new Error(`no code for the account ${account}`);
  return code;
}

const describe = ({ asset, category, memo, tx_hash }: Entry): string =>
  [category.replaceAll('_', ' '), asset, memo, tx_hash].filter((part) => part !== '').join('; ');

/**
 * Default account codes for programs with numbered accounts. The codes are in ranges that common charts of accounts
 * leave free. An account map overrides them.
 */
const CODES: Readonly<Record<string, string>> = {
  'Digital Assets': '1590',
  'Digital Assets: Deposits': '1591',
  'Transfers In: Unclassified': '1592',
  'Transfers Out: Unclassified': '1593',
  'Clearing: Purchases': '1594',
  'Clearing: Sales': '1595',
  'Clearing: Swaps': '1596',
  'Liabilities: Loans': '1790',
  'Equity: Gifts': '2190',
  'Equity: Ignored': '2191',
  'Equity: Opening Balances': '2192',
  'Equity: Opening Lots': '2193',
  'Equity: Own Tokens': '2194',
  'Equity: Own-Wallet Transfers': '2195',
  'Equity: Redirected Rewards': '2196',
  'Equity: Rounding': '2197',
  'Equity: Unknown Basis': '2198',
  'Expense: Community Pool': '4990',
  'Expense: Donations': '4991',
  'Expense: Network Fees': '4992',
  'Expense: Other': '4993',
  'Expense: Payments': '4994',
  'Loss: Burned Deposits': '4995',
  'Loss: Burned Tokens': '4996',
  'Loss: Slashing': '4997',
  'Loss: Theft and Loss': '4998',
  'Income: Airdrops': '8990',
  'Income: Other': '8991',
  'Income: Staking Rewards': '8992',
  'Income: Validator Commission': '8993',
  'Realized Gain/Loss': '8994',
};

export const codeOf = (account: string): string | undefined =>
  CODES[account] ?? (account.startsWith('Digital Assets: ') ? CODES['Digital Assets'] : undefined);

/** Maximum length of a journal number in QuickBooks (error 2050). Entry ids may be longer. */
const JOURNAL_NUMBER_MAX = 21;

/** Maximum length of an account name in QuickBooks. A denom alone may be that long. */
const ACCOUNT_NAME_MAX = 100;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Returns a journal number that is the same in every export. It is the entry id. If the id is too long, it is the
 * block's height and part of the id's hash.
 */
function journalNumber({ entry: { height, entry_id } }: Side): string {
  if (entry_id.length <= JOURNAL_NUMBER_MAX) return entry_id;
  return `${height}-${hashOf(entry_id)}`.slice(0, JOURNAL_NUMBER_MAX);
}

/**
 * Returns the account name for QuickBooks. A sub-account follows a colon without a blank. A name that is too long is
 * cut and ends with part of its hash.
 */
function quickbooksName(account: string): string {
  const name = account.replaceAll(': ', ':').replaceAll('"', '');
  if (name.length <= ACCOUNT_NAME_MAX) return name;
  const end = `-${hashOf(name).slice(0, 12)}`;
  return name.slice(0, ACCOUNT_NAME_MAX - end.length) + end;
}

/** Format of QuickBooks Online, journal entry import. Lines with the same number form an entry, which must balance. */
const quickbooks = {
  description:
    `QuickBooks Online journal entries: two lines an entry in ${USUAL.currency.words}, MM/DD/YYYY; accounts as Parent:Sub; ` +
    'files of at most 1,000 lines; entries of 0.00 are left out; no byte order mark, because QuickBooks reads it as part of the first heading.',
  howTo: 'In QuickBooks Online, choose Import data in the settings, then Journal entries, and upload each file.',
  columns: [
    text('Journal No', journalNumber),
    text('Journal Date', ({ entry }) => entry.day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1')),
    text('Account Name', ({ account, mapped }) => mapped.get(account) ?? quickbooksName(account)),
    text('Description', ({ entry }) => `${describe(entry)}; ${entry.entry_id}`),
    decimal('Debits', (side) => (side.isDebit ? amountOf(side) : '')),
    decimal('Credits', (side) => (side.isDebit ? '' : amountOf(side))),
    text('Name', () => ''),
  ],
  linesMax: 1000,
} satisfies Table;

/**
 * Formats 2026-01-05 as 05 Jan 2026. Xero reads only this format in the same way in every region (help.xero.com,
 * ManualJournalsImport).
 */
const shownDay = (day: string) => new Date(day).toUTCString().slice('Mon, '.length, 'Mon, 05 Jan 2026'.length);

/**
 * Format of Xero, manual journal import. Lines with the same narration and date form a journal, which must balance.
 * Credits are negative.
 */
const xero = {
  description:
    `Xero manual journals: two lines an entry in ${USUAL.currency.words}, days as 05 Jan 2026, account codes; files of at most 300 ` +
    'lines, a tax rate (tax_rate); entries of 0.00 are left out; no byte order mark, because sources disagree whether Xero reads one.',
  howTo: 'In Xero, open Manual journals in the accounting menu, choose Import, and upload each file.',
  columns: [
    text('Narration', ({ entry }) => entry.entry_id),
    text('Date', ({ entry }) => shownDay(entry.day)),
    text('AccountCode', ({ account, mapped }) => codedAccount(account, mapped)),
    text('TaxRate', ({ taxRate }) => taxRate),
    text('Description', ({ entry }) => describe(entry)),
    decimal('Amount', (side) => (side.isDebit ? amountOf(side) : `-${amountOf(side)}`)),
  ],
  linesMax: 300,
} satisfies Table;

/** Format of DATEV, EXTF 700 (Buchungsstapel): a header, column headings, then one line per entry. */
const DATEV = {
  description:
    `DATEV Buchungsstapel (EXTF 700): one line an entry in ${USUAL.currency.words}, without a rate; semicolons, comma decimals, account numbers; ` +
    'one calendar year and at most 99,999 entries a file, which begins with a byte order mark.',
  howTo: 'In DATEV, import each file as a Buchungsstapel (ASCII import).',
};

/** DATEV accepts only file names with this prefix. */
const DATEV_NAME = 'EXTF_';

/** Maximum number of entries per file that DATEV reads, without header and headings. */
const DATEV_ENTRIES_MAX = 99_999;

const DATEV_HEADINGS = [
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

const DATEV_TEXT_MAX = { document: 36, posting: 60 };

const datevText = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replaceAll('"', '""')}"`;
const compact = (day: string) => day.replaceAll('-', '');
const datevCells = (cells: readonly string[]) => `${cells.join(';')}\r\n`;

interface Chart {
  readonly mapped: ReadonlyMap<string, string>;
  /**
   * Number of digits in general ledger account numbers. Numbers of customer and supplier accounts have one digit more.
   */
  readonly digits: number;
}

/**
 * Returns the chart of accounts. The length of the native coin's account number determines the length of all general
 * ledger account numbers.
 */
const chartOf = (mapped: ReadonlyMap<string, string>, symbol: string): Chart => ({
  mapped,
  digits: codedAccount(assetAccount(symbol), mapped).length,
});

const accountNumber = (account: string, { mapped, digits }: Chart) =>
  mapped.get(account) ?? codedAccount(account, mapped).padEnd(digits, '0');

function datevHead(first: string, last: string, made: string, { digits }: Chart): string {
  const header = [
    ...['"EXTF"', '700', '21', '"Buchungsstapel"', '13', `${made.replace(/\D/g, '').slice(0, 14).padEnd(17, '0')}`],
    // The fields for origin, exporter and importer are empty. 1001 and 1 are placeholders for the numbers of consultant
    // and client. The importing office replaces them.
    ...['', '""', '""', '""', '1001', '1', `${first.slice(0, 4)}0101`, `${digits}`, compact(first), compact(last)],
    ...['"hubledger"', '""', '1', '0', '0', `"${USUAL.currency.code}"`, '', '""', '', '', '""', '', '', '""', '""'],
  ];
  // Without the byte order mark, DATEV reads the file in code page 1252 (developer.datev.de, Zeichensatz).
  return BYTE_ORDER_MARK + datevCells(header) + datevCells(DATEV_HEADINGS);
}

/** Returns a line of the file. Returns '' if the amount is 0.00, which DATEV rejects, or if both accounts are equal. */
function datevLine(entry: Entry, chart: Chart): string {
  const [debit, credit] = [accountNumber(entry.debit_account, chart), accountNumber(entry.credit_account, chart)];
  if (entry.amount === 0n || debit === credit) return '';
  const [, month, day] = entry.day.split('-') as [string, string, string];
  return datevCells([
    ...[formatCents(entry.amount).replace('.', ','), '"S"', `"${USUAL.currency.code}"`, '', '', '""'],
    ...[debit, credit, '""', day + month],
    ...[
      datevText(entry.entry_id.slice(-DATEV_TEXT_MAX.document)),
      '""',
      '',
      datevText(describe(entry).replaceAll(';', ',').slice(0, DATEV_TEXT_MAX.posting)),
    ],
  ]);
}

const TABLES: Readonly<Record<string, Table>> = { quickbooks, xero };

export const LEDGERS = Object.entries({ ...TABLES, datev: DATEV, ...NOTATIONS }).map(
  ([profile, { description, howTo }]) => ({ profile, description, howTo }),
);

const PLAIN_TYPE = 'text/plain; charset=utf-8';

/** How a journal becomes one or several files of a program. */
interface Layout<Line> {
  readonly linesOf: (entry: Entry) => readonly Line[];
  /** Maximum number of lines per file, without headings. */
  readonly linesMax: number;
  readonly write: (lines: Iterable<Line>) => Iterable<string>;
  /** Start of the file name. */
  readonly prefix: string;
}

/**
 * Several wallets share one file, because they are one set of books.
 * @throws Problem for DATEV if the range spans more than one year, or if the requested part does not exist
 */
export function ledgerAnswer(stated: Stated, dataset: Dataset): Answer {
  const { profile, addresses, range } = stated;
  const notation = NOTATIONS[profile];
  const table = TABLES[profile];
  if (table) return layoutAnswer(tableLayout(table, stated), stated, dataset);
  if (!notation) return layoutAnswer(datevLayout(stated, dataset), stated, dataset);
  const fileName = fileNameOf(`journal-${profile}`, addresses, daysOf(stated, dataset), notation.extension);
  const coverage = dataset.coverageOf(range, addresses);
  return { chunks: plainText(notation, stated, dataset), type: PLAIN_TYPE, fileName, coverage };
}

const tableLayout = ({ columns, linesMax }: Table, stated: Stated): Layout<Side> => ({
  linesOf: (entry) => sidesOf(entry, stated),
  linesMax: linesMax - 1,
  write: (lines) => csvChunks(columns, lines),
  prefix: '',
});

function datevLayout(stated: Stated, dataset: Dataset): Layout<string> {
  const [first, last] = daysOf(stated, dataset);
  if (first.slice(0, 4) !== last.slice(0, 4)) {
    const message = `is for one calendar year a file: give a start and an end in one year, not ${first} to ${last}`;
    throw refusal(stated.source, [{ name: 'journal_profile', path: '', message }]);
  }
  const { rules } = dataset.reference;
  const chart = chartOf(stated.accounts, rules.denomination(rules.nativeDenom).symbol);
  function* write(lines: Iterable<string>) {
    yield datevHead(first, last, dataset.time, chart);
    yield* lines;
  }
  const linesOf = (entry: Entry) => [datevLine(entry, chart)].filter((line) => line !== '');
  return { linesOf, linesMax: DATEV_ENTRIES_MAX, write, prefix: DATEV_NAME };
}

/** Returns the requested part, or all parts: one file, or an archive if the journal is longer than a file. */
function layoutAnswer<Line>(layout: Layout<Line>, stated: Stated, dataset: Dataset): Answer {
  const { profile, addresses, range, source, part } = stated;
  const files = () => filesOf(layout, entriesOfRange(stated, dataset));
  const parts = countFiles(files());
  if (part !== undefined && part > parts) {
    const which = parts === 1 ? 'is one file' : `is ${parts} files: ask for part 1 to ${parts}`;
    throw refusal(source, [{ name: 'part', path: '', message: `the journal ${which}` }]);
  }
  const coverage = dataset.coverageOf(range, addresses);
  const nameWith = (extension: string, ...named: string[]) =>
    fileNameOf(`journal-${profile}`, addresses, [...daysOf(stated, dataset), ...named], extension);
  const nameOf = (number: number) =>
    layout.prefix + nameWith('csv', ...(parts > 1 ? [`part-${padded(number, parts)}-of-${parts}`] : []));
  function* archived() {
    let number = 0;
    for (const lines of files()) yield { name: nameOf(++number), chunks: layout.write(lines) };
  }
  if (parts > 1 && part === undefined)
    return { files: archived(), type: ARCHIVE_TYPE, time: dataset.time, fileName: nameWith('zip'), coverage, parts };
  const chunks = layout.write(fileAt(files(), part ?? 1));
  return { chunks, type: CSV_TYPE, fileName: nameOf(part ?? 1), coverage, parts };
}

/** Pads a number with zeros, so that files sorted by name are in order. */
const padded = (number: number, max: number) => String(number).padStart(String(max).length, '0');

/**
 * Yields the lines of each file; a journal without entries is one file. All lines of an entry are in the same file.
 * Each file must be read before the next.
 */
function* filesOf<Line>(
  { linesOf, linesMax }: Layout<Line>,
  entries: Iterable<Entry>,
): Generator<Iterable<Line>, void, undefined> {
  const rest = entries[Symbol.iterator]();
  let next = rest.next();
  function* file() {
    for (let left = linesMax; !next.done; next = rest.next()) {
      const lines = linesOf(next.value);
      left -= lines.length;
      if (left < 0) return;
      yield* lines;
    }
  }
  do yield file();
  while (!next.done);
}

function countFiles(files: Iterable<Iterable<unknown>>): number {
  let count = 0;
  for (const lines of files) {
    for (const _ of lines);
    count++;
  }
  return count;
}

function* fileAt<Line>(files: Iterable<Iterable<Line>>, part: number): Generator<Line, void, undefined> {
  let number = 0;
  for (const lines of files) {
    if (++number === part) return yield* lines;
    for (const _ of lines);
  }
}
