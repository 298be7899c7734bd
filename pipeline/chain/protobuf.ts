/**
 * Protobuf as the chain's program reads it. The parts of an embedded message that stands several times are one message (of a scalar the
 * last counts), where the generated decoders take the last part alone: whoever signs a message chooses how it is cut.
 */
import { BinaryReader, BinaryWriter } from 'cosmjs-types/binary';

/** A type of message, as cosmjs-types has it. */
export interface ProtobufType<Value> {
  readonly typeUrl: string;
  encode(value: Value): BinaryWriter;
  decode(bytes: Uint8Array): Value;
  fromPartial(members: object): Value;
}

/** Decodes a message, with all parts of the messages embedded in it. */
export const decodeWhole = <Value>(type: ProtobufType<Value>, bytes: Uint8Array): Value =>
  type.decode(joinParts(bytes, embeddedIn(type)));

/** A field as it stands in a message. */
export interface Field {
  readonly number: number;
  readonly wireType: number;
  /** Tag and value. */
  readonly whole: Uint8Array;
  /** Content of a text, of bytes or of an embedded message; empty for numbers. */
  readonly content: Uint8Array;
}

const LENGTH_DELIMITED = 2;

/** Lists the fields of a message in their order. @throws when the bytes are no message */
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

/** The number of a field whose tag is longer than any encoder writes it: 32 of its 64 bits, as gogoproto takes them. */
const longNumber = (bytes: Uint8Array) => Number(BigInt.asIntN(32, new BinaryReader(bytes).uint64() >> 3n));

/** Numbers of the fields that are one embedded message, each with those in it. */
type Embedded = ReadonlyMap<number, Embedded>;

const known = new Map<string, Embedded>();

function embeddedIn<Value>(type: ProtobufType<Value>): Embedded {
  const embedded = known.get(type.typeUrl) ?? readEmbedded(emptyMessage(type));
  known.set(type.typeUrl, embedded);
  return embedded;
}

/**
 * A message of which nothing is set, encoded: generated encoders write embedded messages that are empty, and nothing else. One that may be
 * missing is undefined among the members, and no other member is.
 */
function emptyMessage<Value>({ encode, fromPartial }: ProtobufType<Value>): Uint8Array {
  const missing = Object.entries(fromPartial({}) as object).filter(([, value]) => value === undefined);
  return encode(fromPartial(Object.fromEntries(missing.map(([name]) => [name, {}])))).finish();
}

const readEmbedded = (bytes: Uint8Array): Embedded =>
  new Map([...fieldsOf(bytes)].map(({ number, content }) => [number, readEmbedded(content)]));

/** Field numbers from here on have no place in a decoder's tag of 32 bits, which would take them for others. */
const NUMBERS = 2 ** 29;

/** The message with each embedded message in one piece; the same bytes where it has no other. */
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
