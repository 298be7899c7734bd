/** Renders the account page: the sign-in form, or the account's sections. */
import { render } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Account, Challenge, Sessions as SessionList } from '../../schemas/types.generated.js';
import { Keys } from './account/keys.js';
import { Confirmed, Entries, Entry, Failure, Folded, useAccountList, When } from './account/parts.js';
import { Saved } from './account/saved.js';
import { Submissions } from './account/submissions.js';
import { Webhooks } from './account/webhooks.js';
import { WidgetKeys } from './account/widget-keys.js';
import { ApiError, messageOf, post, send, waiting } from './api/client.js';
import { PATHS } from './api/paths.js';
import { Address, goTo, Section } from './parts.js';
import {
  account,
  accountFailure,
  enter,
  forgetAccount,
  isBack,
  isKnown,
  isLoadingSession,
  isOver,
  loadSession,
  wallet,
} from './state/account.js';
import { forgetStatements } from './state/statements.js';

const END_REASONS = {
  over: 'Your session ended, here or in another browser. You can sign in again.',
  left: 'You are signed out.',
  deleted: 'Your account and all its data are deleted.',
} as const;

/** @param openId host of the OpenID provider; '' if none is configured */
function AccountPage({ openId }: { readonly openId: string }) {
  const endReason = useRef('');
  const [failure, setFailure] = useState('');
  const [isOperator, setOperator] = useState(false);
  const signedIn = account.value;
  if (!signedIn && (isLoadingSession.value || accountFailure.value)) return <Unknown />;
  if (!signedIn)
    return <SignIn isLost={isBack && endReason.current === ''} openId={openId} endReason={endReason.current} />;
  const leave = (why: keyof typeof END_REASONS) => {
    endReason.current = END_REASONS[why];
  };
  leave('over');
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
        <Sections isOperator={isOperator} />
      </header>
      <Saved />
      <Sessions />
      <Keys />
      <WidgetKeys setOperator={setOperator} />
      <Webhooks />
      <Submissions />
      <Deletion done={() => leave('deleted')} />
    </div>
  );
}

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

const SECTIONS = [
  ['saved', 'Saved'],
  ['sessions', 'Sessions'],
  ['keys', 'Keys'],
  ['widget-keys', 'Widget keys'],
  ['webhooks', 'Webhooks'],
  ['submissions', 'Corrections'],
  ['deletion', 'Delete'],
] as const;

const Sections = ({ isOperator }: { readonly isOperator: boolean }) => (
  <nav class="jump" aria-label="Account sections">
    {SECTIONS.filter(([id]) => isOperator || id !== 'widget-keys').map(([id, words]) => (
      <button key={id} type="button" class="quiet small" onClick={() => goTo(`${id}-title`)}>
        {words}
      </button>
    ))}
  </nav>
);

/** Shows the wallet's address, or the name from the OpenID provider or operator. */
function Owner({ account: { identities, name } }: { readonly account: Account }) {
  const [first] = identities;
  if (first?.provider === 'cosmos') return <Address value={first.subject} />;
  return <strong>{first?.subject ?? name ?? 'a guest of this service'}</strong>;
}

async function signOut(): Promise<void> {
  await send('POST', PATHS.signOut).catch((error) => {
    if (!isOver(error)) throw error;
  });
  forgetAccount();
}

interface SignInProps {
  /** True if the user came back from a sign-in link or the OpenID provider, but the browser has no session cookie. */
  readonly isLost: boolean;
  /** Reason why the previous session ended; '' if there was no session. */
  readonly endReason: string;
  /** Host of the OpenID provider; '' if none is configured. */
  readonly openId: string;
}

/**
 * Offers three ways to sign in: a wallet's signature (which moves no coins), an OpenID provider, or a link from the
 * operator.
 */
