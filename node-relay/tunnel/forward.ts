/** Passes a call from a tunnel on to a part's socket, and its reply back; both ways with backpressure. */
import { type IncomingMessage, request } from 'node:http';
import type { Call, CallListener } from '../../proto/tunnel/call.ts';
import type { RequestHead } from '../../proto/tunnel/frame.ts';
import { agent, FORWARDED, passedOn } from '../parts/forward.ts';
import type { HttpReply } from '../parts/refusal.ts';

/**
 * Passes a call on. A part that cannot be connected to has seen none of it: the reply is
 * NODE_UNAVAILABLE. Once connected, the outcome is unknown: when the part is lost, the call fails.
 */
export function forwardCall(call: Call, head: RequestHead, socketPath: string): CallListener {
  const { method, path } = head;
  const headers = { ...passedOn(head.headers), [FORWARDED]: '1' };
  const onward = request({ agent, socketPath, method, path, headers, setHost: false });
  let isAnswered = false;
  onward.on('response', (answer) => {
    isAnswered = true;
    passBack(call, answer);
  });
  onward.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.syscall === 'connect' && !isAnswered) void refuseCall(call, head);
    else call.reset('failed');
  });
  return {
    data: (bytes) => void onward.write(bytes, () => call.consumed(bytes.byteLength)),
    end: () => void onward.end(),
    broken: () => void onward.destroy(),
  };
}

function passBack(call: Call, answer: IncomingMessage): void {
  const headers = Object.entries(passedOn(answer.headers)).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  call.head({ status: answer.statusCode ?? 502, headers: Object.fromEntries(headers) });
  answer.on('data', (part: Buffer) => {
    const room = call.write(part);
    if (room === undefined) return;
    answer.pause();
    void room.then(() => answer.resume());
  });
  answer.on('end', () => call.end());
  answer.on('close', () => answer.complete || call.reset('failed'));
  answer.on('error', () => call.reset('failed'));
}

/** Answers that no part can take the call now; nothing was done. */
export async function refuseCall(call: Call, head: RequestHead): Promise<void> {
  // Loaded when it is first needed: the library is most of what a supervisor would load.
  const { connectRefusal, unready } = await import('../parts/refusal.ts');
  answerCall(call, connectRefusal(head.headers['content-type'], unready()));
}

/** Answers a call with a reply that is there already. */
export function answerCall(call: Call, { status, headers, body }: HttpReply): void {
  call.head({ status, headers });
  void call.write(body);
  call.end();
}
