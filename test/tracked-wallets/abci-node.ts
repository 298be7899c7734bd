/** Answers abci_query with the states in node-state.json, encoded as the SDK's gRPC queries encode them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryAccountInfoRequest, QueryAccountInfoResponse } from 'cosmjs-types/cosmos/auth/v1beta1/query';
import { QueryAllBalancesRequest, QueryAllBalancesResponse } from 'cosmjs-types/cosmos/bank/v1beta1/query';
import { PubKey } from 'cosmjs-types/cosmos/crypto/ed25519/keys';
import {
  QueryDelegationTotalRewardsRequest,
  QueryDelegationTotalRewardsResponse,
} from 'cosmjs-types/cosmos/distribution/v1beta1/query';
import { QueryParamsResponse } from 'cosmjs-types/cosmos/slashing/v1beta1/query';
import {
  QueryDelegatorDelegationsRequest,
  QueryDelegatorDelegationsResponse,
  QueryDelegatorUnbondingDelegationsRequest,
  QueryDelegatorUnbondingDelegationsResponse,
  QueryValidatorsResponse,
} from 'cosmjs-types/cosmos/staking/v1beta1/query';
import { projectRoot } from '../../pipeline/base/project.js';
import { JsonItem } from '../../pipeline/holdings/values/json-item.js';

const states: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(join(projectRoot(), 'test/tracked-wallets/node-state.json'), 'utf8'),
);

const coinOf = (item: JsonItem) => ({ denom: item.member('denom').text(), amount: item.member('amount').text() });
/** Decimals are multiplied by 10^18. */
const decimalOf = (item: JsonItem) => String(item.decimal());
const timeOf = (text: string) => {
  const nanos = Number((/\.(\d+)Z$/.exec(text)?.[1] ?? '').padEnd(9, '0'));
  return { seconds: BigInt(Math.floor(Date.parse(text) / 1000)), nanos };
};

type Answers = (path: string) => JsonItem;

/** Encodes the answer to a query. `answer` reads the recorded answer to a REST path. */
const QUERIES: Readonly<Record<string, (request: Uint8Array, answer: Answers) => Uint8Array>> = {
  /** One balance on each page. */
  '/cosmos.bank.v1beta1.Query/AllBalances': (request, answer) => {
    const { address, pagination } = QueryAllBalancesRequest.decode(request);
    const all = answer(`bank/v1beta1/balances/${address}`).member('balances').list().map(coinOf);
    const at = Number(Buffer.from(pagination?.key ?? []).toString() || 0);
    const nextKey = at + 1 < all.length ? Buffer.from(String(at + 1)) : new Uint8Array();
    const page = { balances: all.slice(at, at + 1), pagination: { nextKey, total: 0n } };
    return QueryAllBalancesResponse.encode(page).finish();
  },
  '/cosmos.staking.v1beta1.Query/DelegatorDelegations': (request, answer) => {
    const { delegatorAddr } = QueryDelegatorDelegationsRequest.decode(request);
    const list = answer(`staking/v1beta1/delegations/${delegatorAddr}`).member('delegation_responses').list();
    const delegationResponses = list.map((item) => ({
      delegation: {
        delegatorAddress: delegatorAddr,
        validatorAddress: item.member('delegation').member('validator_address').text(),
        shares: decimalOf(item.member('delegation').member('shares')),
      },
      balance: coinOf(item.member('balance')),
    }));
    return QueryDelegatorDelegationsResponse.encode({ delegationResponses }).finish();
  },
  '/cosmos.staking.v1beta1.Query/DelegatorUnbondingDelegations': (request, answer) => {
    const { delegatorAddr } = QueryDelegatorUnbondingDelegationsRequest.decode(request);
    const path = `staking/v1beta1/delegators/${delegatorAddr}/unbonding_delegations`;
    const unbondingResponses = answer(path)
      .member('unbonding_responses')
      .list()
      .map((item) => ({
        delegatorAddress: delegatorAddr,
        validatorAddress: item.member('validator_address').text(),
        entries: item
          .member('entries')
          .list()
          .map((entry) => ({
            creationHeight: entry.member('creation_height').integer(),
            completionTime: timeOf(entry.member('completion_time').text()),
            initialBalance: entry.member('initial_balance').text(),
            balance: entry.member('balance').text(),
            unbondingId: 0n,
            unbondingOnHoldRefCount: 0n,
          })),
      }));
    return QueryDelegatorUnbondingDelegationsResponse.encode({ unbondingResponses }).finish();
  },
  '/cosmos.distribution.v1beta1.Query/DelegationTotalRewards': (request, answer) => {
    const { delegatorAddress } = QueryDelegationTotalRewardsRequest.decode(request);
    const reply = answer(`distribution/v1beta1/delegators/${delegatorAddress}/rewards`);
    const coins = (item: JsonItem) =>
      item.list().map((one) => ({ denom: one.member('denom').text(), amount: decimalOf(one.member('amount')) }));
    const rewards = reply
      .member('rewards')
      .list()
      .map((one) => ({
        validatorAddress: one.member('validator_address').text(),
        reward: coins(one.member('reward')),
      }));
    const total = coins(reply.member('total'));
    return QueryDelegationTotalRewardsResponse.encode({ rewards, total }).finish();
  },
  '/cosmos.auth.v1beta1.Query/AccountInfo': (request, answer) => {
    const { address } = QueryAccountInfoRequest.decode(request);
    const account = answer(`auth/v1beta1/accounts/${address}`).member('account');
    const sequence = account.member('sequence').integer();
    return QueryAccountInfoResponse.encode({ info: { address, accountNumber: 1n, sequence } }).finish();
  },
  '/cosmos.staking.v1beta1.Query/Validators': (_, answer) => {
    const list = answer('staking/v1beta1/validators').member('validators').list();
    const validators = list.map((item) => {
      const key = Buffer.from(item.member('consensus_pubkey').member('key').text(), 'base64');
      return {
        operatorAddress: item.member('operator_address').text(),
        consensusPubkey: { typeUrl: PubKey.typeUrl, value: PubKey.encode({ key }).finish() },
        description: { moniker: item.member('description').member('moniker').text() },
        tokens: item.member('tokens').text(),
        delegatorShares: decimalOf(item.member('delegator_shares')),
      };
    });
    return QueryValidatorsResponse.encode(QueryValidatorsResponse.fromPartial({ validators })).finish();
  },
  '/cosmos.slashing.v1beta1.Query/Params': (_, answer) => {
    const params = answer('slashing/v1beta1/params').member('params');
    const fraction = (name: string) => Buffer.from(decimalOf(params.member(`slash_fraction_${name}`)));
    return QueryParamsResponse.encode(
      QueryParamsResponse.fromPartial({
        params: { slashFractionDoubleSign: fraction('double_sign'), slashFractionDowntime: fraction('downtime') },
      }),
    ).finish();
  },
};

/** Answers as a node of the SDK does, except for `change`. Reads parameters of a URL or of JSON. */
export function answerAbci(parameters: URLSearchParams, change: (response: object) => object = (one) => one): object {
  const [path, height] = [parameters.get('path')!.replaceAll('"', ''), parameters.get('height')!];
  const state = states[height];
  if (!state) {
    const log = `failed to load state at height ${height}; version does not exist (latest height: 1000)`;
    return change({ code: 38, log, height: '0', value: null });
  }
  const request = Buffer.from(parameters.get('data')!.replace(/^0x/, ''), 'hex');
  const value = QUERIES[path]!(request, (rest) => new JsonItem(rest, state[`/cosmos/${rest}`]));
  return change({ code: 0, log: '', height, value: Buffer.from(value).toString('base64') });
}
