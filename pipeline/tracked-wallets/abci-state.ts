/** Reads the state of a wallet over RPC (abci_query). */
import { QueryAccountInfoRequest, QueryAccountInfoResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { QueryAllBalancesRequest, QueryAllBalancesResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import {
  QueryDelegationTotalRewardsRequest,
  QueryDelegationTotalRewardsResponse,
} from 'cosmjs-types/cosmos/distribution/v1beta1/query';
import { QueryParamsRequest, QueryParamsResponse } from 'cosmjs-types/cosmos/slashing/v1beta1/query';
import {
  QueryDelegatorDelegationsRequest,
  QueryDelegatorDelegationsResponse,
  QueryDelegatorUnbondingDelegationsRequest,
  QueryDelegatorUnbondingDelegationsResponse,
  QueryValidatorsRequest,
  QueryValidatorsResponse,
} from 'cosmjs-types/cosmos/staking/v1beta1/query';
import type { Validator } from 'cosmjs-types/cosmos/staking/v1beta1/staking';
import type { Timestamp } from 'cosmjs-types/google/protobuf/timestamp';
import type { AbciClient } from '../chain/nodes/abci-client.js';
import { NodeFailure } from '../chain/nodes/ask-node.js';
import {
  ABSENT_ACCOUNT,
  type DecimalCoin,
  type Entry,
  type NodeValidator,
  rewardsOf,
  type SlashFractions,
  type StateSource,
  sequenceWithin,
  type WalletState,
} from './node-facts.js';

const PAGE_SIZE = 200n;

export class AbciState implements StateSource {
  constructor(
    private readonly client: AbciClient,
    private readonly native: string,
  ) {}

  async wallet(address: string, height: number): Promise<WalletState | undefined> {
    if (height === 0) return undefined; // nodes would treat 0 as the latest height
    const balances = await this.client.pages({
      path: '/cosmos.bank.v1beta1.Query/AllBalances',
      height,
      request: (key) =>
        QueryAllBalancesRequest.encode({ address, pagination: pageOf(key), resolveDenom: false }).finish(),
      read(value) {
        const { balances: page, pagination } = QueryAllBalancesResponse.decode(value);
        return { page: page.map(({ denom, amount }): [string, bigint] => [denom, amountOf(amount)]), pagination };
      },
    });
    if (!balances) return undefined;
    const [delegations, entries, rewards, sequence] = await Promise.all([
      this.delegations(address, height),
      this.entries(address, height),
      this.rewards(address, height),
      this.sequence(address, height),
    ]);
    if (!delegations || !entries || !rewards || sequence === undefined) return undefined;
    return { balances: new Map(balances.flat()), delegations: new Map(delegations), entries, sequence, ...rewards };
  }

  private async delegations(delegatorAddr: string, height: number): Promise<[string, bigint][] | undefined> {
    const pages = await this.client.pages({
      path: '/cosmos.staking.v1beta1.Query/DelegatorDelegations',
      height,
      request: (key) => QueryDelegatorDelegationsRequest.encode({ delegatorAddr, pagination: pageOf(key) }).finish(),
      read(value) {
        const { delegationResponses, pagination } = QueryDelegatorDelegationsResponse.decode(value);
        const page = delegationResponses.map(({ delegation, balance }): [string, bigint] => [
          delegation.validatorAddress,
          amountOf(balance.amount),
        ]);
        return { page, pagination };
      },
      absent: NO_DELEGATION,
    });
    return pages?.flat();
  }

  private async entries(delegatorAddr: string, height: number): Promise<Entry[] | undefined> {
    const pages = await this.client.pages({
      path: '/cosmos.staking.v1beta1.Query/DelegatorUnbondingDelegations',
      height,
      request: (key) =>
        QueryDelegatorUnbondingDelegationsRequest.encode({ delegatorAddr, pagination: pageOf(key) }).finish(),
      read(value) {
        const { unbondingResponses, pagination } = QueryDelegatorUnbondingDelegationsResponse.decode(value);
        const page = unbondingResponses.flatMap(({ validatorAddress, entries }) =>
          entries.map((entry) => ({
            validator: validatorAddress,
            creationHeight: Number(entry.creationHeight),
            completion: instantOf(entry.completionTime),
            initial: amountOf(entry.initialBalance),
            balance: amountOf(entry.balance),
          })),
        );
        return { page, pagination };
      },
    });
    return pages?.flat();
  }

  private async rewards(delegatorAddress: string, height: number) {
    const pages = await this.client.pages({
      path: '/cosmos.distribution.v1beta1.Query/DelegationTotalRewards',
      height,
      request: () => QueryDelegationTotalRewardsRequest.encode({ delegatorAddress }).finish(),
      read(value) {
        const { rewards, total } = QueryDelegationTotalRewardsResponse.decode(value);
        return {
          page: { rewards: rewards.map(({ reward }) => reward.map(decimalCoin)), total: total.map(decimalCoin) },
        };
      },
    });
    const page = pages?.[0];
    return page && rewardsOf(page.rewards, page.total, this.native);
  }

  private async sequence(address: string, height: number): Promise<number | undefined> {
    const pages = await this.client.pages({
      path: '/cosmos.auth.v1beta1.Query/AccountInfo',
      height,
      request: () => QueryAccountInfoRequest.encode({ address }).finish(),
      read(value) {
        const { info } = QueryAccountInfoResponse.decode(value);
        return { page: sequenceWithin(Number(info?.sequence ?? 0n), height) };
      },
      absent: ABSENT_ACCOUNT,
    });
    return pages && (pages[0] ?? 0);
  }

  async validators(height: number): Promise<NodeValidator[] | undefined> {
    const pages = await this.client.pages({
      path: '/cosmos.staking.v1beta1.Query/Validators',
      height,
      request: (key) => QueryValidatorsRequest.encode({ status: '', pagination: pageOf(key) }).finish(),
      read(value) {
        const { validators, pagination } = QueryValidatorsResponse.decode(value);
        return { page: validators.map(validatorOf), pagination };
      },
    });
    return pages?.flat();
  }

  async slashFractions(height: number): Promise<SlashFractions | undefined> {
    const pages = await this.client.pages({
      path: '/cosmos.slashing.v1beta1.Query/Params',
      height,
      request: () => QueryParamsRequest.encode({}).finish(),
      read(value) {
        const { slashFractionDoubleSign, slashFractionDowntime } = QueryParamsResponse.decode(value).params;
        const fraction = (bytes: Uint8Array) => amountOf(Buffer.from(bytes).toString());
        const page = {
          double_sign: fraction(slashFractionDoubleSign),
          missing_signature: fraction(slashFractionDowntime),
        };
        return { page };
      },
    });
    return pages?.[0];
  }
}

/** SDK versions before 0.50 report this error for an address without delegations. */
const NO_DELEGATION = /unable to find delegations/i;

const AMOUNT = /^\d{1,78}$/;

function amountOf(text: string): bigint {
  if (!AMOUNT.test(text)) throw new NodeFailure(`it answers with the amount ${JSON.stringify(text.slice(0, 80))}`);
  return BigInt(text);
}

/** The SDK encodes decimals multiplied by 10^18. */
const decimalCoin = ({ denom, amount }: { denom: string; amount: string }): DecimalCoin => ({
  denom,
  amount: amountOf(amount),
});

const pageOf = (key: Uint8Array) => ({ key, offset: 0n, limit: PAGE_SIZE, countTotal: false, reverse: false });

/** Writes 0, 3, 6 or 9 digits of a second, as answers over REST do. */
function instantOf({ seconds, nanos }: Timestamp): string {
  const fraction =
    nanos === 0
      ? ''
      : `.${String(nanos)
          .padStart(9, '0')
          .replace(/(000)+$/, '')}`;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

function validatorOf({
  operatorAddress,
  description,
  consensusPubkey,
  tokens,
  delegatorShares,
}: Validator): NodeValidator {
  const key = consensusPubkey ? PubKey.decode(consensusPubkey.value).key : new Uint8Array();
  return {
    operator: operatorAddress,
    moniker: description.moniker,
    consensusKey: Buffer.from(key).toString('base64'),
    tokens: amountOf(tokens),
    shares: amountOf(delegatorShares),
  };
}
