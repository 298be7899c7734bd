/**
 * Finds who gets the coins of a sent ICS-20 packet. The receiving chain reads actions from the memo. Old versions of
 * packet-forward-middleware and of Stride's x/autopilot read them from the receiver.
 */
import { memberList } from '../base/json/exact-json.js';

interface Member {
  readonly name: string;
  readonly value: unknown;
}

/** Members of a JSON object in the order of its text. A name may occur several times. */
type Members = readonly Member[];

interface Packet {
  readonly sender: string;
  readonly receiver: string;
  /** The memo's text. `next` of a forwarded packet may also be an object. */
  readonly memo: unknown;
}

/** JSON text of a value inside a JSON text. */
class Json {
  constructor(readonly text: string) {}
}

/** The packet as the action passes it on; null if the action is not known. undefined: the action has no effect. */
type Effect = Pick<Packet, 'receiver' | 'memo'> | null | undefined;

const END = '';

/**
 * Every known action, with its effect. The first action with an effect decides.
 *
 * | Action | Who gets the coins | Source |
 * |---|---|---|
 * | `wasm` | the contract | Osmosis x/ibc-hooks |
 * | `autopilot` | `stakeibc.ibc_receiver`, otherwise `receiver` | Stride x/autopilot |
 * | `forward` | `receiver` on the next chain, which reads `next` as memo | packet-forward-middleware |
 * | `ibc_callback` | the contract, unless it is the sender, which then only waits for the acknowledgement | Osmosis x/ibc-hooks |
 * | `src_callback` | the receiver: the callback runs on this chain | ibc-go callbacks |
 */
const ACTIONS: Readonly<Record<string, (members: Members, packet: Packet) => Effect>> = {
  wasm(members) {
    const contract = exact(membersOf(exact(members, 'wasm')) ?? [], 'contract');
    return isNamed(contract) ? { receiver: contract, memo: END } : undefined;
  },
  autopilot(members, { receiver }) {
    const autopilot = merged(members, 'autopilot');
    if (autopilot.length === 0) return undefined;
    if (merged(members, 'forward').length > 0) return null;
    if (autopilot.some(({ name }) => !AUTOPILOT.includes(folded(name)))) return null;
    const last = textOf(merged(autopilot, 'stakeibc'), 'ibc_receiver') ?? textOf(autopilot, 'receiver');
    return { receiver: last ?? receiver, memo: END };
  },
  forward(members) {
    const forward = merged(members, 'forward');
    const receiver = textOf(forward, 'receiver');
    return receiver === undefined ? undefined : { receiver, memo: lastOf(forward, 'next')?.value ?? END };
  },
  ibc_callback(members, { sender }) {
    const callback = exact(members, 'ibc_callback');
    return isNamed(callback) && callback !== sender ? { receiver: callback, memo: END } : undefined;
  },
  src_callback: () => undefined,
};

const AUTOPILOT: readonly string[] = ['receiver', 'stakeibc', 'claim'];

/** `<address>|<port>/<channel>:<address>`, the old form of `forward`. */
const OLD_FORWARD = /^[^|]*\|[^/|]+\/[^:|]+:(.+)$/s;

/**
 * Returns the address that finally gets the coins. Returns null if the memo has an action that is not known. Forwarding
 * ends at a memo that is not a JSON object.
 * @example lastReceiver({ sender: 'cosmos1z', receiver: 'osmo1a',
 * memo: '{"forward":{"receiver":"juno1b","next":{"wasm":{"contract":"juno1c"}}}}' }) === 'juno1c'
 */
export function lastReceiver(packet: Packet): string | null {
  let { receiver, memo } = packet;
  for (;;) {
    const forwarded = OLD_FORWARD.exec(receiver)?.[1];
    if (forwarded !== undefined) {
      receiver = forwarded;
      continue;
    }
    const members = membersOf(memo === END ? receiver : memo);
    if (!members || members.length === 0) return receiver;
    if (members.some(({ name }) => !Object.hasOwn(ACTIONS, folded(name)))) return null;
    const effect = effectOf(members, { ...packet, receiver, memo });
    if (!effect) return effect === null ? null : receiver;
    ({ receiver, memo } = effect);
  }
}

function effectOf(members: Members, packet: Packet): Effect {
  for (const action of Object.values(ACTIONS)) {
    const effect = action(members, packet);
    if (effect !== undefined) return effect;
  }
  return undefined;
}

/** Maximum length of a receiver, as in ibc-go. */
const RECEIVER_MAX = 2048;

const isNamed = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= RECEIVER_MAX;

/** Returns the members of a JSON object, or of a text that contains one; otherwise undefined. */
function membersOf(value: unknown): Members | undefined {
  if (value instanceof Json) return listed(value.text);
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return undefined;
  try {
    JSON.parse(value);
  } catch {
    return undefined;
  }
  return listed(value);
}

const listed = (text: string): Members =>
  memberList(text).map(([name, json]) => ({
    name: JSON.parse(`"${name}"`),
    value: json.startsWith('{') ? new Json(json) : JSON.parse(json),
  }));

/** Go's encoding/json matches the names of a struct in any case. */
const folded = (name: string) => name.toUpperCase().toLowerCase();

/** Returns the value of a member whose name is matched exactly, as in a Go map. If it is repeated, the last one counts. */
const exact = (members: Members, name: string): unknown => members.findLast((member) => member.name === name)?.value;

/** Returns the member of a Go struct. If it is repeated, the last one counts. */
const lastOf = (members: Members, name: string): Member | undefined =>
  members.findLast((member) => folded(member.name) === name);

/** Returns a text of a Go struct. A later null leaves the text. */
function textOf(members: Members, name: string): string | undefined {
  const value = lastOf(
    members.filter((member) => member.value !== null),
    name,
  )?.value;
  return isNamed(value) ? value : undefined;
}

/** Returns the members of a struct inside a Go struct. Repeated structs are merged, and null removes what was before. */
function merged(members: Members, name: string): Members {
  const values = members.filter((member) => folded(member.name) === name).map(({ value }) => value);
  return values
    .slice(values.lastIndexOf(null) + 1)
    .flatMap((value) => (value instanceof Json ? listed(value.text) : []));
}
