/** Files of one use. */
import { useState } from 'preact/hooks';
import { messageOf } from '../../api/client.js';
import { download, type OfferedFile } from '../../state/downloads.js';
import type { Report } from '../../state/report.js';

interface FileGroupProps {
  readonly title: string;
  readonly about: string;
  readonly files: readonly OfferedFile[];
  readonly shown: Report;
  /** Whether something has to be decided first. */
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

/** Contents of files, by their layout or the last word of their path and, but for CSV, their format. */
const ABOUT: Readonly<Record<string, readonly [title: string, about: string]>> = {
  form8949: ['Form 8949', 'Sales line by line, for a US return'],
  'form8949.pdf': ['Form 8949, PDF', 'The same, to print'],
  events: ['Rows', 'One line an event'],
  journal: ['Journal', 'Debit and credit, entry by entry'],
  positions: ['Positions', 'What is left, with cost and worth'],
  summary: ['Summary', 'The figures of this page'],
};

function namesOf({ path, profile, format, description }: OfferedFile): readonly [title: string, about: string] {
  const layout = profile || path.replace(/^.*\//, '');
  // Descriptions begin with the name as people know it: 'TurboTax, universal CSV: times in UTC'.
  return ABOUT[format === 'csv' ? layout : `${layout}.${format}`] ?? [description.split(/[,:]/, 1)[0]!, ''];
}

interface FileLineProps {
  readonly file: OfferedFile;
  readonly shown: Report;
  readonly isHeld: boolean;
}

function FileLine({ file, shown, isHeld }: FileLineProps) {
  const [state, setState] = useState<'' | 'busy' | 'done'>('');
  const [failure, setFailure] = useState('');
  const [title, about] = namesOf(file);
  const take = async () => {
    setState('busy');
    setFailure('');
    try {
      await download(file, shown);
      setState('done');
    } catch (error) {
      setFailure(messageOf(error));
      setState('');
    }
  };
  return (
    <div class="file">
      <span>
        {title}
        <small>{failure || about}</small>
      </span>
      <button type="button" class="quiet small" disabled={isHeld || state === 'busy'} onClick={take}>
        {state === 'busy' ? 'Making…' : state === 'done' ? 'Done' : 'Download'}
        <span class="whole"> {title}</span>
      </button>
    </div>
  );
}
