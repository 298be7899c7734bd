/** Links to a block explorer. They are opened only when the user clicks. */
const EXPLORER = 'https://www.mintscan.io/cosmos';

/** Returns the transaction's page, or the block's page for events without a transaction. */
export const explorerPage = ({ txHash, height }: { readonly txHash: string; readonly height: number }): string =>
  txHash.startsWith('block:') ? `${EXPLORER}/block/${height}` : `${EXPLORER}/tx/${txHash}`;
