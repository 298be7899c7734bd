// Generated from schemas/**/*.json by `npm run generate`. Do not edit.

/**
 * An operator's reviewed corrections of the fold, for changes of the chain that no rule explains.
 */
export type Corrections = Correction[]
/**
 * Only in datasets of single wallets (HUBLEDGER_WALLETS): the wallets and what is proved of each. Absent in datasets of the whole chain.
 */
export type OwnWallets = OwnWallet[]
/**
 * An upgrade that the chain has scheduled and not yet reached.
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
 * A change of the chain's state without an event.
 */
export type StateChange = (SetParameter | MoveCoins | NamedChange | ChangeValidators | SlashValidator | AdjustBalance)
/**
 * Scope of a key: a use that it allows. A key carries only the scopes it was created with.
 */
export type Scope = ("snapshots:read" | "snapshots:download" | "faucet:request" | "tax:read" | "upgrades:webhooks" | "wasm:read")
/**
 * Unknown parameters or body members that were ignored, the first twenty as sent; absent if there are none.
 */
export type IgnoredParameters = string[]
/**
 * Holdings of a wallet in the native coin: at one moment, or at the close of every UTC day.
 */
export type Balances = (Holdings | HoldingsWithoutReward | HoldingsHistory)
/**
 * The latest run; null before the first.
 */
