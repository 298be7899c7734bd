/** Keeps requests away from a node that fails (circuit breaker): only a look at its health closes the circuit again. */
import type { UpstreamFault } from './node-query.js';

/** Failed requests in a row that open the circuit; a failed look, or a node that limits us, does so by itself. */
const FAILURES = 3;
/** Milliseconds until the first look at a node whose circuit has opened; doubled with each one that fails. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

export class Circuit {
  isOpen = false;
  /** performance.now() from which on the node may be looked at. */
  until = 0;
  lastFault: UpstreamFault | undefined;
  private failures = 0;
  private wait = FIRST_WAIT_MS;

  /** @param grave whether one is enough */
  fail(fault: UpstreamFault, grave: boolean): void {
    // Else whoever finds a request that confuses a node could keep everybody from it.
    if (fault.kind === 'unclear') return;
    this.lastFault = fault;
    this.failures++;
    if (!grave && fault.kind !== 'busy' && this.failures < FAILURES) return;
    this.until = performance.now() + Math.min(LONGEST_WAIT_MS, Math.max(this.wait, fault.retryAfter * 1000));
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait * 2);
    this.isOpen = true;
  }

  /** @param looked whether a look at its health found it well */
  succeed(looked: boolean): void {
    this.failures = 0;
    if (!looked) return;
    this.isOpen = false;
    this.wait = FIRST_WAIT_MS;
  }
}
