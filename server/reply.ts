/**
 * Puts an answer on the wire. Status and headers go out in one step, from lists of names and values in turn: Node takes
 * them as they are, where setting headers one by one costs a tenth of a small answer. Nothing has to be taken back when a
 * request fails, because what belongs to an answer alone is not set before it is certain.
 */
import type { Context } from './context.js';

/** Name, value, name, value. */
export type HeaderList = readonly string[];

/** Sends status, standing headers, the given ones and, where there is one, the body. Node leaves it out for HEAD. */
export function reply(ctx: Context, status: number, headers: HeaderList, body?: Buffer | string): void {
  beginReply(ctx, status, headers);
  ctx.res.end(body);
}

/** Sends status and headers; the body is written by the caller. */
export function beginReply({ res, state }: Context, status: number, headers: HeaderList): void {
  res.writeHead(status, [...state.headers, ...headers]);
}
