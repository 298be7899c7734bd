/**
 * Circuit breaker: keeps requests away from a node that fails. Only a health check closes the circuit again. Faults that a question
 * can cause never open it: whoever finds a question that a node or its gateway cannot take must not keep everybody from it.
 */
import type { FaultKind, UpstreamFault } from './node-query.js';

/** Faults that no question causes: connections that are refused or break, a gateway without its node, a node that limits us. */
const OF_THE_NODE: ReadonlySet<FaultKind> = new Set(['down', 'busy']);

/** Faults of the node in a row that open the circuit; one failed health check also does, or one answer of a node that limits us. */
const FAULTS_MAX = 3;
/** Time until the first health check of a node whose circuit has opened; it doubles with each one that fails. */
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 30_000;

export class Circuit {
  isOpen = false;
  /** Value of performance.now() from which on the node's health may be checked. */
  until = 0;
  lastFault: UpstreamFault | undefined;
  private faults = 0;
  /** Questions in a row that failed, for whatever reason. */
  private unanswered = 0;
  private wait = WAIT_MS_MIN;

  /** Tells whether the latest questions all failed, so that other nodes should be asked first. */
  get isDoubtful(): boolean {
    return this.unanswered >= FAULTS_MAX;
  }

  /** Notes a fault. @param isHealthCheck whether a health check found it */
  fail(fault: UpstreamFault, isHealthCheck: boolean): void {
    this.unanswered++;
    if (!isHealthCheck && !OF_THE_NODE.has(fault.kind)) return;
    this.lastFault = fault;
    this.faults++;
    if (!isHealthCheck && fault.kind !== 'busy' && this.faults < FAULTS_MAX) return;
    this.until = performance.now() + Math.min(WAIT_MS_MAX, Math.max(this.wait, fault.retryAfter * 1000));
    this.wait = Math.min(WAIT_MS_MAX, this.wait * 2);
    this.isOpen = true;
  }

  /** Notes an answer. @param isHealthCheck whether it was the answer to a health check */
  succeed(isHealthCheck: boolean): void {
    this.faults = 0;
    if (!isHealthCheck) {
      this.unanswered = 0;
      return;
    }
    this.isOpen = false;
    this.wait = WAIT_MS_MIN;
  }
}
