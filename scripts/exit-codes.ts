/** Exit codes of the commands. docs/operations/running.md explains them. */
export const EXIT = {
  failed: 1,
  wrongUsage: 2,
  refused: 3,
  different: 4,
  isRunning: 5,
  /** The nightly run has published, but a wallet of a dataset of single wallets is incomplete. */
  incomplete: 6,
} as const;
