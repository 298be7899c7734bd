/** Pages of a block explorer, which are opened only by somebody who follows the link. */
const EXPLORER = 'https://www.mintscan.io/cosmos';

/** The page of a transaction; that of the block for what the chain did itself. */
export const explorerPage = ({ txHash, height }: { readonly txHash: string; readonly height: number }): string =>
  txHash.startsWith('block:') ? `${EXPLORER}/block/${height}` : `${EXPLORER}/tx/${txHash}`;
