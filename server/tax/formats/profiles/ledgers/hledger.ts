import { formatCents } from '../../../../../pipeline/base/values/amount.js';
import type { BookPosting } from '../../../../../pipeline/reports/books/transactions.js';
import { DOLLAR } from './names.js';
import type { Notation } from './plain-text.js';

/** hledger requires quotes unless a commodity has only letters. */
const quoted = (commodity: string) => (/^[A-Za-z]+$/.test(commodity) ? commodity : `"${commodity}"`);

/** Removes characters that would end a description or start a comment. */
const plain = (text: string) => text.replace(/[\p{Cc};|]+/gu, ' ');

/** The total cost of a lot follows its quantity as `@@`. Its acquisition day is a tag. */
export const hledger = {
  description:
    'hledger journal: lots with their cost (@@) and day, prices of the days, accounts and commodities declared.',
  extension: 'journal',
  closesLots: false,
  head: (title) => `; ${title}\n\ncommodity 1000.00 ${DOLLAR}\n`,
  transaction({ address, time, id, txHash, description, postings }, names, shown) {
    const line = (posting: BookPosting) => {
      const account = names.account(posting.account, address);
      if ('cents' in posting) return `    ${account}  ${formatCents(posting.cents)} ${DOLLAR}\n`;
      const { units, denom, lot } = posting;
      const cost = lot ? ` @@ ${formatCents(lot.basis)} ${DOLLAR}  ; lot:${lot.acquired}` : '';
      return `    ${account}  ${shown(units, denom)} ${quoted(names.commodity(denom))}${cost}\n`;
    };
    const tags = id === '' ? '' : `  ; row:${id}, tx:${txHash}`;
    return `\n${time.slice(0, 10)} * ${plain(description)}${tags}\n${postings.map(line).join('')}`;
  },
  account: (name) => `account ${name}\n`,
  commodity: (name, denom, decimals) => `\ncommodity 1000.${'0'.repeat(decimals)} ${quoted(name)}  ; denom:${denom}\n`,
  price: (commodity, day, usd) => `P ${day} ${quoted(commodity)} ${usd} ${DOLLAR}\n`,
} satisfies Notation;
