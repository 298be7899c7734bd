// Generated from schemas/**/*.json by `npm run generate`. Do not edit.

/**
 * An operator's reviewed corrections of the fold, for what the chain changed and no rule explains.
 */
export type Corrections = Correction[]
/**
 * An upgrade that the chain has scheduled and not reached.
 */
export type PendingUpgrade = ({
name: string
height: number
/**
 * RFC 3339, estimated from recent block times; null if unknown.
 */
estimated_time: (string | null)
[k: string]: unknown
} | null)
/**
 * Stable, machine-readable reason.
 */
export type ProblemCode = ("bad_request" | "idempotency_key_invalid" | "unauthorized" | "invalid_api_key" | "forbidden" | "insufficient_scope" | "not_found" | "route_not_found" | "method_not_allowed" | "conflict" | "asset_decisions_required" | "idempotency_in_progress" | "gone" | "precondition_failed" | "range_not_satisfiable" | "validation_failed" | "idempotency_key_reused" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "replay_in_progress" | "holdings_incomplete" | "upstream_timeout")
/**
 * Stable, machine-readable reason. New codes may be added.
 * 
 * This interface was referenced by `Problem`'s JSON-Schema
 * via the `definition` "ProblemCode".
 */
export type ProblemCode1 = ("bad_request" | "idempotency_key_invalid" | "unauthorized" | "invalid_api_key" | "forbidden" | "insufficient_scope" | "not_found" | "route_not_found" | "method_not_allowed" | "conflict" | "asset_decisions_required" | "idempotency_in_progress" | "gone" | "precondition_failed" | "range_not_satisfiable" | "validation_failed" | "idempotency_key_reused" | "precondition_required" | "rate_limited" | "internal_error" | "upstream_error" | "unavailable" | "replay_in_progress" | "holdings_incomplete" | "upstream_timeout")
export type Sources = string[]
export type FallbackOrder = string[]
export type ChangeLog = {
version: string
date: string
change: string
}[]
/**
 * A change of the chain's state that no event tells.
 */
export type StateChange = (SetParameter | MoveCoins | NamedChange | ChangeValidators | SlashValidator | AdjustBalance)
/**
 * Scope of a key: a use that it allows. A key carries only the scopes it was created with.
 */
export type Scope = ("snapshots:read" | "snapshots:download" | "faucet:request" | "tax:read" | "tax:write" | "upgrades:webhooks" | "wasm:read")
/**
 * Unknown parameters or body members that were ignored, the first twenty as sent; absent if there are none.
 */
export type IgnoredParameters = string[]
/**
 * Holdings of a wallet in the native coin: at one moment, or at the close of every UTC day.
 */
export type Balances = (Holdings | HoldingsHistory)
/**
 * The latest run; null before the first.
 */
export type WatcherRun = ({
/**
 * When it looked, RFC 3339.
 */
checked_at: string
/**
 * Version of the node that is asked, or null.
 */
node_version: (string | null)
/**
 * SDK of that node, or null.
 */
cosmos_sdk: (string | null)
/**
 * Newest upstream release, or null when none is known.
 */
newest_release: (string | null)
pending_upgrade: PendingUpgrade
/**
 * Failure of that run to learn something, or null.
 */
error: (string | null)
[k: string]: unknown
} | null)
export type CodePagination = ({
/**
 * The pagination_key of the next page; null on the last.
 */
next_key?: (string | null)
[k: string]: unknown
} | null)
/**
 * Number of saved opening lots that apply here; 0 if they do not fit the wallets' opening holdings. Absent if none are saved, or the request states its own.
 */
export type SavedLotsCount = number
/**
 * Disposals of one kind.
 */
export type DisposalsOfKind = (DisposalFigures & {
/**
 * Contra account of the journal.
 */
account: string
/**
 * Category of the rows.
 */
category: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Displayed units, net of refunds.
 */
quantity: string
/**
 * Part of the quantity with unknown basis.
 */
basis_unknown_quantity: string
[k: string]: unknown
})
/**
 * Type of an event.
 */
export type WebhookEventType = ("release.published" | "upgrade.scheduled" | "upgrade.cancelled" | "webhook.test")

export interface Schemas {
"/schemas/asset-decision.json"?: AssetDecision
"/schemas/manifest.json"?: Manifest
"/schemas/parameters.json"?: Parameters
"/schemas/pending-upgrade.json"?: PendingUpgrade
"/schemas/problem.json"?: Problem
"/schemas/reference/assets.json"?: Assets
"/schemas/reference/categories.json"?: Categories
"/schemas/reference/chain-acts.json"?: ChainActs
"/schemas/reference/chain.json"?: Chain
"/schemas/reference/classification.json"?: Classification
"/schemas/reference/confusables.json"?: Confusables
"/schemas/reference/contracts.json"?: Contracts
"/schemas/reference/corrections.json"?: Corrections
"/schemas/reference/methodology.json"?: Methodology
"/schemas/reference/networks.json"?: KnownNetworks
"/schemas/reference/node-releases.json"?: NodeReleases
"/schemas/reference/price-markets.json"?: PriceMarkets
"/schemas/reference/recognition-policy.json"?: RecognitionPolicy
"/schemas/reference/spam.json"?: Spam
"/schemas/reference/state-change.json"?: StateChange
"/schemas/reference/tags.json"?: Tags
"/schemas/reference/treatment.json"?: Treatment
"/schemas/reference/triggers.json"?: Triggers
"/schemas/reference/upgrades.json"?: Upgrades
"/schemas/reference/validator-jurisdictions.json"?: ValidatorJurisdictions
"/schemas/reference/widget.json"?: Widget
"/schemas/release-watch.json"?: ReleaseWatch
"/schemas/requests/api-key.json"?: NewApiKey
"/schemas/requests/challenge.json"?: WantedChallenge
"/schemas/requests/saved-decisions.json"?: NewSavedDecisions
"/schemas/requests/saved-opening-lots.json"?: NewSavedOpeningLots
"/schemas/requests/sign-in.json"?: SignIn
"/schemas/requests/submission.json"?: NewSubmission
"/schemas/requests/webhook-change.json"?: WebhookChange
"/schemas/requests/webhook.json"?: NewWebhook
"/schemas/responses/account.json"?: Account
"/schemas/responses/api-key.json"?: ApiKey
"/schemas/responses/api-keys.json"?: ApiKeys
"/schemas/responses/asset-review.json"?: AssetReview
"/schemas/responses/balances.json"?: Balances
"/schemas/responses/catalog.json"?: Catalog
"/schemas/responses/chain-releases.json"?: ReleaseTracking
"/schemas/responses/challenge.json"?: Challenge
"/schemas/responses/codes.json"?: CodeList
"/schemas/responses/contract.json"?: ContractDetails
"/schemas/responses/coverage.json"?: Coverage
"/schemas/responses/delegator-report.json"?: DelegatorReport
"/schemas/responses/disposal-figures.json"?: DisposalFigures
"/schemas/responses/events.json"?: EventList
"/schemas/responses/form8949.json"?: Form8949
"/schemas/responses/ignored.json"?: IgnoredParameters
"/schemas/responses/journal.json"?: Journal
"/schemas/responses/jurisdictions.json"?: JurisdictionRegistry
"/schemas/responses/methodology.json"?: MethodologyAnswer
"/schemas/responses/openapi.json"?: OpenApiDocument
"/schemas/responses/positions.json"?: Positions
"/schemas/responses/price-series.json"?: PriceSeries
"/schemas/responses/readyz.json"?: Readiness
"/schemas/responses/recognition-policy.json"?: RecognitionPolicyAnswer
"/schemas/responses/saved-decisions.json"?: SavedDecisions
"/schemas/responses/saved-lots-count.json"?: SavedLotsCount
"/schemas/responses/saved-opening-lots.json"?: SavedOpeningLots
"/schemas/responses/saved-wallets.json"?: SavedWallets
"/schemas/responses/sessions.json"?: Sessions
"/schemas/responses/smart-query.json"?: SmartQueryAnswer
"/schemas/responses/submission.json"?: Submission
"/schemas/responses/submissions.json"?: Submissions
"/schemas/responses/summary-sheet.json"?: SummarySheet
"/schemas/responses/summary.json"?: Summary
"/schemas/responses/tagged-rows.json"?: TaggedRows
"/schemas/responses/tags.json"?: TagVocabulary
"/schemas/responses/validator-statement.json"?: ValidatorStatement
"/schemas/responses/webhook-deliveries.json"?: WebhookDeliveries
"/schemas/responses/webhook-delivery.json"?: WebhookDelivery
"/schemas/responses/webhook.json"?: Webhook
"/schemas/responses/webhooks.json"?: Webhooks
"/schemas/scope.json"?: Scope
"/schemas/starting-difference.json"?: StartingDifference
"/schemas/stated-lot.json"?: StatedLot
"/schemas/tables/assets.json"?: IndexedAsset
"/schemas/tables/balance_corrections.json"?: BalanceCorrection
"/schemas/tables/blocks.json"?: IndexedBlock
"/schemas/tables/categories.json"?: IndexedCategory
"/schemas/tables/chain_events.json"?: ChainEvent
"/schemas/tables/closing_positions.json"?: ClosingPosition
"/schemas/tables/coin_movements.json"?: CoinMovement
"/schemas/tables/collected_quotes.json"?: CollectedQuote
"/schemas/tables/daily_balances.json"?: DailyBalance
"/schemas/tables/daily_holdings.json"?: DailyHolding
"/schemas/tables/delegation_intervals.json"?: DelegationInterval
"/schemas/tables/delegation_spans.json"?: DelegationSpan
"/schemas/tables/denom_metadata.json"?: DenomMetadata
"/schemas/tables/flagged_receipts.json"?: FlaggedReceipt
"/schemas/tables/ledger_entries.json"?: LedgerEntry
"/schemas/tables/native_holdings.json"?: NativeHolding
"/schemas/tables/opening_balances.json"?: OpeningBalance
"/schemas/tables/opening_deposits.json"?: OpeningDeposit
"/schemas/tables/priced_events.json"?: PricedEvent
"/schemas/tables/prices.json"?: Price
"/schemas/tables/proposal_ends.json"?: ProposalEnd
"/schemas/tables/raw_blocks.json"?: RawBlock
"/schemas/tables/reward_ratios.json"?: RewardRatio
"/schemas/tables/share_rewards.json"?: ShareReward
"/schemas/tables/slash_losses.json"?: SlashLoss
"/schemas/tables/supply_changes.json"?: SupplyChange
"/schemas/tables/transactions.json"?: IndexedTransaction
"/schemas/tables/unbonding_intervals.json"?: UnbondingInterval
"/schemas/tables/unsolicited_receipts.json"?: UnsolicitedReceipt
"/schemas/tables/validator_days.json"?: ValidatorDay
"/schemas/tables/validator_names.json"?: ValidatorName
"/schemas/tables/validator_payouts.json"?: ValidatorPayout
"/schemas/tables/validator_slashes.json"?: ValidatorSlash
"/schemas/tables/validators.json"?: KnownValidator
"/schemas/webhook-event-type.json"?: WebhookEventType
}
/**
 * The owner's decision about a receipt. exclude: it is worth nothing. keep: it is what it claims to be. override: it was something else, as stated by at least one of the other members.
 */
export interface AssetDecision {
/**
 * Mode of the decision.
 */
mode: ("exclude" | "keep" | "override")
/**
 * Actual symbol or denom; only with override.
 */
token?: string
/**
 * Actual quantity in displayed units, above zero; only with override.
 */
quantity?: string
/**
 * Value of the whole receipt when it arrived, in US dollars; only with override.
 */
value_usd?: string
/**
 * Cost in US dollars, unknown if absent; only with override.
 */
cost_basis_usd?: string
/**
 * UTC day of acquisition, the receipt's day if absent; only with override.
 */
acquired_date?: string
}
/**
 * Content of a published generation. It is made from that content alone: nothing in it tells when, where or in how many nights it was built.
 */
export interface Manifest {
/**
 * Counts up when a table or this file changes its form.
 */
schema_version: number
/**
 * Name of the generation's folder: h<height>-<first 12 hex digits of the SHA-256 of this file without this member>.
 */
generation: string
/**
 * Id of the chain in requests and answers.
 */
chain_id: string
/**
 * Network id that the node reported.
 */
node_chain_id: string
/**
 * The last block's height.
 */
height: number
/**
 * The last block's time, RFC 3339 in UTC, cut to seconds.
 */
time: string
/**
 * UTC day of the first block.
 */
index_start: string
/**
 * UTC day of the last block.
 */
index_end: string
coverage: ManifestCoverage
/**
 * Height of the first block after which holdings are known: the first of the index, or that of a starting state of a later one; null: there are no holdings.
 */
holdings_from: (number | null)
/**
 * Height up to which holdings are proved: every figure that the chain says of them on the way is the fold's; null: there are no holdings.
 */
holdings_until: (number | null)
/**
 * The block that the fold could not explain; null where holdings are proved up to the last block, or there are none.
 */
holdings_stop: (HoldingsStop | null)
/**
 * Sums that did not hold in the starting state: each keeps its difference, from which it does not depart afterwards.
 */
starting_differences: StartingDifference[]
/**
 * The operator's corrections of the fold; null where there is no file of them.
 */
corrections: (ManifestCorrections | null)
/**
 * The price methodology.
 */
methodology_version: string
/**
 * Version of the classification that made the rows.
 */
classifier_version: string
/**
 * Rows that no classifier explained, counted by message type, or BeginBlock, EndBlock, fee.
 */
unclassified: Record<string, number>
/**
 * Rows of coins that the chain's own program moved and that no reviewed act names, counted by height. They are no disposals: the coins wait in an escrow.
 */
unreviewed_moves: Record<string, number>
/**
 * Messages whose type is not known, counted by type.
 */
unknown_message_types: Record<string, number>
/**
 * Messages of a known type whose bytes are not of that type, counted by type. Their coins have rows all the same.
 */
undecoded_messages: Record<string, number>
/**
 * Type URLs of messages about which the program states what they do, sorted.
 */
message_types: string[]
/**
 * Accounts with rows, but for the consensus addresses at which proposers are paid tips.
 */
wallets: number
price_coverage: PriceCoverage
/**
 * Contracts known by name of which coins moved, sorted by address.
 */
contracts_seen: ContractSeen[]
/**
 * Tokens left out of the rows of a transaction or block, or of all rows, because their amounts or the sum of these have more than 38 digits.
 */
oversized: OversizedToken[]
tables: ManifestTable[]
}
export interface ManifestCoverage {
first_height: number
last_height: number
/**
 * Height of the chain's state that holdings are folded from, 0 for a genesis; null: none was given, so that there are no holdings.
 */
starting_height: (number | null)
/**
 * Ranges of heights in between that are not indexed, both ends included.
 */
missing: {
from: number
to: number
}[]
}
export interface HoldingsStop {
/**
 * Height of that block: holdings end at the one before it.
 */
height: number
/**
 * Its UTC day, of which no holdings are proved.
 */
day: string
/**
 * Figures of the chain and of the fold that differ, with the upgrade that was planned for the block and the types of its messages.
 */
reason: string
}
/**
 * A total that did not match in the starting state, and the difference.
 */
