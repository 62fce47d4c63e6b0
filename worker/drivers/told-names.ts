/** Names, times and warnings that a relay tells, as far as they are such. */
import { WARNING_CODES, type Warning } from '../../proto/driver.ts';
import { truncated } from '../../proto/truncate.ts';
import { noReply } from './no-reply.ts';

/** Characters of a name; a relay's own have far fewer. Spec silent. */
const NAME_MAX = 200;
/** Characters of what a relay has kept for it, to be asked by. Spec silent. */
const KEPT_MAX = 16 * 1024;
/** Warnings of a backend that are told. Spec silent. */
const WARNINGS_MAX = 100;
/** The last time that a date can be, in Unix epoch milliseconds. Source: ECMA-262, "Time Values and Time Range". */
const TIME_MAX = 8_640_000_000_000_000n;

/** A session's name. @throws GatewayError as `noReply` has it */
export function nameIn(text: string, written: boolean): string {
  if (text.length > NAME_MAX || !/^[\x21-\x7e]+$/.test(text)) {
    throw noReply(written, 'a session has no name');
  }
  return text;
}

/** What is kept to ask by later. @throws GatewayError as `noReply` has it */
export function keptIn(text: string): string {
  if (text.length > KEPT_MAX) throw noReply(true, 'what it wants kept is too long');
  return text;
}

/** Unix epoch milliseconds. @throws GatewayError as `noReply` has it */
export function timeIn(ms: bigint): number {
  if (ms > TIME_MAX) throw noReply(false, 'a time is none');
  return Number(ms);
}

/** Of a newer node's codes those that are known here. */
export function warningsIn(told: readonly { code: string; message: string }[]): Warning[] {
  return told.slice(0, WARNINGS_MAX).flatMap(({ code: given, message }) => {
    const code = WARNING_CODES.find((each) => each === given);
    return code === undefined ? [] : [{ code, message: truncated(message) }];
  });
}
