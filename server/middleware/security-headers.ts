/** Headers that keep answers from being run, embedded or told of elsewhere. */
import type { Middleware } from '../context.js';

/** An answer of the API is data: whatever it holds, no browser shows it as a page or in one. */
const DATA_ONLY = "default-src 'none'; frame-ancestors 'none'";

export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': DATA_ONLY,
  'Referrer-Policy': 'no-referrer',
} as const;

export const securityHeaders: Middleware = (ctx, next) => {
  ctx.set(SECURITY_HEADERS);
  return next();
};
