/** Public answers that were asked for lately, as they went out. What a caller tells about itself never comes here. */
import { LRUCache } from 'lru-cache';
import type { Context } from './context.js';
import { codingOnTheFly } from './encodings.js';
import type { Answer } from './endpoint.js';
import type { HeaderList } from './reply.js';
import { type Packed, pack, send, sendPacked } from './send.js';

const KEPT_BYTES = 16 * 1024 * 1024;
/** Larger answers are rarer and worth less room. */
const LARGEST_KEPT = 64 * 1024;

export class RecentAnswers {
  private readonly recent = new LRUCache<string, Packed>({ maxSize: KEPT_BYTES });

  /**
   * Sends what was sent to an equal request, or what is made now.
   * @param name the same for requests that have the same answer
   */
  async send(ctx: Context, name: string, make: () => Answer | Promise<Answer>, headers: HeaderList): Promise<void> {
    const acceptEncoding = ctx.req.headers['accept-encoding'];
    const coding = codingOnTheFly(acceptEncoding);
    const key = `${coding} ${name}`;
    const kept = this.recent.get(key);
    if (kept) return sendPacked(ctx, kept, headers);
    const answer = await make();
    const packed = await pack(answer, acceptEncoding);
    if (!packed) return send(ctx, answer, headers);
    if (packed.body.length <= LARGEST_KEPT) this.recent.set(key, packed, { size: packed.body.length + key.length });
    sendPacked(ctx, packed, headers);
  }
}
