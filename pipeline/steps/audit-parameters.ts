/** What the audits know beside the tables: names and addresses of the reviewed data. */
import { chainFacts } from '../classify/chain-facts.js';
import type { Parameters } from '../database.js';
import type { Reference } from '../reference.js';

export function auditParameters({ chain, contracts, categories, triggers }: Reference): Parameters {
  const facts = chainFacts(chain, contracts);
  return {
    categories: categories.map(({ category }) => category),
    rewards: categories.filter(({ groups }) => groups.includes('rewards')).map(({ category }) => category),
    triggers: triggers.map(({ trigger }) => trigger),
    module_accounts: [...facts.ownAccounts],
    fee_collectors: facts.feeCollectors,
  };
}
