/** Reads headers, commits and validator sets from one node for the light client (CometBFT 0.38 RPC). */
import { isRecord } from '../../base/json/exact-json.js';
import type { RecordedHeader } from '../block-record.js';
import { NodeFailure } from '../nodes/ask-node.js';
import type { RpcReply } from '../nodes/endpoint.js';
import type { RpcQuestions } from '../nodes/rpc-questions.js';
import type { Commit, Validator } from './commit.js';
import type { HeaderProvider, SignedHeader } from './light-client.js';

const PER_PAGE = 100;
/** Maximum number of votes in a commit of CometBFT (MaxVotesCount). */
const VALIDATORS_MAX = 10_000;
const PAGES_MAX = 100;
/** The nodes behind a load balancer have pruned different heights, so a missing height is requested again. */
const ASKS = 4;
const POWER = /^\d{1,19}$/;
const HEIGHT = /^\d{1,15}$/;
/** Error texts for heights that a node does not have. */
const ABSENT = /must be less than or equal to|is not available|could not find/i;

export class NodeHeaders implements HeaderProvider {
  constructor(private readonly questions: RpcQuestions) {}

  get name(): string {
    return this.questions.name;
  }

  async signedHeaders(heights: readonly number[]): Promise<ReadonlyMap<number, SignedHeader>> {
    const found = new Map<number, SignedHeader>();
    for (let ask = 0; ask < ASKS && found.size < heights.length; ask++) {
      const open = heights.filter((height) => !found.has(height));
      for (const [height, signed] of await this.askSigned(open)) found.set(height, signed);
    }
    return found;
  }

  private async askSigned(heights: readonly number[]): Promise<ReadonlyMap<number, SignedHeader>> {
    const replies = await this.questions.ask(heights.map((height) => ({ method: 'commit', params: { height } })));
    return pairsOf(heights, replies, (result, height) => {
      const { signed_header: signed } = result;
      if (!isRecord(signed) || !isHeader(signed.header) || !isCommit(signed.commit)) return undefined;
      return signed.header.height === String(height) ? (signed as unknown as SignedHeader) : undefined;
    });
  }

  async validatorSets(heights: readonly number[]): Promise<ReadonlyMap<number, readonly Validator[]>> {
    const page = (height: number, number: number) => ({
      method: 'validators',
      params: { height, page: number, per_page: PER_PAGE },
    });
    const first = await this.questions.ask(heights.map((height) => page(height, 1)));
    const pages = pairsOf(heights, first, pageOf);
    const further = [...pages].flatMap(([height, { validators, total }]) => {
      const count = validators.length > 0 ? Math.ceil(total / validators.length) : 1;
      if (count > PAGES_MAX)
        throw new NodeFailure(`it states ${total} validators, but sends ${validators.length} of them`);
      return Array.from({ length: count - 1 }, (_, i) => ({ height, call: page(height, i + 2) }));
    });
    const replies = await this.questions.ask(further.map(({ call }) => call));
    const sets = new Map([...pages].map(([height, { validators }]) => [height, [...validators]]));
    for (const [i, reply] of replies.entries()) {
      const rest = reply.result === undefined ? undefined : pageOf(JSON.parse(reply.result));
      sets.get(further[i]!.height)!.push(...(rest?.validators ?? []));
    }
    return sets;
  }

  async headers(from: number, to: number): Promise<readonly RecordedHeader[]> {
    const [reply] = await this.questions.ask([{ method: 'blockchain', params: { minHeight: from, maxHeight: to } }]);
    const { block_metas: metas } = resultOf(reply!) ?? {};
    if (!Array.isArray(metas)) throw new NodeFailure(reply!.error?.text ?? 'it answers without headers');
    return metas.map((meta) => meta?.header).filter(isHeader);
  }
}

function resultOf({ result }: RpcReply): Record<string, unknown> | undefined {
  if (result === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(result);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** @throws NodeFailure if a reply is an error other than that the node lacks the height */
function pairsOf<Value>(
  heights: readonly number[],
  replies: readonly RpcReply[],
  read: (result: Record<string, unknown>, height: number) => Value | undefined,
): Map<number, Value> {
  const found = new Map<number, Value>();
  for (const [i, height] of heights.entries()) {
    const reply = replies[i]!;
    if (reply.error && !ABSENT.test(reply.error.text)) throw new NodeFailure(reply.error.text);
    const result = resultOf(reply);
    const value = result && read(result, height);
    if (value !== undefined) found.set(height, value);
  }
  return found;
}

interface ValidatorPage {
  readonly validators: readonly Validator[];
  readonly total: number;
}

function pageOf(result: Record<string, unknown>): ValidatorPage | undefined {
  const { validators, total } = result;
  if (!Array.isArray(validators)) return undefined;
  const read = validators.map((one): Validator => {
    const key = one?.pub_key;
    const isEd25519 = key?.type === 'tendermint/PubKeyEd25519' && typeof key.value === 'string';
    if (!isEd25519 || typeof one.address !== 'string' || !POWER.test(one.voting_power)) {
      throw new NodeFailure('it answers with a validator that has no Ed25519 key or no power');
    }
    return { address: one.address, key: key.value, power: BigInt(one.voting_power) };
  });
  const count = Number(total);
  if (!(count >= read.length && count <= VALIDATORS_MAX)) throw new NodeFailure(`it states ${total} validators`);
  return { validators: read, total: count };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isHeader(value: unknown): value is RecordedHeader {
  return (
    isRecord(value) &&
    isText(value.height) &&
    HEIGHT.test(value.height) &&
    isText(value.time) &&
    isText(value.chain_id) &&
    isRecord(value.last_block_id) &&
    isText(value.last_block_id.hash)
  );
}

function isCommit(value: unknown): value is Commit {
  return (
    isRecord(value) &&
    isText(value.height) &&
    HEIGHT.test(value.height) &&
    Number.isInteger(value.round) &&
    isRecord(value.block_id) &&
    isText(value.block_id.hash) &&
    Array.isArray(value.signatures) &&
    value.signatures.length <= VALIDATORS_MAX &&
    value.signatures.every((one) => isRecord(one) && isText(one.validator_address) && isText(one.timestamp))
  );
}