function SignIn({ isLost, endReason, openId }: SignInProps) {
  const [failure, setFailure] = useState(isLost ? NOT_STORED : '');
  const signIn = () =>
    signInByWallet().catch((error) =>
      setFailure(error instanceof ApiError ? messageOf(error) : 'Your wallet did not sign, so nothing happened.'),
    );
  return (
    <div class="sheets sign-in">
      <header class="title">
        <h1 tabIndex={-1}>Sign in</h1>
        <p class="lead">
          The report needs no account. With one, your decisions and costs are available in every browser, and your
          programs can have API keys and webhooks.
        </p>
      </header>
      {endReason && (
        <p class="notice" role="status">
          {endReason}
        </p>
      )}
      <Failure text={failure} />
      <ul class="ways">
        {wallet() && (
          <li class="card">
            <h2>With your wallet</h2>
            <p>Your wallet signs a short text. That moves no coins and costs nothing.</p>
            <p>
              <button type="button" class="button" onClick={() => void signIn()}>
                Sign in with my wallet
              </button>
            </p>
          </li>
        )}
        {openId !== '' && (
          <li class="card">
            <h2>With {openId}</h2>
            <p>You sign in there and come back here. This service learns who you are, but not your password.</p>
            <p>
              <a class="button" href={PATHS.openId}>
                Sign in with {openId}
              </a>
            </p>
          </li>
        )}
        <li class="card">
          <h2>With a link</h2>
          <p>
            The operator of this service can give you a link. Open it in this browser and press the button there. It
            works once.
          </p>
        </li>
      </ul>
      {!wallet() && (
        <p class="fine">
          This browser has no wallet extension such as Keplr or Leap. If you use one, open this page in the browser that
          has it.
        </p>
      )}
    </div>
  );
}

/** @throws ApiError; Error if the user declines to sign */
async function signInByWallet(): Promise<void> {
  const address = await wallet()?.address();
  if (!address) throw new Error('no address');
  const { challenge } = await post<Challenge>(PATHS.challenge, { address });
  const signed = await wallet()!.sign(address, challenge);
  enter(await post<Account>(PATHS.signIn, { address, challenge, ...signed }));
}

const NOT_STORED = 'You signed in, but this browser did not store the session. Does it block cookies from this site?';

type Session = SessionList['sessions'][number];

const nameOf = ({ device }: Session) => device ?? 'An unknown browser';

function Sessions() {
  const { list, isBusy, failure, remove } = useAccountList<SessionList>(PATHS.sessions);
  const sessions = list?.sessions ?? [];
  const end = (act: () => Promise<unknown>) => remove(act, 'sessions');
  const all = sessions.length > 1 && (
    <Confirmed
      text="End all others"
      of=""
      question="End all other sessions?"
      yes="End them"
      act={() => end(() => send('POST', PATHS.endOtherSessions))}
    >
      <p>All browsers except this one are signed out at once. Your API keys keep working.</p>
    </Confirmed>
  );
  return (
    <Section id="sessions" title="Where you are signed in" aside={all} isBusy={isBusy}>
      <Failure text={failure} />
      <Entries label="Sessions">
        {sessions.map((session) => (
          <Entry
            key={session.id}
            title={nameOf(session)}
            mark={session.current ? 'this browser' : undefined}
            facts={[
              <>
                Signed in on <When value={session.created_at} />, last used on{' '}
                <When value={session.last_used_at} withTime />
              </>,
            ]}
            buttons={
              !session.current && (
                <Confirmed
                  text="End"
                  of={`the session of ${nameOf(session)}`}
                  question="End this session?"
                  yes="End it"
                  act={() => end(() => send('DELETE', `${PATHS.sessions}/${session.id}`))}
                >
                  <p>{nameOf(session)} is signed out at once. Whoever uses it can sign in again.</p>
                </Confirmed>
              )
            }
          />
        ))}
      </Entries>
    </Section>
  );
}

const WORD = 'delete';

/**
 * Deletes the account. Before that, lists the data that it deletes, and asks the user to type a confirmation.
 * @param done called after the deletion
 */
function Deletion({ done }: { readonly done: () => void }) {
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
        <p>Widget keys stay, because they belong to the validator.</p>
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

const page = document.getElementById('main')!;
page.replaceChildren(); // Removes the text for browsers without scripts.
render(<AccountPage openId={page.dataset.openid ?? ''} />, page);
await isKnown;
if (isBack && account.value) history.replaceState(null, '', location.pathname);
