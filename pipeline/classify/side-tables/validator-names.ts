/** Names that operators give their validators: only their own messages tell them. */
import type { MsgCreateValidator, MsgEditValidator } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import type { ValidatorName } from '../../../schemas/types.generated.js';
import type { Block, Message } from '../../chain/block.js';

const NAMING = new Set(['/cosmos.staking.v1beta1.MsgCreateValidator', '/cosmos.staking.v1beta1.MsgEditValidator']);

/** Stands in the place of a name that an edit leaves as it is (x/staking, DoNotModifyDesc). */
const UNCHANGED = '[do-not-modify]';

/** The names given in a block's successful transactions, in its order. */
export function validatorNames({ height, transactions }: Block): ValidatorName[] {
  return transactions
    .filter(({ code }) => code === 0)
    .flatMap(({ messages }) => messages.flatMap(namesIn))
    .map((name, position) => ({ height, position, ...name }));
}

function namesIn({ typeUrl, value, inner }: Message): Pick<ValidatorName, 'validator' | 'moniker'>[] {
  if (inner.length > 0) return inner.flatMap(namesIn);
  if (!NAMING.has(typeUrl) || value === undefined) return [];
  const { validatorAddress, description } = value as Partial<MsgCreateValidator | MsgEditValidator>;
  const moniker = description?.moniker ?? UNCHANGED;
  return !validatorAddress || moniker === UNCHANGED ? [] : [{ validator: validatorAddress.toLowerCase(), moniker }];
}
