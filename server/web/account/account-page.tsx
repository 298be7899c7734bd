import { useRef, useState } from 'preact/hooks';
import type { Account } from '../../../schemas/types.generated.js';
import { messageOf, waiting } from '../api/client.js';
import { Address } from '../parts/address.js';
import { goTo } from '../parts/go-to.js';
import { account, accountFailure, isBack, isLoadingSession, loadSession, signOut } from '../state/account.js';
import { Deletion } from './deletion.js';
import { Keys } from './keys.js';
import { Failure } from './parts/failure.js';
import { Saved } from './saved.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { Submissions } from './submissions.js';
import { Webhooks } from './webhooks.js';

/** Reasons why the session ended. */
const END_REASONS = {
  over: 'Your session ended, here or in another browser. You can sign in again.',
  left: 'You are signed out.',
  deleted: 'Your account and all its data are deleted.',
} as const;

/** @param openId host of the OpenID provider; '' if none is configured */
export function AccountPage({ openId }: { readonly openId: string }) {
  const endReason = useRef('');
  const [failure, setFailure] = useState('');
  const signedIn = account.value;
  if (!signedIn && (isLoadingSession.value || accountFailure.value)) return <Unknown />;
  if (!signedIn)
    return <SignIn isLost={isBack && endReason.current === ''} openId={openId} endReason={endReason.current} />;
  const leave = (why: keyof typeof END_REASONS) => {
    endReason.current = END_REASONS[why];
  };
  leave('over'); // The buttons replace this reason.
  return (
    <div class="sheets">
      <header class="title">
        <h1 tabIndex={-1}>Your account</h1>
        <p class="lead">
          Signed in as <Owner account={signedIn} />.{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              leave('left');
              signOut().catch((error) => setFailure(messageOf(error)));
            }}
          >
            Sign out
          </button>
        </p>
        <Failure text={failure} />
        <Sections />
      </header>
      <Saved />
      <Sessions />
      <Keys />
      <Webhooks />
      <Submissions />
      <Deletion done={() => leave('deleted')} />
    </div>
  );
}

/** Shown while it is unknown whether a session exists, or if the server cannot be reached. */
const Unknown = () => (
  <div class="sheets sign-in" aria-busy={isLoadingSession.value}>
    <header class="title">
      <h1 tabIndex={-1}>Your account</h1>
    </header>
    {isLoadingSession.value ? (
      <div class="progress" role="status">
        <span class="spinner" aria-hidden="true" />
        <p>
          {waiting.value > 0
            ? `The server is busy; retrying in ${waiting.value} s…`
            : 'Checking whether you are signed in…'}
        </p>
        <button type="button" class="quiet late" onClick={() => location.reload()}>
          This takes long: reload the page
        </button>
      </div>
    ) : (
      <>
        <Failure text={accountFailure.value} />
        <p>
          <button type="button" class="quiet" onClick={() => void loadSession()}>
            Try again
          </button>
        </p>
      </>
    )}
  </div>
);

/** Section ids and their button labels. */
const SECTIONS = [
  ['saved', 'Saved'],
  ['sessions', 'Sessions'],
  ['keys', 'Keys'],
  ['webhooks', 'Webhooks'],
  ['submissions', 'Corrections'],
  ['deletion', 'Delete'],
] as const;

const Sections = () => (
  <nav class="jump" aria-label="Account sections">
    {SECTIONS.map(([id, words]) => (
      <button key={id} type="button" class="quiet small" onClick={() => goTo(`${id}-title`)}>
        {words}
      </button>
    ))}
  </nav>
);

/** Shows the account's name: the wallet's address, or the name from the provider or operator. */
function Owner({ account: { identities, name } }: { readonly account: Account }) {
  const [first] = identities;
  if (first?.provider === 'cosmos') return <Address value={first.subject} />;
  return <strong>{first?.subject ?? name ?? 'a guest of this service'}</strong>;
}
