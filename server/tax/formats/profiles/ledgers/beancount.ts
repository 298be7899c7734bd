import { formatCents } from '../../../../../pipeline/base/values/amount.js';
import type { BookPosting } from '../../../../../pipeline/reports/books/transactions.js';
import { DOLLAR } from './names.js';
import type { Notation } from './plain-text.js';

const quoted = (text: string) => `"${text.replace(/\p{Cc}+/gu, ' ').replace(/["\\]/g, '\\$&')}"`;

/** Lots are identified by total cost (`{{}}`), day and label, so that each sale names one lot. */
export const beancount = {
  description:
    'Beancount ledger: lots with cost, day and label, proceeds (@@), prices of the days, accounts and commodities opened.',
  extension: 'beancount',
  closesLots: true,
  head: (title) =>
    `option "title" ${quoted(title)}\noption "operating_currency" "${DOLLAR}"\n` +
    // Beancount rounds unit costs to 28 digits, and cannot infer a tolerance for transfers of lots.
    `option "inferred_tolerance_default" "${DOLLAR}:0.005"\n`,
  transaction({ address, time, id, txHash, description, postings }, names, shown) {
    const line = (posting: BookPosting) => {
      const account = names.account(posting.account, address);
      if ('cents' in posting) return `  ${account}  ${formatCents(posting.cents)} ${DOLLAR}\n`;
      const { units, denom, lot, proceeds = null } = posting;
      const cost = lot ? ` {{${formatCents(lot.basis)} ${DOLLAR}, ${lot.acquired}, "${lot.label}"}}` : '';
      const price = proceeds === null || !lot ? '' : ` @@ ${formatCents(proceeds)} ${DOLLAR}`;
      return `  ${account}  ${shown(units, denom)} ${names.commodity(denom)}${cost}${price}\n`;
    };
    const meta = id === '' ? '' : `  row: ${quoted(id)}\n  tx: ${quoted(txHash)}\n`;
    return `\n${time.slice(0, 10)} * ${quoted(description)}\n${meta}${postings.map(line).join('')}`;
  },
  account: (name, day) => `${day} open ${name}\n`,
  commodity: (name, denom, _decimals, day) => `\n${day} commodity ${name}\n  denom: ${quoted(denom)}\n`,
  price: (commodity, day, usd) => `${day} price ${commodity} ${usd} ${DOLLAR}\n`,
} satisfies Notation;
