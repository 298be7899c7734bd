/** The path of a request as the log may have it. */
import type { MountedRoute } from '../routes.js';

/** As long as tokens are, and addresses. */
const LONG = /[\w%~-]{32,}/g;

/** What stands in a path for `{token}` is nobody's business, also where a slip of the pen leads past the route. */
export const loggedPath = (path: string, route: MountedRoute | undefined): string =>
  route?.endpoint.path ?? path.replace(LONG, '…');
