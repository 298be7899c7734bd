/** The wallet extension in the browser (Keplr and compatible ones), of which the public address is asked and nothing else. */

interface BrowserWallet {
  enable(chainId: string): Promise<void>;
  getKey(chainId: string): Promise<{ readonly bech32Address: string }>;
}

const CHAIN_ID = 'cosmoshub-4';

const wallet = (): BrowserWallet | undefined => {
  const page = window as { keplr?: BrowserWallet; leap?: BrowserWallet };
  return page.keplr ?? page.leap;
};

export const hasWallet = (): boolean => wallet() !== undefined;

/** Asks the extension for the address. @returns undefined where its owner refuses */
export async function walletAddress(): Promise<string | undefined> {
  try {
    await wallet()?.enable(CHAIN_ID);
    return (await wallet()?.getKey(CHAIN_ID))?.bech32Address;
  } catch {
    return undefined;
  }
}
