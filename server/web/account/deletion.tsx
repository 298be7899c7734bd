/** Deletes the account. The form lists what is lost and asks for a typed confirmation. */
import { useState } from 'preact/hooks';
import { messageOf, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { Section } from '../parts/section.js';
import { forgetAccount } from '../state/account.js';
import { forgetStatements } from '../state/statements.js';
import { Failure } from './parts/failure.js';
import { Folded } from './parts/folded.js';

const WORD = 'delete';

/** @param done called after the account is deleted */
export function Deletion({ done }: { readonly done: () => void }) {
  const [typed, setTyped] = useState('');
  const [alsoHere, setAlsoHere] = useState(true);
  const [failure, setFailure] = useState('');
  const isConfirmed = typed.trim().toLowerCase() === WORD;
  const remove = async () => {
    if (!isConfirmed) return;
    try {
      await send('DELETE', PATHS.me);
    } catch (error) {
      setFailure(messageOf(error));
      return;
    }
    if (alsoHere) forgetStatements();
    done();
    forgetAccount();
  };
  return (
    <Section id="deletion" title="Delete the account">
      <p class="lead">You can delete your account at any time. Reports need no account.</p>
      <Failure text={failure} />
      <Folded title="Delete this account" submit={remove}>
        <p>This deletes the following at once and cannot be undone:</p>
        <ul class="bullets">
          <li>all saved decisions and costs, for every wallet</li>
          <li>all API keys: programs that use them stop working</li>
          <li>all webhooks and their delivery logs</li>
          <li>your proposed corrections; accepted ones stay in the public data, without your account</li>
          <li>all sessions in every browser, and your ways to sign in</li>
        </ul>
        <label class="choice">
          <input
            type="checkbox"
            checked={alsoHere}
            onChange={({ currentTarget: { checked } }) => setAlsoHere(checked)}
          />
          <span>Also delete the data in this browser: tags, and its copy of decisions and costs</span>
        </label>
        <div class="field">
          <label for="deletion-word">To confirm, type “{WORD}”</label>
          <input
            id="deletion-word"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
        <p>
          <button type="submit" class="button small danger" disabled={!isConfirmed}>
            Delete my account
          </button>
        </p>
      </Folded>
    </Section>
  );
}
