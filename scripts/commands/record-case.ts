/** `hubledger record-case`: extracts a classification test case from a block. */
import { type Command, InvalidArgumentError } from 'commander';
import { recordCase } from '../recordings/record-case.js';

function height(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be the height of a block.');
  return Number(text);
}

function place(text: string): string {
  if (/^([0-9A-F]{4,64}|\d+-\d+)$/.test(text)) return text;
  throw new InvalidArgumentError("It must be the start of a transaction's hash in capitals, or <first>-<last>.");
}

function name(text: string): string {
  if (/^[a-z-]+\/[\w.-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be <module>/<message>-<variant>.');
}

const HELP = `
The case has the events of one transaction, or some of a block's own events, and the rows that the program makes of them now. Check
the rows against the events before you commit the file.`;

export const examples = [
  'data/sample 52 6E478ED7 staking/MsgBeginRedelegate-again "both validators pay a reward"',
  'https://rpc.example 29500000 6E478ED7 staking/MsgBeginRedelegate-again "both validators pay a reward"',
];

export function declare(command: Command): void {
  command
    .argument('<source>', 'URL of a node, or folder of a recording, with blocks/<from>-<to>.jsonl.gz')
    .argument('<height>', 'height of the block', height)
    .argument(
      '<place>',
      "start of a transaction's hash, or <first>-<last> of the block's own events, counted from 0",
      place,
    )
    .argument('<name>', 'file to write below test/classify, without .json: <module>/<message>-<variant>', name)
    .argument('<title>', 'what the case shows, as the name of the test')
    .addHelpText('after', HELP)
    .action(async (...words: Parameters<typeof recordCase>) => {
      const path = await recordCase(...words);
      console.log(`written: ${path}`);
    });
}
