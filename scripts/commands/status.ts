/** `hubledger status`: shows the state of the service as text or JSON. */
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { loadReference } from '../../pipeline/reference.js';
import { EXIT } from '../exit-codes.js';
import { describe } from '../status/describe.js';
import { judge } from '../status/judge.js';
import { serviceState } from '../status/service-state.js';

async function showStatus({ json }: { readonly json?: true }): Promise<void> {
  const config = readConfig();
  const reference = loadReference();
  const state = await serviceState(config, reference);
  const judgement = judge(state);
  const healthy = judgement.faults.length === 0;
  console.log(
    json ? JSON.stringify({ healthy, ...judgement, ...state }, null, 1) : describe(state, judgement, reference.rules),
  );
  if (!healthy) process.exitCode = EXIT.failed;
}

export const examples = ['', '--json'];

export function declare(command: Command): void {
  command.option('--json', 'print JSON, for programs').action(showStatus);
}
