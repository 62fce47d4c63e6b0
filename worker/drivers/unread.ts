/** Large results of organizations' own nodes pass unread; who keeps one as a whole looks whether it is JSON. docs/decisions/0031. */
import type { Owner } from '../limits/heavy-work.ts';
import { demandJson } from './read-json.ts';

const unread = new WeakMap<ReadableStream<Uint8Array>, { readonly written: boolean }>();
const decoder = new TextDecoder();

/** Notes that nobody has looked at a result. @param written whether something has taken effect */
export function noteUnread(stream: ReadableStream<Uint8Array>, written: boolean): void {
  unread.set(stream, { written });
}

/** Looks at all of what such a result came to, by turns. @throws GatewayError as `noReply` has it */
export async function demandRead(
  of: Owner,
  result: Uint8Array | ReadableStream<Uint8Array>,
  whole: string | Uint8Array,
): Promise<void> {
  const noted = result instanceof Uint8Array ? undefined : unread.get(result);
  if (noted === undefined) return;
  const text = typeof whole === 'string' ? whole : decoder.decode(whole);
  await demandJson(of, text, noted.written);
}
