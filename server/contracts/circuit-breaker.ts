/**
 * Circuit breaker of a node. Only a health check closes it. Faults that a query may cause never open it: one bad
 * query must not block a node for all callers.
 */
import type { FaultKind, UpstreamFault } from './node-query.js';

/** Faults that no query causes: connection refused or broken, gateway without node, rate limit. */
const CAUSED_BY_NODE: ReadonlySet<FaultKind> = new Set(['down', 'busy']);

/** Consecutive faults that open the circuit. One failed health check or one 429 also opens it. */
const FAULTS_MAX = 3;
/** Delay before the next health check; doubles with each failure. */
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 30_000;

export class Circuit {
  isOpen = false;
  /** No health check before this time of performance.now(). */
  until = 0;
  lastFault: UpstreamFault | undefined;
  private faults = 0;
  /** Consecutive failed queries, whatever the cause. */
  private failedQueries = 0;
  private wait = WAIT_MS_MIN;

  /** If true, other nodes are asked first. */
  get isDoubtful(): boolean {
    return this.failedQueries >= FAULTS_MAX;
  }

  fail(fault: UpstreamFault, isHealthCheck: boolean): void {
    this.failedQueries++;
    if (!isHealthCheck && !CAUSED_BY_NODE.has(fault.kind)) return;
    this.lastFault = fault;
    this.faults++;
    if (!isHealthCheck && fault.kind !== 'busy' && this.faults < FAULTS_MAX) return;
    this.until = performance.now() + Math.min(WAIT_MS_MAX, Math.max(this.wait, fault.retryAfter * 1000));
    this.wait = Math.min(WAIT_MS_MAX, this.wait * 2);
    this.isOpen = true;
  }

  succeed(isHealthCheck: boolean): void {
    this.faults = 0;
    if (!isHealthCheck) {
      this.failedQueries = 0;
      return;
    }
    this.isOpen = false;
    this.wait = WAIT_MS_MIN;
  }
}
