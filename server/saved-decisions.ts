/** What accounts have decided about flagged receipts of wallets, and where it counts (decision "Flagged receipts"). */
import {
  type AssetDecision,
  type AssetDecisions,
  noDecisions,
  parseAssetDecisions,
} from '../pipeline/ledger/decisions.js';
import type { NewSavedDecisions, SavedDecisions } from '../schemas/types.generated.js';
import type { Dataset } from './dataset.js';
import { findMisfits } from './decision-check.js';
import { withKnownDecisions } from './flagged-receipts.js';
import type { ValidParameters } from './parameters.js';
import type { FieldError } from './problem.js';
import { invalidBody } from './request-schemas.js';
import type { Queries } from './store/store.js';

/** As sent: record id to decision, every value a text. */
type Given = NewSavedDecisions['decisions'];

/** A row of a query. */
interface Row {
  readonly address: string;
  readonly decisions: Given;
  readonly saved_at: Date;
}

/** Whose decisions, and about which wallet. */
interface Owner {
  readonly account: string;
  readonly address: string;
}

const describe = ({ saved_at, ...row }: Row): SavedDecisions => ({ ...row, saved_at: saved_at.toISOString() });

export async function findDecisions(store: Queries, { account, address }: Owner): Promise<SavedDecisions> {
  const [row] = await store.query<Row>('saved-decisions/find', { account, addresses: [address] });
  return row ? describe(row) : { address, decisions: {}, saved_at: null };
}

/** In place of all that the account has saved about the address. */
export async function replaceDecisions(
  store: Queries,
  { account, address }: Owner,
  decisions: Given,
  now: Date,
): Promise<SavedDecisions> {
  const [row] = await store.query<Row>('saved-decisions/replace', { account, address, decisions, now });
  return describe(row!);
}

export async function removeDecisions(store: Queries, { account, address }: Owner): Promise<void> {
  await store.query('saved-decisions/remove', { account, address });
}

/** Reads what is to be saved. @throws Problem validation_failed with a pointer to each fault */
export function readDecisions(decisions: Given): AssetDecisions {
  const parsed = parseAssetDecisions(decisions);
  if ('errors' in parsed) throw invalidBody(parsed.errors.map(belowDecisions));
  return parsed.value;
}

/** @throws Problem validation_failed for what does not fit its receipt; what is about no flagged receipt fits */
export async function requireFittingSaved(
  parameters: ValidParameters,
  assets: AssetDecisions,
  dataset: Dataset,
): Promise<void> {
  const known = withKnownDecisions({ ...parameters, decisions: { ...noDecisions, assets } }, dataset);
  const misfits = await findMisfits(known, dataset);
  if (misfits.assets.length > 0) throw invalidBody(misfits.assets.map(belowDecisions));
}

const belowDecisions = ({ path, message }: FieldError): FieldError => ({ path: `decisions${path}`, message });

/**
 * The parameters with what the account has saved about flagged receipts of the wallets asked for. A decision of the request goes before
 * a saved one. The answer is then for nobody else.
 */
export async function withSavedDecisions(
  parameters: ValidParameters,
  { dataset, store, account }: { readonly dataset: Dataset; readonly store: Queries; readonly account: string },
): Promise<ValidParameters> {
  const addresses = parameters.addresses.filter((address) => dataset.flagged(address).length > 0);
  if (addresses.length === 0) return parameters;
  const rows = await store.query<Row>('saved-decisions/find', { account, addresses });
  const saved = rows.flatMap((row) => decisionsAbout(row, dataset));
  if (saved.length === 0) return parameters;
  const assets = new Map([...saved, ...parameters.decisions.assets]);
  return { ...parameters, personal: true, decisions: { ...parameters.decisions, assets } };
}

/**
 * Those about flagged receipts of the wallet under whose address they are saved. What this program cannot read any more decides nothing:
 * the caller is asked again.
 */
function decisionsAbout({ address, decisions }: Row, dataset: Dataset): [string, AssetDecision][] {
  const flagged = new Set(dataset.flagged(address).map((receipt) => receipt.record_id));
  const parsed = parseAssetDecisions(decisions);
  return 'value' in parsed ? [...parsed.value].filter(([id]) => flagged.has(id)) : [];
}
