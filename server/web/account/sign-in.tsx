/** Sign-in by wallet signature (moves no coins), OpenID provider, or a link from the operator. */
import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { hasWallet, signInByWallet } from '../state/account.js';
import { Failure } from './parts/failure.js';

interface SignInProps {
  /** Whether a link or provider led here but the browser kept no session cookie. */
  readonly isLost: boolean;
  /** Why the previous session ended; '' if there was none. */
  readonly endReason: string;
  /** Host of the OpenID provider; '' if none is configured. */
  readonly openId: string;
}

export function SignIn({ isLost, endReason, openId }: SignInProps) {
  const [failure, setFailure] = useState(isLost ? NOT_STORED : '');
  const enter = () =>
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
        {hasWallet() && (
          <li class="card">
            <h2>With your wallet</h2>
            <p>Your wallet signs a short text. That moves no coins and costs nothing.</p>
            <p>
              <button type="button" class="button" onClick={() => void enter()}>
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
      {!hasWallet() && (
        <p class="fine">
          This browser has no wallet extension such as Keplr or Leap. If you use one, open this page in the browser that
          has it.
        </p>
      )}
    </div>
  );
}

const NOT_STORED = 'You signed in, but this browser did not store the session. Does it block cookies from this site?';
