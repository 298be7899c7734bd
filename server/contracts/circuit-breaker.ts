/** Circuit breaker: keeps requests away from a node that fails. Only a health check closes the circuit again. */
import type { UpstreamFault } from './node-query.js';

/** Failed requests in a row that open the circuit; one failed health check also does, or one answer of a node that limits us. */
const FAILURES_MAX = 3;
/** Time until the first health check of a node whose circuit has opened; it doubles with each one that fails. */
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 30_000;

export class Circuit {
  isOpen = false;
  /** Value of performance.now() from which on the node's health may be checked. */
  until = 0;
  lastFault: UpstreamFault | undefined;
  private failures = 0;
  private wait = WAIT_MS_MIN;

  /** Notes a fault. @param opens whether this one is enough to open the circuit */
  fail(fault: UpstreamFault, opens: boolean): void {
    // Whoever finds a request that confuses a node must not keep everybody from it.
    if (fault.kind === 'unclear') return;
    this.lastFault = fault;
    this.failures++;
    if (!opens && fault.kind !== 'busy' && this.failures < FAILURES_MAX) return;
    this.until = performance.now() + Math.min(WAIT_MS_MAX, Math.max(this.wait, fault.retryAfter * 1000));
    this.wait = Math.min(WAIT_MS_MAX, this.wait * 2);
    this.isOpen = true;
  }

  /** Notes an answer. @param isHealthCheck whether it was the answer to a health check */
  succeed(isHealthCheck: boolean): void {
    this.failures = 0;
    if (!isHealthCheck) return;
    this.isOpen = false;
    this.wait = WAIT_MS_MIN;
  }
}
