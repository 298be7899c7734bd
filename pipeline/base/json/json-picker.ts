/**
 * Extracts selected values from JSON that arrives in chunks. Only the current value is kept in memory. Example: the
 * path `app_state.bank.balances[]` selects `app_state.bank.balances[17]` and all other elements.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const endsScalar = (byte: number) => byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || isSpace(byte);

const EXPECTED = {
  value: 'a value',
  firstValue: 'a value or ]',
  name: 'a name',
  firstName: 'a name or }',
  colon: 'a colon',
  next: 'a comma or the end of a value',
  nothing: 'the end of the document',
};
type Expected = keyof typeof EXPECTED;

interface Container {
  readonly path: string;
  readonly isList: boolean;
  count: number;
}

export type Found = (path: string, place: string, value: unknown) => void;

export class JsonPicker {
  private readonly containers: Container[] = [];
  private readonly leading = new Set<string>(['']);
  private expected: Expected = 'value';
  private name = '';
  private text: { readonly use: 'name' | 'take' | 'pass'; readonly parts: Uint8Array[] } | undefined;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private offset = 0;

  constructor(
    private readonly chosen: ReadonlySet<string>,
    private readonly found: Found,
  ) {
    for (const path of chosen) {
      for (let end = path.search(/[.[]/); end >= 0; end = nextBreak(path, end)) this.leading.add(path.slice(0, end));
    }
  }

  /** @throws SyntaxError with the offset of the wrong byte */
  push(chunk: Uint8Array): void {
    let index = 0;
    while (index < chunk.length) {
      if (this.text) index = this.readText(chunk, index);
      else index += this.step(chunk[index]!) ? 1 : 0;
    }
    this.offset += chunk.length;
  }

  end(): void {
    if (this.expected !== 'nothing')
      throw new SyntaxError(`the document is incomplete: it ends at byte ${this.offset}`);
  }

  private fail(byte: number): never {
    const found = String.fromCharCode(byte);
    throw new SyntaxError(
      `not JSON near byte ${this.offset}: ${JSON.stringify(found)} instead of ${EXPECTED[this.expected]}`,
    );
  }

  /**
   * Processes one byte.
   * @returns false if a name or value begins with this byte; readText then reads it
   */
  private step(byte: number): boolean {
    if (isSpace(byte)) return true;
    switch (this.expected) {
      case 'firstName':
      case 'name':
        if (byte === CLOSE_OBJECT && this.expected === 'firstName') return this.leave();
        if (byte !== QUOTE) this.fail(byte);
        this.text = { use: 'name', parts: [] };
        return false;
      case 'colon':
        if (byte !== COLON) this.fail(byte);
        this.expected = 'value';
        return true;
      case 'firstValue':
      case 'value':
        if (byte === CLOSE_LIST && this.expected === 'firstValue') return this.leave();
        return this.beginValue(byte);
      case 'next':
        return this.goOn(byte);
      default:
        return this.fail(byte);
    }
  }

  private goOn(byte: number): boolean {
    const { isList } = this.containers.at(-1)!;
    if (byte === (isList ? CLOSE_LIST : CLOSE_OBJECT)) return this.leave();
    if (byte !== COMMA) this.fail(byte);
    this.expected = isList ? 'value' : 'name';
    return true;
  }

  private leave(): boolean {
    this.containers.pop();
    this.expected = this.containers.length > 0 ? 'next' : 'nothing';
    return true;
  }

  private path(): string {
    const container = this.containers.at(-1);
    if (!container) return '';
    if (container.isList) return `${container.path}[]`;
    return container.path === '' ? this.name : `${container.path}.${this.name}`;
  }

  private beginValue(byte: number): boolean {
    const path = this.path();
    const isList = byte === OPEN_LIST;
    if (!this.chosen.has(path) && this.leading.has(path) && (isList || byte === OPEN_OBJECT)) {
      this.containers.push({ path, isList, count: 0 });
      this.expected = isList ? 'firstValue' : 'firstName';
      return true;
    }
    if (byte === COMMA || byte === COLON || byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.fail(byte);
    this.text = { use: this.chosen.has(path) ? 'take' : 'pass', parts: [] };
    return false;
  }

  private readText(chunk: Uint8Array, start: number): number {
    const { use, parts } = this.text!;
    const end = this.textEnd(chunk, start, parts.length === 0);
    if (use !== 'pass') parts.push(chunk.slice(start, end < 0 ? chunk.length : end));
    else if (parts.length === 0) parts.push(chunk.subarray(0, 0));
    if (end < 0) return chunk.length;
    this.finishText();
    return end;
  }

  /** Returns the index after the end of the text, or −1 if it continues in the next chunk. */
  private textEnd(chunk: Uint8Array, start: number, begins: boolean): number {
    let { depth, inString, escaped } = this;
    const isScalar = (byte: number) => byte !== QUOTE && byte !== OPEN_LIST && byte !== OPEN_OBJECT;
    if (begins) this.isScalar = isScalar(chunk[start]!);
    let end = -1;
    for (let i = start; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        else continue;
        if (inString || depth > 0) continue;
        end = i + 1;
      } else if (this.isScalar) {
        if (endsScalar(byte)) end = i;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) end = i + 1;
      if (end >= 0) break;
    }
    Object.assign(this, { depth, inString, escaped });
    return end;
  }

  private isScalar = false;

  private finishText(): void {
    const { use, parts } = this.text!;
    this.text = undefined;
    if (use === 'name') {
      this.name = parse(parts);
      this.expected = 'colon';
      return;
    }
    const container = this.containers.at(-1);
    if (use === 'take') {
      const path = this.path();
      const place = container?.isList ? `${container.path}[${container.count}]` : path;
      this.found(path, place, parse(parts));
    }
    if (container) container.count++;
    this.expected = container ? 'next' : 'nothing';
  }
}

function nextBreak(path: string, from: number): number {
  const next = path.slice(from + 1).search(/[.[]/);
  return next < 0 ? -1 : from + 1 + next;
}

function parse<Value>(parts: readonly Uint8Array[]): Value {
  const decoder = new TextDecoder();
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join('');
  return JSON.parse(text + decoder.decode());
}
