/** `hubledger submissions`: people's proposals for the reviewed data. */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/config-error.js';
import type { Disclosure, Submission } from '../../schemas/types.generated.js';
import type { Store } from '../../server/store/store.js';
import { countriesIn } from '../../server/submissions/countries.js';
import { disclosureOf, type Reading } from '../../server/submissions/disclosures.js';
import { review, reviewQueue, sourcesIn, waitingSubmission } from '../../server/submissions/submissions.js';
import { quoted } from '../explain/words.js';
import { withStore } from './with-store.js';

const list = () =>
  withStore(async (store) => {
    for (const { id, kind, contract_address, submitted_at, note } of await reviewQueue(store)) {
      console.log([id, submitted_at, kind, contract_address, quoted(note, Number.POSITIVE_INFINITY)].join('\t'));
    }
  });

const waiting = async (store: Store, id: string) => {
  const found = await waitingSubmission(store, id);
  if (!found) throw new ConfigError(`no submission ${id} waits for a review`);
  return found;
};

const accept = (id: string, reading: Reading) =>
  withStore(async (store, now) => {
    const submission = await waiting(store, id);
    const entry = submission.kind === 'validator_jurisdiction' ? entryOf(submission, reading, now) : null;
    await review(store, id, 'accepted', now, entry);
    console.log(`submission ${id} is accepted`);
    if (entry) console.log(`the registry says from now on:\n${JSON.stringify(entry, null, 2)}`);
  });

/** Makes the registry's entry of a submission. @throws ConfigError when the note says a thing in several ways, or in none */
function entryOf(submission: Submission, reading: Reading, now: Date): Disclosure {
  const entry = disclosureOf(submission, reading, now);
  if (!('open' in entry)) return entry;
  const choices = entry.choices.length === 0 ? 'none' : entry.choices.join(', ');
  throw new ConfigError(`the note names ${choices}: say by --${entry.open} what the source confirms`);
}

const reject = (id: string) =>
  withStore(async (store, now) => {
    await waiting(store, id);
    await review(store, id, 'rejected', now);
    console.log(`submission ${id} is rejected`);
  });

function country(text: string): string {
  if (!/^[A-Z]{2}$/.test(text) || !countriesIn(text).includes(text)) {
    throw new InvalidArgumentError('It must be a code of ISO 3166-1 alpha-2 such as CH.');
  }
  return text;
}

function source(text: string): string {
  if (sourcesIn(text)[0] !== text) throw new InvalidArgumentError('It must be an https URL.');
  return text;
}

/** Declares the subcommands. */
export function declare(submissions: Command): void {
  submissions.command('list').description('those that wait for a review, one line each').action(list);
  submissions
    .command('accept')
    .description('accept one whose source was read and says so; the registry has it from then on')
    .argument('<id>')
    .option('--country <code>', 'ISO 3166-1 alpha-2, where the note names several', country)
    .option('--source <url>', 'where it is public, where the note names several', source)
    .option('--entity <name>', 'who disclosed it; the operator address unless given')
    .option('--statement <text>', 'the own words of who disclosed it; the note unless given')
    .action(accept);
  submissions.command('reject').description('reject one').argument('<id>').action(reject);
}
