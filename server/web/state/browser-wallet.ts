/** The browser's wallet extension (Keplr and compatible). Only the public address and text signatures are requested. */

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

/** Requests the address. @returns undefined if the user declines */
export async function walletAddress(): Promise<string | undefined> {
  try {
    await wallet()?.enable(CHAIN_ID);
    return (await wallet()?.getKey(CHAIN_ID))?.bech32Address;
  } catch {
    return undefined;
  }
}

/** Requests a text signature. @throws Error if the user declines */
export async function signText(address: string, text: string): Promise<{ pub_key: string; signature: string }> {
  const { pub_key, signature } = await wallet()!.signArbitrary(CHAIN_ID, address, text);
  return { pub_key: pub_key.value, signature };
}
