/**
 * Decodes protobuf with the merge rules of the chain's decoder: if an embedded message occurs several times, its parts
 * are merged. The generated decoders keep only the last part. So a signer could hide content from them by splitting a
 * message.
 */
import { BinaryReader, BinaryWriter } from 'cosmjs-types/binary';

export interface ProtobufType<Value> {
  readonly typeUrl: string;
  encode(value: Value): BinaryWriter;
  decode(bytes: Uint8Array): Value;
  fromPartial(members: object): Value;
}

export const decodeWhole = <Value>(type: ProtobufType<Value>, bytes: Uint8Array): Value =>
  type.decode(joinParts(bytes, embeddedIn(type)));

export interface Field {
  readonly number: number;
  readonly wireType: number;
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

const LENGTH_DELIMITED = 2;

export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const number = reader.pos - start > BYTES_OF_28_BITS ? longNumber(bytes.subarray(start)) : tag >>> 3;
    const wireType = tag & 7;
    const content = wireType === LENGTH_DELIMITED ? reader.bytes() : NOTHING;
    if (content === NOTHING) reader.skipType(wireType);
    yield { number, wireType, whole: bytes.subarray(start, reader.pos), content };
  }
}

const NOTHING = new Uint8Array();

const BYTES_OF_28_BITS = 4;

/** Reads a field number from a tag that is too long, like gogoproto: the lower 32 of 64 bits. */
const longNumber = (bytes: Uint8Array) => Number(BigInt.asIntN(32, new BinaryReader(bytes).uint64() >> 3n));

type Embedded = ReadonlyMap<number, Embedded>;

const known = new Map<string, Embedded>();

function embeddedIn<Value>(type: ProtobufType<Value>): Embedded {
  const embedded = known.get(type.typeUrl) ?? readEmbedded(emptyMessage(type));
  known.set(type.typeUrl, embedded);
  return embedded;
}

/**
 * Encodes a message with all its embedded messages, each empty. The result shows which fields are embedded messages. In
 * `fromPartial({})` these members are undefined.
 */
function emptyMessage<Value>({ encode, fromPartial }: ProtobufType<Value>): Uint8Array {
  const missing = Object.entries(fromPartial({}) as object).filter(([, value]) => value === undefined);
  return encode(fromPartial(Object.fromEntries(missing.map(([name]) => [name, {}])))).finish();
}

const readEmbedded = (bytes: Uint8Array): Embedded =>
  new Map([...fieldsOf(bytes)].map(({ number, content }) => [number, readEmbedded(content)]));

/**
 * Fields from this number on are removed. The decoder keeps only 32 bits of a tag and would read them as other fields.
 */
const NUMBERS = 2 ** 29;

/** Merges the parts of each embedded message. Returns the same array if nothing changes. */
function joinParts(bytes: Uint8Array, embedded: Embedded): Uint8Array {
  if (embedded.size === 0) return bytes;
  const parts = new Map<number, Uint8Array[]>();
  const others: Uint8Array[] = [];
  let isSame = true;
  for (const { number, wireType, whole, content } of fieldsOf(bytes)) {
    if (number >= NUMBERS || number < 0) isSame = false;
    else if (!embedded.has(number) || wireType !== LENGTH_DELIMITED) others.push(whole);
    else if (!parts.get(number)?.push(content)) parts.set(number, [content]);
  }
  const joined = [...parts].map(([number, all]) => {
    const [first] = all as [Uint8Array];
    const content = joinParts(all.length === 1 ? first : Buffer.concat(all), embedded.get(number)!);
    isSame &&= content === first;
    return new BinaryWriter().tag(number, LENGTH_DELIMITED).bytes(content).finish();
  });
  return isSame ? bytes : Buffer.concat([...others, ...joined]);
}
