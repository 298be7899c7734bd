/** Lists the corrections of public data that the user has proposed, and the result of each review. */
import { useState } from 'preact/hooks';
import type {
  Submission,
  Submissions as SubmissionList,
  NewSubmission as Wanted,
} from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section } from '../parts.js';
import { Confirmed, Entries, Entry, Failure, Folded, useAccountList, When } from './parts.js';

const STATES: Readonly<Record<Submission['status'], string>> = {
  received: 'waiting for review',
  accepted: 'accepted',
  rejected: 'not accepted',
};

export function Submissions() {
  const { list, isBusy, failure, change, remove } = useAccountList<SubmissionList>(PATHS.submissions);
  const end = ({ id }: Submission) => remove(() => send('DELETE', `${PATHS.submissions}/${id}`), 'submissions');
  return (
    <Section id="submissions" title="Proposed corrections" isBusy={isBusy}>
      <p class="lead">
        If this service has the wrong country of a validator or a wrong description of a contract, tell us. We check
        your source before anything changes.
      </p>
      <Failure text={failure} />
      {list?.submissions.length === 0 && <p class="fine">You have not proposed any corrections.</p>}
      <Entries label="Corrections">
        {list?.submissions.map((submission) => (
          <Entry
            key={submission.id}
            title={KINDS[submission.kind].title}
            mark={STATES[submission.status]}
            facts={[submission.contract_address, submission.note, <Dates key="dates" of={submission} />]}
            buttons={<Removal of={submission} act={() => end(submission)} />}
          />
        ))}
      </Entries>
      <NewSubmission
        save={async (wanted) => (await change(() => send<Submission>('POST', PATHS.submissions, wanted))) !== undefined}
      />
    </Section>
  );
}

const Dates = ({ of: { submitted_at, reviewed_at } }: { readonly of: Submission }) => (
  <>
    Sent on <When value={submitted_at} />
    {reviewed_at && (
      <>
        , reviewed on <When value={reviewed_at} />
      </>
    )}
    .
  </>
);

function Removal({ of, act }: { readonly of: Submission; readonly act: () => unknown }) {
  const name = `the correction about ${of.contract_address}`;
  if (of.status === 'received') {
    return (
      <Confirmed text="Withdraw" of={name} question="Withdraw this correction?" yes="Withdraw it" act={act}>
        <p>It will not be reviewed, and your text is deleted.</p>
      </Confirmed>
    );
  }
  return (
    <Confirmed text="Delete" of={name} question="Delete this correction?" yes="Delete it" act={act}>
      <p>
        Your text is deleted from your account.{' '}
        {of.status === 'accepted' && 'The accepted correction stays in the public data, without your account.'}
      </p>
    </Confirmed>
  );
}

const KINDS: Readonly<Record<Wanted['kind'], { title: string; address: string; note: string }>> = {
  validator_jurisdiction: {
    title: 'Country of a validator',
    address: 'Operator address of the validator, cosmosvaloper1…',
    note: 'Name the country, and give an https link to the validator’s own statement.',
  },
  contract_label: {
    title: 'Description of a contract',
    address: 'Address of the contract, cosmos1…',
    note: 'Describe what the contract does, and give an https link to a source.',
  },
};

function NewSubmission({ save }: { readonly save: (wanted: Wanted) => Promise<boolean> }) {
  const [kind, setKind] = useState<Wanted['kind']>('validator_jurisdiction');
  const [address, setAddress] = useState('');
  const [note, setNote] = useState('');
  const isReady = address.trim() !== '' && note.trim() !== '';
  const submit = async () => {
    if (!isReady || !(await save({ kind, contract_address: address.trim(), note: note.trim() }))) return;
    setAddress('');
    setNote('');
  };
  return (
    <Folded title="Propose a correction" submit={submit}>
      <div class="field">
        <label for="submission-kind">It is about</label>
        <select
          id="submission-kind"
          value={kind}
          onChange={({ currentTarget }) => setKind(currentTarget.value as Wanted['kind'])}
        >
          {Object.entries(KINDS).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="submission-address">{KINDS[kind].address}</label>
        <input
          id="submission-address"
          maxLength={90}
          autocomplete="off"
          spellcheck={false}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="submission-note">Correct information</label>
        <textarea
          id="submission-note"
          rows={4}
          maxLength={2000}
          value={note}
          aria-describedby="submission-note-hint"
          onInput={(event) => setNote(event.currentTarget.value)}
        />
        <p id="submission-note-hint" class="hint">
          {KINDS[kind].note}
        </p>
      </div>
      <p>
        <button type="submit" class="button small" disabled={!isReady}>
          Send it
        </button>
      </p>
    </Folded>
  );
}
