/** The signed-in account. Scripts cannot read its cookie, so a flag in local storage records whether to ask the server. */
import { signal } from '@preact/signals';
import type { Account, Challenge } from '../../../schemas/types.generated.js';
import { ApiError, get, messageOf, post, send } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { forgetSynced } from './known-saved.js';

const MARK = 'hubledger.signed-in';

export const account = signal<Account | undefined>(undefined);
/** Why the session is unknown; '' if it is known. */
export const accountFailure = signal('');
export const isLoadingSession = signal(false);

/** Whether a sign-in link or OpenID provider redirected here; both append this fragment. */
export const isBack = location.hash === '#signed-in';

export const isKnown: Promise<void> = hasFlag() || isBack ? loadSession() : Promise.resolve();

function hasFlag(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch {
    return false;
  }
}

export async function loadSession(): Promise<void> {
  isLoadingSession.value = true;
  try {
    enter(await get<Account>(PATHS.me));
  } catch (error) {
    if (isOver(error)) forgetAccount();
    else accountFailure.value = messageOf(error); // A server error does not end the session.
  }
  isLoadingSession.value = false;
}

/** Returns whether an error means that the session has ended. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.problem?.status === 401;

export function forgetAccount(): void {
  mark(false);
  forgetSynced();
  accountFailure.value = '';
  account.value = undefined;
}

function enter(signedIn: Account): void {
  account.value = signedIn;
  accountFailure.value = '';
  mark(true);
}

/** Sets or removes the flag. Without local storage, a new page does not know of the session. */
function mark(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(MARK, '1');
    else localStorage.removeItem(MARK);
  } catch {
    // The cookie decides.
  }
}

/** Signs in with the browser's wallet extension. @throws ApiError; Error if the user declines to sign */
export async function signInByWallet(): Promise<void> {
  const address = await walletAddress();
  if (!address) throw new Error('no address');
  const { challenge } = await post<Challenge>(PATHS.challenge, { address });
  const { pub_key, signature } = await signText(address, challenge);
  enter(await post<Account>(PATHS.signIn, { address, challenge, pub_key, signature }));
}

export async function signOut(): Promise<void> {
  await send('POST', PATHS.signOut).catch((error) => {
    if (!isOver(error)) throw error;
  });
  forgetAccount();
}

/** Access to a Keplr-compatible wallet extension: only the public address and text signatures. */

/** An ADR-036 text signature, as wallets return it. */
interface TextSignature {
  readonly pub_key: { readonly value: string };
  readonly signature: string;
}

interface BrowserWallet {
  signArbitrary(chainId: string, signer: string, data: string): Promise<TextSignature>;
  enable(chainId: string): Promise<void>;
  getKey(chainId: string): Promise<{ readonly bech32Address: string }>;
}

const CHAIN_ID = 'cosmoshub-4';

const wallet = (): BrowserWallet | undefined => {
  const page = window as { keplr?: BrowserWallet; leap?: BrowserWallet };
  return page.keplr ?? page.leap;
};

export const hasWallet = (): boolean => wallet() !== undefined;

export async function walletAddress(): Promise<string | undefined> {
  try {
    await wallet()?.enable(CHAIN_ID);
    return (await wallet()?.getKey(CHAIN_ID))?.bech32Address;
  } catch {
    return undefined;
  }
}

async function signText(address: string, text: string): Promise<{ pub_key: string; signature: string }> {
  const { pub_key, signature } = await wallet()!.signArbitrary(CHAIN_ID, address, text);
  return { pub_key: pub_key.value, signature };
}
