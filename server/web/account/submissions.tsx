/** Corrections of public data that the account has proposed, with their review state. */
import type { Submission, Submissions as SubmissionList } from '../../../schemas/types.generated.js';
import { send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section } from '../parts/section.js';
import { KINDS, NewSubmission } from './new-submission.js';
import { Confirmed } from './parts/confirmed.js';
import { Entries, Entry } from './parts/entries.js';
import { Failure } from './parts/failure.js';
import { useAccountList } from './parts/use-own.js';
import { When } from './parts/when.js';

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