export interface StartingDifference {
/**
 * bonded_tokens_pool: the balance of that account against the tokens of bonded validators. not_bonded_tokens_pool: against those of the others with what is unbonding. community_pool: the balance of the distribution account, less what validators are owed, against the pool as the chain has it. shares: a validator's shares against those of its delegations.
 */
sum: ("bonded_tokens_pool" | "not_bonded_tokens_pool" | "community_pool" | "shares")
/**
 * Denom, or operator address of the validator.
 */
of: string
/**
 * Base units or shares by which the first is more than the second, with 18 places.
 */
amount: string
}
export interface ManifestCorrections {
/**
 * Hash of the file.
 */
sha256: string
list: Corrections
}
export interface Correction {
/**
 * Height of the block at whose beginning it is made, after the handler of an upgrade.
 */
height: number
/**
 * Changes in the order in which they are made.
 * 
 * @minItems 1
 */
what: StateChange[]
/**
 * Place where it can be checked that the chain did so: a file of its program, a query of a node's state.
 */
source: string
}
/**
 * Part of the coins of taxable rows that has the published price of its UTC day.
 */
export interface PriceCoverage {
total: PricedShare
/**
 * UTC months with taxable rows, ascending.
 */
months: {
/**
 * YYYY-MM.
 */
month: string
coverage: PricedShare
}[]
/**
 * Denoms that are known or were ever priced, sorted; last all others together.
 */
denoms: {
/**
 * Null for all others.
 */
denom: (string | null)
coverage: PricedShare
}[]
}
/**
 * This interface was referenced by `Manifest`'s JSON-Schema
 * via the `definition` "PricedShare".
 */
export interface PricedShare {
/**
 * Coins of taxable rows: sent, received or paid as a fee, each counted once.
 */
legs: number
/**
 * Those with the price of their day.
 */
priced_legs: number
/**
 * Those of a denom without a price on any day, spam among them: nobody knows what they are worth, and neither value has them.
 */
never_priced_legs: number
/**
 * Worth of the priced legs, in USD with two places.
 */
value_usd: string
/**
 * Worth of the other legs at the nearest day's price of their denom, in USD with two places. No other figure uses it.
 */
estimated_usd: string
/**
 * value_usd / (value_usd + estimated_usd), a decimal of up to four places; null where both are zero.
 */
share: (string | null)
}
export interface ContractSeen {
address: string
/**
 * First block of the index in which they did.
 */
first_height: number
}
export interface OversizedToken {
height: number
/**
 * Transaction hash, or block:<height>; starting state for a balance before the first block; sum for a token of which one account got or gave so much in all, which is in no row.
 */
tx_hash: string
denom: string
}
export interface ManifestTable {
name: string
description: string
columns: {
name: string
type: string
description: string
}[]
sorted_by: string[]
rows: number
files: ManifestFile[]
}
export interface ManifestFile {
/**
 * Relative to this file.
 */
path: string
rows: number
bytes: number
sha256: string
/**
 * The smallest value in the file of the first column that the table is sorted by, where that is text and the file has rows.
 */
first?: string
/**
 * The largest value of that column.
 */
last?: string
}
/**
 * Every parameter of a path, a query or the body that replaces a query. Endpoints list the key, and paths have it in braces; the parameter's name is the key unless x-name differs. x-in: location, if not the query; path parameters are always given. x-required: it must be given. x-empty: an empty value counts as absent. x-body: the equivalent member of a POST body.
 */
export interface Parameters {
/**
 * Public addresses, separated by commas: at most 50. Duplicates count once; the order is kept. In a body, a string or an array of strings.
 */
address?: string
/**
 * One public address.
 */
single_address?: string
/**
 * Operator address of one validator.
 */
validator?: string
/**
 * Id of the chain.
 */
chain?: "cosmoshub"
/**
 * Id of the chain, or another name of the same network.
 */
chain_or_alias?: ("cosmoshub" | "cosmoshub-4" | "mainnet")
/**
 * Rows to return: all, or a group of categories. Groups may overlap.
 */
type?: ("all" | "rewards" | "staking" | "income" | "transfers" | "ibc_in" | "ibc_out" | "swaps" | "fees")
/**
 * First day (from its first instant, UTC) or first instant (RFC 3339), inclusive. Empty counts as absent.
 */
start?: string
/**
 * Last day (to its last instant, UTC) or last instant (RFC 3339), inclusive. Empty counts as absent.
 */
end?: string
/**
 * First UTC day, inclusive. Empty counts as absent.
 */
start_day?: string
/**
 * Last UTC day, inclusive. Empty counts as absent.
 */
end_day?: string
/**
 * Calendar year in UTC. If start or end are also given, they must lie in it.
 */
year?: string
/**
 * First UTC day, inclusive; the default is 90 days before the end. Start and end are at most 730 days apart.
 */
series_start?: string
/**
 * Last UTC day, inclusive. The default is today, or the last day of a recorded chain.
 */
series_end?: string
/**
 * UTC day from the index up to today; figures are as of its end, at its prices. The default is today, at the last published prices.
 */
date?: string
/**
 * UTC day of the index; figures are as of its end. The default is the last indexed block.
 */
snapshot_date?: string
/**
 * true: every UTC day of the index; the date is ignored.
 */
history?: ("true" | "false")
/**
 * On-chain denom in the asset registry.
 */
denom?: string
/**
 * JSON object: row id, <TX_HASH> or <TX_HASH>:<denom> (block:<height> for events without a transaction) → a tag of /tags. A row id takes precedence, then a key with a denom. Tags change the treatment of their rows in this response and are never stored. A hash does not match rewards, fees, slashes or burned deposits; the member tagged lists the rows that each key matched.
 */
tags?: string
/**
 * JSON object: record_id of a flagged receipt → {"mode":"exclude"}, {"mode":"keep"} or {"mode":"override", token, quantity, value_usd, cost_basis_usd, acquired_date} (strings; at least one of the five). Bulk keys, only with exclude: *, *:suspected_spam, *:identity_mismatch, *:<sender>; a record's own entry takes precedence. An override of value, cost or date may name any row that received coins. Never stored.
 */
asset_decisions?: string
/**
 * JSON list of {"denom", "quantity", "acquired_date", "cost_basis_usd"} (strings, displayed units; with several wallets also "address"): cost of coins that a wallet held before the index. Quantities above the wallet's holdings, and days in the index, are refused. Never stored. If absent, lots saved by your account apply (saved-opening-lots); [] states none.
 */
opening_lots?: string
/**
 * separate: wallets do not affect each other's figures. carry: all requested wallets are yours, and transfers between them move lots with basis and date; otherwise the received coins have unknown basis.
 */
own_wallets?: ("separate" | "carry")
/**
 * Key of the embedding page, issued by the operator for one validator and a list of origins. It begins with hlw_.
 */
api_key?: string
/**
 * wallet: rewards from all validators; validator: only rewards from the key's validator.
 */
scope?: ("wallet" | "validator")
/**
 * Format of the response.
 */
format?: ("json" | "csv")
/**
 * Format of the response. The default is JSON if the Accept header prefers application/json to text/csv, otherwise CSV.
 */
format_csv_first?: ("csv" | "json" | "pdf")
/**
 * Program that imports the response: CSV with its columns, dates and terms. Implies format=csv.
 */
profile?: ("koinly" | "cointracker" | "coinledger" | "zenledger" | "cointracking" | "awaken" | "turbotax" | "taxbit" | "cryptio" | "bittytax")
/**
 * Program that imports the response, as CSV or, for hledger and Beancount, as text. DATEV accepts days of one calendar year only. form8949 returns rows of the form, also as JSON and PDF.
 */
journal_profile?: ("quickbooks" | "xero" | "datev" | "hledger" | "beancount" | "form8949")
/**
 * Only with a profile. JSON object: journal account, such as Income: Staking Rewards or Digital Assets: ATOM → the program's account. Never stored.
 */
accounts?: string
/**
 * Name of the network, such as mainnet or provider-testnet (also testnet).
 */
network?: string
/**
 * Address of the contract.
 */
contract?: string
/**
 * Address of the contract.
 */
contract_address?: string
/**
 * The smart query message: a JSON object of at most 64 KiB. It is passed to the contract unchanged.
 */
query?: string
/**
 * Block height of the state; the default is the latest. Needs a node that still has that state.
 */
height?: string
/**
 * Codes per page, from 1 to 1000.
 */
limit?: string
/**
 * next_key of the previous page.
 */
pagination_key?: string
/**
 * Id of the key.
 */
id?: string
/**
 * Id of the session.
 */
session_id?: string
/**
 * Id of the submission.
 */
submission_id?: string
/**
 * Id of the endpoint.
 */
webhook_id?: string
/**
 * The secret of the link.
 */
token?: string
/**
 * The provider's authorization code.
 */
code?: string
/**
 * The `state` that was sent to the provider.
 */
state?: string
/**
 * Issuer of the provider (RFC 9207).
 */
iss?: string
/**
 * The provider's error code if sign-in failed.
 */
error?: string
}
/**
 * Every error body (RFC 9457). Branch on `code`; `detail` is prose and may change. Further members may appear.
 */
export interface Problem {
/**
 * Link to the code's entry in the conventions.
 */
type: string
/**
 * Short summary, the same for every problem with this code.
 */
title: string
/**
 * HTTP status.
 */
status: number
/**
 * Human-readable description of the error in this request.
 */
detail: string
code: ProblemCode
/**
 * Path of the request, without its query.
 */
instance?: string
/**
 * Id of the request, as in the header X-Request-Id.
 */
request_id?: string
/**
 * Seconds to wait; present if the refusal is temporary.
 */
retry_after?: number
/**
 * Individual errors with their paths, on validation problems.
 */
errors?: FieldError[]
/**
 * Number of errors left out of `errors`, which has at most 50 and at most 16 kB.
 */
errors_omitted?: number
/**
 * Flagged receipts that need a decision.
 */
pending?: number
/**
 * First UTC day with known holdings; null if there is none.
 */
first_proved_day?: (string | null)
/**
 * Last UTC day with proved holdings; null if there is none.
 */
last_proved_day?: (string | null)
/**
 * Names of the quota policies that refused the request.
 */
"violated-policies"?: string[]
/**
 * @deprecated
 * The same text as detail. Removed on 2027-04-01.
 */
error?: string
/**
 * @deprecated
 * Always false. Removed on 2027-04-01.
 */
success?: boolean
[k: string]: unknown
}
/**
 * One error of a request, with its path.
 * 
 * This interface was referenced by `Problem`'s JSON-Schema
 * via the `definition` "FieldError".
 */
export interface FieldError {
/**
 * Name of the parameter or member; for JSON values followed by a JSON pointer.
 */
path: string
message: string
}
/**
 * Denoms whose identity is known: symbol and decimals are shown, everything else stays raw.
 */
export interface Assets {
$schema?: string
assets: Asset[]
}
export interface Asset {
/**
 * On-chain denom; the identity.
 */
denom: string
/**
 * A label, never an identity.
 */
symbol: string
name: string
decimals: number
/**
 * Name of its price files; absent where it has none.
 */
coingecko_id?: string
/**
 * Trace of an IBC voucher: the path and the base denom on its home chain.
 */
trace?: string
}
/**
 * Every category a row can have, and what it means for lots and journal when no tag says otherwise: in and out for what arrives and leaves, out_to_own_key instead of out when the receiver has the sender's own key on the other chain (such a row is record-only).
 */
export interface Categories {
$schema?: string
categories: Category[]
}
export interface Category {
category: string
/**
 * The type values of /events that select it.
 */
groups: ("rewards" | "staking" | "income" | "transfers" | "ibc_in" | "ibc_out" | "swaps" | "fees")[]
/**
 * Whether rows of the category count: as income, as a disposal, or as coins that came from or went to somebody else. False for record-only rows, which move coins within what the wallet has.
 */
taxable: boolean
/**
 * Kind of its rows for programs that read a wallet's history (the profiles of /events), where no tag says more. inside: it moves coins within what the wallet holds, staked and deposited ones among them, and is no transaction there. own_key: between two places of one owner, as the chain shows. exchange: one coin for another of one's own, without a gain.
 */
kind: ("income" | "reward" | "airdrop" | "expense" | "lost" | "transfer" | "own_key" | "fee" | "trade" | "exchange" | "inside")
/**
 * False where a tag by transaction hash does not reach the rows, only one by their id: rewards, fees and losses are not what a transaction was made for (R6).
 */
reached_by_hash?: false
label: string
/**
 * Meaning of the category.
 */
description: string
/**
 * Sentence about a row of the category. {sent}, {received}, {fee} are amounts with symbols, {validator} the validator's name, {counterparty} the other side; what stands in brackets is left out where one of them is missing.
 */
sentence: string
/**
 * Sentence about a row whose receiver has the sender's own key on the other chain.
 */
sentence_to_own_key?: string
/**
 * move: lots move from the sent to the received denom with basis and date. swap: the sent side is disposed of and the received side acquired, both at the value of what was received.
 */
effect?: ("move" | "swap")
/**
 * swap: the clearing account of both legs.
 */
account?: string
in?: Treatment
out?: Treatment
out_to_own_key?: Treatment
}
/**
 * Treatment: the effect of one side of a row on the lots, and the account that stands against Digital Assets.
 */
export interface Treatment {
/**
 * acquire: a new lot. dispose: basis relieved FIFO against market value, gain realised. relieve: basis out, no gain. relieve-linked: the very lot that the linked row made. deposit and withdraw: lots move into and out of the escrow of (wallet, counterparty, denom). burn-deposit: relieved from that escrow. restore: the lots that the linked row relieved come back.
 */
act: ("acquire" | "dispose" | "relieve" | "relieve-linked" | "deposit" | "withdraw" | "burn-deposit" | "restore")
/**
 * Basis of an acquired lot.
 */
basis?: ("market" | "unknown" | "zero")
/**
 * Whether the acquisition is income.
 */
income?: boolean
/**
 * The contra account.
 */
account: string
/**
 * burn-deposit: the account that is credited instead of Digital Assets.
 */
from?: string
/**
 * withdraw: contra account of what exceeds the escrow.
 */
excess?: string
/**
 * The entry's memo states the market value.
 */
memoMarketValue?: boolean
}
/**
 * Coins that the chain's own program moves before a block's transactions, at a fork or in an upgrade's handler, and the categories of their rows.
 */