export type WatcherRun = ({
/**
 * Time of the look-up, RFC 3339.
 */
checked_at: string
/**
 * Version of the queried node, or null.
 */
node_version: (string | null)
/**
 * SDK of that node, or null.
 */
cosmos_sdk: (string | null)
/**
 * Newest upstream release; null if unknown.
 */
newest_release: (string | null)
pending_upgrade: PendingUpgrade
/**
 * Error of that run, or null.
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
 * Exchange rates of the values; null for US dollars, and where no day has both rates.
 */
export type HoldingsRate = ({
/**
 * Day of both rates: the day of the price, or the last day before it that has both, at most seven days back.
 */
day: string
/**
 * Units of the currency for one euro.
 */
per_eur: string
/**
 * US dollars for one euro.
 */
usd_per_eur: string
[k: string]: unknown
} | null)
/**
 * Why unclaimed is null; null if it is known.
 */
export type UnclaimedReason = ({
/**
 * between_closes: rewards are known only at the end of each UTC day and at edges. between_edges: in datasets of single wallets, only at edges. too_late: no node had the state of this edge. too_large: an amount has more than 38 digits.
 */
code: ("between_closes" | "between_edges" | "too_late" | "too_large")
/**
 * Nearest earlier instant at which they are known, RFC 3339; null if there is none.
 */
before: (string | null)
/**
 * Nearest later instant, RFC 3339; null if there is none.
 */
after: (string | null)
[k: string]: unknown
} | null)
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
export type WebhookEventType = ("release.published" | "upgrade.scheduled" | "upgrade.cancelled" | "dataset.restated" | "webhook.test")

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
"/schemas/reference/country.json"?: CountryRules
"/schemas/reference/methodology.json"?: Methodology
"/schemas/reference/networks.json"?: KnownNetworks
"/schemas/reference/node-releases.json"?: NodeReleases
"/schemas/reference/price-markets.json"?: PriceMarkets
"/schemas/reference/public-nodes.json"?: PublicNodes
"/schemas/reference/recognition-policy.json"?: RecognitionPolicy
"/schemas/reference/spam.json"?: Spam
"/schemas/reference/state-change.json"?: StateChange
"/schemas/reference/tags.json"?: Tags
"/schemas/reference/treatment.json"?: Treatment
"/schemas/reference/triggers.json"?: Triggers
"/schemas/reference/upgrades.json"?: Upgrades
"/schemas/reference/us-return.json"?: UsReturn
"/schemas/reference/validator-jurisdictions.json"?: ValidatorJurisdictions
"/schemas/reference/widget.json"?: Widget
"/schemas/release-watch.json"?: ReleaseWatch
"/schemas/requests/api-key.json"?: NewApiKey
"/schemas/requests/challenge.json"?: WantedChallenge
"/schemas/requests/saved-decisions.json"?: NewSavedDecisions
"/schemas/requests/saved-entry.json"?: WantedEntry
"/schemas/requests/saved-opening-lots.json"?: NewSavedOpeningLots
"/schemas/requests/sign-in.json"?: SignIn
"/schemas/requests/submission.json"?: NewSubmission
"/schemas/requests/webhook-change.json"?: WebhookChange
"/schemas/requests/webhook.json"?: NewWebhook
"/schemas/requests/widget-key.json"?: NewWidgetKey
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
"/schemas/responses/holdings.json"?: HoldingsAt
"/schemas/responses/ignored.json"?: IgnoredParameters
"/schemas/responses/journal.json"?: Journal
"/schemas/responses/jurisdictions.json"?: JurisdictionRegistry
"/schemas/responses/methodology.json"?: MethodologyAnswer
"/schemas/responses/openapi.json"?: OpenApiDocument
"/schemas/responses/own-sends.json"?: OwnSends
"/schemas/responses/positions.json"?: Positions
"/schemas/responses/price-series.json"?: PriceSeries
"/schemas/responses/readyz.json"?: Readiness
"/schemas/responses/recognition-policy.json"?: RecognitionPolicyAnswer
"/schemas/responses/restatements.json"?: Restatements
"/schemas/responses/rewards.json"?: Rewards
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
"/schemas/responses/tax-year.json"?: TaxYear
"/schemas/responses/transferred-basis.json"?: TransferredBasis
"/schemas/responses/validator-statement.json"?: ValidatorStatement
"/schemas/responses/webhook-deliveries.json"?: WebhookDeliveries
"/schemas/responses/webhook-delivery.json"?: WebhookDelivery
"/schemas/responses/webhook.json"?: Webhook
"/schemas/responses/webhooks.json"?: Webhooks
"/schemas/responses/widget-key.json"?: WidgetKey
"/schemas/responses/widget-keys.json"?: WidgetKeys
"/schemas/scope.json"?: Scope
"/schemas/starting-difference.json"?: StartingDifference
"/schemas/stated-lot.json"?: StatedLot
"/schemas/tables/assets.json"?: IndexedAsset
"/schemas/tables/balance_corrections.json"?: BalanceCorrection
"/schemas/tables/block_nanos.json"?: BlockNanos
"/schemas/tables/blocks.json"?: IndexedBlock
"/schemas/tables/categories.json"?: IndexedCategory
"/schemas/tables/chain_events.json"?: ChainEvent
"/schemas/tables/closing_positions.json"?: ClosingPosition
"/schemas/tables/closing_states.json"?: ClosingState
"/schemas/tables/coin_movements.json"?: CoinMovement
"/schemas/tables/collected_quotes.json"?: CollectedQuote
"/schemas/tables/daily_holdings.json"?: DailyHolding
"/schemas/tables/delegation_intervals.json"?: DelegationInterval
"/schemas/tables/delegation_spans.json"?: DelegationSpan
"/schemas/tables/denom_metadata.json"?: DenomMetadata
"/schemas/tables/exchange_rates.json"?: ExchangeRate
"/schemas/tables/flagged_receipts.json"?: FlaggedReceipt
"/schemas/tables/ledger_entries.json"?: LedgerEntry
"/schemas/tables/native_holdings.json"?: NativeHolding
"/schemas/tables/opening_balances.json"?: OpeningBalance
"/schemas/tables/opening_deposits.json"?: OpeningDeposit
"/schemas/tables/priced_events.json"?: PricedEvent
"/schemas/tables/prices.json"?: Price
"/schemas/tables/proposal_ends.json"?: ProposalEnd
"/schemas/tables/raw_blocks.json"?: RawBlock
"/schemas/tables/restatements.json"?: Restatement
"/schemas/tables/reward_months.json"?: RewardMonth
"/schemas/tables/reward_payments.json"?: RewardPayment
"/schemas/tables/reward_ratios.json"?: RewardRatio
"/schemas/tables/share_rewards.json"?: ShareReward
"/schemas/tables/slash_losses.json"?: SlashLoss
"/schemas/tables/supply_changes.json"?: SupplyChange
"/schemas/tables/transactions.json"?: IndexedTransaction
"/schemas/tables/unbonding_intervals.json"?: UnbondingInterval
"/schemas/tables/unsolicited_receipts.json"?: UnsolicitedReceipt
"/schemas/tables/validator_days.json"?: ValidatorDay
"/schemas/tables/validator_edges.json"?: ValidatorEdge
"/schemas/tables/validator_names.json"?: ValidatorName
"/schemas/tables/validator_payouts.json"?: ValidatorPayout
"/schemas/tables/validator_rates.json"?: ValidatorRate
"/schemas/tables/validator_slashes.json"?: ValidatorSlash
"/schemas/tables/validators.json"?: KnownValidator
"/schemas/tables/wallet_stakes.json"?: WalletStake
"/schemas/tables/wallet_states.json"?: WalletCoin
"/schemas/valued-tag.json"?: ValuedTag
"/schemas/webhook-event-type.json"?: WebhookEventType
}
/**
 * The owner's decision about a row. exclude: the receipt is worth nothing. keep: the receipt is genuine. return: the received coins had been sent to an own place before, and their lots come home. override: other facts apply; at least one of the other members states them. Rows that send coins accept only a value.
 */
export interface AssetDecision {
/**
 * Mode of the decision.
 */
mode: ("exclude" | "keep" | "return" | "override")
/**
 * Actual symbol or denom; only with override.
 */
token?: string
/**
 * Actual quantity in displayed units, above zero; only with override.
 */
quantity?: string
/**
 * Value of all received coins when they arrived, or of all sent coins when they left (the proceeds), in US dollars; only with override.
 */
value_usd?: string
/**
 * Cost in US dollars, unknown if absent; only with override.
 */
cost_basis_usd?: string
/**
 * Currency of value and cost_basis: USD, EUR or a currency of the table exchange_rates; only with override.
 */
currency?: string
/**
 * In place of value_usd, in the currency named; converted at the rate of the row's UTC day.
 */
value?: string
/**
 * In place of cost_basis_usd, in the currency named; converted at the rate of the day of acquisition.
 */
cost_basis?: string
/**
 * UTC day of acquisition, the receipt's day if absent; only with override.
 */
acquired_date?: string
}
/**
 * Content of a published generation. It depends on the content only, not on when, where or in how many nights it was built.
 */
export interface Manifest {
/**
 * Increases when the format of a table or of this file changes.
 */
schema_version: number
/**
 * Name of the generation's folder: h<height>-<first 12 hex digits of the SHA-256 of this file without this member, without the table restatements and without the members generation_after>.
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
 * Height after which holdings are known: the first block of the index, or a later starting state. Null without holdings.
 */
holdings_from: (number | null)
/**
 * Height up to which holdings are proved: the fold agrees with every figure of the chain. Null without holdings.
 */
holdings_until: (number | null)
/**
 * The block that the fold could not explain. Null if holdings are proved up to the last block, or if there are none.
 */
holdings_stop: (HoldingsStop | null)
/**
 * Totals that did not match in the starting state. Each difference stays constant afterwards.
 */
starting_differences: StartingDifference[]
/**
 * The operator's corrections of the fold; null without a file of corrections.
 */
corrections: (ManifestCorrections | null)
/**
 * Hash of the code and the reviewed data that made the dataset. Another value explains changed figures: the program was upgraded.
 */
program?: string
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
 * Rows of coins that the chain's own program moved without a reviewed act, counted by height. They are not disposals: the coins wait in an escrow.
 */
unreviewed_moves: Record<string, number>
/**
 * Messages of unknown types, counted by type.
 */
unknown_message_types: Record<string, number>
/**
 * Days of the index that a price file lacks although other price files have them. Absent if there are none.
 */
price_gaps?: PriceGap[]
/**
 * Days of the index without a price for which no market could be reached. The next run asks again. Absent if there are none.
 */
unreached_prices?: UnreachedPrice[]
/**
 * Messages of known types that could not be decoded, counted by type. Their coins still have rows.
 */
undecoded_messages: Record<string, number>
/**
 * Type URLs of reviewed messages, sorted.
 */
message_types: string[]
/**
 * Accounts with rows, without the consensus addresses that receive proposers' tips.
 */
wallets: number
price_coverage: PriceCoverage
/**
 * Known contracts whose coins moved, sorted by address.
 */
contracts_seen: ContractSeen[]
/**
 * Tokens left out of rows because an amount or a sum has more than 38 digits.
 */
oversized: OversizedToken[]
own_wallets?: OwnWallets
catalog?: ManifestCatalog
/**
 * Edges in the index, in order: instants at which unclaimed rewards are known, such as the first instant of each tax year. Absent if there are none.
 */
edges?: ManifestEdge[]
/**
 * Generations that changed figures of closed months, in order. The table restatements has each figure.
 */
restatements: ManifestRestatement[]
/**
 * Generations whose closed months could not be compared with their successor's, in order. Absent if there is none.
 */
not_compared?: NotComparedGeneration[]
/**
 * @maxItems 200
 */
tables: ManifestTable[]
}
export interface ManifestCoverage {
first_height: number
last_height: number
/**
 * Height of the starting state of the holdings; 0 for a genesis. Null without a starting state: there are no holdings.
 */
starting_height: (number | null)
/**
 * Missing ranges of heights between the first and the last block, both ends included.
 */
missing: {
from: number
to: number
}[]
}
export interface HoldingsStop {
/**
 * Height of that block. Holdings end at the block before it.
 */
height: number
/**
 * UTC day of that block. No holdings are proved for this day.
 */
day: string
/**
 * Different figures of chain and fold, with the upgrade planned for the block and the types of its messages.
 */
reason: string
}
/**
 * A total that did not match in the starting state, and the difference.
 */
export interface StartingDifference {
/**
 * bonded_tokens_pool: balance of the account minus tokens of bonded validators. not_bonded_tokens_pool: balance minus tokens of other validators and unbonding coins. community_pool: balance of the distribution account minus outstanding rewards and the chain's pool. shares: a validator's shares minus its delegations' shares.
 */
sum: ("bonded_tokens_pool" | "not_bonded_tokens_pool" | "community_pool" | "shares")
/**
 * Denom, or operator address of the validator.
 */
of: string
/**
 * Difference in base units or shares, with 18 places.
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
 * Height of the block. The change applies at its beginning, after an upgrade's handler.
 */
height: number
/**
 * Changes in order.
 * 
 * @minItems 1
 */
what: StateChange[]
/**
 * Source to check it: a file of the chain's program, or a query of a node's state.
 */
source: string
}
export interface PriceGap {
/**
 * <source>/<asset>.csv in the price directory.
 */
file: string
/**
 * UTC days in ascending order.
 */
days: string[]
}
export interface UnreachedPrice {
/**
 * On-chain denom.
 */
denom: string
/**
 * Symbol of the coin.
 */
symbol: string
/**
 * UTC days in ascending order.
 */
days: string[]
}
/**
 * Share of the coins of taxable rows that has a published price of its UTC day.
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
 * Denoms that are registered or ever had a price, sorted. The last item counts all other denoms together.
 */
denoms: {
/**
 * Null for all other denoms together.
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
 * Legs with the price of their day.
 */
priced_legs: number
/**
 * Legs of denoms without a price on any day, such as spam. Their value is unknown and in neither amount.
 */
never_priced_legs: number
/**
 * Value of the priced legs in USD, two places.
 */
value_usd: string
/**
 * Value of the other legs at the nearest day's price of their denom, in USD, two places. No other figure uses it.
 */
estimated_usd: string
/**
 * value_usd / (value_usd + estimated_usd), a decimal of up to four places; null if both are zero.
 */
share: (string | null)
}
export interface ContractSeen {
address: string
/**
 * First block of the index in which they moved.
 */
first_height: number
}
export interface OversizedToken {
height: number
/**
 * Transaction hash, or block:<height>. starting state: a balance before the first block. sum: an account's total is too large, so the token is in no row.
 */
tx_hash: string
denom: string
/**
 * Accounts that sent or received the token in the transaction. Absent for a sum and for the starting state, which concern every wallet.
 */
addresses?: string[]
}
export interface OwnWallet {
address: string
/**
 * proved: rows explain all changes of balances and stakes, from the node's figures before the first block or from nothing. The signatures of validators and a second node confirm all blocks, and a second node confirms the states. complete: the same, but something is not confirmed (unconfirmed). derived: rows explain all changes, but the holdings before the first block are computed back from the node's latest ones. incomplete: something is missing.
 */
state: ("proved" | "complete" | "derived" | "incomplete")
/**
 * Number of blocks with something about the wallet.
 */
heights: number
/**
 * Where the holdings before the first block come from: node: a node's state, or its genesis and all rows since then. zero: there were none. computed: the latest holdings minus all rows. Null if no node reports the latest holdings.
 */
opening: ("node" | "zero" | "computed" | null)
/**
 * Per denom: the balance before the first block plus the rows must be the node's latest balance, and no block may leave less than nothing. Base units.
 */
balances: BalanceProof[]
/**
 * The account's own transactions are numbered without a hole, from the first number in the index up to the account's next one. Null if no node reports that number.
 */
sequences: (SequenceProof | null)
stakes: StakeProof
/**
 * Unclaimed rewards in the native coin at the last block, in base units. Null if no node reports them.
 */
reward: (string | null)
/**
 * What is missing, one sentence each.
 */
missing: string[]
/**
 * Why a wallet without missing parts is not proved, one sentence each: blocks, states or searches that only one node confirms, or signatures that are not checked.
 */
unconfirmed: string[]
}
export interface BalanceProof {
denom: string
opening: (string | null)
rows: string
node: (string | null)
holds: boolean
}
export interface SequenceProof {
from: number
until: number
missing: number[]
}
/**
 * Delegated and unbonding coins by the rows must be the node's latest ones, but for rounding.
 */
export interface StakeProof {
holds: boolean
differences: StakeDifference[]
}
export interface StakeDifference {
validator: string
kind: ("delegated" | "unbonding")
rows: string
node: string
}
/**
 * DuckDB file with views of the tables, ready queries and macros. Absent in generations of older programs.
 */
export interface ManifestCatalog {
/**
 * Relative to this file.
 */
path: "catalog.duckdb"
bytes: number
sha256: string
}
export interface ManifestEdge {
/**
 * RFC 3339 in UTC.
 */
at: string
/**
 * Height of the last block before it.
 */
height: number
/**
 * Time of that block, RFC 3339 in UTC.
 */
block_time: string
/**
 * Countries (ISO 3166-1 alpha-2) in which a tax year begins then, sorted.
 */
countries: string[]
}
export interface ManifestRestatement {
generation_before: string
/**
 * Generation that restated the figures. The hash in a generation's id leaves this member out.
 */
generation_after: string
restated_at: string
/**
 * The causes of the table, sorted.
 */
causes: string[]
/**
 * Figures that changed.
 */
figures: number
/**
 * Wallets with such figures.
 */
wallets: number
/**
 * Change of the sum of all realized gains in closed months, in USD, two places.
 */
gains_usd: string
}
export interface NotComparedGeneration {
generation_before: string
/**
 * Why the comparison was impossible.
 */
reason: string
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
 * Smallest value of the first sort column in the file, if the column is text and the file has rows.
 */
first?: string
/**
 * Largest value of that column.
 */
last?: string
}
/**
 * Every parameter of a path, a query or the body that replaces a query. Endpoints list the key, and paths have it in braces; the parameter's name is the key unless x-name differs. x-in: location, if not the query; path parameters are always given. x-required: it must be given. x-empty: an empty value counts as absent. x-body: the equivalent member of a POST body.
 */
export interface Parameters {
/**
 * At most 50 public addresses, separated by commas. Duplicates count once; the order is kept. In a body, also an array.
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
 * IANA time zone of the days; prices stay those of UTC days.
 */
timezone?: string
/**
 * Rows to return: all, or a group of categories. Groups may overlap.
 */
type?: ("all" | "rewards" | "staking" | "income" | "transfers" | "ibc_in" | "ibc_out" | "swaps" | "fees")
/**
 * First day (from its first instant) or first instant (RFC 3339), inclusive. Empty counts as absent.
 */
start?: string
/**
 * Last day (to its last instant) or last instant (RFC 3339), inclusive. Empty counts as absent.
 */
end?: string
/**
 * First day, inclusive. Empty counts as absent.
 */
start_day?: string
/**
 * Last day, inclusive. Empty counts as absent.
 */
end_day?: string
/**
 * Only what changed after this: a generation (as the answers name it), or the UTC day of a download.
 */
since?: string
/**
 * Calendar year. If start or end are also given, they must lie in it.
 */
year?: string
/**
 * First UTC day, inclusive; at most 730 days before the end. The default is 90 days before it.
 */
series_start?: string
/**
 * Last UTC day, inclusive. The default is today, or the last day of a recorded chain.
 */
series_end?: string
/**
 * Day from the index up to today; figures are as of its end, at its prices. The default is today, at the last published prices.
 */
date?: string
/**
 * Day of the index; figures are as of its end. The default is the last indexed block.
 */
snapshot_date?: string
/**
 * Instant (RFC 3339, up to nanoseconds): holdings after the last block whose time is before it. Not together with date.
 */
at?: string
/**
 * Day of the index: holdings at its end. Without date and at: after the last block.
 */
holdings_date?: string
/**
 * Length of a period. The first and last period contain only the requested days.
 */
interval?: ("day" | "month" | "year")
/**
 * Currency of the values: USD, EUR or a currency of the table exchange_rates, in upper case.
 */
currency?: string
/**
 * true: every UTC day of the index; the date is ignored.
 */
history?: ("true" | "false")
/**
 * On-chain denom in the asset registry.
 */
denom?: string
/**
 * JSON object: row id, <TX_HASH> or <TX_HASH>:<denom> (block:<height> for events without a transaction) → a tag of /tags. A row id takes precedence, then a key with a denom. Tags change the treatment of their rows in this response and are never stored. A hash matches the rows that its tag fits: rewards only if the tag fits no other row of the transaction in the wallet, and fees, slashes and burned deposits never. The member tagged lists the rows that each key matched. In place of a tag, a row id may have {"tag", "value_usd"} (strings): also the value of the row's coins, which for sent coins is the proceeds.
 */
tags?: string
/**
 * JSON object: record_id of a flagged receipt → {"mode":"exclude"}, {"mode":"keep"}, {"mode":"return"} or {"mode":"override", token, quantity, value_usd, cost_basis_usd, acquired_date} (strings; at least one of the five). With "currency":"EUR", value and cost_basis replace value_usd and cost_basis_usd. Bulk keys, only with exclude: *, *:suspected_spam, *:identity_mismatch, *:<sender>; a record's own entry takes precedence. return, for a row or *:<sender>: the lots that had been sent to an own place come home. An override of value, cost or date may name any row that received coins; an override of the value alone, any row whose coins were sold, spent or lost. Never stored.
 */
asset_decisions?: string
/**
 * JSON list of {"denom", "quantity", "acquired_date", "cost_basis_usd"} (strings, displayed units; with several wallets also "address"; in another currency "currency" and "cost_basis"): cost of coins that a wallet held before the index. Quantities above the wallet's holdings, and days in the index, are refused. Never stored. If absent, lots saved by your account apply (saved-opening-lots); [] states none. On /events, they apply only to a profile.
 */
opening_lots?: string
/**
 * Only with a profile. deposit: coins from before the index are a receipt on its first day, and each lot of opening_lots one on its acquired_date at its cost, in the file with the wallet's first row. none: the file leaves them out.
 */
opening?: ("deposit" | "none")
/**
 * A what-if: which lots leave first: the oldest, the newest, or those of the highest cost per coin. Form 8949 is always fifo.
 */
method?: ("fifo" | "lifo" | "hifo")
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
 * Format of the response. pdf: pages for printing.
 */
format_with_pdf?: ("json" | "csv" | "pdf")
/**
 * Format of the response, whatever the Accept header prefers.
 */
format_csv_first?: ("csv" | "json" | "pdf")
/**
 * Program that imports the response: CSV with its columns, dates and terms. Implies format=csv. Several wallets are a ZIP archive with one file for each wallet; for bittytax, one file.
 */
profile?: ("koinly" | "cointracker" | "coinledger" | "zenledger" | "cointracking" | "awaken" | "turbotax" | "taxbit" | "cryptio" | "bittytax")
/**
 * Program whose files of /events are summed.
 */
import_profile?: ("koinly" | "cointracker" | "coinledger" | "zenledger" | "cointracking" | "awaken" | "turbotax" | "taxbit" | "cryptio" | "bittytax")
/**
 * Program that imports the response, as CSV or, for hledger and Beancount, as text. DATEV accepts days of one calendar year only. form8949 returns rows of the form, also as JSON and PDF.
 */
journal_profile?: ("quickbooks" | "xero" | "datev" | "hledger" | "beancount" | "form8949")
/**
 * 1: a CSV file begins with a byte order mark, by which Excel recognizes UTF-8. Files for BittyTax and DATEV and Form 8949 tables always do.
 */
bom?: ("0" | "1")
/**
 * Only with profile=xero. Name of the tax rate in every line, as it is in Xero's settings; the default is NONE.
 */
tax_rate?: string
/**
 * Only with profile=quickbooks, xero or datev. Number of one file, from 1, of at most 1,000 lines, 300 lines or 99,999 entries. X-Parts counts the files. Without it, a longer journal is a ZIP archive.
 */
part?: string
/**
 * Only with a profile. JSON object: journal account, such as Income: Staking Rewards or Digital Assets: ATOM → the program's account. Never stored.
 */
accounts?: string
/**
 * Sums entries of a day or month with the same accounts, asset and category to one entry, dated at its end; in hledger and Beancount files, transactions of one category, while lots stay separate. Not for form8949.
 */
group?: ("day" | "month")
/**
 * Only with profile=form8949. daily, monthly: one row sums the network fees of a wallet's day or month for each coin and box, another row the slices whose proceeds are below one cent; dates are VARIOUS where they differ. each: one row for each slice.
 */
fees?: ("each" | "daily" | "monthly")
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
/**
 * Country whose rules apply (ISO 3166-1 alpha-2); without it, currency, timezone, method and income are needed.
 */
country?: string
/**
 * Year in which the tax year begins.
 */
tax_year?: string
/**
 * In place of the country’s: USD, EUR or a currency of the table exchange_rates.
 */
tax_currency?: string
/**
 * Matching of disposals, in place of the country’s rule.
 */
tax_method?: ("fifo" | "lifo" | "hifo" | "moving_average" | "total_average" | "same_day_30_days_pool" | "moving_average_superficial" | "portfolio" | "none")
/**
 * When rewards are income, in place of the country’s rule.
 */
income?: ("claim" | "claim_and_year_end" | "none")
/**
 * true: the wallets are all that the owner has of these coins.
 */
complete?: ("true" | "false")
/**
 * Part of the answer in a CSV file.
 */
section?: ("income" | "disposals" | "holdings")
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
 * Denoms of known identity, shown with symbol and decimals. All other denoms are shown raw.
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
 * Name of its price files; absent without price files.
 */
coingecko_id?: string
/**
 * Trace of an IBC voucher: the path and the base denom on its home chain.
 */
trace?: string
}
/**
 * Every category of rows, with its treatment if no tag applies. in: coins that arrive. out: coins that leave. out_to_own_key replaces out if the receiver has the sender's own key on the other chain; such a row is record-only.
 */
export interface Categories {
$schema?: string
categories: Category[]
}
export interface Category {
category: string
/**
 * Values of type on /events that select it.
 */
groups: ("rewards" | "staking" | "income" | "transfers" | "ibc_in" | "ibc_out" | "swaps" | "fees")[]
/**
 * Whether rows of the category are relevant for tax: income, disposals, or transfers from or to others. False for record-only rows, which move coins within the wallet.
 */
taxable: boolean
/**
 * Kind of its rows in the import profiles of /events, if no tag applies. inside: coins move within the wallet's holdings, including staked and deposited coins; the profiles leave such rows out. own_key: between two places of the same owner. exchange: one own coin for another, without a gain.
 */
kind: ("income" | "reward" | "airdrop" | "expense" | "lost" | "transfer" | "own_key" | "fee" | "trade" | "exchange" | "inside")
/**
 * Rows that a tag by transaction hash does not reach like other rows (R6). alone: only if the tag fits no other row of the transaction in the wallet, because a transaction often pays out rewards that are not its purpose. never: fees and losses.
 */
reached_by_hash?: ("alone" | "never")
label: string
/**
 * Meaning of the category.
 */
description: string
/**
 * Sentence about a row of the category. {sent}, {received}, {fee} are amounts with symbols, {validator} is the validator's name, {counterparty} the other side. Text in brackets is left out if one of its values is missing.
 */
sentence: string
/**
 * Sentence for rows whose receiver has the sender's own key on the other chain.
 */
sentence_to_own_key?: string
/**
 * move: lots move from the sent to the received denom with basis and date. swap: the sent coins are disposed of and the received coins acquired, both at the received coins' value.
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
 * Effect of one side of a row on the lots, and the contra account of Digital Assets.
 */
export interface Treatment {
/**
 * acquire: a new lot. dispose: the basis of the sold lots leaves, and the gain is market value minus basis. relieve: basis leaves without a gain. relieve-linked: the lot of the linked row leaves. deposit and withdraw: lots move into and out of the escrow of (wallet, counterparty, denom). burn-deposit: lots leave that escrow. restore: the lots that the linked row relieved return.
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
 * withdraw: contra account of the excess over the escrow.
 */
excess?: string
/**
 * The entry's memo contains the market value.
 */
memoMarketValue?: boolean
}
/**
 * Coins that the chain's own program moves before a block's transactions (forks, upgrade handlers), with the categories of their rows.
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
 * A coin in base units, or all: every coin moved between the two accounts.
 */
amount: string
/**
 * Category of the sender's row. contract_deposit: the lots wait in an escrow.
 */
sent_as: ("contract_deposit" | "community_pool_deposit" | "transfer_out")
/**
 * Category of the receiver's row. contract_withdrawal: lots return from an escrow; an excess is acquired at unknown basis.
 */
received_as: ("contract_withdrawal" | "community_pool_income" | "transfer_in" | "vesting_receipt")
/**
 * Account that held the receiver's coins in escrow; by default the other side.
 */
escrow?: string
/**
 * Cause in words, shown in the rows' detail.
 */
reason: string
/**
 * Source to check it: a file of the chain's program at its commit.
 */
source: string
}
/**
 * A chain of this service.
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
 * Identifiers of ICS-20 escrow accounts: channels, and light clients since IBC v2. Each covers <prefix>0 to <prefix><count - 1>. These accounts have no rows.
 */
transfer_escrows: TransferEscrows[]
/**
 * Names of the module accounts that receive a transaction's fee before its messages run.
 */
fee_collectors: string[]
/**
 * Address prefixes of chains with other keys, from chain-registry at 627bbab9: key_algos has ethsecp256k1, or is absent with coin type 60. Equal bytes of an address there are not the same key.
 */
other_key_prefixes: OtherKeyPrefix[]
/**
 * Tokenfactory denoms of coins that moved here from another chain. Minted coins were held there, so they are neither income nor spam. Each denom is in assets.json.
 */
moved_denoms: MovedDenom[]
}
export interface TransferEscrows {
prefix: string
count: number
}
export interface OtherKeyPrefix {
prefix: string
/**
 * Folder of the chain in cosmos/chain-registry.
 */
chain: string
}
export interface MovedDenom {
/**
 * On-chain denom; the identity.
 */
denom: string
/**
 * Name of the chain where the coins were before.
 */
from: string
/**
 * Public announcement of the move.
 */
source: string
}
/**
 * Version of the classification that makes a dataset's rows.
 */
