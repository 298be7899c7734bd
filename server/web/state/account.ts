/** The account that this browser is signed in to. Its cookie cannot be read by scripts, so a mark says whether to ask for it. */
import { signal } from '@preact/signals';
import type { Account, Challenge } from '../../../schemas/types.generated.js';
import { get, messageOf, post, Refusal, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { signText, walletAddress } from './browser-wallet.js';
import { forgetKnown } from './known-saved.js';

const MARK = 'hubledger.signed-in';

export const account = signal<Account | undefined>(undefined);
/** Words on why it is not known whether somebody is signed in; '' where it is known. */
export const accountFailure = signal('');
/** Whether the server is asked who is signed in. */
export const isAsking = signal(false);

/** Whether a link or an OpenID provider has led here: they leave this mark in the URL. */
export const isBack = location.hash === '#signed-in';

/** Settles when it is known whether somebody is signed in. */
export const isKnown: Promise<void> = hasMark() || isBack ? askWho() : Promise.resolve();

function hasMark(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

/** Asks who is signed in. */
export async function askWho(): Promise<void> {
  isAsking.value = true;
  try {
    enter(await get<Account>(PATHS.me));
  } catch (error) {
    if (isOver(error)) forgetAccount();
    else accountFailure.value = messageOf(error); // a server that cannot tell now has ended no session
  }
  isAsking.value = false;
}

/** Whether a refusal says that nobody is signed in. */
export const isOver = (error: unknown): boolean => error instanceof Refusal && error.problem?.status === 401;

/** Forgets who was signed in: the session is over. */
export function forgetAccount(): void {
  mark(false);
  forgetKnown();
  accountFailure.value = '';
  account.value = undefined;
}

function enter(signedIn: Account): void {
  account.value = signedIn;
  accountFailure.value = '';
  mark(true);
}

/** Sets or takes away the mark. Where the browser keeps nothing, a page does not know of the cookie once it is left. */
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

/** Ends the session, or finds it ended already. @throws Refusal */
export async function signOut(): Promise<void> {
  await send('POST', PATHS.signOut).catch((error) => {
    if (!isOver(error)) throw error;
  });
  forgetAccount();
}
