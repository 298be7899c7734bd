/**
 * One HTTP exchange with a node. It ends soon and takes bounded memory, whatever the node or a proxy in front of it sends: redirects are
 * refused, an answer must keep up a pace, and its bytes are counted unpacked while they arrive.
 */

const MIB = 1024 * 1024;
/** Memory of a chunk beside its bytes: chunked encoding may bring single bytes. */
const CHUNK_OVERHEAD_BYTES = 256;
/** Bytes that an answer which has begun must bring within a time, unless it comes to its end. */
const PACE = { bytes: 16 * 1024, ms: 5_000 };

/** Memory that one or more answers may take together. */
export class ByteAllowance {
  private readonly bytesMax: number;
  private left: number;

  constructor(mebibytes: number) {
    this.bytesMax = mebibytes * MIB;
    this.left = this.bytesMax;
  }

  get isSpent(): boolean {
    return this.left < 0;
  }

  /** Takes a chunk into account. @throws Error when it is too much */
  take({ length }: Uint8Array): void {
    this.left -= length + CHUNK_OVERHEAD_BYTES;
    if (this.isSpent) throw new Error(`its answer is larger than ${this.bytesMax / MIB} MiB`);
  }
}

export interface NodeRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON to post; without it the request is a GET. */
  readonly body?: string | undefined;
  /** Milliseconds for the whole answer. */
  readonly timeoutMs: number;
  readonly allowance: ByteAllowance;
  readonly signal?: AbortSignal | undefined;
}

export interface NodeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Asks a node. @throws Error whose message says in a few words what is wrong with the answer */
export async function askNode(url: string, request: NodeRequest): Promise<NodeReply> {
  const { headers = {}, body, timeoutMs, allowance, signal } = request;
  const exchange = new AbortController();
  const end = (reason: string) => exchange.abort(new Error(reason));
  const deadline = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
  const giveUp = () => end('nobody waits for its answer');
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp);
  try {
    const response = await fetch(url, {
      signal: exchange.signal,
      redirect: 'manual',
      ...(body === undefined
        ? { headers }
        : { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }),
    });
    const { status } = response;
    if (status >= 300 && status < 400) throw new Error(`HTTP ${status}: redirects are not followed`);
    return { status, headers: response.headers, text: await readText(response, allowance, end) };
  } catch (error) {
    exchange.abort(); // the rest of an answer that is too large
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    throw new Error(cause?.code ?? cause?.message ?? message);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', giveUp);
  }
}

async function readText({ body }: Response, allowance: ByteAllowance, end: (reason: string) => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const tooSlow = setTimeout(() => end(`it sends less than ${PACE.bytes} bytes in ${PACE.ms} ms`), PACE.ms);
  try {
    for await (const chunk of body ?? []) {
      allowance.take(chunk);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < PACE.bytes) continue;
      bytes = 0;
      tooSlow.refresh();
    }
  } finally {
    clearTimeout(tooSlow);
  }
  return Buffer.concat(chunks).toString();
}

/** Reads Retry-After, which is seconds or a date, as milliseconds: at least a second where the header says nothing. */
export function retryAfter(header: string | null): number {
  const seconds = Number(header ?? 1);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header!) - Date.now() : seconds * 1000;
  return Number.isNaN(milliseconds) ? 1000 : Math.max(0, milliseconds);
}
