/**
 * Endpoints for widget keys. The operator of a validator signs in with the wallet of the validator's account (decision
 * U5).
 */
import type { NewWidgetKey, WidgetKeys } from '../../../schemas/types.generated.js';
import type { ActionEndpoint, ActionRequest } from '../../api/endpoint.js';
import { Problem, requireFound } from '../../http/problem.js';
import { describeAccount, withAccountLock } from '../../people/accounts/accounts.js';
import { createWidgetKey, isOrigin, listWidgetKeys, revokeWidgetKey } from '../../people/accounts/widget-keys.js';
import { operatorOf } from '../../tax/parameters/addresses.js';
import { invalidBody } from '../../tax/parameters/faults.js';

const WIDGET_KEYS = '/api/account/v1/widget-keys';
const ofSession = { kind: 'action', caller: 'session', access: 'same-origin', parameters: [], policy: 'tax' } as const;

/** Returns the validators whose operator address belongs to one of the account's wallets. */
async function validatorsOf({ caller, store, reference, lease }: ActionRequest): Promise<WidgetKeys['validators']> {
  const { identities } = await describeAccount(store, caller!.account);
  const wallets = identities.filter(({ provider }) => provider === 'cosmos');
  const operators = wallets.map(({ subject }) => operatorOf(subject, reference.chain.bech32_prefix));
  const leased = lease();
  if (!leased) throw new Problem('unavailable', 'no dataset is published yet, so validators are unknown');
  try {
    const known = leased.dataset.validators();
    return operators.flatMap((validator) => {
      const found = known.get(validator);
      return found ? [{ validator, moniker: found.moniker }] : [];
    });
  } finally {
    leased.release();
  }
}

const operatorsOf = async (request: ActionRequest) => (await validatorsOf(request)).map(({ validator }) => validator);

function requireOrigins(origins: readonly string[]): void {
  const message = 'must be scheme, host, and port if not the default, such as https://validator.example';
  const errors = origins.flatMap((one, i) => (isOrigin(one) ? [] : [{ path: `origins/${i}`, message }]));
  if (errors.length > 0) throw invalidBody(errors);
}

export const widgetKeyEndpoints: readonly ActionEndpoint[] = [
  {
    ...ofSession,
    method: 'GET',
    path: WIDGET_KEYS,
    summary: 'Your validators and their widget keys, without the secrets.',
    description:
      'Your validators are those whose operator address has the same key as the wallet that you sign in with. Keys that ' +
      'the operator of this service created for them are listed, too.',
    response: 'widget-keys',
    problems: ['unavailable'],
    async act(request) {
      const validators = await validatorsOf(request);
      const keys = await listWidgetKeys(
        request.store,
        validators.map(({ validator }) => validator),
      );
      return { json: { validators, keys } };
    },
  },
  {
    ...ofSession,
    method: 'POST',
    path: WIDGET_KEYS,
    summary: 'Creates a widget key for a validator of yours and returns it, only this once.',
    body: 'widget-key',
    response: 'widget-key',
    status: 201,
    idempotent: true,
    problems: ['conflict', 'forbidden', 'unavailable'],
    async act(request) {
      const { validator, origins } = request.body as NewWidgetKey;
      requireOrigins(origins);
      if (!(await operatorsOf(request)).includes(validator)) {
        throw new Problem('forbidden', 'sign in with the key of this validator’s account to create its widget keys');
      }
      const { caller, store, now } = request;
      const create = (queries: Parameters<typeof createWidgetKey>[0]) =>
        createWidgetKey(queries, { validator, origins }, now);
      return { json: await withAccountLock(store, caller!.account, create) };
    },
  },
  {
    ...ofSession,
    method: 'DELETE',
    path: `${WIDGET_KEYS}/{id}`,
    summary: 'Revokes a widget key of a validator of yours.',
    description: 'Takes effect at once; other servers on the same database notice within a second.',
    response: 'none',
    problems: ['not_found', 'unavailable'],
    async act(request) {
      const { parameters, store, now } = request;
      const isRevoked = await revokeWidgetKey(store, parameters.id, now, await operatorsOf(request));
      requireFound(isRevoked, `your validators have no widget key ${parameters.id.slice(0, 50)}`);
      return {};
    },
  },
];
