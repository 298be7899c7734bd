/** x/liquid: what its messages trigger. */
import type { MessageClassifier } from './classifier.js';

const message = (name: string, trigger: string): MessageClassifier => ({
  typeUrl: `/gaia.liquid.v1beta1.${name}`,
  categories: [],
  trigger,
});

export const liquidMessages: readonly MessageClassifier[] = [
  message('MsgTokenizeShares', 'tokenize'),
  message('MsgRedeemTokensForShares', 'redeem'),
  message('MsgWithdrawTokenizeShareRecordReward', 'claim'),
  message('MsgWithdrawAllTokenizeShareRecordReward', 'claim'),
];