export interface ChainActs {
$schema?: string
acts: ChainAct[]
}
export interface ChainAct {
/**
 * Height of the block, for a fork.
 */
height?: number
/**
 * Name in the upgrade plan. The act then matches in any block by its accounts and its amount.
 */
upgrade?: string
/**
 * Address, or name of a module: distribution holds the community pool.
 */
from: string
/**
 * Address, or name of a module.
 */
to: string
/**
 * A coin in base units, or all: whatever coins are moved between the two.
 */
amount: string
/**
 * Category of the sender's row. contract_deposit: the lots wait in an escrow.
 */
sent_as: ("contract_deposit" | "community_pool_deposit" | "transfer_out")
/**
 * Category of the receiver's row. contract_withdrawal: lots come back from an escrow; more than went in is acquired at unknown basis.
 */
received_as: ("contract_withdrawal" | "community_pool_income" | "transfer_in" | "vesting_receipt")
/**
 * Account with which the receiver's coins were in escrow; without it, the other side.
 */
escrow?: string
/**
 * Cause in words, shown in the rows' detail.
 */
reason: string
/**
 * Place where it can be checked: a file of the chain's program at its commit.
 */
source: string
}
/**
 * One chain that the service answers for.
 */
export interface Chain {
$schema?: string
/**
 * Id in requests and answers.
 */
chain_id: string
/**
 * Other ids that price-series accepts.
 */
aliases: string[]
/**
 * Network id that a node must report.
 */
node_chain_id: string
name: string
bech32_prefix: string
native_denom: string
/**
 * Names of the module accounts; their address is the first 20 bytes of SHA-256 of the name. They have no rows.
 */
module_accounts: string[]
/**
 * Identifiers that ICS-20 keeps escrow accounts under: channels, and light clients since IBC v2. Each stands for <prefix>0 up to <prefix><count - 1>. These accounts have no rows.
 */
transfer_escrows: TransferEscrows[]
/**
 * Names of the module accounts that a transaction's fee is paid to before its messages run.
 */
fee_collectors: string[]
/**
 * Tokenfactory denoms that stand for coins which moved here from another chain: what is minted of one was held there, so that it is neither income nor spam. Each is in assets.json.
 */
moved_denoms: MovedDenom[]
}
export interface TransferEscrows {
prefix: string
count: number
}
export interface MovedDenom {
/**
 * On-chain denom; the identity.
 */
denom: string
/**
 * Name of the chain that the coins were on.
 */
from: string
/**
 * Public announcement of the move.
 */
source: string
}
/**
 * Version of the classification by which a dataset's rows are made.
 */
export interface Classification {
/**
 * Goes up with every change of program or reviewed data that makes other rows of the same blocks: a published dataset of another version waits for its replay, and no figure of it is served.
 */
version: string
}
/**
 * Letters and groups of letters that look like another, after case, accents and width are folded.
 */
export interface Confusables {
$schema?: string
confusables: Confusable[]
}
export interface Confusable {
/**
 * The letter that it is read as.
 */
looks_like: string
/**
 * Text that is written instead, in lower case.
 * 
 * @minItems 1
 */
written: [string, ...(string)[]]
}
/**
 * Contracts and other accounts of programs that are known by name, and what it means to pay into or to be paid by one.
 */
export interface Contracts {
$schema?: string
kinds: ContractKind[]
contracts: Contract[]
}
export interface ContractKind {
kind: string
description: string
/**
 * Category of coins that a wallet puts in.
 */
paid_in: ("contract_deposit" | "liquidity_add")
/**
 * Category of coins that a wallet gets out.
 */
paid_out: ("contract_withdrawal" | "liquidity_remove" | "contract_income")
/**
 * Contracts of this kind only pass coins on: a transfer between chains that one makes or receives is that of the wallet that paid it, or that it pays, in the same message. Absent: they do not.
 */
router?: true
}
export interface Contract {
address: string
protocol: string
name: string
/**
 * One of the kinds above.
 */
kind: string
/**
 * URL of the page on which the address was published.
 */
source: string
}
/**
 * Methodology of a day's reference price, which /methodology serves and the code follows.
 */
export interface Methodology {
version: string
effective_date: string
sources: Sources
timestamp_granularity: string
aggregation_rule: string
fallback_order: FallbackOrder
missing_price_handling: string
rounding: string
parameters: Parameters1
change_log: ChangeLog
}
/**
 * The figures that the rules above use.
 */
export interface Parameters1 {
/**
 * Names of the sources used by default: the folders of the price directory that are read. Order has no influence.
 */
sources: string[]
/**
 * A source further than this from the median of the rest is rejected; two sources further apart publish nothing.
 */
outlier_percent: number
/**
 * A source rejected the day before is taken again within this distance.
 */
readmit_percent: number
/**
 * Sources needed before one can be rejected.
 */
outlier_minimum_sources: number
price_decimals: number
/**
 * Days after its end during which a day without a price is asked for again.
 */
retry_days: number
}
/**
 * Networks of the contract API that are known by name, and public REST endpoints for them.
 */
export interface KnownNetworks {
$schema?: string
/**
 * @minItems 1
 */
networks: [KnownNetwork, ...(KnownNetwork)[]]
}
export interface KnownNetwork {
name: string
/**
 * Other names that callers may use.
 */
aliases: string[]
/**
 * Chain id that its nodes report.
 */
chain_id: string
/**
 * Prefix of its addresses.
 */
bech32_prefix: string
/**
 * URL of the page that states chain id, prefix and endpoints.
 */
source: string
/**
 * Used where the operator names none.
 * 
 * @minItems 1
 */
endpoints: [string, ...(string)[]]
}
/**
 * Releases of the node software that were reviewed, newest first.
 */
export interface NodeReleases {
$schema?: string
/**
 * On GitHub.
 */
repository: string
/**
 * Announced upstream changes, in words.
 */
upcoming_changes: string[]
releases: ReviewedRelease[]
}
export interface ReviewedRelease {
/**
 * Tag, vMAJOR.MINOR.PATCH.
 */
version: string
/**
 * Day on which it was published; empty where it is not known.
 */
date: string
/**
 * Version of the Cosmos SDK that it is built with, after the replace lines of its go.mod; empty where that cannot be told.
 */
cosmos_sdk: string
/**
 * Summary of its changes; empty until it is reviewed.
 */
summary: string
/**
 * Consequences for the index.
 */
indexer_impact: string
}
/**
 * Markets of the assets, whose daily candles are collected.
 */
export interface PriceMarkets {
$schema?: string
conversion: Conversion
markets: PriceMarket[]
}
/**
 * Market whose price of the same day turns prices in USDT into USD.
 */
export interface Conversion {
/**
 * Exchange, as the methodology names it.
 */
source: string
/**
 * Id of the market there.
 */
market: string
}
export interface PriceMarket {
/**
 * CoinGecko id in assets.json.
 */
asset: string
/**
 * Exchange, as the methodology names it.
 */
source: string
/**
 * Id of the spot market there.
 */
market: string
/**
 * Currency of the prices.
 */
quote: ("USD" | "USDT")
}
/**
 * When a reward counts as income.
 */
export interface RecognitionPolicy {
policy: string
effective_date: string
explanation: string
[k: string]: unknown
}
/**
 * Marks of an unasked receipt as suspected spam.
 */
export interface Spam {
$schema?: string
/**
 * Rows that may be flagged: coins that a stranger can send.
 */
categories: string[]
/**
 * Categories among these whose rows a relayer's transaction brings: its memo and its other receivers are not the sender's doing.
 */
relayed_categories: string[]
/**
 * Regular expressions of denoms that anybody, or a contract, can mint; for a voucher, of its denom on the chain that it came from. In order: tokenfactory, CW-20, ERC-20 (also over Gravity Bridge and Peggy), smart tokens of Coreum, fan tokens of BitSong.
 */
minted_denoms: string[]
dust: Dust
/**
 * Beginnings of links.
 */
links: string[]
/**
 * Endings of host names written without a scheme.
 */
top_level_domains: string[]
/**
 * Words and phrases that call to claim something, as whole words.
 */
calls: string[]
}
export interface Dust {
/**
 * Worth less than this is dust: a plain decimal with two places.
 */
below_usd: string
/**
 * Base units of the native coin that are still dust on a day without a published price.
 */
native_units_without_price: number
/**
 * Receivers of the same dust in one transaction from which it is spam whatever the memo.
 */
receivers: number
repeated: RepeatedDust
}
/**
 * Dust that is spam, too, when the same sender's dust of the same amount and denom is suspected by its memo or by its receivers, on whatever day: sent to the same wallet, numbered as a part, or sent to as many wallets in all as `receivers` says.
 */
export interface RepeatedDust {
/**
 * Rows that repeat: sends, whose memo and amount are their sender's own doing.
 */
categories: string[]
/**
 * Regular expression (RE2) of memos that number a part of a series, such as 2/5.
 */
part: string
}
export interface SetParameter {
kind: "set_parameter"
parameter: ("unbonding_time" | "max_validators" | "slash_fraction_downtime" | "slash_fraction_double_sign" | "max_provider_consensus_validators")
/**
 * Value as the chain's JSON has it: a number, a duration in seconds (1814400s) or a decimal.
 */
value: string
}
/**
 * Coins that the chain itself moves from one account to another. The bank's events have the amounts; a move of a module's coins that is not listed is refused.
 */
export interface MoveCoins {
kind: "move_coins"
/**
 * Name of the module, or address.
 */
from: string
/**
 * Name of the module, or address.
 */
to: string
}
export interface NamedChange {
/**
 * lower_max_validators_to_provider_limit: max_validators becomes max_provider_consensus_validators where that is lower. unbond_validators_beyond_limit: bonded validators beyond max_validators begin to unbond. remove_provider: consensus hears of all bonded validators from now on.
 */
kind: ("lower_max_validators_to_provider_limit" | "unbond_validators_beyond_limit" | "remove_provider")
}
export interface ChangeValidators {
/**
 * jail_validators, unjail_validators: as the slashing module does it. begin_unbonding: bonded validators leave the set at once, and their unbonding time begins.
 */
kind: ("jail_validators" | "unjail_validators" | "begin_unbonding")
/**
 * Operator addresses.
 * 
 * @minItems 1
 */
validators: string[]
}
/**
 * Burns a fraction of what is delegated to a validator; unbonding and redelegated coins stay.
 */
export interface SlashValidator {
kind: "slash_validator"
/**
 * Operator address.
 */
validator: string
/**
 * Decimal, at most 1.
 */
fraction: string
}
/**
 * A change of an account's liquid balance that the bank's events do not have. The account may be a module's, such as a pool.
 */
export interface AdjustBalance {
kind: "adjust_balance"
/**
 * Address.
 */
account: string
denom: string
/**
 * Signed base units.
 */
amount: string
}
/**
 * The bookkeeping tags a caller may put on a row, and what each does instead of the row's own treatment.
 */
export interface Tags {
$schema?: string
tags: Tag[]
}
export interface Tag {
tag: string
label: string
/**
 * Treatment in words, for people.
 */
treatment: string
in?: Treatment
out?: Treatment
}
/**
 * Triggers, which cause a reward to be paid out.
 */
export interface Triggers {
$schema?: string
triggers: Trigger[]
}
export interface Trigger {
trigger: string
/**
 * Categories of the rewards that it can cause to be paid out.
 */
categories: string[]
description: string
}
/**
 * Upgrades of the chain that were reviewed, and what their handlers change without an event. The chain says at which height one runs.
 */
export interface Upgrades {
$schema?: string
upgrades: Upgrade[]
}
export interface Upgrade {
/**
 * Name in the upgrade plan.
 */
name: string
/**
 * Source in which the handler was read.
 */
source: {
/**
 * On GitHub.
 */
repository: string
/**
 * Tag of the release, where it was read there.
 */
tag?: string
/**
 * Commit, where no tag was at hand.
 */
commit?: string
file: string
}
/**
 * Changes in words.
 */
summary: string
/**
 * Changes in the order in which the handler makes them; none where it changes nothing that the books see.
 */
changes: StateChange[]
}
/**
 * Countries that operators disclosed. One without a public disclosure is not listed.
 */
export interface ValidatorJurisdictions {
$schema?: string
/**
 * Definition of a disclosure.
 */
basis: string
jurisdictions: Disclosure[]
}
export interface Disclosure {
/**
 * Name that the operator gives it: on chain where that is known, else in the disclosure.
 */
moniker: string
/**
 * ISO 3166-1 alpha-2.
 */
country: string
/**
 * Entity that disclosed it: the company's name where one is told.
 */
entity: string
/**
 * The operator's own words.
 */
statement: string
/**
 * URL of the page on which they are public.
 */
source: string
/**
 * Day on which the source was read last.
 */
reviewed: string
/**
 * Validators that it is about; null where the source names none.
 */
operator_addresses: (string[] | null)
}
/**
 * Texts of embedded reports beside their figures.
 */
export interface Widget {
/**
 * Attribution.
 */
powered_by: string
}
/**
 * State of the release watcher, as it keeps it in the data directory.
 */
export interface ReleaseWatch {
/**
 * When it looked, RFC 3339.
 */
checked_at: string
/**
 * Version of the node that is asked, or null.
 */
node_version: (string | null)
/**
 * SDK of that node, or null.
 */
cosmos_sdk: (string | null)
/**
 * Newest upstream release, or null when none is known.
 */
newest_release: (string | null)
pending_upgrade: PendingUpgrade
/**
 * Block that the node had reached, or null; absent in files of earlier versions.
 */
height?: (number | null)
/**
 * Failure of that run to learn something, or null.
 */
error: (string | null)
/**
 * When a run last learned everything, RFC 3339, or null.
 */
succeeded_at: (string | null)
/**
 * Releases found upstream, newest first.
 */
upstream: UpstreamRelease[]
/**
 * ETag of that list at GitHub; absent where it gave none.
 */
upstream_etag?: string
[k: string]: unknown
}
export interface UpstreamRelease {
/**
 * Tag, vMAJOR.MINOR.PATCH.
 */
version: string
/**
 * Day on which it was published.
 */
date: string
/**
 * Version of the Cosmos SDK that it is built with, after the replace lines of its go.mod; empty where that cannot be told.
 */
cosmos_sdk: string
}
/**
 * A new API key.
 */
export interface NewApiKey {
/**
 * Name chosen by the owner.
 */
name: string
/**
 * @minItems 1
 * @maxItems 7
 */
scopes: Scope[]
/**
 * Time of expiry; never if absent.
 */
expires_at?: (string | null)
[k: string]: unknown
}
/**
 * Requests a sign-in challenge.
 */
export interface WantedChallenge {
/**
 * Address of the wallet that will sign.
 */
address: string
[k: string]: unknown
}
/**
 * All decisions about one address; earlier ones are replaced.
 */
export interface NewSavedDecisions {
/**
 * record_id of a flagged receipt, or id of a row that received coins → {"mode":"exclude"}, {"mode":"keep"} or {"mode":"override", token, quantity, value_usd, cost_basis_usd, acquired_date} (strings; at least one of the five), as in asset_decisions, including its bulk keys. Ids that are not receipts or rows of the address are dropped. At most 65536 bytes of JSON.
 */
decisions: {
[k: string]: AssetDecision
}
[k: string]: unknown
}
/**
 * All opening lots of one address; earlier ones are replaced.
 */
