/** The endpoints of accounts. */
import type { Config } from '../../../pipeline/config.js';
import type { ActionEndpoint } from '../../endpoint.js';
import { createdKey, keys, revokedKey, rotatedKey } from './keys.js';
import { me } from './me.js';
import { openIdEndpoints } from './openid.js';
import { challenge, link, signIn, signOut } from './sign-in.js';

export const accountEndpoints = (config: Config): ActionEndpoint[] => [
  challenge,
  signIn,
  signOut,
  link,
  ...openIdEndpoints(config),
  me,
  keys,
  createdKey,
  rotatedKey,
  revokedKey,
];
