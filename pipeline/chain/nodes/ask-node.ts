/**
 * Sends an HTTP request to a node. A hostile server cannot use up time or memory, because redirects are not followed,
 * and transfer rate and decompressed size have limits.
 */

/**
 * Why a request failed. `limit`: the node limits the rate. `slow`: no reply in time, or the connection was cut, as
 * happens to expensive questions. `away`: no connection. `refused`: the same request would fail again. `fault`: other.
 */
export type FailureKind = 'limit' | 'slow' | 'away' | 'refused' | 'fault';

export class NodeFailure extends Error {
  /** @param retryAfter time in milliseconds for which a rate limit lasts */
  constructor(
    message: string,
    readonly kind: FailureKind = 'fault',
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

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
    if (this.isSpent) throw new NodeFailure(`its answer is larger than ${this.bytesMax / MIB} MiB`);
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

/** Codes of errors that occur before a connection exists. */
const AWAY = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT|SELF_SIGNED/;
/** Codes of errors of a connection that the server has cut. */
const CUT = /ECONNRESET|EPIPE|UND_ERR_SOCKET/;

/** @throws NodeFailure if no complete reply arrives */
export async function askNode(url: string, request: NodeRequest): Promise<NodeReply> {
  const { headers = {}, body, timeoutMs, allowance, signal } = request;
  const exchange = new AbortController();
  const end = (reason: string, kind?: FailureKind) => exchange.abort(new NodeFailure(reason, kind));
  const deadline = setTimeout(() => end(`no answer within ${timeoutMs} ms`, 'slow'), timeoutMs);
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
    return { status: response.status, headers: response.headers, text: await readText(response, allowance, end) };
  } catch (error) {
    exchange.abort();
    if (error instanceof NodeFailure) throw error;
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const reason = cause?.code ?? cause?.message ?? message;
    throw new NodeFailure(reason, AWAY.test(reason) ? 'away' : CUT.test(reason) ? 'slow' : 'fault');
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', giveUp);
  }
}

async function readText(
  { body }: Response,
  allowance: ByteAllowance,
  end: (reason: string, kind: FailureKind) => void,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const tooSlow = setTimeout(() => end(`it sends fewer than ${PACE.bytes} bytes in ${PACE.ms} ms`, 'slow'), PACE.ms);
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
