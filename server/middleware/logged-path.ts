/** The path of a request as the log may have it. */
import type { AnyEndpoint } from '../endpoint.js';

/** Segments as long as tokens are, and addresses. */
const LONG = /[\w%~-]{32,}/g;

/** A token in a path is a secret: an endpoint's path stands with its `{name}`, any other without long segments. */
export const loggedPath = (path: string, endpoint: AnyEndpoint | undefined): string =>
  endpoint?.path ?? path.replace(LONG, '…');
