/** Signatures of deliveries, which receivers verify (specification, "Events"). */
import { createHmac } from 'node:crypto';

/**
 * The signature as the headers show it: HMAC-SHA256 over `<timestamp>.<body>`.
 * @param timestamp milliseconds since the epoch, as sent in X-Service-Timestamp
 * @param body exactly what is sent
 */
export function signatureOf(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
