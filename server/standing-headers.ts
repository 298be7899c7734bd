/** What every answer carries, whatever becomes of the request. */
import type { HeaderList } from './reply.js';

/** An answer of the API is data: whatever it holds, no browser shows it as a page or in one. */
const DATA_ONLY = "default-src 'none'; frame-ancestors 'none'";

/** @param contentSecurityPolicy of pages */
export const standingHeaders = (contentSecurityPolicy: string = DATA_ONLY): HeaderList => [
  'Vary',
  'Accept-Encoding',
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  contentSecurityPolicy,
  'Referrer-Policy',
  'no-referrer',
];
