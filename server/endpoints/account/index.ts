/** The endpoints of accounts. */
import type { ActionEndpoint } from '../../endpoint.js';
import { createdKey, keys, revokedKey, rotatedKey } from './keys.js';
import { me } from './me.js';
import { challenge, link, signIn, signOut } from './sign-in.js';

export const accountEndpoints: readonly ActionEndpoint[] = [
  challenge,
  signIn,
  signOut,
  link,
  me,
  keys,
  createdKey,
  rotatedKey,
  revokedKey,
];
