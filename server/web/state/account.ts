/**
 * State of the signed-in account. Scripts cannot read the session cookie. So local storage records whether the page
 * should ask the server for a session.
 */
import { signal } from '@preact/signals';
import type { Account } from '../../../schemas/types.generated.js';
import { ApiError, get, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { forgetSynced } from './statements.js';

const MARK = 'hubledger.signed-in';

export const account = signal<Account | undefined>(undefined);
/** The error that prevented the check for a session; '' if there was no error. */
export const accountFailure = signal('');
export const isLoadingSession = signal(false);

/** True if the page was opened by a sign-in link or the OpenID provider. Both append this fragment to the URL. */
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
    else accountFailure.value = messageOf(error); // an error of the server does not mean that the session has ended
  }
  isLoadingSession.value = false;
}

/** Returns true if the error shows that the session has ended. */
export const isOver = (error: unknown): boolean => error instanceof ApiError && error.problem?.status === 401;

export function forgetAccount(): void {
  mark(false);
  forgetSynced();
  accountFailure.value = '';
  account.value = undefined;
}

export function enter(signedIn: Account): void {
  account.value = signedIn;
  accountFailure.value = '';
  mark(true);
}

/**
 * Records in local storage whether there is a session. If local storage is unavailable, the record is lost with the
 * page.
 */
function mark(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(MARK, '1');
    else localStorage.removeItem(MARK);
  } catch {
    // Local storage is unavailable; the cookie still works.
  }
}

/** The part of a Keplr-compatible wallet extension that this page uses: public addresses, and signatures of texts. */
interface Wallet {
  /** Returns undefined if the user declines. */
  address(): Promise<string | undefined>;
  /** @throws Error if the user declines */
  sign(address: string, text: string): Promise<{ readonly pub_key: string; readonly signature: string }>;
}

interface Extension {
  signArbitrary(
    chainId: string,
    signer: string,
    data: string,
  ): Promise<{ readonly pub_key: { readonly value: string }; readonly signature: string }>;
  enable(chainId: string): Promise<void>;
  getKey(chainId: string): Promise<{ readonly bech32Address: string }>;
}

const CHAIN_ID = 'cosmoshub-4';

/** Returns undefined if no wallet extension is installed. */
export function wallet(): Wallet | undefined {
  const { keplr, leap } = window as { keplr?: Extension; leap?: Extension };
  const extension = keplr ?? leap;
  return (
    extension && {
      async address() {
        try {
          await extension.enable(CHAIN_ID);
          return (await extension.getKey(CHAIN_ID)).bech32Address;
        } catch {
          return undefined;
        }
      },
      async sign(address, text) {
        const { pub_key, signature } = await extension.signArbitrary(CHAIN_ID, address, text);
        return { pub_key: pub_key.value, signature };
      },
    }
  );
}
