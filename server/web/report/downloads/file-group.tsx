import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../api/client.js';
import { download, type OfferedFile } from '../../state/downloads.js';
import type { Report } from '../../state/report.js';

interface FileGroupProps {
  readonly title: string;
  readonly about: string;
  readonly files: readonly OfferedFile[];
  readonly shown: Report;
  /** Whether questions must be answered before the download. */
  readonly isHeld: boolean;
}

export const FileGroup = ({ title, about, files, shown, isHeld }: FileGroupProps) => (
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

/** Titles and descriptions, keyed by profile or last path segment; other formats than CSV add an extension. */
const ABOUT: Readonly<Record<string, readonly [title: string, about: string]>> = {
  form8949: ['Form 8949', 'Sales line by line, for a US tax return'],
  'form8949.pdf': ['Form 8949, PDF', 'The same, for printing'],
  events: ['Transactions', 'One line per event'],
  journal: ['Journal', 'Debit and credit, entry by entry'],
  positions: ['Positions', 'Your holdings, with cost and value'],
  summary: ['Summary', 'The figures of this page'],
};

function namesOf({ path, profile, format, description }: OfferedFile): readonly [title: string, about: string] {
  const layout = profile || path.replace(/^.*\//, '');
  // Descriptions begin with the program's name: 'TurboTax, universal CSV: times in UTC'.
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
      setNews(`Saved as ${await download(file, shown)}`);
    } catch (error) {
      setNews(messageOf(error));
    }
    setBusy(false);
  };
  // After a new answer the downloaded file is stale.
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
