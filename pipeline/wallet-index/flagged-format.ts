import type { FlaggedReceipt } from '../../schemas/types.generated.js';

type FlaggedTuple = [
  recordId: string,
  height: number,
  position: number,
  time: string,
  txHash: string,
  denom: string,
  quantity: string,
  sender: string | null,
  memo: string,
  reason: FlaggedReceipt['reason'],
  evidence: string,
  claimedSymbol: string,
];

export function serializeFlagged(receipts: readonly FlaggedReceipt[]): string {
  return JSON.stringify(
    receipts.map(
      (r): FlaggedTuple => [
        r.record_id,
        r.height,
        r.position,
        r.time,
        r.tx_hash,
        r.denom,
        r.quantity.toString(),
        r.sender,
        r.memo,
        r.reason,
        r.evidence,
        r.claimed_symbol,
      ],
    ),
  );
}

export function parseFlagged(address: string, text: string): FlaggedReceipt[] {
  return (JSON.parse(text) as FlaggedTuple[]).map((p) => ({
    record_id: p[0],
    address,
    height: p[1],
    position: p[2],
    time: p[3],
    tx_hash: p[4],
    denom: p[5],
    quantity: BigInt(p[6]),
    sender: p[7],
    memo: p[8],
    reason: p[9],
    evidence: p[10],
    claimed_symbol: p[11],
  }));
}
