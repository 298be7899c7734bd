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
        <li key={`${file.path} ${file.profile}`}>
          <FileLine file={file} shown={shown} isHeld={isHeld} />
        </li>
      ))}
    </ul>
  </div>
);

/** Contents of the answers in the API's own layout, by the last word of their path. */
const RECORDS: Readonly<Record<string, readonly [title: string, about: string]>> = {
  events: ['Rows', 'One line an event'],
  journal: ['Journal', 'Debit and credit, entry by entry'],
  positions: ['Positions', 'What is left, with cost and worth'],
  summary: ['Summary', 'The figures of this page'],
};

interface FileLineProps {
  readonly file: OfferedFile;
  readonly shown: Report;
  readonly isHeld: boolean;
}

function FileLine({ file, shown, isHeld }: FileLineProps) {
  const [state, setState] = useState<'' | 'busy' | 'done'>('');
  const [failure, setFailure] = useState('');
  const own = RECORDS[file.path.replace(/^.*\//, '')];
  const [title, about] = file.profile ? namedBy(file.description) : (own ?? namedBy(file.description));
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
        {state === 'busy' ? 'Making…' : state === 'done' ? 'Taken' : 'Download'}
        <span class="whole"> {title}</span>
      </button>
    </div>
  );
}

/** 'TurboTax, universal CSV: times in UTC' → 'TurboTax' and the rest: descriptions begin with the name as people know it. */
function namedBy(description: string): readonly [title: string, about: string] {
  const [title = description] = description.split(/[,:]/, 1);
  return [title, description.slice(title.length + 1).trim()];
}
