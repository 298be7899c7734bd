import { dayOf } from '../../pipeline/base/values/day.js';
import { type Config, readsNode } from '../../pipeline/config.js';
import type { Follower } from '../../pipeline/publish/follow/follower.js';
import type { OwnWallet } from '../../schemas/types.generated.js';
import type { AnyEndpoint, Endpoint, PolicyName, ServiceEndpoint } from '../api/endpoint.js';
import { type Api, CONTRACT_API, TAX_API } from '../docs/apis.js';
import { llmsText } from '../docs/llms.js';
import { openApiDocument } from '../docs/openapi.js';
import { Problem } from '../http/problem.js';
import { ageOf, ageWarning } from '../tax/dataset/health.js';
import { accountEndpoints } from './account/index.js';
import { contractEndpoints } from './contract.js';
import { referenceEndpoints } from './index.js';
import { PLAIN_TYPE, textEndpoint } from './pages.js';
import { catalog } from './reference.js';
import { savedEntryEndpoints } from './saved.js';
import { submissionEndpoints } from './submissions.js';
import { webhookEndpoints } from './webhooks.js';

const todayOf = ({ now }: Config) => dayOf(now().getTime());

/** @param routes all endpoints, including this one; the array is filled after this call */
const openapi = (api: Api, policy: PolicyName, config: Config, routes: readonly AnyEndpoint[]): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path: api.document,
  summary: 'This API as an OpenAPI 3.1 document.',
  parameters: [],
  response: 'openapi',
  policy,
  dependsOn: () => todayOf(config),
  serve(reference) {
    const covered = routes.filter(api.covers);
    const limited = config.rateLimit > 0;
    const options = { api, baseUrl: api.origin(config), limited, routes: covered, reference, today: todayOf(config) };
    return { json: openApiDocument(options) };
  },
});

/**
 * Reports whether the server is ready. Never reports that the dataset is too old if it comes from a recording, because
 * a recording gets no new blocks.
 */
const readyz = (config: Config, follower: Follower | undefined): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path: '/readyz',
  summary:
    'Whether there is a dataset to answer from, which one, and how old its last block is; 503 also when the server is about to end.',
  parameters: [],
  response: 'readyz',
  policy: 'none',
  volatile: true,
  admit({ isEnding }) {
    if (isEnding) throw new Problem('unavailable', 'the server is shutting down: use another one');
  },
  handle({ dataset, now }) {
    const { generation, height, manifest, otherVersions } = dataset;
    const age_seconds = ageOf(dataset, now);
    const { holdings_from, holdings_until, own_wallets } = manifest;
    const replay_in_progress = otherVersions.length > 0;
    const warning = (readsNode(config) && ageWarning(age_seconds)) || null;
    return {
      json: {
        ...{ generation, height, holdings_from, holdings_until, age_seconds, warning, replay_in_progress },
        ...(own_wallets && { wallets: own_wallets.map(proofsOf) }),
        ...(follower && { follows: follower.state }),
      },
    };
  },
});

const proofsOf = ({ address, state, opening, balances, sequences, stakes, missing, unconfirmed }: OwnWallet) => ({
  address,
  state,
  proofs: {
    opening,
    balances: balances.every(({ holds }) => holds),
    transactions: sequences !== null && sequences.missing.length === 0,
    stakes: stakes.holds,
  },
  missing,
  unconfirmed,
});

/** Adds service endpoints, such as OpenAPI, which describes all other endpoints. */
export function withServiceEndpoints(config: Config, data: readonly Endpoint[], follower?: Follower): AnyEndpoint[] {
  const all: AnyEndpoint[] = [
    ...data,
    ...referenceEndpoints,
    catalog([...data, ...referenceEndpoints]),
    ...savedEntryEndpoints,
    ...submissionEndpoints,
    ...accountEndpoints(config),
    ...webhookEndpoints,
    ...contractEndpoints,
  ];
  all.push(
    openapi(TAX_API, 'tax', config, all),
    openapi(CONTRACT_API, 'contract', config, all),
    textEndpoint('/llms.txt', 'Plain-text orientation for agents.', PLAIN_TYPE, (reference) =>
      llmsText(config, all, reference),
    ),
    { ...textEndpoint('/healthz', 'Whether the process is up.', PLAIN_TYPE, () => 'ok\n'), volatile: true },
    readyz(config, follower),
  );
  return all;
}
