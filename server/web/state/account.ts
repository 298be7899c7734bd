/** The account that this browser is signed in to. Its cookie cannot be read by scripts, so a mark says whether to ask for it. */
import { signal } from '@preact/signals';
import type { Account, Challenge } from '../../../schemas/types.generated.js';
import { get, post, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { signText, walletAddress } from './browser-wallet.js';

const MARK = 'hubledger.signed-in';

export const account = signal<Account | undefined>(undefined);

/** Settles when it is known whether somebody is signed in. */
export const isKnown: Promise<void> = hasMark() ? askWho() : Promise.resolve();

function hasMark(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

/** Asks who is signed in: also after a link or an OpenID provider has led here. */
export async function askWho(): Promise<void> {
  try {
    enter(await get<Account>(PATHS.me));
  } catch {
    forgetAccount();
  }
}

/** Forgets who was signed in: the session is over. */
export function forgetAccount(): void {
  mark(false);
  account.value = undefined;
}

function enter(signedIn: Account): void {
  account.value = signedIn;
  mark(true);
}

/** Sets or takes away the mark. Without one, as where the browser keeps nothing, the account's page alone asks who is signed in. */
function mark(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(MARK, '1');
    else localStorage.removeItem(MARK);
  } catch {
    // The cookie counts.
  }
}

/** Signs in with the wallet of the browser. @throws Refusal; Error when its owner does not sign */
export async function signInByWallet(): Promise<void> {
  const address = await walletAddress();
  if (!address) throw new Error('no address');
  const { challenge } = await post<Challenge>(PATHS.challenge, { address });
  const { pub_key, signature } = await signText(address, challenge);
  enter(await post<Account>(PATHS.signIn, { address, challenge, pub_key, signature }));
}

export async function signOut(): Promise<void> {
  await send('POST', PATHS.signOut);
  forgetAccount();
}
