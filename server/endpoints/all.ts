import type { Config } from '../../pipeline/config.js';
import type { AnyEndpoint, Endpoint } from '../api/endpoint.js';
import { llmsText } from '../docs/llms.js';
import { accountEndpoints } from './account/index.js';
import { catalog } from './catalog.js';
import { contractEndpoints } from './contract.js';
import { contractOpenapi, taxOpenapi } from './openapi.js';
import { PLAIN_TYPE, textEndpoint } from './pages/texts.js';
import { readyz } from './readyz.js';
import { savedEntryEndpoints } from './saved.js';
import { submissionEndpoints } from './submissions.js';
import { webhookEndpoints } from './webhooks.js';

/** Adds endpoints about the service, such as OpenAPI, which describe all endpoints. */
export function withServiceEndpoints(config: Config, data: readonly Endpoint[]): AnyEndpoint[] {
  const all: AnyEndpoint[] = [
    ...data,
    catalog(data),
    ...savedEntryEndpoints,
    ...submissionEndpoints,
    ...accountEndpoints(config),
    ...webhookEndpoints,
    ...contractEndpoints,
  ];
  all.push(
    taxOpenapi(config, all),
    contractOpenapi(config, all),
    textEndpoint('/llms.txt', 'Plain-text orientation for agents.', PLAIN_TYPE, () => llmsText(config, all)),
    { ...textEndpoint('/healthz', 'Whether the process is up.', PLAIN_TYPE, () => 'ok\n'), volatile: true },
    readyz(config),
  );
  return all;
}
