/** What accounts have decided about flagged receipts of wallets, and where it counts (decision "Flagged receipts"). */
import {
  type AssetDecision,
  type AssetDecisions,
  decisionIssues,
  parseAssetDecisions,
} from '../../pipeline/ledger/decisions/decisions.js';
import type { NewSavedDecisions, SavedDecisions } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import { invalidBody } from '../parameters/body-schemas.js';
import type { ValidParameters } from '../parameters/parameters.js';
import type { FieldError } from '../problem.js';
import type { Queries } from '../store/store.js';

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
export function requireFittingSaved(address: string, assets: AssetDecisions, dataset: Dataset): void {
  const misfits = [...decisionsAbout(address, assets, dataset)].flatMap(({ issues }) => issues);
  if (misfits.length > 0) throw invalidBody(misfits.map(belowDecisions));
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
  const saved = rows.flatMap((row) => standing(row, dataset));
  if (saved.length === 0) return parameters;
  const assets = new Map([...saved, ...parameters.decisions.assets]);
  return { ...parameters, personal: true, decisions: { ...parameters.decisions, assets } };
}

/**
 * Those that count. What this program cannot read any more, or what does not fit its receipt since another dataset is served, decides
 * nothing: the caller, who did not send it, is asked again.
 */
function standing({ address, decisions }: Row, dataset: Dataset): [string, AssetDecision][] {
  const parsed = parseAssetDecisions(decisions);
  if ('errors' in parsed) return [];
  const about = [...decisionsAbout(address, parsed.value, dataset)];
  return about.filter(({ issues }) => issues.length === 0).map(({ id, decision }) => [id, decision]);
}

/** Those about flagged receipts of the wallet under whose address they are saved, and what speaks against each. */
function* decisionsAbout(address: string, assets: AssetDecisions, dataset: Dataset) {
  for (const { record_id: id, time, denom, quantity } of dataset.flagged(address)) {
    const decision = assets.get(id);
    const receipt = { id, time, received_denom: denom, received_amount: quantity };
    if (decision) yield { id, decision, issues: decisionIssues(receipt, decision, dataset.reference.rules) };
  }
}
