import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Catalog, CatalogFormat } from '../../../schemas/types.generated.js';
import { get, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { focusOn, goTo, Section } from '../parts.js';
import { changedSince, findChanges, noteDownload } from '../state/downloads.js';
import { type Report, rowOf, undecided } from '../state/report.js';
import { openSends } from '../state/sends.js';
import { decide, ledgerBody, ownersAnswers } from '../state/statements.js';
import { earlier, readableDay, readableMonth } from '../values/dates.js';
import { Missing, PartlyRecorded, readyWords, saveFile, saveParts } from './parts.js';
import { openQuestion } from './settle/question.js';

export function Downloads({ shown }: { readonly shown: Report }) {
  const [failure, setFailure] = useState('');
  const find = () => {
    setFailure('');
    findOffered().catch((error) => setFailure(messageOf(error)));
  };
  useEffect(find, []);
  // A reader of the owner's answers cannot decide. Undecided transfers are left out of the files.
  const left = ownersAnswers.value === '' ? undecided(shown) : [];
  const leaveOut = () => {
    decide(left.map(rowOf), { mode: 'exclude' });
    focusOn('downloads-title');
  };
  const files = offered.value;
  const importers = files.filter(({ path, profile }) => profile && path === PATHS.events);
  const books = files.filter(({ path, profile, format }) => (profile ? path !== PATHS.events : format === 'pdf'));
  const records = files.filter(({ profile, format }) => !profile && format !== 'pdf');
  const group = (title: string, about: string, list: readonly OfferedFile[]) =>
    list.length > 0 && <FileGroup title={title} about={about} files={list} shown={shown} isHeld={left.length > 0} />;
  return (
    <Section id="downloads" title="Download" aside={<PrintButton />} isBusy={files.length === 0 && failure === ''}>
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
      <PartlyRecorded shown={shown} />
      <ChangedSince addresses={shown.asked.addresses} />
      {left.length === 0 && <Ready sales={openSends(shown)} />}
      <div class="groups">
        {group('For your tax program', 'Choose yours: it imports the file as it is.', importers)}
        {group(
          'For your return or accountant',
          'Form 8949 is part of a US tax return. The year summary is one page. The other files are for bookkeeping programs.',
          books,
        )}
        {group('All records', 'Every transaction, journal entry, lot and total, as CSV with all columns.', records)}
      </div>
      <p class="fine screen">
        <a href="/docs/files">What each file contains</a>. For analysts:{' '}
        <a href="/datasets/cosmoshub/manifest.json">all published tables as Parquet</a> (of every wallet).
      </p>
    </Section>
  );
}

/** Names the closed months that have changed since the last download. */
function ChangedSince({ addresses }: { readonly addresses: readonly string[] }) {
  const wallets = addresses.join(',');
  useEffect(() => {
    // Without the answer, the downloads are still right.
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

/** Says whether files are ready, or how many sends still count as sales. */
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
  readonly title: string;
  readonly about: string;
  readonly files: readonly OfferedFile[];
  readonly shown: Report;
  readonly isHeld: boolean;
}

const FileGroup = ({ title, about, files, shown, isHeld }: FileGroupProps) => (
  <div class="group">
    <h3>{title}</h3>
    <p>{about}</p>
    <ul>
      {files.map((file) => (
        <li key={`${file.path} ${file.profile} ${file.format}`}>
          <FileLine file={file} shown={shown} isHeld={isHeld} />
        </li>
      ))}
    </ul>
  </div>
);

/** Titles and descriptions of files, by profile or last path segment. Formats other than CSV append their extension. */
const ABOUT: Readonly<Record<string, readonly [title: string, about: string]>> = {
  form8949: ['Form 8949', 'Sales line by line, for a US tax return'],
  'form8949.pdf': ['Form 8949, PDF', 'The same, for printing'],
  events: ['Transactions', 'One line per event'],
  journal: ['Journal', 'Debit and credit, entry by entry'],
  positions: ['Positions', 'Your holdings, with cost and value'],
  summary: ['Summary', 'The figures of this page'],
  'summary.pdf': ['Year summary, PDF', 'One page for your records or accountant'],
};

function namesOf({ path, profile, format, description }: OfferedFile): readonly [title: string, about: string] {
  const layout = profile || path.replace(/^.*\//, '');
  // Descriptions start with the program's name, such as 'TurboTax, universal CSV: times in UTC'.
  return ABOUT[format === 'csv' ? layout : `${layout}.${format}`] ?? [description.split(/[,:]/, 1)[0]!, ''];
}

interface FileLineProps {
  readonly file: OfferedFile;
  readonly shown: Report;
  readonly isHeld: boolean;
}

function FileLine({ file, shown, isHeld }: FileLineProps) {
  const [isBusy, setBusy] = useState(false);
  const [news, setNews] = useState('');
  const [title, about] = namesOf(file);
  const take = async () => {
    if (isBusy) return;
    setBusy(true);
    setNews('');
    try {
      const saved = file.profile === XERO ? saveParts : saveFile;
      setNews(`Saved as ${await saved(file.path, bodyOf(file, shown))}`);
      noteDownload(shown.asked.addresses);
    } catch (error) {
      setNews(messageOf(error));
    }
    setBusy(false);
  };
  // A new answer makes the downloaded file outdated.
  useEffect(() => setNews(''), [shown]);
  return (
    <div class="file">
      <span>
        {title}
        <small role="status">{news || about}</small>
      </span>
      <button type="button" class="quiet small" disabled={isHeld} onClick={take}>
        {isBusy ? 'Making…' : 'Download'}
        <span class="whole"> {title}</span>
      </button>
    </div>
  );
}

/** A file that the API offers, from its catalog. */
interface OfferedFile {
  readonly path: string;
  readonly format: string;
  readonly profile: string;
  readonly description: string;
}

/** Paths whose requests contain wallets and days. */
const OF_WALLETS: readonly string[] = [PATHS.events, PATHS.journal, PATHS.positions, PATHS.summary];

const FORM = 'form8949';

/** Xero imports at most 300 lines of a file, so a journal may be several files. */
const XERO = 'xero';

const offered = signal<readonly OfferedFile[]>([]);

async function findOffered(): Promise<void> {
  if (offered.peek().length > 0) return;
  const { export_formats } = await get<Catalog>(PATHS.catalog);
  const files = export_formats.filter(({ format }) => format !== 'json').flatMap(filesOf);
  // Form 8949 comes first, because most users look for it.
  offered.value = [
    ...files.filter(({ profile }) => profile === FORM),
    ...files.filter(({ profile }) => profile !== FORM),
  ];
}

const filesOf = ({ format, profile, paths, description }: CatalogFormat): OfferedFile[] =>
  OF_WALLETS.filter((path) => paths.includes(path)).flatMap((path) => {
    const file = { path, format, profile, description };
    return profile === FORM ? [file, { ...file, format: 'pdf' }] : [file];
  });

/** Returns the request body for a file, with all statements of the user. */
function bodyOf(file: OfferedFile, { asked, stated, summary }: Report): object {
  return {
    ...ledgerBody(asked, stated),
    ...(file.path === PATHS.positions && { date: earlier(asked.end, summary.coverage.index_end) }),
    format: file.format,
    ...(file.profile && { profile: file.profile }),
  };
}
