/**
 * The ends of proposals. A deposit is paid by one event and its refund by another; that the rest was burned no event tells of
 * any wallet, so that it follows only from both and from the proposal's end.
 */
import type { ProposalEnd } from '../../../schemas/types.generated.js';
import type { Block, ChainEventRecord } from '../../chain/block.js';

/** active: after the vote; inactive: never enough deposited; cancelled by its proposer, which costs a part of the deposits. */
const ENDS = new Set(['active_proposal', 'inactive_proposal', 'cancel_proposal']);

/** An expedited proposal that fails goes on as a regular one, with its deposits (x/gov EndBlocker). */
const GOES_ON = 'expedited_proposal_rejected';

const attributeOf = ({ attributes }: ChainEventRecord, key: string) =>
  attributes.find((attribute) => attribute.key === key)?.value;

/** The ends in a block, in its order. */
export function proposalEnds({ height, time, transactions, events }: Block): ProposalEnd[] {
  const second = time.slice(0, 19).replace('T', ' ');
  const ends: ProposalEnd[] = [];
  const addEnds = (list: readonly ChainEventRecord[], where: Pick<ProposalEnd, 'place' | 'tx_hash' | 'memo'>) => {
    for (const [index, event] of list.entries()) {
      const proposal = ENDS.has(event.type) ? attributeOf(event, 'proposal_id') : undefined;
      if (proposal === undefined || attributeOf(event, 'proposal_result') === GOES_ON) continue;
      ends.push({ height, time: second, ...where, event: index, proposal });
    }
  };
  for (const { code, index, hash, memo, events: own } of transactions) {
    if (code === 0) addEnds(own, { place: index, tx_hash: hash, memo });
  }
  addEnds(events, { place: -1, tx_hash: `block:${height}`, memo: '' });
  return ends;
}
