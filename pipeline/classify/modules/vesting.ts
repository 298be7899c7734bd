/** x/auth/vesting: a wallet that is made with coins it can spend only later. Coins that become free emit nothing. */
import { type MessageClassifier, receivedRow, type Scope, sentRow } from '../classifier.js';

const message = (name: string): MessageClassifier => ({
  typeUrl: `/cosmos.vesting.v1beta1.${name}`,
  categories: ['transfer_out', 'vesting_receipt'],
  classify: classifyGrant,
});

export const vestingMessages: readonly MessageClassifier[] = [
  message('MsgCreateVestingAccount'),
  message('MsgCreatePermanentLockedAccount'),
  message('MsgCreatePeriodicVestingAccount'),
];

function classifyGrant(scope: Scope): void {
  const grants = scope.unexplained().filter(({ from, to }) => from !== null && to !== null);
  scope.explain(
    grants,
    grants.flatMap((payment) => [
      sentRow(payment, 'transfer_out', { detail: 'Into a new vesting account' }),
      receivedRow(payment, 'vesting_receipt'),
    ]),
  );
}
