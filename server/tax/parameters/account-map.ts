/**
 * Account maps: the caller's names for journal accounts, such as {"Income: Staking Rewards": "Income:Crypto:Staking"}.
 */
import { isRecord, pointer } from '../../../pipeline/base/json/exact-json.js';
import { ISSUES_MAX, type Issue, type Parsed } from '../../../pipeline/books/ledger/decisions.js';
import type { Rules } from '../../../pipeline/books/ledger/rules.js';
import { LIMITS } from '../../http/limits.js';

const { accountName: NAME_MAX } = LIMITS.input;

interface Syntax {
  readonly pattern: RegExp;
  readonly words: string;
}

const SYNTAXES: Readonly<Record<string, Syntax>> = {
  quickbooks: {
    pattern: /^(?=.{1,100}$)[^":\s]+( [^":\s]+)*(:[^":\s]+( [^":\s]+)*)*$/u,
    words: 'a name such as Parent:Sub, without quotes',
  },
  xero: { pattern: /^[A-Za-z0-9._-]{1,10}$/, words: 'an account code of up to 10 letters and digits' },
  datev: { pattern: /^[1-9]\d{3,7}$/, words: 'an account number of 4 to 8 digits' },
  hledger: {
    pattern: /^[^\s;:()[\]"|*!]+( [^\s;:()[\]"|*!]+)*(:[^\s;:()[\]"|*!]+( [^\s;:()[\]"|*!]+)*)*$/u,
    words: 'an account such as assets:crypto, with single blanks at most',
  },
  beancount: {
    pattern: /^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z0-9][A-Za-z0-9-]*)+$/,
    words:
      'an account below Assets, Liabilities, Equity, Income or Expenses whose parts begin with a capital letter or a digit',
  },
};

const FIXED_ACCOUNTS = [
  'Realized Gain/Loss',
  'Equity: Unknown Basis',
  'Equity: Opening Lots',
  'Equity: Opening Balances',
  'Equity: Rounding',
];

/** Lists all journal accounts, except accounts of assets, which are named `Digital Assets: <symbol or denom>`. */
export function journalAccounts({ categories, tags }: Rules): string[] {
  const treatments = [...categories, ...tags].flatMap((named) => [
    named.in,
    named.out,
    'out_to_own_key' in named ? named.out_to_own_key : undefined,
  ]);
  const named = treatments.flatMap((treatment) => [treatment?.account, treatment?.excess, treatment?.from]);
  const clearing = categories.map(({ account }) => account);
  return [...new Set([...named, ...clearing, ...FIXED_ACCOUNTS])].filter((account) => account !== undefined).sort();
}

/** @returns the caller's account names by journal account, or errors with JSON pointers into `value` */
export function parseAccountMap(value: unknown, profile: string, rules: Rules): Parsed<ReadonlyMap<string, string>> {
  const syntax = Object.hasOwn(SYNTAXES, profile) ? SYNTAXES[profile] : undefined;
  if (!syntax) return { errors: [{ path: '', message: `needs a profile: ${Object.keys(SYNTAXES).join(', ')}` }] };
  if (!isRecord(value)) return { errors: [{ path: '', message: 'must be an object: journal account → your account' }] };
  const known = new Set(journalAccounts(rules));
  const errors: Issue[] = [];
  for (const [account, name] of Object.entries(value)) {
    if (errors.length >= ISSUES_MAX) break;
    const refuse = (message: string) => errors.push({ path: pointer(account), message });
    if (!known.has(account) && !/^Digital Assets: \S+$/.test(account)) refuse('is not a journal account');
    else if (typeof name === 'string' && name.length > NAME_MAX.max)
      refuse(`is longer than ${NAME_MAX.max} characters`);
    else if (typeof name !== 'string' || !syntax.pattern.test(name)) refuse(`must be ${syntax.words}`);
  }
  return errors.length > 0 ? { errors } : { value: new Map(Object.entries(value as Record<string, string>)) };
}
