/** A wallet that signs texts as Keplr's signArbitrary does, by cosmjs. */
import { type OfflineAminoSigner, Secp256k1HdWallet } from '@cosmjs/amino';

export interface TestWallet {
  readonly address: string;
  /** The members pub_key and signature of a sign-in. */
  sign(text: string, signer?: string): Promise<{ pub_key: string; signature: string }>;
}

export async function makeWallet(prefix = 'cosmos'): Promise<TestWallet> {
  const wallet: OfflineAminoSigner = await Secp256k1HdWallet.generate(12, { prefix });
  const [account] = await wallet.getAccounts();
  const address = account!.address;
  return {
    address,
    async sign(text, signer = address) {
      const data = Buffer.from(text).toString('base64');
      const { signature } = await wallet.signAmino(address, {
        chain_id: '',
        account_number: '0',
        sequence: '0',
        fee: { gas: '0', amount: [] },
        memo: '',
        msgs: [{ type: 'sign/MsgSignData', value: { signer, data } }],
      });
      return { pub_key: signature.pub_key.value, signature: signature.signature };
    },
  };
}