export interface NewSavedOpeningLots {
/**
 * Lots of {"denom", "quantity", "acquired_date", "cost_basis_usd"} (strings, displayed units), as in opening_lots. At most 65536 bytes of JSON.
 * 
 * @maxItems 1000
 */
opening_lots: StatedLot[]
[k: string]: unknown
}
/**
 * Cost and acquisition date of some coins that a wallet held before the index.
 */
export interface StatedLot {
/**
 * The wallet; required if several are requested.
 */
address?: string
/**
 * Denom or symbol.
 */
denom: string
/**
 * Displayed units, above zero.
 */
quantity: string
/**
 * UTC day of the acquisition, before the index.
 */
acquired_date: string
/**
 * Cost in US dollars.
 */
cost_basis_usd: string
}
/**
 * A wallet's response to signArbitrary, with the signed text.
 */
export interface SignIn {
/**
 * Address of the wallet.
 */
address: string
/**
 * The text as it was given.
 */
challenge: string
/**
 * Compressed secp256k1 key, 33 bytes in base64.
 */
pub_key: string
/**
 * 64 bytes in base64.
 */
signature: string
[k: string]: unknown
}
/**
 * A proposed correction.
 */
export interface NewSubmission {
/**
 * Kind of data to correct.
 */
kind: ("validator_jurisdiction" | "contract_label")
/**
 * The validator's operator address, or the contract's address.
 */
contract_address: string
/**
 * The correction in words, with an https URL of its public source; for a jurisdiction also the country, by English name or ISO code.
 */
note: string
[k: string]: unknown
}
/**
 * Members to change; others stay unchanged.
 */
export interface WebhookChange {
/**
 * An https URL on the public internet. Redirects are not followed.
 */
url?: string
/**
 * Subscribed event types.
 * 
 * @minItems 1
 * @maxItems 4
 */
events?: WebhookEventType[]
[k: string]: unknown
}
/**
 * A new webhook endpoint.
 */
export interface NewWebhook {
/**
 * An https URL on the public internet. Redirects are not followed.
 */
url: string
/**
 * Subscribed event types.
 * 
 * @minItems 1
 * @maxItems 4
 */
events: WebhookEventType[]
[k: string]: unknown
}
/**
 * The account that a session or key belongs to.
 */
export interface Account {
id: string
/**
 * Name given by the operator, if any.
 */
name: (string | null)
created_at: string
/**
 * Sign-in methods of the account.
 */
identities: {
/**
 * `cosmos`, or the issuer of an OpenID provider.
 */
provider: string
/**
 * The wallet's address, or the user's subject at the provider.
 */
subject: string
}[]
signed_in_by: ("session" | "key")
/**
 * Scopes of this session or key.
 */
scopes: Scope[]
}
/**
 * A personal API key.
 */
export interface ApiKey {
/**
 * Id of the key; the key itself begins with `hl_` and this id.
 */
id: string
name: string
scopes: Scope[]
created_at: string
/**
 * Null: never.
 */
expires_at: (string | null)
/**
 * Time of the last rotation, if any.
 */
rotated_at: (string | null)
revoked_at: (string | null)
/**
 * The key itself, only in the response that creates or rotates it. Send it as `Authorization: Bearer <key>`.
 */
key?: string
/**
 * Rounded down to the hour.
 */
last_used_at: (string | null)
}
/**
 * The keys of an account.
 */
export interface ApiKeys {
/**
 * The oldest first.
 */
keys: ApiKey[]
}
/**
 * Flagged receipts and the decisions about them.
 */
