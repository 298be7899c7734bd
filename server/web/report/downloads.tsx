import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Catalog, CatalogFormat } from '../../../schemas/types.generated.js';
import { firstLines, get, isAbort, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { focusOn, goTo, Section } from '../parts.js';
import { country, taxYearBody } from '../state/country.js';
import { changedSince, filesUsed, findChanges, noteDownload } from '../state/downloads.js';
import { type Report, rowOf, undecided } from '../state/report.js';
import { openSends } from '../state/sends.js';
import { decide, ledgerBody, ownersStatements } from '../state/statements.js';
import { earlier, readableDay, readableMonth } from '../values/dates.js';
import { OwnSendsNotice } from './own-sends.js';
import { Gaps, indexDays, Missing, readyWords, Scroller, saveFile } from './parts.js';
import { openQuestion } from './settle/question.js';

export function Downloads({ shown }: { readonly shown: Report }) {
  const [failure, setFailure] = useState('');
  const [isMoreOpen, setMoreOpen] = useState(false);
  const find = () => {
    setFailure('');
    findOffered().catch((error) => setFailure(messageOf(error)));
  };
  useEffect(find, []);
  // Only the owner can decide about transfers. Without a decision, files leave the transfers out.
  const left = ownersStatements.value === '' ? undecided(shown) : [];
  const leaveOut = () => {
    decide(left.map(rowOf), { mode: 'exclude' });
    focusOn('downloads-title');
  };
  const rules = country.value;
  const [mine, files] = [offered.value.slice(0, MINE), offered.value.slice(MINE)];
  const importers = (rules ? offered.value : files).filter(({ path, profile }) => profile && path === PATHS.events);
  const books = files.filter(({ path, profile, format }) => (profile ? path !== PATHS.events : format === 'pdf'));
  const records = files.filter(({ profile, format }) => !profile && format !== 'pdf');
  const group = (title: string, about: string, list: readonly OfferedFile[], heading: 'h3' | 'h4' = 'h4') =>
    list.length > 0 && (
      <FileGroup
        {...{ heading, title, about, files: list, shown, isHeld: left.length > 0 }}
        isVisible={list === mine || list === PAPERS || list === TABLES || isMoreOpen}
      />
    );
  return (
    <Section id="downloads" title="Download" aside={<PrintButton />} isBusy={mine.length === 0 && failure === ''}>
      {failure && <Missing message={failure} tryAgain={find} />}
      {left.length > 0 && (
        <div class="notice">
          <p>
            {left.length === 1
              ? 'One suspicious incoming transfer needs'
              : `${left.length} suspicious incoming transfers need`}{' '}
            your decision before you can download files.
          </p>
          <div class="choices">
            <button type="button" class="button small" onClick={leaveOut}>
              {left.length === 1 ? 'Leave it out' : `Leave all ${left.length} out`}
            </button>
            <button type="button" class="quiet small" onClick={() => goTo('settle-title')}>
              Review them first
            </button>
          </div>
        </div>
      )}
      <Gaps shown={shown} />
      <ChangedSince addresses={shown.query.addresses} />
      {left.length === 0 && <Ready sales={openSends(shown)} />}
      {rules && (
        <>
          {shown.taxYear && group(`Your tax year: ${rules.name}`, 'The paper for your return.', PAPERS, 'h3')}
          {shown.taxYear && group('As tables', 'The same year as CSV files.', TABLES, 'h3')}
          {importers.length > 0 && (
            <MoreFiles title="Tax programs" about="Koinly, CoinTracker and others" setOpen={setMoreOpen}>
              {group('For your tax program', 'Choose yours: it imports the file as it is.', importers)}
            </MoreFiles>
          )}
        </>
      )}
      {!rules &&
        group(
          'Your files',
          'Most people need these three. Next time, the files that you downloaded last are here.',
          mine,
          'h3',
        )}
      {!rules && files.length > 0 && (
        <MoreFiles title="More formats" about="Other tax programs, bookkeeping, all records" setOpen={setMoreOpen}>
          {group('For your tax program', 'Choose yours: it imports the file as it is.', importers)}
          {group('For your return or accountant', 'Form 8949 as a table, and files for bookkeeping programs.', books)}
          {group('All records', 'Every transaction, journal entry, lot and total, as CSV with all columns.', records)}
        </MoreFiles>
      )}
      <p class="fine screen">
        <a href="/docs/files">What each file contains</a>. For analysts:{' '}
        <a href="/datasets/cosmoshub/manifest.json">all published tables as Parquet</a> (of every wallet).
      </p>
    </Section>
  );
}

interface MoreFilesProps {
  readonly title: string;
  readonly about: string;
  readonly setOpen: (isOpen: boolean) => void;
  readonly children: ComponentChildren;
}

/** Files that most people do not need. */
const MoreFiles = ({ title, about, setOpen, children }: MoreFilesProps) => (
  <details class="question" id="more-formats" onToggle={(event) => setOpen(event.currentTarget.open)}>
    <summary>
      <h3>{title}</h3>
      <span class="fine">{about}</span>
    </summary>
    <div class="groups">{children}</div>
  </details>
);

/** Names the closed months whose amounts have changed since the user's last download. */
function ChangedSince({ addresses }: { readonly addresses: readonly string[] }) {
  const wallets = addresses.join(',');
  useEffect(() => {
    // An error is ignored, because downloads work without this notice.
    findChanges(wallets.split(',')).catch(() => {});
  }, [wallets]);
  const found = changedSince.value;
  if (!found) return null;
  const changes = found.months.map(
    ({ month, figures }) => `${figures} ${figures === 1 ? 'figure' : 'figures'} of ${readableMonth(month)}`,
  );
  return (
    <p class="notice" id="changed-since">
      Since you downloaded files on {readableDay(found.day)}, {changes.join(', ')} changed. Download again.
    </p>
  );
}

/** Shows that the files are ready, or how many sends still count as sales because they have no answer. */
const Ready = ({ sales }: { readonly sales: number }) => (
  <p class={sales > 0 ? 'notice' : 'fine'} id="ready">
    {readyWords(sales)}{' '}
    {sales > 0 && (
      <button type="button" class="link" onClick={() => openQuestion('sends')}>
        Say what they were
      </button>
    )}
  </p>
);

const PrintButton = () => (
  <button type="button" class="quiet small" onClick={() => print()}>
    Print, or save as PDF
  </button>
);

interface FileGroupProps {
  readonly heading: 'h3' | 'h4';
  readonly title: string;
  readonly about: string;
  readonly files: readonly OfferedFile[];
  readonly shown: Report;
  readonly isHeld: boolean;
  /** False if the group is folded. Its files then load nothing. */
  readonly isVisible: boolean;
}

const FileGroup = ({ heading: Heading, title, about, files, shown, isHeld, isVisible }: FileGroupProps) => (
  <div class="group">
    <Heading>{title}</Heading>
    <p>{about}</p>
    <ul>
      {files.map((file) => (
        <li key={keyOf(file)}>
          <FileLine {...{ file, shown, isHeld, isVisible }} />
        </li>
      ))}
    </ul>
  </div>
);

/** Titles and descriptions of files, by key (see keyOf). */
const ABOUT: Readonly<Record<string, readonly [title: string, about: string]>> = {
  form8949: ['Form 8949, table', 'Your sales line by line, as CSV'],
  'form8949.pdf': ['Form 8949, PDF', 'Your sales line by line, for a US tax return'],
  events: ['Transactions', 'One line per event'],
  journal: ['Journal', 'Debit and credit, entry by entry'],
  positions: ['Positions', 'Your holdings, with cost and value'],
  summary: ['Summary', 'The figures of this page'],
  'summary.pdf': ['Year summary, PDF', 'One page for your records or accountant'],
  'tax-year.pdf': ['Tax year, PDF', 'The lines of the form, and where each figure comes from'],
  'tax-year-income': ['Income', 'One line for each kind'],
  'tax-year-disposals': ['Disposals', 'Line by line, with cost and gain'],
  'tax-year-holdings': ['Holdings at the end of the year', 'One line for each coin'],
};

/** Returns the file's profile, or the last segment of its path. Appends the format unless it is CSV. */
function keyOf({ path, profile, format, section }: OfferedFile): string {
  const layout = [profile || path.replace(/^.*\//, ''), section].filter(Boolean).join('-');
  return format === 'csv' ? layout : `${layout}.${format}`;
}

/**
 * Returns title and description. The API's descriptions start with the program's name, as in 'TurboTax, universal CSV:
 * times in UTC'.
 */
const namesOf = (file: OfferedFile): readonly [title: string, about: string] =>
  ABOUT[keyOf(file)] ?? [file.description.split(/[,:]/, 1)[0]!, ''];

interface FileLineProps extends Pick<FileGroupProps, 'shown' | 'isHeld' | 'isVisible'> {
  readonly file: OfferedFile;
}

function FileLine({ file, shown, isHeld, isVisible }: FileLineProps) {
  const [isBusy, setBusy] = useState(false);
  const [news, setNews] = useState('');
  const [title, about] = namesOf(file);
  const take = async () => {
    if (isBusy) return;
    setBusy(true);
    setNews('');
    try {
      setNews(`Saved as ${await saveFile(file.path, bodyOf(file, shown))}`);
      noteDownload(shown.query.addresses, keyOf(file));
    } catch (error) {
      setNews(messageOf(error));
    }
    setBusy(false);
  };
  // Clears the message, because a new answer or choice makes the downloaded file outdated.
  useEffect(() => setNews(''), [shown, eachFee.value]);
  return (
    <div class="file">
      <span>
        {title}
        <small role="status">{news || about || contentOf(file, shown)}</small>
      </span>
      <button type="button" class="quiet small" disabled={isHeld} onClick={take}>
        {isBusy ? 'Making…' : 'Download'}
        <span class="whole"> {title}</span>
      </button>
      {file.profile === FORM && <FeeChoice title={title} />}
      {file.counts_unmatched_sends_as_sold && isVisible && (
        <OwnSendsNotice profile={file.profile} program={title} shown={shown} />
      )}
      {file.format !== 'pdf' && <Preview file={file} title={title} shown={shown} />}
    </div>
  );
}

/** Whether Form 8949 has one line for each network fee, instead of monthly sums. */
const eachFee = signal(false);

const FeeChoice = ({ title }: { readonly title: string }) => (
  <label class="fine fee-choice">
    <input
      type="checkbox"
      checked={eachFee.value}
      onChange={({ currentTarget }) => (eachFee.value = currentTarget.checked)}
    />{' '}
    One line for each network fee, instead of monthly sums<span class="whole">: {title}</span>
  </label>
);

const PREVIEW_LINES = 5;

function Preview({ file, title, shown }: Omit<FileLineProps, 'isHeld' | 'isVisible'> & { readonly title: string }) {
  const [isOpen, setOpen] = useState(false);
  const [lines, setLines] = useState<string>();
  useEffect(() => {
    if (!isOpen) return;
    const abort = new AbortController();
    setLines(undefined);
    firstLines(file.path, firstFile(file, shown), 1 + PREVIEW_LINES, abort.signal).then(
      setLines,
      (error) => isAbort(error) || setLines(messageOf(error)),
    );
    return () => abort.abort();
  }, [isOpen, shown, eachFee.value]);
  return (
    <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {file.how_to_import ? 'Preview, and how to import it' : 'Preview'}
        <span class="whole">: {title}</span>
      </summary>
      {isOpen && (
        <div class="how-text" aria-busy={lines === undefined}>
          {file.how_to_import && (
            <p>
              {stepsBefore(file, title, shown)}
              {file.how_to_import}
              {file.path === PATHS.events && ' Do not also connect the wallet there: everything would count twice.'}
            </p>
          )}
          <Scroller label={`First lines of ${title}`}>
            <pre>{lines ?? 'Loading…'}</pre>
          </Scroller>
        </div>
      )}
    </details>
  );
}

/** A file that the API offers, from its catalog. */
interface OfferedFile extends CatalogFormat {
  readonly path: string;
  /** Part of a tax year. */
  readonly section?: string;
}

/** Paths whose requests contain wallets and a period. */
const OF_WALLETS: readonly string[] = [PATHS.events, PATHS.journal, PATHS.positions, PATHS.summary];

const FORM = 'form8949';

/** Describes a file of a country's tax year. */
const ofYear = (file: Pick<OfferedFile, 'format' | 'section'>): OfferedFile => ({
  ...{ path: PATHS.taxYear, paths: [PATHS.taxYear], profile: '', description: '', how_to_import: '' },
  ...{ counts_unmatched_sends_as_sold: false, archive_of: '' },
  ...file,
});
const PAPERS: readonly OfferedFile[] = [ofYear({ format: 'pdf' })];
const TABLES: readonly OfferedFile[] = ['income', 'disposals', 'holdings'].map((section) =>
  ofYear({ format: 'csv', section }),
);

/** Number of files at the top of the list: files that the user downloaded last, then files that most taxpayers need. */
const MINE = 3;
const LIKELY = [`${FORM}.pdf`, 'summary.pdf', 'koinly'];

const offered = signal<readonly OfferedFile[]>([]);

async function findOffered(): Promise<void> {
  if (offered.peek().length > 0) return;
  const { export_formats } = await get<Catalog>(PATHS.catalog);
  const files = export_formats.filter(({ format }) => format !== 'json').flatMap(filesOf);
  const keys = [...new Set([...filesUsed(), ...LIKELY])];
  const mine = keys.flatMap((key) => files.filter((file) => keyOf(file) === key)).slice(0, MINE);
  offered.value = [...mine, ...files.filter((file) => !mine.includes(file))];
}

const filesOf = (format: CatalogFormat): OfferedFile[] =>
  OF_WALLETS.filter((path) => format.paths.includes(path)).flatMap((path) => {
    const file = { ...format, path };
    return format.profile === FORM ? [file, { ...file, format: 'pdf' }] : [file];
  });

/** Returns true if the download is an archive with one file for each wallet. */
const hasFileEach = ({ archive_of }: OfferedFile, { query }: Report): boolean =>
  archive_of === 'wallets' && query.addresses.length > 1;

const contentOf = (file: OfferedFile, shown: Report): string =>
  hasFileEach(file, shown) ? `An archive: one file for each of your ${shown.query.addresses.length} wallets` : '';

/** Returns the steps that unpack an archive. @param title name of the program */
function stepsBefore(file: OfferedFile, title: string, shown: Report): string {
  if (hasFileEach(file, shown))
    return `Unpack the archive: it has one file for each of your ${shown.query.addresses.length} wallets. Add one wallet in ${title} for each file. `;
  return file.archive_of === 'parts'
    ? 'A long journal is an archive of several files: unpack it, and import each. '
    : '';
}

/** Returns the request body for the first file of an archive, or for the file. */
function firstFile(file: OfferedFile, shown: Report): object {
  const { query } = shown;
  if (hasFileEach(file, shown))
    return bodyOf(file, { ...shown, query: { ...query, addresses: query.addresses.slice(0, 1) } });
  return { ...bodyOf(file, shown), ...(file.archive_of === 'parts' && { part: 1 }) };
}

/** Returns the request body for a file, including all statements of the user. */
function bodyOf(file: OfferedFile, shown: Report): object {
  if (file.path === PATHS.taxYear) {
    const { format, section } = file;
    return { ...taxYearBody(shown.query, shown.stated), format, ...(section && { section }) };
  }
  const { openingLots, ...body } = ledgerBody(shown.query, shown.stated);
  return {
    ...body,
    // Files of a country's page contain no lots. Costs in another currency need rates of days before the index.
    ...(!country.value && openingLots !== undefined && { openingLots }),
    ...(file.path === PATHS.positions && { date: earlier(shown.query.end, indexDays(shown)[1]) }),
    format: file.format,
    ...(file.profile && { profile: file.profile }),
    ...(file.profile === FORM && { fees: eachFee.value ? 'each' : 'monthly' }),
  };
}
