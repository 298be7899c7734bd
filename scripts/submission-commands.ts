/** Commands about what people propose for the reviewed data. */
import type { Command } from 'commander';
import { ConfigError } from '../pipeline/config.js';
import type { Submission } from '../schemas/types.generated.js';
import { countriesIn } from '../server/countries.js';
import { review, reviewQueue, sourcesIn } from '../server/submissions.js';
import { withStore } from './account-commands.js';

const list = () =>
  withStore(async (store) => {
    for (const { id, kind, contract_address, submitted_at, note } of await reviewQueue(store)) {
      console.log([id, submitted_at, kind, contract_address, JSON.stringify(note)].join('\t'));
    }
  });

const decide = (status: 'accepted' | 'rejected') => (id: string) =>
  withStore(async (store, now) => {
    const decided = await review(store, id, status, now);
    if (!decided) throw new ConfigError(`no submission ${id} waits for a review`);
    console.log(`submission ${id} is ${status}`);
    if (status === 'accepted' && decided.kind === 'validator_jurisdiction') console.log(registryEntry(decided, now));
  });

/** What a person then completes and adds to the registry: it stays reviewed data, and nothing in it is guessed. */
function registryEntry({ contract_address, note }: Submission, now: Date): string {
  const [country] = countriesIn(note);
  const [source] = sourcesIn(note);
  const reviewed = now.toISOString().slice(0, 10);
  const entry = {
    moniker: '',
    country,
    entity: '',
    statement: note,
    source,
    reviewed,
    operator_addresses: [contract_address],
  };
  return `check and complete it for data/reference/validator-jurisdictions.json:\n${JSON.stringify(entry, null, 2)}`;
}

/** Adds the commands to the program. */
export function addSubmissionCommands(program: Command): void {
  const submissions = program.command('submissions').description('what people propose for the reviewed data');
  submissions.command('list').description('those that wait for a review, one line each').action(list);
  submissions
    .command('accept')
    .description('accept one; prints what goes into the registry')
    .argument('<id>')
    .action(decide('accepted'));
  submissions.command('reject').description('reject one').argument('<id>').action(decide('rejected'));
}
