/**
 * Sends an HTTP request to a node. A hostile server cannot use up time or memory, because redirects are refused, and
 * transfer rate and decompressed size have limits.
 */
const MIB = 1024 * 1024;
const CHUNK_OVERHEAD_BYTES = 256;
const PACE = { bytes: 16 * 1024, ms: 5_000 };

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

  take({ length }: Uint8Array): void {
    this.left -= length + CHUNK_OVERHEAD_BYTES;
    if (this.isSpent) throw new Error(`its answer is larger than ${this.bytesMax / MIB} MiB`);
  }
}

export interface NodeRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  readonly allowance: ByteAllowance;
  readonly signal?: AbortSignal | undefined;
}

export interface NodeReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export async function askNode(url: string, request: NodeRequest): Promise<NodeReply> {
  const { headers = {}, body, timeoutMs, allowance, signal } = request;
  const exchange = new AbortController();
  const end = (reason: string) => exchange.abort(new Error(reason));
  const deadline = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
  const giveUp = () => end('the request was cancelled');
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
    exchange.abort();
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
  const tooSlow = setTimeout(() => end(`it sends fewer than ${PACE.bytes} bytes in ${PACE.ms} ms`), PACE.ms);
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
