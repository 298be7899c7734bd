/** Bodies that no parameter changes: made, packed and tagged once, then sent again and again. */

import { VERSION } from '../pipeline/project.js';
import { PrecompressedBody } from './encodings.js';
import type { Answer } from './endpoint.js';
import { dataTag, weakETag } from './http/etag.js';
import { contentType, isWhole, textOf } from './send.js';

export interface SingleBody {
  readonly type: string;
  readonly body: PrecompressedBody;
  /** Derived from the bytes. */
  readonly etag: string;
}

export class SingleBodies {
  private readonly kept = new Map<string, { version: string; body: Promise<SingleBody> }>();

  /**
   * The body at a path, made when its version is not the one kept.
   * @param version what the body depends on; one is kept a path
   */
  get(path: string, version: string, make: () => Answer | Promise<Answer>): Promise<SingleBody> {
    const found = this.kept.get(path);
    if (found?.version === version) return found.body;
    const body = pack(make);
    this.kept.set(path, { version, body });
    // What failed is tried again by the next request; this one hears of it through the promise itself.
    body.catch(() => this.kept.delete(path));
    return body;
  }
}

async function pack(make: () => Answer | Promise<Answer>): Promise<SingleBody> {
  const answer = await make();
  if (!isWhole(answer)) throw new TypeError('an answer without parameters is made at once');
  const bytes = Buffer.from(textOf(answer));
  return {
    type: contentType(answer),
    body: await PrecompressedBody.of(bytes),
    etag: weakETag(dataTag(VERSION), bytes.toString('latin1')),
  };
}
