import type { Config } from '../../../pipeline/config.js';
import type { ActionEndpoint, ServiceEndpoint } from '../../api/endpoint.js';
import { keyEndpoints } from './keys.js';
import { linkEndpoints } from './link.js';
import { meEndpoints } from './me.js';
import { openIdEndpoints } from './openid.js';
import { sessionEndpoints } from './sessions.js';
import { signInEndpoints } from './sign-in.js';

export const accountEndpoints = (config: Config): (ActionEndpoint | ServiceEndpoint)[] => [
  ...signInEndpoints,
  ...sessionEndpoints,
  ...linkEndpoints,
  ...openIdEndpoints(config),
  ...meEndpoints,
  ...keyEndpoints,
];