export interface Classification {
/**
 * Increases with every change of program or reviewed data that changes rows of the same blocks. Figures of a dataset of another version are not served until it is replayed.
 */
version: string
}
/**
 * Look-alike letters and groups of letters, after folding case, accents and width.
 */
export interface Confusables {
$schema?: string
confusables: Confusable[]
}
export interface Confusable {
/**
 * Letter that people read.
 */
looks_like: string
/**
 * Look-alike text, in lower case.
 * 
 * @minItems 1
 */
written: [string, ...(string)[]]
}
/**
 * Known contracts and other accounts of programs, and the meaning of payments to and from them.
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
 * Category of coins that a wallet pays in.
 */
paid_in: ("contract_deposit" | "liquidity_add")
/**
 * Category of coins that a wallet is paid.
 */
paid_out: ("contract_withdrawal" | "liquidity_remove" | "contract_income")
/**
 * Whether contracts of this kind only forward coins. A transfer between chains then belongs to the wallet that pays or receives the coins in the same message. Default: false.
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
 * URL of the page that publishes the address.
 */
source: string
}
/**
 * Tax rules of a country for coins, as its tax office counts them. See docs/countries.md.
 */
export interface CountryRules {
$schema?: string
/**
 * ISO 3166-1 alpha-2 code.
 */
country: string
name: string
/**
 * Changes with any rule.
 */
version: string
effective_date: string
/**
 * draft until a professional has confirmed each line.
 */
review: ("draft" | "reviewed")
/**
 * ISO 4217.
 */
currency: string
/**
 * Zone whose days count; null if it is the taxpayer's own.
 */
timezone: (string | null)
/**
 * Time zones of the mainland and of larger islands.
 * 
 * @minItems 1
 */
zones: [string, ...(string)[]]
/**
 * Month and day on which a tax year begins.
 */
year_start: string
/**
 * First day of the rules; absent if they are older than every index.
 */
from?: string
/**
 * How disposals are matched with acquisitions.
 */
method: ("fifo" | "lifo" | "hifo" | "moving_average" | "total_average" | "same_day_30_days_pool" | "moving_average_superficial" | "portfolio" | "none")
/**
 * Where one queue or pool ends. person: coins outside these wallets change the result.
 */
scope: ("address" | "person")
/**
 * up: the average cost of one coin is rounded up to the minor unit.
 */
unit_rounding: ("none" | "up")
free: (null | FreeRule)
revalued?: Revaluation
/**
 * When rewards are income.
 */
income: ("claim" | "claim_and_year_end" | "none")
income_note: string
/**
 * What the tax office asks about the end of the year.
 */
year_end?: string
/**
 * Other rules that a taxpayer may choose.
 */
elections: string[]
form: FormLine[]
/**
 * Amounts that the law names. They are told, not applied.
 */
thresholds: string[]
/**
 * @minItems 1
 */
sources: [RuleSource, ...(RuleSource)[]]
}
export interface FreeRule {
after: ("one year from the next day" | "one year to the same date")
/**
 * What the gain of a longer holding is.
 */
means: ("exempt" | "long_term")
}
/**
 * Absent if coins keep their cost. Otherwise, coins that are held when this day begins have a new cost.
 */
export interface Revaluation {
day: string
cost: "higher of cost and price"
}
export interface FormLine {
form: string
line: string
label: string
/**
 * Figures of the answer that are added.
 * 
 * @minItems 1
 */
sum: [("income.total" | "disposals.proceeds" | "disposals.cost" | "disposals.gain" | "disposals.short_gain" | "disposals.long_gain" | "disposals.taxable_gain" | "disposals.exempt_gain" | "holdings.value" | "holdings.unclaimed_value" | "holdings.cost"), ...(("income.total" | "disposals.proceeds" | "disposals.cost" | "disposals.gain" | "disposals.short_gain" | "disposals.long_gain" | "disposals.taxable_gain" | "disposals.exempt_gain" | "holdings.value" | "holdings.unclaimed_value" | "holdings.cost"))[]]
}
export interface RuleSource {
text: string
/**
 * seen: the authority's text was read; told: another page says so.
 */
state: ("seen" | "told" | "to check")
}
/**
 * Methodology of daily reference prices. /methodology serves it.
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
/**
 * How values are computed in other currencies. Absent before version 1.4.0.
 */
exchange_rates?: string
parameters: Parameters1
change_log: ChangeLog
}
/**
 * Figures of the rules above.
 */
export interface Parameters1 {
/**
 * Names of the default sources: folders of the price directory. Their order does not matter.
 */
sources: string[]
/**
 * A source further than this from the median of the rest is rejected; two sources further apart publish nothing.
 */
outlier_percent: number
/**
 * A source rejected the day before is accepted again within this distance.
 */
readmit_percent: number
/**
 * Sources needed before one can be rejected.
 */
outlier_minimum_sources: number
price_decimals: number
/**
 * Days after its end during which sources are asked again for a day without a price.
 */
retry_days: number
/**
 * Earliest version whose collected quotes stay in use. Absent: quotes are collected again under this version.
 */
quotes_since?: string
}
/**
 * Known networks of the contract API, with public REST endpoints.
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
 * Used if the operator configures none.
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
 * Day of publication; empty if unknown.
 */
date: string
/**
 * Version of the Cosmos SDK in its go.mod, after replace lines; empty if unknown.
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
 * Markets whose daily candles are collected, by asset.
 */
export interface PriceMarkets {
$schema?: string
/**
 * Markets that convert prices in USDT to USD, by their price of the same day. The first market that has a price is used.
 * 
 * @minItems 1
 */
conversions: [Conversion, ...(Conversion)[]]
markets: PriceMarket[]
}
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
 * Public nodes of the chain in the chain registry, with what is known about them. URLs that contain somebody's key are left out.
 */
