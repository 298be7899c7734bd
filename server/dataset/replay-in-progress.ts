/** Replay in progress: a dataset waits for its replay under other versions (specification, "States and transitions"; decision A12). */
import { Problem } from '../problem.js';
import type { Dataset } from './dataset.js';

/** Seconds after which a caller may try again: a night replays in minutes to an hour. */
const RETRY_AFTER_SECONDS = 300;

/** Refuses figures that the program would make otherwise today: none is better than one that changes by tomorrow. */
export const replayInProgress = ({ otherVersions }: Dataset) =>
  new Problem(
    'replay_in_progress',
    `wallets are being replayed, because the published dataset was made under ${otherVersions.join(' and ')}; ask ` +
      'again when the next one is published',
    { retryAfter: RETRY_AFTER_SECONDS },
  );
