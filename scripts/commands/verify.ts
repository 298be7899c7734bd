/** `hubledger verify`: every check of a published dataset, one line each. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { type Check, publishedFolder, verify } from '../../pipeline/verify/verify.js';
import { verifyAgainstNode } from '../../pipeline/verify/verify-against-node.js';

/** Exit code of a failed check, as of a night's failed audit. */
const CHECK_FAILED = 3;

async function verifyDataset({ dataset, againstNode }: { dataset?: string; againstNode?: true }): Promise<void> {
  const config = readConfig();
  const folder = dataset === undefined ? publishedFolder(config.dataDir) : resolve(dataset);
  await printChecks(verify(folder));
  if (againstNode) await printChecks(verifyAgainstNode(folder, config.lcdUrls));
}

async function printChecks(checks: AsyncIterable<Check>): Promise<void> {
  for await (const { ok, text } of checks) {
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${text}`);
    if (!ok) process.exitCode = CHECK_FAILED;
  }
}

/** Declares options and action. */
export function declare(command: Command): void {
  command
    .option('--dataset <dir>', "a generation's folder, by default the one in force")
    .option('--against-node', 'also compare holdings of some wallets with the state of a node (HUBLEDGER_LCD_URLS)')
    .action(verifyDataset);
}
