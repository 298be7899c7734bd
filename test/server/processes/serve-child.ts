/** The server as a program, configured by its environment. */
import { readConfig } from '../../../pipeline/config.js';
import { LIMITS } from '../../../server/http/limits.js';
import { serve } from '../../../server/main.js';

// On a busy machine, Redis may take longer than the half second after which a server counts by itself.
Object.assign(LIMITS.waits.redis, { max: 30_000 });

await serve(readConfig());
