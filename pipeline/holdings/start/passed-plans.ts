/** The upgrade that a chain had decided on before its export: x/upgrade exports nothing, so that it follows from passed proposals. */
import { exportedChanges } from '../parameters.js';
import type { UpgradePlan } from '../state.js';
import type { JsonItem } from '../values/json-item.js';
import { parseTime } from '../values/time.js';

export class PassedPlans {
  private readonly passed: { readonly decided: bigint; readonly id: bigint; readonly plan: UpgradePlan | null }[] = [];

  /** @param proposal that has passed, as app_state.gov.proposals has it */
  take(proposal: JsonItem): void {
    const { upgradePlan: plan } = exportedChanges(proposal.member('messages').list());
    if (plan === undefined) return;
    const decided = parseTime(proposal.member('voting_end_time').text());
    this.passed.push({ decided, id: proposal.member('id').integer(), plan });
  }

  /** The plan of the proposal that was decided last, unless the chain is past it, or that proposal cancelled the plan before it. */
  planAfter(height: number): UpgradePlan | null {
    this.passed.sort((a, b) => Number(a.decided - b.decided) || Number(a.id - b.id));
    const plan = this.passed.at(-1)?.plan ?? null;
    return plan && plan.height > height ? plan : null;
  }
}
