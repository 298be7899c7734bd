/** `hubledger submissions`: lists and reviews changes of the reviewed data that users propose. */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/base/config-error.js';
import type { Disclosure, Submission } from '../../schemas/types.generated.js';
import { countriesIn, disclosureOf, type Reading, sourcesIn } from '../../server/people/submissions/disclosures.js';
import type { ReviewDesk } from '../../server/people/submissions/review-desk.js';
import { quoted } from '../explain/words.js';
import { atDesk } from './with-store.js';

const list = () =>
  atDesk(async (desk) => {
    const pending = await desk.queue();
    if (pending.length === 0) console.error('no pending submissions');
    for (const { id, kind, contract_address, submitted_at, note } of pending) {
      console.log([id, submitted_at, kind, contract_address, quoted(note, Number.POSITIVE_INFINITY)].join('\t'));
    }
  });

const waiting = async (desk: ReviewDesk, id: string) => {
  const found = await desk.waiting(id);
  if (!found) throw new ConfigError(`no submission ${id} is pending`);
  return found;
};

const accept = (id: string, reading: Reading) =>
  atDesk(async (desk, now) => {
    const submission = await waiting(desk, id);
    const entry = submission.kind === 'validator_jurisdiction' ? entryOf(submission, reading, now) : null;
    await desk.settle(id, 'accepted', entry);
    console.log(`submission ${id} is accepted`);
    if (entry) console.log(`new entry of the registry:\n${JSON.stringify(entry, null, 2)}`);
  });

/**
 * Returns the registry entry for an accepted submission.
 * @throws ConfigError if the submission's note does not contain exactly one country and one source
 */
function entryOf(submission: Submission, reading: Reading, now: Date): Disclosure {
  const entry = disclosureOf(submission, reading, now);
  if (!('open' in entry)) return entry;
  const choices = entry.choices.length === 0 ? 'none' : entry.choices.join(', ');
  throw new ConfigError(`the note names ${choices}: pass --${entry.open} with the value that the source confirms`);
}

const reject = (id: string) =>
  atDesk(async (desk) => {
    await waiting(desk, id);
    await desk.settle(id, 'rejected', null);
    console.log(`submission ${id} is rejected`);
  });

function country(text: string): string {
  if (!/^[A-Z]{2}$/.test(text) || !countriesIn(text).includes(text)) {
    throw new InvalidArgumentError('It must be an ISO 3166-1 alpha-2 code such as CH.');
  }
  return text;
}

function source(text: string): string {
  if (sourcesIn(text)[0] !== text) throw new InvalidArgumentError('It must be an https URL.');
  return text;
}

export const examples = ['list', 'accept <id> --country CH', 'reject <id>'];

export function declare(submissions: Command): void {
  submissions.command('list').description('list all submissions that wait for a review').action(list);
  submissions
    .command('accept')
    .description('add a checked submission to the registry')
    .argument('<id>')
    .option('--country <code>', 'ISO 3166-1 alpha-2 code, if the note names several', country)
    .option('--source <url>', 'public source, if the note names several', source)
    .option('--entity <name>', 'person or company that disclosed it; default: the operator address')
    .option('--statement <text>', 'quotation of the disclosure; default: the note')
    .action(accept);
  submissions.command('reject').description('reject a submission').argument('<id>').action(reject);
}
