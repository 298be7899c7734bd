/** Downloads: files for tax programs and bookkeepers, and the raw records. */
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import { focusOn, goTo } from '../../parts/go-to.js';
import { Missing } from '../../parts/missing.js';
import { Section } from '../../parts/section.js';
import { findOffered, type OfferedFile, offered } from '../../state/downloads.js';
import { type Report, rowOf, undecided } from '../../state/report.js';
import { decide } from '../../state/statements.js';
import { FileGroup } from './file-group.js';

export function Downloads({ shown }: { readonly shown: Report }) {
  const [failure, setFailure] = useState('');
  const find = () => {
    setFailure('');
    findOffered().catch((error) => setFailure(messageOf(error)));
  };
  useEffect(find, []);
  const left = undecided(shown);
  const leaveOut = () => {
    decide(left.map(rowOf), { mode: 'exclude' });
    focusOn('downloads-title');
  };
  const files = offered.value;
  const importers = files.filter(({ path, profile }) => profile && path === PATHS.events);
  const books = files.filter(({ path, profile }) => profile && path !== PATHS.events);
  const records = files.filter(({ profile }) => !profile);
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
      <div class="groups">
        {group('For your tax program', 'Choose yours: it imports the file as it is.', importers)}
        {group(
          'For your return or accountant',
          'Form 8949 is part of a US tax return; the other files are for bookkeeping programs.',
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

const PrintButton = () => (
  <button type="button" class="quiet small" onClick={() => print()}>
    Print, or save as PDF
  </button>
);
