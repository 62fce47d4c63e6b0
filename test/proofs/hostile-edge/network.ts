/** The network of an edge driver in a test: it records replies, or plays them again, one of them changed. */
import type { EdgeHost } from '../../../worker/drivers/edge/driver.ts';
import { Lost } from '../../../worker/drivers/edge/driver.ts';
import { openNetwork } from '../../stand-ins/edge-host.ts';
import type { Step } from '../hostile-replies/mutate.ts';

/** A reply as it came. */
export interface Recorded {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** A reply as it is played. */
export interface Played {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly steps: readonly Step[];
}

/** A network that reaches everything and writes down what comes back. */
export function recording(replies: Recorded[]): EdgeHost {
  return {
    async fetch(request) {
      const response = await openNetwork.fetch(request);
      const body = Buffer.from(await response.arrayBuffer());
      const { status } = response;
      const headers = [...response.headers].filter(([name]) => !OF_THE_LINE.test(name));
      replies.push({ status, headers, body });
      return new Response(NO_BODY.has(status) ? null : body, { status, headers });
    },
  };
}

const OF_THE_LINE = /^(?:connection|content-length|keep-alive|transfer-encoding)$/;
const NO_BODY = new Set([101, 204, 205, 304]);

/** What a played network has seen. */
export interface Traffic {
  trips: number;
  /** Bytes of bodies that were taken. */
  taken: number;
}

/** A network on which each trip gets the next reply, after the last the last again. */
export function playing(
  replies: readonly Played[],
  traffic: Traffic,
  signal: AbortSignal,
): EdgeHost {
  return {
    async fetch() {
      const reply = replies[Math.min(traffic.trips, replies.length - 1)];
      traffic.trips += 1;
      if (signal.aborted) throw new Lost('TIMED_OUT', 'The request failed');
      if (reply === undefined) throw new Lost('CONNECTION_FAILED', 'The request failed');
      const { status, headers, steps } = reply;
      const body = NO_BODY.has(status) ? null : streamOf(steps, signal, traffic);
      return new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) });
    },
  };
}

function streamOf(
  steps: readonly Step[],
  signal: AbortSignal,
  traffic: Traffic,
): ReadableStream<Uint8Array> {
  const pieces = piecesOf(steps, signal);
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) return controller.close();
          traffic.taken += value.byteLength;
          controller.enqueue(new Uint8Array(value));
        } catch (cause) {
          controller.error(cause);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* piecesOf(steps: readonly Step[], signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const step of steps) {
    if (step === 'close') return;
    if (step === 'reset') throw new TypeError('terminated');
    if (step === 'silent') await aborted(signal);
    else if ('send' in step) yield step.send;
    else if ('flood' in step) {
      for (let left = step.bytes; left > 0; left -= step.flood.length) yield step.flood;
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
