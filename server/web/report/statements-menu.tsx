/** Lets the user save all answers as a file, or share them with an accountant as a link. */
import { useState } from 'preact/hooks';
import { leaveOwnersStatements, linkFault, linkWith, type ReportQuery } from '../state/query.js';
import type { Report } from '../state/report.js';
import { addStatements, hasStatements, ownersStatements, statementsAbout } from '../state/statements.js';
import { packedStatements, statementsFile, statementsIn } from '../state/statements-file.js';
import { saveBlob } from './parts.js';

const FAULTS = {
  damaged: 'The answers in this link cannot be read, so they do not count here. Perhaps a part of the link is missing.',
  'too long': 'The answers in this link are longer than 4 MiB, so they do not count here. Ask its sender for a file.',
};

/** Shows below the title whose answers the report uses: the user's own, or the wallet owner's from a link. */
export function StatementsLine({ shown: { query, stated } }: { readonly shown: Report }) {
  if (ownersStatements.value !== '') {
    return (
      <p class="notice" role="note" id="owners-answers">
        <strong>Answered by the owner.</strong> These figures include the answers in the link that you opened. You can
        read and download them, but not change them.{' '}
        <button type="button" class="link" onClick={() => leaveOwnersStatements(query)}>
          Use my own answers
        </button>
      </p>
    );
  }
  return (
    <>
      {linkFault.value && (
        <p class="notice bad" role="alert">
          {FAULTS[linkFault.value]}
        </p>
      )}
      {hasStatements(statementsAbout(query.addresses, stated)) && (
        <p class="fine">These figures include your answers.</p>
      )}
    </>
  );
}

export function StatementsMenu({ query }: { readonly query: ReportQuery }) {
  const [news, setNews] = useState('');
  const [link, setLink] = useState('');
  const open = async (input: HTMLInputElement) => {
    const file = input.files?.[0];
    input.value = ''; // allows the user to open the same file again
    const answers = file && statementsIn(await file.text());
    if (answers) addStatements(answers);
    if (file) setNews(answers ? `The answers of ${file.name} are added.` : `${file.name} contains no answers.`);
  };
  const copy = async () => {
    const made = linkWith(query, await packedStatements(query.addresses));
    setLink(made);
    const isCopied = await navigator.clipboard?.writeText(made).then(
      () => true,
      () => false,
    );
    setNews(isCopied ? 'The link is copied.' : 'Copy this link:');
  };
  return (
    <div class="answers-menu screen">
      <h3>Your answers</h3>
      <p class="fine">
        Keep them in a file, or send them to your accountant. The link contains your wallets and answers: whoever has it
        sees this report. When the link is opened, this server gets them only to calculate the figures, and stores none.
        A message that you send may be stored.
      </p>
      <div class="choices">
        <button
          type="button"
          class="quiet small"
          onClick={() => setNews(`Saved as ${saveBlob(statementsFile(query.addresses), 'hubledger-answers.json')}.`)}
        >
          Save to a file
        </button>
        <label class="quiet small">
          Open from a file
          <input
            type="file"
            class="whole"
            accept="application/json,.json"
            onChange={(event) => void open(event.currentTarget)}
          />
        </label>
        <button type="button" class="quiet small" onClick={copy}>
          Copy link for my accountant
        </button>
      </div>
      <p class="fine" role="status">
        {news}
      </p>
      {link && <input id="answers-link" aria-label="Link for my accountant" readOnly value={link} />}
    </div>
  );
}
