/** The account: signing in, API keys, signing out. */
import { account, signOut } from '../state/account.js';
import { Keys } from './keys.js';
import { SignIn } from './sign-in.js';

export function AccountPage() {
  const signedIn = account.value;
  if (!signedIn) return <SignIn />;
  return (
    <div class="sheets">
      <header class="title">
        <h1 tabIndex={-1}>Your account</h1>
        <p class="lead">
          Signed in as {signedIn.identities.map(({ subject }) => subject).join(', ') || signedIn.name}. Decisions and
          costs that you state in the report are saved here.
        </p>
        <p>
          <button type="button" class="quiet small" onClick={() => void signOut()}>
            Sign out
          </button>
        </p>
      </header>
      <Keys />
    </div>
  );
}
