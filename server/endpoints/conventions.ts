import type { Config } from '../../pipeline/config.js';
import { CONVENTIONS_POLICY, conventionsPage } from '../docs/conventions.js';
import type { ServiceEndpoint } from '../endpoint.js';
import { CONVENTIONS_PATH } from '../problem.js';

export const conventions = (config: Config): ServiceEndpoint => ({
  kind: 'service',
  method: 'GET',
  path: CONVENTIONS_PATH,
  summary: 'What all answers have in common: problems, their codes, headers. For people.',
  parameters: [],
  response: 'html',
  policy: 'none',
  contentSecurityPolicy: CONVENTIONS_POLICY,
  problems: [],
  serve: () => ({ text: conventionsPage(config), type: 'text/html; charset=utf-8' }),
});
