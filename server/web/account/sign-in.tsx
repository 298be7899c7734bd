/** Signing in by a signature of the wallet, which moves no coins. */
import { useState } from 'preact/hooks';
import { messageOf, Refusal } from '../api/client.js';
import { signInByWallet } from '../state/account.js';
import { hasWallet } from '../state/browser-wallet.js';

export function SignIn() {
  const [failure, setFailure] = useState('');
  const enter = () =>
    signInByWallet().catch((error) =>
      setFailure(error instanceof Refusal ? messageOf(error) : 'Your wallet did not sign, so nothing happened.'),
    );
  return (
    <div class="sheets">
      <header class="title">
        <h1 tabIndex={-1}>Sign in</h1>
        <p class="lead">
          The report needs no account. With one, your decisions and costs are there in every browser, and you can make
          API keys. Your wallet signs a short text: that moves no coins and costs nothing.
        </p>
      </header>
      {hasWallet() ? (
        <p>
          <button type="button" class="button" onClick={() => void enter()}>
            Sign in with my wallet
          </button>
        </p>
      ) : (
        <p class="notice">
          This browser has no wallet such as Keplr or Leap. Who runs this service can also give you a link to sign in
          with.
        </p>
      )}
      {failure && (
        <p class="notice bad" role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}
