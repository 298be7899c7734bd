/**
 * Default account codes for programs with numbered accounts, in ranges that common charts of accounts leave free. An
 * account map overrides them.
 */
const CODES: Readonly<Record<string, string>> = {
  'Digital Assets': '1590',
  'Digital Assets: Deposits': '1591',
  'Transfers In: Unclassified': '1592',
  'Transfers Out: Unclassified': '1593',
  'Clearing: Purchases': '1594',
  'Clearing: Sales': '1595',
  'Clearing: Swaps': '1596',
  'Liabilities: Loans': '1790',
  'Equity: Gifts': '2190',
  'Equity: Ignored': '2191',
  'Equity: Opening Balances': '2192',
  'Equity: Opening Lots': '2193',
  'Equity: Own Tokens': '2194',
  'Equity: Own-Wallet Transfers': '2195',
  'Equity: Redirected Rewards': '2196',
  'Equity: Rounding': '2197',
  'Equity: Unknown Basis': '2198',
  'Expense: Community Pool': '4990',
  'Expense: Donations': '4991',
  'Expense: Network Fees': '4992',
  'Expense: Other': '4993',
  'Expense: Payments': '4994',
  'Loss: Burned Deposits': '4995',
  'Loss: Burned Tokens': '4996',
  'Loss: Slashing': '4997',
  'Loss: Theft and Loss': '4998',
  'Income: Airdrops': '8990',
  'Income: Other': '8991',
  'Income: Staking Rewards': '8992',
  'Income: Validator Commission': '8993',
  'Realized Gain/Loss': '8994',
};

/** All coins have the same code. */
export const codeOf = (account: string): string | undefined =>
  CODES[account] ?? (account.startsWith('Digital Assets: ') ? CODES['Digital Assets'] : undefined);
