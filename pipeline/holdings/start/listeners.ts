/** Types of callbacks that take what a starting state says beside what the fold needs. */

/** A balance that an account has before the first block, base units; what a genesis' transactions move counts with its sign. */
export type OnBalance = (address: string, denom: string, amount: bigint) => void;

/** Takes a deposit, in base units, of an account into a proposal that is open before the first block. */
export type OnDeposit = (proposal: string, address: string, denom: string, amount: bigint) => void;

/** Takes the name that an operator gave its validator before the first block. */
export type OnValidator = (operator: string, moniker: string) => void;