export interface PublicNodes {
$schema?: string
chain_id: string
/**
 * URL of the list.
 */
source: string
/**
 * @minItems 1
 */
nodes: [PublicNode, ...(PublicNode)[]]
}
export interface PublicNode {
provider: string
/**
 * @minItems 1
 */
rpc?: [string, ...(string)[]]
/**
 * @minItems 1
 */
rest?: [string, ...(string)[]]
/**
 * True if the list or the URL says that all blocks are kept.
 */
archive?: boolean
/**
 * @minItems 1
 */
known?: [NodeFact, ...(NodeFact)[]]
}
export interface NodeFact {
fact: string
/**
 * Day on which this was published or seen.
 */
day: string
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
 * Signs of spam in unsolicited receipts.
 */
export interface Spam {
$schema?: string
/**
 * Categories of rows that may be flagged: coins that a stranger can send.
 */
categories: string[]
/**
 * Of these, categories of rows in a relayer's transaction: its memo and other receivers are not the sender's choice.
 */
relayed_categories: string[]
/**
 * Regular expressions of denoms that anybody, or a contract, can mint. For a voucher, the denom on its chain of origin counts. In order: tokenfactory, CW-20, ERC-20 (also over Gravity Bridge and Peggy), smart tokens of Coreum, fan tokens of BitSong.
 */
minted_denoms: string[]
dust: Dust
/**
 * Beginnings of links.
 */
links: string[]
/**
 * Endings of host names without a scheme.
 */
top_level_domains: string[]
/**
 * Words and phrases that ask to claim something, as whole words.
 */
calls: string[]
}
export interface Dust {
/**
 * Dust is worth less than this: a plain decimal with two places.
 */
below_usd: string
/**
 * Largest amount of dust on a day without a published price, in base units of the native coin.
 */
native_units_without_price: number
/**
 * Dust with at least this number of receivers in one transaction is spam, whatever its memo.
 */
receivers: number
repeated: RepeatedDust
}
/**
 * Dust that repeats suspected dust of the same sender, amount and denom, on any day. It is spam if one more condition holds: the same wallet, a part number, or at least `receivers` wallets in all.
 */
export interface RepeatedDust {
/**
 * Categories of repeated rows: sends, whose memo and amount are their sender's choice.
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
 * Value in the form of the chain's JSON: a number, a duration in seconds (1814400s) or a decimal.
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
 * lower_max_validators_to_provider_limit: max_validators becomes max_provider_consensus_validators if that is lower. unbond_validators_beyond_limit: bonded validators beyond max_validators begin to unbond. remove_provider: consensus receives all bonded validators from now on.
 */
kind: ("lower_max_validators_to_provider_limit" | "unbond_validators_beyond_limit" | "remove_provider")
}
export interface ChangeValidators {
/**
 * jail_validators, unjail_validators: as the slashing module does. begin_unbonding: bonded validators leave the set at once, and their unbonding time begins.
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
 * Burns a fraction of a validator's delegated coins; unbonding and redelegated coins stay.
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
 * A change of an account's liquid balance without a bank event. The account may be a module's, such as a pool.
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
 * The bookkeeping tags that a caller may put on a row. A tag's treatment replaces the row's own.
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
 * Causes of reward payouts.
 */
export interface Triggers {
$schema?: string
triggers: Trigger[]
}
export interface Trigger {
trigger: string
/**
 * Categories of rewards with this trigger.
 */
categories: string[]
description: string
}
/**
 * Reviewed upgrades of the chain, and the changes of their handlers without an event. The chain schedules the heights.
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
 * Reviewed source of the handler.
 */
source: {
/**
 * On GitHub.
 */
repository: string
/**
 * Tag of the reviewed release.
 */
tag?: string
/**
 * Commit, if there was no tag.
 */
commit?: string
file: string
}
/**
 * Changes in words.
 */
summary: string
/**
 * Changes in the handler's order; empty if none affects the books.
 */
changes: StateChange[]
}
/**
 * Where the figures go on a US tax return, as of one year's forms.
 */
export interface UsReturn {
/**
 * Tax year of the forms.
 */
form_year: number
/**
 * Day on which the forms were read.
 */
reviewed: string
digital_assets_question: ReturnPlace
income: ReturnPlace1
business_income: ReturnPlace2
short_term: ReturnPlace3
long_term: ReturnPlace4
}
/**
 * Question that anyone with income or sales answers with yes.
 */
export interface ReturnPlace {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * Rewards, airdrops and other income.
 */
export interface ReturnPlace1 {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * Validator commission.
 */
export interface ReturnPlace2 {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * Gains from coins held for a year or less.
 */
export interface ReturnPlace3 {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * Gains from coins held for longer.
 */
export interface ReturnPlace4 {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * This interface was referenced by `UsReturn`'s JSON-Schema
 * via the `definition` "place".
 */
export interface ReturnPlace5 {
/**
 * Form and line.
 */
where: string
/**
 * Page of the IRS about the form.
 */
link: string
}
/**
 * Countries that operators disclosed. Operators without a public disclosure are not listed.
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
 * The operator's name for the validator: on chain if known, else from the disclosure.
 */
moniker: string
/**
 * ISO 3166-1 alpha-2.
 */
country: string
/**
 * Entity of the disclosure: the company's name if it is disclosed.
 */
entity: string
/**
 * The operator's own words.
 */
statement: string
/**
 * URL of the public disclosure.
 */
source: string
/**
 * Day of the last check of the source.
 */
reviewed: string
/**
 * Operator addresses of its validators; null if the source names none.
 */
operator_addresses: (string[] | null)
}
/**
 * Texts of embedded reports.
 */
export interface Widget {
/**
 * Attribution.
 */
powered_by: string
}
/**
 * State of the release watcher in the data directory.
 */
export interface ReleaseWatch {
/**
 * Time of the look-up, RFC 3339.
 */
checked_at: string
/**
 * Version of the queried node, or null.
 */
node_version: (string | null)
/**
 * SDK of that node, or null.
 */
cosmos_sdk: (string | null)
/**
 * Newest upstream release; null if unknown.
 */
newest_release: (string | null)
pending_upgrade: PendingUpgrade
/**
 * Last block of the node, or null; absent in files of earlier versions.
 */
height?: (number | null)
/**
 * Error of that run, or null.
 */
error: (string | null)
/**
 * Time of the last complete run, RFC 3339, or null.
 */
succeeded_at: (string | null)
/**
 * Releases found upstream, newest first.
 */
upstream: UpstreamRelease[]
/**
 * ETag of that list at GitHub; absent if GitHub sent none.
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
 * Day of publication.
 */
date: string
/**
 * Version of the Cosmos SDK in its go.mod, after replace lines; empty if unknown.
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
 * @maxItems 6
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
 * The address, for POST. PUT takes it from the query.
 */
address?: string
/**
 * record_id of a flagged receipt, or id of a row that received coins → {"mode":"exclude"}, {"mode":"keep"}, {"mode":"return"} or {"mode":"override", token, quantity, value_usd, cost_basis_usd, acquired_date} (strings; at least one of the five; or value and cost_basis with a currency), as in asset_decisions, including its bulk keys. Ids that are not receipts or rows of the address are dropped. At most 65536 bytes of JSON.
 */
decisions: {
[k: string]: AssetDecision
}
[k: string]: unknown
}
/**
 * Which saved entry to read.
 */
export interface WantedEntry {
/**
 * The address that the entry is about.
 */
address: string
[k: string]: unknown
}
/**
 * All opening lots of one address; earlier ones are replaced.
 */
export interface NewSavedOpeningLots {
/**
 * The address, for POST. PUT takes it from the query.
 */
address?: string
/**
 * Lots of {"denom", "quantity", "acquired_date", "cost_basis_usd"} (strings, displayed units; or cost_basis with a currency), as in opening_lots. At most 65536 bytes of JSON.
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
 * Cost in US dollars; required without currency.
 */
cost_basis_usd?: string
/**
 * Currency of cost_basis: USD, EUR or a currency of the table exchange_rates.
 */
currency?: string
/**
 * In place of cost_basis_usd, in the currency named; converted at the rate of acquired_date.
 */
cost_basis?: string
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
 * The unchanged text of the challenge.
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
 * Members to change. All other members stay unchanged.
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
 * @maxItems 5
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
 * @maxItems 5
 */
events: WebhookEventType[]
[k: string]: unknown
}
/**
 * A new widget key.
 */
export interface NewWidgetKey {
/**
 * Operator address of a validator of yours.
 */
validator: string
/**
 * Origins of the pages that may use the key: scheme, host, and port if not the default.
 * 
 * @minItems 1
 * @maxItems 20
 */
origins: string[]
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
/**
 * Requests of the tax API a minute, if the operator has set a limit for this key. Null: the key counts against the quota of its account.
 */
rate_limit: (number | null)
/**
 * The operator's name for this limit, if keys share it.
 */
tier: (string | null)
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
 * Receiving wallet.
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
 * On-chain denom of the received coins.
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
decision: ("none" | "exclude" | "keep" | "return" | "override")
[k: string]: unknown
}
/**
 * At the close of a day, or at the last indexed block.
 */
export interface Holdings {
/**
 * The wallet.
 */
address: string
/**
 * The day; for the latest holdings, the day of the last indexed block.
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
 * Where the rewards are unknown: at the close of an earlier day in datasets of single wallets, and at the end of a local day between the instants that have them (/holdings).
 */
export interface HoldingsWithoutReward {
/**
 * The wallet.
 */
address: string
/**
 * The day.
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
 * Unknown.
 */
reward: null
/**
 * liquid + staked, without the unknown reward; null with timezone.
 */
total: (number | null)
/**
 * Symbol of the native coin.
 */
symbol: string
/**
 * Displayed units, at most six decimals.
 */
unbonding: number
/**
 * Marks a total that leaves out the unclaimed reward, because it is unknown; absent with timezone.
 */
total_without_reward?: true
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
history: (Holdings | HoldingsWithoutReward)[]
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
 * Type URLs of reviewed messages. All other messages are counted below.
 */
message_types: string[]
tags: CatalogTag[]
export_formats: CatalogFormat[]
reports: CatalogReport[]
/**
 * Version of the IANA database that decides the days of time zones.
 */
timezone_database: string
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
/**
 * Instants of the index, besides the ends of UTC days, at which /holdings knows unclaimed rewards. In order.
 */
edges: CatalogEdge[]
/**
 * Countries whose rules /tax-year applies. docs/countries.md explains them.
 */
countries: CatalogCountry[]
/**
 * Values of the parameter method of /tax-year.
 */
tax_methods: CatalogTaxMethod[]
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
 * Value of the parameter profile; empty without a profile.
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
/**
 * How a user of the program imports the file; empty if the format belongs to no program.
 */
how_to_import: string
/**
 * Whether the program counts a send to an own account as sold until it has that account.
 */
counts_unmatched_sends_as_sold: boolean
/**
 * When the response is a ZIP archive of files. wallets: for several wallets, with one file for each. parts: for a journal that is longer than one file of the program. Empty: never.
 */
archive_of: ("" | "wallets" | "parts")
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
 * Version of the Cosmos SDK in its go.mod, after replace lines; empty if unknown.
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
export interface CatalogEdge {
/**
 * RFC 3339 in UTC.
 */
at: string
/**
 * Height of the last block before it.
 */
height: number
/**
 * Time of that block.
 */
block_time: string
/**
 * Countries (ISO 3166) in which a tax year begins then.
 */
countries: string[]
[k: string]: unknown
}
export interface CatalogCountry {
/**
 * ISO 3166-1 alpha-2 code.
 */
country: string
name: string
/**
 * Version of the rules.
 */
version: string
/**
 * draft until a professional has confirmed each line.
 */
review: ("draft" | "reviewed")
/**
 * ISO 4217.
 */
currency: string
/**
 * Zone whose days count; null if it is the taxpayer’s own.
 */
timezone: (string | null)
/**
 * Time zones of the mainland and of larger islands.
 */
zones: string[]
/**
 * Month and day on which a tax year begins.
 */
year_start: string
/**
 * First day of the rules; absent if they are older than every index.
 */
from?: string
/**
 * How disposals are matched with acquisitions; see tax_methods.
 */
method: string
/**
 * Where one queue or pool ends. person: coins outside these wallets change the result.
 */
scope: ("address" | "person")
/**
 * When rewards are income.
 */
income: ("claim" | "claim_and_year_end" | "none")
[k: string]: unknown
}
export interface CatalogTaxMethod {
/**
 * Value of the parameter.
 */
method: string
/**
 * The field’s term.
 */
term: string
[k: string]: unknown
}
/**
 * Releases of the node software, and whether one needs a review.
 */
export interface ReleaseTracking {
/**
 * A release, the node's version or a pending upgrade is newer than the reviewed data.
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
 * Version of the Cosmos SDK in its go.mod, after replace lines; empty if unknown.
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
 * Whether the replay under this methodology has finished: every block of the index is there, and the figures are those of this program. In datasets of single wallets, also whether the requested wallets are proved.
 */
complete: boolean
/**
 * Whether every block of the requested days is indexed. An open range ends with the index.
 */
range_complete: boolean
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
 * Summary in words: the effect on lots, tokens that are in no row, and why holdings end before the index.
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
/**
 * `wallet`: rewards from all validators; `validator`: only rewards from `validator`.
 */
scope: string
/**
 * Operator address of the key's validator.
 */
validator: string
/**
 * Current name of the key's validator; empty if it is unknown.
 */
moniker: string
/**
 * First day of the report.
 */
start: string
/**
 * Last day of the report.
 */
end: string
coverage: Coverage
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
 * Disposals of this period that a refund in this or a later period reversed; all other figures except count and refunded_proceeds_usd leave them out.
 */
refunds: number
/**
 * Disposals without a published price or a stated value, whose value is not in any amount here.
 */
without_price: number
/**
 * Disposals with a price that include coins of unknown basis, so that their gain is unknown in whole or in part.
 */
without_basis: number
/**
 * Proceeds; empty if no disposal has a price. Together with refunded_proceeds_usd they equal the sum of proceeds_usd over the journal’s debit lines.
 */
proceeds_usd: string
/**
 * Part of the proceeds from coins of unknown basis. It is not part of any gain; the journal books it to Equity: Unknown Basis.
 */
proceeds_basis_unknown_usd: string
/**
 * Proceeds of the disposals of this period that a refund in this or a later period reversed.
 */
refunded_proceeds_usd: string
/**
 * Cost of priced disposals of coins with known basis; empty if no gain is known, but there are sales.
 */
cost_usd: string
/**
 * Cost of unpriced disposals of coins with known basis; no gain is computed for them.
 */
cost_without_price_usd: string
/**
 * Gain of coins held for a year or less; negative for a loss. Empty if no sale of it is known, but a sale is unknown.
 */
gain_short_usd: string
/**
 * Gain of coins held for more than a year; empty likewise.
 */
gain_long_usd: string
/**
 * Sum of both: Realized Gain/Loss in the journal, except gains of refunds_across; empty likewise.
 */
gain_usd: string
/**
 * Count without refunds; includes network fees.
 */
sales: number
/**
 * Sales whose gain is known in whole or in part.
 */
sales_known: number
/**
 * Sales with a known short-term gain; a sale of several lots may also have a long-term gain.
 */
sales_short: number
/**
 * Sales with a known long-term gain.
 */
sales_long: number
/**
 * Sales whose gain is unknown in whole or in part: without_price plus without_basis.
 */
sales_unknown: number
/**
 * Share of sales with a known gain, by number and by proceeds; most: at least half.
 */
gain_known: ("all" | "most" | "some" | "none")
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
/**
 * Version of the price methodology.
 */
methodology_version: string
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
 * Value at that UTC day's published price, rounded half-up to the cent. Income is rounded as a running total, so a reward worth less than a cent has 0.00 or 0.01. Also 0 if no price was published: see valueStatus.
 */
valueUsd: number
/**
 * Wallet of the row.
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
 * Origin of valueUsd; new values may be added. priced: amount times price. stated: set by a decision of the caller. below_half_cent: there is a price, and amount times price rounds to 0.00. no_price: no price was published, so the value is unknown and not 0. unreached: the same, but no market could be reached for that day, and the next run asks again. excluded: a decision of the caller excludes the receipt, which counts as worth nothing. nothing: the row moves no coins.
 */
valueStatus: string
/**
 * The category in words. New categories may be added.
 */
categoryLabel: string
/**
 * The time in the time zone, with its offset; only with timezone.
 */
localDate?: string
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
 * Ids of the matched rows, even outside the requested range. Empty if the tag has no effect.
 */
rows: string[]
/**
 * Why the key matched no row, although a requested wallet has rows with its hash or id. For example, the key has a symbol instead of a denom.
 */
reason?: string
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
 * Number of sales, as in /summary. A sale of several lots has several rows.
 */
sales: number
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
 * Number of sales with a slice in this box.
 */
sales: number
/**
 * Sum of column (d); empty if no row has a price. The sums of box I or L are empty if it has no rows, but rows are listed separately.
 */
proceeds_usd: string
/**
 * Sum of column (e); empty if the cost of any row is unknown.
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
 * UTC day or VARIOUS, column (b); empty if the basis is unknown, because such coins may have been acquired long before the wallet received them.
 */
date_acquired: string
/**
 * UTC day or VARIOUS, column (c).
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
 * Why a row is listed separately: unknown basis or price missing. For unknown basis it includes the lot's day: the day of receipt, unless the owner stated another. For a sum of network fees or of slices below one cent, the number of slices.
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
 * Wallet of the row.
 */
address: string
/**
 * Transaction hash, or block:<height>; empty for a sum.
 */
tx_hash: string
/**
 * Entry of the journal, or the name of a sum.
 */
entry_id: string
}
/**
 * What wallets held after the last block before an instant.
 */
export interface HoldingsAt {
/**
 * The instant, RFC 3339 in UTC; null for holdings after the last block.
 */
at: (string | null)
/**
 * Height of the last block before the instant.
 */
height: number
/**
 * Time of this block, RFC 3339 in UTC with its fraction.
 */
block_time: string
/**
 * Currency of the values, ISO 4217.
 */
currency: string
rate: HoldingsRate
/**
 * Wallets in the order of the request.
 */
wallets: HeldWallet[]
/**
 * Sum of all known values of assets and unclaimed rewards.
 */
total_value: string
/**
 * Number of assets of which a value is unknown.
 */
value_missing: number
coverage: Coverage
ignored?: IgnoredParameters
[k: string]: unknown
}
export interface HeldWallet {
/**
 * The wallet.
 */
address: string
/**
 * Coins that the wallet has, the native coin first.
 */
assets: HeldAsset[]
[k: string]: unknown
}
export interface HeldAsset {
/**
 * Symbol; of an unlisted denom, the denom itself.
 */
symbol: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Liquid coins, displayed units.
 */
liquid: string
/**
 * Delegated coins, displayed units; null if unknown.
 */
staked: (string | null)
/**
 * Unbonding coins, displayed units; null if unknown.
 */
unbonding: (string | null)
/**
 * Rewards that claims would pay, displayed units; null if they are unknown.
 */
unclaimed: (string | null)
unclaimed_reason: UnclaimedReason
/**
 * Why staked or unbonding is null, if one is. rounding: after a slash, acts of others round the stake.
 */
stake_reason?: "rounding"
/**
 * US dollars per displayed unit on the UTC day of the last nanosecond before the instant; without an instant, the last published price. Null if there is no price.
 */
price_usd: (string | null)
/**
 * Value of liquid, staked and unbonding coins; null if an amount, the price or the exchange rate is unknown.
 */
value: (string | null)
/**
 * Value of the unclaimed rewards; null if they, the price or the exchange rate are unknown.
 */
unclaimed_value: (string | null)
[k: string]: unknown
}
/**
 * Double-entry journal by wallet in date order: one debit and one credit line per entry.
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
 * Wallet of the line.
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
 * Acquisition day of the lots that the entry created, relieved, moved or restored; VARIOUS for several days; empty if it affects none.
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
/**
 * Day of the entry in the time zone; only with timezone.
 */
date?: string
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
 * Validators with delegations after the last indexed block; null without a dataset that knows them.
 */
validators_on_chain: (number | null)
/**
 * Number of these validators with an entry; null without a dataset that knows them.
 */
validators_disclosed: (number | null)
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
 * Whether one of its validators is on chain; null without a dataset that knows them.
 */
on_chain: (boolean | null)
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
/**
 * How values are computed in other currencies. Absent before version 1.4.0.
 */
exchange_rates?: string
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
 * Sends to the owner's other accounts in the files of a tax program.
 */
export interface OwnSends {
/**
 * The requested wallets.
 */
addresses: string[]
/**
 * The program.
 */
profile: string
/**
 * First day.
 */
start: string
/**
 * Last day.
 */
end: string
/**
 * Number of sends.
 */
count: number
/**
 * Sum of the values in the file, of sends with a price; empty if there are sends and none has a price.
 */
value_usd: string
/**
 * Sends without a price. They are not in the sum.
 */
without_price: number
/**
 * Receivers, the highest sum first.
 */
receivers: OwnReceiver[]
coverage: Coverage
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
ignored?: IgnoredParameters
[k: string]: unknown
}
export interface OwnReceiver {
/**
 * Addresses of the receivers, also on other chains: several if one payment went to several receivers, none if the chain does not record them.
 */
addresses: string[]
/**
 * Number of sends to this receiver.
 */
count: number
/**
 * Sum of the values in the file, of sends with a price; empty if there are sends and none has a price.
 */
value_usd: string
/**
 * Sends without a price. They are not in the sum.
 */
without_price: number
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
/**
 * What each source quoted for the day. Empty if that is not known, and for tokenized shares.
 */
quotes: PriceQuote[]
/**
 * Why there is no price; empty when found. If no market could be reached, the next nightly run asks again.
 */
reason: string
[k: string]: unknown
}
export interface PriceQuote {
/**
 * Name of the source in the methodology.
 */
source: string
/**
 * USD for one displayed unit, at most six decimals.
 */
usd: number
/**
 * Whether the quote was rejected as an outlier.
 */
rejected: boolean
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
 * Warning if the last block is more than 36 hours old, because nightly runs have not published; requests are still served. Null otherwise.
 */
warning: (string | null)
/**
 * Whether the dataset has another methodology or classification version than this program. If so, wallets' figures are refused until a nightly run publishes with the current versions.
 */
replay_in_progress: boolean
/**
 * Only if the dataset has single wallets (HUBLEDGER_WALLETS): what is proved of each.
 */
wallets?: {
address: string
/**
 * proved, complete, derived or incomplete.
 */
state: ("proved" | "complete" | "derived" | "incomplete")
proofs: {
/**
 * Where the holdings before the index come from: a node's state, zero, or computed from the latest holdings and all rows. Null if no node reports the latest holdings.
 */
opening: (string | null)
/**
 * Rows explain every balance.
 */
balances: boolean
/**
 * No own transaction is missing.
 */
transactions: boolean
/**
 * Rows explain every stake.
 */
stakes: boolean
}
/**
 * What is missing, one sentence each.
 */
missing: string[]
/**
 * Why a wallet without missing parts is not proved, one sentence each: blocks, states or searches that only one node confirms, or signatures that are not checked.
 */
unconfirmed: string[]
}[]
/**
 * Only if the server gets its datasets from another server or an object store: the state of the transfer.
 */
follows?: {
/**
 * URL of the other server or of the object store.
 */
upstream: string
/**
 * Generation in force there. Null until it has answered.
 */
generation: (string | null)
/**
 * Time when this server last had the same generation as the upstream. Null if it never had.
 */
last_success: (string | null)
/**
 * Failed attempts since then.
 */
failures: number
/**
 * Reason of the last failed attempt. Null if none has failed since the last success.
 */
error: (string | null)
/**
 * Share of the new generation that is already here, from 0 to 1. Null if nothing is being fetched.
 */
fetched: (number | null)
}
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
 * Changed figures of closed months.
 */
export interface Restatements {
/**
 * The requested wallets, separated by commas.
 */
address: string
/**
 * The parameter since; empty without it.
 */
since: string
/**
 * The generation in force.
 */
generation: string
/**
 * Number of restatements.
 */
count: number
/**
 * Months with changed figures, ascending.
 */
months: RestatedMonth[]
/**
 * By wallet, in the order in which they were made.
 */
restatements: RestatedFigure[]
ignored?: IgnoredParameters
}
export interface RestatedMonth {
/**
 * UTC month, YYYY-MM.
 */
month: string
/**
 * Number of restatements of the month.
 */
figures: number
}
/**
 * One changed figure.
 */
export interface RestatedFigure {
/**
 * The wallet.
 */
address: string
/**
 * UTC month of the figure, YYYY-MM.
 */
month: string
/**
 * row (a row of /events); entry (a journal entry); lot (parts of lots in an entry); account (total of a month in the journal); position (cost of open lots at the end of a month); payout (of a validator on a day); holding (of a day). price, rate (an exchange rate) and statement (of a validator) belong to no wallet: the published table has them.
 */
what: ("price" | "rate" | "row" | "entry" | "lot" | "account" | "position" | "payout" | "statement" | "holding")
/**
 * What the figure belongs to: id of the row or entry (for a lot also its day), account of the journal, payout (validator, day, category, denom) or day.
 */
record: string
/**
 * Name of the figure: a column of the published table.
 */
figure: string
/**
 * Before; null if there was none.
 */
figure_before: (string | null)
/**
 * Since then; null if there is none any more.
 */
figure_after: (string | null)
/**
 * new_price, new_rate: a price or an exchange rate that was missing. methodology, classification, corrections: another version or file. state: a starting state that was added. earlier_days: earlier days that were added to the index. program: an upgrade of the program. proof: later state of nodes, in datasets of single wallets. quote, rate: another quote or exchange rate. loss: data that the operator allowed to be lost. unexplained: nothing that names itself.
 */
cause: ("new_price" | "new_rate" | "methodology" | "classification" | "corrections" | "state" | "earlier_days" | "program" | "proof" | "quote" | "rate" | "loss" | "unexplained")
/**
 * Generation that published the figure before.
 */
generation_before: string
/**
 * Generation that restated it.
 */
generation_after: string
/**
 * When it was restated.
 */
restated_at: string
}
/**
 * Staking rewards of wallets by period.
 */
export interface Rewards {
/**
 * Length of a period.
 */
interval: ("day" | "month" | "year")
/**
 * One row for each wallet, period and coin, without rows of zeros.
 */
periods: RewardPeriod[]
coverage: Coverage
ignored?: IgnoredParameters
[k: string]: unknown
}
export interface RewardPeriod {
/**
 * The wallet.
 */
address: string
/**
 * UTC period: YYYY-MM-DD, YYYY-MM or YYYY.
 */
period: string
/**
 * Symbol; of an unlisted denom, the denom itself.
 */
symbol: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Coins by which claimable rewards grew: paid + unclaimed − unclaimed before. Displayed units. Null if unknown or too large.
 */
earned: (string | null)
/**
 * Coins that delegations paid out, also to another withdraw address. Null if too large.
 */
paid: (string | null)
/**
 * Coins that claims would pay at the end of the period. Null if unknown or too large.
 */
unclaimed: (string | null)
/**
 * Sum of the payments in US dollars at the prices of their days; null if a price or a payment is missing.
 */
value_paid: (string | null)
/**
 * Unclaimed coins in US dollars at the price of the period's last day; null if it or the amount is missing.
 */
value_at_close: (string | null)
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
 * Sum over income: the income accounts of the journal, and incomeUsd of /events. Empty if there are receipts but none has a price.
 */
income_usd: string
/**
 * Value of network fees, which are also disposals; empty if none has a price.
 */
fees_usd: string
disposed: DisposalFigures
/**
 * Ids of rows that would be sales of this period, but a refund in this or a later period reversed them.
 */
refunded_rows: string[]
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
 * Payments whose refund is in another period. No sum, no Form 8949 and no importer file contains them; the journal books payment and refund on their own days.
 */
refunds_across: RefundsAcross[]
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
 * Kind of the coins that left.
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
 * Reliefs of this period that a refund in this or a later period reversed; the figures leave them out.
 */
refunds: number
/**
 * Reliefs without a published price, which are not in market_value_usd.
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
 * Such payments of one kind and asset.
 */
export interface RefundsAcross {
/**
 * refunded_later: paid in this period, refunded after it; the journal's gains of this period include theirs. paid_earlier: refunded in this period, paid before it; the journal reverses their gains in this period.
 */
kind: ("refunded_later" | "paid_earlier")
/**
 * Contra account of the payment.
 */
account: string
/**
 * Category of the payment.
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
 * Payments.
 */
count: number
/**
 * Displayed units.
 */
quantity: string
/**
 * Proceeds that the journal booked for the payments; empty if none has any.
 */
proceeds_usd: string
/**
 * Part of the proceeds from coins of unknown basis.
 */
proceeds_basis_unknown_usd: string
/**
 * Cost of payments with proceeds; empty if none has any.
 */
cost_usd: string
/**
 * Gain that the journal booked for the payments; negative for a loss.
 */
gain_usd: string
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
 * One asset. Opening and closing equal /positions at the end of the day before the period and of its last day.
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
 * undecided_receipts: flagged receipts without a decision, including later ones. receipts_of_unknown_basis: receipts of the period. assets_of_unknown_basis: assets partly of unknown basis at the end. unclassified_rows: rows that no rule explains. days_without_price: UTC days on which a row of the asset has no price. rows_without_price: income and disposals of the asset whose amount depends on a missing price; state value_usd for them in tags or asset_decisions.
 */
question: ("undecided_receipts" | "receipts_of_unknown_basis" | "assets_of_unknown_basis" | "unclassified_rows" | "days_without_price" | "rows_without_price")
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
/**
 * Ids of the first 200 rows; only for rows_without_price. A tag or an asset decision with this key can state the row's value_usd.
 * 
 * @maxItems 200
 */
row_ids?: string[]
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
 * Receiving wallet.
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
 * Money is text in the year's currency, quantities are in displayed units. What is not known is null.
 */
export interface TaxYear {
/**
 * Null if the request states all terms.
 */
country: (string | null)
/**
 * Version of the country's rules.
 */
rules: ({
version?: string
effective_date?: string
review?: ("draft" | "reviewed")
[k: string]: unknown
} | null)
year: {
name?: string
start?: string
/**
 * First instant of the next year.
 */
end?: string
[k: string]: unknown
}
currency: string
timezone: string
method: string
scope: ("address" | "person")
income_rule: ("claim" | "claim_and_year_end" | "none")
methodology_version: string
/**
 * Null if none is used.
 */
rates: ({
source?: string
last_day?: (string | null)
[k: string]: unknown
} | null)
income: {
kinds: {
/**
 * Category, tagged_ and a tag, or unclaimed_at_year_end.
 */
kind: string
account: string
symbol: string
denom: string
count: number
quantity: string
value: (string | null)
value_missing: number
[k: string]: unknown
}[]
total: (string | null)
value_missing: number
[k: string]: unknown
}
disposals: {
/**
 * Rows without refunded ones.
 */
count: number
quantity_by_asset: {
symbol: string
denom: string
quantity: string
[k: string]: unknown
}[]
/**
 * Of lines whose proceeds and cost are known.
 */
proceeds: (string | null)
cost: (string | null)
gain: (string | null)
short_gain: (string | null)
long_gain: (string | null)
/**
 * Without exempt lines.
 */
taxable_gain: (string | null)
/**
 * Of exempt lines.
 */
exempt_gain: (string | null)
/**
 * Lines of unknown cost.
 */
unknown: {
count: number
proceeds: string
[k: string]: unknown
}
/**
 * Lines without a price or rate.
 */
proceeds_missing: number
/**
 * Why cost and gains are null.
 */
withheld: (null | "pool_not_complete" | "portfolio_value_needed")
[k: string]: unknown
}
/**
 * Of all wallets; null if unknown.
 */
holdings: ({
/**
 * End of the year, or last block.
 */
at: string
height: number
assets: {
symbol: string
denom: string
liquid: string
staked: (string | null)
unbonding: (string | null)
/**
 * Null if unknown.
 */
unclaimed: (string | null)
price: (string | null)
/**
 * Without unclaimed_value.
 */
value: (string | null)
/**
 * Of unclaimed rewards.
 */
unclaimed_value: (string | null)
/**
 * Null if unknown or withheld.
 */
cost: (string | null)
[k: string]: unknown
}[]
[k: string]: unknown
} | null)
/**
 * Of the country.
 */
form: {
form?: string
line?: string
label?: string
value?: (string | null)
[k: string]: unknown
}[]
open: {
/**
 * What is still open; new kinds may be added.
 */
kind?: string
count?: number
/**
 * Where they are listed, or empty.
 */
url?: string
[k: string]: unknown
}[]
coverage: Coverage
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
/**
 * Lots of the coins that wallets sent to own places.
 */
export interface TransferredBasis {
/**
 * One line for each lot of each send, by wallet, in chain order.
 */
lines: TransferredLot[]
coverage: Coverage
/**
 * The rows that each tag of the request matched; absent without tags.
 */
tagged?: TaggedRows[]
saved_opening_lots?: SavedLotsCount
ignored?: IgnoredParameters
[k: string]: unknown
}
export interface TransferredLot {
/**
 * Sending wallet.
 */
address: string
/**
 * Id of the row in /events.
 */
row: string
/**
 * Day of the send.
 */
date: string
/**
 * Transaction hash.
 */
tx_hash: string
/**
 * Receiving address; null if there are several.
 */
receiver: (string | null)
/**
 * Symbol; of an unlisted denom, the denom itself.
 */
symbol: string
/**
 * On-chain denom.
 */
denom: string
/**
 * Displayed units.
 */
quantity: string
/**
 * Day of acquisition; null for coins from before the index, and for coins without a lot.
 */
acquired: (string | null)
/**
 * Cost in US dollars; null if unknown.
 */
cost_basis_usd: (string | null)
/**
 * Part of the quantity that has come home since.
 */
returned: string
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
 * The replay has not covered the month: a day that is over or requested is not indexed, or not yet replayed with the current methodology. A request for a part of the month does not matter.
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
 * Commission earned and not withdrawn at the end of that day, in displayed units. A withdrawal would have paid it. It is not income yet. Empty if the day is empty.
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
symbol: string
commission_amount: string
commission_usd: string
delegator_rewards_amount: string
delegator_rewards_usd: string
reward_events: number
unique_delegators: number
price_missing_days: number
price_missing_events: number
own_rewards_amount: string
own_rewards_usd: string
others_rewards_amount: string
others_rewards_usd: string
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
 * Whether the replay under this methodology has finished.
 */
complete: boolean
/**
 * Whether every block of the requested days is indexed and replayed with it.
 */
range_complete: boolean
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
 * Null if there is no further attempt.
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
 * A key of pages that embed the report of a delegator.
 */
export interface WidgetKey {
/**
 * Id of the key; the key itself begins with `hlw_` and this id.
 */
id: string
/**
 * Operator address of the validator.
 */
validator: string
/**
 * Origins of the pages that may use the key.
 */
origins: string[]
created_at: string
/**
 * Rounded down to the hour.
 */
last_used_at: (string | null)
revoked_at: (string | null)
/**
 * The key itself, only in the response that creates it. Send it as `api_key`.
 */
key?: string
}
/**
 * The validators of an account, and the widget keys of these validators.
 */
export interface WidgetKeys {
/**
 * Validators whose operator address has the same key as an address that you sign in with.
 */
validators: {
/**
 * Operator address.
 */
validator: string
/**
 * Current name of the validator.
 */
moniker: string
}[]
/**
 * The oldest first.
 */
keys: WidgetKey[]
}
/**
 * Every denom of a row or balance, and every denom of the registry.
 */
export interface IndexedAsset {
/**
 * On-chain denom; the identity.
 */
denom: string
/**
 * Symbol in answers; the denom itself if it is not registered. Several denoms may have the same symbol: it is a label, not an identity.
 */
symbol: string
/**
 * Decimal places: one displayed unit is 10^decimals base units. 0 if the denom is not registered.
 */
decimals: number
/**
 * Whether the denom is registered.
 */
registered: boolean
/**
 * Name in the registry, or null.
 */
name: (string | null)
/**
 * Name of its prices at CoinGecko and in price files; null without prices.
 */
coingecko_id: (string | null)
/**
 * Trace of a registered IBC voucher: the path and the base denom on its home chain. Null for other denoms.
 */
trace: (string | null)
}
/**
 * Changes of liquid balances without an event, from reviewed data.
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
 * Height of the block. The change applies at its beginning.
 */
height: number
/**
 * Signed base units.
 */
amount: bigint
}
/**
 * Fractions of block times, which the table blocks cuts to seconds.
 */
export interface BlockNanos {
/**
 * Block height.
 */
height: number
/**
 * Nanoseconds of the block's time after its whole second.
 */
nanos: number
}
/**
 * Every block of the index with its time, without gaps.
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
 * Identifier of the category in rows.
 */
category: string
/**
 * Label for people.
 */
label: string
/**
 * Meaning of the category.
 */
description: string
/**
 * Values of type on /events that select it. A category may have several or none.
 */
groups: string[]
/**
 * Whether rows of the category are relevant for tax: income, disposals, or transfers from or to others. False for record-only rows, which move coins within the wallet. A transfer to the sender's own key on another chain is record-only, too.
 */
taxable: boolean
}
/**
 * Events of wallets: one row for each wallet and movement or staking act. Without tax meaning.
 */
export interface ChainEvent {
/**
 * Wallet of the row.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Position of the row in its block: begin-block events, transactions in order, end-block events. Unique in the block.
 */
position: number
/**
 * Stable row id <height>-<transaction index or block>-<event index>-<item>-<side>, unique over all wallets. The item of a slash or a burned deposit is the end of the wallet's address.
 */
id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case, or block:<height> for chain acts without a transaction.
 */
tx_hash: string
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Base units that left, or null. For some categories they moved inside the wallet.
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
 * The other side of the movement, or null.
 */
counterparty: (string | null)
/**
 * Operator address of the validator, or null.
 */
validator: (string | null)
/**
 * Cause of a reward payout: one of data/reference/triggers.json, or null.
 */
reward_trigger: (string | null)
/**
 * Context for people: cause, protocol or contract; may be empty.
 */
detail: string
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text), empty for block events.
 */
memo: string
/**
 * Key shared by rows that belong together, or null: a redirected reward and its payment, an IBC packet and its refund, the legs of a swap.
 */
link: (string | null)
/**
 * True for ibc_out if the receiver has the sender's own key on the other chain, else false.
 */
to_own_key: boolean
/**
 * Coins arrived in a transaction that the receiver neither signed nor authorized (authz). False for chain acts, such as the proposer's share of a fee.
 */
unsolicited: boolean
}
/**
 * Holdings of each wallet after the last block, without tags or decisions: open lots and remaining opening coins. Coins in an escrow are not included.
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
 * Symbol of the asset in the journal.
 */
asset: string
/**
 * Base units in open lots.
 */
quantity: bigint
/**
 * Base units of remaining opening coins (held before the index). They are not lots.
 */
opening_quantity: bigint
/**
 * Quantity of lots with unknown basis.
 */
unknown_basis_quantity: bigint
/**
 * Basis of all other lots. In TypeScript cents.
 */
cost_basis_usd: bigint
/**
 * Open lots, parts of one lot counted once.
 */
lots: number
}
/**
 * States from which the replay of wallets continues after the end of a month. Not published.
 */
export interface ClosingState {
/**
 * Address of the wallet.
 */
address: string
/**
 * JSON that pipeline/books/ledger/wallet-text.ts reads and writes.
 */
state: string
}
/**
 * Net change of a liquid balance: Σ coin_received − Σ coin_spent of an address and denom in a transaction or in the block's own events. It covers every address, including module accounts. Zero changes are left out.
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
 * Transaction hash, block:<height>, or correction:<height> for a change from reviewed data.
 */
tx_hash: string
/**
 * Signed base units.
 */
amount: bigint
}
/**
 * Quote of a source for an asset and UTC day. Under a methodology version it never changes. Stored next to the raw blocks, not published; prices names the sources of each day.
 */
export interface CollectedQuote {
/**
 * Name of the asset in price files.
 */
asset: string
/**
 * UTC day.
 */
day: string
/**
 * Name of the source in the methodology.
 */
source: string
/**
 * Id of the market, or of the coin.
 */
market: string
/**
 * USD for one displayed unit; null if the source has no quote. In TypeScript USD × 10^18.
 */
usd: bigint | null
/**
 * Time of the answer in UTC, cut to seconds.
 */
fetched_at: string
}
/**
 * Native coins of every account at the close of each UTC day on which one of the three figures changed. Until its next row an account holds the same. The first day has the holdings from before the index.
 */
export interface DailyHolding {
/**
 * The account: a wallet, or an account of the chain.
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
 * Base units of the liquid balance.
 */
liquid: bigint
/**
 * Delegated base units, each delegation cut off to whole units as the chain shows it. A slash lowers it; acts of other delegators may change it by one unit through rounding.
 */
staked: bigint
/**
 * Unbonding base units.
 */
unbonding: bigint
}
/**
 * A range of blocks in which a delegation's shares and reward starting point are constant. With validator_days and slashes it determines staked tokens and unclaimed reward on any day.
 */
export interface DelegationInterval {
/**
 * Delegating account: a wallet, a contract, or the account of a share record.
 */
delegator: string
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the first block; 0 for a delegation of the genesis.
 */
from_height: number
/**
 * Height of the block that ended the interval, exclusive; null while it lasts.
 */
to_height: (number | null)
/**
 * Shares of the validator. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Tokens of the shares at the beginning of the interval; rewards are computed on them. In TypeScript the tokens × 10^18.
 */
stake: bigint
/**
 * The validator's reward period that ended when the interval began. A slash of the same block counts only if its period is higher.
 */
start_period: number
/**
 * Rewards per token since the validator began, by denom, at the end of start_period. Zero denoms are left out. A ratio with more than 20 integer digits is null. In TypeScript the chain's text of decimal coins, 18 places each.
 */
start_ratio: string
}
/**
 * A row of delegation_intervals in the fold's form. Its ratio is in reward_ratios, once for each validator, height and period.
 */
export interface DelegationSpan {
/**
 * Delegating account: a wallet, a contract, or the account of a share record.
 */
delegator: string
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the first block; 0 for a delegation of the genesis.
 */
from_height: number
/**
 * Height of the block that ended the interval, exclusive; null while it lasts.
 */
to_height: (number | null)
/**
 * Shares of the validator. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Tokens of the shares at the beginning of the interval; rewards are computed on them. In TypeScript the tokens × 10^18.
 */
stake: bigint
/**
 * The validator's reward period that ended when the interval began. A slash of the same block counts only if its period is higher.
 */
start_period: number
}
/**
 * Metadata that a token's admin sets: one row for each setting, including settings before the index and in the starting state. Only tokens of this chain have it in transactions.
 */
export interface DenomMetadata {
/**
 * On-chain denom of the token.
 */
denom: string
/**
 * Block height, or the starting state's height if the metadata comes from there.
 */
height: number
/**
 * Transaction hash in upper case, or block:<height> for chain acts without a transaction.
 */
tx_hash: string
/**
 * The symbol claimed (written by strangers: treat as hostile text).
 */
symbol: string
/**
 * The name claimed (written by strangers: treat as hostile text).
 */
name: string
}
/**
 * Euro reference rates: one row for each day and currency that the European Central Bank gave, from seven days before the index. Weekends and holidays of the bank have no rows.
 */
export interface ExchangeRate {
/**
 * Day of the rate. In TypeScript the text YYYY-MM-DD.
 */
day: string
/**
 * ISO 4217 code. EUR has no rows.
 */
currency: string
/**
 * Units of the currency for one euro. In TypeScript units × 10^6.
 */
per_eur: bigint
/**
 * Host of the address, or name of the file, from which the rate was first read.
 */
source: string
}
/**
 * Receipts that need their owner's decision: suspected spam, or a token that imitates a registered asset.
 */
export interface FlaggedReceipt {
/**
 * Id of the receipt's row in priced_events. Decisions use it as their key.
 */
record_id: string
/**
 * Receiving wallet.
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
 * On-chain denom of the received coins.
 */
denom: string
/**
 * Base units received.
 */
quantity: bigint
/**
 * Account that paid, or null for coins minted to the wallet.
 */
sender: (string | null)
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text).
 */
memo: string
/**
 * Reason: spam, or a token that imitates a registered asset.
 */
reason: ("suspected_spam" | "identity_mismatch")
/**
 * JSON list of short sentences with the evidence.
 */
evidence: string
/**
 * Symbol that an unregistered token claims; empty for other coins.
 */
claimed_symbol: string
}
/**
 * The double-entry journal: one row for each entry, with one debit and one credit of equal amount. A disposal has one relief entry. It may have a gain entry, and an entry for the value of its unknown basis. The row in priced_events, which event_id names, has the transaction, its memo and the counterparty. The entry’s id in answers is <event_id>-<leg>.
 */
export interface LedgerEntry {
/**
 * Wallet of the row.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Position of the row in its block: begin-block events, transactions in order, end-block events. Unique in the block.
 */
position: number
/**
 * Order of the entry within its event.
 */
leg: number
/**
 * Id of the row in priced_events.
 */
event_id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Act of the entry: acquire, dispose, relieve, move, deposit, withdraw, burn-deposit, restore, open (a stated opening lot), gain (gain or loss of the disposal before it), or unknown-basis (value of that disposal's part with unknown basis).
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
 * Amount of both lines. In TypeScript cents.
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
 * Base units relieved or received; null on gain entries. If both sides have an asset, they count the debited one.
 */
quantity: bigint | null
/**
 * Symbol of the credited asset if it differs from the debited one (move), else null.
 */
credit_asset: (string | null)
/**
 * On-chain denom of that credited asset, else null.
 */
credit_denom: (string | null)
/**
 * Base units of that credited asset, else null.
 */
credit_quantity: bigint | null
/**
 * Published unit price of that credited asset on the UTC day, else null.
 */
credit_price_usd: bigint | null
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Notes for bookkeepers: basis unknown, price missing, tag, reason for a missing lot.
 */
memo: string
/**
 * Parts of lots that the entry relieved, moved or returned, in order. held: lot, opening (coins held before the index), or none (no lot was left). acquired: day of the lot, else null. quantity: base units. basis_usd: null if unknown. proceeds_usd: null if not computed. The list is null if the entry only creates lots. In TypeScript the text that pipeline/books/ledger/slices.ts reads.
 */
slices: (string | null)
/**
 * Id of the row whose disposal this entry reverses (a refund), else null. Form 8949 shows neither row.
 */
reverses: (string | null)
/**
 * Published unit price of that UTC day, or null.
 */
price_usd: bigint | null
/**
 * Operator address of the validator, or null.
 */
validator: (string | null)
/**
 * Base units with unknown basis: lots of unknown basis, opening coins, or coins without a lot. Null if the entry moves none. If both sides have an asset, the slices have the credited side's part.
 */
basis_unknown_quantity: bigint | null
/**
 * Value of all coins of a disposal; null without a price and on other entries. In TypeScript cents.
 */
proceeds_usd: bigint | null
/**
 * Acquisition day (UTC) of the lots that the entry created, relieved, moved or returned; null without lots, and for lots of several days, which slices list. In TypeScript the text YYYY-MM-DD, or VARIOUS for several days.
 */
acquired: (string | null)
/**
 * Holding period of a disposal's part with known basis: SHORT, LONG or MIXED; null on other entries.
 */
term: (string | null)
}
/**
 * Native coins of an account where holdings begin and where they end. Each delegation is cut off to whole units as the chain shows it.
 */
export interface NativeHolding {
/**
 * The account.
 */
address: string
/**
 * opening: before the first block of the index, or after the block of a later starting state. closing: after the last proved block.
 */
moment: string
/**
 * Base units of the liquid balance.
 */
liquid: bigint
/**
 * Delegated base units.
 */
staked: bigint
/**
 * Unbonding base units.
 */
unbonding: bigint
}
/**
 * Liquid balances before the first block of the index. With the sums of coin_movements they give the balance at any height. For a later starting state, the movements up to its block are subtracted. It covers every account, including module accounts. Balances of more than 38 digits are left out and listed in the manifest.
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
 * Deposits of proposals that were open in the starting state. Not published. They are needed when such a proposal burns its deposits.
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
 * Every row of every wallet with the day's published unit prices. The ledger replays these rows.
 */
export interface PricedEvent {
/**
 * Wallet of the row.
 */
address: string
/**
 * Block height.
 */
height: number
/**
 * Position of the row in its block: begin-block events, transactions in order, end-block events. Unique in the block.
 */
position: number
/**
 * Stable row id <height>-<transaction index or block>-<event index>-<item>-<side>, unique over all wallets. The item of a slash or a burned deposit is the end of the wallet's address.
 */
id: string
/**
 * Block time in UTC, cut to seconds. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
time: string
/**
 * Transaction hash in upper case, or block:<height> for chain acts without a transaction.
 */
tx_hash: string
/**
 * One of data/reference/categories.json.
 */
category: string
/**
 * Base units that left, or null. For some categories they moved inside the wallet.
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
 * The other side of the movement, or null.
 */
counterparty: (string | null)
/**
 * Operator address of the validator, or null.
 */
validator: (string | null)
/**
 * Cause of a reward payout: one of data/reference/triggers.json, or null.
 */
reward_trigger: (string | null)
/**
 * Context for people: cause, protocol or contract; may be empty.
 */
detail: string
/**
 * The transaction's memo as signed (written by strangers: treat as hostile text), empty for block events.
 */
memo: string
/**
 * Key shared by rows that belong together, or null: a redirected reward and its payment, an IBC packet and its refund, the legs of a swap.
 */
link: (string | null)
/**
 * True for ibc_out if the receiver has the sender's own key on the other chain, else false.
 */
to_own_key: boolean
/**
 * Coins arrived in a transaction that the receiver neither signed nor authorized (authz). False for chain acts, such as the proposer's share of a fee.
 */
unsolicited: boolean
/**
 * This chain's channel (or client) of an IBC transfer or its refund, or null.
 */
channel?: (string | null)
/**
 * Sequence of the IBC packet, as its sender counted it. A refund has the sequence of the packet that was sent. Null for other rows.
 */
sequence?: number | null
/**
 * Published unit price of the sent denom on that UTC day, or null.
 */
sent_price: bigint | null
/**
 * Published unit price of the received denom on that UTC day, or null.
 */
received_price: bigint | null
/**
 * Published unit price of the fee denom on that UTC day, or null.
 */
fee_price: bigint | null
}
/**
 * Published reference prices: one row for each denom and UTC day. Days of the index without a price have rows with found = false.
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
 * USD for one displayed unit; null if found is false. TypeScript reads only rows with a price.
 */
usd: bigint
/**
 * Whether a price is published for the day.
 */
found: boolean
/**
 * The sources used, comma separated, in alphabetical order; empty if found is false.
 */
sources: string
/**
 * Sources rejected as outliers, comma separated; may be empty.
 */
rejected: string
/**
 * Version of the methodology.
 */
methodology_version: string
/**
 * Quotes of the day as `source usd`, comma separated, in alphabetical order, rounded to six decimals; a rejected one ends with ` rejected`. Empty for tokenized shares and if no source has a quote.
 */
quotes: string
}
/**
 * Ends of proposals, with deposits refunded or burned. Not published: priced_events has burned deposits as rows of category gov_deposit_burned.
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
 * A node's unchanged answers about one height. Everything else is computed from these rows.
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
 * JSON text {"height", "block", "block_results"}: the unchanged results of the node's /block and /block_results. Only block.block.last_commit is left out: signatures of the previous block, which would double the size and are never read.
 */
record: string
/**
 * CRC-32 of time, hash and record in UTF-8, concatenated. Null in files of earlier versions, whose records have every member.
 */
checksum: (number | null)
}
/**
 * Figures of closed months that a generation published differently than the generation before it: one row for each figure. A UTC month is closed seven days after its end. Restatements of earlier generations stay in the table.
 */
export interface Restatement {
/**
 * The wallet. Null for prices, exchange rates and validator statements.
 */
address: (string | null)
/**
 * UTC month of the figure, YYYY-MM.
 */
month: string
/**
 * price; rate (of exchange_rates); row (of priced_events); entry (of ledger_entries); lot (parts of lots in an entry); account (total of a month in the journal); position (cost of open lots at the end of a month); payout (of validator_payouts); statement (a validator's month); holding (of daily_holdings).
 */
what: ("price" | "rate" | "row" | "entry" | "lot" | "account" | "position" | "payout" | "statement" | "holding")
/**
 * What the figure belongs to. price: denom and day. rate: currency and day. row: its id. entry: its id. lot: the entry's id and the day of the lot, else opening or none. account and position: the journal's account. payout: validator, day, category and denom. statement: the validator. holding: the day.
 */
record: string
/**
 * The figure's name, for rows of tables the column. Amounts of coins are base units.
 */
figure: string
/**
 * The figure in the generation before; null if it had none.
 */
figure_before: (string | null)
/**
 * The figure since then; null if there is none any more.
 */
figure_after: (string | null)
/**
 * new_price, new_rate: a price or an exchange rate that was missing. methodology, classification, corrections: another version or file. state: a starting state that was added. earlier_days: earlier days that were added to the index. program: an upgrade of the program. proof: later state of nodes, in datasets of single wallets. quote, rate: another quote or exchange rate. loss: data that the operator allowed to be lost. unexplained: nothing that names itself. For a wallet's entries, the cause of the wallet's rows.
 */
cause: ("new_price" | "new_rate" | "methodology" | "classification" | "corrections" | "state" | "earlier_days" | "program" | "proof" | "quote" | "rate" | "loss" | "unexplained")
/**
 * Generation that published the figure before.
 */
generation_before: string
/**
 * Generation that restated it.
 */
generation_after: string
/**
 * When the night compared the generations, in UTC. In TypeScript the text YYYY-MM-DD HH:MM:SS.
 */
restated_at: string
}
/**
 * Staking rewards of each wallet by month and coin: earned = paid + unclaimed at the end of the month − unclaimed at the end of the month before. Covers delegations only: no commission, and no records of tokenized shares. The first month begins with the rewards that were unclaimed when holdings begin, and the last month ends with the last whole day. Rows of zeros are left out. Amounts are null if they are too large: of denoms that the manifest names as oversized, of sums of 4 × 10^37 base units or more, and of validators whose ratio has more than 20 integer digits.
 */
export interface RewardMonth {
/**
 * The wallet.
 */
address: string
/**
 * On-chain denom.
 */
denom: string
/**
 * UTC month, YYYY-MM.
 */
month: string
/**
 * Base units by which the claimable rewards grew.
 */
earned: bigint | null
/**
 * Base units that delegations paid out, also to another withdraw address.
 */
paid: bigint | null
/**
 * Base units that claims would pay at the end of the month. Each delegation's reward is truncated to whole base units before they are added up.
 */
unclaimed: bigint | null
}
/**
 * Reward that a delegation paid out, from the computation of holdings. Not published: reward_months has the sums, priced_events the rows.
 */
export interface RewardPayment {
/**
 * Delegating account.
 */
delegator: string
/**
 * Block height.
 */
height: number
/**
 * On-chain denom.
 */
denom: string
/**
 * Base units, always positive; null if they have more than 38 digits.
 */
amount: bigint | null
}
/**
 * A validator's ratio at the end of a reward period in which a delegation began. delegation_spans refers to it.
 */
export interface RewardRatio {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block that ended the period. If a validator is created again, its periods start over.
 */
height: number
/**
 * Reward period that ended.
 */
period: number
/**
 * Rewards per token since the validator began, by denom. Zero denoms are left out. A ratio with more than 20 integer digits is null. In TypeScript the chain's text of decimal coins, 18 places each.
 */
ratio: string
}
/**
 * Rewards withdrawn by the chain's own accounts for share records. These accounts are not wallets and have no rows; the rewards reach the owners later. Not published: validator_payouts has them by day.
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
 * Operator address of the paying validator.
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
 * Loss of a delegator by a slash, outside the liquid balance. Not published: priced_events has it as rows of category slash.
 */
export interface SlashLoss {
/**
 * Height of the block with the slash.
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
 * Account with the loss: a wallet, a contract, or the account of a share record.
 */
delegator: string
/**
 * Operator address of the slashed validator.
 */
validator: string
/**
 * Reason from the chain: missing_signature or double_sign. For faults on consumer chains, which have no reason on the chain: consumer_missing_signature or consumer_double_sign. correction: from reviewed data only.
 */
reason: string
/**
 * Loss of the delegation in base units: the difference of two values that are cut off as the chain shows them.
 */
delegated: bigint
/**
 * Base units cut from unbonding entries.
 */
unbonding: bigint
/**
 * Base units lost by delegations that had been moved from this validator to other validators.
 */
redelegated: bigint
}
/**
 * Coins minted and burned in a block, by denom: the change of all balances together.
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
 * Every transaction of the index, including failed ones, with its messages and its fee.
 */
export interface IndexedTransaction {
/**
 * Hash in upper case; tx_hash of other tables. A failed transaction may appear again in a later block under the same hash.
 */
hash: string
/**
 * Block height.
 */
height: number
/**
 * Index of the transaction in its block, from 0. It is place in coin_movements, and the second part of a row's id.
 */
index: number
/**
 * 0 if it succeeded, otherwise its module's error number. Only the fee of a failed transaction takes effect.
 */
code: number
/**
 * Wallet that paid the fee: a signer, or the granter of an allowance. Null without a fee.
 */
payer: (string | null)
/**
 * Base units of the fee, including the proposer's tip. Null without a fee.
 */
fee_amount: bigint | null
/**
 * On-chain denom of the fee, or null. If a fee has several coins (only while the fee market is off), this is the first one.
 */
fee_denom: (string | null)
/**
 * Type URLs of its messages, in order; empty for failed bytes that are not a transaction.
 */
message_types: string[]
/**
 * Type URLs of messages run through a grant (authz), outer before inner.
 */
inner_message_types: string[]
/**
 * Accounts that signed, in the order of their signatures. Empty if the transaction failed before its signatures were checked.
 */
signers: string[]
/**
 * The memo as signed (written by strangers: treat as hostile text).
 */
memo: string
}
/**
 * A range of blocks in which the balance of an unbonding entry is constant.
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
 * Height at which the entry was created. It distinguishes the entries of a wallet and validator.
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
 * Unsolicited receipts whose coins or value need a check. An intermediate table of the night, not published.
 */
export interface UnsolicitedReceipt {
/**
 * Id of the receipt's row in priced_events. Decisions use it as their key.
 */
record_id: string
/**
 * Receiving wallet.
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
 * On-chain denom of the received coins.
 */
denom: string
/**
 * Base units received.
 */
quantity: bigint
/**
 * Account that paid, or null for coins minted to the wallet.
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
 * Whether the denom is registered.
 */
registered: boolean
/**
 * Worth less than the limit of data/reference/spam.json.
 */
dust: boolean
/**
 * Number of wallets that the sender paid this denom unasked in this transaction. For a registered denom only equal amounts count.
 */
receivers: number
}
/**
 * A validator at the last block of a UTC day. It may have no shares if it has no delegators and is not removed yet. tokens / shares is the rate of its shares and tokenized shares.
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
 * Base units of all shares.
 */
tokens: bigint
/**
 * All shares. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Rewards per token since the validator began, by denom, computed as if the current period ended at the close. The next period does not begin from it. Zero denoms are left out. A ratio with more than 20 integer digits is null. In TypeScript the chain's text of decimal coins, 18 places each.
 */
ratio: string
/**
 * Earned commission that is not withdrawn, by denom, in whole base units as a withdrawal would pay it. In TypeScript the chain's text of coins.
 */
commission: string
/**
 * Commission rate at the close, such as 0.05 for 5 %, or null if it is not known. In TypeScript the rate × 10^18.
 */
commission_rate: bigint | null
}
/**
 * A validator after the last block before an edge, which is an instant at which unclaimed rewards are kept. An edge between the last block of a UTC day and the next block has no rows: validator_days has them. With delegation_intervals it determines unclaimed rewards.
 */
export interface ValidatorEdge {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of that block.
 */
height: number
/**
 * Base units of all shares.
 */
tokens: bigint
/**
 * All shares. In TypeScript the shares × 10^18.
 */
shares: bigint
/**
 * Rewards per token since the validator began, by denom, computed as if the current period ended there. The next period does not begin from it. Zero denoms are left out. A ratio with more than 20 integer digits is null. In TypeScript the chain's text of decimal coins, 18 places each.
 */
ratio: string
}
/**
 * Monikers of validators, from the beginning and after each change. Not published: validators has the latest ones.
 */
export interface ValidatorName {
/**
 * Block height, or the starting state's height.
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
 * Payouts of a validator on a UTC day: commission to its operator in every denom, and rewards in the native coin to each delegator. Claims and payouts by other acts count. Accounts of share records are delegators. With another withdraw address, the payout still belongs to the delegator.
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
 * Sum of the payouts, each rounded to the cent; null on a day without a published price. In TypeScript cents.
 */
usd: bigint | null
/**
 * Number of payouts above zero.
 */
payouts: number
}
/**
 * Tokens and shares of a validator after each block that changed them, where one share is not worth one base unit before or after the block. A validator without a row at or before a block has as many tokens as shares. With delegation_intervals it determines staked tokens after any block.
 */
export interface ValidatorRate {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Block height. The first rows have the height after which holdings are first known.
 */
height: number
/**
 * Base units of all shares.
 */
tokens: bigint
/**
 * All shares; 0 if the validator has no delegators or was removed. In TypeScript the shares × 10^18.
 */
shares: bigint
}
/**
 * A slash of a validator's tokens. Stakes of its delegations shrink by the fraction; their shares stay.
 */
export interface ValidatorSlash {
/**
 * Operator address of the validator (cosmosvaloper…).
 */
validator: string
/**
 * Height of the block with the slash.
 */
height: number
/**
 * Reward period that ended just before the slash.
 */
period: number
/**
 * Part of the validator's tokens that was burned, rounded up: not the chain's parameter. In TypeScript the fraction × 10^18.
 */
fraction: bigint
/**
 * Rewards per token since the validator began, by denom, at the end of the period. Zero denoms are left out. A ratio with more than 20 integer digits is null. In TypeScript the chain's text of decimal coins, 18 places each.
 */
ratio: string
}
/**
 * Every validator since the starting state, including removed ones.
 */
export interface KnownValidator {
/**
 * Operator address.
 */
validator: string
/**
 * Latest moniker, as the operator wrote it (treat as hostile text); empty if unknown.
 */
moniker: string
/**
 * Whether it has delegations after the last block. Always false without a starting state.
 */
on_chain: boolean
}
/**
 * Only in datasets of single wallets: native coins of a wallet after each block that changed its stake, until its next row. The first row has the stake before the first block. Incomplete wallets have no rows.
 */
export interface WalletStake {
/**
 * The wallet.
 */
address: string
/**
 * Height of the block.
 */
height: number
/**
 * Delegated base units; null if they are known only up to rounding, as after a slash of a validator.
 */
staked: bigint | null
/**
 * Unbonding base units; null if they are known only up to rounding.
 */
unbonding: bigint | null
}
/**
 * Only in datasets of single wallets: coins of a wallet by the state that nodes reported after the last block before an edge, and after the last block of the index. The native coin always has a row. Coins with more than 38 digits have none.
 */
export interface WalletCoin {
/**
 * The wallet.
 */
address: string
/**
 * Height of the block after which the wallet had the coins.
 */
height: number
/**
 * On-chain denom.
 */
denom: string
/**
 * Liquid base units.
 */
liquid: bigint
/**
 * Delegated base units, each delegation cut off to whole units as the chain shows it. 0 for other coins than the native one.
 */
staked: bigint
/**
 * Unbonding base units. 0 for other coins than the native one.
 */
unbonding: bigint
/**
 * Base units that claims would pay. Each delegation's reward is truncated to whole base units before they are added up. Null if the sum has more than 38 digits.
 */
unclaimed: bigint | null
/**
 * True if two hosts report the wallet's state.
 */
confirmed: boolean
}
/**
 * A tag of one row, with the value of its coins.
 */
export interface ValuedTag {
/**
 * A tag of /tags.
 */
tag: string
/**
 * Value of all received coins when they arrived, or of all sent coins when they left (the proceeds), in US dollars.
 */
value_usd?: string
}
