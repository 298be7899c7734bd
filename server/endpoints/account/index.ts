/** The endpoints of accounts. */
import type { Config } from '../../../pipeline/config.js';
import type { ActionEndpoint, ServiceEndpoint } from '../../endpoint.js';
import { deletedAccount } from './deletion.js';
import { createdKey, keys, revokedKey, rotatedKey } from './keys.js';
import { me } from './me.js';
import { openIdEndpoints } from './openid.js';
import { endedSession, otherSessionsEnded, sessions, signOutEverywhere } from './sessions.js';
import { challenge, link, redeemedLink, signIn, signOut } from './sign-in.js';

export const accountEndpoints = (config: Config): (ActionEndpoint | ServiceEndpoint)[] => [
  challenge,
  signIn,
  signOut,
  sessions,
  signOutEverywhere,
  otherSessionsEnded,
  endedSession,
  link,
  redeemedLink,
  ...openIdEndpoints(config),
  me,
  deletedAccount,
  keys,
  createdKey,
  rotatedKey,
  revokedKey,
];