export interface AssetReview {
/**
 * The requested wallets, separated by commas.
 */
address: string
/**
 * Number of records.
 */
count: number
/**
 * Records without a decision.
 */
pending: number
records: FlaggedReceiptRecord[]
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * One flagged receipt.
 */
export interface FlaggedReceiptRecord {
/**
 * Id of the receipt's row: the key of a decision about it.
 */
record_id: string
/**
 * The wallet that received.
 */
address: string
/**
 * Block time in UTC, YYYY-MM-DD HH:MM:SS.
 */
date: string
/**
 * Transaction hash.
 */
tx_hash: string
/**
 * Block height.
 */
height: number
/**
 * On-chain denom of what was received.
 */
denom: string
/**
 * Registry symbol; the denom if it is not in a registry.
 */
symbol: string
/**
 * Self-declared symbol of a token that is not in a registry (untrusted text); empty for other coins.
 */
claimed_symbol: string
/**
 * Displayed units; base units if the denom is not in a registry.
 */
quantity: string
/**
 * Sending account; empty if the coins were minted to the wallet.
 */
sender: string
/**
 * The transaction's memo (untrusted text).
 */
memo: string
/**
 * Suspected spam, or a token that imitates a registry asset.
 */
reason: ("suspected_spam" | "identity_mismatch")
/**
 * Evidence for the reason, in sentences.
 * 
 * @minItems 1
 */
evidence: [string, ...(string)[]]
/**
 * The decision in this request, or saved by your account.
 */
decision: ("none" | "exclude" | "keep" | "override")
[k: string]: unknown
}
/**
 * At the close of a UTC day, or at the last indexed block.
 */
export interface Holdings {
/**
 * The wallet.
 */
address: string
/**
 * The UTC day; for the latest holdings, the day of the last indexed block.
 */
date: string
/**
 * Displayed units, at most six decimals.
 */
liquid: number
/**
 * Displayed units, at most six decimals.
 */
staked: number
/**
 * Displayed units, at most six decimals.
 */
reward: number
/**
 * Displayed units, at most six decimals.
 */
total: number
/**
 * Symbol of the native coin.
 */
symbol: string
/**
 * Displayed units, at most six decimals.
 */
unbonding: number
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Every UTC day of the index in ascending order. A day without blocks repeats the day before.
 */
export interface HoldingsHistory {
/**
 * The wallet.
 */
address: string
/**
 * Symbol of the native coin.
 */
symbol: string
history: Holdings[]
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Catalog of the indexer's classification and of the reports that serve it.
 */
export interface Catalog {
/**
 * Id of the chain.
 */
chain_id: string
/**
 * Name of the network.
 */
chain: string
/**
 * The price methodology in force.
 */
methodology_version: string
/**
 * First UTC day on which it applies.
 */
methodology_date: string
native_asset: NativeAsset
categories: CatalogCategory[]
triggers: CatalogTrigger[]
/**
 * Known contracts.
 */
contracts: CatalogContract[]
/**
 * Type URLs of reviewed messages. Others are counted below.
 */
message_types: string[]
tags: CatalogTag[]
export_formats: CatalogFormat[]
reports: CatalogReport[]
/**
 * Reviewed releases of the node software, newest first.
 */
gaia_releases: Release[]
/**
 * Announced upstream changes.
 */
upcoming_changes: string[]
/**
 * Rows of this dataset that no classifier explained, counted by message type, or BeginBlock, EndBlock, fee.
 */
unclassified: {
[k: string]: number
}
/**
 * Messages of this dataset with an unknown type, counted by type.
 */
unknown_message_types: {
[k: string]: number
}
/**
 * Messages of this dataset whose bytes could not be decoded as their type, counted by type.
 */
undecoded_messages: {
[k: string]: number
}
ignored?: IgnoredParameters
[k: string]: unknown
}
export interface NativeAsset {
/**
 * On-chain denom.
 */
denom: string
/**
 * Display symbol.
 */
symbol: string
/**
 * Decimals of a displayed unit.
 */
decimals: number
/**
 * Name of its prices.
 */
coingecko_id: string
[k: string]: unknown
}
export interface CatalogCategory {
/**
 * Value of the member category of a row.
 */
category: string
/**
 * Whether rows of the category are relevant for tax: income, disposals, or transfers from or to others. False for record-only rows, which move coins within the wallet. It does not mean that tax is due.
 */
taxable: boolean
/**
 * The narrowest value of `type` that selects it; otherwise all.
 */
group: string
/**
 * Meaning of the category.
 */
description: string
[k: string]: unknown
}
export interface CatalogTrigger {
/**
 * Value of the member rewardTrigger of a row.
 */
trigger: string
/**
 * Categories with this trigger, separated by commas.
 */
categories: string
/**
 * Cause of the payment.
 */
description: string
[k: string]: unknown
}
export interface CatalogContract {
/**
 * The account.
 */
address: string
/**
 * Owner of the contract.
 */
protocol: string
/**
 * Name of the contract.
 */
name: string
/**
 * Kind of the contract, which determines how payments to it are treated.
 */
kind: string
/**
 * First block of the index in which its coins moved; 0 if none.
 */
first_seen_height: number
[k: string]: unknown
}
export interface CatalogTag {
/**
 * Name in requests.
 */
tag: string
/**
 * Display name.
 */
label: string
/**
 * Effect of the tag on a row.
 */
treatment: string
[k: string]: unknown
}
export interface CatalogFormat {
/**
 * Value of the parameter format.
 */
format: string
/**
 * Value of the parameter profile; empty: none.
 */
profile: string
/**
 * Paths that support it.
 */
paths: string[]
/**
 * Content of the format.
 */
description: string
[k: string]: unknown
}
export interface CatalogReport {
/**
 * Path of the report.
 */
path: string
/**
 * Purpose of the report.
 */
purpose: string
[k: string]: unknown
}
/**
 * A release of the node software.
 * 
 * This interface was referenced by `ReleaseTracking`'s JSON-Schema
 * via the `definition` "Release".
 */
export interface Release {
/**
 * Tag, vMAJOR.MINOR.PATCH.
 */
version: string
/**
 * Day of publication; empty if unknown.
 */
date: string
/**
 * Version of the Cosmos SDK that it is built with, after the replace lines of its go.mod; empty where that cannot be told.
 */
cosmos_sdk: string
/**
 * Summary of its changes; empty before its review.
 */
summary: string
/**
 * Consequences for the index.
 */
indexer_impact: string
/**
 * Whether its effect on the index was reviewed.
 */
reviewed: boolean
[k: string]: unknown
}
/**
 * Releases of the node software, and whether one needs a review.
 */
export interface ReleaseTracking {
/**
 * A release, the node's version or a pending upgrade is newer than what was reviewed.
 */
attention: boolean
/**
 * The watcher has had no complete run for 36 hours.
 */
stale: boolean
latest_reviewed: Release1
/**
 * Newest first.
 */
releases: Release[]
/**
 * Announced upstream changes.
 */
upcoming_changes: string[]
watcher: WatcherRun
/**
 * Whether the pending upgrade's changes without events are reviewed; null if none is pending. If false, holdings may end before that upgrade's height.
 */
upgrade_reviewed: (boolean | null)
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * A release of the node software.
 */
export interface Release1 {
/**
 * Tag, vMAJOR.MINOR.PATCH.
 */
version: string
/**
 * Day of publication; empty if unknown.
 */
date: string
/**
 * Version of the Cosmos SDK that it is built with, after the replace lines of its go.mod; empty where that cannot be told.
 */
cosmos_sdk: string
/**
 * Summary of its changes; empty before its review.
 */
summary: string
/**
 * Consequences for the index.
 */
indexer_impact: string
/**
 * Whether its effect on the index was reviewed.
 */
reviewed: boolean
[k: string]: unknown
}
/**
 * Challenge for a wallet to sign; valid once, within five minutes.
 */
export interface Challenge {
/**
 * Text to sign unchanged.
 */
challenge: string
expires_at: string
}
/**
 * Codes stored on the chain, as listed by the node.
 */
export interface CodeList {
/**
 * One item per code.
 */
code_infos: CodeInfo[]
pagination?: CodePagination
[k: string]: unknown
}
export interface CodeInfo {
code_id: string
creator?: string
data_hash?: string
[k: string]: unknown
}
/**
 * A contract's metadata, as returned by the node.
 */
export interface ContractDetails {
address?: string
contract_info: ContractInfo
[k: string]: unknown
}
export interface ContractInfo {
code_id: string
creator?: string
/**
 * Empty if the contract cannot be migrated.
 */
admin?: string
label?: string
[k: string]: unknown
}
/**
 * Coverage: the blocks and days that the response is based on.
 */
export interface Coverage {
/**
 * UTC day of the first indexed block.
 */
index_start: string
/**
 * UTC day of the last indexed block.
 */
index_end: string
/**
 * Whether every block of the requested days is indexed. An open range ends with the index.
 */
complete: boolean
/**
 * First second that is both requested and indexed, RFC 3339 in UTC; null if there is none.
 */
covered_from: (string | null)
/**
 * Last such second; the last block's time if the index ends within the request.
 */
covered_to: (string | null)
/**
 * Id of the generation.
 */
generation: string
/**
 * Height of its last block.
 */
height: number
/**
 * Height of the first block with known balances and stakes; from here on losses by slashes have rows. Null without a starting state.
 */
holdings_from: (number | null)
/**
 * Height of the last block up to which balances, stakes and losses by slashes are proved; null without a starting state.
 */
holdings_until: (number | null)
/**
 * Human-readable summary, with the effect on lots, and the reason if holdings end before the index.
 */
note: string
[k: string]: unknown
}
/**
 * Staking income of one wallet.
 */
export interface DelegatorReport {
/**
 * The wallet.
 */
address: string
/**
 * Id of the chain.
 */
chain: string
/**
 * Rewards paid in the native coin, in displayed units.
 */
rewards_amount: string
/**
 * The native coin.
 */
symbol: string
/**
 * Value of all rewards, each at the published price of its UTC day; rows without a price count as 0.
 */
rewards_usd: string
/**
 * Reward rows.
 */
taxable_events: number
/**
 * Number of reward rows without a price, whose value is unknown.
 */
price_missing_rows: number
/**
 * When a reward counts as income.
 */
recognition_policy: string
/**
 * Version of the price methodology.
 */
methodology_version: string
/**
 * Attribution.
 */
powered_by: string
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Sums over disposals of one kind, or over all disposals including network fees.
 */
export interface DisposalFigures {
/**
 * Disposals of the period.
 */
count: number
/**
 * Disposals of this or an earlier period that a refund in this period reversed; all figures except refunded_proceeds_usd are net of them.
 */
refunds: number
/**
 * Disposals without a published price, whose value is not in any amount here. Negative if a refund reversed one of an earlier period.
 */
without_price: number
/**
 * Proceeds; empty if no disposal has a price. Together with refunded_proceeds_usd they equal the sum of proceeds_usd over the journal’s debit lines.
 */
proceeds_usd: string
/**
 * Part of the proceeds from coins of unknown basis. It is not part of any gain; the journal books it to Equity: Unknown Basis.
 */
proceeds_basis_unknown_usd: string
/**
 * Proceeds of the disposals that a refund reversed.
 */
refunded_proceeds_usd: string
/**
 * Cost of priced disposals of coins with known basis.
 */
cost_usd: string
/**
 * Cost of unpriced disposals of coins with known basis; no gain is computed for them.
 */
cost_without_price_usd: string
/**
 * Gain of coins held for a year or less; negative for a loss.
 */
gain_short_usd: string
/**
 * Gain of coins held for more than a year; negative for a loss.
 */
gain_long_usd: string
/**
 * Sum of both: Realized Gain/Loss in the journal.
 */
gain_usd: string
[k: string]: unknown
}
/**
 * The rows of one or more wallets, grouped by address in the order of the request, each in chain order.
 */
export interface EventList {
/**
 * Id of the chain.
 */
chain: string
/**
 * The requested type.
 */
type: ("all" | "rewards" | "staking" | "income" | "transfers" | "ibc_in" | "ibc_out" | "swaps" | "fees")
/**
 * The queried addresses.
 */
addresses: string[]
/**
 * The requested start.
 */
start: (string | null)
/**
 * The requested end.
 */
end: (string | null)
summary: EventListSummary
/**
 * Number of rows.
 */
count: number
coverage: Coverage
events: Event[]
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Sums of the listed rows; amounts are of the native coin. Coins that only move between liquid, staked and unbonding are neither received nor sent.
 */
export interface EventListSummary {
/**
 * Number of taxable rows.
 */
taxableEvents: number
/**
 * Staking and liquid-stake rewards received.
 */
stakingRewards: number
/**
 * Value of the income rows.
 */
incomeUsd: number
/**
 * Received from other accounts.
 */
totalReceived: number
/**
 * Sent to other accounts, without fees.
 */
totalSent: number
/**
 * Transaction fees.
 */
totalFees: number
/**
 * Symbol of the native coin.
 */
symbol: string
/**
 * Time of the first row, empty without rows.
 */
firstDate: string
/**
 * Time of the last row, empty without rows.
 */
lastDate: string
[k: string]: unknown
}
/**
 * One row: a movement of coins or a staking act of one wallet. An amount or denom that does not apply is an empty string.
 */
export interface Event {
/**
 * Block time in UTC.
 */
date: string
/**
 * Amount that left the wallet or moved within it, in displayed units.
 */
sentAmount: string
/**
 * Registry symbol; the denom if it is not in a registry, and the amount is then in base units.
 */
sentCurrency: string
/**
 * Amount that arrived, in displayed units.
 */
receivedAmount: string
/**
 * Registry symbol, same as for sentCurrency.
 */
receivedCurrency: string
/**
 * The transaction fee; only in rows of category fee and fee_failed.
 */
feeAmount: string
/**
 * Registry symbol, same as for sentCurrency.
 */
feeCurrency: string
/**
 * Koinly's label for the row's tag, or else for its category; empty if Koinly has none, as for plain transfers and trades. Staking and deposits have stake and unstake, because the coins stay the wallet's own. New labels may be added.
 */
label: string
/**
 * Sentence about the event, with amounts and names (untrusted text). It also mentions a tag or decision of the caller, a missing price, or a value below half a cent.
 */
description: string
/**
 * Transaction hash in upper case, or block:<height> for events without a transaction.
 */
txHash: string
/**
 * The row's category. New categories may be added.
 */
category: string
/**
 * Whether the row is relevant for tax: income, a disposal, or a transfer from or to others. False for record-only rows, which move coins within the wallet, and for receipts that the caller excludes. With a tag it follows the tag: true for income and disposals. It does not mean that tax is due.
 */
taxable: boolean
/**
 * Context: contract, protocol or trigger. If the fee is the wallet's only row of a transaction, the message types.
 */
detail: string
/**
 * The tag the caller put on this row.
 */
userTag: string
/**
 * Operator address of the validator concerned.
 */
validatorAddress: string
/**
 * Moniker as written by its operator; empty if unknown.
 */
validatorMoniker: string
/**
 * Trigger that caused a reward to be paid out; empty in other rows. New triggers may be added.
 */
rewardTrigger: string
/**
 * Value at that UTC day's published price, rounded half-up to the cent; also 0 if no price was published: see valueStatus.
 */
valueUsd: number
/**
 * The wallet whose row this is.
 */
address: string
/**
 * Stable id of the row; the record_id of a flagged receipt.
 */
id: string
/**
 * The other side.
 */
counterparty: string
/**
 * Block height.
 */
height: number
/**
 * On-chain denom of the sent amount. It identifies the coin; a symbol is only a label.
 */
sentDenom: string
/**
 * On-chain denom of the received amount.
 */
receivedDenom: string
/**
 * On-chain denom of the fee.
 */
feeDenom: string
/**
 * Published price per displayed unit of the valued denom, or the price implied by a stated value_usd; 0 if there is neither.
 */
priceUsd: number
/**
 * The value is unknown: no price was published for that denom and UTC day.
 */
priceMissing: boolean
/**
 * Origin of valueUsd; new values may be added. priced: amount times price. stated: set by a decision of the caller. below_half_cent: there is a price, and the value rounds to 0.00. no_price: no price was published, so the value is unknown and not 0. excluded: a decision of the caller excludes the receipt, which counts as worth nothing. nothing: the row moves no coins.
 */
valueStatus: string
/**
 * The category in words. New categories may be added.
 */
categoryLabel: string
[k: string]: unknown
}
/**
 * A tag of the request, and the rows that it matched.
 */
export interface TaggedRows {
/**
 * The key as sent.
 */
key: string
/**
 * The tag.
 */
tag: string
/**
 * Ids of the matched rows, even outside the requested range. Empty if the tag was ignored: no row has the key, or only rewards, fees and losses, which a hash does not match.
 */
rows: string[]
[k: string]: unknown
}
/**
 * Rows of Form 8949, one per slice of a lot, by wallet and time, with totals by box.
 */
export interface Form8949 {
/**
 * Number of rows.
 */
count: number
/**
 * Sums by box.
 */
totals: Form8949Total[]
coverage: Coverage
rows: Form8949Row[]
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Sums of a box.
 */
export interface Form8949Total {
/**
 * I, L, or the reason for listing separately.
 */
box: ("I" | "L" | "unknown basis" | "price missing")
/**
 * Number of rows.
 */
rows: number
/**
 * Sum of column (d); empty if no row has a price.
 */
proceeds_usd: string
/**
 * Sum of column (e); empty if unknown.
 */
cost_basis_usd: string
/**
 * Sum of column (h); empty outside the boxes.
 */
gain_usd: string
}
/**
 * A disposal, or a slice of it.
 */
export interface Form8949Row {
/**
 * Quantity and asset, column (a).
 */
description: string
/**
 * UTC day, column (b); empty if the basis is unknown, because such coins may have been acquired long before the wallet received them.
 */
date_acquired: string
/**
 * UTC day, column (c); for a refund the day of the refund.
 */
date_sold: string
/**
 * Column (d); empty if no price was published.
 */
proceeds_usd: string
/**
 * Column (e); empty if unknown.
 */
cost_basis_usd: string
/**
 * Column (f), always empty.
 */
adjustment_code: string
/**
 * Column (g), always empty.
 */
adjustment_usd: string
/**
 * Column (h); empty if basis or proceeds are unknown.
 */
gain_usd: string
/**
 * SHORT or LONG; empty outside the boxes.
 */
term: ("SHORT" | "LONG" | "")
/**
 * I or L: digital assets without a Form 1099-DA; empty for rows listed separately.
 */
box: ("I" | "L" | "")
/**
 * Why a row is listed separately: unknown basis or price missing. For unknown basis it includes the lot's day: the day of receipt, unless the owner stated another.
 */
note: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Displayed units.
 */
quantity: string
/**
 * The wallet whose row this is.
 */
address: string
/**
 * Transaction hash, or block:<height>.
 */
tx_hash: string
/**
 * Entry of the journal.
 */
entry_id: string
}
/**
 * Double-entry journal by wallet, FIFO, in date order: one debit and one credit line per entry.
 */
export interface Journal {
/**
 * Number of lines.
 */
count: number
coverage: Coverage
lines: JournalLine[]
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * One side of an entry; the entry's other line carries the same amount on the other side.
 */
export interface JournalLine {
/**
 * Block time in UTC.
 */
date_utc: string
/**
 * Transaction hash, or block:<height>.
 */
tx_hash: string
/**
 * The same for both lines of an entry; stable.
 */
entry_id: string
/**
 * Account debited or credited.
 */
account: string
/**
 * Amount debited; empty on the credit line.
 */
debit_usd: string
/**
 * Amount credited; empty on the debit line.
 */
credit_usd: string
/**
 * Symbol of the asset moved.
 */
asset: string
/**
 * Displayed units received or relieved; empty on gain entries.
 */
quantity: string
/**
 * The row's category.
 */
category: string
/**
 * Notes for the bookkeeper: basis unknown, price missing, tag, and why there was no lot.
 */
memo: string
/**
 * Published unit price of that UTC day; empty if none was published.
 */
price_usd: string
/**
 * The other side.
 */
counterparty: string
/**
 * Operator address of the validator concerned.
 */
validator: string
/**
 * ISO country code of its public disclosure, or undisclosed; empty without a validator.
 */
validator_country: string
/**
 * Version of the price methodology.
 */
methodology_version: string
/**
 * The wallet whose line this is.
 */
address: string
/**
 * Displayed units of unknown basis; empty if the entry moves none.
 */
basis_unknown_quantity: string
/**
 * Value of the coins disposed of; empty for other entries and if no price was published.
 */
proceeds_usd: string
/**
 * Acquisition day (UTC) of the lots that the entry created, relieved, moved or restored; VARIOUS for several days; empty if it affects none.
 */
acquired: string
/**
 * Holding period of the disposed coins with known basis: SHORT, LONG or MIXED; empty for other entries.
 */
term: ("" | "SHORT" | "LONG" | "MIXED")
/**
 * Memo of the transaction.
 */
tx_memo: string
[k: string]: unknown
}
/**
 * Countries of validators, as their operators disclosed them.
 */
export interface JurisdictionRegistry {
/**
 * Definition of a disclosure.
 */
basis: string
/**
 * Validators with delegations after the last indexed block.
 */
validators_on_chain: number
/**
 * Number of these validators with an entry.
 */
validators_disclosed: number
/**
 * Value used for validators without an entry.
 */
undisclosed_label: string
jurisdictions: JurisdictionEntry[]
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * One disclosure.
 */
export interface JurisdictionEntry {
/**
 * The validator's moniker on chain if known, otherwise its name in the disclosure.
 */
moniker: string
/**
 * ISO 3166-1 alpha-2.
 */
country: string
/**
 * Disclosing entity: the company's name if stated.
 */
entity: string
/**
 * The operator's own words.
 */
statement: string
/**
 * URL of the public source.
 */
source: string
/**
 * Day on which the source was last read.
 */
reviewed: string
/**
 * Operator addresses of the validators; null if the source names none.
 */
operator_addresses: (string[] | null)
/**
 * Whether one of its validators is on chain.
 */
on_chain: boolean
[k: string]: unknown
}
/**
 * Rules for a day’s reference price, and the operator’s manual corrections of the dataset.
 */
export interface MethodologyAnswer {
version: string
effective_date: string
sources: Sources
timestamp_granularity: string
aggregation_rule: string
fallback_order: FallbackOrder
missing_price_handling: string
rounding: string
parameters: Parameters1
change_log: ChangeLog
corrections: Corrections
/**
 * Totals that did not match in the state that holdings start from; empty on a chain without such a history.
 */
starting_differences: StartingDifference[]
ignored?: IgnoredParameters
}
/**
 * This API description.
 */
export interface OpenApiDocument {
openapi: string
info: {
[k: string]: unknown
}
servers: {
[k: string]: unknown
}[]
paths: {
[k: string]: unknown
}
components: {
[k: string]: unknown
}
[k: string]: unknown
}
/**
 * Open lots and unrealized gain per wallet and asset at the end of a UTC day.
 */
export interface Positions {
/**
 * The UTC day.
 */
as_of: string
/**
 * The latest UTC day whose price values a position: the requested day, or by default the last day with a published price. Empty if no position has a price.
 */
priced_as_of: string
/**
 * Version of the price methodology.
 */
methodology_version: string
/**
 * Note on reading the figures.
 */
note: string
coverage: Coverage
/**
 * Number of positions.
 */
count: number
positions: Position[]
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Open lots of one asset in one wallet, and its remaining coins from before the index.
 */
export interface Position {
/**
 * The wallet.
 */
address: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Displayed units in lots, including staked and unbonding ones.
 */
quantity: string
/**
 * Cost of the lots with known basis; empty if there is none.
 */
cost_basis_usd: string
/**
 * Displayed units of unknown basis; they have a value but no cost.
 */
basis_unknown_quantity: string
/**
 * Published unit price of the day in priced_as_of; empty when missing.
 */
market_price_usd: string
/**
 * Value of the quantity in lots; empty if the price is missing.
 */
market_value_usd: string
/**
 * Value less cost of the part with known basis; empty if there is none or the price is missing.
 */
unrealized_gain_usd: string
/**
 * No price was published for the requested day; without a requested day, none at all.
 */
price_missing: boolean
/**
 * Open lots.
 */
lots: number
/**
 * UTC day on which the oldest lot was acquired; empty without lots.
 */
oldest_lot: string
/**
 * Remaining displayed units from before the index. They have unknown basis, are not lots, and are spent first. Together with the quantity they are the wallet's holdings.
 */
opening_quantity: string
/**
 * UTC day of that price; empty when missing.
 */
priced_as_of: string
[k: string]: unknown
}
/**
 * The published reference price of every day of a range.
 */
export interface PriceSeries {
/**
 * Id of the chain.
 */
chain: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Version of the price methodology.
 */
methodology_version: string
points: PricePoint[]
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * One UTC day.
 */
export interface PricePoint {
/**
 * UTC day.
 */
date: string
/**
 * USD for one displayed unit, at most six decimals; 0 when not found.
 */
usd: number
/**
 * Whether a price was published for that day.
 */
found: boolean
[k: string]: unknown
}
/**
 * The dataset that is served.
 */
export interface Readiness {
/**
 * Id of the published generation.
 */
generation: string
/**
 * Its last block.
 */
height: number
/**
 * First block with known holdings; above the first indexed block if the starting state is later. Null if there are no holdings.
 */
holdings_from: (number | null)
/**
 * Last block with proved holdings. If below height, the fold stopped at the next block; see coverage for the reason. Null if there are no holdings.
 */
holdings_until: (number | null)
/**
 * Seconds since that block's time.
 */
age_seconds: number
/**
 * Warning if the last block is more than 36 hours old, because nights have not published; requests are still served. Null otherwise.
 */
warning: (string | null)
/**
 * Whether the dataset has another methodology or classification version than this program. If so, wallets' figures are refused until a night publishes with the current versions.
 */
replay_in_progress: boolean
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * When a reward is income.
 */
export interface RecognitionPolicyAnswer {
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Decisions that an account has saved about receipts of one address.
 */
export interface SavedDecisions {
/**
 * Address of the wallet.
 */
address: string
/**
 * record_id, row id or bulk key → decision, as given.
 */
decisions: {
[k: string]: AssetDecision
}
/**
 * Time of the last change; null if nothing is saved.
 */
saved_at: (string | null)
/**
 * ETag of the entry, for If-Match of a later PUT or DELETE.
 */
etag: string
}
/**
 * Opening lots that an account has saved about one address.
 */
export interface SavedOpeningLots {
/**
 * Address of the wallet.
 */
address: string
/**
 * The lots as given.
 */
opening_lots: StatedLot[]
/**
 * Time of the last change; null if nothing is saved.
 */
saved_at: (string | null)
/**
 * ETag of the entry, for If-Match of a later PUT or DELETE.
 */
etag: string
}
/**
 * The wallets with entries saved by an account.
 */
export interface SavedWallets {
/**
 * Last changed first.
 */
wallets: {
/**
 * Address of the wallet.
 */
address: string
/**
 * Time when decisions were last saved; null if there are none.
 */
decisions_saved_at: (string | null)
/**
 * Time when opening lots were last saved; null if there are none.
 */
opening_lots_saved_at: (string | null)
}[]
}
/**
 * The browsers that are signed in to an account.
 */
export interface Sessions {
/**
 * The current session first, then the last used ones.
 */
sessions: {
/**
 * Used in its path; it does not reveal the session's token.
 */
id: string
/**
 * Browser and system from the User-Agent; null if not recognised.
 */
device: (string | null)
/**
 * Time of sign-in.
 */
created_at: string
/**
 * Rounded to the hour.
 */
last_used_at: string
/**
 * Time of expiry if it is not used before.
 */
expires_at: string
/**
 * Whether it is the current session.
 */
current: boolean
}[]
}
/**
 * A contract's response, unchanged.
 */
export interface SmartQueryAnswer {
/**
 * Any JSON value; numbers keep the contract's digits.
 */
data: {
[k: string]: unknown
}
[k: string]: unknown
}
/**
 * A proposed correction with its review state.
 */
export interface Submission {
id: string
kind: ("validator_jurisdiction" | "contract_label")
contract_address: string
note: string
/**
 * `accepted`: it becomes part of the reviewed data.
 */
status: ("received" | "accepted" | "rejected")
submitted_at: string
reviewed_at: (string | null)
}
/**
 * Corrections that an account has proposed.
 */
export interface Submissions {
/**
 * The latest two hundred, newest first.
 */
submissions: Submission[]
}
/**
 * Figures of a period, for one wallet or all requested wallets.
 */
export interface SummarySheet {
/**
 * The wallet; `all` for the total.
 */
address: string
/**
 * Rows of /events in the period.
 */
rows: number
/**
 * Taxable rows.
 */
taxable_rows: number
/**
 * Sum over income: the income accounts of the journal, and incomeUsd of /events.
 */
income_usd: string
/**
 * Value of network fees, which are also disposals; empty if none has a price.
 */
fees_usd: string
disposed: DisposalFigures
/**
 * Income by account, category and asset.
 */
income: IncomeOfKind[]
/**
 * Disposals by account, category and asset.
 */
disposals: DisposalsOfKind[]
/**
 * Coins that left at their basis without a gain, by account, category and asset: gifts, donations, losses, own transfers.
 */
reliefs: ReliefsOfKind[]
/**
 * Lots moved between the requested wallets, by asset; empty without own_wallets=carry. In total, in equals out, except for coins without a lot in the sending wallet.
 */
carried: CarriedAsset[]
/**
 * Every asset: opening, in, out, closing.
 */
assets: AssetOfPeriod[]
/**
 * Trial balance: every account of the journal’s lines of the period.
 */
accounts: AccountOfPeriod[]
/**
 * Open questions to resolve before filing.
 */
open: OpenQuestion[]
[k: string]: unknown
}
/**
 * Income of one kind.
 */
export interface IncomeOfKind {
/**
 * Contra account of the journal.
 */
account: string
/**
 * Category of the rows.
 */
category: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Receipts.
 */
count: number
/**
 * Receipts without a price, which count as 0.00.
 */
without_price: number
/**
 * Displayed units.
 */
quantity: string
/**
 * Income; empty if no receipt has a price.
 */
income_usd: string
[k: string]: unknown
}
/**
 * Reliefs of one kind.
 */
export interface ReliefsOfKind {
/**
 * Kind of what left.
 */
kind: ("gift" | "donation" | "loss" | "own_transfer" | "other")
/**
 * Contra account of the journal.
 */
account: string
/**
 * Category of the rows.
 */
category: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Reliefs of the period.
 */
count: number
/**
 * Reliefs that a refund reversed; the figures are net of them.
 */
refunds: number
/**
 * Reliefs without a published price, which are not in market_value_usd; negative if a refund reversed one of an earlier period.
 */
without_price: number
/**
 * Displayed units.
 */
quantity: string
/**
 * Part of the quantity with unknown basis.
 */
basis_unknown_quantity: string
/**
 * Cost of the part with known basis; empty if there is none.
 */
cost_usd: string
/**
 * Value on the days on which they left; empty if no day has a price.
 */
market_value_usd: string
[k: string]: unknown
}
/**
 * Lots of one asset received from and sent to own wallets.
 */
export interface CarriedAsset {
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Displayed units received.
 */
in_quantity: string
/**
 * Cost received with them.
 */
in_cost_usd: string
/**
 * Displayed units sent.
 */
out_quantity: string
/**
 * Cost sent with them.
 */
out_cost_usd: string
[k: string]: unknown
}
/**
 * One asset. Opening and closing figures are those of /positions at the end of the day before the period and of its last day.
 */
export interface AssetOfPeriod {
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Displayed units in lots before the period.
 */
opening_quantity: string
/**
 * Part of them with unknown basis.
 */
opening_basis_unknown_quantity: string
/**
 * Displayed units still left from before the index, in addition to lots; their basis is unknown.
 */
opening_before_index_quantity: string
/**
 * Cost of the part with known basis; empty if there is none.
 */
opening_cost_usd: string
/**
 * Displayed units received, including from deposits, refunds and shares.
 */
in_quantity: string
/**
 * Part of them with unknown basis.
 */
in_basis_unknown_quantity: string
/**
 * Cost of the part with known basis; empty if there is none.
 */
in_cost_usd: string
/**
 * Displayed units that left, including into deposits and shares.
 */
out_quantity: string
/**
 * Part of them with unknown basis.
 */
out_basis_unknown_quantity: string
/**
 * Cost of the part with known basis; empty if there is none.
 */
out_cost_usd: string
/**
 * Displayed units that left without a lot or a coin from before the index, less units that returned; negative if they left in an earlier period. Closing equals opening plus in minus out plus this.
 */
no_lot_quantity: string
/**
 * Displayed units in lots at the end.
 */
closing_quantity: string
/**
 * Part of them with unknown basis.
 */
closing_basis_unknown_quantity: string
/**
 * Displayed units still left from before the index, in addition to lots.
 */
closing_before_index_quantity: string
/**
 * Cost of the part with known basis; empty if there is none.
 */
closing_cost_usd: string
[k: string]: unknown
}
/**
 * An account of the journal.
 */
export interface AccountOfPeriod {
/**
 * Name.
 */
account: string
/**
 * Sum of its debit lines.
 */
debit_usd: string
/**
 * Sum of its credit lines.
 */
credit_usd: string
[k: string]: unknown
}
/**
 * An open question, and the response that shows it.
 */
export interface OpenQuestion {
/**
 * undecided_receipts: flagged receipts without a decision, including later ones. receipts_of_unknown_basis: receipts of the period. assets_of_unknown_basis: assets partly of unknown basis at the end. unclassified_rows: rows that no rule explains. days_without_price: UTC days on which a row of the asset has no price.
 */
question: ("undecided_receipts" | "receipts_of_unknown_basis" | "assets_of_unknown_basis" | "unclassified_rows" | "days_without_price")
/**
 * Symbol if it concerns one asset, otherwise empty.
 */
asset: string
/**
 * On-chain denom if it concerns one asset, otherwise empty.
 */
denom: string
/**
 * Number of open items; 0 if none.
 */
count: number
/**
 * Path and query of the response that shows them; add tags, decisions, opening lots and own_wallets as sent.
 */
link: string
[k: string]: unknown
}
/**
 * A period of one or more wallets on one sheet, which matches /events, /journal and /positions to the cent.
 */
export interface Summary {
/**
 * The wallets.
 */
addresses: string[]
/**
 * First UTC day: as requested, or the first of the index.
 */
start: string
/**
 * Last UTC day: as requested, or the last of the index.
 */
end: string
/**
 * Version of the price methodology.
 */
methodology_version: string
/**
 * Version of the classification that made the rows.
 */
classification_version: string
/**
 * Id of the generation.
 */
generation: string
/**
 * When income is recognized.
 */
recognition_policy: string
/**
 * Note on reading the figures.
 */
note: string
coverage: Coverage
total: SummarySheet
/**
 * The sheet of each wallet in the order of the request.
 */
wallets: SummarySheet[]
/**
 * Payments between the requested wallets that do not carry lots; own_wallets=carry would change this. Empty if it is given.
 */
own_transfers: OwnTransfersOfAsset[]
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Payments of one asset from one wallet to another, in the whole index.
 */
export interface OwnTransfersOfAsset {
/**
 * The wallet that sent.
 */
from: string
/**
 * The wallet that received.
 */
to: string
/**
 * Symbol.
 */
asset: string
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Payments.
 */
count: number
/**
 * Displayed units.
 */
quantity: string
/**
 * UTC day of the first.
 */
first: string
/**
 * UTC day of the last.
 */
last: string
[k: string]: unknown
}
/**
 * The bookkeeping tags and how to use them.
 */
export interface TagVocabulary {
/**
 * The keys that the parameter tags accepts.
 */
key_forms: string[]
tags: VocabularyTag[]
/**
 * Instructions on giving tags.
 */
usage: string
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * One tag.
 */
export interface VocabularyTag {
/**
 * Name in requests.
 */
tag: string
/**
 * Display name.
 */
label: string
/**
 * Effect of the tag on a row.
 */
treatment: string
[k: string]: unknown
}
/**
 * Payouts of a validator to its operator and delegators, by month.
 */
export interface ValidatorStatement {
/**
 * Operator address.
 */
validator: string
/**
 * Moniker as written by its operator (untrusted text).
 */
moniker: string
/**
 * ISO 3166-1 country code of a public disclosure, or undisclosed.
 */
jurisdiction: string
/**
 * Version of the price methodology.
 */
methodology_version: string
/**
 * When income counts.
 */
recognition_policy: string
months: StatementMonth[]
total: StatementTotal
coverage: StatementCoverage
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * The requested days of a UTC month.
 */
export interface StatementMonth {
/**
 * YYYY-MM.
 */
month: string
/**
 * Symbol of the native coin.
 */
symbol: string
/**
 * Commission that the operator withdrew, in displayed units; includes the remainder paid when the validator was removed.
 */
commission_amount: string
/**
 * Value at withdrawal, each withdrawal rounded to the cent.
 */
commission_usd: string
/**
 * Rewards that delegators withdrew, by claims or automatically, in displayed units.
 */
delegator_rewards_amount: string
/**
 * Value at withdrawal, each withdrawal rounded to the cent.
 */
delegator_rewards_usd: string
/**
 * Withdrawals of rewards above zero.
 */
reward_events: number
/**
 * Delegators that withdrew, including accounts of share records.
 */
unique_delegators: number
/**
 * Days with payouts, commission among them, that have no published price.
 */
price_missing_days: number
/**
 * Withdrawals of rewards on such days; they count as 0 USD.
 */
price_missing_events: number
/**
 * A day of the month is not indexed, not requested, or not yet replayed with the current methodology.
 */
incomplete: boolean
/**
 * Part of delegator_rewards_amount paid to the operator's own delegation (the account with the bytes of the operator address).
 */
own_rewards_amount: string
/**
 * Value of that part.
 */
own_rewards_usd: string
/**
 * Rest of delegator_rewards_amount, paid to all other delegators.
 */
others_rewards_amount: string
/**
 * Value of that rest.
 */
others_rewards_usd: string
/**
 * Commission that the operator withdrew in other denoms than the native coin, by denom; the members above exclude it.
 */
other_commission: OtherCommission[]
/**
 * Last indexed day of the month, YYYY-MM-DD, for the accrued commission; empty if the validator did not exist then, or holdings of that day are not proved.
 */
commission_accrued_on: string
/**
 * Commission earned and not withdrawn at the end of that day, in displayed units, as a withdrawal would have paid it. It is not income yet. Empty if the day is empty.
 */
commission_accrued_amount: string
/**
 * The same in other denoms; none if the day is empty.
 */
other_commission_accrued: AccruedCoin[]
[k: string]: unknown
}
/**
 * Commission in one denom other than the native coin.
 * 
 * This interface was referenced by `ValidatorStatement`'s JSON-Schema
 * via the `definition` "OtherCommission".
 */
export interface OtherCommission {
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Registry symbol; the denom if it is not in a registry.
 */
symbol: string
/**
 * Displayed units; base units if the denom is not in a registry.
 */
amount: string
/**
 * Value at withdrawal, each withdrawal rounded to the cent, for days with a published price.
 */
usd: string
/**
 * Part of the amount withdrawn on days without a published price, which counts as 0 USD; 0 if all of it is priced.
 */
price_missing_amount: string
[k: string]: unknown
}
/**
 * Coins of one denom.
 */
export interface AccruedCoin {
/**
 * On-chain denom, which identifies the coin.
 */
denom: string
/**
 * Registry symbol; the denom if it is not in a registry.
 */
symbol: string
/**
 * Displayed units; base units if the denom is not in a registry.
 */
amount: string
[k: string]: unknown
}
/**
 * Total of all months. A delegator paid in several months counts once. Accrued commission is not a sum and is left out.
 */
export interface StatementTotal {
/**
 * Symbol of the native coin.
 */
symbol: string
/**
 * Commission that the operator withdrew, in displayed units; includes the remainder paid when the validator was removed.
 */
commission_amount: string
/**
 * Value at withdrawal, each withdrawal rounded to the cent.
 */
commission_usd: string
/**
 * Rewards that delegators withdrew, by claims or automatically, in displayed units.
 */
delegator_rewards_amount: string
/**
 * Value at withdrawal, each withdrawal rounded to the cent.
 */
delegator_rewards_usd: string
/**
 * Withdrawals of rewards above zero.
 */
reward_events: number
/**
 * Delegators that withdrew, including accounts of share records.
 */
unique_delegators: number
/**
 * Days with payouts, commission among them, that have no published price.
 */
price_missing_days: number
/**
 * Withdrawals of rewards on such days; they count as 0 USD.
 */
price_missing_events: number
/**
 * Part of delegator_rewards_amount paid to the operator's own delegation (the account with the bytes of the operator address).
 */
own_rewards_amount: string
/**
 * Value of that part.
 */
own_rewards_usd: string
/**
 * Rest of delegator_rewards_amount, paid to all other delegators.
 */
others_rewards_amount: string
/**
 * Value of that rest.
 */
others_rewards_usd: string
/**
 * Commission that the operator withdrew in other denoms than the native coin, by denom; the members above exclude it.
 */
other_commission: OtherCommission[]
[k: string]: unknown
}
/**
 * Coverage: the blocks and days that the statement is based on.
 */
export interface StatementCoverage {
/**
 * UTC day of the first indexed block.
 */
index_start: string
/**
 * UTC day of the last indexed block.
 */
index_end: string
/**
 * Time of the last block replayed with the current methodology, RFC 3339; empty if none is.
 */
replay_cursor: string
/**
 * Whether every block of the requested days is indexed and replayed with it.
 */
complete: boolean
/**
 * First second that is both requested and indexed, RFC 3339 in UTC; null if there is none.
 */
covered_from: (string | null)
/**
 * Last such second; the last block's time if the index ends within the request.
 */
covered_to: (string | null)
/**
 * Id of the generation.
 */
generation: string
/**
 * Height of its last block.
 */
height: number
/**
 * Height of the first block with known balances and stakes; from here on losses by slashes have rows. Null without a starting state.
 */
holdings_from: (number | null)
/**
 * Height of the last block with proved holdings, which statements do not depend on; null without a starting state.
 */
holdings_until: (number | null)
/**
 * Human-readable summary.
 */
note: string
[k: string]: unknown
}
/**
 * Deliveries to an endpoint, sent or pending.
 */
export interface WebhookDeliveries {
/**
 * The latest hundred of the last thirty days, newest first.
 */
deliveries: WebhookDelivery[]
}
/**
 * Delivery of one event to one endpoint.
 */
export interface WebhookDelivery {
/**
 * Id of the delivery.
 */
id: string
/**
 * Id of the event, the same for every endpoint and attempt.
 */
event_id: string
type: WebhookEventType
/**
 * `pending` if attempts are left.
 */
status: ("pending" | "delivered" | "failed")
/**
 * Attempts so far.
 */
attempts: number
/**
 * HTTP status of the last response, or null if there was none.
 */
response_status: (number | null)
/**
 * Why the last attempt failed, or null.
 */
error: (string | null)
/**
 * Time when the event was found.
 */
created_at: string
/**
 * Null: there is none.
 */
next_attempt_at: (string | null)
/**
 * Null: it is not.
 */
delivered_at: (string | null)
}
/**
 * An endpoint that events are delivered to.
 */
export interface Webhook {
/**
 * Used in its path.
 */
id: string
url: string
events: WebhookEventType[]
/**
 * Time of creation.
 */
created_at: string
/**
 * Time until which deliveries are also signed with the previous secret; null if they are not.
 */
previous_secret_until: (string | null)
/**
 * Signs deliveries; only in the response that creates or rotates it.
 */
secret?: string
}
/**
 * The endpoints of an account.
 */
export interface Webhooks {
/**
 * The oldest first.
 */
webhooks: Webhook[]
}
/**
 * Every denom that any row or balance names, and those of the registry that none does.
 */
export interface IndexedAsset {
/**
 * On-chain denom; the identity.
 */
denom: string
/**
 * Symbol under which answers show it, a label and no identity: several denoms may have one. The denom itself where no registry knows it.
 */
symbol: string
/**
 * Digits behind the point: one displayed unit is 10^decimals base units. 0 where no registry knows the denom.
 */
decimals: number
/**
 * Whether the reviewed registry knows it.
 */
registered: boolean
/**
 * Name in the registry, or null.
 */
name: (string | null)
/**
 * Name of its prices at CoinGecko and in price files, or null.
 */
coingecko_id: (string | null)
/**
 * Trace of an IBC voucher of the registry: the path and the base denom on its home chain; null elsewhere.
 */
trace: (string | null)
}
/**
 * Changes of liquid balances that no event tells, as reviewed data says them.
 */
export interface BalanceCorrection {
/**
 * The account.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Height of the block at whose beginning it is made.
 */
height: number
/**
 * Signed base units.
 */
amount: bigint
}
/**
 * Every block of the index, without a hole, and its time.
 */
export interface IndexedBlock {
/**
 * Block height.
 */
height: number
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
}
/**
 * Every category that a row can have.
 */
export interface IndexedCategory {
/**
 * The category, as rows name it.
 */
category: string
/**
 * Its name for people.
 */
label: string
/**
 * Meaning of the category.
 */
description: string
/**
 * Values of type by which /events selects it: a category may be in several or in none.
 */
groups: string[]
/**
 * Whether rows of the category count for tax records: as income, as a disposal, or as coins that came from or went to somebody else. False for record-only rows, which move coins within what the wallet has. A transfer to another chain is record-only, too, where the receiver has the sender's own key there.
 */
taxable: boolean
}
/**
 * Events of wallets as the chain made them: one row per wallet and movement or staking act. No tax meaning.
 */
export interface ChainEvent {
/**
 * The wallet whose row this is.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Place of the row in its block: what begins the block, then transaction by transaction, then what ends it. Unique in the block.
 */
position: number
/**
 * Stable row id <height>-<transaction index or block>-<event index>-<item>-<side>, unique over all wallets.
 */
id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case, or block:<height> for what the chain did itself.
 */
tx_hash: string
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Base units that left (or moved inside, see the category), or null.
 */
sent_amount: bigint | null
/**
 * On-chain denom of the sent amount, or null.
 */
sent_denom: (string | null)
/**
 * Base units that arrived, or null.
 */
received_amount: bigint | null
/**
 * On-chain denom of the received amount, or null.
 */
received_denom: (string | null)
/**
 * Base units of the transaction fee; only in rows of category fee and fee_failed.
 */
fee_amount: bigint | null
/**
 * On-chain denom of the fee, or null.
 */
fee_denom: (string | null)
/**
 * The other side of the movement, or null where there is none.
 */
counterparty: (string | null)
/**
 * Operator address of the validator concerned, or null.
 */
validator: (string | null)
/**
 * Trigger that caused a reward to be paid: one of data/reference/triggers.json, or null.
 */
reward_trigger: (string | null)
/**
 * Context for people: what triggered it, which protocol or contract; empty when there is nothing to add.
 */
detail: string
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text), empty for block events.
 */
memo: string
/**
 * Key shared by rows that belong together (the redirected reward and its payment, an IBC packet and its refund, the legs of a swap), or null.
 */
link: (string | null)
/**
 * True for ibc_out where the receiver has the sender's own key on the other chain. False elsewhere.
 */
to_own_key: boolean
/**
 * Something arrived in a transaction that the receiver neither signed nor let somebody run in its name (authz). False for what the chain did itself, such as the proposer's share of a fee.
 */
unsolicited: boolean
}
/**
 * Holdings of each wallet after the last block, by the replay without tags or decisions: lots, and what is left of the coins that it held before the index; what is in an escrow is not among them.
 */
export interface ClosingPosition {
/**
 * The wallet.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Symbol under which the journal books it.
 */
asset: string
/**
 * Base units in open lots.
 */
quantity: bigint
/**
 * Base units left of those held before the index, which are no lots.
 */
opening_quantity: bigint
/**
 * Quantity of the lots whose basis is unknown.
 */
unknown_basis_quantity: bigint
/**
 * Basis of the others. In TypeScript cents.
 */
cost_basis_usd: bigint
/**
 * Open lots, parts of one lot counted once.
 */
lots: number
}
/**
 * Net change of a liquid balance: Σ coin_received − Σ coin_spent of one address and denom in one transaction or in the block's own events. Every address of the chain, module accounts too; zero nets are left out.
 */
export interface CoinMovement {
/**
 * The account.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Block height.
 */
height: number
/**
 * Transaction index in the block; -1 for the block's own events.
 */
place: number
/**
 * Transaction hash, or block:<height>; correction:<height> where reviewed data alone says it.
 */
tx_hash: string
/**
 * Signed base units.
 */
amount: bigint
}
/**
 * Quote of a source for an asset's UTC day when it was asked, once and for all under one methodology version. Kept beside the raw blocks, not published: prices names the sources of each day.
 */
export interface CollectedQuote {
/**
 * Asset as price files name it.
 */
asset: string
/**
 * UTC day.
 */
day: string
/**
 * Source as the methodology names it.
 */
source: string
/**
 * Id of the market, or of the coin.
 */
market: string
/**
 * USD for one displayed unit, or null: it was asked and had none. In TypeScript USD × 10^18.
 */
usd: bigint | null
/**
 * When it answered, in UTC, cut to seconds.
 */
fetched_at: string
}
/**
 * Liquid balance of the native coin at the close of a UTC day on which it changed. Not published as a table: it follows from opening_balances and coin_movements.
 */
export interface DailyBalance {
/**
 * The account.
 */
address: string
/**
 * UTC day.
 */
day: string
/**
 * Base units.
 */
amount: bigint
}
/**
 * Native coins of every account at the close of each UTC day on which one of the three figures changed: until its next row an account holds the same. What it held before the index stands on the first day.
 */
export interface DailyHolding {
/**
 * The account: wallets and the chain's own.
 */
address: string
/**
 * UTC day.
 */
day: string
/**
 * Height of the last block of the day.
 */
close_height: number
/**
 * Base units in the balance.
 */
liquid: bigint
/**
 * Base units delegated, as the chain shows them: each delegation cut off to whole units. A slash lowers it, and rounding of others' acts may move it by a unit.
 */
staked: bigint
/**
 * Base units on their way back from a delegation.
 */
unbonding: bigint
}
/**
 * A span of blocks in which nobody touched a delegation: its shares and its reward's starting point do not change. With the validator's day and slashes it gives staked tokens and unclaimed reward of any day.
 */
export interface DelegationInterval {
/**
 * Account that delegates: wallets, contracts, and the accounts of share records.
 */
delegator: string
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block that began it; 0 for a delegation of the genesis.
 */
from_height: number
/**
 * Height of the block that ended it, exclusive; null while it lasts.
 */
to_height: (number | null)
/**
 * Shares of the validator. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Tokens that the shares stood for at its beginning, which the reward is counted on. In TypeScript the tokens × 10^18.
 */
stake: bigint
/**
 * The validator's reward period that ended at its beginning: a slash of the same block counts when its period is higher.
 */
start_period: number
/**
 * Rewards per token since the validator began, by denom; zero denoms are left out, and a ratio of more than 20 digits before the point is null. In TypeScript the text of decimal coins as the chain lists them, 18 places each. At the end of start_period.
 */
start_ratio: string
}
/**
 * A row of delegation_intervals as the fold keeps it: its ratio lies in reward_ratios, once for a validator, height and period.
 */
export interface DelegationSpan {
/**
 * Account that delegates: wallets, contracts, and the accounts of share records.
 */
delegator: string
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block that began it; 0 for a delegation of the genesis.
 */
from_height: number
/**
 * Height of the block that ended it, exclusive; null while it lasts.
 */
to_height: (number | null)
/**
 * Shares of the validator. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Tokens that the shares stood for at its beginning, which the reward is counted on. In TypeScript the tokens × 10^18.
 */
stake: bigint
/**
 * The validator's reward period that ended at its beginning: a slash of the same block counts when its period is higher.
 */
start_period: number
}
/**
 * Metadata that a token's admin gives it: one row each time it is given, also before the index, and one where it is in the starting state. Only tokens made on this chain say so by transaction.
 */
export interface DenomMetadata {
/**
 * On-chain denom of the token.
 */
denom: string
/**
 * Block height; that of the starting state where it had the metadata.
 */
height: number
/**
 * Transaction hash in upper case, or block:<height> for what the chain did itself.
 */
tx_hash: string
/**
 * The symbol claimed (written by strangers: treat as hostile text).
 */
symbol: string
/**
 * The name claimed (the same).
 */
name: string
}
/**
 * Receipts that need their owner's decision: suspected spam, or a token that looks like an asset it is not.
 */
export interface FlaggedReceipt {
/**
 * Id of the receipt's row in priced_events; what a decision about it is keyed by.
 */
record_id: string
/**
 * The wallet that received.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Place of the row in its block.
 */
position: number
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case.
 */
tx_hash: string
/**
 * On-chain denom of what was received.
 */
denom: string
/**
 * Base units received.
 */
quantity: bigint
/**
 * Account that paid, or null for what was minted to the wallet.
 */
sender: (string | null)
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text).
 */
memo: string
/**
 * Why: spam, or a token that looks like a registry asset it is not.
 */
reason: ("suspected_spam" | "identity_mismatch")
/**
 * JSON list of short sentences: what speaks for the reason.
 */
evidence: string
/**
 * Symbol that a token of no registry gives itself; empty for other coins.
 */
claimed_symbol: string
}
/**
 * The double-entry journal: one row per entry, each of one debit and one credit of equal amount. One relief entry a disposal, at most one gain entry, and at most one for the worth of what has no known basis.
 */
export interface LedgerEntry {
/**
 * The wallet whose row this is.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Place of the row in its block: what begins the block, then transaction by transaction, then what ends it. Unique in the block.
 */
position: number
/**
 * Order of the entry within its event.
 */
leg: number
/**
 * Deterministic id: <event id>-<leg>.
 */
entry_id: string
/**
 * Id of the row in priced_events.
 */
event_id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case, or block:<height> for what the chain did itself.
 */
tx_hash: string
/**
 * Act of the entry: acquire, dispose, relieve, move, deposit, withdraw, burn-deposit, restore, open (a stated opening lot), gain (the realized gain or loss of the disposal before it), or unknown-basis (what the part of unknown basis of that disposal was worth).
 */
act: string
/**
 * Account debited.
 */
debit_account: string
/**
 * Account credited.
 */
credit_account: string
/**
 * The amount of both lines. In TypeScript cents.
 */
amount_usd: bigint
/**
 * Symbol of the asset moved.
 */
asset: string
/**
 * On-chain denom of the asset moved.
 */
denom: string
/**
 * Base units relieved or received; null on gain entries. They are the debited asset's where both sides name one.
 */
quantity: bigint | null
/**
 * Symbol of the credited asset where it is another than the debited one (move), else null.
 */
credit_asset: (string | null)
/**
 * Its on-chain denom, else null.
 */
credit_denom: (string | null)
/**
 * Its base units, else null.
 */
credit_quantity: bigint | null
/**
 * Its unit reference price of that UTC day, or null where none was published; else null.
 */
credit_price_usd: bigint | null
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Notes that a bookkeeper needs: basis unknown, price missing, tag, and why there was no lot.
 */
memo: string
/**
 * Parts of lots that the entry relieved, moved or brought back, in order. held is lot, opening for coins held before the index, or none where no lot was left; acquired is the day of a lot, else null; quantity counts base units; basis_usd is null where unknown, proceeds_usd where none are computed. Null where no lot is touched but made. In TypeScript the text that pipeline/ledger/slices.ts reads.
 */
slices: (string | null)
/**
 * Id of the row whose disposal this entry undoes (a refund), else null; Form 8949 shows neither.
 */
reverses: (string | null)
/**
 * Unit reference price of that UTC day, or null where none was published.
 */
price_usd: bigint | null
/**
 * The other side of the movement, or null where there is none.
 */
counterparty: (string | null)
/**
 * Operator address of the validator concerned, or null.
 */
validator: (string | null)
/**
 * Base units of the quantity whose basis is unknown: of lots of unknown basis, held before the index, or without a lot; null where the entry moves none. Of the credited quantity the slices tell it where both sides name an asset.
 */
basis_unknown_quantity: bigint | null
/**
 * Worth of all that a disposal gave away; null elsewhere and where no price was published. In TypeScript cents.
 */
proceeds_usd: bigint | null
/**
 * UTC day on which the lots were acquired that the entry made, relieved, moved or brought back, or VARIOUS; null where it touches none.
 */
acquired: (string | null)
/**
 * Holding period of what a disposal took of known basis: SHORT, LONG, or MIXED; null elsewhere.
 */
term: (string | null)
/**
 * Memo of the transaction.
 */
tx_memo: string
}
/**
 * The native coins of an account where holdings begin and where they end, staked ones cut off per delegation as the chain shows them.
 */
export interface NativeHolding {
/**
 * The account.
 */
address: string
/**
 * opening: before the first block of the index, or after that of the starting state where it is later; closing: after the last block that is proved.
 */
moment: string
/**
 * Base units of the liquid balance.
 */
liquid: bigint
/**
 * Base units that are delegated.
 */
staked: bigint
/**
 * Base units on their way back.
 */
unbonding: bigint
}
/**
 * Liquid balances before the first block of the index: with the sums of coin_movements they give the balance at any height. From a starting state of a later block the movements up to that block are taken off. Every account of the chain, module accounts too; balances of more than 38 digits are left out and named in the manifest.
 */
export interface OpeningBalance {
/**
 * The account.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Base units, above zero.
 */
amount: bigint
}
/**
 * Deposits of proposals that were open in the starting state. Not published: they tell who loses what when such a proposal burns its deposits.
 */
export interface OpeningDeposit {
/**
 * Id of the proposal.
 */
proposal: string
/**
 * Account that deposited.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Base units.
 */
amount: bigint
}
/**
 * Every row of every wallet with the day's published unit prices: what the ledger replays.
 */
export interface PricedEvent {
/**
 * The wallet whose row this is.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Place of the row in its block: what begins the block, then transaction by transaction, then what ends it. Unique in the block.
 */
position: number
/**
 * Stable row id <height>-<transaction index or block>-<event index>-<item>-<side>, unique over all wallets.
 */
id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case, or block:<height> for what the chain did itself.
 */
tx_hash: string
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Base units that left (or moved inside, see the category), or null.
 */
sent_amount: bigint | null
/**
 * On-chain denom of the sent amount, or null.
 */
sent_denom: (string | null)
/**
 * Base units that arrived, or null.
 */
received_amount: bigint | null
/**
 * On-chain denom of the received amount, or null.
 */
received_denom: (string | null)
/**
 * Base units of the transaction fee; only in rows of category fee and fee_failed.
 */
fee_amount: bigint | null
/**
 * On-chain denom of the fee, or null.
 */
fee_denom: (string | null)
/**
 * The other side of the movement, or null where there is none.
 */
counterparty: (string | null)
/**
 * Operator address of the validator concerned, or null.
 */
validator: (string | null)
/**
 * Trigger that caused a reward to be paid: one of data/reference/triggers.json, or null.
 */
reward_trigger: (string | null)
/**
 * Context for people: what triggered it, which protocol or contract; empty when there is nothing to add.
 */
detail: string
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text), empty for block events.
 */
memo: string
/**
 * Key shared by rows that belong together (the redirected reward and its payment, an IBC packet and its refund, the legs of a swap), or null.
 */
link: (string | null)
/**
 * True for ibc_out where the receiver has the sender's own key on the other chain. False elsewhere.
 */
to_own_key: boolean
/**
 * Something arrived in a transaction that the receiver neither signed nor let somebody run in its name (authz). False for what the chain did itself, such as the proposer's share of a fee.
 */
unsolicited: boolean
/**
 * Published unit price of the sent denom on that UTC day, or null where none was published.
 */
sent_price: bigint | null
/**
 * The same of the received denom.
 */
received_price: bigint | null
/**
 * The same of the fee denom.
 */
fee_price: bigint | null
}
/**
 * The published reference price: one row per denom and UTC day with a price. A day without a row has none.
 */
export interface Price {
/**
 * On-chain denom.
 */
denom: string
/**
 * UTC day. In TypeScript the text YYYY-MM-DD.
 */
day: string
/**
 * USD for one displayed unit.
 */
usd: bigint
/**
 * The sources used, comma separated, in alphabetical order.
 */
sources: string
/**
 * Sources left out as outliers, comma separated; empty when none.
 */
rejected: string
/**
 * The methodology that made it.
 */
methodology_version: string
}
/**
 * The ends of proposals at which their deposits were paid back or burned. Not published: priced_events has what was burned as rows of category gov_deposit_burned.
 */
export interface ProposalEnd {
/**
 * Block height.
 */
height: number
/**
 * Block time in UTC, cut to seconds.
 */
time: string
/**
 * Transaction index in the block; -1 for the block's own events.
 */
place: number
/**
 * Index of the event in its transaction or among the block's own events.
 */
event: number
/**
 * Transaction hash, or block:<height>.
 */
tx_hash: string
/**
 * The transaction's memo, empty for block events.
 */
memo: string
/**
 * Id of the proposal.
 */
proposal: string
}
/**
 * Answers of the node about one height, in its own words. Everything else is computed from these rows.
 */
export interface RawBlock {
/**
 * Block height.
 */
height: number
/**
 * Block time in UTC, cut to the second; the record has the nanoseconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Hash of the block's header, upper-case hex.
 */
hash: string
/**
 * JSON text {"height", "block", "block_results"}: the results of the node's /block and /block_results in its own words, without block.block.last_commit: signatures of the block before, which fill half a disk and are never read.
 */
record: string
/**
 * CRC-32 of time, hash and record in UTF-8, one after the other; null in files of earlier versions, which had none, and whose records have every member.
 */
checksum: (number | null)
}
/**
 * A validator's ratio at the end of a reward period in which a delegation began: what delegation_spans refer to.
 */
export interface RewardRatio {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block that ended the period. An operator who founds a validator again counts periods from the beginning.
 */
height: number
/**
 * Reward period that ended.
 */
period: number
/**
 * Rewards per token since the validator began, by denom; zero denoms are left out, and a ratio of more than 20 digits before the point is null. In TypeScript the text of decimal coins as the chain lists them, 18 places each.
 */
ratio: string
}
/**
 * Rewards that accounts of the chain's own withdrew, which are no wallets and have no rows: those of share records, passed on to their owners later. Not published: validator_payouts has them by day.
 */
export interface ShareReward {
/**
 * Block height.
 */
height: number
/**
 * Transaction index in the block; -1 for the block's own events.
 */
place: number
/**
 * Index of the event in its transaction or among the block's own events.
 */
event: number
/**
 * Block time in UTC, cut to seconds.
 */
time: string
/**
 * Operator address of the validator that paid.
 */
validator: string
/**
 * The account that delegates.
 */
delegator: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Base units, above zero.
 */
amount: bigint
}
/**
 * Loss of one delegator by a slash, outside its liquid balance. Not published: priced_events has it as rows of category slash.
 */
export interface SlashLoss {
/**
 * Height of the block that slashed.
 */
height: number
/**
 * Block time in UTC, cut to seconds.
 */
time: string
/**
 * Index of the transaction; -1 for the block's own events.
 */
place: number
/**
 * Hash of the transaction, or block:<height>.
 */
tx_hash: string
/**
 * Index of the slash among the events of the transaction, or of the block.
 */
event: number
/**
 * Account that lost: wallets, contracts, and the accounts of share records.
 */
delegator: string
/**
 * Operator address of the validator that was slashed.
 */
validator: string
/**
 * Reason as the chain says it: missing_signature or double_sign; of faults on consumer chains, which the chain gives no reason for, consumer_missing_signature or consumer_double_sign; correction where reviewed data says it alone.
 */
reason: string
/**
 * Base units by which the delegation's worth fell, both before and after cut off as the chain shows them.
 */
delegated: bigint
/**
 * Base units cut from unbonding entries.
 */
unbonding: bigint
/**
 * Base units by which delegations fell that had been moved from the validator to others.
 */
redelegated: bigint
}
/**
 * Coins minted and burned in a block, by denom: what all balances together grew and shrank by.
 */
export interface SupplyChange {
/**
 * Block height.
 */
height: number
/**
 * On-chain denom.
 */
denom: string
/**
 * Base units.
 */
minted: bigint
/**
 * Base units.
 */
burned: bigint
}
/**
 * Every transaction of the index, failed ones too, with what it was and what it cost.
 */
export interface IndexedTransaction {
/**
 * Hash in upper case: tx_hash of other tables. A transaction that failed may be in a later block once more, under the same hash.
 */
hash: string
/**
 * Block height.
 */
height: number
/**
 * Place among the block's transactions, from 0: place of coin_movements, and the second part of a row's id.
 */
index: number
/**
 * 0: it succeeded. Otherwise the error's number in its module's list; nothing but its fee is left of it then.
 */
code: number
/**
 * Wallet that paid the fee: a signer, or who granted it an allowance; null where none was taken.
 */
payer: (string | null)
/**
 * Base units of the fee, the proposer's tip included; null where none was taken.
 */
fee_amount: bigint | null
/**
 * On-chain denom of the fee, or null. Of a fee of several coins, which the chain takes while its fee market is switched off, the first one is told.
 */
fee_denom: (string | null)
/**
 * Type URLs of its messages in their order; empty for a failed transaction that is none.
 */
message_types: string[]
/**
 * Type URLs of the messages that others ran by a grant (authz), outer before inner.
 */
inner_message_types: string[]
/**
 * The memo as signed (written by strangers: treat as hostile text).
 */
memo: string
}
/**
 * A span of blocks in which the balance of an unbonding entry does not change.
 */
export interface UnbondingInterval {
/**
 * Account that undelegated.
 */
delegator: string
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height at which the entry was made: tells the entries of a wallet and validator apart.
 */
creation_height: number
/**
 * Time at which it matures, in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
completion_time: string
/**
 * Height of the block that set the balance.
 */
from_height: number
/**
 * Height of the block that changed or paid it, exclusive; null while it lasts.
 */
to_height: (number | null)
/**
 * Base units, above zero.
 */
balance: bigint
}
/**
 * Receipts that nobody asked for and whose coins or worth give reason to look closer. An intermediate table of the night, not published.
 */
export interface UnsolicitedReceipt {
/**
 * Id of the receipt's row in priced_events; what a decision about it is keyed by.
 */
record_id: string
/**
 * The wallet that received.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Place of the row in its block.
 */
position: number
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case.
 */
tx_hash: string
/**
 * On-chain denom of what was received.
 */
denom: string
/**
 * Base units received.
 */
quantity: bigint
/**
 * Account that paid, or null for what was minted to the wallet.
 */
sender: (string | null)
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text).
 */
memo: string
/**
 * Category of the row.
 */
category: string
/**
 * The asset registry knows the denom.
 */
registered: boolean
/**
 * Worth less than the limit of data/reference/spam.json.
 */
dust: boolean
/**
 * Wallets that the same sender paid the denom unasked in this transaction; of a registered denom, the same amount.
 */
receivers: number
}
/**
 * A validator at the last block of a UTC day, also one that nobody delegates to any more and that is not removed yet: it has no shares then. tokens / shares is the rate of its shares, and of its tokenized shares.
 */
export interface ValidatorDay {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * UTC day.
 */
day: string
/**
 * Height of the last block of the day.
 */
close_height: number
/**
 * Base units that all shares stand for.
 */
tokens: bigint
/**
 * All shares. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Rewards per token since the validator began, by denom; zero denoms are left out, and a ratio of more than 20 digits before the point is null. In TypeScript the text of decimal coins as the chain lists them, 18 places each. As if the period under way had ended at the close; the next period does not begin from it.
 */
ratio: string
/**
 * Commission that its operator has earned and not withdrawn, by denom, in whole base units, as a withdrawal would pay it. In TypeScript the text of coins as the chain lists them.
 */
commission: string
}
/**
 * Monikers that operators gave their validators, at the beginning and whenever they changed it. Not published: validators has the last one of each.
 */
export interface ValidatorName {
/**
 * Block height; of a starting state its own.
 */
height: number
/**
 * Order among the names of the block.
 */
position: number
/**
 * Operator address.
 */
validator: string
/**
 * Moniker as the operator wrote it: treat as hostile text.
 */
moniker: string
}
/**
 * Payouts of a validator on a UTC day: commission to its operator in every denom, rewards of the native coin to each delegator, whether claimed or paid out by another act. Accounts of share records are delegators. Who had it paid to another account still is the one who earned it.
 */
export interface ValidatorPayout {
/**
 * Operator address.
 */
validator: string
/**
 * UTC day.
 */
day: string
/**
 * staking_reward, or validator_commission.
 */
category: string
/**
 * The delegator, or the operator's account.
 */
address: string
/**
 * On-chain denom of the coins; the native one for rewards.
 */
denom: string
/**
 * Height of the day's last payout to it.
 */
last_height: number
/**
 * Base units.
 */
amount: bigint
/**
 * Sum of the payouts as each is booked at the cent, or null on a day without a published price. In TypeScript cents.
 */
usd: bigint | null
/**
 * Number of payouts above zero.
 */
payouts: number
}
/**
 * A slash of a validator's tokens: the stakes of its delegations shrink by the fraction, their shares stay.
 */
export interface ValidatorSlash {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block that slashed.
 */
height: number
/**
 * Reward period that ended just before it.
 */
period: number
/**
 * Part of the validator's tokens that was burned, rounded up: not the chain's parameter. In TypeScript the fraction × 10^18.
 */
fraction: bigint
/**
 * Rewards per token since the validator began, by denom; zero denoms are left out, and a ratio of more than 20 digits before the point is null. In TypeScript the text of decimal coins as the chain lists them, 18 places each. At the end of the period.
 */
ratio: string
}
/**
 * Every validator that the chain has, or had since the starting state.
 */
export interface KnownValidator {
/**
 * Operator address.
 */
validator: string
/**
 * Moniker that its operator gave it last, as written (treat as hostile text); empty where that lies before what is known.
 */
moniker: string
/**
 * Whether anybody delegates to it after the last block. False everywhere in a dataset without a starting state, which does not know.
 */
on_chain: boolean
}
