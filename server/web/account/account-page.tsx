/** The account: signing in, and all that belongs to an account, each thing in a section of its own. */
import type { ComponentProps } from 'preact';
import type { Account } from '../../../schemas/types.generated.js';
import { Address } from '../parts/address.js';
import { account, signOut } from '../state/account.js';
import { Keys } from './keys.js';
import { Saved } from './saved/saved.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { Submissions } from './submissions.js';
import { Webhooks } from './webhooks/webhooks.js';

export function AccountPage(ways: ComponentProps<typeof SignIn>) {
  const signedIn = account.value;
  if (!signedIn) return <SignIn {...ways} />;
  return (
    <div class="sheets">
      <header class="title">
        <h1 tabIndex={-1}>Your account</h1>
        <p class="lead">
          Signed in as <Owner account={signedIn} />. Decisions and costs that you state in the report are saved here.
        </p>
        <p>
          <button type="button" class="quiet small" onClick={() => void signOut()}>
            Sign out
          </button>
        </p>
      </header>
      <Saved />
      <Sessions />
      <Keys />
      <Webhooks />
      <Submissions />
    </div>
  );
}

/** The name by which an account's owner knows it: the wallet, the provider's name for the person, or the operator's. */
function Owner({ account: { identities, name } }: { readonly account: Account }) {
  const [first] = identities;
  if (first?.provider === 'cosmos') return <Address value={first.subject} />;
  return <strong>{first?.subject ?? name ?? 'a guest of this service'}</strong>;
}
