/** Parameters of the audits: names and addresses of the reviewed data. */
import type { Category } from '../../schemas/types.generated.js';
import { chainFacts } from '../classify/chain-facts.js';
import type { Parameters } from '../duckdb/database.js';
import type { Reference } from '../reference.js';

export function auditParameters({ chain, contracts, categories, triggers }: Reference): Parameters {
  const facts = chainFacts(chain, contracts);
  return {
    categories: categories.map(({ category }) => category),
    rewards: categories.filter(({ groups }) => groups.includes('rewards')).map(({ category }) => category),
    triggers: triggers.flatMap(({ trigger, categories }) => categories.map((category) => `${trigger} ${category}`)),
    fee_collectors: facts.feeCollectors,
    native: chain.native_denom,
    pools: [facts.module('bonded_tokens_pool'), facts.module('not_bonded_tokens_pool')],
    still: categories.filter(leavesLots).map(({ category }) => category),
  };
}

/** Tells categories that neither make nor take open lots: coins stay the wallet's, or burn in an escrow. */
const leavesLots = ({ in: incoming, out, effect }: Category) =>
  effect === undefined && incoming === undefined && (out === undefined || out.act === 'burn-deposit');
